package tui

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/changes"
	"ahptui/views/prompt"
)

// changesHost is what the panel of changes asks of a host.
type changesHost interface {
	// ReadResource reads what a file is or was. InvokeChangesetOperation does
	// something with changes. They may take as long as ctx allows.
	ReadResource(ctx context.Context, uri protocol.URI) (*ahpclient.Content, error)
	InvokeChangesetOperation(ctx context.Context, params *protocol.InvokeChangesetOperationParams) (*protocol.InvokeChangesetOperationResult, error)
}

// changesPane is the panel of the files that have changed.
type changesPane struct {
	view   *changes.Model
	input  changes.Input
	note   safetext.Text // in the border
	chosen protocol.URI  // of the changesets that there are; "" for the first
	set    protocol.URI  // that was shown last
	totals changesTotals
	diff   diffRead
	notes  notesRead
}

func newChanges(theme themes.Theme) changesPane { return changesPane{view: changes.New(theme)} }

// changesTotals are the sums over the files of a state.
type changesTotals struct {
	of     *protocol.ChangesetState
	totals changes.Totals
}

func changesCommands() map[keymap.ID]command {
	moves := func(f func(v *changes.Model)) command {
		return does(func(m *Model) { f(m.middle.changes.view) }, (*Model).whyNoFile)
	}
	return map[keymap.ID]command{
		keymap.ChangesShow: does(func(m *Model) { m.showMiddle(keymap.Changes) }, nil),
		keymap.DiffOpen: does(func(m *Model) {
			m.middle.changes.diff.retry()
			m.middle.changes.view.OpenDiff()
		}, (*Model).whyNoFile),
		keymap.FileNext:      moves((*changes.Model).NextFile),
		keymap.FilePrevious:  moves((*changes.Model).PreviousFile),
		keymap.HunkNext:      does(func(m *Model) { m.goToChange((*changes.Model).NextChange, "there is no change below") }, (*Model).whyNoDiff),
		keymap.HunkPrevious:  does(func(m *Model) { m.goToChange((*changes.Model).PreviousChange, "there is no change above") }, (*Model).whyNoDiff),
		keymap.ReviewToggle:  does((*Model).toggleReview, (*Model).whyNoReview),
		keymap.PathCopy:      begins((*Model).copyPath, (*Model).whyNoFile),
		keymap.ChangesAct:    does((*Model).openOperations, (*Model).whyNoOperation),
		keymap.ChangesChoose: does((*Model).chooseChangeset, (*Model).whyNoChoice),
	}
}

// changeset is a set of changes that can be looked at.
type changeset struct {
	uri   protocol.URI
	label string
	entry *protocol.Changeset
}

// maxChangesets bounds the sets of changes that are offered.
const maxChangesets = 100

// changesets are the sets of changes of the session and the chat on the screen.
// Those of a turn are of the newest; what else they may be about is not known here.
func (m *Model) changesets() []changeset {
	var entries []*protocol.Changeset
	if s := m.session(); s != nil {
		entries = append(entries, s.Changesets...)
	}
	turn := ""
	if c := m.chat(); c != nil {
		entries = append(entries, c.Changesets...)
		if n := len(c.Turns); n > 0 {
			turn = c.Turns[n-1].ID
		}
	}
	var list []changeset
	for _, e := range entries[:min(len(entries), maxChangesets)] {
		needs, ok := e.Needs()
		if !ok || len(needs) > 1 || len(needs) == 1 && turn == "" {
			continue
		}
		uri, err := protocol.ExpandTemplate(e.URITemplate, map[string]string{protocol.VarTurn: turn})
		if err != nil || uri == "" {
			continue
		}
		list = append(list, changeset{uri, e.Label, e})
	}
	return list
}

// changeset is the one that is looked at.
func (m *Model) changeset() (c changeset, ok bool) {
	list := m.changesets()
	if len(list) == 0 {
		return changeset{}, false
	}
	if i := slices.IndexFunc(list, func(c changeset) bool { return c.uri == m.middle.changes.chosen }); i >= 0 {
		return list[i], true
	}
	return list[0], true
}

// changesChannels are the channels that what is shown comes from.
func (m *Model) changesChannels() map[protocol.URI]protocol.ChannelKind {
	channels := map[protocol.URI]protocol.ChannelKind{}
	if c, ok := m.changeset(); ok {
		channels[c.uri] = protocol.ChangesetKind
	}
	if s := m.session(); s != nil && s.Annotations != nil && s.Annotations.Resource != "" {
		channels[s.Annotations.Resource] = protocol.AnnotationsKind
	}
	return channels
}

// changesState is the state of the changeset that is looked at, or nil.
func (m *Model) changesState() *protocol.ChangesetState {
	c, ok := m.changeset()
	if !ok {
		return nil
	}
	if ch := m.view.Channels[c.uri]; ch != nil {
		s, _ := ch.State.(*protocol.ChangesetState)
		return s
	}
	return nil
}

// selectedFile is the file that is selected, or nil.
func (m *Model) selectedFile() *protocol.ChangesetFile {
	s, i := m.changesState(), m.middle.changes.view.Index()
	id, ok := m.middle.changes.view.Selected()
	if s == nil || !ok || i >= len(s.Files) || s.Files[i].ID != id {
		return nil
	}
	return s.Files[i]
}

// changesInput maps the changes.
func (m *Model) changesInput() changes.Input {
	p := &m.middle.changes
	in := changes.Input{Stale: m.stale(), OpenKey: m.keyName(keymap.DiffOpen), CloseKey: m.keyName(keymap.PanelBack)}
	c, _ := m.changeset()
	in.Label = clean(c.label)
	if p.set != c.uri { // what is open is of other changes
		p.set = c.uri
		p.view.CloseDiff()
	}
	s := m.changesState()
	if s == nil {
		in.Empty = m.whyNoChanges()
		return in
	}
	in.Empty = safetext.Const("nothing has changed")
	switch {
	case s.Status == protocol.ChangesetError:
		in.Problem = safetext.Const("the host could not compute the changes")
		if s.Error != nil && s.Error.Message != "" {
			in.Problem = own("the host could not compute the changes: " + s.Error.Message)
		}
	case s.Status.Working():
		in.State, in.Empty = safetext.Const("(computing)"), safetext.Const("the host is computing the changes")
	}
	pending := m.pendingReviews(c.uri)
	in.Files = changes.Files{
		Len: len(s.Files),
		ID:  func(i int) string { return s.Files[i].ID },
		At: func(i int) changes.File {
			f := m.fileRow(s.Files[i])
			f.Pending = pending[s.Files[i].ID]
			return f
		},
	}
	if p.totals.of != s {
		p.totals = changesTotals{s, totalsOf(s.Files)}
	}
	in.Totals = p.totals.totals
	p.view.SyncFiles(in.Files)
	if f := m.selectedFile(); f != nil && p.view.DiffOpen() {
		in.Diff, in.Notes = m.diffInput(f), m.fileNotes(f)
	}
	return in
}

func totalsOf(files []*protocol.ChangesetFile) changes.Totals {
	var t changes.Totals
	for _, f := range files {
		added, removed := counts(f.Edit)
		t.Added, t.Removed = t.Added+max(0, added), t.Removed+max(0, removed)
		if f.IsReviewed() {
			t.Reviewed++
		}
	}
	return t
}

// counts are the lines of an edit, -1 where they are not known.
func counts(e *protocol.FileEdit) (added, removed int) {
	number := func(f *float64) int {
		if f == nil || *f < 0 || *f > 1e9 {
			return -1
		}
		return int(*f)
	}
	if e == nil || e.Diff == nil {
		return -1, -1
	}
	return number(e.Diff.Added), number(e.Diff.Removed)
}

// pendingReviews are the files of a changeset whose marks are not confirmed yet.
func (m *Model) pendingReviews(uri protocol.URI) map[string]bool {
	var pending map[string]bool
	if c := m.view.Channels[uri]; c != nil {
		for _, t := range c.Pending {
			if a, ok := t.Action.(*protocol.ChangesetFilesReviewChanged); ok {
				if pending == nil {
					pending = map[string]bool{}
				}
				for _, id := range a.Files {
					pending[id] = true
				}
			}
		}
	}
	return pending
}

// fileRow maps a file.
func (m *Model) fileRow(f *protocol.ChangesetFile) changes.File {
	row := changes.File{Reviewed: f.IsReviewed(), Added: -1, Removed: -1, Notes: len(m.notesOf(f))}
	row.Added, row.Removed = counts(f.Edit)
	before, after := versions(f)
	switch {
	case before == nil && after == nil:
		row.Path = clean(f.ID)
	case before == nil:
		row.Change, row.Path = changes.Created, m.pathOf(after.URI)
	case after == nil:
		row.Change, row.Path = changes.Deleted, m.pathOf(before.URI)
	case before.URI != after.URI:
		row.Change, row.Path, row.From = changes.Moved, m.pathOf(after.URI), m.pathOf(before.URI)
	default:
		row.Path = m.pathOf(after.URI)
	}
	return row
}

// versions are what a file was and what it is.
func versions(f *protocol.ChangesetFile) (before, after *protocol.FileVersion) {
	if f.Edit == nil {
		return nil, nil
	}
	return f.Edit.Before, f.Edit.After
}

// pathOf is a file's path below the session's directory it is in, or the whole of it.
func (m *Model) pathOf(uri protocol.URI) safetext.Text { return clean(m.relative(uri)) }

func (m *Model) relative(uri protocol.URI) string {
	if s := m.session(); s != nil {
		for _, dir := range s.Directories() {
			if rest, ok := strings.CutPrefix(string(uri), strings.TrimSuffix(string(dir), "/")+"/"); ok {
				return unescaped(rest)
			}
		}
	}
	return strings.TrimPrefix(unescaped(string(uri)), "file://")
}

// whyNoChanges says why there are no changes to show.
func (m *Model) whyNoChanges() safetext.Text {
	c, ok := m.changeset()
	switch ch := m.view.Channels[c.uri]; {
	case m.session() == nil:
		return m.whyNoSession()
	case !ok:
		return safetext.Const("the host tells of no changes in this session: its directory may be in no repository, or files may not be read")
	case ch != nil && ch.Err != nil:
		return own("the host does not show these changes: " + ch.Err.Error())
	case m.stale():
		return m.whyOffline()
	}
	return safetext.Const("reading the changes")
}

// whyNoFile says why there is no file to act on, or "".
func (m *Model) whyNoFile() safetext.Text {
	switch {
	case m.middle.shown != keymap.Changes:
		return own(m.keyName(keymap.ChangesShow).String() + " shows the changes first")
	case m.changesState() == nil:
		return m.whyNoChanges()
	case m.selectedFile() == nil:
		return safetext.Const("no file has changed")
	}
	return safetext.Text{}
}

// whyNoDiff says why there are no changes of a file to move in, or "".
func (m *Model) whyNoDiff() safetext.Text {
	if why := m.whyNoFile(); !why.Empty() {
		return why
	}
	if !m.middle.changes.view.DiffOpen() {
		return own(m.keyName(keymap.DiffOpen).String() + " shows what has changed in the file first")
	}
	return safetext.Text{}
}

func (m *Model) goToChange(move func(*changes.Model) bool, none string) {
	if !move(m.middle.changes.view) {
		m.notices.hint(m.clock.now, own(none))
	}
}

// whyNoReview says why a file cannot be marked as reviewed, or "".
func (m *Model) whyNoReview() safetext.Text {
	if why := m.whyNoFile(); !why.Empty() {
		return why
	}
	c, _ := m.changeset()
	switch {
	case !protocol.ClientMay(m.version(), (&protocol.ChangesetFilesReviewChanged{}).ActionType()):
		return own("protocol version " + m.version().String() + " does not let clients mark files as reviewed")
	case !c.entry.MayReview():
		return safetext.Const("the host does not keep which of these files were reviewed")
	}
	return m.offline()
}

// toggleReview marks the file as reviewed, or not.
func (m *Model) toggleReview() {
	c, _ := m.changeset()
	f := m.selectedFile()
	what := "mark " + m.fileName(f) + " as reviewed"
	if f.IsReviewed() {
		what = "mark " + m.fileName(f) + " as not reviewed"
	}
	m.dispatch(c.uri, &protocol.ChangesetFilesReviewChanged{Files: []string{f.ID}, Reviewed: !f.IsReviewed()}, asked{what: what, about: f.ID})
}

// fileName is what to call a file.
func (m *Model) fileName(f *protocol.ChangesetFile) string {
	return path.Base(m.fileRow(f).Path.String())
}

// copyPath copies the path of the file.
func (m *Model) copyPath() tea.Cmd {
	return m.copyPiece(piece{name: "path", text: m.fileRow(m.selectedFile()).Path.String()})
}

// whyNoChoice says why there are no other changes to choose from, or "".
func (m *Model) whyNoChoice() safetext.Text {
	if m.middle.shown != keymap.Changes {
		return own(m.keyName(keymap.ChangesShow).String() + " shows the changes first")
	}
	if n := len(m.changesets()); n < 2 {
		return own("the host tells of " + strconv.Itoa(n) + " set of changes in this session")
	}
	return safetext.Text{}
}

// chooseChangeset asks which changes to look at.
func (m *Model) chooseChangeset() {
	m.find(func() prompt.FinderInput {
		in := prompt.FinderInput{Title: safetext.Const("Changes"), Submit: "show"}
		for _, c := range m.changesets() {
			in.Items = append(in.Items, prompt.FinderItem{ID: string(c.uri), Name: clean(c.label), Note: clean(c.entry.Description)})
		}
		return in
	}, func(id string) tea.Cmd {
		m.middle.changes.chosen = protocol.URI(id)
		m.middle.changes.view.CloseDiff()
		return nil
	})
}

package tui

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/changes"
	"ahptui/views/diff"
)

// readPatience bounds how long a host may take to send what a file is and was.
const readPatience = 30 * time.Second

// diffRead is the diff of a file: what was read last, and what is being read.
type diffRead struct {
	shown   diffOf // what diff and err are of
	diff    *diff.Diff
	err     error
	reading diffOf
	cancel  context.CancelFunc // of what is read
}

// diffOf is a file of a changeset, as it was at some time.
type diffOf struct {
	set  protocol.URI
	file string
	edit *protocol.FileEdit
}

// diffMsg brings the diff of a file.
type diffMsg struct {
	of   diffOf
	diff *diff.Diff
	err  error
}

// current reports whether a diff is that of a file as it is now.
func (d diffOf) current(now diffOf) bool {
	return d.set == now.set && d.file == now.file && (d.edit == now.edit || d.edit != nil && now.edit != nil &&
		sameContent(d.edit.Before, now.edit.Before, false) && sameContent(d.edit.After, now.edit.After, true))
}

// sameContent reports whether two versions have the same content as far as one can
// tell: that of a file that can be written to may have changed although its URI has not.
func sameContent(a, b *protocol.FileVersion, written bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Content.URI == b.Content.URI && a.Content.Nonce == b.Content.Nonce && (a.Content.Nonce != "" || !written)
}

// readDiff reads the diff that is to be shown, if it is not there.
func (m *Model) readDiff() tea.Cmd {
	p := &m.middle.changes
	if m.scene.size.changes == 0 || !p.view.DiffOpen() || m.stale() {
		return nil
	}
	c, ok := m.changeset()
	f := m.selectedFile()
	if !ok || f == nil {
		return nil
	}
	now := diffOf{c.uri, f.ID, f.Edit}
	if p.diff.shown.current(now) || p.diff.reading.current(now) {
		return nil
	}
	wait := time.Duration(0)
	if p.diff.cancel != nil { // who runs through the files does not want all of them
		p.diff.cancel()
		wait = rest
	}
	reading, cancel := context.WithTimeout(m.link.ctx, readPatience)
	p.diff.reading, p.diff.cancel = now, cancel
	host := m.conn.Host
	return m.link.do(func(context.Context) tea.Msg {
		defer cancel()
		if !linger(reading, wait) {
			return nil
		}
		d, err := compare(reading, host, now.edit)
		return diffMsg{now, d, err}
	})
}

// linger lets time pass; it reports false if ctx ends before that.
func linger(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// retry lets what could not be read be read once more.
func (d *diffRead) retry() {
	if d.err != nil {
		d.shown, d.err = diffOf{}, nil
	}
}

// compare reads what a file was and what it is, and compares the two.
func compare(ctx context.Context, host changesHost, e *protocol.FileEdit) (*diff.Diff, error) {
	if e == nil || e.Before == nil && e.After == nil {
		return nil, errors.New("the host does not say what the file was or is")
	}
	before, err := readVersion(ctx, host, e.Before)
	if err != nil {
		return nil, fmt.Errorf("what the file was cannot be read: %w", err)
	}
	after, err := readVersion(ctx, host, e.After)
	if err != nil {
		return nil, fmt.Errorf("what the file is cannot be read: %w", err)
	}
	return diff.Compare(before, after)
}

// readVersion reads a version of a file; one that there is not is empty. One that is
// too large is not read where the host says so beforehand.
func readVersion(ctx context.Context, host changesHost, v *protocol.FileVersion) (string, error) {
	switch {
	case v == nil:
		return "", nil
	case v.Content.SizeHint != nil && *v.Content.SizeHint > diff.MaxBytes:
		return "", diff.TooLarge
	}
	content, err := host.ReadResource(ctx, v.Content.URI)
	if err != nil {
		return "", err
	}
	return string(content.Data), nil
}

// diffCame takes the diff of a file, unless another one was asked for meanwhile.
func (m *Model) diffCame(msg diffMsg) {
	d := &m.middle.changes.diff
	if d.reading != msg.of {
		return
	}
	d.shown, d.diff, d.err, d.reading, d.cancel = msg.of, msg.diff, msg.err, diffOf{}, nil
}

// diffInput maps the diff of a file. While a newer one is read, that of before stays.
func (m *Model) diffInput(f *protocol.ChangesetFile) changes.Diff {
	c, _ := m.changeset()
	d, now := &m.middle.changes.diff, diffOf{c.uri, f.ID, f.Edit}
	in := changes.Diff{Of: f.ID}
	if d.shown.set != now.set || d.shown.file != now.file {
		in.Why = safetext.Const("reading the file")
		if m.stale() {
			in.Why = m.whyOffline()
		}
		return in
	}
	in.Diff = d.diff
	switch refusal := diff.Refusal(""); {
	case errors.As(d.err, &refusal):
		in.Why = own(refusal.Error() + sizesOf(f))
	case d.err != nil:
		in.Why = own(readError(d.err))
	case !d.shown.current(now):
		in.Why = safetext.Const("the file has changed again: reading it")
	case len(d.diff.Changes) == 0:
		in.Why = safetext.Const("the content is the same")
	}
	return in
}

// sizesOf are the sizes of what a file was and is, where the host says them.
func sizesOf(f *protocol.ChangesetFile) string {
	before, after := versions(f)
	text := ""
	for _, v := range []*protocol.FileVersion{before, after} {
		if v != nil && v.Content.SizeHint != nil {
			text += fmt.Sprintf(", %.0f bytes", *v.Content.SizeHint)
		}
	}
	return text
}

// readError is what there is to say of a file that could not be read.
func readError(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "the host did not send the file in time"
	}
	if denied, ok := errors.AsType[*ahpclient.PermissionError](err); ok {
		return "the host does not let this file be read: " + denied.Error()
	}
	return err.Error()
}

// unescaped is the path of a URI as a person reads it.
func unescaped(uri string) string {
	if s, err := url.PathUnescape(uri); err == nil {
		return s
	}
	return uri
}

// The limits of the annotations that are shown.
const (
	maxNotes     = 2000
	maxNoteCells = 4000
)

// notesRead are the annotations of a session by the resource that they are about.
type notesRead struct {
	of   *protocol.AnnotationsState
	byID map[protocol.URI][]*protocol.Annotation
	// Those of the file whose diff is open.
	file  string
	notes []*changes.Note
}

// annotations are the annotations of the session on the screen.
func (m *Model) annotations() map[protocol.URI][]*protocol.Annotation {
	p := &m.middle.changes.notes
	var state *protocol.AnnotationsState
	if s := m.session(); s != nil && s.Annotations != nil {
		if c := m.view.Channels[s.Annotations.Resource]; c != nil {
			state, _ = c.State.(*protocol.AnnotationsState)
		}
	}
	if p.of != state {
		*p = notesRead{of: state, byID: map[protocol.URI][]*protocol.Annotation{}}
		if state != nil {
			for _, a := range state.Annotations[:min(len(state.Annotations), maxNotes)] {
				p.byID[a.Resource] = append(p.byID[a.Resource], a)
			}
		}
	}
	return p.byID
}

// notesOf are the annotations of a file, of either of its versions.
func (m *Model) notesOf(f *protocol.ChangesetFile) []*protocol.Annotation {
	all := m.annotations()
	if len(all) == 0 {
		return nil
	}
	var list []*protocol.Annotation
	for _, uri := range resourcesOf(f) {
		list = append(list, all[uri]...)
	}
	return list
}

// resourcesOf are the URIs that a file is known by, that of its content now first.
func resourcesOf(f *protocol.ChangesetFile) []protocol.URI {
	before, after := versions(f)
	var list []protocol.URI
	for _, v := range []*protocol.FileVersion{after, before} {
		if v == nil {
			continue
		}
		for _, uri := range []protocol.URI{v.URI, v.Content.URI} {
			if !slices.Contains(list, uri) {
				list = append(list, uri)
			}
		}
	}
	return list
}

// fileNotes maps the annotations of a file, in the order of their lines. They are
// the same as long as the annotations are.
func (m *Model) fileNotes(f *protocol.ChangesetFile) []*changes.Note {
	list := m.notesOf(f)
	p := &m.middle.changes.notes
	if p.file == f.ID && len(p.notes) == len(list) {
		return p.notes
	}
	p.file, p.notes = f.ID, nil
	before, after := versions(f)
	for _, a := range list {
		n := &changes.Note{Resolved: a.Resolved}
		if a.Range != nil {
			n.Line = max(0, a.Range.Start.Line) + 1
		}
		// What is said of the content before is about its lines.
		n.Old = before != nil && (after == nil || a.Resource == before.Content.URI && a.Resource != after.Content.URI)
		for _, e := range a.Entries {
			n.Entries = append(n.Entries, safetext.CleanBlock(e.Text.String(), maxNoteCells))
		}
		p.notes = append(p.notes, n)
	}
	slices.SortStableFunc(p.notes, func(a, b *changes.Note) int { return a.Line - b.Line })
	return p.notes
}

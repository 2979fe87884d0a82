package tui

import (
	"cmp"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
)

// maxTitle bounds the title of a session, in bytes.
const maxTitle = 1000

func sessionActionCommands() map[keymap.ID]command {
	on := func(do func(*Model), a protocol.Action, what string) command {
		return does(do, func(m *Model) safetext.Text { return m.whyNotChange(a, what) })
	}
	return map[keymap.ID]command{
		keymap.SessionRename:  on((*Model).askTitle, &protocol.SessionTitleChanged{}, "rename sessions"),
		keymap.SessionArchive: on((*Model).archive, &protocol.SessionIsArchivedChanged{}, "archive sessions"),
		keymap.SessionRead:    on((*Model).markRead, &protocol.SessionIsReadChanged{}, "mark sessions as read"),
		keymap.SessionDispose: does((*Model).askDispose, (*Model).whyNotDispose),
	}
}

// aboutSession reports whether an action changes what the list shows of a session.
func aboutSession(a protocol.Action) bool {
	switch a.(type) {
	case *protocol.SessionTitleChanged, *protocol.SessionIsReadChanged, *protocol.SessionIsArchivedChanged:
		return true
	}
	return false
}

// selectedEntry is the session that is selected in the list, nil if there is none.
func (m *Model) selectedEntry() *entry {
	if e := m.catalogue.entries[m.sessions.Selected()]; e != nil && e.row != nil {
		return e
	}
	return nil
}

// whyNotChange says why the selected session cannot be changed by an action, or "".
func (m *Model) whyNotChange(a protocol.Action, what string) safetext.Text {
	e := m.selectedEntry()
	switch {
	case e == nil:
		return m.whyNoSession()
	case e.gone:
		return safetext.Const("the host does not have this session any more")
	case m.stale():
		return m.offline()
	case !protocol.ClientMay(m.version(), a.ActionType()):
		return own("protocol " + m.view.Connection.Version.String() + " cannot " + what)
	case m.disposing.ending[e.uri]:
		return safetext.Const("the host is asked to dispose of this session")
	}
	if c := m.view.Channels[e.uri]; c != nil && c.Err != nil {
		return own("the host does not open this session: " + c.Err.Error())
	}
	return safetext.Text{}
}

// changeSession asks for a change of a session. It has to be open for the host's answer to come here.
func (m *Model) changeSession(session protocol.URI, a protocol.Action, about asked) bool {
	m.open(session, protocol.SessionKind)
	about.about = a.ActionType()
	return m.dispatch(session, a, about)
}

// archive archives the selected session, or takes it back. It stays in the list until the person goes elsewhere, so that
// the same key takes back what was a slip.
func (m *Model) archive() {
	e := m.selectedEntry()
	verb := "archive "
	if e.row.Archived {
		verb = "take back "
	}
	m.keep = e.uri
	m.changeSession(e.uri, &protocol.SessionIsArchivedChanged{IsArchived: !e.row.Archived}, asked{what: verb + m.nameOf(e.uri), was: m.factsOf(e.uri).archived})
}

func (m *Model) markRead() {
	e := m.selectedEntry()
	as := "unread"
	if e.row.Unread {
		as = "read"
	}
	if e.uri == m.current.session {
		m.current.read = true
	}
	m.changeSession(e.uri, &protocol.SessionIsReadChanged{IsRead: e.row.Unread}, asked{what: "mark " + m.nameOf(e.uri) + " as " + as, was: m.factsOf(e.uri).read})
}

// facts are what can be changed of a session, as the host has it and what is pending on top.
type facts struct{ title, archived, read string }

func (m *Model) factsOf(uri protocol.URI) facts {
	of := func(title string, s protocol.Status) facts {
		return facts{title, strconv.FormatBool(s.Archived()), strconv.FormatBool(s.Read())}
	}
	if state := m.view.Session(uri); state != nil {
		return of(state.Title, state.Status)
	}
	if s := m.catalogue.byURI[uri]; s != nil {
		return of(s.Title, s.Status)
	}
	return facts{}
}

// markSeen marks the session on the screen as read: once when the person opens it, and when a turn has ended before their
// eyes. What comes of it is nobody's business.
func (m *Model) markSeen() {
	c, state, e := &m.current, m.session(), m.catalogue.entries[m.current.session]
	if !m.touched || state == nil || e == nil || e.row == nil || c.gone || m.stale() {
		return
	}
	busy := state.Activity().Busy()
	ended := c.busy && !busy
	c.busy = busy
	if c.read && !ended {
		return
	}
	c.read = true
	a := &protocol.SessionIsReadChanged{IsRead: true}
	if e.row.Unread && protocol.ClientMay(m.version(), a.ActionType()) {
		m.dispatch(c.session, a, asked{quiet: true})
	}
}

// marksOf is what became of what the person asked of a session itself.
func (m *Model) marksOf(uri protocol.URI) marks {
	x := marks{pending: m.disposing.ending[uri], refused: m.disposing.refused[uri]}
	for _, a := range m.asked {
		if a.ticket.Channel == uri && !a.quiet && aboutSession(a.ticket.Action) {
			x.pending = true
		}
	}
	if len(m.refused) == 0 {
		return x
	}
	now := m.factsOf(uri)
	for _, r := range []refusal{
		m.refusalOf(target{uri, (&protocol.SessionTitleChanged{}).ActionType()}, now.title),
		m.refusalOf(target{uri, (&protocol.SessionIsArchivedChanged{}).ActionType()}, now.archived),
		m.refusalOf(target{uri, (&protocol.SessionIsReadChanged{}).ActionType()}, now.read),
	} {
		if words := r.sentence(); !words.Empty() {
			x.refused = words
		}
	}
	return x
}

// titleWindow asks for another title of a session.
type titleWindow struct {
	view    *prompt.Ask
	session protocol.URI
	was     safetext.Text
	failure safetext.Text
}

// askTitle begins with what was typed last, where the host refused that.
func (m *Model) askTitle() {
	e := m.selectedEntry()
	o := &titleWindow{session: e.uri, was: e.row.Title}
	title := m.factsOf(e.uri).title
	if r, refused := m.refused[target{e.uri, (&protocol.SessionTitleChanged{}).ActionType()}]; refused {
		title, o.failure = cmp.Or(m.titles[e.uri], title), r.sentence()
	}
	o.view = prompt.NewAsk(m.theme, m.keys, m.opts.ASCII, title, false)
	m.push(o)
}

func (o *titleWindow) context() keymap.Context { return keymap.Form }

func (o *titleWindow) update(m *Model, msg tea.Msg) tea.Cmd {
	switch o.view.Update(msg) {
	case prompt.Submit:
		o.submit(m)
	case prompt.Cancel:
		m.remove(o)
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Nothing:
	}
	return nil
}

func (o *titleWindow) submit(m *Model) {
	title := o.view.Value(0)
	e := m.catalogue.entries[o.session]
	switch why := m.offline(); {
	case len(title) > maxTitle:
		o.failure = own("a title has " + strconv.Itoa(maxTitle) + " bytes at most; this one has " + strconv.Itoa(len(title)))
		return
	case e == nil || e.gone:
		o.failure = safetext.Const("the host does not have this session any more")
		return
	case !why.Empty():
		o.failure = why
		return
	case title == m.factsOf(o.session).title:
		m.remove(o)
		return
	}
	if m.titles == nil {
		m.titles = map[protocol.URI]string{}
	}
	m.titles[o.session] = title
	if m.changeSession(o.session, &protocol.SessionTitleChanged{Title: title}, asked{what: "rename " + m.nameOf(o.session), was: m.factsOf(o.session).title}) {
		m.remove(o)
	}
}

func (o *titleWindow) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	in := prompt.AskInput{
		Title: safetext.Const("Rename a session"), Text: []safetext.Text{safetext.Concat(safetext.Const("Now: "), o.was)},
		Labels: []string{"Title"}, Failure: o.failure, Submit: "rename",
	}
	return m.placed(screen, o.view.View(in), o.view.Cursor())
}

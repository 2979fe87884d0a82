package tui

import (
	"context"
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// disposing is what was asked of the host about the end of sessions. Its maps are replaced, and never written to.
type disposing struct {
	ending  map[protocol.URI]bool          // asked, and not answered
	refused map[protocol.URI]safetext.Text // what the host said where it did not
}

// with is a map in which one value is another; the zero value is as good as none.
func with[V comparable](before map[protocol.URI]V, uri protocol.URI, v V) map[protocol.URI]V {
	after := maps.Clone(before)
	if after == nil {
		after = map[protocol.URI]V{}
	}
	var none V
	if v == none {
		delete(after, uri)
	} else {
		after[uri] = v
	}
	return after
}

// disposedMsg tells what became of a session that was to be disposed of.
type disposedMsg struct {
	session protocol.URI
	name    string
	err     error
	again   func() tea.Cmd // asks once more, after a sign-in; nil if it was asked twice already
}

// whyNotDispose says why the selected session cannot be disposed of, or "".
func (m *Model) whyNotDispose() safetext.Text {
	switch e := m.selectedEntry(); {
	case e == nil:
		return m.whyNoSession()
	case e.gone:
		return safetext.Const("the host does not have this session any more")
	case m.disposing.ending[e.uri]:
		return safetext.Const("the host is asked already to dispose of this session")
	}
	return m.offline()
}

// disposeWindow asks before a session is disposed of.
type disposeWindow struct {
	view    *prompt.Confirm
	session protocol.URI
	name    string
}

func (m *Model) askDispose() {
	uri := m.selectedEntry().uri
	m.push(&disposeWindow{prompt.NewConfirm(m.theme), uri, m.nameOf(uri)})
}

func (o *disposeWindow) context() keymap.Context { return keymap.Overlay }

func (o *disposeWindow) update(m *Model, msg tea.Msg) tea.Cmd {
	switch o.view.Update(msg) {
	case prompt.Submit:
		m.remove(o)
		if why := m.offline(); !why.Empty() {
			m.tell(status.Problem, why.String())
			return nil
		}
		return m.dispose(o.session, o.name, false)
	case prompt.Cancel:
		m.remove(o)
	case prompt.Nothing, prompt.Help:
	}
	return nil
}

func (o *disposeWindow) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(prompt.ConfirmInput{
		Title: safetext.Const("Dispose of this session?"), Text: m.lost(o.session, o.name), Yes: safetext.Const("delete it"), No: safetext.Const("keep it"),
	}), nil)
}

// lost says what goes with a session.
func (m *Model) lost(uri protocol.URI, name string) []safetext.Text {
	what := "its chats"
	e := m.catalogue.entries[uri]
	if e != nil && e.row.Chats == 1 {
		what = "its chat"
	} else if e != nil && e.row.Chats > 1 {
		what = fmt.Sprintf("its %d chats", e.row.Chats)
	}
	text := []safetext.Text{
		own(name + " is deleted with " + what + ", all that was said there and its MCP servers, for everybody. This cannot be undone."),
	}
	if e != nil && e.row.Status.Busy() {
		text = append(text, safetext.Const("A turn is running in it. It ends at once."))
	}
	if m.hasDraft(uri) {
		text = append(text, safetext.Const("What you wrote to it and did not send is kept, and offered elsewhere."))
	}
	if e != nil && e.row.Archived {
		return text
	}
	return append(text, own(m.keyName(keymap.SessionArchive).String()+" archives it instead: it is only out of sight then."))
}

// hasDraft reports whether something is written to a session and not sent.
func (m *Model) hasDraft(uri protocol.URI) bool {
	if uri == m.current.session && !m.unsent().empty() {
		return true
	}
	for place := range m.drafts.kept {
		if place == uri || m.drafts.sessions[place] == uri {
			return true
		}
	}
	return false
}

// dispose asks the host to end a session; again, after a sign-in that it wanted.
func (m *Model) dispose(session protocol.URI, name string, again bool) tea.Cmd {
	m.disposing.ending = with(m.disposing.ending, session, true)
	m.disposing.refused = with(m.disposing.refused, session, safetext.Text{})
	host := m.conn.Host
	retry := func() tea.Cmd { return m.dispose(session, name, true) }
	if again {
		retry = nil
	}
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, createPatience)
		defer cancel()
		return disposedMsg{session, name, host.DisposeSession(ctx, session), retry}
	})
}

// disposed takes a session from the screen that is gone, and goes to the one beside it. What was written to it is offered
// elsewhere.
func (m *Model) disposed(msg disposedMsg) tea.Cmd {
	m.disposing.ending = with(m.disposing.ending, msg.session, false)
	if msg.err != nil {
		if msg.again != nil {
			if cmd, ok := m.beginErrand("dispose of "+msg.name, "disposeSession", msg.err, msg.again); ok {
				return cmd
			}
		}
		m.disposing.refused = with(m.disposing.refused, msg.session, own("not disposed of: "+msg.err.Error()))
		m.tell(status.Problem, msg.name+" was not disposed of: "+msg.err.Error())
		return nil
	}
	m.tell(status.Success, msg.name+" is disposed of")
	beside := m.beside(msg.session)
	m.loosenDrafts(msg.session)
	m.catchUp()
	if m.current.session == msg.session {
		m.current.gone = true
		m.show(beside)
	}
	return nil
}

// loosenDrafts offers elsewhere what was written to the chats of a session that goes.
func (m *Model) loosenDrafts(session protocol.URI) {
	for _, place := range slices.Sorted(maps.Keys(m.drafts.kept)) {
		if place == session || m.drafts.sessions[place] == session {
			m.loosen(place, written{})
		}
	}
}

// beside is the session below another in the list, or above the last one; "" if there is none.
func (m *Model) beside(uri protocol.URI) protocol.URI {
	list := m.catalogue.arranged.entries
	e := m.catalogue.entries[uri]
	switch {
	case e == nil || e.place < 0:
		return ""
	case e.place+1 < len(list):
		return list[e.place+1].uri
	case e.place > 0:
		return list[e.place-1].uri
	}
	return ""
}

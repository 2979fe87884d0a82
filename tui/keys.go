package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/status"
)

// press takes a key: to an overlay if there is one, else by what it is bound to
// in the place that has the keyboard, else into the composer.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if id, _ := m.keys.Match(msg, m.place()); id == keymap.AppInterrupt {
		return m.bye()
	}
	if o := m.top(); o != nil {
		return o.update(m, msg)
	}
	id, bound := m.keys.Match(msg, m.focus)
	if id != keymap.BlockNext && id != keymap.BlockNewest {
		m.goal = nil // the person goes elsewhere
	}
	m.onward = answers(id)
	if id != keymap.TurnEscape && id != keymap.SearchEnd && id != keymap.SessionFilterEnd {
		m.writing.escaped = time.Time{}
	}
	if cmd, ok := m.chooseBy(id); ok {
		return cmd
	}
	if !bound {
		switch m.focus {
		case keymap.Composer:
			return m.typeKey(msg)
		case keymap.TerminalInput:
			m.typeInTerminal(msg)
			return nil
		}
		m.sayWhere(msg)
		return nil
	}
	m.notices.dropHints()
	if why := m.disabled(id); !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return nil
	}
	return m.commands[id].do(m, msg)
}

// sayWhere tells in which panel a key works that does nothing in this one.
func (m *Model) sayWhere(msg tea.KeyPressMsg) {
	for _, p := range []struct {
		place keymap.Context
		name  string
	}{
		{keymap.Transcript, "the chat"},
		{keymap.Servers, "the list of MCP servers"},
		{keymap.Sessions, "the list of sessions"},
		{keymap.Changes, "the changes"},
		{keymap.Terminals, "the terminals"},
	} {
		if id, ok := m.keys.Match(msg, p.place); ok {
			m.notices.dropHints()
			m.notices.hint(m.clock.now, own("“"+m.keys.Binding(id).Short+"” works in "+p.name+": "+m.keyName(m.wayTo(p.place)).String()+" goes there"))
			return
		}
	}
}

// wayTo is the key that goes to a panel.
func (m *Model) wayTo(place keymap.Context) keymap.ID {
	switch {
	case m.neighbour(true) == place:
		return keymap.PanelNext
	case m.neighbour(false) == place:
		return keymap.PanelPrevious
	case place == keymap.Changes:
		return keymap.ChangesShow
	case place == keymap.Terminals:
		return keymap.TerminalsShow
	}
	return keymap.PanelBack // the chat is behind what is shown
}

// answers reports whether a key is one that lets something go on that waits.
func answers(id keymap.ID) bool {
	switch id {
	case keymap.AccessGrant, keymap.CallApprove, keymap.CallDeny, keymap.CallOption:
		return true
	}
	return false
}

// place is what has the keyboard.
func (m *Model) place() keymap.Context {
	if o := m.top(); o != nil {
		return o.context()
	}
	return m.focus
}

// paste goes where text is typed, and never anywhere else: pasted letters are
// no commands.
func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	if o := m.top(); o != nil {
		return o.update(m, msg)
	}
	if m.focus == keymap.TerminalInput {
		m.pasteToTerminal(msg.Content)
		return nil
	}
	if m.focus != keymap.Composer {
		m.tell(status.Info, "pasted text goes into the composer: press "+m.keyName(keymap.ComposerFocus).String()+" first")
		return nil
	}
	return m.pasteInto(msg)
}

// goBeside gives the keys to the next panel or to the one before.
func (m *Model) goBeside(next bool) {
	m.guard.moved = true
	m.settle()
	m.setFocus(m.neighbour(next))
}

// write gives the keys to the composer.
func (m *Model) write() {
	m.settle()
	m.setFocus(keymap.Composer)
}

// stopWriting gives the keys back to the panel that they were taken from.
func (m *Model) stopWriting() {
	m.guard.moved = true
	m.setFocus(m.back)
	m.openChat()
	m.escape()
}

// neighbour is the panel beside the one that has the keys.
func (m *Model) neighbour(next bool) keymap.Context {
	order := []keymap.Context{keymap.Sessions, m.middle.shown, keymap.Servers}
	by := len(order) - 1
	if next {
		by = 1
	}
	for i, p := range order {
		if p == m.focus {
			return order[(i+by)%len(order)]
		}
	}
	return keymap.Sessions
}

// setFocus gives the keys to a panel or to the composer, which remembers where
// they come from.
func (m *Model) setFocus(c keymap.Context) {
	m.middle.focused(c)
	if c != keymap.Composer {
		m.focus = c
		m.stopCompleting()
		m.composer.Blur()
		return
	}
	if m.focus != keymap.Composer {
		m.back = m.focus
	}
	m.focus = c
	m.composer.Focus()
	m.offerLoose()
}

// mover is what everything has that can be moved in.
type mover interface {
	Up()
	Down()
	HalfUp()
	HalfDown()
	PageUp()
	PageDown()
	Home()
	End()
}

// move moves in the panel that has the focus; from the composer, in the chat.
func (m *Model) move(id keymap.ID) tea.Cmd {
	switch m.focus {
	case keymap.Sessions:
		moveIn(m.sessions, id)
		return m.preview()
	case keymap.Servers:
		moveIn(m.servers, id)
	default:
		if m.middle.shown == keymap.Transcript {
			m.tryOlderAgain()
		}
		moveIn(m.inMiddle(), id)
	}
	return nil
}

func moveIn(panel mover, id keymap.ID) {
	switch id {
	case keymap.MoveUp:
		panel.Up()
	case keymap.MoveDown:
		panel.Down()
	case keymap.HalfUp:
		panel.HalfUp()
	case keymap.HalfDown:
		panel.HalfDown()
	case keymap.PageUp:
		panel.PageUp()
	case keymap.PageDown:
		panel.PageDown()
	case keymap.MoveTop:
		panel.Home()
	case keymap.MoveBottom:
		panel.End()
	}
}

// detail unfolds what is selected, answers it where it is questions, or starts
// writing where nothing is selected.
func (m *Model) detail() {
	if openRequest(m.transcript.Selected()) && m.whyNoRequest().Empty() {
		m.answerRequest()
		return
	}
	if !m.transcript.Selected().Kind.Folds() {
		m.setFocus(keymap.Composer)
		return
	}
	m.transcript.Toggle()
	m.fetches.again()
}

func (m *Model) offline() safetext.Text {
	if m.stale() {
		return safetext.Const("not connected to the host: nothing can be asked of it")
	}
	return safetext.Text{}
}

// refresh takes everything on the screen anew, or tries to connect at once.
func (m *Model) refresh() {
	switch m.view.Connection.Phase {
	case ahpclient.Connected:
		m.askAnew()
	case ahpclient.Failed, ahpclient.Closed:
		if m.conn.Retry == nil {
			m.notices.add(m.clock.now, status.Warning, m.whyOffline())
			return
		}
		m.conn.Retry()
		m.tell(status.Info, "trying again to connect")
	default:
		m.conn.Host.Reconnect()
		m.tell(status.Info, "connecting…")
	}
}

func (m *Model) askAnew() {
	channels := map[protocol.URI]protocol.ChannelKind{
		protocol.RootChannel: protocol.RootKind, m.current.session: protocol.SessionKind, m.current.chat: protocol.ChatKind,
	}
	for uri, kind := range channels {
		switch {
		case uri == "":
		case m.view.Channels[uri] == nil: // it was gone; the host may have it again
			m.open(uri, kind)
		default:
			m.conn.Host.Refresh(uri)
		}
	}
	for uri := range m.middle.open {
		m.conn.Host.Refresh(uri)
	}
	m.middle.changes.diff.retry()
	m.tell(status.Info, "asked the host for everything anew")
}

func (m *Model) keyName(id keymap.ID) safetext.Text {
	return own(m.keys.Binding(id).Label(m.opts.ASCII))
}

package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/status"
	"ahptui/views/transcript"
)

// press takes a key: to an overlay if there is one, else by what it is bound to
// in the place that has the keyboard, else into the composer.
func (m *Model) press(msg tea.KeyPressMsg) tea.Cmd {
	if id, _ := m.keys.Match(msg, m.place()); id == keymap.AppInterrupt {
		return m.bye()
	}
	if m.overlay != nil {
		return m.overlay.update(m, msg)
	}
	id, bound := m.keys.Match(msg, m.focus)
	if !bound {
		if m.focus == keymap.Composer {
			m.composer.Update(msg)
		}
		return nil
	}
	if why := m.disabled(id); !why.Empty() {
		m.notices.add(m.now, status.Warning, why)
		return nil
	}
	return m.do(id, msg)
}

// place is what has the keyboard.
func (m *Model) place() keymap.Context {
	if m.overlay != nil {
		return keymap.Overlay
	}
	return m.focus
}

// paste goes where text is typed, and never anywhere else: pasted letters are
// no commands.
func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case m.overlay != nil:
		return m.overlay.update(m, msg)
	case m.focus == keymap.Composer:
		m.composer.Update(msg)
	default:
		m.tell(status.Info, "pasted text goes into the composer: press "+m.keyName(keymap.ComposerFocus).String()+" first")
	}
	return nil
}

// do does what a key stands for.
func (m *Model) do(id keymap.ID, msg tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.AppQuit:
		return m.bye()
	case keymap.AppHelp:
		m.overlay = newHelp(m.theme)
	case keymap.HostRefresh:
		m.refresh()
	case keymap.BlockNext:
		m.nextBlocked()
	case keymap.BlockNewest:
		m.newestBlocked()
	case keymap.PanelNext:
		m.setFocus(nextPanel(m.focus))
	case keymap.PanelPrevious:
		m.setFocus(nextPanel(nextPanel(m.focus)))
	case keymap.SessionNew:
		m.overlay = newSessionForm(m)
	case keymap.SessionOpen:
		m.setFocus(keymap.Composer)
	case keymap.ComposerFocus:
		m.setFocus(keymap.Composer)
	case keymap.ComposerLeave:
		m.setFocus(keymap.Transcript)
	case keymap.ComposerNewline:
		m.composer.Newline()
	case keymap.ComposerSend:
		m.send()
	case keymap.TurnCancel:
		m.cancel()
	case keymap.DetailToggle:
		m.detail()
	case keymap.CallApprove, keymap.CallDeny:
		m.answer(id == keymap.CallApprove)
	case keymap.CallOption:
		m.choose(m.keys.Index(msg, id))
	case keymap.ServerStart, keymap.ServerStop, keymap.ServerRestart, keymap.ServerToggle:
		m.actOnServer(id)
	case keymap.ServerDetail:
		m.overlay = newServerDetail(m)
	default:
		m.move(id)
	}
	return nil
}

func nextPanel(c keymap.Context) keymap.Context {
	switch c {
	case keymap.Sessions:
		return keymap.Transcript
	case keymap.Transcript:
		return keymap.Servers
	}
	return keymap.Sessions
}

func (m *Model) setFocus(c keymap.Context) {
	m.focus = c
	if c == keymap.Composer {
		m.composer.Focus()
	} else {
		m.composer.Blur()
	}
}

// mover is what the panels have in common.
type mover interface {
	Up()
	Down()
	PageUp()
	PageDown()
	Home()
	End()
}

// move moves in the panel that has the focus; from the composer, in the chat.
func (m *Model) move(id keymap.ID) {
	var panel mover = m.transcript
	switch m.focus {
	case keymap.Sessions:
		panel = m.sessions
	case keymap.Servers:
		panel = m.servers
	}
	moveIn(panel, id)
	if m.focus == keymap.Sessions {
		m.show(m.sessions.Selected())
	}
}

func moveIn(panel mover, id keymap.ID) {
	switch id {
	case keymap.MoveUp:
		panel.Up()
	case keymap.MoveDown:
		panel.Down()
	case keymap.PageUp, keymap.HalfUp:
		panel.PageUp()
	case keymap.PageDown, keymap.HalfDown:
		panel.PageDown()
	case keymap.MoveTop:
		panel.Home()
	case keymap.MoveBottom:
		panel.End()
	}
}

// disabled says why a key cannot work now, or "".
func (m *Model) disabled(id keymap.ID) safetext.Text {
	switch id {
	case keymap.BlockNext, keymap.BlockNewest:
		if len(m.blocks()) == 0 {
			return safetext.Const("nothing waits for you")
		}
	case keymap.SessionNew:
		return m.offline()
	case keymap.TurnCancel:
		if chat := m.chat(); chat == nil || chat.ActiveTurn == nil {
			return safetext.Const("no turn is running in this chat")
		}
		return m.offline()
	case keymap.CallApprove, keymap.CallDeny, keymap.CallOption:
		return m.whyNoAnswer(id)
	case keymap.ServerStart, keymap.ServerStop, keymap.ServerRestart, keymap.ServerToggle, keymap.ServerDetail:
		return m.whyNoServerAction(id)
	}
	return safetext.Text{}
}

func (m *Model) offline() safetext.Text {
	if m.stale() {
		return safetext.Const("not connected to the host: nothing can be asked of it")
	}
	return safetext.Text{}
}

func (m *Model) whyNoAnswer(id keymap.ID) safetext.Text {
	sel := m.transcript.Selected()
	if sel.Kind != transcript.ToolCall || !sel.Active {
		return safetext.Const("select a tool call that waits for you first")
	}
	switch sel.Call.Status {
	case protocol.ToolPendingConfirmation:
	case protocol.ToolPendingResultConfirmation:
		if id == keymap.CallOption {
			return safetext.Const("a result is accepted or refused, there are no other options")
		}
	default:
		return safetext.Const("this tool call does not wait for an answer")
	}
	hasOptions := len(sel.Call.Options) > 0
	switch {
	case m.callPending(sel.ID):
		return safetext.Const("the answer was sent; the host has not confirmed it yet")
	case id == keymap.CallOption && !hasOptions:
		return safetext.Const("the host offers no options here: approve or deny")
	}
	return m.offline()
}

func (m *Model) whyNoServerAction(id keymap.ID) safetext.Text {
	srv, ok := m.selectedServer()
	if !ok {
		return safetext.Const("select an MCP server first")
	}
	if id == keymap.ServerDetail {
		return safetext.Text{}
	}
	return m.whyNotOn(srv, id)
}

// whyNotOn says why a key cannot work on a server now, or "".
func (m *Model) whyNotOn(srv protocol.Server, id keymap.ID) safetext.Text {
	if why := m.offline(); !why.Empty() {
		return why
	}
	version := m.view.Connection.Version
	switch id {
	case keymap.ServerToggle:
		if !protocol.CanToggle(version, srv) {
			return own("protocol " + version.String() + " cannot switch a single server")
		}
	case keymap.ServerStop:
		if srv.StateKind() == protocol.McpStopped {
			return own(srv.Name + " is stopped already")
		}
		return m.whyNoStartStop(version)
	case keymap.ServerStart:
		if srv.StateKind() == protocol.McpReady {
			return own(srv.Name + " is running; " + m.keyName(keymap.ServerRestart).String() + " restarts it")
		}
		fallthrough
	case keymap.ServerRestart:
		if !srv.Effective() {
			return own(srv.Name + " is switched off; " + m.keyName(keymap.ServerToggle).String() + " switches it on")
		}
		return m.whyNoStartStop(version)
	}
	return safetext.Text{}
}

func (m *Model) whyNoStartStop(v protocol.Version) safetext.Text {
	if !protocol.ClientMay(v, (&protocol.SessionMcpServerStartRequested{}).ActionType()) {
		return own("protocol " + v.String() + " cannot start or stop servers")
	}
	return safetext.Text{}
}

// refresh takes everything on the screen anew, or tries to connect at once.
func (m *Model) refresh() {
	if m.view.Connection.Phase != ahpclient.Connected {
		m.conn.Host.Reconnect()
		m.tell(status.Info, "connecting…")
		return
	}
	for _, uri := range []protocol.URI{protocol.RootChannel, m.current.session, m.current.chat} {
		if uri != "" {
			m.conn.Host.Refresh(uri)
		}
	}
	m.tell(status.Info, "asked the host for everything anew")
}

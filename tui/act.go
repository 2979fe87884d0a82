package tui

import (
	"time"

	"github.com/google/uuid"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/servers"
	"ahptui/views/transcript"
)

// selectedServer is the server that is selected in the panel.
func (m *Model) selectedServer() (protocol.Server, bool) {
	ref, ok := m.servers.Selected()
	state := m.session()
	if !ok || state == nil {
		return protocol.Server{}, false
	}
	for _, s := range protocol.Servers(state) {
		if refTo(s) == ref {
			return s, true
		}
	}
	return protocol.Server{}, false
}

func refTo(s protocol.Server) servers.Ref {
	ref := servers.Ref{ID: s.ID}
	if s.Container != nil {
		ref.Container = s.Container.ID
	}
	return ref
}

func (m *Model) refOf(id string) servers.Ref {
	if state := m.session(); state != nil {
		if s, ok := protocol.ServerByID(state, id); ok {
			return refTo(s)
		}
	}
	return servers.Ref{ID: id}
}

// actOnServer starts, stops, restarts or switches the selected server.
func (m *Model) actOnServer(id keymap.ID) {
	srv, _ := m.selectedServer()
	var a protocol.Action
	var what string
	switch id {
	case keymap.ServerStart:
		a, what = &protocol.SessionMcpServerStartRequested{ID: srv.ID}, "start "
	case keymap.ServerRestart: // a start of what runs is a restart
		a, what = &protocol.SessionMcpServerStartRequested{ID: srv.ID}, "restart "
	case keymap.ServerStop:
		a, what = &protocol.SessionMcpServerStopRequested{ID: srv.ID}, "stop "
	case keymap.ServerToggle:
		on := !srv.On()
		what = "disable "
		if on {
			what = "enable "
		}
		a = protocol.Toggle(m.version(), srv.Customization, on)
	}
	m.dispatch(m.current.session, a, asked{what: what + srv.Name, target: srv.ID})
}

// version is the one whose forms are sent.
func (m *Model) version() protocol.Version { return m.view.Connection.Version.Sent() }

// answer approves or denies the selected tool call, or its result. Where the
// host gives options of its own, the only one of that kind is chosen.
func (m *Model) answer(approve bool) {
	sel := m.transcript.Selected()
	about := asked{what: verdict(approve) + " " + sel.Call.DisplayName, target: sel.ID}
	if sel.Call.Status == protocol.ToolPendingResultConfirmation {
		m.dispatch(m.current.chat, &protocol.ChatToolCallResultConfirmed{TurnID: sel.TurnID, ToolCallID: sel.ID, Approved: approve}, about)
		return
	}
	if len(sel.Call.Options) > 0 {
		m.answerByOption(sel, approve, about)
		return
	}
	a := protocol.Deny(sel.TurnID, sel.Call)
	if approve {
		a = protocol.Approve(sel.TurnID, sel.Call)
	}
	m.dispatch(m.current.chat, a, about)
}

func verdict(approve bool) string {
	if approve {
		return "approve"
	}
	return "deny"
}

func (m *Model) answerByOption(sel transcript.Selection, approve bool, about asked) {
	var match []*protocol.ConfirmationOption
	for _, o := range sel.Call.Options {
		if o.Approves() == approve {
			match = append(match, o)
		}
	}
	if len(match) != 1 {
		m.notices.add(m.now, warning, safetext.Const("the host offers its own answers: choose one by its number"))
		return
	}
	m.dispatch(m.current.chat, protocol.Choose(sel.TurnID, sel.Call, match[0]), about)
}

// choose answers with one of the host's own options.
func (m *Model) choose(i int) {
	sel := m.transcript.Selected()
	if i < 0 || i >= len(sel.Call.Options) {
		m.notices.add(m.now, warning, safetext.Const("there is no option of that number"))
		return
	}
	option := sel.Call.Options[i]
	m.dispatch(m.current.chat, protocol.Choose(sel.TurnID, sel.Call, option), asked{what: "answer " + option.Label, target: sel.ID})
}

// detail unfolds what is selected, or starts writing where nothing is.
func (m *Model) detail() {
	if m.transcript.Selected().Kind == transcript.None {
		m.setFocus(keymap.Composer)
		return
	}
	m.transcript.Toggle()
}

// cancel cancels the turn that is running.
func (m *Model) cancel() {
	turn := m.chat().ActiveTurn
	began, ok := m.began[turn.ID]
	if !ok {
		began = m.now
	}
	m.dispatch(m.current.chat, protocol.CancelTurn(m.version(), turn.ID, m.now.Sub(began)), asked{what: "cancel the turn"})
}

// send sends what is typed: as a turn, or into the queue while one is running.
// It stays in the composer if nothing could be sent.
func (m *Model) send() {
	text := m.composer.Value()
	if why := m.whyNotSend(); !why.Empty() {
		m.notices.add(m.now, warning, why)
		return
	}
	if isBlank(text) {
		m.notices.add(m.now, warning, safetext.Const("there is nothing to send yet"))
		return
	}
	var a protocol.Action = protocol.StartTurn(m.version(), uuid.NewString(), text, time.Now())
	if chat := m.chat(); chat != nil && chat.ActiveTurn != nil {
		a = &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: uuid.NewString(), Message: protocol.UserMessage(text)}
	}
	if m.dispatch(m.current.chat, a, asked{what: "send the message", draft: text}) {
		m.composer.SetValue("")
		m.drafts[m.current.chat] = ""
		m.transcript.End()
	}
}

func isBlank(s string) bool {
	for _, r := range s {
		if r != ' ' && r != '\n' && r != '\t' {
			return false
		}
	}
	return true
}

// whyNotSend says why nothing can be sent, or "".
func (m *Model) whyNotSend() safetext.Text {
	if m.stale() {
		return safetext.Const("not connected: what you type stays")
	}
	state := m.session()
	switch {
	case state == nil:
		return m.whyNoSession()
	case state.Lifecycle.Failed():
		return safetext.Const("this session could not be created")
	case m.current.chat == "":
		return safetext.Const("the session has no chat yet")
	case m.chat() == nil:
		return safetext.Const("the chat is not open yet")
	}
	for _, c := range state.Chats {
		if c.Resource == m.current.chat && c.Interactivity == protocol.InteractivityReadOnly {
			return safetext.Const("this chat is read-only")
		}
	}
	return safetext.Text{}
}

func (m *Model) composerInput() composer.Input {
	in := composer.Input{Disabled: m.whyNotSend(), Placeholder: safetext.Const("write a message")}
	if chat := m.chat(); chat != nil && chat.ActiveTurn != nil {
		in.Placeholder = safetext.Const("a turn is running: what you send is queued")
	}
	if m.focus != keymap.Composer {
		in.Placeholder = own(m.keyName(keymap.ComposerFocus).String() + " writes a message")
	}
	return in
}

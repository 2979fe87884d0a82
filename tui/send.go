package tui

import (
	"github.com/google/uuid"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/transcript"
)

// send sends what is typed: as a turn, or into the queue while one is running.
// It stays in the composer if nothing could be sent.
func (m *Model) send() {
	text := m.composer.Value()
	if why := m.whyNotSend(); !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return
	}
	if blank(text) {
		m.notices.hint(m.clock.now, safetext.Const("there is nothing to send yet"))
		return
	}
	id := uuid.NewString()
	var a protocol.Action = protocol.StartTurn(m.version(), id, text, m.clock.now)
	if m.chat().ActiveTurn != nil {
		a = &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: id, Message: protocol.UserMessage(text)}
	}
	m.composer.SetValue("") // before a refusal could give it back
	if !m.dispatch(m.current.chat, a, asked{what: "send the message", id: id, text: text}) {
		m.composer.SetValue(text)
		return
	}
	m.transcript.End()
}

// whyNotSend says why nothing can be sent, or "".
func (m *Model) whyNotSend() safetext.Text {
	state := m.session()
	switch {
	case m.current.gone:
		return safetext.Const("this session is gone: what you typed is kept")
	case m.current.chatGone:
		return safetext.Const("this chat is gone: what you typed is kept")
	case m.stale():
		return safetext.Const("not connected: what you type stays")
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

// cancel cancels the turn that is running, or gives up what is selected if that
// is a call that waits for access, or questions.
func (m *Model) cancel() {
	if m.atRequest() {
		m.respond(protocol.ResponseCancel, "cancel")
		return
	}
	turn := m.chat().ActiveTurn
	if sel := m.transcript.Selected(); m.waitsForAccess(sel) {
		m.onward = m.dispatch(m.current.chat, protocol.CancelCall(sel.TurnID, sel.Call), asked{what: "cancel " + sel.Call.DisplayName, about: sel.ID, was: string(sel.Call.Status)})
		return
	}
	took := m.clock.now.Sub(m.times.turn(turn.ID, m.clock.now))
	m.dispatch(m.current.chat, protocol.CancelTurn(m.version(), turn.ID, took), asked{what: "cancel the turn"})
}

// waitsForAccess reports whether the selected item is a call that waits for a
// sign-in.
func (m *Model) waitsForAccess(sel transcript.Selection) bool {
	return m.focus == keymap.Transcript && sel.Kind == transcript.ToolCall && sel.Active && sel.Call.Status == protocol.ToolAuthRequired
}

// atRequest reports whether the keys are at questions that can be answered, or
// were a moment ago.
func (m *Model) atRequest() bool {
	sel := m.transcript.Selected()
	return m.focus == keymap.Transcript && (openRequest(sel) || sel.Kind == transcript.Request && m.isPending(target{m.current.chat, sel.ID}))
}

// whyNoCancel says why there is nothing to cancel, or "".
func (m *Model) whyNoCancel() safetext.Text {
	if m.atRequest() {
		return m.whyNoAnswer(keymap.TurnCancel)
	}
	if chat := m.chat(); chat == nil || chat.ActiveTurn == nil {
		return safetext.Const("no turn is running in this chat")
	}
	return m.offline()
}

package tui

import (
	"github.com/google/uuid"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/transcript"
)

// send sends what is written: as a turn, or into the queue while one is running.
func (m *Model) send() {
	m.post(m.whyNotSend(), func(id string, msg *protocol.Message) protocol.Action {
		if m.chat().ActiveTurn != nil {
			return protocol.QueueMessage(m.version(), id, msg)
		}
		return protocol.SendMessage(m.version(), id, msg, m.clock.now)
	})
}

// steer sends what is written into the turn that is running.
func (m *Model) steer() {
	m.post(m.whyNotSteer(), func(id string, msg *protocol.Message) protocol.Action {
		return protocol.SteerTurn(m.version(), id, msg)
	})
}

// post sends what is written. It stays in the composer if nothing could be sent.
func (m *Model) post(why safetext.Text, action func(id string, msg *protocol.Message) protocol.Action) {
	w := m.written()
	switch {
	case !why.Empty():
	case w.empty():
		why = safetext.Const("there is nothing to send yet")
	case blank(w.text):
		why = safetext.Const("write something to go with what is attached")
	}
	if !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return
	}
	m.stopCompleting()
	id, chat, before := uuid.NewString(), m.current.chat, m.writing.past
	a := action(id, m.withModel(w.message()))
	m.writing.past = past{}
	m.setWritten(written{}) // before a refusal could give it back
	if !m.dispatch(chat, a, asked{what: "send the message", id: id, message: w}) {
		m.setWritten(w)
		m.writing.past = before
		return
	}
	m.recordSent(chat, w)
	if chat == m.current.chat {
		m.fill(before.written)
	} else {
		m.drafts.keep(chat, joined(before.written, m.drafts.kept[chat]))
	}
	if m.unsent().empty() {
		m.shareDraft() // else the others see as a draft what was sent
	}
	m.transcript.End()
}

// withModel is a message for the model that was chosen when the session was made, unless it says another.
func (m *Model) withModel(msg *protocol.Message) *protocol.Message {
	if id := m.models[m.current.session]; id != "" && msg.Model == nil {
		msg.Model = &protocol.ModelSelection{ID: id}
	}
	return msg
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

// whyNotSteer says why nothing can be sent into a turn, or "".
func (m *Model) whyNotSteer() safetext.Text {
	if why := m.whyNotSend(); !why.Empty() {
		return why
	}
	switch chat := m.chat(); {
	case chat.ActiveTurn == nil:
		return own("no turn is running: " + m.keyName(keymap.ComposerSend).String() + " sends the message")
	case !protocol.ClientMay(m.version(), (*protocol.ChatPendingMessageSet)(nil).ActionType()):
		return own("the host's version of the protocol has no steering messages: " + m.keyName(keymap.ComposerSend).String() + " queues the message")
	case chat.SteeringMessage != nil:
		return own("a steering message waits already, and there is one at a time: " + m.keyName(keymap.QueueTake).String() + " takes it back")
	}
	return safetext.Text{}
}

func (m *Model) composerInput() composer.Input {
	in := composer.Input{Disabled: m.whyNotSend(), Placeholder: safetext.Const("write a message"), Chips: m.chips()}
	if chat := m.chat(); chat != nil && chat.ActiveTurn != nil {
		in.Placeholder = safetext.Const("a turn is running: what you send is queued")
	}
	switch m.focus {
	case keymap.Composer:
	case keymap.TerminalInput:
		in.Placeholder = own(m.keyName(keymap.TerminalLeave).String() + " leaves the terminal")
	case keymap.Terminals:
		in.Placeholder = own(m.keyName(keymap.PanelBack).String() + " goes back to the chat")
	default:
		in.Placeholder = own(m.keyName(keymap.ComposerFocus).String() + " writes a message")
	}
	return in
}

// cancel cancels the turn that is running, or gives up what is selected if that
// is a call that waits for access, or questions, or removes it if it is a message
// that waits for its turn.
func (m *Model) cancel() {
	if m.atRequest() {
		m.respond(protocol.ResponseCancel, "cancel")
		return
	}
	if sel, ok := m.waiting(); ok {
		m.unqueue(sel)
		return
	}
	if sel := m.transcript.Selected(); m.waitsForAccess(sel) {
		m.onward = m.dispatch(m.current.chat, protocol.CancelCall(sel.TurnID, sel.Call), asked{what: "cancel " + sel.Call.DisplayName, about: sel.ID, was: string(sel.Call.Status)})
		return
	}
	m.cancelTurn()
}

// cancelTurn cancels the turn that is running.
func (m *Model) cancelTurn() {
	turn := m.chat().ActiveTurn
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
	if _, ok := m.waiting(); ok {
		return m.whyNoWaiting()
	}
	return m.whyNoTurn()
}

// whyNoTurn says why there is no turn to cancel, or "".
func (m *Model) whyNoTurn() safetext.Text {
	if chat := m.chat(); chat == nil || chat.ActiveTurn == nil {
		return safetext.Const("no turn is running in this chat")
	}
	return m.offline()
}

package tui

import (
	"bytes"
	"time"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/transcript"
)

const (
	// reading is how long a question has to be on the screen before a key
	// answers it, unless the person went to it: what is typed when it appears
	// was meant for something else.
	reading = 400 * time.Millisecond
	// drawing is how long it takes at most until what the person went to is on
	// the screen.
	drawing = 50 * time.Millisecond
)

// question is what waits for an answer, as it is on the screen: a tool call, or a
// request for input, or, where both are nil, nothing.
type question struct {
	chat    protocol.URI
	turn    string
	call    *protocol.ToolCall
	request *protocol.ChatInputRequest
}

func (q question) none() bool { return q.call == nil && q.request == nil }

// same reports whether two questions are one and ask the same. What somebody has
// answered so far makes no other question.
func (q question) same(other question) bool {
	if q.request != nil && other.request != nil {
		return q.chat == other.chat && q.turn == other.turn && sameQuestions(q.request, other.request)
	}
	if q.call == nil || other.call == nil {
		return q.call == other.call && q.request == other.request
	}
	if q.chat != other.chat || q.turn != other.turn || q.call.ToolCallID != other.call.ToolCallID || q.call.Status != other.call.Status {
		return false
	}
	if q.call == other.call {
		return true
	}
	a, errA := protocol.Marshal(q.call)
	b, errB := protocol.Marshal(other.call)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// guard keeps keys from answering what the person has not seen: a question that
// has only just come under the cursor, or into this form.
type guard struct {
	question question
	ready    time.Time // from when on it can be answered
	moved    bool      // the key that is being handled moves the selection
}

// watchQuestion notes what question is on the screen after an update.
func (m *Model) watchQuestion() {
	asked := m.question()
	if m.guard.question.same(asked) {
		m.guard.question = asked // its pointer may be newer
		return
	}
	wait := reading
	if m.guard.moved {
		wait = drawing
	}
	m.guard.question, m.guard.ready = asked, m.clock.now.Add(wait)
}

// question is what is selected, if it waits for an answer and can be seen.
func (m *Model) question() question {
	sel := m.transcript.Selected()
	if m.conn == nil || m.focus != keymap.Transcript || len(m.overlays) > 0 || !m.scene.size.legible() {
		return question{}
	}
	switch {
	case isQuestion(sel):
		return question{chat: m.current.chat, turn: sel.TurnID, call: sel.Call}
	case openRequest(sel):
		return question{chat: m.current.chat, turn: sel.TurnID, request: sel.Request}
	}
	return question{}
}

func isQuestion(sel transcript.Selection) bool {
	return sel.Kind == transcript.ToolCall && sel.Active &&
		(sel.Call.Status == protocol.ToolPendingConfirmation || sel.Call.Status == protocol.ToolPendingResultConfirmation)
}

// mayAnswer reports whether the question can be answered now. If not, the person
// is told, and keys that keep coming do not add up to an answer.
func (m *Model) mayAnswer() bool {
	now := m.question()
	ready := !now.none() && now.same(m.guard.question) && !m.clock.now.Before(m.guard.ready)
	if since, ok := m.view.Ages.Since(m.blockID(now)); ok && m.clock.now.Sub(since) < reading {
		ready = false
	}
	if ready {
		return true
	}
	m.guard.question, m.guard.ready = now, m.clock.now.Add(reading)
	m.notices.hint(m.clock.now, safetext.Const("this question has only just appeared or changed: read it, then answer"))
	return false
}

// blockID is the id of the block that a question is, "" if it is none.
func (m *Model) blockID(q question) string {
	for _, b := range m.view.BlockedIn(m.current.session) {
		switch {
		case b.Chat != q.chat:
		case q.call != nil && b.ToolCall != nil && b.TurnID == q.turn && b.ToolCall.ToolCallID == q.call.ToolCallID,
			q.request != nil && b.Input != nil && b.Input.ID == q.request.ID:
			return b.ID
		}
	}
	return ""
}

// answer approves or denies the selected tool call, or its result. Where the
// host gives options of its own, the only one of that kind is chosen. Questions
// can be declined.
func (m *Model) answer(approve bool) {
	if openRequest(m.transcript.Selected()) {
		m.respond(protocol.ResponseDecline, "decline")
		return
	}
	if !m.mayAnswer() {
		return
	}
	sel := m.transcript.Selected()
	verb := "deny "
	if approve {
		verb = "approve "
	}
	if sel.Call.Status == protocol.ToolPendingResultConfirmation {
		a := &protocol.ChatToolCallResultConfirmed{TurnID: sel.TurnID, ToolCallID: sel.ID, Approved: approve}
		m.reply(sel, a, verb+"the result of ")
		return
	}
	if len(sel.Call.Options) > 0 {
		m.answerByOption(sel, approve, verb)
		return
	}
	a := protocol.Deny(sel.TurnID, sel.Call)
	if approve {
		a = protocol.Approve(sel.TurnID, sel.Call)
	}
	m.reply(sel, a, verb)
}

func (m *Model) reply(sel transcript.Selection, a protocol.Action, verb string) {
	m.dispatch(m.current.chat, a, asked{what: verb + sel.Call.DisplayName, about: sel.ID, was: string(sel.Call.Status)})
}

func (m *Model) answerByOption(sel transcript.Selection, approve bool, verb string) {
	var match []*protocol.ConfirmationOption
	for _, o := range sel.Call.Options {
		if o.Approves() == approve {
			match = append(match, o)
		}
	}
	if len(match) != 1 {
		m.notices.hint(m.clock.now, safetext.Const("the host offers its own answers: choose one by its number"))
		return
	}
	m.reply(sel, protocol.Choose(sel.TurnID, sel.Call, match[0]), verb)
}

// choose answers with one of the host's own options.
func (m *Model) choose(i int) {
	sel := m.transcript.Selected()
	if i < 0 || i >= len(sel.Call.Options) {
		m.notices.hint(m.clock.now, safetext.Const("there is no option of that number"))
		return
	}
	if !m.mayAnswer() {
		return
	}
	option := sel.Call.Options[i]
	m.reply(sel, protocol.Choose(sel.TurnID, sel.Call, option), "answer “"+option.Label+"” to ")
}

// whyNoAnswer says why the selected item cannot be answered, or "".
func (m *Model) whyNoAnswer(id keymap.ID) safetext.Text {
	sel := m.transcript.Selected()
	switch {
	case sel.Kind == transcript.Request && (id == keymap.CallDeny || id == keymap.TurnCancel):
		if why := m.whyNoRequest(); !why.Empty() {
			return why
		}
		return m.offline()
	case sel.Kind == transcript.Request:
		return own("these are questions: " + m.keyName(keymap.RequestAnswer).String() + " answers them")
	case sel.Kind != transcript.ToolCall || !sel.Active:
		return safetext.Const("select a tool call that waits for you first")
	case sel.Call.Status == protocol.ToolAuthRequired:
		return own("this tool call waits for access, not for a yes; " + m.keyName(keymap.TurnCancel).String() + " gives it up")
	case m.isPending(target{m.current.chat, sel.ID}):
		return safetext.Const("the answer was sent; the host has not confirmed it yet")
	case !isQuestion(sel):
		return safetext.Const("this tool call does not wait for an answer")
	case id == keymap.CallOption && sel.Call.Status == protocol.ToolPendingResultConfirmation:
		return safetext.Const("a result is accepted or refused, there are no other options")
	case id == keymap.CallOption && len(sel.Call.Options) == 0:
		return safetext.Const("the host offers no options here: approve or deny")
	case !m.scene.size.legible():
		return safetext.Const("the window is too small to show what would be answered")
	}
	return m.offline()
}

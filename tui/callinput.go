package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
	"ahptui/views/toolcall"
)

// inputEditor is the window in which the input of a tool call is changed before it
// runs. What was written in it stays while the call waits, also without the
// window.
type inputEditor struct {
	of     target
	asked  question // as the person has read it
	view   *prompt.Editor
	before string // what stood there first
	notice safetext.Text
	alarm  bool
	over   safetext.Text // why nothing can be sent any more
	ready  time.Time     // from when on it can be sent
}

// editInput opens the window for the selected call, with what was written there
// before.
func (m *Model) editInput() {
	if !m.mayAnswer() {
		return
	}
	now := m.question()
	of := target{now.chat, now.call.ToolCallID}
	o := m.inputs[of]
	text := toolcall.Pretty(now.call.ToolInput.Text.String())
	switch {
	case o == nil:
		o = &inputEditor{of: of, asked: now, before: text, view: prompt.NewEditor(m.theme, m.keys, m.opts.ASCII, text)}
		m.inputs[of] = o
	case !o.edited():
		o.view.SetValue(text)
		o.before = text
	}
	o.notice, o.alarm = m.refusalOf(of, string(now.call.Status)).sentence(), true
	if o.edited() && !o.asked.same(now) {
		o.notice = safetext.Const("this was written for what was asked before; look at what is asked now")
	}
	o.asked, o.over, o.ready = now, safetext.Text{}, m.clock.now.Add(reading)
	m.push(o)
}

// edited reports whether the person has changed anything.
func (o *inputEditor) edited() bool { return o.view.Value() != o.before }

// whyNoEdit says why the input of the selected call cannot be changed, or "".
func (m *Model) whyNoEdit() safetext.Text {
	if why := m.whyNoAnswer(keymap.CallEdit); !why.Empty() {
		return why
	}
	call := m.transcript.Selected().Call
	switch {
	case call.Status == protocol.ToolPendingResultConfirmation:
		return safetext.Const("the call has run: its input cannot be changed any more")
	case call.ToolInput.Ref != nil:
		return safetext.Const("the input is kept elsewhere: it cannot be changed from here")
	case !call.MayEdit():
		return safetext.Const("the host does not let the input of this call be changed")
	case !prompt.Editable(call.ToolInput.Text.String()):
		return safetext.Const("the input is too long to be changed here")
	}
	return safetext.Text{}
}

func (o *inputEditor) context() keymap.Context { return keymap.Form }

func (o *inputEditor) update(m *Model, msg tea.Msg) tea.Cmd {
	if paste, ok := msg.(tea.PasteMsg); ok && len(paste.Content)+len(o.view.Value()) > prompt.MaxEdited {
		o.notice, o.alarm = safetext.Const("what was pasted is left out: it is too long"), true
		return nil
	}
	switch o.view.Update(msg) {
	case prompt.Submit:
		return m.approveInput(o)
	case prompt.Cancel:
		m.guard.moved = true
		m.remove(o)
		if o.over.Empty() && o.edited() {
			m.tell(status.Info, "what you wrote is kept: "+m.keyName(keymap.CallEdit).String()+" goes on with it")
		}
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Nothing:
	}
	return nil
}

func (o *inputEditor) draw(m *Model, screen string) (string, *tea.Cursor) {
	in := prompt.EditorInput{
		Title: safetext.Concat(safetext.Const("Input of "), clean(o.asked.call.DisplayName)), Send: "approve with this",
		Notice: o.notice, Alarming: o.alarm, Closed: !o.over.Empty(),
	}
	if title := clean(o.asked.call.ConfirmationTitle.String()); !title.Empty() {
		in.Text = append(in.Text, title)
	}
	if len(o.asked.call.Options) > 0 {
		in.Send = "choose an answer"
	}
	if in.Closed {
		in.Notice = o.over
	}
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(in), o.view.Cursor())
}

// openQuestion is the question as it is now; its call is nil when it does not wait any
// more.
func (m *Model) openQuestion(of target) question {
	chat := m.view.Chat(of.channel)
	if chat == nil || chat.ActiveTurn == nil || m.isPending(of) {
		return question{}
	}
	for _, part := range chat.ActiveTurn.ResponseParts {
		if c := part.ToolCall; c != nil && c.ToolCallID == of.id && c.Status == protocol.ToolPendingConfirmation {
			return question{chat: of.channel, turn: chat.ActiveTurn.ID, call: c}
		}
	}
	return question{}
}

// mayApprove reports whether what was asked is what the person has read. If not,
// they are told, and have to read it first.
func (m *Model) mayApprove(o *inputEditor) bool {
	now := m.openQuestion(o.of)
	o.alarm = true
	switch why := m.offline(); {
	case now.none():
		o.over = safetext.Const("the call does not wait any more: nothing was sent, and what you wrote stays until you close this")
		return false
	case !why.Empty():
		o.notice = why
		return false
	case !o.asked.same(now):
		o.notice = safetext.Concat(safetext.Const("what is asked has changed: "), toolcall.Summary(now.call), safetext.Const(". Read it, then send"))
		o.asked, o.ready = now, m.clock.now.Add(reading)
		return false
	case m.clock.now.Before(o.ready):
		o.ready = m.clock.now.Add(reading)
		o.notice = safetext.Const("this has only just appeared or changed: read it, then send")
		return false
	case !now.call.MayEdit():
		o.notice = safetext.Const("the host does not let the input of this call be changed any more")
		return false
	}
	o.asked = now
	return true
}

// approveInput lets the call run with what was written, with one of the host's own
// answers where it gives some.
func (m *Model) approveInput(o *inputEditor) tea.Cmd {
	if !m.mayApprove(o) {
		return nil
	}
	if _, err := o.asked.call.EditedInput(o.view.Value()); err != nil {
		o.notice = own("not sent: " + err.Error())
		return nil
	}
	options := slices.DeleteFunc(slices.Clone(o.asked.call.Options), func(c *protocol.ConfirmationOption) bool { return c == nil || !c.Approves() })
	switch {
	case len(o.asked.call.Options) == 0:
		m.sendInput(o, nil)
	case len(options) == 0:
		o.notice = safetext.Const("the host offers no answer that lets the call run")
	case len(options) == 1:
		m.sendInput(o, options[0])
	default:
		m.pickOption(o, options)
	}
	return nil
}

// pickOption asks with which of the host's answers the call runs.
func (m *Model) pickOption(o *inputEditor, options []*protocol.ConfirmationOption) {
	options = options[:min(len(options), 9)] // as many as there are digits
	m.pick(func() prompt.PickInput {
		in := prompt.PickInput{Title: safetext.Const("With which answer?"), No: safetext.Const("back to the input")}
		for _, option := range options {
			in.Options = append(in.Options, clean(option.Label))
		}
		return in
	}, func(i int) tea.Cmd {
		if m.mayApprove(o) {
			m.sendInput(o, options[i])
		}
		return nil
	})
}

// sendInput sends the approval. What was written is kept until the host has it.
func (m *Model) sendInput(o *inputEditor, option *protocol.ConfirmationOption) {
	call := o.asked.call
	input, err := call.EditedInput(o.view.Value())
	if err != nil {
		o.notice = own("not sent: " + err.Error())
		return
	}
	what := "approve " + call.DisplayName
	if input != "" {
		what += " with another input"
	}
	if !m.dispatch(o.of.channel, protocol.ApproveEdited(o.asked.turn, call, input, option), asked{what: what, about: o.of.id, was: string(call.Status)}) {
		o.notice = safetext.Const("nothing could be sent: what you wrote is kept")
		return
	}
	m.onward = true
	m.remove(o)
}

// followInputs forgets what was written for calls that do not wait any more.
func (m *Model) followInputs() {
	for of, o := range m.inputs {
		chat := m.view.Chat(of.channel)
		switch {
		case chat == nil || m.isPending(of) || !m.openQuestion(of).none():
		case slices.Contains(m.overlays, overlay(o)):
			if o.over.Empty() {
				o.over = safetext.Const("the call does not wait any more: what you wrote stays until you close this")
			}
		default:
			delete(m.inputs, of)
		}
	}
}

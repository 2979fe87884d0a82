package host

import (
	"context"

	"ahptui/protocol"
)

// A call is a tool call of a running turn, whoever runs the tool.
type call struct {
	*Turn
	id    string
	name  string // of the tool
	title string // of the tool, for people
	// next gets what clients do to the call.
	next chan protocol.Action
}

// maxDone is more than clients can do to a call: confirm it, complete it, and
// confirm the result.
const maxDone = 4

// What follows runs under the host's lock, except where it says otherwise.

// begin opens the call and streams its input.
func (c *call) begin(who *protocol.Contributor, why string, meta protocol.Raw, input string) {
	c.part = "" // what is written next is a new part
	c.next = make(chan protocol.Action, maxDone)
	c.run.awaited[c.id] = c.next
	c.apply(&protocol.ChatToolCallStart{
		TurnID: c.run.turnID, ToolCallID: c.id, ToolName: c.name, DisplayName: c.title,
		Intention: why, Contributor: who, Meta: meta,
	})
	for _, piece := range pieces(input) {
		c.apply(&protocol.ChatToolCallDelta{TurnID: c.run.turnID, ToolCallID: c.id, Content: protocol.NewText(piece)})
	}
}

// pieces cuts the input as a model would stream it.
func pieces(s string) []string {
	const size = 12 // runes
	var out []string
	for r := []rune(s); len(r) > 0; {
		n := min(size, len(r))
		out, r = append(out, string(r[:n])), r[n:]
	}
	return out
}

// state is the call as the chat has it; nil where the turn is over.
func (c *call) state() *protocol.ToolCall { return findCall(c.chat.state.ActiveTurn, c.id) }

// The options of a confirmation.
const (
	optionOnce    = "allow-once"
	optionSession = "allow-in-session"
	optionDeny    = "deny"
)

// ready completes the input. The call runs at once if confirmed says why; otherwise
// it waits for the answer to a question, which [call.wait] returns.
func (c *call) ready(input, confirmed, question string) {
	ready := &protocol.ChatToolCallReady{
		TurnID: c.run.turnID, ToolCallID: c.id, ToolInput: protocol.InputText(input),
		InvocationMessage: protocol.Plain("Running " + c.title), Confirmed: confirmed,
	}
	if confirmed == "" {
		group := 1.0
		ready.ConfirmationTitle = protocol.Plain(question)
		ready.Editable = new(true)
		ready.Options = []*protocol.ConfirmationOption{
			{ID: optionOnce, Label: "Allow once", Kind: "approve"},
			{ID: optionSession, Label: "Allow in this session", Kind: "approve"},
			{ID: optionDeny, Label: "Deny", Kind: "deny", Group: &group},
		}
	}
	c.apply(ready)
}

// approved is the input of a call that may run, which may have been edited. If the
// person said yes for the session, calls with this key are allowed from now on.
func (c *call) approved(key string) (input string) {
	state := c.state()
	if state == nil {
		return ""
	}
	if state.SelectedOption != nil && state.SelectedOption.ID == optionSession {
		c.chat.session.allowed[key] = true
	}
	return state.ToolInput.Text.String()
}

// deliver hands what a client did to a call, or to a request for input, to whoever
// waits for it.
func (c *chat) deliver(id string, a protocol.Action) {
	if c.run == nil || c.run.awaited[id] == nil {
		return
	}
	select {
	case c.run.awaited[id] <- a:
	default: // which nobody waits for: there is room for all that can be done
	}
}

// wait returns what a client does to the call next. It takes no lock.
func (c *call) wait(ctx context.Context) (protocol.Action, error) {
	select {
	case a := <-c.next:
		return a, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// finish completes the call. If the person is to see the result before the agent
// does, it waits for what they say, and reports whether the agent may have it. It
// takes the lock itself.
func (c *call) finish(ctx context.Context, result *protocol.ToolResult, confirm bool) (allowed bool, err error) {
	complete := &protocol.ChatToolCallComplete{TurnID: c.run.turnID, ToolCallID: c.id, Result: result}
	if confirm {
		complete.RequiresResultConfirmation = new(true)
	}
	err = c.do(func() { c.apply(complete) })
	if err != nil || !confirm {
		return err == nil, err
	}
	a, err := c.wait(ctx)
	said, ok := a.(*protocol.ChatToolCallResultConfirmed)
	return ok && said.Approved, err
}

// failedResult is the result of a call that came to nothing.
func (c *call) failedResult(why error) *protocol.ToolResult {
	return &protocol.ToolResult{
		PastTenseMessage: protocol.Plain("Could not run " + c.title),
		Error:            &protocol.ToolError{Message: why.Error(), Code: "call-failed"},
	}
}

// findCall finds a tool call of a turn.
func findCall(turn *protocol.Turn, id string) *protocol.ToolCall {
	if turn == nil {
		return nil
	}
	for _, p := range turn.ResponseParts {
		if p.Kind == protocol.PartToolCall && p.ToolCall != nil && p.ToolCall.ToolCallID == id {
			return p.ToolCall
		}
	}
	return nil
}

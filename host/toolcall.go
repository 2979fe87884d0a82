package host

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// callTimeout bounds one call of a tool.
const callTimeout = 10 * time.Minute

// newID makes an id for a turn, a part, a call.
func newID() string { return uuid.NewString() }

// Call is a tool call that an agent wants.
type Call struct {
	Server string         // the server's id, see [Server]
	Tool   string         // the tool's name
	Args   jsontext.Value // a JSON object
	Why    string         // what the agent intends; may be empty
	// Consented: the person has asked for this very call. Otherwise a tool that
	// may change something waits for a confirmation.
	Consented bool
}

// Outcome is what became of a [Call]. Result is nil unless the tool has answered.
type Outcome struct {
	Result *mcpserver.Result
	Denied bool  // the person said no
	Err    error // the call failed before the tool could answer
}

// Call runs a tool of an MCP server through the whole life of a tool call:
// streamed input, confirmation where it is due, run, result. It fails only with
// the turn; everything else is an outcome.
func (t *Turn) Call(ctx context.Context, c Call) (Outcome, error) {
	call := &toolCall{Turn: t, Call: c, id: newID()}
	approved, err := call.open(ctx)
	switch {
	case err != nil:
		return Outcome{}, err
	case !approved:
		return Outcome{Denied: true}, nil
	}
	return call.execute(ctx)
}

// toolCall is a call on its way.
type toolCall struct {
	*Turn
	Call
	id     string
	server *server
	tool   mcpserver.Tool // with a name alone where the server is not ready
	known  bool           // the tool is one that the server has
	shown  time.Time      // when progress was shown last
}

// open streams the input and gets the approval.
func (c *toolCall) open(ctx context.Context) (approved bool, err error) {
	err = c.do(func() {
		c.part = "" // what is written next is a new part
		c.lookUp()
		contributor := &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: c.Server}
		c.apply(&protocol.ChatToolCallStart{
			TurnID: c.run.turnID, ToolCallID: c.id, ToolName: c.Tool, DisplayName: c.displayName(),
			Intention: c.Why, Contributor: contributor,
		})
		for _, piece := range pieces(string(c.Args)) {
			c.apply(&protocol.ChatToolCallDelta{TurnID: c.run.turnID, ToolCallID: c.id, Content: protocol.NewText(piece)})
		}
	})
	if err != nil {
		return false, err
	}
	return c.confirm(ctx)
}

// lookUp finds the server and the tool. It runs under the host's lock.
func (c *toolCall) lookUp() {
	c.tool = mcpserver.Tool{Name: c.Tool, Destructive: true}
	c.server = c.chat.session.servers[c.Server]
	if c.server == nil {
		return
	}
	for _, tool := range c.server.Tools() {
		if tool.Name == c.Tool {
			c.tool, c.known = tool, true
		}
	}
}

func (c *toolCall) displayName() string {
	if c.tool.Title != "" {
		return c.tool.Title
	}
	return c.Tool
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

// The options of a confirmation.
const (
	optionOnce    = "allow-once"
	optionSession = "allow-in-session"
	optionDeny    = "deny"
)

// confirm makes the call ready: it runs at once, or when a person approves.
func (c *toolCall) confirm(ctx context.Context) (approved bool, err error) {
	var answer chan *protocol.ChatToolCallConfirmed
	err = c.do(func() {
		ready := &protocol.ChatToolCallReady{
			TurnID: c.run.turnID, ToolCallID: c.id, ToolInput: protocol.InputText(string(c.Args)),
			InvocationMessage: protocol.Plain("Running " + c.displayName()),
		}
		switch {
		case c.Consented, c.tool.ReadOnly, !c.known: // what cannot run need not be confirmed
			ready.Confirmed = "not-needed"
		case c.chat.session.allowed[c.allowKey()]:
			ready.Confirmed = "setting"
		default:
			answer = make(chan *protocol.ChatToolCallConfirmed, 1)
			c.run.answers[c.id] = answer
			c.askTo(ready)
		}
		c.apply(ready)
	})
	if err != nil || answer == nil {
		return err == nil, err
	}
	select {
	case a := <-answer:
		return a.Approved, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

func (c *toolCall) askTo(ready *protocol.ChatToolCallReady) {
	yes, group := true, 1.0
	ready.ConfirmationTitle = protocol.Plain("Run " + c.displayName() + " on " + c.server.Name() + "?")
	ready.Editable = &yes
	ready.Options = []*protocol.ConfirmationOption{
		{ID: optionOnce, Label: "Allow once", Kind: "approve"},
		{ID: optionSession, Label: "Allow in this session", Kind: "approve"},
		{ID: optionDeny, Label: "Deny", Kind: "deny", Group: &group},
	}
}

// allowKey is what "allow in this session" allows.
func (c *toolCall) allowKey() string { return c.Server + "\x00" + c.Tool }

// execute runs the tool and completes the call.
func (c *toolCall) execute(ctx context.Context) (Outcome, error) {
	input := c.Args
	err := c.do(func() {
		state := findCall(c.chat.state.ActiveTurn, c.id)
		if state == nil {
			return
		}
		input = jsontext.Value(state.ToolInput.Text.String()) // it may have been edited
		if state.SelectedOption != nil && state.SelectedOption.ID == optionSession {
			c.chat.session.allowed[c.allowKey()] = true
		}
	})
	if err != nil {
		return Outcome{}, err
	}
	out := c.callServer(ctx, input)
	if ctx.Err() != nil {
		return Outcome{}, context.Cause(ctx)
	}
	return out, c.do(func() {
		c.apply(&protocol.ChatToolCallComplete{TurnID: c.run.turnID, ToolCallID: c.id, Result: c.toolResult(out)})
	})
}

// callServer calls the real tool. It takes no lock.
func (c *toolCall) callServer(ctx context.Context, input jsontext.Value) Outcome {
	if c.server == nil {
		return Outcome{Err: errors.New("the session has no such server")}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	res, err := c.server.CallTool(ctx, c.Tool, input, c.showProgress)
	if errors.Is(err, mcpserver.ErrNotReady) {
		err = fmt.Errorf("the server %s is %s", c.server.Name(), c.server.State().Kind)
	}
	return Outcome{Result: res, Err: err}
}

// progressEvery is the shortest time between two changes of a running call's
// content, whatever the server says how often.
const progressEvery = 100 * time.Millisecond

// showProgress shows in the running call how far it is. It takes the lock.
func (c *toolCall) showProgress(p mcpserver.Progress) {
	_ = c.do(func() { // a turn that is over shows nothing
		if time.Since(c.shown) < progressEvery {
			return
		}
		c.shown = time.Now()
		c.apply(&protocol.ChatToolCallContentChanged{
			TurnID: c.run.turnID, ToolCallID: c.id, Content: []*protocol.ToolResultContent{protocol.TextContent(progressText(p))},
		})
	})
}

// progressText is a progress in words.
func progressText(p mcpserver.Progress) string {
	text := strconv.FormatFloat(p.Done, 'f', -1, 64)
	if p.Total > 0 {
		text += " of " + strconv.FormatFloat(p.Total, 'f', -1, 64)
	}
	if p.Message != "" {
		text += ": " + p.Message
	}
	return text
}

// toolResult is the protocol's form of an outcome.
func (c *toolCall) toolResult(out Outcome) *protocol.ToolResult {
	if out.Err != nil {
		return &protocol.ToolResult{
			PastTenseMessage: protocol.Plain("Could not run " + c.displayName()),
			Error:            &protocol.ToolError{Message: out.Err.Error(), Code: "call-failed"},
		}
	}
	res := &protocol.ToolResult{
		Success:           !out.Result.Failed,
		PastTenseMessage:  protocol.Plain("Ran " + c.displayName()),
		Content:           toolContent(out.Result),
		StructuredContent: out.Result.Structured,
	}
	if out.Result.Failed {
		res.PastTenseMessage = protocol.Plain(c.displayName() + " failed")
		res.Error = &protocol.ToolError{Message: firstLine(out.Result.Text(), 300), Code: "tool-failed"}
	}
	return res
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

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
	// Consented: the person has asked for this very call, or says yes to it in
	// another way. Otherwise a tool that may change something waits for a
	// confirmation.
	Consented bool
}

// Outcome is what became of a [Call]. Result is nil unless the tool has answered.
type Outcome struct {
	Result *mcpserver.Result
	Denied bool  // the person said no
	Err    error // the call failed before the tool could answer
}

// Call runs a tool of an MCP server through the whole life of a tool call:
// streamed input, confirmation where it is due, the wait for a sign-in where it
// takes one, run, result. It fails only with the turn; everything else is an
// outcome.
func (t *Turn) Call(ctx context.Context, c Call) (Outcome, error) {
	call := &toolCall{Turn: t, Call: c, id: newID()}
	if err := call.open(); err != nil {
		return Outcome{}, err
	}
	for {
		out, err := call.try(ctx)
		if err != nil || out.Denied {
			return out, err
		}
		need, refused := errors.AsType[*mcpserver.AuthError](out.Err)
		switch {
		case refused:
			ended, err := call.awaitSignIn(ctx, need)
			if err != nil || ended != nil {
				return Outcome{Err: ended}, err
			}
		case errors.Is(out.Err, mcpserver.ErrNotReady): // it was, and has been started anew
		default:
			return out, call.complete(out)
		}
	}
}

// toolCall is a call on its way.
type toolCall struct {
	*Turn
	Call
	id      string
	server  *server
	tool    mcpserver.Tool  // with a name alone where the server does not list it
	listed  bool            // the server does
	cleared bool            // whether it may run is decided
	found   mcpserver.State // of the server, when it was not
	shown   time.Time       // when progress was shown last
}

// try makes the call once, if it may be made.
func (c *toolCall) try(ctx context.Context) (Outcome, error) {
	if err := c.awaitServer(ctx); err != nil {
		return Outcome{}, err
	}
	approved, err := c.clear(ctx)
	if err != nil || !approved {
		return Outcome{Denied: err == nil}, err
	}
	return c.attempt(ctx)
}

// open streams the input.
func (c *toolCall) open() error {
	return c.do(func() {
		c.part = "" // what is written next is a new part
		c.server = c.chat.session.servers[c.Server]
		c.lookUp()
		contributor := &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: c.Server}
		c.apply(&protocol.ChatToolCallStart{
			TurnID: c.run.turnID, ToolCallID: c.id, ToolName: c.Tool, DisplayName: c.displayName(),
			Intention: c.Why, Contributor: contributor, Meta: c.uiMeta(),
		})
		for _, piece := range pieces(string(c.Args)) {
			c.apply(&protocol.ChatToolCallDelta{TurnID: c.run.turnID, ToolCallID: c.id, Content: protocol.NewText(piece)})
		}
	})
}

// lookUp finds the tool. It runs under the host's lock.
func (c *toolCall) lookUp() {
	c.tool, c.listed = mcpserver.Tool{Name: c.Tool, Destructive: true}, false
	if c.server == nil {
		return
	}
	for _, tool := range c.server.Tools() {
		if tool.Name == c.Tool {
			c.tool, c.listed = tool, true
		}
	}
}

// uiMeta is the part of the tool's _meta that says whether its calls have a view,
// as the extension MCP Apps has it; nil where there is none.
func (c *toolCall) uiMeta() protocol.Raw {
	var meta struct {
		UI protocol.Raw `json:"ui,omitzero"`
	}
	if len(c.tool.Meta) == 0 || protocol.Unmarshal(c.tool.Meta, &meta) != nil || meta.UI.Kind() != '{' {
		return nil
	}
	raw, err := protocol.Marshal(meta)
	if err != nil {
		return nil // what came as JSON encodes
	}
	return raw
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

// awaitServer waits while the server is starting.
func (c *toolCall) awaitServer(ctx context.Context) error {
	for {
		var turned chan struct{}
		err := c.do(func() {
			if c.server != nil && c.server.State().Kind == mcpserver.Starting {
				turned = c.server.turned
			}
		})
		if err != nil || turned == nil {
			return err
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// clear makes the call ready: it runs at once, or when a person approves. What a
// tool does is known only while its server is ready. So where the server waits
// for a sign-in, the call runs as far as that, and is cleared a second time
// before it is made for real.
func (c *toolCall) clear(ctx context.Context) (approved bool, err error) {
	var answer chan *protocol.ChatToolCallConfirmed
	err = c.do(func() {
		state := findCall(c.chat.state.ActiveTurn, c.id)
		if c.cleared || state == nil {
			return
		}
		c.lookUp()
		if c.server != nil {
			c.found = c.server.State()
		}
		c.cleared = c.Consented || c.server == nil || c.found.Kind == mcpserver.Ready
		ready := &protocol.ChatToolCallReady{
			TurnID: c.run.turnID, ToolCallID: c.id, ToolInput: protocol.InputText(string(c.Args)),
			InvocationMessage: protocol.Plain("Running " + c.displayName()),
		}
		switch {
		case c.Consented, c.tool.ReadOnly, !c.listed: // what is not listed is not run as things are
			ready.Confirmed = "not-needed"
		case c.chat.session.allowed[c.allowKey()]:
			ready.Confirmed = "setting"
		default:
			answer = make(chan *protocol.ChatToolCallConfirmed, 1)
			c.run.answers[c.id] = answer
			c.askTo(ready)
		}
		if answer != nil || state.Status == protocol.ToolStreaming {
			c.apply(ready)
		}
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

// attempt calls the tool as it was approved.
func (c *toolCall) attempt(ctx context.Context) (Outcome, error) {
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
	return out, nil
}

// callServer calls the real tool, unless whether that may be done is not decided,
// for want of a ready server. It takes no lock.
func (c *toolCall) callServer(ctx context.Context, input jsontext.Value) Outcome {
	if c.server == nil {
		return Outcome{Err: errors.New("the session has no such server")}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var res *mcpserver.Result
	var err error
	switch {
	case c.cleared && !c.listed && !c.Consented:
		err = fmt.Errorf("the server %s has no tool %s", c.server.Name(), c.Tool)
	case c.cleared:
		res, err = c.server.CallTool(ctx, c.Tool, input, c.showProgress)
	case c.found.Kind == mcpserver.AuthRequired:
		err = &mcpserver.AuthError{Requirement: c.found.Auth, Server: true}
	default:
		err = mcpserver.ErrNotReady
	}
	kind := c.server.State().Kind
	if errors.Is(err, mcpserver.ErrNotReady) && (kind == mcpserver.Stopped || kind == mcpserver.Failed) {
		err = fmt.Errorf("the server %s is %s", c.server.Name(), kind)
	}
	return Outcome{Result: res, Err: err}
}

// complete ends the call with what became of it.
func (c *toolCall) complete(out Outcome) error {
	return c.do(func() {
		c.apply(&protocol.ChatToolCallComplete{TurnID: c.run.turnID, ToolCallID: c.id, Result: c.toolResult(out)})
	})
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

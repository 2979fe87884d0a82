package host

import (
	"cmp"
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
	Client string         // or the id of the client that has the tool, see [ClientTool]
	Tool   string         // the tool's name
	Args   jsontext.Value // a JSON object
	Why    string         // what the agent intends; may be empty
	// Consented: the person has asked for this very call, or says yes to it in
	// another way. Otherwise a tool that may change something waits for a
	// confirmation.
	Consented bool
	// ShowResult: the person sees the result first, and says whether the agent may.
	ShowResult bool
}

// Outcome is what became of a [Call]. Result is nil unless the tool has answered.
type Outcome struct {
	Result *mcpserver.Result
	Denied bool  // the person said no, to the call or to its result
	Err    error // the call failed before the tool could answer
}

// Call runs a tool of an MCP server through the whole life of a tool call:
// streamed input, confirmation where it is due, the wait for a sign-in where it
// takes one, run, result. It fails only with the turn; everything else is an
// outcome.
func (t *Turn) Call(ctx context.Context, c Call) (Outcome, error) {
	if c.Client != "" {
		return t.callClient(ctx, c)
	}
	call := &toolCall{call: call{Turn: t, id: newID(), name: c.Tool}, Call: c}
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
			allowed, err := call.finish(ctx, call.toolResult(out), c.ShowResult && out.Err == nil)
			if !allowed {
				return Outcome{Denied: err == nil}, err
			}
			return out, nil
		}
	}
}

// toolCall is a call on its way.
type toolCall struct {
	call
	Call
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

// open opens the call.
func (c *toolCall) open() error {
	return c.do(func() {
		c.server = c.chat.session.servers[c.Server]
		c.lookUp()
		who := &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: c.Server}
		c.begin(who, c.Why, c.uiMeta(), string(c.Args))
	})
}

// lookUp finds the tool. It runs under the host's lock.
func (c *toolCall) lookUp() {
	c.tool, c.listed, c.title = mcpserver.Tool{Name: c.Tool, Destructive: true}, false, c.Tool
	if c.server == nil {
		return
	}
	for _, tool := range c.server.Tools() {
		if tool.Name == c.Tool {
			c.tool, c.listed = tool, true
		}
	}
	c.title = cmp.Or(c.tool.Title, c.Tool)
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
	asked := false
	err = c.do(func() {
		state := c.state()
		if c.cleared || state == nil {
			return
		}
		c.lookUp()
		if c.server != nil {
			c.found = c.server.State()
		}
		c.cleared = c.Consented || c.server == nil || c.found.Kind == mcpserver.Ready
		switch confirmed := c.confirmed(); {
		case confirmed == "":
			asked = true
			c.ready(string(c.Args), "", "Run "+c.title+" on "+c.server.Name()+"?")
		case state.Status == protocol.ToolStreaming:
			c.ready(string(c.Args), confirmed, "")
		}
	})
	if err != nil || !asked {
		return err == nil, err
	}
	a, err := c.wait(ctx)
	said, ok := a.(*protocol.ChatToolCallConfirmed)
	return ok && said.Approved, err
}

// confirmed says why the call needs no confirmation; "" where it does. It runs
// under the host's lock.
func (c *toolCall) confirmed() string {
	switch {
	case c.Consented, c.tool.ReadOnly, !c.listed: // what is not listed is not run as things are
		return "not-needed"
	case c.chat.session.allowed[c.allowKey()], c.chat.session.configured(configConfirm) == confirmNever:
		return "setting"
	}
	return ""
}

// allowKey is what "allow in this session" allows.
func (c *toolCall) allowKey() string { return c.Server + "\x00" + c.Tool }

// attempt calls the tool as it was approved.
func (c *toolCall) attempt(ctx context.Context) (Outcome, error) {
	input := string(c.Args)
	if err := c.do(func() { input = c.approved(c.allowKey()) }); err != nil {
		return Outcome{}, err
	}
	out := c.callServer(ctx, jsontext.Value(input))
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
		return c.failedResult(out.Err)
	}
	res := &protocol.ToolResult{
		Success:           !out.Result.Failed,
		PastTenseMessage:  protocol.Plain("Ran " + c.title),
		Content:           toolContent(out.Result),
		StructuredContent: out.Result.Structured,
	}
	if out.Result.Failed {
		res.PastTenseMessage = protocol.Plain(c.title + " failed")
		res.Error = &protocol.ToolError{Message: firstLine(out.Result.Text(), 300), Code: "tool-failed"}
	}
	return res
}

package host_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/protocol"
)

// delegate is an agent that calls the first tool of a client.
func delegate(show bool) host.AgentFunc {
	return func(ctx context.Context, turn *host.Turn) error {
		call := host.Call{Client: "nobody", Tool: "none"}
		if list := turn.ClientTools(); len(list) > 0 {
			call = host.Call{Client: list[0].Client, Tool: list[0].Tool.Name, Args: jsontext.Value(`{"x":1}`), ShowResult: show}
		}
		out, err := turn.Call(ctx, call)
		switch {
		case err != nil:
			return err
		case out.Denied:
			return turn.Write("denied")
		case out.Err != nil:
			return turn.Write("error: " + out.Err.Error())
		}
		return turn.Write(fmt.Sprint("result: ", out.Result.Text(), " ", out.Result.Failed))
	}
}

// bring makes a client join the session with a tool.
func (c *client) bring(readOnly bool) {
	c.t.Helper()
	c.dispatch(sessionURI, 1000, &protocol.SessionActiveClientSet{ActiveClient: &protocol.SessionActiveClient{
		ClientID: c.id, Tools: []*protocol.ToolDefinition{{Name: "look", Title: "Look", Annotations: &protocol.ToolAnnotations{ReadOnlyHint: &readOnly}}},
	}})
	if e := c.answerTo(1000); e.RejectionReason != nil {
		c.t.Fatalf("refused: %s", *e.RejectionReason)
	}
}

// execution waits for a call that a client is to run.
func (c *client) execution() *protocol.SessionInputRequest {
	c.t.Helper()
	e := c.until("a call for a client", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.SessionInputNeededSet)
		return ok && a.Request.Kind == protocol.InputClientExecution
	})
	return e.Action.(*protocol.SessionInputNeededSet).Request
}

func complete(r *protocol.SessionInputRequest, success bool, text string) *protocol.ChatToolCallComplete {
	return &protocol.ChatToolCallComplete{TurnID: r.TurnID, ToolCallID: r.ToolCall.ToolCallID, Result: &protocol.ToolResult{
		Success: success, PastTenseMessage: protocol.Plain("Looked"), Content: []*protocol.ToolResultContent{protocol.TextContent(text)},
	}}
}

func TestClientTool(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, delegate(false))
	c, other := join(t, h, "c", protocol.V0_9_0), join(t, h, "other", protocol.V0_9_0)
	c.bring(true)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	r := c.execution()
	if r.ClientID != "c" || r.ToolCall.Status != protocol.ToolRunning || r.ToolCall.Contributor.ClientID != "c" || r.ToolCall.DisplayName != "Look" || r.ToolCall.ToolInput.Text.String() != `{"x":1}` {
		t.Errorf("what waits is %s", encode(t, r))
	}
	if s := c.session(); s.Status.NeedsInput() {
		t.Errorf("the session waits for a person: %v", s.Status)
	}
	for i, a := range []protocol.Action{
		complete(r, true, "stolen"),
		&protocol.ChatToolCallContentChanged{TurnID: r.TurnID, ToolCallID: r.ToolCall.ToolCallID, Content: []*protocol.ToolResultContent{}},
	} {
		other.dispatch(chatURI, int64(i), a)
		if e := other.answerTo(int64(i)); e.RejectionReason == nil || !contains(*e.RejectionReason, "not executed by this client") {
			t.Errorf("another client: %v", e.RejectionReason)
		}
	}
	c.dispatch(chatURI, 2, &protocol.ChatToolCallComplete{TurnID: r.TurnID, ToolCallID: r.ToolCall.ToolCallID})
	if e := c.answerTo(2); e.RejectionReason == nil {
		t.Error("a call is completed without a result")
	}
	c.dispatch(chatURI, 3, &protocol.ChatToolCallContentChanged{TurnID: r.TurnID, ToolCallID: r.ToolCall.ToolCallID, Content: []*protocol.ToolResultContent{protocol.TextContent("looking")}})
	c.dispatch(chatURI, 4, complete(r, true, "a tree"))
	c.typed("chat/turnComplete")
	turn := c.chat().Turns[0]
	if call := theCall(t, turn); lastText(turn) != "result: a tree false" || call.Status != protocol.ToolCompleted || call.Confirmed != "not-needed" {
		t.Errorf("the agent says %q, the call is %s", lastText(turn), encode(t, call))
	}
	c.typed("session/inputNeededRemoved")
}

// A tool that may change something is confirmed before the client runs it.
func TestClientToolIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, approve := range []bool{true, false} {
		t.Run(fmt.Sprint(approve), func(t *testing.T) {
			t.Parallel()
			c := join(t, newHost(t, host.Options{}, delegate(false)), "c", protocol.V0_9_0)
			c.bring(false)
			c.dispatch(chatURI, 1, startTurn("t1", "go"))
			call := c.typed("session/inputNeededSet").Action.(*protocol.SessionInputNeededSet).Request.ToolCall
			answer, want := protocol.Approve("t1", call), "result: no such tree true"
			if !approve {
				answer, want = protocol.Deny("t1", call), "denied"
			}
			c.dispatch(chatURI, 2, answer)
			if approve {
				c.dispatch(chatURI, 3, complete(c.execution(), false, "no such tree"))
			}
			c.typed("chat/turnComplete")
			if got := lastText(c.chat().Turns[0]); got != want {
				t.Errorf("the agent says %q, want %q", got, want)
			}
		})
	}
}

func TestClientToolWithItsResultShown(t *testing.T) {
	t.Parallel()
	c := join(t, newHost(t, host.Options{}, delegate(true)), "c", protocol.V0_9_0)
	c.bring(true)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	r := c.execution()
	c.dispatch(chatURI, 2, complete(r, true, "a tree"))
	if a := c.answerTo(2).Action.(*protocol.ChatToolCallComplete); a.RequiresResultConfirmation == nil || !*a.RequiresResultConfirmation {
		t.Errorf("the echo is %s", encode(t, a))
	}
	c.dispatch(chatURI, 3, &protocol.ChatToolCallResultConfirmed{TurnID: "t1", ToolCallID: r.ToolCall.ToolCallID, Approved: true})
	c.typed("chat/turnComplete")
	if got := lastText(c.chat().Turns[0]); got != "result: a tree false" {
		t.Errorf("the agent says %q", got)
	}
}

// The calls of a client that leaves fail; they are not cancelled.
func TestClientLeavesWithItsTools(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(h *host.Host, c *client){
		"it says so": func(_ *host.Host, c *client) {
			c.dispatch(sessionURI, 9, &protocol.SessionActiveClientRemoved{ClientID: "c"})
		},
		"it unsubscribes": func(_ *host.Host, c *client) {
			_ = c.peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: sessionURI})
		},
		"it begins anew":   func(h *host.Host, c *client) { again := connect(c.t, h, "c"); again.initialize(protocol.V0_9_0) },
		"it comes without": func(h *host.Host, c *client) { again := connect(c.t, h, "c"); again.reconnect(0, chatURI) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, host.Options{}, delegate(false))
			c, other := join(t, h, "c", protocol.V0_9_0), join(t, h, "other", protocol.V0_9_0)
			c.bring(true)
			c.dispatch(chatURI, 1, startTurn("t1", "go"))
			c.execution()
			leave(h, c)
			other.typed("chat/turnComplete")
			turn := other.chat().Turns[0]
			if call := theCall(t, turn); call.Status != protocol.ToolCompleted || *call.Success || call.Error == nil {
				t.Errorf("the call is %s", encode(t, call))
			}
			if got := lastText(turn); got != "error: the client that has the tool is gone" && got != "result: the client that has the tool is gone true" {
				t.Errorf("the agent says %q", got)
			}
		})
	}
}

func TestToolOfNobody(t *testing.T) {
	t.Parallel()
	c := join(t, newHost(t, host.Options{}, delegate(false)), "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/turnComplete")
	if got := lastText(c.chat().Turns[0]); got != "error: the client that has the tool is gone" {
		t.Errorf("the agent says %q", got)
	}
}

func TestCancelOfAClientsCall(t *testing.T) {
	t.Parallel()
	c := join(t, newHost(t, host.Options{}, delegate(false)), "c", protocol.V0_9_0)
	c.bring(true)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	r := c.execution()
	c.dispatch(chatURI, 2, protocol.CancelTurn(protocol.V0_9_0, "t1", time.Second))
	c.answerTo(2)
	c.dispatch(chatURI, 3, complete(r, true, "too late"))
	if e := c.answerTo(3); e.RejectionReason == nil {
		t.Error("a call of a turn that is over is completed")
	}
}

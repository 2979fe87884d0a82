package host_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/protocol"
)

// caller is an agent that makes one call and then says what became of it.
func caller(call host.Call) host.AgentFunc {
	return func(ctx context.Context, turn *host.Turn) error {
		if err := turn.Write("calling"); err != nil {
			return err
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
		return turn.Write("result: " + out.Result.Text())
	}
}

func tools(t *testing.T) host.ServerSpec {
	t.Helper()
	return host.ServerSpec{ID: "tools", URI: "file:///servers", Config: stdioServer(t, "tools")}
}

// lastText is the text of the last markdown part of a turn.
func lastText(turn *protocol.Turn) string {
	text := ""
	for _, p := range turn.ResponseParts {
		if p.Kind == protocol.PartMarkdown {
			text = p.Content.String()
		}
	}
	return text
}

// theCall is the one tool call of a turn.
func theCall(t *testing.T, turn *protocol.Turn) *protocol.ToolCall {
	t.Helper()
	for _, p := range turn.ResponseParts {
		if p.ToolCall != nil {
			return p.ToolCall
		}
	}
	t.Fatal("the turn has no tool call")
	return nil
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(sessionURI, 7, &protocol.SessionIsReadChanged{IsRead: true})
	c.dispatch(chatURI, 1, startTurn("t1", "hi"))
	c.answerTo(1)
	c.typed("chat/turnComplete")
	turns := c.chat().Turns
	if len(turns) != 1 || lastText(turns[0]) != "hello" || turns[0].State != protocol.TurnComplete || turns[0].Duration == nil {
		t.Errorf("the turns are %+v", turns)
	}
	c.told("root/sessionSummaryChanged", `"status":40`) // at work, and read
	c.told("root/sessionSummaryChanged", `"status":1}`) // idle, and no longer read
	if s := c.session(); s.Status.Read() || s.Chats[0].Status != protocol.StatusIdle {
		t.Errorf("the session's status is %v, the chat's %v", s.Status, s.Chats[0].Status)
	}
}

func TestFailingAgent(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, func(context.Context, *host.Turn) error { return errors.New("out of ideas") })
	c := join(t, h, "c", protocol.V0_9_0)
	old := join(t, h, "old", protocol.V0_6_0)
	c.dispatch(chatURI, 1, startTurn("t1", "hi"))
	c.typed("chat/error")
	for _, cl := range []*client{c, old} {
		turn := cl.chat().Turns[0]
		if err, _ := turn.Failure(); err == nil || err.Message != "out of ideas" {
			t.Errorf("%s: the error is %+v", cl.id, err)
		}
		if isPart := len(turn.ResponseParts) == 1; isPart != (cl == c) || (turn.Error != nil) != (cl == old) {
			t.Errorf("%s: the turn is %+v", cl.id, turn)
		}
	}
	a := old.typed("chat/error").Action.(*protocol.ChatError)
	if a.Error == nil || a.Part != nil {
		t.Errorf("the action at 0.6 is %+v", a)
	}
	if s := c.session(); !s.Chats[0].Status.Failed() {
		t.Errorf("the chat's status is %v", s.Chats[0].Status)
	}
}

func TestReadOnlyCallRunsAtOnce(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, caller(host.Call{Server: "tools", Tool: "tools.read", Args: jsontext.Value(`{"text":"a book"}`), Why: "learn"}), tools(t))
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("tools", protocol.McpReady)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/turnComplete")
	turn := c.chat().Turns[0]
	call := theCall(t, turn)
	if call.Status != protocol.ToolCompleted || call.Confirmed != "not-needed" || call.Intention != "learn" ||
		call.Contributor.CustomizationID != "tools" || call.ToolInput.Text.String() != `{"text":"a book"}` ||
		call.Content[0].Text.String() != "read a book" || !*call.Success {
		t.Errorf("the call is %+v", call)
	}
	if lastText(turn) != "result: read a book" {
		t.Errorf("the answer ends with %q", lastText(turn))
	}
	for _, typ := range []string{"chat/toolCallStart", "chat/toolCallDelta", "chat/toolCallReady", "chat/toolCallComplete"} {
		c.typed(typ)
	}
}

func TestProgressIsShown(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, caller(host.Call{Server: "tools", Tool: "tools.steps"}), tools(t))
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("tools", protocol.McpReady)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	a := c.typed("chat/toolCallContentChanged").Action.(*protocol.ChatToolCallContentChanged)
	if got := a.Content[0].Text.String(); got != "1 of 2: half way" {
		t.Errorf("the running call shows %q", got)
	}
	c.typed("chat/turnComplete")
}

// pending starts a turn whose call waits for a confirmation.
func pending(t *testing.T, answer host.AgentFunc) (c *client, call *protocol.ToolCall) {
	t.Helper()
	h := newHost(t, host.Options{}, answer, tools(t))
	c = join(t, h, "c", protocol.V0_9_0)
	c.serverState("tools", protocol.McpReady)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	set := c.typed("session/inputNeededSet").Action.(*protocol.SessionInputNeededSet)
	call = set.Request.ToolCall
	if want := "toolConfirmation:" + string(chatURI) + ":t1:" + call.ToolCallID; set.Request.ID != want || set.Request.Chat != chatURI {
		t.Errorf("what waits is %+v, want the id %s", set.Request, want)
	}
	if s := c.session(); !s.Status.NeedsInput() || !s.Chats[0].Status.NeedsInput() || len(s.InputNeeded) != 1 {
		t.Errorf("the session is %v, the chat %v", s.Status, s.Chats[0].Status)
	}
	c.told("root/sessionSummaryChanged", `"status":24`)
	return c, call
}

func writer() host.AgentFunc {
	return caller(host.Call{Server: "tools", Tool: "tools.write", Args: jsontext.Value(`{"text":"a book"}`)})
}

func TestConfirmation(t *testing.T) {
	t.Parallel()
	edited := `{"text":"a poem"}`
	for _, tt := range []struct {
		name   string
		answer func(call *protocol.ToolCall) *protocol.ChatToolCallConfirmed
		status protocol.ToolCallStatus
		text   string
	}{
		{"approve", func(c *protocol.ToolCall) *protocol.ChatToolCallConfirmed { return protocol.Approve("t1", c) }, protocol.ToolCompleted, "result: wrote a book"},
		{"deny", func(c *protocol.ToolCall) *protocol.ChatToolCallConfirmed { return protocol.Deny("t1", c) }, protocol.ToolCancelled, "denied"},
		{"an option that approves", func(c *protocol.ToolCall) *protocol.ChatToolCallConfirmed {
			return protocol.Choose("t1", c, c.Options[0])
		}, protocol.ToolCompleted, "result: wrote a book"},
		{"an option that denies", func(c *protocol.ToolCall) *protocol.ChatToolCallConfirmed {
			return protocol.Choose("t1", c, c.Options[len(c.Options)-1])
		}, protocol.ToolCancelled, "denied"},
		{"approve with another input", func(c *protocol.ToolCall) *protocol.ChatToolCallConfirmed {
			a := protocol.Approve("t1", c)
			a.EditedToolInput = &edited
			return a
		}, protocol.ToolCompleted, "result: wrote a poem"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, call := pending(t, writer())
			c.dispatch(chatURI, 2, tt.answer(call))
			if e := c.answerTo(2); e.RejectionReason != nil {
				t.Fatalf("refused: %s", *e.RejectionReason)
			}
			c.typed("chat/turnComplete")
			turn := c.chat().Turns[0]
			if got := theCall(t, turn); got.Status != tt.status {
				t.Errorf("the call is %s, want %s", got.Status, tt.status)
			}
			if lastText(turn) != tt.text {
				t.Errorf("the answer ends with %q, want %q", lastText(turn), tt.text)
			}
			c.typed("session/inputNeededRemoved")
			if s := c.session(); len(s.InputNeeded) != 0 || s.Status.NeedsInput() {
				t.Errorf("%v still waits, the status is %v", s.InputNeeded, s.Status)
			}
		})
	}
}

func TestAllowedInTheSession(t *testing.T) {
	t.Parallel()
	c, call := pending(t, writer())
	c.dispatch(chatURI, 2, protocol.Choose("t1", call, call.Options[1]))
	c.typed("chat/turnComplete")
	c.dispatch(chatURI, 3, startTurn("t2", "again"))
	c.until("the second turn ends", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.ChatTurnComplete)
		return ok && a.TurnID == "t2"
	})
	if again := theCall(t, c.chat().Turns[1]); again.Confirmed != "setting" || again.Status != protocol.ToolCompleted {
		t.Errorf("the second call is %+v", again)
	}
}

func TestCancelWhileItWaits(t *testing.T) {
	t.Parallel()
	c, call := pending(t, writer())
	c.dispatch(chatURI, 2, protocol.CancelTurn(protocol.V0_9_0, "t1", time.Second))
	if e := c.answerTo(2); e.RejectionReason != nil {
		t.Fatalf("refused: %s", *e.RejectionReason)
	}
	c.typed("session/inputNeededRemoved")
	turn := c.chat().Turns[0]
	if got := theCall(t, turn); got.Status != protocol.ToolCancelled || got.Reason != "skipped" || turn.State != protocol.TurnCancelled {
		t.Errorf("the turn is %s, the call %+v", turn.State, got)
	}
	c.dispatch(chatURI, 3, protocol.Approve("t1", call))
	if e := c.answerTo(3); e.RejectionReason == nil {
		t.Error("a call of a turn that is over can be approved")
	}
}

func TestCancelStopsTheRealCall(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	args, err := protocol.Marshal(map[string]string{"text": mark})
	if err != nil {
		t.Fatal(err)
	}
	h := newHost(t, host.Options{}, caller(host.Call{Server: "tools", Tool: "tools.wait", Args: args}), tools(t))
	c := join(t, h, "c", protocol.V0_6_0)
	c.serverState("tools", protocol.McpReady)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	awaitFile(t, mark+".begun")
	c.dispatch(chatURI, 2, protocol.CancelTurn(protocol.V0_6_0, "t1", time.Second))
	c.answerTo(2)
	awaitFile(t, mark)
	if turn := c.chat().Turns[0]; turn.State != protocol.TurnCancelled || turn.Duration == nil {
		t.Errorf("the turn is %+v", turn)
	}
}

func TestCallsThatFail(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		call host.Call
		stop bool
		text string
	}{
		{"the tool fails", host.Call{Server: "tools", Tool: "tools.fail"}, false, "result: it fails, as it should"},
		{"no such tool", host.Call{Server: "tools", Tool: "tools.none"}, false, "error: the server tools has no tool tools.none"},
		{"no such tool, as a person wishes", host.Call{Server: "tools", Tool: "tools.none", Consented: true}, false, "error: tools refused the call of tools.none"},
		{"no such server", host.Call{Server: "none", Tool: "x"}, false, "error: the session has no such server"},
		{"a stopped server", host.Call{Server: "tools", Tool: "tools.read"}, true, "error: the server tools is stopped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, host.Options{}, caller(tt.call), tools(t))
			c := join(t, h, "c", protocol.V0_9_0)
			c.serverState("tools", protocol.McpReady)
			if tt.stop {
				c.dispatch(sessionURI, 1, &protocol.SessionMcpServerStopRequested{ID: "tools"})
				c.answerTo(1)
			}
			c.dispatch(chatURI, 2, startTurn("t1", "go"))
			c.typed("chat/turnComplete")
			turn := c.chat().Turns[0]
			if !contains(lastText(turn), tt.text) {
				t.Errorf("the answer ends with %q, want %q", lastText(turn), tt.text)
			}
			if call := theCall(t, turn); *call.Success || call.Error == nil || call.Status != protocol.ToolCompleted {
				t.Errorf("the call is %+v", call)
			}
		})
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := newHost(t, host.Options{}, func(ctx context.Context, turn *host.Turn) error {
		select {
		case <-release:
		case <-ctx.Done():
			return ctx.Err()
		}
		return turn.Write("to " + turn.Message())
	})
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "one"))
	c.dispatch(chatURI, 2, startTurn("t2", "two"))
	if e := c.answerTo(2); e.RejectionReason == nil || !contains(*e.RejectionReason, "a turn is running: queue the message") {
		t.Errorf("a second turn: %+v", e)
	}
	c.dispatch(chatURI, 3, &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: "q1", Message: protocol.UserMessage("three")})
	c.dispatch(chatURI, 4, &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: "q2", Message: protocol.UserMessage("four")})
	c.dispatch(chatURI, 5, &protocol.ChatPendingMessageSet{Kind: protocol.PendingSteering, ID: "s1", Message: protocol.UserMessage("steer")})
	c.dispatch(chatURI, 6, &protocol.ChatPendingMessageRemoved{Kind: protocol.PendingQueued, ID: "q2"})
	c.dispatch(chatURI, 7, &protocol.ChatPendingMessageRemoved{Kind: protocol.PendingQueued, ID: "q2"})
	if e := c.answerTo(7); e.RejectionReason == nil {
		t.Error("a message that is not there can be removed")
	}
	close(release)
	c.times(3, "chat/turnComplete")
	var texts []string
	chat := c.chat()
	for _, turn := range chat.Turns {
		texts = append(texts, lastText(turn))
	}
	if len(texts) != 3 || texts[0] != "to one" || texts[1] != "to steer" || texts[2] != "to three" {
		t.Errorf("the answers are %q", texts)
	}
	if chat.SteeringMessage != nil || chat.QueuedMessages != nil {
		t.Errorf("left in the queue: %v, %v", chat.SteeringMessage, chat.QueuedMessages)
	}
}

func TestActiveSessions(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := newHost(t, host.Options{}, func(context.Context, *host.Turn) error { <-release; return nil })
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "one"))
	active := func(n float64) {
		t.Helper()
		c.until("the count", func(e *protocol.Envelope) bool {
			a, ok := e.Action.(*protocol.RootActiveSessionsChanged)
			return ok && a.ActiveSessions == n
		})
	}
	active(1)
	close(release)
	active(0)
}

func TestNewSessionGetsItsTitleFromTheFirstMessage(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := connect(t, h, "c")
	c.initialize(protocol.V0_9_0, protocol.RootChannel)
	const uri = "ahp-session:/n"
	c.call("createSession", protocol.NewCreateSession(protocol.V0_9_0, uri, "test", ""), nil)
	s := snapshot[protocol.SessionState](c, uri)
	if s.Lifecycle != protocol.LifecycleReady || s.Title != "New session" || s.Provider != "test" {
		t.Errorf("the session is %+v", s)
	}
	c.dispatch(s.DefaultChat, 1, startTurn("t1", "Paint it black\nand quickly"))
	c.told("root/sessionSummaryChanged", `"title":"Paint it black"`)
}

package host_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// echo says what it was told.
func echo(_ context.Context, turn *host.Turn) error { return turn.Write("you said " + turn.Message()) }

func (c *client) createChat(uri protocol.URI, source *protocol.ChatSource) error {
	return c.try("createChat", &protocol.CreateChatParams{Channel: sessionURI, Chat: uri, Source: source}, nil)
}

func TestSeveralChats(t *testing.T) {
	t.Parallel()
	h := longHost(t, 3, echo)
	c := join(t, h, "c", protocol.V0_9_0)
	const second protocol.URI = "ahp-chat:/second"
	c.call("createChat", &protocol.CreateChatParams{
		Channel: sessionURI, Chat: second, InitialMessage: protocol.UserMessage("hello"), WorkingDirectories: []protocol.URI{"file:///w"},
	}, nil)
	added := c.typed("session/chatAdded").Action.(*protocol.SessionChatAdded)
	if added.Summary.Resource != second || added.Summary.Origin.Kind != "user" || len(added.Summary.WorkingDirectories) != 1 {
		t.Errorf("the catalogue's entry is %+v", added.Summary)
	}
	c.until("the first turn is over", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.SessionChatUpdated)
		return ok && a.Chat == second && contains(string(a.Changes), `"status":1`)
	})
	s := snapshot[protocol.ChatState](c, second)
	if len(s.Turns) != 1 || lastText(s.Turns[0]) != "you said hello" {
		t.Errorf("the second chat has %+v", s.Turns)
	}

	// Turns run side by side, and their ids are the session's.
	c.dispatch(second, 1, startTurn("old-1", "again"))
	if e := c.answerTo(1); e.RejectionReason == nil || !contains(*e.RejectionReason, "turn with this id already") {
		t.Errorf("a turn id of another chat: %v", e.RejectionReason)
	}
	c.dispatch(chatURI, 2, startTurn("a", "one"))
	c.dispatch(second, 3, startTurn("b", "two"))
	c.times(2, "chat/turnComplete")

	// The default chat can go, too; the last one cannot.
	c.call("disposeChat", &protocol.ChannelParams{Channel: chatURI}, nil)
	c.typed("session/chatRemoved")
	if a := c.typed("session/defaultChatChanged").Action.(*protocol.SessionDefaultChatChanged); a.DefaultChat != second {
		t.Errorf("the default chat is %s", a.DefaultChat)
	}
	if e := c.refused("subscribe", &protocol.ChannelParams{Channel: chatURI}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("the removed chat: %v", e)
	}
	if e := c.refused("disposeChat", &protocol.ChannelParams{Channel: second}); e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("the last chat: %v", e)
	}
}

func TestDisposeOfAChatAtWork(t *testing.T) {
	t.Parallel()
	gone := make(chan error, 1)
	h := longHost(t, 0, func(ctx context.Context, _ *host.Turn) error {
		<-ctx.Done()
		gone <- context.Cause(ctx)
		return ctx.Err()
	})
	c := join(t, h, "c", protocol.V0_9_0)
	if err := c.createChat("ahp-chat:/b", nil); err != nil {
		t.Fatal(err)
	}
	c.dispatch("ahp-chat:/b", 1, startTurn("t", "wait"))
	c.until("the session is at work", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.RootActiveSessionsChanged)
		return ok && a.ActiveSessions == 1
	})
	c.call("disposeChat", &protocol.ChannelParams{Channel: "ahp-chat:/b"}, nil)
	if err := <-gone; err == nil || err.Error() != "the chat is gone" {
		t.Errorf("the turn ended with %v", err)
	}
	c.until("the session is at rest", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.RootActiveSessionsChanged)
		return ok && a.ActiveSessions == 0
	})
}

func TestForkAndSideChat(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := longHost(t, 5, func(_ context.Context, turn *host.Turn) error {
		if turn.Message() == "wait" {
			<-release
		}
		return turn.Write("origin " + turn.Chat().Origin.Kind)
	})
	defer close(release)
	c := join(t, h, "c", protocol.V0_9_0)
	old := join(t, h, "old", protocol.V0_6_0)
	fork := &protocol.ChatSource{Kind: "fork", Chat: chatURI, TurnID: "old-2"}
	if err := c.createChat("ahp-chat:/fork", fork); err != nil {
		t.Fatal(err)
	}
	s := snapshot[protocol.ChatState](c, "ahp-chat:/fork")
	if ids(s.Turns) != "old-0 to old-2" || s.Origin.Kind != "fork" || s.Origin.Chat != chatURI || s.Origin.TurnID != "old-2" || s.Status != protocol.StatusIdle {
		t.Errorf("the fork is %+v", s)
	}
	if err := old.createChat("ahp-chat:/old-fork", &protocol.ChatSource{Chat: chatURI, TurnID: "old-0"}); err != nil {
		t.Errorf("a fork at 0.6: %v", err)
	}

	c.dispatch(chatURI, 1, startTurn("running", "wait"))
	c.answerTo(1)
	aside := &protocol.ChatSource{Kind: "sideChat", Chat: chatURI, TurnID: "running", Selection: &protocol.SideChatSelection{Text: "what is this?"}}
	if err := c.createChat("ahp-chat:/aside", aside); err != nil {
		t.Fatal(err)
	}
	s = snapshot[protocol.ChatState](c, "ahp-chat:/aside")
	if len(s.Turns) != 0 || s.Origin.Kind != "sideChat" || string(s.Origin.Selection) != `{"text":"what is this?"}` {
		t.Errorf("the side chat is %+v", s)
	}
	c.dispatch("ahp-chat:/aside", 2, startTurn("aside", "well?"))
	c.typed("chat/turnComplete")
	if got := lastText(snapshot[protocol.ChatState](c, "ahp-chat:/aside").Turns[0]); got != "origin sideChat" {
		t.Errorf("the agent sees %q", got)
	}

	for name, tt := range map[string]struct {
		by     *client
		uri    protocol.URI
		source *protocol.ChatSource
	}{
		"a fork of a running turn":   {c, "ahp-chat:/x", &protocol.ChatSource{Kind: "fork", Chat: chatURI, TurnID: "running"}},
		"a fork of no turn":          {c, "ahp-chat:/x", &protocol.ChatSource{Kind: "fork", Chat: chatURI, TurnID: "none"}},
		"a side chat about nothing":  {c, "ahp-chat:/x", &protocol.ChatSource{Kind: "sideChat", Chat: chatURI, TurnID: "none"}},
		"a source without a kind":    {c, "ahp-chat:/x", &protocol.ChatSource{Chat: chatURI, TurnID: "old-0"}},
		"an unknown kind":            {c, "ahp-chat:/x", &protocol.ChatSource{Kind: "clone", Chat: chatURI, TurnID: "old-0"}},
		"a chat of nobody":           {c, "ahp-chat:/x", &protocol.ChatSource{Kind: "fork", Chat: "ahp-chat:/none", TurnID: "old-0"}},
		"a URI that is taken":        {c, "ahp-chat:/fork", nil},
		"the URI of the session":     {c, sessionURI, nil},
		"no URI":                     {c, "", nil},
		"a URI of another kind":      {c, "mcp://x", nil},
		"the default chat as a fork": {c, chatURI, fork},
	} {
		if e := tt.by.refused("createChat", &protocol.CreateChatParams{Channel: sessionURI, Chat: tt.uri, Source: tt.source}); e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s: %v", name, e)
		}
	}
	if e := c.refused("createChat", &protocol.CreateChatParams{Channel: sessionURI, Chat: "ahp-chat:/x", WorkingDirectories: []protocol.URI{"file:///etc"}}); e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a directory of its own: %v", e)
	}
	if e := c.refused("createChat", &protocol.CreateChatParams{Channel: sessionURI, Chat: "ahp-chat:/x", InitialMessage: protocol.UserMessage("")}); e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("an empty message: %v", e)
	}
}

func TestChatsAreBounded(t *testing.T) {
	t.Parallel()
	h := longHost(t, 0, echo)
	c := join(t, h, "c", protocol.V0_9_0)
	made := 0
	for ; made < 1000; made++ {
		if c.createChat(protocol.URI("ahp-chat:/n"+string(rune('a'+made))), nil) != nil {
			break
		}
	}
	if made < 10 || made >= 1000 {
		t.Errorf("%d chats were made", made)
	}
}

func TestSteering(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, func(ctx context.Context, turn *host.Turn) error {
		if err := turn.Write("working "); err != nil {
			return err
		}
		select {
		case <-turn.Steered():
		case <-ctx.Done():
			return ctx.Err()
		}
		text, ok := turn.Steering()
		if _, again := turn.Steering(); !ok || again {
			return errors.New("a message is taken once")
		}
		return turn.Write("turning to " + text)
	})
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/delta")
	c.dispatch(chatURI, 2, &protocol.ChatPendingMessageSet{Kind: protocol.PendingSteering, ID: "s1", Message: protocol.UserMessage("port")})
	c.answerTo(2)
	c.typed("chat/turnComplete")
	s := c.chat()
	if len(s.Turns) != 1 || s.SteeringMessage != nil {
		t.Fatalf("the chat has %d turns, left is %+v", len(s.Turns), s.SteeringMessage)
	}
	parts := s.Turns[0].ResponseParts
	if len(parts) != 3 || parts[1].Kind != protocol.PartSystemNotification || parts[1].Content.String() != "Meanwhile you said: port" || parts[2].Content.String() != "turning to port" {
		t.Errorf("the answer is %s", encode(t, parts))
	}
	if a := c.typed("chat/pendingMessageRemoved").Action.(*protocol.ChatPendingMessageRemoved); a.Kind != protocol.PendingSteering || a.ID != "s1" {
		t.Errorf("removed was %+v", a)
	}
}

func TestReorderTheQueue(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	h := newHost(t, host.Options{}, func(_ context.Context, turn *host.Turn) error {
		<-release
		return turn.Write("to " + turn.Message())
	})
	c := join(t, h, "c", protocol.V1_0_0)
	c.dispatch(chatURI, 1, startTurn("t1", "one"))
	for i, text := range []string{"two", "three", "four"} {
		c.dispatch(chatURI, int64(2+i), &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: text, Message: protocol.UserMessage(text)})
	}
	c.dispatch(chatURI, 5, &protocol.ChatQueuedMessagesReordered{Order: []string{"four", "none", "two"}})
	c.dispatch(chatURI, 6, &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: "two", Message: protocol.UserMessage("second")})
	c.answerTo(6)
	close(release)
	c.times(4, "chat/turnComplete")
	var texts string
	for _, turn := range c.chat().Turns {
		texts += lastText(turn) + ";"
	}
	if texts != "to one;to four;to second;to three;" {
		t.Errorf("the answers are %q", texts)
	}
}

func TestResume(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, func(_ context.Context, turn *host.Turn) error {
		switch {
		case turn.Message() == "break":
			return errors.New("broken for good")
		case !turn.Resumed():
			if err := turn.Write("half"); err != nil {
				return err
			}
			return &host.ResumableError{Err: errors.New("the line went dead")}
		}
		return turn.Write("whole")
	})
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/error")
	failed := c.chat().Turns[0]
	if err, resumable := failed.Failure(); err == nil || err.Message != "the line went dead" || !resumable {
		t.Fatalf("the turn failed with %+v, resumable: %v", err, resumable)
	}
	c.dispatch(chatURI, 2, &protocol.ChatTurnResume{TurnID: "t1"})
	if e := c.answerTo(2); e.RejectionReason != nil {
		t.Fatalf("refused: %s", *e.RejectionReason)
	}
	c.typed("chat/turnComplete")
	s := c.chat()
	if turn := s.Turns[0]; len(s.Turns) != 1 || turn.State != protocol.TurnComplete || lastText(turn) != "whole" || *turn.Duration < *failed.Duration {
		t.Errorf("the turn is %s", encode(t, turn))
	}
	c.dispatch(chatURI, 3, &protocol.ChatTurnResume{TurnID: "t1"})
	if e := c.answerTo(3); e.RejectionReason == nil {
		t.Error("a turn that is complete can be resumed")
	}
	c.dispatch(chatURI, 4, startTurn("t2", "break"))
	c.times(2, "chat/error")
	c.dispatch(chatURI, 5, &protocol.ChatTurnResume{TurnID: "t2"})
	if e := c.answerTo(5); e.RejectionReason == nil || !contains(*e.RejectionReason, "cannot be gone on from") {
		t.Errorf("a turn that failed for good: %v", e.RejectionReason)
	}
}

// The duration of a turn that was taken up again is counted from its beginning,
// whatever the client says: the date of the chat is computed from it.
func TestCancelOfAResumedTurn(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, func(ctx context.Context, turn *host.Turn) error {
		if turn.Resumed() {
			<-ctx.Done()
		}
		return &host.ResumableError{Err: errors.New("not yet")}
	})
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, protocol.StartTurn(protocol.V0_9_0, "t1", "go", time.Now().Add(-time.Hour)))
	c.typed("chat/error")
	c.dispatch(chatURI, 2, &protocol.ChatTurnResume{TurnID: "t1"})
	c.dispatch(chatURI, 3, protocol.CancelTurn(protocol.V0_9_0, "t1", time.Second))
	a := c.answerTo(3).Action.(*protocol.ChatTurnCancelled)
	if took := time.Duration(*a.Duration) * time.Millisecond; took < time.Hour {
		t.Errorf("it took %v", took)
	}
}

// An attached chat is attached as it is now, whatever becomes of it.
func TestAttachedChatIsPinned(t *testing.T) {
	t.Parallel()
	h := longHost(t, 3, echo)
	unjudged(t, h) // there are no attachments of the first type
	c := join(t, h, "c", protocol.V0_9_0)
	if err := c.createChat("ahp-chat:/b", nil); err != nil {
		t.Fatal(err)
	}
	send := func(seq int64, a *protocol.MessageAttachment) *protocol.Envelope {
		t.Helper()
		start := startTurn(fmt.Sprint("t", seq), "see there")
		start.Message.Attachments = []*protocol.MessageAttachment{{Type: "later", Label: "x"}, a}
		c.dispatch(chatURI, seq, start)
		return c.answerTo(seq)
	}
	for seq, a := range map[int64]*protocol.MessageAttachment{
		1: {Type: protocol.AttachmentChat, Resource: "ahp-chat:/none"},
		2: {Type: protocol.AttachmentChat, Resource: "ahp-chat:/b"},
		3: {Type: protocol.AttachmentChat, Resource: chatURI, EndTurn: "none"},
	} {
		if e := send(seq, a); e.RejectionReason == nil {
			t.Errorf("%s is taken", encode(t, a))
		}
	}
	e := send(4, &protocol.MessageAttachment{Type: protocol.AttachmentChat, Resource: chatURI})
	if e.RejectionReason != nil {
		t.Fatalf("refused: %s", *e.RejectionReason)
	}
	if a := e.Action.(*protocol.ChatTurnStarted).Message.Attachments; a[1].EndTurn != "old-2" || a[0].Type != "later" {
		t.Errorf("attached are %s", encode(t, a))
	}
}

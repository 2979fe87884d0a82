package host_test

import (
	"strings"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/protocol"
)

// silent is a server that never becomes ready, and that messages wait for.
func silent(t *testing.T, blocking bool) host.ServerSpec {
	t.Helper()
	return host.ServerSpec{ID: "silent", Config: stdioServer(t, "silent"), Blocking: blocking}
}

func TestMessagesWaitForAServer(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, silent(t, true))
	c, old := join(t, h, "c", protocol.V1_0_0), join(t, h, "old", protocol.V0_9_0)
	entry := c.serverState("silent", protocol.McpStarting)
	if entry.State.Blocking == nil || !*entry.State.Blocking {
		t.Fatalf("the server is %s", encode(t, entry.State))
	}
	if entry := old.serverState("silent", protocol.McpStarting); entry.State.Blocking != nil {
		t.Errorf("at 0.9 the server is %s", encode(t, entry.State))
	}
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	if a := c.typed("chat/activityChanged").Action.(*protocol.ChatActivityChanged); a.Activity != "Waiting for silent" {
		t.Errorf("the chat is %q", a.Activity)
	}
	c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	if c.count("chat/delta") > 0 {
		t.Error("the agent has begun")
	}
	old.dispatchRaw(sessionURI, 2, protocol.Raw(`{"type":"session/mcpServerBackgroundRequested","id":"silent"}`))
	if e := old.answerTo(2); e.RejectionReason == nil {
		t.Error("at 0.9 there is no such action")
	}
	c.dispatch(sessionURI, 3, &protocol.SessionMcpServerBackgroundRequested{ID: "silent"})
	if e := c.answerTo(3); e.RejectionReason != nil {
		t.Fatalf("refused: %s", *e.RejectionReason)
	}
	c.typed("chat/turnComplete")
	if s := c.chat(); s.ActivityText != "" || lastText(s.Turns[0]) != "hello" {
		t.Errorf("the chat is %s", encode(t, s))
	}
	if entry := c.serverState("silent", protocol.McpStarting); *entry.State.Blocking {
		t.Error("the server still holds up messages")
	}
	c.dispatch(sessionURI, 4, &protocol.SessionMcpServerBackgroundRequested{ID: "silent"})
	if e := c.answerTo(4); e.RejectionReason == nil || !contains(*e.RejectionReason, "no message waits for silent") {
		t.Errorf("a second time: %v", e.RejectionReason)
	}

	// Another start is another wait, which the end of the server ends.
	c.dispatch(sessionURI, 5, &protocol.SessionMcpServerStartRequested{ID: "silent"})
	c.answerTo(5)
	c.dispatch(chatURI, 6, startTurn("t2", "again"))
	c.until("it waits again", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.ChatActivityChanged)
		return ok && a.Activity != "" && c.countLocked("chat/activityChanged") >= 3
	})
	c.dispatch(sessionURI, 7, &protocol.SessionMcpServerStopRequested{ID: "silent"})
	c.times(2, "chat/turnComplete")
}

// A turn that is cancelled while it waits has not begun.
func TestCancelWhileItWaitsForAServer(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, silent(t, true))
	c := join(t, h, "c", protocol.V1_0_0)
	c.serverState("silent", protocol.McpStarting)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/activityChanged")
	c.dispatch(chatURI, 2, protocol.CancelTurn(protocol.V1_0_0, "t1", time.Second))
	c.answerTo(2)
	if s := c.chat(); s.ActivityText != "" || len(s.Turns[0].ResponseParts) != 0 {
		t.Errorf("the chat is %s", encode(t, s))
	}
}

func TestNobodyWaitsForOtherServers(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, silent(t, false))
	c := join(t, h, "c", protocol.V1_0_0)
	c.serverState("silent", protocol.McpStarting)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/turnComplete")
	c.dispatch(sessionURI, 2, &protocol.SessionMcpServerBackgroundRequested{ID: "silent"})
	c.dispatch(sessionURI, 3, &protocol.SessionMcpServerBackgroundRequested{ID: "none"})
	if e := c.answerTo(2); e.RejectionReason == nil {
		t.Error("a server that holds up nothing goes to the background")
	}
	if e := c.answerTo(3); e.RejectionReason == nil {
		t.Error("a server that is not there goes to the background")
	}
}

func TestChatFlagsAndSummaries(t *testing.T) {
	t.Parallel()
	h := longHost(t, 1, echo)
	c, old := join(t, h, "c", protocol.V1_0_0), join(t, h, "old", protocol.V0_9_0)
	c.dispatch(chatURI, 1, &protocol.ChatIsReadChanged{IsRead: true})
	c.dispatch(chatURI, 2, &protocol.ChatIsArchivedChanged{IsArchived: true})
	if e := c.answerTo(2); e.RejectionReason != nil {
		t.Fatalf("refused: %s", *e.RejectionReason)
	}
	if s := c.session().Chats[0].Status; !s.Read() || !s.Archived() {
		t.Errorf("the chat is %v", s)
	}
	old.dispatchRaw(chatURI, 1, protocol.Raw(`{"type":"chat/isReadChanged","isRead":true}`))
	if e := old.answerTo(1); e.RejectionReason == nil {
		t.Error("at 0.9 there is no such action")
	}
	c.told("root/sessionSummaryChanged", `"chats":[{"resource":"`+string(chatURI)+`"`, `"status":97`)
	if err := c.createChat("ahp-chat:/b", nil); err != nil {
		t.Fatal(err)
	}
	c.told("root/sessionSummaryChanged", `{"resource":"ahp-chat:/b"`)
	for _, cl := range []*client{c, old} {
		var r protocol.ListSessionsResult
		cl.call("listSessions", &protocol.ListSessionsParams{Channel: protocol.RootChannel}, &r)
		if n := len(r.Items[0].Chats); n != map[*client]int{c: 2, old: 0}[cl] {
			t.Errorf("%s sees %d chats in the list", cl.id, n)
		}
	}
	// What comes to a chat makes it unread.
	c.dispatch(chatURI, 3, startTurn("t1", "go"))
	c.dispatch(chatURI, 4, &protocol.ChatIsReadChanged{IsRead: true})
	c.typed("chat/turnComplete")
	c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	old.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	old.mu.Lock()
	defer old.mu.Unlock()
	for _, n := range old.notes {
		if strings.Contains(n.params, `"chats"`) || strings.Contains(n.params, `"changes":{}`) {
			t.Errorf("at 0.9 a client is told %s", n.params)
		}
	}
}

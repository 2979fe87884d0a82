package host_test

import (
	"context"
	"fmt"
	"testing"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// finishedTurns are n turns as they were over long ago.
func finishedTurns(n int) []*protocol.Turn {
	took := 5.0
	var turns []*protocol.Turn
	for i := range n {
		turns = append(turns, &protocol.Turn{
			ID: fmt.Sprint("old-", i), StartedAt: "2026-01-02T03:04:05.000Z", Duration: &took, State: protocol.TurnComplete,
			Message: protocol.UserMessage(fmt.Sprint("message ", i)), ResponseParts: []*protocol.ResponsePart{},
		})
	}
	return turns
}

// longHost has a session whose chat has n finished turns, and an agent that can
// do with chats whatever can be done.
func longHost(t *testing.T, n int, answer host.AgentFunc) *host.Host {
	t.Helper()
	yes := true
	h := host.New(host.Options{})
	h.AddAgent(&protocol.AgentInfo{
		Provider: "test", Models: []*protocol.SessionModelInfo{},
		Capabilities: &protocol.AgentCapabilities{MultipleChats: &protocol.MultipleChats{Fork: &yes, SideChat: &yes}},
	}, answer)
	h.AddSession(host.SessionSpec{URI: sessionURI, Chat: chatURI, Provider: "test", Title: "Long", Directory: "file:///w", Turns: finishedTurns(n)})
	t.Cleanup(func() { closeHost(t, h) })
	return h
}

func (c *client) subscribe(channel protocol.URI, turns float64) *protocol.ChatState {
	c.t.Helper()
	p := &protocol.SubscribeParams{Channel: channel}
	if turns > 0 {
		p.View = &protocol.View{Turns: &turns}
	}
	var r protocol.SubscribeResult
	c.call("subscribe", p, &r)
	s := new(protocol.ChatState)
	if err := protocol.Unmarshal(r.Snapshot.State, s); err != nil {
		c.t.Fatal(err)
	}
	return s
}

// follow reduces what has come since a snapshot.
func (c *client) follow(v protocol.Version, s *protocol.ChatState, from int) *protocol.ChatState {
	c.t.Helper()
	c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.got[from:] {
		if e.Channel == s.Resource && e.RejectionReason == nil {
			s = protocol.ReduceChat(protocol.ProfileOf(v), s, e.Action)
		}
	}
	return s
}

func (c *client) received() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.got)
}

func ids(turns []*protocol.Turn) string {
	if len(turns) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s to %s", turns[0].ID, turns[len(turns)-1].ID)
}

func TestWindowOnAChat(t *testing.T) {
	t.Parallel()
	h := longHost(t, 120, func(_ context.Context, turn *host.Turn) error { return turn.Write("hi") })
	c := connect(t, h, "c")
	c.initialize(protocol.V0_9_0)
	fetch := func(cursor string) error {
		return c.try("fetchTurns", &protocol.FetchTurnsParams{Channel: chatURI, Cursor: cursor}, nil)
	}
	if err := fetch(""); err == nil {
		t.Error("turns are fetched without a subscription")
	}
	s := c.subscribe(chatURI, 5)
	if ids(s.Turns) != "old-115 to old-119" || s.TurnsNextCursor == "" || s.TurnsNextCursor == "old-115" {
		t.Fatalf("the window has %s, the cursor is %q", ids(s.Turns), s.TurnsNextCursor)
	}
	if e := c.refused("fetchTurns", &protocol.FetchTurnsParams{Channel: chatURI, Cursor: "old-115"}); e.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a cursor that was not given: %v", e)
	}
	first := s.TurnsNextCursor
	for _, want := range []string{"old-65 to old-119", "old-15 to old-119", "old-0 to old-119"} {
		from := c.received()
		if err := fetch(s.TurnsNextCursor); err != nil {
			t.Fatal(err)
		}
		if c.received() == from {
			t.Fatal("the answer comes before the turns")
		}
		if s = c.follow(protocol.V0_9_0, s, from); ids(s.Turns) != want {
			t.Errorf("the window has %s, want %s", ids(s.Turns), want)
		}
	}
	if s.TurnsNextCursor != "" {
		t.Errorf("there is nothing older, and yet a cursor %q", s.TurnsNextCursor)
	}
	if err := fetch(first); err == nil {
		t.Error("a cursor of before is taken")
	}
	from := c.received()
	if err := fetch(""); err != nil {
		t.Errorf("a page of nothing: %v", err)
	}
	if s = c.follow(protocol.V0_9_0, s, from); ids(s.Turns) != "old-0 to old-119" || s.TurnsNextCursor != "" {
		t.Errorf("after a page of nothing the window has %s", ids(s.Turns))
	}
}

// Older turns are for the one who asked; nobody else's window moves.
func TestWindowsOfSeveralClients(t *testing.T) {
	t.Parallel()
	h := longHost(t, 20, func(_ context.Context, turn *host.Turn) error { return turn.Write("hi") })
	narrow, wide, full := connect(t, h, "narrow"), connect(t, h, "wide"), connect(t, h, "full")
	states := map[*client]*protocol.ChatState{}
	for c, n := range map[*client]float64{narrow: 2, wide: 10, full: 0} {
		c.initialize(protocol.V1_0_0)
		states[c] = c.subscribe(chatURI, n)
	}
	truncate := func(seq int64, turnID, wantNarrow, wantWide, wantFull string) {
		t.Helper()
		from := map[*client]int{}
		for c := range states {
			from[c] = c.received()
		}
		full.dispatch(chatURI, seq, &protocol.ChatTruncated{TurnID: turnID})
		if e := full.answerTo(seq); e.RejectionReason != nil {
			t.Fatalf("refused: %s", *e.RejectionReason)
		}
		for c, want := range map[*client]string{narrow: wantNarrow, wide: wantWide, full: wantFull} {
			states[c] = c.follow(protocol.V1_0_0, states[c], from[c])
			if got := ids(states[c].Turns); got != want {
				t.Errorf("after the cut at %s %s has %s, want %s", turnID, c.id, got, want)
			}
		}
	}
	truncate(1, "old-15", "old-15 to old-15", "old-10 to old-15", "old-0 to old-15")
	truncate(2, "old-4", "old-4 to old-4", "old-4 to old-4", "old-0 to old-4")
	if full.count("chat/turnsLoaded") != 0 || wide.count("chat/turnsLoaded") != 1 || narrow.count("chat/turnsLoaded") != 2 {
		t.Error("turns went to those who did not need them")
	}
	narrow.call("fetchTurns", &protocol.FetchTurnsParams{Channel: chatURI, Cursor: states[narrow].TurnsNextCursor}, nil)
	truncate(3, "", "none", "none", "none")
	if states[narrow].TurnsNextCursor != "" {
		t.Errorf("nothing is left, and yet a cursor")
	}
}

// Who comes back gets the window it had, be it as a replay or as a snapshot.
func TestWindowAfterAReconnect(t *testing.T) {
	t.Parallel()
	h := longHost(t, 20, func(_ context.Context, turn *host.Turn) error { return turn.Write("hi") })
	c := connect(t, h, "c")
	hello := c.initialize(protocol.V0_9_0)
	c.subscribe(chatURI, 3)
	c.close()
	again := connect(t, h, "c")
	r := again.reconnect(1<<40, chatURI)
	s := new(protocol.ChatState)
	if err := protocol.Unmarshal(r.Snapshots[0].State, s); err != nil || ids(s.Turns) != "old-17 to old-19" {
		t.Errorf("the snapshot has %s, %v", ids(s.Turns), err)
	}
	again.call("fetchTurns", &protocol.FetchTurnsParams{Channel: chatURI, Cursor: s.TurnsNextCursor}, nil)
	again.close()
	third := connect(t, h, "c")
	r = third.reconnect(hello.ServerSeq, chatURI)
	if r.Type != protocol.ReconnectReplay || len(r.Actions) != 1 || r.Actions[0].Action.ActionType() != "chat/turnsLoaded" {
		t.Errorf("replayed is %+v", r)
	}
}

package host_test

import (
	"fmt"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/protocol"
)

func TestListSessionsInPages(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	base := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 25 {
		h.AddSession(host.SessionSpec{
			URI: protocol.URI(fmt.Sprintf("ahp-session:/%02d", i)), Chat: protocol.URI(fmt.Sprintf("ahp-chat:/%02d", i)),
			Provider: "test", Title: fmt.Sprint(i), Directory: "file:///w",
			CreatedAt: protocol.FormatTime(base.Add(time.Duration(i/2) * time.Hour)), // some at the same time
		})
	}
	c := connect(t, h, "c")
	c.initialize(protocol.V0_6_0)
	seen := map[protocol.URI]bool{}
	cursor, pages, last := "", 0, "9999"
	for {
		limit := 10
		var r protocol.ListSessionsResult
		c.call("listSessions", &protocol.ListSessionsParams{Channel: protocol.RootChannel, Limit: &limit, Cursor: cursor}, &r)
		pages++
		for _, s := range r.Items {
			if seen[s.Resource] {
				t.Errorf("%s comes twice", s.Resource)
			}
			seen[s.Resource] = true
			if s.ModifiedAt > last {
				t.Errorf("%s is newer than the one before", s.Resource)
			}
			last = s.ModifiedAt
			if s.WorkingDirectory != "file:///w" || s.WorkingDirectories != nil {
				t.Errorf("%s has not the form of 0.6", s.Resource)
			}
		}
		if pages == 1 { // a session that goes away is no hole
			c.call("disposeSession", &protocol.ChannelParams{Channel: r.Items[9].Resource}, nil)
		}
		if cursor = r.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 26 || pages != 3 {
		t.Errorf("%d sessions on %d pages", len(seen), pages)
	}
}

func TestOlderTurns(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	var turns []*protocol.Turn
	for i := range 120 {
		ms := 1.0
		turns = append(turns, &protocol.Turn{ID: fmt.Sprint("t", i), StartedAt: "2026-01-01T00:00:00.000Z", Duration: &ms, Message: protocol.UserMessage("x"), ResponseParts: []*protocol.ResponsePart{}, State: protocol.TurnComplete})
	}
	h.AddSession(host.SessionSpec{URI: "ahp-session:/long", Chat: "ahp-chat:/long", Provider: "test", Turns: turns})
	c := connect(t, h, "c")
	c.initialize(protocol.V0_9_0)
	other := connect(t, h, "other")
	other.initialize(protocol.V0_9_0, "ahp-chat:/long")
	n := 10.0
	var sub protocol.SubscribeResult
	c.call("subscribe", &protocol.SubscribeParams{Channel: "ahp-chat:/long", View: &protocol.View{Turns: &n}}, &sub)
	state, err := protocol.DecodeState(protocol.ChatKind, sub.Snapshot.State)
	if err != nil {
		t.Fatal(err)
	}
	chat := state.(*protocol.ChatState)
	if len(chat.Turns) != 10 || chat.TurnsNextCursor == "" {
		t.Fatalf("the view has %d turns, cursor %q", len(chat.Turns), chat.TurnsNextCursor)
	}
	for loads := 1; chat.TurnsNextCursor != ""; loads++ {
		c.call("fetchTurns", &protocol.FetchTurnsParams{Channel: "ahp-chat:/long", Cursor: chat.TurnsNextCursor}, nil)
		c.mu.Lock()
		if len(c.got) != loads {
			t.Fatalf("after %d requests there are %d actions", loads, len(c.got))
		}
		chat = protocol.ReduceChat(protocol.ProfileOf(protocol.V0_9_0), chat, c.got[loads-1].Action)
		c.mu.Unlock()
	}
	for i, turn := range chat.Turns {
		if turn.ID != turns[i].ID {
			t.Fatalf("turn %d is %s", i, turn.ID)
		}
	}
	if len(chat.Turns) != 120 || other.count("chat/turnsLoaded") != 0 {
		t.Errorf("%d turns; the other client got %d actions", len(chat.Turns), other.count("chat/turnsLoaded"))
	}
}

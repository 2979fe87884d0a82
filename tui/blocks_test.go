package tui

import (
	"errors"
	"testing"
	"time"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// blockedHost has something of every kind that waits, in several sessions.
func blockedHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	h.sessions[0] = summary(sessionA, "Fix the login bug", protocol.StatusInputNeeded, 20*time.Second)
	h.sessions = append(h.sessions, summary("copilot:/d", "Closed and waiting", protocol.StatusInputNeeded, 40*time.Hour))
	h.states["copilot:/d"] = &protocol.SessionState{
		Title: "Closed and waiting", Lifecycle: protocol.LifecycleReady, DefaultChat: "ahp-chat:/d", Chats: []*protocol.ChatSummary{{Resource: "ahp-chat:/d"}},
		InputNeeded: []*protocol.SessionInputRequest{{
			Kind: protocol.InputConfirmation, ID: "r1", Chat: "ahp-chat:/d", TurnID: "td",
			ToolCall: &protocol.ToolCall{Status: protocol.ToolPendingConfirmation, ToolCallID: "cd", ToolName: "x", DisplayName: "x"},
		}},
	}
	h.states["ahp-chat:/d"] = &protocol.ChatState{Resource: "ahp-chat:/d", Turns: []*protocol.Turn{}, ActiveTurn: &protocol.Turn{
		ID: "td", Message: protocol.UserMessage("go"),
		ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{Status: protocol.ToolPendingConfirmation, ToolCallID: "cd", ToolName: "x", DisplayName: "x"}}},
	}}
	h.states[sessionA] = protocol.Reduce(h.profile(), h.states[sessionA], &protocol.SessionMcpServerStateChanged{ID: "id-clock", State: &protocol.McpServerState{
		Kind: protocol.McpAuthRequired, Reason: "required", RequiredScopes: []string{"clock:read"}, Resource: &protocol.ProtectedResourceMetadata{Resource: "https://clock.example/mcp"},
	}})
	return h
}

// where says what is selected.
func (d *driver) where() string {
	switch d.m.focus {
	case keymap.Servers:
		ref, _ := d.m.servers.Selected()
		return ref.ID
	case keymap.Transcript:
		return d.m.transcript.Selected().ID
	}
	return ""
}

// TestNextBlocked: a goes round everything that waits, wherever it is.
func TestNextBlocked(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, blockedHost)
	d.host.ask("c1", "{}")
	d.host.act(chatA, &protocol.ChatInputRequested{Request: &protocol.ChatInputRequest{ID: "q1", Message: "Which one?"}})
	d.look()
	d.sees("4 blocked")
	if got := d.frame.WindowTitle; got != "ahptui (4 blocked)" {
		t.Errorf("the title is %q", got)
	}
	if s := d.frame.ProgramStatus; s == nil || s.State != "blocked" || s.Message != "4 blocked" {
		t.Errorf("the status is %+v", s)
	}
	d.key("tab", "tab", "tab") // away from where it landed
	var seen []string
	for range 8 {
		d.key("a")
		d.look() // what was closed opens
		seen = append(seen, d.where())
	}
	want := []string{"q1", "id-clock", "cd", "c1"}
	for i, got := range seen {
		if got == "" || got != seen[(i+4)%8] {
			t.Fatalf("went to %q, not round in fours", seen)
		}
	}
	for _, w := range want {
		if !contains(seen[:4], w) {
			t.Errorf("never went to %s: %q", w, seen)
		}
	}
}

func contains(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}

// TestNewestBlocked: ctrl+g goes to what was blocked last, from the composer
// too, and what is typed stays.
func TestNewestBlocked(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, blockedHost)
	d.pass(time.Second)
	d.key("i")
	d.write("half")
	d.host.ask("c1", "{}")
	d.look()
	d.focused(keymap.Composer)
	d.key("ctrl+g")
	if d.where() != "c1" {
		t.Errorf("went to %q", d.where())
	}
	d.write("y") // meant for the composer
	if d.host.count() != 0 {
		t.Error("answered")
	}
	d.key("i")
	d.sees("half")
	d.key("esc")
	d.focused(keymap.Transcript)
}

// TestGoalIsGivenUp: who presses another key while a chat is being opened is not
// taken there afterwards.
func TestGoalIsGivenUp(t *testing.T) {
	t.Parallel()
	d := drive(t, blockedHost)
	d.host.change(func() {
		d.host.states["ahp-chat:/d-later"] = d.host.states["ahp-chat:/d"]
		delete(d.host.states, "ahp-chat:/d")
	})
	for range 4 {
		d.key("a")
		d.look()
		if d.m.current.session == "copilot:/d" {
			break
		}
	}
	if d.m.goal == nil {
		t.Fatalf("no goal in %s", d.m.current.session)
	}
	d.key("i")
	d.host.change(func() { d.host.states["ahp-chat:/d"] = d.host.states["ahp-chat:/d-later"] })
	d.look()
	d.focused(keymap.Composer)
	if d.m.goal != nil {
		t.Error("the goal is still there")
	}
}

// TestBlockedChatDoesNotOpen: the person is told.
func TestBlockedChatDoesNotOpen(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, blockedHost)
	d.host.change(func() {
		d.host.open["ahp-chat:/d"] = &fakeChannel{kind: protocol.ChatKind, err: errors.New("no such chat")}
		d.host.open["copilot:/d"] = &fakeChannel{kind: protocol.SessionKind}
	})
	d.look()
	for range 3 {
		d.key("a")
		d.look()
	}
	d.sees("no such chat")
}

// TestUnknownBlock: what this program does not know is gone to all the same, and
// the others can still be reached.
func TestUnknownBlock(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.act(sessionA, &protocol.SessionInputNeededSet{Request: &protocol.SessionInputRequest{Kind: "retinaScan", ID: "r9"}})
	d.host.ask("c1", "{}")
	d.look()
	d.sees("2 blocked")
	seen := map[string]bool{}
	for range 4 {
		d.key("a")
		d.look()
		seen[d.m.visited] = true
	}
	if len(seen) != 2 {
		t.Errorf("went to %v", seen)
	}
	d.sees("something waits here that this program does not know")
}

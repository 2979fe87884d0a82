package tui

import (
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

const justAppeared = "this question has only just appeared or changed: read it, then answer"

// asked is a driver with a question that was read.
func withQuestion(t *testing.T, options ...*protocol.ConfirmationOption) *driver {
	t.Helper()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.ask("c1", `{"text":"x"}`, options...)
	d.look()
	d.pass(time.Second)
	return d
}

// TestLanding: what blocks the chat on the screen is selected when the program
// opens, also if it comes a little later, unless the person went elsewhere.
func TestLanding(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.focused(keymap.Sessions)
	d.pass(2 * time.Second)
	d.host.ask("c1", "{}")
	d.look()
	d.focused(keymap.Transcript)
	if sel := d.m.transcript.Selected(); sel.ID != "c1" {
		t.Errorf("selected %+v", sel)
	}

	d = drive(t, busyHost)
	d.key("tab", "tab")
	d.host.ask("c1", "{}")
	d.look()
	d.focused(keymap.Servers)

	d = drive(t, busyHost)
	d.paste("x")
	d.host.ask("c1", "{}")
	d.look()
	d.focused(keymap.Sessions)
}

// TestAnswers: each key says what it says, and the action is the one that is
// meant.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		key     string
		options []*protocol.ConfirmationOption
		want    protocol.ChatToolCallConfirmed
	}{
		{"approve", "y", nil, protocol.ChatToolCallConfirmed{Approved: true, Confirmed: "user-action"}},
		{"deny", "d", nil, protocol.ChatToolCallConfirmed{Reason: "denied"}},
		{"first option", "1", hostOptions(), protocol.ChatToolCallConfirmed{Approved: true, Confirmed: "user-action", SelectedOptionID: "once"}},
		{"second option", "2", hostOptions(), protocol.ChatToolCallConfirmed{Approved: true, Confirmed: "user-action", SelectedOptionID: "always"}},
		{"third option", "3", hostOptions(), protocol.ChatToolCallConfirmed{Reason: "denied", SelectedOptionID: "no"}},
		{"the only no", "d", hostOptions(), protocol.ChatToolCallConfirmed{Reason: "denied", SelectedOptionID: "no"}},
		{"the only yes", "y", hostOptions()[1:], protocol.ChatToolCallConfirmed{Approved: true, Confirmed: "user-action", SelectedOptionID: "always"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := withQuestion(t, tt.options...)
			d.key(tt.key)
			a := asks[*protocol.ChatToolCallConfirmed](d, 0)
			want := tt.want
			want.TurnID, want.ToolCallID = "t1", "c1"
			if a.Approved != want.Approved || a.Confirmed != want.Confirmed || a.Reason != want.Reason || a.SelectedOptionID != want.SelectedOptionID || a.TurnID != want.TurnID || a.ToolCallID != want.ToolCallID {
				t.Errorf("dispatched %+v, want %+v", *a, want)
			}
			if d.host.last().Channel != chatA {
				t.Errorf("on %s", d.host.last().Channel)
			}
			d.sees("not confirmed yet")
			d.key(tt.key, "y", "d")
			if d.host.count() != 1 {
				t.Error("it was answered twice")
			}
		})
	}
}

// TestResultAnswers: a result can be accepted and refused.
func TestResultAnswers(t *testing.T) {
	t.Parallel()
	for key, approved := range map[string]bool{"y": true, "d": false} {
		d := withQuestion(t)
		d.key("y")
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
		d.host.act(chatA, &protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c1", RequiresResultConfirmation: ptr(true), Result: &protocol.ToolResult{Success: true, PastTenseMessage: protocol.Plain("Added")}})
		d.look()
		d.sees("may it be used?")
		d.pass(time.Second)
		d.key(key)
		if a := asks[*protocol.ChatToolCallResultConfirmed](d, 1); a.Approved != approved {
			t.Errorf("%s: approved %v", key, a.Approved)
		}
	}
}

// TestTooSoon: a key that comes right after a question does not answer it, and
// neither does one that keeps coming.
func TestTooSoon(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"y", "d", "1"} {
		d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
		var options []*protocol.ConfirmationOption
		if key == "1" {
			options = hostOptions()
		}
		d.host.ask("c1", "{}", options...)
		d.look()
		for range 20 {
			d.pass(100 * time.Millisecond)
			d.key(key)
		}
		if d.host.count() != 0 {
			t.Fatalf("%s answered", key)
		}
		d.sees(justAppeared)
		d.pass(reading)
		d.key(key)
		if d.host.count() != 1 {
			t.Errorf("%s does not answer what was read", key)
		}
	}
}

// TestGoneTo: a question that the person went to can be answered as soon as it
// was drawn, if it has been there for a moment.
func TestGoneTo(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.key("tab", "tab")
	d.host.ask("c1", "{}")
	d.look()
	d.pass(time.Second)
	d.key("a")
	d.key("y") // in the same breath
	if d.host.count() != 0 {
		t.Fatal("answered before it was drawn")
	}
	d.pass(time.Second)
	d.key("tab", "a")
	d.pass(drawing)
	d.key("y")
	if d.host.count() != 1 {
		t.Errorf("not answered:\n%s", d.screen())
	}
}

// TestNewQuestionUnderTheCursor: going to what has only just appeared does not
// make it read.
func TestNewQuestionUnderTheCursor(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.key("tab")
	d.host.ask("c1", "{}")
	d.look()
	d.key("a")
	d.pass(2 * drawing)
	d.key("y")
	if d.host.count() != 0 {
		t.Error("answered a tenth of a second after it had appeared")
	}
}

// TestChangedArguments: an answer is to what was on the screen.
func TestChangedArguments(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(c *protocol.ToolCall)
		again  bool // it has to be asked again
	}{
		{"nothing", func(*protocol.ToolCall) {}, false},
		{"input", func(c *protocol.ToolCall) { c.ToolInput = protocol.InputText(`{"text":"y"}`) }, true},
		{"tool", func(c *protocol.ToolCall) { c.ToolName = "notes.delete" }, true},
		{"title", func(c *protocol.ToolCall) { c.ConfirmationTitle = protocol.Plain("Delete?") }, true},
		{"options", func(c *protocol.ToolCall) { c.Options = hostOptions()[:1] }, true},
		{"files", func(c *protocol.ToolCall) { c.Edits = &protocol.FileEdits{} }, true},
		{"risk", func(c *protocol.ToolCall) { c.RiskAssessment = protocol.Raw(`{"safety":0}`) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := withQuestion(t)
			changed := *d.host.call("c1")
			tt.change(&changed)
			d.host.change(func() {
				chat := *d.host.states[chatA].(*protocol.ChatState)
				turn := *chat.ActiveTurn
				turn.ResponseParts = append([]*protocol.ResponsePart(nil), turn.ResponseParts...)
				turn.ResponseParts[len(turn.ResponseParts)-1] = &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &changed}
				chat.ActiveTurn = &turn
				d.host.states[chatA] = &chat
			})
			d.look()
			d.key("y")
			if asked := d.host.count() == 0; asked != tt.again {
				t.Fatalf("asked again: %v, want %v", asked, tt.again)
			}
			if !tt.again {
				return
			}
			d.sees(justAppeared)
			d.pass(reading)
			d.key("y")
			if d.host.count() != 1 {
				t.Error("the new question cannot be answered")
			}
		})
	}
}

// TestNextQuestion: answering one question does not answer the one that comes
// after it, however often the key is pressed.
func TestNextQuestion(t *testing.T) {
	t.Parallel()
	d := withQuestion(t)
	d.host.ask("c2", `{"text":"more"}`)
	d.look()
	d.pass(time.Second)
	for range 10 {
		d.key("y")
		d.pass(30 * time.Millisecond)
	}
	if a := asks[*protocol.ChatToolCallConfirmed](d, 0); a.ToolCallID != "c1" {
		t.Errorf("answered %s", a.ToolCallID)
	}
	d.key("a")
	d.pass(time.Second)
	d.key("y")
	if a := asks[*protocol.ChatToolCallConfirmed](d, 1); a.ToolCallID != "c2" {
		t.Errorf("answered %s", a.ToolCallID)
	}
}

// TestRejectedAnswer: the host's words stand at the call, which can be answered
// again.
func TestRejectedAnswer(t *testing.T) {
	t.Parallel()
	d := withQuestion(t)
	d.key("y")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "too late, my friend"})
	d.look()
	d.sees("the host refused: too late, my friend", "the host refused to approve notes.add", "[y] approve")
	d.key("y")
	if d.host.count() != 1 {
		t.Error("answered in the moment in which it came back")
	}
	d.pass(time.Second)
	d.key("d")
	asks[*protocol.ChatToolCallConfirmed](d, 1)
	d.lacks("the host refused: too late")
}

// TestTooSmall: what cannot be read cannot be approved.
func TestTooSmall(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 12, Height: 5}, busyHost)
	d.host.ask("c1", "{}")
	d.look()
	d.pass(time.Second)
	d.key("y")
	d.pass(time.Second)
	d.key("y", "d")
	if d.host.count() != 0 {
		t.Error("answered in a window of 12x5")
	}
}

// TestBehindOverlay: a question behind a window is not answered by what the
// window is closed with.
func TestBehindOverlay(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.key("tab", "?")
	d.host.ask("c1", "{}")
	d.look()
	d.pass(time.Minute)
	d.key("y", "d", "esc", "y")
	if d.host.count() != 0 {
		t.Error("answered")
	}
}

// TestCancel: x cancels the turn with the time it took here, or gives up the
// call that waits for access.
func TestCancel(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.pass(1500 * time.Millisecond)
	d.key("tab", "x")
	if a := asks[*protocol.ChatTurnCancelled](d, 0); a.TurnID != "t1" || *a.Duration != 1500 {
		t.Errorf("dispatched %+v, %v ms", a, *a.Duration)
	}

	d = drive(t, busyHost)
	d.key("i", "ctrl+x")
	asks[*protocol.ChatTurnCancelled](d, 0)

	d = drive(t, busyHost)
	d.host.ask("c1", "{}")
	d.host.act(chatA, &protocol.ChatToolCallConfirmed{TurnID: "t1", ToolCallID: "c1", Approved: true}, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c1", Auth: &protocol.McpAuthRequirement{Reason: "required"}})
	d.look()
	d.sees("[x] cancel call")
	d.key("x")
	if a := asks[*protocol.ChatToolCallComplete](d, 0); a.ToolCallID != "c1" || a.Result.Success {
		t.Errorf("dispatched %+v", a)
	}
}

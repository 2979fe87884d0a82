package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/toolcall"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

// walk jumps as often as there is something to jump to, and names what it came to.
func walk(t *testing.T, m *transcript.Model, in transcript.Input, to transcript.Target, down bool) []string {
	t.Helper()
	var names []string
	for m.Jump(to, down) {
		sel := m.Selected()
		names = append(names, strings.TrimSpace(sel.TurnID+" "+sel.ID))
		if drawn := m.View(in, true); !strings.Contains(drawn, "\x1b[7m") && !strings.Contains(drawn, ";7m") {
			t.Errorf("%+v is not in sight:\n%s", sel, drawn)
		}
		if len(names) > 100 {
			t.Fatal("it goes on for ever")
		}
	}
	return names
}

// From the beginning down and from the end up, every target is come to once, whatever fits on the screen.
func TestJump(t *testing.T) {
	t.Parallel()
	c := chat(t, chatJSON)
	yes, no := true, false
	c.Turns[0].ResponseParts[2].ToolCall.Success = &no
	c.ActiveTurn.ResponseParts = append(slices.Clone(c.ActiveTurn.ResponseParts), &protocol.ResponsePart{
		Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{Status: protocol.ToolRunning, ToolCallID: "c3", ToolName: "waits for its server", Success: &yes},
	})
	in := input(c)
	in.Notes["c3"] = toolcall.Note{Access: toolcall.Access{Needed: true, Reason: safetext.Const("no token")}}
	for _, tt := range []struct {
		to   transcript.Target
		want []string
	}{
		{transcript.ToTurn, []string{"t1", "t2", "t3", "t4", "t5"}},
		{transcript.ToCall, []string{"t1 c1", "t5 c2", "t5 c3"}},
		{transcript.ToError, []string{"t1 c1", "t2 e", "t3"}},
		{transcript.ToBlock, []string{"t5 q2", "t5 c2", "t5 c3"}},
	} {
		for _, height := range []int{5, 12, 200} {
			m := panel(t, 60, height)
			m.View(in, true)
			m.Home()
			if got := walk(t, m, in, tt.to, true); !slices.Equal(got, tt.want) {
				t.Errorf("%d down in %d lines: %q, want %q", tt.to, height, got, tt.want)
			}
			m.Deselect()
			m.End()
			got := walk(t, m, in, tt.to, false)
			slices.Reverse(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%d up in %d lines: %q, want %q", tt.to, height, got, tt.want)
			}
		}
	}
}

// A turn that is jumped to is at the top, with its answer below it.
func TestJumpShowsTheAnswer(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 8)
	in := input(long(30))
	m.View(in, true)
	m.SelectCall("t3", "c")
	m.Scroll(-5) // now the question is on the last line
	m.Jump(transcript.ToTurn, true)
	lines := strings.Split(viewtest.Text(m.View(in, true)), "\n")
	if !strings.Contains(lines[1], "question 4.") || !strings.Contains(lines[2], "Answer 4") {
		t.Errorf("turn 4 is not at the top:\n%s", strings.Join(lines, "\n"))
	}
	if m.Following() {
		t.Error("it follows the end, which is not there")
	}
}

// What was scrolled away from does not count: a jump goes on from what is on the screen.
func TestJumpFromTheScreen(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 8)
	in := input(long(100))
	m.View(in, true)
	m.SelectCall("t3", "c")
	m.View(in, true)
	m.Scroll(200)
	m.View(in, true)
	if m.Jump(transcript.ToCall, true); m.Selected().TurnID < "t30" {
		t.Errorf("jumped to %s", m.Selected().TurnID)
	}
}

func TestFoldAll(t *testing.T) {
	t.Parallel()
	m := panel(t, 80, 200)
	in := input(chat(t, chatJSON))
	folded := m.View(in, true)
	if !m.ToggleAll() {
		t.Error("things stay folded")
	}
	if got := viewtest.Text(m.View(in, true)); !strings.Contains(got, "I should look at the issue.") || !strings.Contains(got, "at line 2") || !strings.Contains(got, "3 issues") {
		t.Errorf("not all is unfolded:\n%s", got)
	}
	if m.ToggleAll() || m.View(in, true) != folded {
		t.Error("things do not fold again")
	}
	// One thing is unfolded: all of it folds first.
	m.SelectCall("t1", "c1")
	m.Toggle()
	m.Deselect()
	if m.ToggleAll() || m.View(in, true) != folded {
		t.Error("what was unfolded alone does not fold")
	}
	m.ToggleAll()
	m.SelectCall("t1", "c1")
	m.Toggle()
	if got := viewtest.Text(m.View(in, true)); strings.Contains(got, "3 issues") || !strings.Contains(got, "at line 2") {
		t.Errorf("one is not folded alone:\n%s", got)
	}
}

// What has come since the end was on the screen is counted.
func TestNews(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 6)
	c := long(20)
	m.View(input(c), true)
	m.PageUp()
	sees := func(want string) {
		t.Helper()
		if got := viewtest.Text(m.View(input(c), true)); !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	add := func(turns ...*protocol.Turn) {
		next := *c
		next.Turns = append(slices.Clip(c.Turns), turns...)
		c = &next
	}
	add(turn(20))
	sees("↓ 3 new below G end")
	for i := range 2000 {
		add(&protocol.Turn{ID: fmt.Sprint("n", i), Message: protocol.UserMessage("x"), State: protocol.TurnComplete})
	}
	sees("↓ 999+ new below G end")
	m.End()
	if got := viewtest.Text(m.View(input(c), true)); strings.Contains(got, "below") {
		t.Errorf("at the end:\n%s", got)
	}
}

package transcript_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ahptui/protocol"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

// long is a chat of so many turns with a tool call in each.
func long(turns int) *protocol.ChatState {
	c := &protocol.ChatState{Resource: "ahp-chat:/long"}
	for i := range turns {
		c.Turns = append(c.Turns, turn(i))
	}
	return c
}

func turn(i int) *protocol.Turn {
	return &protocol.Turn{
		ID: fmt.Sprint("t", i), Message: protocol.UserMessage(fmt.Sprintf("question %d.", i)), State: protocol.TurnComplete,
		ResponseParts: []*protocol.ResponsePart{
			{Kind: protocol.PartMarkdown, ID: "m", Content: protocol.StringOrMarkdown{Text: protocol.NewText(fmt.Sprintf("Answer %d with **words**.\n\nAnd more of them.", i))}},
			{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{Status: protocol.ToolCompleted, ToolCallID: "c", ToolName: fmt.Sprint("tool", i)}},
		},
	}
}

func panel(t testing.TB, width, height int) *transcript.Model {
	m := transcript.New(viewtest.Plain(t))
	m.SetSize(width, height)
	return m
}

// A panel follows the end until it is scrolled away from it, and again when it
// is back there.
func TestFollow(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 6)
	c := words("1", "")
	for i := range 30 {
		c = grown(c, fmt.Sprintf("Paragraph %d.\n\n", i))
		if got := m.View(input(c), true); !strings.Contains(got, fmt.Sprintf("Paragraph %d.", i)) {
			t.Fatalf("delta %d is not on the screen:\n%s", i, got)
		}
	}
	m.Up()
	if m.Following() {
		t.Error("it follows although it was scrolled")
	}
	before := m.View(input(c), true)
	if strings.Contains(before, "below") {
		t.Error("something new is said to be there")
	}
	c = grown(c, "Paragraph 30.\n\n")
	after := m.View(input(c), true)
	if strings.Split(after, "\n")[0] != strings.Split(before, "\n")[0] || strings.Contains(after, "Paragraph 30") {
		t.Errorf("what is read moves:\n%s\n%s", before, after)
	}
	if !strings.Contains(viewtest.Text(after), "↓ more below G end") {
		t.Errorf("it does not say that there is something new:\n%s", after)
	}
	m.End()
	if got := m.View(input(c), true); !m.Following() || !strings.Contains(got, "Paragraph 30") || strings.Contains(got, "below") {
		t.Errorf("at the end:\n%s", got)
	}
	m.PageUp()
	m.PageDown()
	m.PageDown()
	if !m.Following() {
		t.Error("scrolled back to the end, it does not follow")
	}
}

// In a chat that fits, there is nothing to scroll away from.
func TestShortChatIsAlwaysFollowed(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 20)
	c := words("1", "Short.")
	m.View(input(c), true)
	for name, move := range moves(m) {
		move()
		if !m.Following() {
			t.Errorf("%s ends the following", name)
		}
	}
}

// Going through a chat line by line shows every line once, in both directions.
func TestScrollShowsEveryLine(t *testing.T) {
	t.Parallel()
	in := input(chat(t, chatJSON))
	m := panel(t, 50, 200)
	whole := strings.Split(strings.TrimRight(viewtest.Text(m.View(in, true)), "\n"), "\n")
	const height = 7
	m = panel(t, 50, height)
	m.View(in, true)
	m.Home()
	for top := 0; ; top++ {
		got := strings.Split(viewtest.Text(m.View(in, true)), "\n")[:height]
		if want := whole[top : top+height]; !slices.Equal(got, want) {
			t.Fatalf("from line %d on:\n%s\nwant\n%s", top, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if m.Following() {
			if top+height != len(whole) {
				t.Fatalf("the end is at %d of %d", top+height, len(whole))
			}
			break
		}
		m.Scroll(1)
	}
	for top := len(whole) - height; top > 0; top-- {
		m.Scroll(-1)
		if got := strings.Split(viewtest.Text(m.View(in, true)), "\n")[0]; got != whole[top-1] {
			t.Fatalf("back at line %d: %q, want %q", top-1, got, whole[top-1])
		}
	}
}

// Every item can be reached by going up and down, and is in sight then.
func TestSelectByMoving(t *testing.T) {
	t.Parallel()
	in := input(chat(t, chatJSON))
	for _, height := range []int{4, 9, 200} {
		m := panel(t, 60, height)
		m.View(in, true)
		m.Home()
		var down []string
		for range 150 {
			note(t, m, in, &down, m.Down)
		}
		want := []string{"5 ", "6 m1", "1 c1", "6 n", "3 q1", "6 m2", "5 ", "2 e", "5 ", "2 ", "5 ", "5 ", "6 m3", "3 q2", "1 c2", "7 p1", "7 p2"}
		if got := slices.DeleteFunc(slices.Clone(down), func(s string) bool { return strings.HasPrefix(s, "4") }); !slices.Equal(got, want) {
			t.Errorf("going down in %d lines: %q, want %q", height, got, want)
		}
		var up []string
		for range 150 {
			note(t, m, in, &up, m.Up)
		}
		slices.Reverse(up)
		if !slices.Equal(up, down[:len(down)-1]) {
			t.Errorf("going up in %d lines: %q, want %q", height, up, down)
		}
	}
}

// note moves and, if that selects another item, adds it to a list and checks
// that it is in sight.
func note(t *testing.T, m *transcript.Model, in transcript.Input, list *[]string, move func()) {
	t.Helper()
	before := m.Selected()
	move()
	drawn := m.View(in, true)
	sel := m.Selected()
	if sel == before {
		return
	}
	*list = append(*list, fmt.Sprint(sel.Kind, " ", sel.ID))
	if !strings.Contains(drawn, "\x1b[7m") && !strings.Contains(drawn, ";7m") {
		t.Errorf("%+v is selected and not in sight:\n%s", sel, drawn)
	}
}

func TestSelectCall(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 8)
	in := input(long(500))
	m.Sync(in)
	if !m.SelectCall("t250", "c") {
		t.Fatal("the call is not found")
	}
	drawn := viewtest.Text(m.View(in, true))
	sel := m.Selected()
	if sel.Kind != transcript.ToolCall || sel.TurnID != "t250" || sel.Call == nil || sel.Call.ToolName != "tool250" || sel.Active {
		t.Errorf("selected %+v", sel)
	}
	if !strings.Contains(drawn, "tool250") || m.Following() {
		t.Errorf("it is not scrolled to:\n%s", drawn)
	}
	if m.SelectCall("t250", "d") || m.SelectCall("no", "c") {
		t.Error("a call that is not there is found")
	}
	if m.Selected() != sel {
		t.Error("a call that is not there takes the selection away")
	}
	m.Deselect()
	if m.Selected().Kind != transcript.None {
		t.Error("it stays selected")
	}
}

func TestSelectRequest(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 8)
	c := chat(t, chatJSON)
	c.InputRequests = []*protocol.ChatInputRequest{{ID: "old", Message: "of an old version"}}
	in := input(c)
	m.Sync(in)
	for _, id := range []string{"q2", "old"} {
		if !m.SelectRequest(id) {
			t.Fatalf("%s is not found", id)
		}
		m.View(in, true)
		if sel := m.Selected(); sel.Kind != transcript.Request || sel.Request == nil || sel.Request.ID != id || !sel.Active {
			t.Errorf("%s: selected %+v", id, sel)
		}
	}
}

// What waits for its turn can be selected; it is no longer selected when it has got one, or another place in the queue.
func TestSelectPending(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 20)
	message := func(id string) *protocol.PendingMessage {
		return &protocol.PendingMessage{ID: id, Message: protocol.UserMessage("say " + id)}
	}
	c := &protocol.ChatState{
		Resource: "c", SteeringMessage: message("s"), SteeringMessages: []*protocol.PendingMessage{message("m"), {ID: "empty"}},
		QueuedMessages: []*protocol.PendingMessage{message("q"), message("s")},
	}
	want := []transcript.Selection{
		{ID: "s", Waiting: transcript.InSlot},
		{ID: "m", Waiting: transcript.InSteering},
		{ID: "empty", Waiting: transcript.InSteering},
		{ID: "q", Waiting: transcript.InQueue},
		{ID: "s", Waiting: transcript.InQueue},
	}
	in := input(c)
	m.View(in, true)
	m.Home()
	for _, w := range want {
		m.Down()
		m.View(in, true)
		if sel := m.Selected(); sel.Kind != transcript.Pending || sel.ID != w.ID || sel.Waiting != w.Waiting || sel.Pending == nil || sel.Pending.ID != w.ID || !sel.Active {
			t.Errorf("selected %+v, want %+v", sel, w)
		}
	}
	next := *c
	next.QueuedMessages = c.QueuedMessages[:1]
	m.View(input(&next), true)
	if sel := m.Selected(); sel.Kind != transcript.None {
		t.Errorf("selected %+v, which has gone", sel)
	}
}

// A selected call is scrolled to when the panel gets its size only later.
func TestSelectBeforeThereIsASize(t *testing.T) {
	t.Parallel()
	m := transcript.New(viewtest.Plain(t))
	in := input(long(100))
	m.Sync(in)
	m.SelectCall("t3", "c")
	m.SetSize(60, 5)
	if got := viewtest.Text(m.View(in, true)); !strings.Contains(got, "tool3") {
		t.Errorf("not scrolled to:\n%s", got)
	}
}

// What is selected and what is read stay where they are: when the turn ends,
// and when older turns come in before.
func TestStaysWhenTheChatChanges(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 5)
	c := long(20)
	c.ActiveTurn = turn(99)
	m.Sync(input(c))
	m.SelectCall("t99", "c")
	if !m.Selected().Active {
		t.Error("the turn is not active")
	}
	ended := *c
	ended.Turns, ended.ActiveTurn = append(slices.Clone(c.Turns), turn(99)), nil
	m.View(input(&ended), true)
	if sel := m.Selected(); sel.TurnID != "t99" || sel.Active || sel.Call != ended.Turns[20].ResponseParts[1].ToolCall {
		t.Errorf("after the turn: %+v", sel)
	}
	m.SelectCall("t10", "c")
	before := m.View(input(&ended), true)
	older := ended
	older.Turns = slices.Concat(long(7).Turns, ended.Turns)
	for i, tn := range older.Turns[:7] {
		tn.ID = fmt.Sprint("older", i)
	}
	if after := m.View(input(&older), true); after != before || m.Selected().TurnID != "t10" {
		t.Errorf("after older turns came:\n%s\nwant\n%s", after, before)
	}
	truncated := older
	truncated.Turns = older.Turns[:3]
	viewtest.Check(t, m.View(input(&truncated), true), 60, 5)
	if m.Selected().Kind != transcript.None {
		t.Errorf("what is gone is selected: %+v", m.Selected())
	}
}

func TestAnotherChatBeginsAnew(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 5)
	m.View(input(long(50)), true)
	m.Home()
	m.SelectCall("t3", "c")
	m.View(input(words("2", "other")), true)
	if m.Selected().Kind != transcript.None || !m.Following() {
		t.Errorf("selected %+v, following %v", m.Selected(), m.Following())
	}
}

// Whatever is pressed while whatever comes: the screen is full, and following
// means that the end is on it.
func TestAnyMoves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		m := panel(t, rapid.IntRange(1, 70).Draw(rt, "width"), 1)
		c := long(rapid.IntRange(0, 6).Draw(rt, "turns"))
		c.ActiveTurn = words("x", "").ActiveTurn
		names := []string{"up", "down", "page up", "page down", "half up", "half down", "home", "end", "toggle", "deselect", "delta", "turn", "resize", "older"}
		width, height := 40, 5
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			switch name := rapid.SampledFrom(names).Draw(rt, "step"); name {
			case "delta":
				c = grown(c, rapid.SampledFrom([]string{"word ", "\n\n", "```\n", "- item\n", strings.Repeat("long ", 2000)}).Draw(rt, "delta"))
			case "turn":
				next := *c
				next.Turns = append(slices.Clip(c.Turns), turn(len(c.Turns)))
				c = &next
			case "older":
				next := *c
				next.Turns = slices.Concat(long(1).Turns, c.Turns)
				c = &next
			case "resize":
				width, height = rapid.IntRange(1, 90).Draw(rt, "w"), rapid.IntRange(1, 12).Draw(rt, "h")
			default:
				moves(m)[name]()
			}
			m.SetSize(width, height)
			viewtest.Check(t, m.View(input(c), true), width, height)
		}
		m.End()
		end := m.View(input(c), true)
		m.Scroll(1)
		if m.View(input(c), true) != end || !m.Following() {
			rt.Fatal("there is something below the end")
		}
	})
}

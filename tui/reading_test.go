package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

// readableHost has a chat with something of each kind in it.
func readableHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	chat := *h.states[chatA].(*protocol.ChatState)
	call := func(id, tool string, ok bool) *protocol.ResponsePart {
		return &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{
			Status: protocol.ToolCompleted, ToolCallID: id, ToolName: tool, DisplayName: tool, Success: ptr(ok),
			ToolInput: protocol.InputText(`{"path":"main.go","line":7}`), Content: []*protocol.ToolResultContent{protocol.TextContent("func needle() {}")},
		}}
	}
	text := func(id, s string) *protocol.ResponsePart {
		return &protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: id, Content: protocol.Plain(s)}
	}
	chat.Turns = nil
	for i := range 12 {
		id := fmt.Sprint(i)
		turn := &protocol.Turn{
			ID: "r" + id, Message: protocol.UserMessage("question " + id), State: protocol.TurnComplete,
			ResponseParts: []*protocol.ResponsePart{
				{Kind: protocol.PartReasoning, ID: "think" + id, Content: protocol.Plain("thinking about " + id)},
				text("text"+id, "Answer "+id+":\n\n```go\nfmt.Println("+id+")\n```\n\nand\n\n```\nplain "+id+"\n```\n"),
				call("call"+id, "files.read", i != 5),
			},
		}
		if i == 8 {
			turn.State = protocol.TurnError
			turn.ResponseParts = append(turn.ResponseParts, &protocol.ResponsePart{Kind: protocol.PartError, ID: "err", Error: &protocol.ErrorInfo{Message: "the model is overloaded"}})
		}
		chat.Turns = append(chat.Turns, turn)
	}
	h.states[chatA] = &chat
	return h
}

func driveReadable(t *testing.T) *driver {
	t.Helper()
	d := newDriver(t, viewtest.Plain(t), classic, readableHost)
	d.m.setFocus(keymap.Transcript)
	d.key("end")
	return d
}

func (d *driver) at(want string) {
	d.t.Helper()
	sel := d.m.transcript.Selected()
	if got := strings.TrimSpace(sel.TurnID + " " + sel.ID); got != want {
		d.t.Fatalf("selected %q, want %q:\n%s", got, want, d.screen())
	}
}

// TestJumpKeys: each pair of keys goes from one thing to the next of its kind.
func TestJumpKeys(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.key("[")
	d.at("t1")
	d.key("[", "[")
	d.at("r10")
	d.key("]")
	d.at("r11")
	d.key("{")
	d.at("r10 call10")
	d.key("{", "}", "}")
	d.at("r11 call11")
	d.key("(")
	d.at("r8 err")
	d.sees("the model is overloaded")
	d.key("(")
	d.at("r5 call5")
	d.key("(")
	d.at("r5 call5")
	d.sees("there is no error further up")
	d.key(")")
	d.at("r8 err")
	d.key(">")
	d.sees("there is no question or call")
	d.host.ask("c1", `{"text":"x"}`)
	d.look()
	d.key(">")
	d.at("t1 c1")
	d.sees("[y] approve")
}

// A person who jumped to a question answers it after no more than a glance; a question that scrolls in is another matter.
func TestJumpToAQuestionMayBeAnswered(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.host.ask("c1", `{"text":"x"}`)
	d.look()
	d.pass(time.Second)
	d.key("home", ">")
	d.pass(drawing)
	n := d.host.count()
	d.key("y")
	asks[*protocol.ChatToolCallConfirmed](d, n)
}

// TestFoldKey: f unfolds everything and folds it again; what is read stays on the screen.
func TestFoldKey(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.key("{")
	d.at("r11 call11")
	d.lacks("func needle")
	d.key("f")
	d.sees("func needle", "files.read")
	d.key("f")
	d.lacks("func needle")
	d.at("r11 call11")
}

// TestEnterOnText: on what was said, Enter begins to write, as it does where nothing is selected; on what can be unfolded, it
// unfolds.
func TestEnterOnText(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.key("[", "enter")
	d.focused(keymap.Composer)
	d.key("esc")
	d.focused(keymap.Transcript)
	d.key("{", "enter")
	d.focused(keymap.Transcript)
	d.sees("func needle")
}

// TestSearchKeys: what is typed is searched for at once; Enter keeps the matches, the dot and the comma go on, Esc ends.
func TestSearchKeys(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.key("/")
	d.focused(keymap.Form)
	if c := d.frame.Cursor; c == nil || c.Y != classic.Height-4 {
		t.Errorf("the cursor is at %+v:\n%s", c, d.screen())
	}
	d.write("answer 1")
	d.sees("/ answer 1", "2 of 3")
	d.at("r10 text10")
	d.key("down")
	d.at("r11 text11")
	d.key("up", "enter")
	d.at("r10 text10")
	d.focused(keymap.Transcript)
	d.key(",")
	d.at("r1 text1")
	d.sees("1 of 3", "Answer 1:")
	d.key(",")
	d.at("r11 text11")
	d.key(".")
	d.at("r1 text1")
	d.key("esc")
	d.lacks("/ answer")
	d.at("r1 text1")
	d.key(".")
	d.sees("nothing is searched for: / begins")
}

// TestSearchUnfolds: what is folded is searched, too, and unfolds when it is gone to.
func TestSearchUnfolds(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.key("/")
	d.write("NEEDLE")
	d.sees("no match")
	d.key("ctrl+u")
	d.write("needle")
	d.sees("func needle", "of 12")
	d.key("esc") // while one types, it goes back
	d.lacks("of 12")
	d.at("")
	if !d.m.transcript.Following() {
		t.Error("it does not follow as it did before")
	}
}

// TestSearchTakesText: keys and pastes are text while words are typed, and approve nothing.
func TestSearchTakesText(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.host.ask("c1", `{"text":"yyy"}`)
	d.look()
	d.pass(time.Second)
	d.key(">", "/")
	d.pass(time.Second)
	n := d.host.count()
	d.write("y")
	d.paste("yy\nq\x1b[201~")
	d.key("y")
	if d.host.count() != n {
		t.Errorf("something was approved: %v", d.host.last())
	}
	if got := d.m.transcript.SearchWords(); !strings.HasPrefix(got, "yyy") {
		t.Errorf("searched for %q", got)
	}
	d.checkSizes()
}

// TestSearchIsOfItsChat: another chat is another matter.
func TestSearchIsOfItsChat(t *testing.T) {
	t.Parallel()
	d := driveReadable(t)
	d.key("/")
	d.write("answer")
	d.m.show(sessionB)
	d.look()
	d.focused(keymap.Transcript)
	d.lacks("/ answer")
}

// TestSearchGoesOn in slices, with a number that grows, while keys are answered.
func TestSearchGoesOn(t *testing.T) {
	inBubble(t, classic, func(now func() time.Time) *fakeHost {
		h := readableHost(now)
		chat := *h.states[chatA].(*protocol.ChatState)
		for i := range 20_000 {
			chat.Turns = append(chat.Turns, &protocol.Turn{ID: fmt.Sprint("x", i), Message: protocol.UserMessage("hay"), State: protocol.TurnComplete})
		}
		h.states[chatA] = &chat
		return h
	}, func(t *testing.T, d *driver) {
		d.m.setFocus(keymap.Transcript)
		d.send(keyPress(t, "home"))
		d.send(keyPress(t, "/"))
		for _, r := range "hay" {
			d.send(keyPress(t, string(r)))
		}
		_, first := d.m.transcript.Matches()
		if _, more := d.m.transcript.Searching(); !more || first == 0 {
			t.Fatalf("%d matches at once, more: %v", first, more)
		}
		d.sees("…")
		d.pass(time.Second)
		d.sees("of 10000+")
	})
}

// TestSearchInEarlierTurns: above the first match, earlier turns are loaded and searched; so are they for a jump.
func TestSearchInEarlierTurns(t *testing.T) {
	inBubble(t, classic, func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		h.sessions = append(h.sessions, summary(sessionA, "long", protocol.StatusIdle, time.Hour))
		h.states[sessionA] = &protocol.SessionState{Title: "long", Lifecycle: protocol.LifecycleReady, DefaultChat: chatA, Chats: []*protocol.ChatSummary{{Resource: chatA}}}
		h.states[chatA] = &protocol.ChatState{Resource: chatA, Turns: turnsFrom(100, 50), TurnsNextCursor: "before 100"}
		return h
	}, func(t *testing.T, d *driver) {
		fails := true
		d.host.fetch = func(_ context.Context, chat protocol.URI) error {
			if fails {
				return errors.New("the disk is slow today")
			}
			next := protocol.ChatTurnsLoaded{Turns: turnsFrom(50, 50), TurnsNextCursor: "before 50"}
			if d.host.states[chatA].(*protocol.ChatState).TurnsNextCursor == "before 50" {
				next = protocol.ChatTurnsLoaded{Turns: turnsFrom(0, 50)}
			}
			d.host.act(chat, &next)
			return nil
		}
		d.m.setFocus(keymap.Transcript)
		d.key("/")
		d.write("answer 55.")
		d.pass(time.Second)
		d.sees("no match")
		d.key("enter", ".")
		d.sees("the disk is slow today")
		fails = false
		d.key(".")
		d.look()
		d.pass(time.Second)
		d.at("t55 p55")
		d.sees("1 of 1")
		d.key("esc", "{")
		d.look()
		d.settle()
		d.sees("no tool call in these turns either")
		d.key("{")
		d.sees("there is no tool call further up")
		d.key("home", "]")
		d.at("t0")
		if sel := d.m.transcript.Selected(); sel.Kind != transcript.Message {
			t.Errorf("at %+v", sel)
		}
	})
}

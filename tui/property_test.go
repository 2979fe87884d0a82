package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// chaos drives a model with whatever may happen, and holds it to what must never
// happen.
type chaos struct {
	*driver
	rt *rapid.T

	calls  int                  // tool calls so far
	words  []string             // what was typed
	live   map[string]time.Time // since when each pending call is as it is, by id
	looked string               // the question that is selected and drawn, with all it asks
	since  time.Time            // and since when
	seen   int                  // requests that were judged
	open   []*request           // requests that are not settled
}

// TestChaos: whatever is typed and pasted while whatever comes from the host, no
// tool call is approved or denied but by the key for it, on a question that was
// selected and drawn for long enough, and nothing that was typed is lost.
func TestChaos(t *testing.T) {
	t.Parallel()
	theme := viewtest.Plain(t)
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom([]viewtest.Size{{Width: 80, Height: 24}, {Width: 40, Height: 12}, {Width: 120, Height: 40}, {Width: 9, Height: 5}}).Draw(rt, "size")
		c := &chaos{driver: newDriver(t, theme, size, busyHost), rt: rt, live: map[string]time.Time{}}
		c.m.opts.Mouse = true
		steps := map[string]func(){
			"key": c.anyKey, "write": c.anyWord, "paste": c.anyPaste, "answer": c.anyAnswer, "go": c.anyMove,
			"ask": c.anyQuestion, "change": c.anyChange, "end": c.anyEnd, "settle": c.anySettle,
			"connection": c.anyConnection, "time": c.anyTime, "size": c.anySize,
			"click": c.anyClick, "point": c.anyPointing,
		}
		names := make([]string, 0, len(steps))
		for name := range steps {
			names = append(names, name)
		}
		slices.Sort(names)
		for range rapid.IntRange(5, 60).Draw(rt, "steps") {
			steps[rapid.SampledFrom(names).Draw(rt, "step")]()
			if c.m.leaving {
				return
			}
			c.check("")
		}
	})
}

// press presses a key and judges what it led to.
func (c *chaos) press(name string) {
	id, _ := c.m.keys.Match(keyPress(c.t, name), c.m.focus)
	if c.m.top() != nil {
		id = ""
	}
	c.key(name)
	c.check(id)
}

// check judges what was asked of the host by the key for id, and notes what is
// on the screen.
func (c *chaos) check(id keymap.ID) {
	viewtest.Check(c.t, c.frame.Content, c.m.width, c.m.height)
	for _, r := range c.host.asked[c.seen:] {
		c.open = append(c.open, r)
		var call string
		switch a := r.Action.(type) {
		case *protocol.ChatToolCallConfirmed:
			call = a.ToolCallID
			if ok := id == keymap.CallOption || id == keymap.CallApprove && a.Approved || id == keymap.CallDeny && !a.Approved; !ok {
				c.rt.Fatalf("%q dispatched %+v", id, a)
			}
		case *protocol.ChatToolCallResultConfirmed:
			call = a.ToolCallID
			if ok := id == keymap.CallApprove && a.Approved || id == keymap.CallDeny && !a.Approved; !ok {
				c.rt.Fatalf("%q dispatched %+v", id, a)
			}
		default:
			continue
		}
		if !strings.HasPrefix(c.looked, call+" ") {
			c.rt.Fatalf("%s was answered, but on the screen was %q", call, c.looked)
		}
		if seen := c.clock.Sub(c.since); seen < drawing {
			c.rt.Fatalf("%s was answered after %v on the screen", call, seen)
		}
		if asked := c.clock.Sub(c.live[call]); asked < reading {
			c.rt.Fatalf("%s was answered %v after it was asked", call, asked)
		}
	}
	c.seen = len(c.host.asked)
	looked := ""
	if sel := c.m.transcript.Selected(); isQuestion(sel) && c.m.focus == keymap.Transcript && c.m.top() == nil && c.m.scene.size.legible() {
		looked = sel.ID + " " + asText(c.rt, sel.Call)
	}
	if looked != c.looked {
		c.looked, c.since = looked, c.clock
	}
	c.checkWords()
}

func asText(t *rapid.T, call *protocol.ToolCall) string {
	data, err := protocol.Marshal(call)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkWords looks for everything that was typed.
func (c *chaos) checkWords() {
	var all strings.Builder
	all.WriteString(c.m.composer.Value())
	all.WriteString(c.m.unsent().text)
	for _, w := range c.m.drafts.kept {
		all.WriteString(w.text)
	}
	for _, l := range c.m.drafts.loose {
		all.WriteString(l.text)
	}
	for _, r := range c.host.asked {
		if o, ok := r.Outcome(); ok && o.Kind != ahpclient.Accepted {
			continue // it was given back
		}
		switch a := r.Action.(type) {
		case *protocol.ChatTurnStarted:
			all.WriteString(a.Message.Text.String())
		case *protocol.ChatPendingMessageSet:
			all.WriteString(a.Message.Text.String())
		}
	}
	for _, word := range c.words {
		if !strings.Contains(all.String(), word) {
			c.rt.Fatalf("%q was typed and is lost; there is %q", word, all.String())
		}
	}
}

// anyKey presses a key that deletes nothing of what is typed.
func (c *chaos) anyKey() {
	keys := []string{"enter", "esc", "f1", "ctrl+g", "ctrl+x", "pgup", "pgdown", "y", "d", "a", "n", "q", "1", " "}
	if c.m.place() != keymap.Composer {
		keys = append(keys, "tab", "shift+tab", "up", "down", "home", "end", "ctrl+u", "ctrl+d", "?", "i", "x", "s", "S", "e", "r", "R", "G", "space")
	}
	c.press(rapid.SampledFrom(keys).Draw(c.rt, "key"))
}

// anyWord types a word that is not there yet where text is typed.
func (c *chaos) anyWord() {
	if c.m.place() != keymap.Composer {
		c.press("i")
	}
	if c.m.place() != keymap.Composer {
		return
	}
	word := fmt.Sprintf("<%d>", len(c.words))
	for _, r := range word {
		c.press(string(r))
	}
	c.words = append(c.words, word)
}

func (c *chaos) anyPaste() {
	text := rapid.SampledFrom([]string{"y", "yyy\n", "1", "d", "\r", "approve\n", "q"}).Draw(c.rt, "text")
	if c.m.place() == keymap.Composer {
		word := fmt.Sprintf("<%d>", len(c.words))
		c.words, text = append(c.words, word), word+text
	}
	c.paste(text)
}

// anyAnswer presses the keys that answer more often than chance would.
func (c *chaos) anyAnswer() {
	if c.m.place() == keymap.Transcript {
		c.press(rapid.SampledFrom([]string{"y", "d", "1", "2"}).Draw(c.rt, "answer"))
	}
}

// anyClick clicks anywhere, more often than chance would on a key that answers.
// Nothing but such a key answers, and only if it has stood there for long enough.
func (c *chaos) anyClick() {
	x, y := rapid.IntRange(0, c.m.width-1).Draw(c.rt, "x"), rapid.IntRange(0, c.m.height-1).Draw(c.rt, "y")
	keys := c.m.mouse.keys
	if len(keys) > 0 && rapid.Bool().Draw(c.rt, "on a key") {
		key := rapid.SampledFrom(keys).Draw(c.rt, "which")
		x, y = key.From, key.Row
	}
	var id keymap.ID
	for _, key := range keys {
		if press, err := keymap.Press(key.Key.String()); err == nil && key.Row == y && key.From <= x && x < key.To && c.clock.Sub(key.since) >= reading {
			id, _ = c.m.keys.Match(press, c.m.place())
		}
	}
	if c.clock.Sub(c.m.mouse.back) < reading || c.m.mouse.away {
		id = ""
	}
	c.clickAt(x, y)
	c.check(id)
}

// anyPointing does with the mouse what never answers.
func (c *chaos) anyPointing() {
	at := tea.Mouse{X: rapid.IntRange(0, c.m.width-1).Draw(c.rt, "x"), Y: rapid.IntRange(0, c.m.height-1).Draw(c.rt, "y")}
	at.Button = rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown, tea.MouseLeft, tea.MouseRight}).Draw(c.rt, "button")
	switch rapid.SampledFrom([]string{"wheel", "motion", "blur", "focus"}).Draw(c.rt, "what") {
	case "wheel":
		c.send(tea.MouseWheelMsg(at))
	case "motion":
		c.send(tea.MouseMotionMsg(at))
	case "blur":
		c.send(tea.BlurMsg{})
	case "focus":
		c.send(tea.FocusMsg{})
	}
}

// anyMove goes to a question.
func (c *chaos) anyMove() {
	if c.m.place() != keymap.Composer {
		c.press("a")
	}
	c.press("ctrl+g")
}

func (c *chaos) active() *protocol.Turn { return c.host.states[chatA].(*protocol.ChatState).ActiveTurn }

func (c *chaos) anyQuestion() {
	if c.active() == nil || c.active().ID != "t1" {
		c.host.act(chatA, &protocol.ChatTurnStarted{TurnID: "t1", Message: protocol.UserMessage("go on")})
	}
	c.calls++
	id := fmt.Sprintf("c%d", c.calls)
	var options []*protocol.ConfirmationOption
	if rapid.Bool().Draw(c.rt, "options") {
		options = hostOptions()
	}
	c.host.ask(id, "{}", options...)
	c.live[id] = c.clock
	c.look()
}

// anyChange changes what a call that waits would do.
func (c *chaos) anyChange() {
	turn := c.active()
	if turn == nil {
		return
	}
	for i, part := range turn.ResponseParts {
		if part.ToolCall == nil || part.ToolCall.Status != protocol.ToolPendingConfirmation {
			continue
		}
		changed := *part.ToolCall
		changed.ToolInput = protocol.InputText(changed.ToolInput.Text.String() + "!")
		c.host.change(func() {
			chat, next := *c.host.states[chatA].(*protocol.ChatState), *turn
			next.ResponseParts = slices.Clone(turn.ResponseParts)
			next.ResponseParts[i] = &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &changed}
			chat.ActiveTurn = &next
			c.host.states[chatA] = &chat
		})
		break
	}
	c.look()
}

// anyEnd ends calls or the turn.
func (c *chaos) anyEnd() {
	turn := c.active()
	if turn == nil {
		return
	}
	if rapid.Bool().Draw(c.rt, "turn") {
		c.host.act(chatA, &protocol.ChatTurnComplete{TurnID: turn.ID})
	}
	for _, part := range turn.ResponseParts {
		if part.ToolCall != nil && part.ToolCall.Status == protocol.ToolRunning {
			c.host.act(chatA, &protocol.ChatToolCallComplete{
				TurnID: turn.ID, ToolCallID: part.ToolCall.ToolCallID, RequiresResultConfirmation: ptr(rapid.Bool().Draw(c.rt, "ask again")),
				Result: &protocol.ToolResult{Success: true, PastTenseMessage: protocol.Plain("done")},
			})
			c.live[part.ToolCall.ToolCallID] = c.clock
		}
	}
	c.look()
}

// anySettle ends a request somehow. What comes back is asked anew.
func (c *chaos) anySettle() {
	if len(c.open) == 0 {
		return
	}
	r := c.open[0]
	c.open = c.open[1:]
	kind := rapid.SampledFrom([]ahpclient.OutcomeKind{ahpclient.Accepted, ahpclient.Rejected, ahpclient.Expired, ahpclient.Unknown}).Draw(c.rt, "outcome")
	c.host.settle(r, ahpclient.Outcome{Kind: kind, Reason: "because"})
	if call := targetOf(r.Action); kind != ahpclient.Accepted && !c.live[call].IsZero() {
		c.live[call] = c.clock
	}
	c.look()
}

func (c *chaos) anyConnection() {
	if c.m.stale() {
		c.host.restore()
	} else {
		c.host.drop(errors.New("gone"))
	}
	c.look()
}

func (c *chaos) anyTime() {
	c.pass(time.Duration(rapid.IntRange(1, 900).Draw(c.rt, "ms")) * time.Millisecond)
	c.look()
}

func (c *chaos) anySize() {
	size := rapid.SampledFrom(viewtest.Sizes()).Draw(c.rt, "size")
	c.send(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
}

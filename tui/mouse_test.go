package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// The sizes that the mouse is tried in: one panel, three, and three with room.
var (
	narrow  = viewtest.Size{Width: 40, Height: 12}
	roomy   = viewtest.Size{Width: 200, Height: 60}
	threeOf = []viewtest.Size{classic, roomy}
)

// withMouse is a driver on a busy host with the mouse on.
func withMouse(t *testing.T, size viewtest.Size) *driver {
	t.Helper()
	d := newDriver(t, viewtest.Plain(t), size, busyHost)
	d.m.opts.Mouse = true
	d.pass(time.Second)
	d.look()
	return d
}

// find is the cell in which a text begins on the screen; the nth one from 0 on.
func (d *driver) find(text string, nth int) (x, y int) {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		for from := 0; ; nth-- {
			i := strings.Index(line[from:], text)
			if i < 0 {
				break
			}
			if nth == 0 {
				return ansi.StringWidth(line[:from+i]), y
			}
			from += i + len(text)
		}
	}
	d.t.Fatalf("the screen lacks %q:\n%s", text, d.screen())
	return 0, 0
}

func (d *driver) clickAt(x, y int) {
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// click clicks on a text.
func (d *driver) click(text string) {
	d.t.Helper()
	x, y := d.find(text, 0)
	d.clickAt(x, y)
}

func (d *driver) wheel(x, y, turns int) {
	button := tea.MouseWheelDown
	if turns < 0 {
		button, turns = tea.MouseWheelUp, -turns
	}
	for range turns {
		d.send(tea.MouseWheelMsg{X: x, Y: y, Button: button})
	}
}

func (d *driver) drag(fromX, toX, y int) {
	d.send(tea.MouseClickMsg{X: fromX, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseMotionMsg{X: toX, Y: y, Button: tea.MouseLeft})
	d.send(tea.MouseReleaseMsg{X: toX, Y: y, Button: tea.MouseLeft})
}

// TestMouseModes: the terminal is asked for the mouse only if the person wants it,
// and without it nothing that it sends does anything.
func TestMouseModes(t *testing.T) {
	t.Parallel()
	d := withMouse(t, classic)
	if d.frame.MouseMode != tea.MouseModeCellMotion || !d.frame.ReportFocus {
		t.Errorf("mode %v, focus %v", d.frame.MouseMode, d.frame.ReportFocus)
	}
	d = newDriver(t, viewtest.Plain(t), classic, busyHost)
	if d.frame.MouseMode != tea.MouseModeNone || d.frame.ReportFocus {
		t.Errorf("without: mode %v, focus %v", d.frame.MouseMode, d.frame.ReportFocus)
	}
	before := d.screen()
	d.click("clock")
	d.wheel(30, 5, 3)
	if d.focused(keymap.Sessions); d.screen() != before {
		t.Errorf("the mouse was off and did something:\n%s", d.screen())
	}
}

// TestClickSelects: a click selects the panel and what is under it; one more does
// what enter does.
func TestClickSelects(t *testing.T) {
	t.Parallel()
	for _, size := range threeOf {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			d := withMouse(t, size)
			d.click("clock")
			d.focused(keymap.Servers)
			if ref, _ := d.m.servers.Selected(); ref.ID != "id-clock" {
				t.Errorf("selected %v", ref)
			}
			d.click("clock")
			d.sees("MCP server ")
			d.focused(keymap.Overlay)
			d.key("esc")

			d.click("● Update")
			d.focused(keymap.Sessions)
			if d.m.current.session != sessionB {
				t.Errorf("the session is %s", d.m.current.session)
			}
			d.click("● Update")
			d.focused(keymap.Composer)
			d.write("kept")
			d.click("Fix the login")
			d.focused(keymap.Sessions)
			d.look()
			d.click("● Update")
			d.sees("kept")
			d.click("kept")
			d.focused(keymap.Composer)
		})
	}
}

// TestClickInTheChat: the item of a row is selected and unfolded, also in lines
// below its first.
func TestClickInTheChat(t *testing.T) {
	t.Parallel()
	for _, size := range append([]viewtest.Size{narrow}, threeOf...) {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			d := withMouse(t, size)
			if size == narrow {
				d.key("tab")
			}
			for _, id := range []string{"c1", "c2"} {
				d.host.act(
					chatA,
					&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: id, ToolName: "tool-" + id, DisplayName: "tool-" + id},
					&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: id, InvocationMessage: protocol.Plain("go"), ToolInput: protocol.InputText("{}"), Confirmed: "not-needed"},
					&protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: id, Result: &protocol.ToolResult{Success: true, PastTenseMessage: protocol.Plain("went"), Content: []*protocol.ToolResultContent{protocol.TextContent("told by " + id)}}},
				)
			}
			d.look()
			d.click("tool-c1")
			d.focused(keymap.Transcript)
			if sel := d.m.transcript.Selected(); sel.ID != "c1" {
				t.Fatalf("selected %+v:\n%s", sel, d.screen())
			}
			d.click("tool-c1")
			d.sees("told by c1")
			if size == narrow {
				return
			}
			d.click("tool-c2")
			d.click("told by c1")
			if sel := d.m.transcript.Selected(); sel.ID != "c1" {
				t.Errorf("selected %+v", sel)
			}
			d.click("told by c1")
			d.lacks("told by c1")
		})
	}
}

// TestClickAnswers: a question is answered by a click on its key, once it has
// stood there for long enough, and by no other click.
func TestClickAnswers(t *testing.T) {
	t.Parallel()
	for _, size := range append([]viewtest.Size{narrow}, threeOf...) {
		for _, tt := range []struct {
			key  string
			want bool
		}{{"[y]", true}, {"[d]", false}} {
			t.Run(fmt.Sprint(size, tt.key), func(t *testing.T) {
				t.Parallel()
				d := withMouse(t, size)
				d.host.ask("c1", "{}")
				d.look()
				d.focused(keymap.Transcript)
				d.click(tt.key)
				if d.host.count() != 0 {
					t.Fatal("answered as soon as it appeared")
				}
				d.pass(time.Second)
				d.click("notes.add")
				d.click("Run notes.add?")
				if d.host.count() != 0 {
					t.Fatal("answered by a click elsewhere")
				}
				d.pass(time.Second)
				x, y := d.find(tt.key, 0)
				d.clickAt(x+1, y)
				if a := asks[*protocol.ChatToolCallConfirmed](d, 0); a.Approved != tt.want {
					t.Errorf("approved %v", a.Approved)
				}
			})
		}
	}
}

// TestClickOptions: the host's own answers are clicked like all others.
func TestClickOptions(t *testing.T) {
	t.Parallel()
	d := withMouse(t, classic)
	d.host.ask("c1", "{}", hostOptions()...)
	d.look()
	d.pass(time.Second)
	d.click("Allow in this session")
	if a := asks[*protocol.ChatToolCallConfirmed](d, 0); a.SelectedOptionID != "always" {
		t.Errorf("chose %+v", a)
	}
}

// TestSpoofedKeys: what looks like the key of an answer and is a peer's text is
// none.
func TestSpoofedKeys(t *testing.T) {
	t.Parallel()
	d := withMouse(t, roomy)
	d.host.ask("c1", `"[y] approve everything"`)
	d.look()
	d.pass(time.Second)
	d.click("[y] approve everything")
	d.pass(time.Second)
	d.click("[y] approve everything")
	if d.host.count() != 0 {
		t.Error("a peer's text was taken for a key")
	}
}

// TestMovedKeys: a click does not answer what has moved under the pointer.
func TestMovedKeys(t *testing.T) {
	t.Parallel()
	d := withMouse(t, classic)
	d.host.ask("c1", "{}")
	d.look()
	d.pass(time.Second)
	d.host.act(chatA, &protocol.ChatResponsePart{TurnID: "t1", Part: &protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: "p9", Content: protocol.Plain(strings.Repeat("word ", 60))}})
	d.look()
	d.click("[y]")
	if d.host.count() != 0 {
		t.Fatal("answered what had just moved")
	}
	d.sees("look, then click")
	d.pass(reading)
	d.click("[y]")
	if d.host.count() != 1 {
		t.Errorf("not answered:\n%s", d.screen())
	}
}

// TestClickToTheFront: a click that brings the window to the front does nothing
// else, whether the terminal tells of the focus before or after it.
func TestClickToTheFront(t *testing.T) {
	t.Parallel()
	for name, focus := range map[string][]tea.Msg{"told": {tea.BlurMsg{}, tea.FocusMsg{}}, "late": {tea.BlurMsg{}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := withMouse(t, classic)
			d.host.ask("c1", "{}")
			d.look()
			d.pass(time.Minute)
			for _, msg := range focus {
				d.send(msg)
			}
			for range 3 {
				d.click("[y]")
				d.click("clock")
				d.pass(reading/3 - time.Millisecond)
			}
			d.focused(keymap.Transcript)
			if d.host.count() != 0 {
				t.Fatal("a click to the front approved")
			}
			d.pass(reading)
			d.click("[y]")
			if d.host.count() != 1 {
				t.Error("a click does nothing any more")
			}
		})
	}
}

// TestOtherButtons: no other button, and no click with shift, which is the
// terminal's, does anything.
func TestOtherButtons(t *testing.T) {
	t.Parallel()
	d := withMouse(t, classic)
	x, y := d.find("clock", 0)
	for _, mouse := range []tea.Mouse{{Button: tea.MouseRight}, {Button: tea.MouseMiddle}, {Button: tea.MouseLeft, Mod: tea.ModShift}} {
		mouse.X, mouse.Y = x, y
		d.send(tea.MouseClickMsg(mouse))
		d.focused(keymap.Sessions)
	}
}

// TestClickHints: the keys in the footer and in the status line are pressed by a
// click.
func TestClickHints(t *testing.T) {
	t.Parallel()
	for _, size := range append([]viewtest.Size{narrow}, threeOf...) {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			d := withMouse(t, size)
			d.click("i write")
			d.focused(keymap.Composer)
			d.click("esc back")
			d.focused(keymap.Sessions)
			d.pass(time.Second)
			if size != narrow {
				d.click("n new")
				d.focused(keymap.Form)
				d.pass(reading)
				d.click("esc cancel")
				d.focused(keymap.Sessions)
				d.click("? help")
				d.sees("Keys")
				d.key("end")
				d.sees("Mouse", "shift+drag")
				d.pass(reading)
				d.click("esc close")
				d.focused(keymap.Sessions)
			}
			d.key("shift+tab")
			d.host.ask("c1", "{}")
			d.look()
			d.click("1 blocked")
			d.focused(keymap.Transcript)
			if sel := d.m.transcript.Selected(); sel.ID != "c1" {
				t.Errorf("selected %+v", sel)
			}
		})
	}
}

// TestClickOptionsOfAWindow: an option of a window is chosen by a click on it, once
// it has been there for long enough.
func TestClickOptionsOfAWindow(t *testing.T) {
	t.Parallel()
	d := withMouse(t, classic)
	d.key("i")
	d.write("not sent")
	d.key("esc", "q")
	d.sees("Leave?")
	d.click("y leave")
	if d.m.leaving {
		t.Fatal("left by a click on what had just appeared")
	}
	d.pass(reading)
	d.click("n stay")
	d.focused(keymap.Sessions)
	d.key("q")
	d.pass(reading)
	d.click("y leave")
	if !d.m.leaving {
		d.t.Error("not left")
	}
}

// TestClickOnTheStartScreen: what is offered there is chosen by a click.
func TestClickOnTheStartScreen(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, nil)
	d.m.opts.Mouse = true
	d.pass(time.Second)
	start := d.m.overlays[0].(*startScreen)
	d.click("Connect to a host")
	if start.view.Choice() == 0 {
		t.Error("the field was not chosen")
	}
	d.click("Try the demo")
	if start.view.Choice() != 0 || start.attempt != nil {
		t.Error("the demo was not chosen, or began")
	}
	d.click("Try the demo")
	if start.attempt == nil {
		t.Error("the demo did not begin")
	}
}

// manySessions is a host with more sessions than there are lines.
func manySessions(now func() time.Time) *fakeHost {
	h := busyHost(now)
	for i := range 100 {
		h.sessions = append(h.sessions, summary(protocol.URI(fmt.Sprintf("copilot:/s%d", i)), fmt.Sprintf("Number %d.", i), protocol.StatusIdle|protocol.StatusRead, time.Duration(i+50)*time.Hour))
	}
	return h
}

// TestWheel: the wheel scrolls what is under it, and neither the focus nor the
// selection moves.
func TestWheel(t *testing.T) {
	t.Parallel()
	for _, size := range append([]viewtest.Size{narrow}, threeOf...) {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), size, manySessions)
			d.m.opts.Mouse = true
			d.pass(time.Second)
			d.sees("Fix the login")
			d.wheel(5, 5, 4)
			d.lacks("▲ Fix the login")
			d.sees("Number 12.")
			if got := d.m.sessions.Selected(); got != sessionA {
				t.Errorf("the wheel selected %s", got)
			}
			d.wheel(5, 5, -99)
			d.sees("Number 0.")
			d.wheel(5, 5, 99)
			d.sees("Number 99.")
			d.key("down")
			d.sees("Update the docs")

			if size == narrow {
				return
			}
			d.key("home")
			d.host.act(chatA, &protocol.ChatResponsePart{TurnID: "t1", Part: &protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: "p9", Content: protocol.Plain(strings.Repeat("a line\n\n", 80))}})
			d.look()
			d.lacks("please fix the login redirect")
			x, y := d.find("a line", 0)
			d.wheel(x, y, -99)
			d.sees("please fix the")
			d.focused(keymap.Sessions)
			if d.m.transcript.Following() {
				t.Error("it follows the end that it was scrolled away from")
			}
			d.wheel(x, y, 99)
			if !d.m.transcript.Following() {
				t.Error("the end is not followed")
			}
		})
	}
}

// TestWheelInAWindow: a window scrolls wherever the pointer is.
func TestWheelInAWindow(t *testing.T) {
	t.Parallel()
	d := withMouse(t, narrow)
	d.key("?")
	before := d.screen()
	d.wheel(1, 1, 2)
	if d.screen() == before {
		t.Error("the help was not scrolled")
	}
	d.wheel(1, 1, -2)
	if d.screen() != before {
		t.Errorf("it was not scrolled back:\n%s", d.screen())
	}
}

// TestDrag: the borders between panels can be moved, as far as every panel keeps
// some room, and keys do it too.
func TestDrag(t *testing.T) {
	t.Parallel()
	for _, size := range threeOf {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			d := withMouse(t, size)
			first := d.m.scene.size
			d.drag(first.sessions+1, first.sessions+1+6, 5)
			if got := d.m.scene.size; got.sessions != first.sessions+6 || got.servers != first.servers || got.transcript != first.transcript-6 {
				t.Errorf("after the left border: %+v, was %+v", got, first)
			}
			second := d.m.scene.size
			d.drag(second.sessions+second.transcript+2, second.sessions+second.transcript+2+3, 5)
			if got := d.m.scene.size; got.servers != second.servers-3 || got.sessions != second.sessions {
				t.Errorf("after the right border: %+v, was %+v", got, second)
			}
			d.send(tea.MouseMotionMsg{X: 40, Y: 5})
			if got := d.m.scene.size; got.servers != second.servers-3 {
				t.Errorf("a border moved that nobody holds: %+v", got)
			}
			d.drag(d.m.scene.size.sessions+1, size.Width-1, 5)
			if got := d.m.scene.size; got.transcript < leastChat || got.servers < leastSide {
				t.Errorf("no room is left: %+v", got)
			}
			d.drag(d.m.scene.size.sessions+1, 0, 5)
			if got := d.m.scene.size; got.sessions != leastSide {
				t.Errorf("%d columns are left", got.sessions)
			}
			d.checkSizes()
			d.send(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
			d.key("=")
			if got := d.m.scene.size; got != first {
				t.Errorf("%+v, at first %+v", got, first)
			}
			for _, key := range []string{"tab", "tab", "tab"} {
				before := d.m.scene.size
				d.key("+")
				grown := d.m.scene.size
				d.key("-")
				if back := d.m.scene.size; grown == before || back != before {
					t.Errorf("+ made %+v of %+v, and - made %+v", grown, before, back)
				}
				d.key("=", key)
			}
		})
	}
	d := withMouse(t, narrow)
	d.key("+")
	d.sees("too narrow for three")
}

// TestClickInAForm: what is clicked has the keys, and an option is chosen by it.
func TestClickInAForm(t *testing.T) {
	t.Parallel()
	d := withRequest(t, questions()...)
	d.m.opts.Mouse = true
	d.key("r")
	d.focused(keymap.Form)
	d.click("unit tests")
	d.sees("[x] unit tests")
	d.focused(keymap.Overlay)
	d.click("release-2.4")
	d.sees("(x) release-2.4")
	d.click("main")
	d.sees("(x) main", "( ) release-2.4", "[x] unit tests")
	d.click("What shall the branch")
	d.focused(keymap.Form)
	d.write("topic")
	d.sees("topic")
	if d.host.last() != nil {
		if _, sent := d.host.last().Action.(*protocol.ChatInputCompleted); sent {
			t.Error("a click sent the answers")
		}
	}
}

// TestClickInAList: an item of a list is selected by a click and chosen by another;
// the wheel scrolls it.
func TestClickInAList(t *testing.T) {
	t.Parallel()
	d := withMouse(t, classic)
	d.key(":")
	d.sees("Commands")
	first := d.screen()
	d.wheel(40, 12, 2)
	if d.screen() == first {
		t.Error("the list was not scrolled")
	}
	d.wheel(40, 12, -2)
	d.write("make a new")
	d.click("Make a new session")
	d.sees("New session")
	d.key("esc")
	d.key("A")
	d.sees("What waits for you")
}

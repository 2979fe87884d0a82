package tui

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"

	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// screenBench is a driver whose frames go all the way to the bytes for a terminal, as Bubble Tea's own renderer makes them.
type screenBench struct {
	*driver
	terminal *uv.TerminalRenderer
	cells    uv.ScreenBuffer
	written  counter
	frames   int
}

type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

var _ io.Writer = (*counter)(nil)

func newScreenBench(b *testing.B, host func(now func() time.Time) *fakeHost) *screenBench {
	b.Helper()
	s := &screenBench{driver: newDriver(b, viewtest.Colour(b), viewtest.Size{Width: 120, Height: 40}, host)}
	s.terminal = uv.NewTerminalRenderer(&s.written, []string{"TERM=xterm-256color"})
	s.terminal.SetColorProfile(colorprofile.TrueColor)
	s.terminal.SetFullscreen(true)
	s.terminal.SetRelativeCursor(false)
	s.draw(b)
	s.written, s.frames = 0, 0
	return s
}

// draw brings the newest frame to the terminal.
func (s *screenBench) draw(b *testing.B) {
	b.Helper()
	if s.cells.RenderBuffer == nil || s.cells.Width() != s.m.width || s.cells.Height() != s.m.height {
		s.cells = uv.NewScreenBuffer(s.m.width, s.m.height)
		s.terminal.Resize(s.m.width, s.m.height)
		s.terminal.Erase()
	}
	s.cells.Clear()
	uv.NewStyledString(s.frame.Content).Draw(s.cells, s.cells.Bounds())
	s.terminal.Render(s.cells.RenderBuffer)
	if err := s.terminal.Flush(); err != nil {
		b.Fatal(err)
	}
	s.frames++
}

func (s *screenBench) show(b *testing.B, msg tea.Msg) {
	b.Helper()
	s.send(msg)
	s.draw(b)
}

// latest hands over the newest view.
func (s *screenBench) latest(b *testing.B) {
	b.Helper()
	shot, _ := s.m.feed.latest()
	s.show(b, viewMsg{shot})
}

func (s *screenBench) run(b *testing.B, step func(n int)) {
	b.Helper()
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		step(n)
		n++
	}
	b.ReportMetric(float64(s.written)/float64(max(1, s.frames)), "B/frame")
}

var more = &protocol.ChatDelta{TurnID: "t1", PartID: "p1", Content: protocol.NewText("and on it goes ")}

// withItems is a host with a chat of so many parts: what was asked, what was answered, tools that were called.
func withItems(items int) func(now func() time.Time) *fakeHost {
	return func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		chat := *h.states[chatA].(*protocol.ChatState)
		const perTurn = 5
		for i := range (items + perTurn - 1) / perTurn {
			chat.Turns = append(chat.Turns, benchTurn(i))
		}
		h.states[chatA] = &chat
		return h
	}
}

func benchTurn(i int) *protocol.Turn {
	call := func(name string) *protocol.ResponsePart {
		return &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{
			Status: protocol.ToolCompleted, ToolCallID: fmt.Sprint(name, i), ToolName: name, DisplayName: name, Success: ptr(true),
			InvocationMessage: protocol.Plain("Look for it"), PastTenseMessage: protocol.Markdown("Looked at `" + name + "`"), ToolInput: protocol.InputText(`{"query":"login redirect"}`),
			Content: []*protocol.ToolResultContent{protocol.TextContent(strings.Repeat("a line of output\n", 20))},
		}}
	}
	return &protocol.Turn{
		ID: fmt.Sprint("old", i), Message: protocol.UserMessage(fmt.Sprint("please look at number ", i)), StartedAt: ago(time.Hour), State: protocol.TurnComplete,
		ResponseParts: []*protocol.ResponsePart{
			{Kind: protocol.PartMarkdown, ID: fmt.Sprint("m", i), Content: protocol.Markdown("I'll look at **that** first.\n\n- one thing\n- `another`\n\n```go\nfunc main() { println(\"hello\") }\n```\n")},
			call("issues.search"), call("files.read"),
			{Kind: protocol.PartMarkdown, ID: fmt.Sprint("e", i), Content: protocol.Markdown("That is *done*. The redirect took the wrong host, which is mended.")},
		},
	}
}

// BenchmarkFrame is what a frame costs from a message to the bytes for the terminal: with nothing new, with a little more of an
// answer, with a key that scrolls, and with another size of the window. Its cost must not depend on the length of the chat.
func BenchmarkFrame(b *testing.B) {
	for _, items := range []int{10, 1000, 100_000} {
		b.Run(fmt.Sprintf("items=%d", items), func(b *testing.B) {
			host := withItems(items)
			b.Run("unchanged", func(b *testing.B) {
				s := newScreenBench(b, host)
				s.run(b, func(int) { s.show(b, tickMsg{}) })
			})
			b.Run("delta", func(b *testing.B) {
				s := newScreenBench(b, host)
				s.run(b, func(int) {
					s.host.act(chatA, more)
					s.latest(b)
				})
			})
			b.Run("scroll", func(b *testing.B) {
				s := newScreenBench(b, host)
				s.key("tab")
				pages := []tea.Msg{keyPress(b, "pgup"), keyPress(b, "pgup"), keyPress(b, "pgdown"), keyPress(b, "up")}
				s.run(b, func(n int) { s.show(b, pages[n%len(pages)]) })
			})
			b.Run("resize", func(b *testing.B) {
				s := newScreenBench(b, host)
				sizes := []tea.WindowSizeMsg{{Width: 200, Height: 60}, {Width: 120, Height: 40}, {Width: 80, Height: 24}}
				s.run(b, func(n int) { s.show(b, sizes[n%len(sizes)]) })
			})
		})
	}
	for _, deltas := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("message=%d/delta", deltas), func(b *testing.B) {
			s := newScreenBench(b, withItems(10))
			s.host.change(func() {
				state := s.host.states[chatA]
				for range deltas {
					state = protocol.Reduce(s.host.profile(), state, more)
				}
				s.host.states[chatA] = state
			})
			s.latest(b)
			s.run(b, func(int) {
				s.host.act(chatA, more)
				s.latest(b)
			})
		})
	}
}

// BenchmarkBurst is a second of a host that sends ten thousand actions in it, drawn as often as the screen is: an op that takes
// less than a second keeps up.
func BenchmarkBurst(b *testing.B) {
	const actions = 10_000
	s := newScreenBench(b, withItems(1000))
	s.run(b, func(int) {
		for range framesPerSecond {
			s.host.change(func() {
				for range actions / framesPerSecond {
					s.host.states[chatA] = protocol.Reduce(s.host.profile(), s.host.states[chatA], more)
				}
			})
			s.latest(b)
		}
	})
	b.ReportMetric(actions*float64(b.N)/b.Elapsed().Seconds(), "actions/s")
}

// BenchmarkKeyToFrame is a key in a chat whose last tool call is unfolded and has written so many lines.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, lines := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			s := newScreenBench(b, withOutput(lines))
			s.key("tab")
			if !s.m.transcript.SelectCall("t1", "c1") {
				b.Fatal("there is no call to unfold")
			}
			s.key("enter")
			if !strings.Contains(s.frame.Content, "a line of output number") {
				b.Fatalf("it is not unfolded:\n%s", viewtest.Text(s.frame.Content))
			}
			keys := []tea.Msg{keyPress(b, "down"), keyPress(b, "pgdown"), keyPress(b, "up"), keyPress(b, "pgup")}
			s.run(b, func(n int) { s.show(b, keys[n%len(keys)]) })
		})
	}
}

// withOutput is a host in whose chat a tool has written so many lines.
func withOutput(lines int) func(now func() time.Time) *fakeHost {
	return func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		h.ask("c1", "{}")
		var out strings.Builder
		for i := range lines {
			fmt.Fprintf(&out, "a line of output number %d\n", i)
		}
		h.act(
			chatA,
			&protocol.ChatToolCallConfirmed{TurnID: "t1", ToolCallID: "c1", Approved: true},
			&protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c1", Result: &protocol.ToolResult{
				Success: true, PastTenseMessage: protocol.Plain("Ran it"), Content: []*protocol.ToolResultContent{protocol.TextContent(out.String())},
			}},
		)
		return h
	}
}

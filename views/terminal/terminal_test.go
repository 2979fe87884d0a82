package terminal

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/viewtest"
)

const id = protocol.URI("ahp-terminal:/1")

func content(cols, rows int, outputs ...string) *Content {
	c := &Content{ID: id, Cols: cols, Rows: rows, Cwd: safetext.Const("/home/u/app")}
	for _, out := range outputs {
		c.Parts = append(c.Parts, &protocol.TerminalPart{Type: protocol.TerminalUnclassified, Value: protocol.NewText(out)})
	}
	return c
}

func input(c *Content) Input {
	return Input{
		Rows: []Row{
			{ID: id, Title: safetext.Const("bash"), Owner: safetext.Const("you")},
			{ID: "ahp-terminal:/2", Title: safetext.Const("go test ./..."), Owner: safetext.Const("this session"), Ended: true, Exit: safetext.Const("exit 1")},
			{ID: "ahp-terminal:/3", Title: safetext.Const("watch"), Owner: safetext.Const("another client")},
		},
		Content: c, Leave: safetext.Const("ctrl+]"), Hint: safetext.Const("i types into it"),
	}
}

// session is output as a shell and a few programs write it.
func session() string {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "\x1b[32mok\x1b[m   example/pkg%d\t0.%02ds\r\n", i, i)
	}
	b.WriteString("\x1b[1;31mFAIL\x1b[m example/broken 日本語 👩\u200d💻\r\n\x1b[?2004h\x1b[1m$\x1b[m echo \x1b[4mhi\x1b[24m")
	return b.String()
}

// TestScreens compares the panel with screens that were looked at once.
func TestScreens(t *testing.T) {
	t.Parallel()
	typing := input(content(80, 24, session()))
	typing.Typing = true
	stale := input(content(80, 24, session()))
	stale.Stale = true
	for name, scene := range map[string]struct {
		in   Input
		play func(m *Model)
	}{
		"running": {in: input(content(80, 24, session()))},
		"typing":  {in: typing},
		"back":    {in: input(content(80, 24, session())), play: (*Model).Home},
		"stale":   {in: stale},
		"alone":   {in: Input{Rows: input(nil).Rows[:1], Content: content(80, 24, "$ ")}},
		"none":    {in: Input{Empty: safetext.Const("no terminals; n makes one")}},
		"opening": {in: Input{Rows: input(nil).Rows, Empty: safetext.Const("opening the terminal")}},
		"ended":   {in: input(content(80, 24, "bye\r\n"))},
	} {
		for _, size := range []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 24}, {Width: 200, Height: 60}} {
			for _, look := range []struct {
				name  string
				theme func(testing.TB) themes.Theme
				text  func(string) string
			}{{"plain", viewtest.Plain, viewtest.Text}, {"colour", viewtest.Colour, func(s string) string { return s + "\n" }}} {
				t.Run(fmt.Sprintf("%s/%dx%d-%s", name, size.Width, size.Height, look.name), func(t *testing.T) {
					t.Parallel()
					m := New(look.theme(t))
					m.SetSize(size.Width, size.Height)
					if name == "ended" {
						m.Select("ahp-terminal:/2")
					}
					m.Sync(scene.in)
					if scene.play != nil {
						scene.play(m)
					}
					drawn := m.View(scene.in, true)
					viewtest.Check(t, drawn, size.Width, size.Height)
					golden.RequireEqual(t, look.text(drawn))
				})
			}
		}
	}
}

// hostile is output that asks for what a panel must not do.
func hostile() []string {
	return append(viewtest.Hostile(),
		"\x1b]0;title\x07", "\x1b]2;title\x1b\\", "\x1b]52;c;ZXZpbA==\x07", "\x1b]8;;http://evil/\x07link\x1b]8;;\x07", "\x1b]4;1;#ff0000\x07",
		"\x1b]10;#123456\x07\x1b]11;?\x07\x1b]104\x07", "\x1b]9;note\x07\x1b]777;notify;a;b\x07\x1b]7501;x\x07", "\x1b]133;A\x07\x1b]633;E;x\x07",
		"\x1bP+q544e\x1b\\\x1bP$qm\x1b\\", "\x1b_Gi=1;AAAA\x1b\\", "\x1b^pm\x1b\\\x1bXsos\x1b\\", "\x1b[6n\x1b[5n\x1b[c\x1b[>c\x1b[=c\x1b[>q\x1b[?6n\x1b[?1$p\x1b[18t\x1b[21t",
		"\x1b[?1000h\x1b[?1003h\x1b[?1004h\x1b[?1006h\x1b[?2026h\x1b[?2027h\x1b[?2048h\x1b[?9999999h", "\x1b[>1u\x1b[=1u\x1b[?u\x1b[<u", "\x1b[8;50;100t\x1b[9;1t\x1b[22t\x1b[23t",
		"\x1b[5m\x1b[8mhidden\x1b[m", "\x1b[!p\x1b[?3h\x1bc\x1b#8\x1b[2 q", "\x1b[99999999999999999999b", "x\x1b[9999b\x1b[9999I\x1b[9999Z\x1b[9999@\x1b[9999P\x1b[9999X", "\x1b[9999S\x1b[9999T\x1b[9999L\x1b[9999M",
		"\x1b]52;c;never ended", "\x1bPnever", "\x1b[1;", "\x1b", "\x1b[3;1r\x1b[?69h\x1b[5;10s\x1b[2J\x1bM\x1bD", "\x1b(0lqqk\x1b(B\x0e\x0f\x8f\x9b31m", "\x85\x9d0;x\x9c",
		"\u009b6n\u009d52;c;x\u009c\u0090q\u009c", strings.Repeat("\x1b[?1049h\x1b[?1049l", 200), strings.Repeat("\u0301", 3000), strings.Repeat("\x1b[38;5;1;48;2;1;2;3;4:3;58:2::1:2:3m", 50)+"x",
	)
}

// TestHostileOutput: whatever a program writes, and however it is cut, what is drawn
// is as large as the panel, holds no control character but the styles of cells, and
// the program gets no answer.
func TestHostileOutput(t *testing.T) {
	t.Parallel()
	for i, out := range append(hostile(), strings.Join(hostile(), "")) {
		for _, cut := range []int{len(out), 1, 3, 7} {
			t.Run(fmt.Sprintf("%d/%d", i, cut), func(t *testing.T) {
				t.Parallel()
				m := New(viewtest.Colour(t))
				m.SetSize(31, 9)
				c := content(20, 5)
				text := protocol.NewText("")
				for rest := out; rest != ""; {
					n := min(cut, len(rest))
					text = text.AppendString(rest[:n])
					rest = rest[n:]
					c.Parts = []*protocol.TerminalPart{{Type: protocol.TerminalUnclassified, Value: text}}
					m.Sync(input(c))
				}
				for range 3 {
					drawn := m.View(input(c), true)
					viewtest.Check(t, drawn, 31, 9)
					if strings.Contains(drawn, "\x1b[5m") || strings.Contains(drawn, "\x1b[8m") {
						t.Errorf("text blinks or hides: %q", drawn)
					}
					m.PageUp()
				}
			})
		}
	}
}

// recorder notes what a filter lets through.
type recorder struct{ strings.Builder }

func (r *recorder) text(s string)                    { r.WriteString(s) }
func (r *recorder) escape(s string, _ byte, _ []int) { r.WriteString(s) }
func (r *recorder) mode(n int, set bool)             { fmt.Fprintf(r, "<%d %v>", n, set) }

// TestFilter: what is let through of a sequence, and nothing else.
func TestFilter(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"plain \x1b[1mbold\x1b[m\r\n", "plain \x1b[1mbold\x1b[m\r\n"},
		{"\x1b]0;title\x07a\x1b]2;t\x1b\\b\x1bPq\x1b\\c\x1b_x\x1b\\d", "abcd"},
		{"\x1b]0;unended\x1b[31mred", "\x1b[31mred"},
		{"\x1b]0;given up\x18text", "text"},
		{"\x1b[6n\x1b[c\x1b[>c\x1b[?6n\x1b[?1$p\x1b[18t\x1b[>1u\x1b[2 q", ""},
		{"\x1b[?1049h\x1b[?2004;1h\x1b[?25l", "<1049 true><2004 true><1 true><25 false>"},
		{"\x1b=\x1b>", "<-66 true><-66 false>"},
		{"\x1b[5;10s\x1b[s\x1b[u", "\x1b[s\x1b[u"},
		{"\x1b[10000A\x1b[9999A", "\x1b[9999A"},
		{"\x1b[" + strings.Repeat("1;", 100) + "mx", "x"},
		{"\a\x05\x00bell\x7f\u009b31m", "bell31m"},
		{"\x1b(0\x1b)B\x1b*0\x1b#8\x1b7\x1b8\x1bZ", "\x1b(0\x1b)B\x1b7\x1b8"},
		{"caf\xc3", "caf"},
		{"\x1b日", "日"},
	} {
		for cut := 1; cut <= len(tt.in); cut++ {
			var r recorder
			f := filter{sink: &r}
			for rest := tt.in; rest != ""; {
				n := min(cut, len(rest))
				f.write(rest[:n])
				rest = rest[n:]
			}
			if got := r.String(); got != tt.want {
				t.Errorf("%q in pieces of %d: %q, want %q", tt.in, cut, got, tt.want)
			}
		}
	}
}

// TestFollow: a screen that was fed as the output grew looks like one that got all
// of it at once, whatever becomes of the content in between.
func TestFollow(t *testing.T) {
	t.Parallel()
	theme := viewtest.Colour(t)
	rapid.Check(t, func(t *rapid.T) {
		state := &protocol.TerminalState{}
		profile := protocol.ProfileOf(protocol.V0_9_0)
		grown := New(theme)
		grown.SetSize(30, 12)
		cols, rows := 20, 6
		// Marks that come late, behind their letter, stand by themselves: none begins a piece.
		pieces := []string{
			"\r\n", "text ", "\x1b[31m", "\x1b[?1049h", "\x1b[?1049l", "\x1b[2;3H", "\x1b[2K", "a\tb", "日本", "e\u0301", "\x1b[1;", "\x1b]0;", "\x07", "\x1b[3;4r",
			"\x1b]52;c;ZXZpbA==\x07x", "\x1b[2J\x1b[31mred\x1b[6n", "\x1bP$q\"p\x1b\\", "over\rwritten", "👩\u200d💻 👍🏽", "\x1b[9999S",
		}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			var a protocol.Action = &protocol.TerminalData{Data: protocol.NewText(rapid.SampledFrom(pieces).Draw(t, "out"))}
			switch rapid.IntRange(0, 12).Draw(t, "step") {
			case 0:
				a = &protocol.TerminalCleared{}
			case 1:
				a = &protocol.TerminalCommandExecuted{CommandID: rapid.StringMatching("[ab]").Draw(t, "id")}
			case 2:
				a = &protocol.TerminalCommandFinished{CommandID: "a", ExitCode: new(1)}
			case 3:
				cols = rapid.IntRange(1, 40).Draw(t, "cols")
			}
			state = protocol.ReduceTerminal(profile, state, a)
			grown.Sync(input(&Content{ID: id, Parts: state.Content, Cols: cols, Rows: rows}))
		}
		in := input(&Content{ID: id, Parts: state.Content, Cols: cols, Rows: rows})
		anew := New(theme)
		anew.SetSize(30, 12)
		if a, b := grown.View(in, true), anew.View(in, true); a != b {
			t.Fatalf("grown:\n%s\nanew:\n%s", a, b)
		}
	})
}

// TestGrowthIsFed: what was fed is not fed again.
func TestGrowthIsFed(t *testing.T) {
	t.Parallel()
	m := New(viewtest.Plain(t))
	m.SetSize(30, 12)
	text := protocol.NewText("").AppendString("one\r\n")
	c := content(20, 6)
	sync := func() {
		c.Parts = []*protocol.TerminalPart{{Type: protocol.TerminalUnclassified, Value: text}}
		m.Sync(input(c))
	}
	sync()
	s := m.follower.screen
	version := s.version
	sync()
	if s.version != version {
		t.Error("nothing came, and something was fed")
	}
	text = text.AppendString("two\r\n")
	sync()
	if m.follower.screen != s || s.version != version+1 {
		t.Errorf("a screen anew, or %d feeds", s.version-version)
	}
	if got := viewtest.Text(m.View(m.in, true)); !strings.Contains(got, "one\ntwo") {
		t.Errorf("%s", got)
	}
}

// TestScrollStays: what is read stays where it is while more comes, and the keys
// bring one back to the end.
func TestScrollStays(t *testing.T) {
	t.Parallel()
	m := New(viewtest.Plain(t))
	m.SetSize(30, 12)
	text := protocol.NewText("")
	c := content(20, 6)
	write := func(from, to int) string {
		for i := from; i < to; i++ {
			text = text.AppendString(fmt.Sprintf("line %d\r\n", i))
		}
		c.Parts = []*protocol.TerminalPart{{Type: protocol.TerminalUnclassified, Value: text}}
		return viewtest.Text(m.View(input(c), true))
	}
	write(0, 100)
	m.PageUp()
	m.PageUp()
	before := viewtest.Text(m.View(input(c), true))
	after := write(100, 150)
	body := func(s string) string {
		_, rest, _ := strings.Cut(s, "below\n")
		return rest
	}
	if body(before) != body(after) || body(before) == "" {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	m.Key(tea.Key{Code: 'x', Text: "x"})
	if got := viewtest.Text(m.View(input(c), true)); !strings.Contains(got, "line 149") {
		t.Errorf("%s", got)
	}
	m.Home()
	if got := viewtest.Text(m.View(input(c), true)); !strings.Contains(got, "line 0\n") {
		t.Errorf("%s", got)
	}
}

// TestBounds: a flood of output, a huge terminal and work without end are cut.
func TestBounds(t *testing.T) {
	t.Parallel()
	m := New(viewtest.Plain(t))
	m.SetSize(30, 12)
	c := content(100000, 100000, strings.Repeat("a line of output\r\n", 200_000), strings.Repeat("\x1b[2J\x1b[9999S\x1b[9999b", 20_000))
	viewtest.Check(t, m.View(input(c), true), 30, 12)
	s := m.follower.screen
	if s.cols != maxCols || s.rows != maxRows || len(s.history) > maxHistory*5/4+chunk || s.historyBytes > maxHistoryBytes+chunk*maxCols {
		t.Errorf("%dx%d with %d lines in %d bytes", s.cols, s.rows, len(s.history), s.historyBytes)
	}
}

// TestKeys: keys are sent as XTerm sends them.
func TestKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		key  tea.Key
		want string
	}{
		{tea.Key{Code: 'a', Text: "a"}, "a"},
		{tea.Key{Code: 'a', ShiftedCode: 'A', Text: "A", Mod: tea.ModShift}, "A"},
		{tea.Key{Code: 'é', Text: "é"}, "é"},
		{tea.Key{Code: 'a', Mod: tea.ModAlt}, "\x1ba"},
		{tea.Key{Code: 'c', Mod: tea.ModCtrl}, "\x03"},
		{tea.Key{Code: 'c', Mod: tea.ModCtrl | tea.ModAlt}, "\x1b\x03"},
		{tea.Key{Code: tea.KeySpace, Mod: tea.ModCtrl}, "\x00"},
		{tea.Key{Code: '\\', Mod: tea.ModCtrl}, "\x1c"},
		{tea.Key{Code: tea.KeySpace, Text: " "}, " "},
		{tea.Key{Code: tea.KeyEnter}, "\r"},
		{tea.Key{Code: tea.KeyTab}, "\t"},
		{tea.Key{Code: tea.KeyTab, Mod: tea.ModShift}, "\x1b[Z"},
		{tea.Key{Code: tea.KeyBackspace}, "\x7f"},
		{tea.Key{Code: tea.KeyBackspace, Mod: tea.ModAlt}, "\x1b\x7f"},
		{tea.Key{Code: tea.KeyEscape}, "\x1b"},
		{tea.Key{Code: tea.KeyUp}, "\x1b[A"},
		{tea.Key{Code: tea.KeyRight, Mod: tea.ModCtrl}, "\x1b[1;5C"},
		{tea.Key{Code: tea.KeyHome}, "\x1b[H"},
		{tea.Key{Code: tea.KeyDelete}, "\x1b[3~"},
		{tea.Key{Code: tea.KeyPgUp, Mod: tea.ModAlt}, "\x1b[5;3~"},
		{tea.Key{Code: tea.KeyF1}, "\x1bOP"},
		{tea.Key{Code: tea.KeyF5}, "\x1b[15~"},
		{tea.Key{Code: tea.KeyF12, Mod: tea.ModShift}, "\x1b[24;2~"},
		{tea.Key{Code: tea.KeyLeftShift}, ""},
		{tea.Key{Code: 'x', Text: "\x1b]0;x\x07"}, "]0;x"},
	} {
		if got := encode(tt.key, false); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.key, got, tt.want)
		}
	}
	m := New(viewtest.Plain(t))
	m.SetSize(30, 12)
	m.Sync(input(content(20, 5, "\x1b[?1h\x1b[?2004h")))
	if got := m.Key(tea.Key{Code: tea.KeyUp}); got != "\x1bOA" {
		t.Errorf("an arrow in its application form: %q", got)
	}
}

// TestPaste: nothing in what is pasted is a key but the end of a line.
func TestPaste(t *testing.T) {
	t.Parallel()
	const text = "one\r\ntwo\n\x1b[201~rm\x03\x07\ttab"
	if got, want := pasted(text, false), "one\rtwo\r[201~rm\ttab"; got != want {
		t.Errorf("%q", got)
	}
	if got, want := pasted(text, true), "\x1b[200~one\rtwo\r[201~rm\ttab\x1b[201~"; got != want {
		t.Errorf("%q", got)
	}
}

// TestWayOut: while keys go to the terminal, the panel of any size says which one
// does not.
func TestWayOut(t *testing.T) {
	t.Parallel()
	for _, size := range viewtest.Sizes() {
		for _, in := range []Input{input(content(80, 24, session())), {Empty: safetext.Const("gone")}} {
			in.Typing, in.Leave = true, safetext.Const("ctrl+]")
			m := New(viewtest.Plain(t))
			m.SetSize(size.Width, size.Height)
			drawn := m.View(in, true)
			viewtest.Check(t, drawn, size.Width, size.Height)
			if size.Width >= 10 && !strings.Contains(drawn, "ctrl+]") {
				t.Errorf("%v:\n%s", size, drawn)
			}
		}
	}
}

func BenchmarkFeed(b *testing.B) {
	out := strings.Repeat("\x1b[32mok\x1b[m  \texample/package/with/a/name  0.012s\r\n", 1000)
	b.SetBytes(int64(len(out)))
	for b.Loop() {
		newScreen(80, 24, cellPainter{}).feed(out)
	}
}

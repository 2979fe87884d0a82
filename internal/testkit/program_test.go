package testkit_test

import (
	"errors"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ahptui/internal/testkit"
)

func TestStartModel(t *testing.T) {
	t.Parallel()
	p := testkit.StartModel(t, standard(), echo{})

	screen := p.WaitFor(t, testkit.Patience, "size 80x24", "dark=true", "2026=2")
	if lines := strings.Split(screen, "\n"); len(lines) != 24 || lines[0] != "size 80x24" {
		t.Errorf("the screen has %d lines, the first is %q", len(lines), lines[0])
	}
	if got := p.Title(); got != "echo; 80x24" {
		t.Errorf("Title() = %q", got)
	}
	if !p.AltScreen() {
		t.Error("AltScreen() = false")
	}

	p.Type("a B\n")
	p.Key(t, "up", "esc", "j", "ctrl+a", "alt+x", "shift+tab", "ctrl+right", "f5")
	p.WaitFor(t, testkit.Patience, "keys <a><space><B><enter><up><esc><j><ctrl+a><alt+x><shift+tab><ctrl+right><f5>")
	p.Paste("two words")
	p.WaitFor(t, testkit.Patience, "pasted two words")
	p.Send(tell("a word"))
	p.WaitFor(t, testkit.Patience, "a word")
	p.Resize(testkit.Size{Cols: 40, Rows: 10})
	screen = p.WaitFor(t, testkit.Patience, "size 40x10")
	if lines := strings.Split(screen, "\n"); len(lines) != 10 {
		t.Errorf("after the resize the screen has %d lines", len(lines))
	}

	p.Key(t, "ctrl+c")
	model, err := p.Wait(t, testkit.Patience)
	if err != nil {
		t.Fatal(err)
	}
	if got := model.(echo).pasted; got != "two words" {
		t.Errorf("the last model has %q", got)
	}
	if p.AltScreen() {
		t.Error("the program has ended and is on the alternate screen")
	}
	p.CheckRestored(t)
}

func TestStyle(t *testing.T) {
	t.Parallel()
	p := testkit.StartModel(t, standard(), echo{})
	p.WaitFor(t, testkit.Patience, "alarm")

	style := p.StyleOf(t, "alarm")
	if style.Attrs&uv.AttrBold == 0 {
		t.Error("the alarm is not bold")
	}
	if got, want := color.RGBAModel.Convert(style.Fg), (color.RGBA{R: 0xff, A: 0xff}); got != want {
		t.Errorf("the alarm is %v, want %v", got, want)
	}
	col, row, ok := p.Find("alarm")
	if !ok || col != 5 || row != 4 {
		t.Errorf("Find = %d, %d, %v, want 5, 4, true: two wide characters and a space stand before it", col, row, ok)
	}
	if cell, ok := p.Cell(0, 4); !ok || cell.Content != "世" || cell.Width != 2 {
		t.Errorf("Cell(0, 4) = %q of width %d, %v", cell.Content, cell.Width, ok)
	}
	if _, ok := p.Cell(80, 0); ok {
		t.Error("there is a cell outside of the screen")
	}
	if styled := p.Styled(); !strings.Contains(styled, "38;2;255;0;0") {
		t.Errorf("Styled() has no red: %q", styled)
	}
	if _, _, visible := p.Cursor(); visible {
		t.Error("the cursor shows though the view has none")
	}
}

func writeAll(t *testing.T, p *testkit.Program, s string) {
	t.Helper()
	if _, err := p.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
}

func TestKilledWithTheTest(t *testing.T) {
	t.Parallel()
	var p *testkit.Program
	t.Run("leaves it running", func(t *testing.T) {
		p = testkit.StartModel(t, standard(), echo{})
		p.WaitFor(t, testkit.Patience, "size")
	})
	if _, err := p.Wait(t, testkit.Patience); !errors.Is(err, tea.ErrProgramKilled) {
		t.Errorf("the program ended with %v, want %v", err, tea.ErrProgramKilled)
	}
}

func TestWaitQuiet(t *testing.T) {
	t.Parallel()
	p := testkit.StartModel(t, standard(), echo{})
	p.WaitFor(t, testkit.Patience, "dark=true", "2026=2", "2027=2")
	p.WaitQuiet(t, testkit.Patience, 200*time.Millisecond)
	before := len(p.Output())
	p.WaitQuiet(t, testkit.Patience, 200*time.Millisecond)
	if after := len(p.Output()); after != before {
		t.Errorf("an idle program wrote %d bytes", after-before)
	}
}

// recorder is a test that writes down that it failed, where a helper is expected to fail it.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()           {}
func (r *recorder) Error(args ...any) { r.failures = append(r.failures, args[0].(string)) }
func (r *recorder) Errorf(f string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(f, args...))
}
func (r *recorder) Fatalf(f string, args ...any) { r.Errorf(f, args...); panic(r) }
func (r *recorder) Fatal(args ...any)            { r.Errorf("%v", args...); panic(r) }

// failuresOf runs f with a test of its own and returns how that test failed.
func failuresOf(t *testing.T, f func(testing.TB)) (failures []string) {
	r := &recorder{TB: t}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			panic(p)
		}
		failures = r.failures
	}()
	f(r)
	return r.failures
}

func TestFailuresShowTheScreen(t *testing.T) {
	t.Parallel()
	p := testkit.StartModel(t, standard(), echo{})
	p.WaitFor(t, testkit.Patience, "size 80x24")

	for name, f := range map[string]func(testing.TB){
		"WaitFor":  func(tb testing.TB) { p.WaitFor(tb, 10*time.Millisecond, "no such thing") },
		"WaitGone": func(tb testing.TB) { p.WaitGone(tb, 10*time.Millisecond, "size 80x24") },
		"StyleOf":  func(tb testing.TB) { p.StyleOf(tb, "no such thing") },
		"Wait":     func(tb testing.TB) { _, _ = p.Wait(tb, 10*time.Millisecond) },
	} {
		failures := failuresOf(t, f)
		if len(failures) != 1 || !strings.Contains(failures[0], "│size 80x24") {
			t.Errorf("%s failed with %q", name, failures)
		}
	}
	if failures := failuresOf(t, func(tb testing.TB) { p.Key(tb, "hyper+q") }); len(failures) != 1 {
		t.Errorf("a key that is none failed with %q", failures)
	}

	p.Key(t, "ctrl+c")
	if _, err := p.Wait(t, testkit.Patience); err != nil {
		t.Fatal(err)
	}
	failures := failuresOf(t, func(tb testing.TB) { p.WaitFor(tb, testkit.Patience, "no such thing") })
	if len(failures) != 1 || !strings.Contains(failures[0], "has ended") {
		t.Errorf("waiting for a program that is gone failed with %q", failures)
	}
}

func TestCheckRestored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, leave string
		want        []string
	}{
		{"nothing", "", nil},
		{"the alternate screen", "\x1b[?1049h", []string{"the alternate screen (mode 1049) is set"}},
		{"a hidden cursor", "\x1b[?25l", []string{"the cursor (mode 25) is reset"}},
		{"bracketed paste and the mouse", "\x1b[?2004h\x1b[?1003h", []string{"the mouse (mode 1003) is set", "bracketed paste (mode 2004) is set"}},
		{"keyboard extensions", "\x1b[>1u\x1b[>4;2m", []string{"the Kitty keyboard stack has depth 1", "modifyOtherKeys is 2"}},
		{"a red pen", "\x1b[31m", []string{`what comes next is written in "\x1b[31m"`}},
		{"a blue background", "\x1b]11;#0000ff\x07", []string{"its default colours have changed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := testkit.StartModel(t, standard(), echo{})
			p.WaitFor(t, testkit.Patience, "size")
			p.Key(t, "ctrl+c")
			if _, err := p.Wait(t, testkit.Patience); err != nil {
				t.Fatal(err)
			}
			if tt.leave != "" {
				writeAll(t, p, tt.leave)
			}
			got := failuresOf(t, func(tb testing.TB) { p.CheckRestored(tb) })
			var want []string
			for _, w := range tt.want {
				want = append(want, "the terminal is not as it was: "+w)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("CheckRestored failed with %q, want %q", got, want)
			}
		})
	}
}

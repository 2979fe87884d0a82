package frame_test

import (
	"fmt"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/viewtest"
)

func window(width int) frame.Window {
	side := max(1, width/5)
	middle := max(1, width-2*side-4)
	return frame.Window{
		Panels: []frame.Panel{
			{Title: safetext.Const("Sessions"), Note: safetext.Const("12"), Width: side, Body: frame.Fit([]string{"one", "two"}, side, 2)},
			{Title: safetext.Const("Fix the 日本語 login bug"), Width: middle, Body: frame.Fit([]string{"middle"}, middle, 1), Focused: true},
			{Title: safetext.Const("MCP servers"), Width: side, Body: frame.Fit([]string{"● 日本語日本語日本語日本語"}, side, 1)},
		},
		Below:  "> typed\n  more",
		Footer: lipgloss.NewStyle().Bold(true).Render("i") + " write  ⏎ send  esc back  tab panel  a next blocked",
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for _, size := range []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 12}, {Width: 200, Height: 12}} {
		t.Run(fmt.Sprint(size.Width), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, viewtest.Text(window(size.Width).Render(viewtest.Plain(t), size.Width, size.Height)))
		})
	}
}

func TestWindowIsItsSize(t *testing.T) {
	t.Parallel()
	for _, size := range viewtest.Sizes() {
		w := window(size.Width)
		viewtest.Check(t, w.Render(viewtest.Colour(t), size.Width, size.Height), size.Width, size.Height)
		w.Below = ""
		viewtest.Check(t, w.Render(viewtest.ASCII(t), size.Width, size.Height), size.Width, size.Height)
		viewtest.Check(t, frame.Window{}.Render(viewtest.Plain(t), size.Width, size.Height), size.Width, size.Height)
	}
}

// With no section below, the borders of the panels meet the lower one.
func TestWindowWithoutBelow(t *testing.T) {
	t.Parallel()
	w := window(60)
	w.Below, w.Footer = "", ""
	golden.RequireEqual(t, viewtest.Text(w.Render(viewtest.Plain(t), 60, 5)))
}

func TestInside(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ height, below, want int }{{24, 0, 22}, {24, 1, 20}, {3, 0, 1}, {3, 5, 0}} {
		if got := frame.Inside(tt.height, tt.below); got != tt.want {
			t.Errorf("Inside(%d, %d) = %d, want %d", tt.height, tt.below, got, tt.want)
		}
	}
}

func TestOverlay(t *testing.T) {
	t.Parallel()
	theme := viewtest.Plain(t)
	screen := strings.Repeat(strings.Repeat("日", 20)+"\n", 9) + strings.Repeat("日", 20)
	box := frame.Box(theme, safetext.Const("New session"), safetext.Const("esc closes"), "one\ntwo", 19, 5)
	viewtest.Check(t, box, 19, 5)
	drawn, x, y := frame.Overlay(screen, box, 40, 10)
	viewtest.Check(t, drawn, 40, 10)
	if x != 10 || y != 2 {
		t.Errorf("the box is at %d, %d", x, y)
	}
	golden.RequireEqual(t, viewtest.Text(drawn))
}

func TestOverlayIsTheSizeOfTheScreen(t *testing.T) {
	t.Parallel()
	theme := viewtest.Colour(t)
	for _, size := range viewtest.Sizes() {
		screen := window(size.Width).Render(theme, size.Width, size.Height)
		for _, box := range viewtest.Sizes() {
			drawn, _, _ := frame.Overlay(screen, frame.Box(theme, safetext.Const("日本"), safetext.Const("x"), "body", box.Width, box.Height), size.Width, size.Height)
			viewtest.Check(t, drawn, size.Width, size.Height)
		}
	}
}

// However a line is made and cut, it is as wide as it must be, and a cut shows.
func TestLineFits(t *testing.T) {
	t.Parallel()
	text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", " ", "日", "👍", "é", "word"}), 0, 8)
	rapid.Check(t, func(t *rapid.T) {
		var line frame.Line
		for range rapid.IntRange(0, 5).Draw(t, "spans") {
			line = line.Add(lipgloss.NewStyle().Bold(rapid.Bool().Draw(t, "bold")), safetext.Clean(strings.Join(text.Draw(t, "text"), ""), 100))
		}
		width := rapid.IntRange(0, 30).Draw(t, "width")
		drawn := line.Fit(width, lipgloss.NewStyle())
		if w := ansi.StringWidth(drawn); w != width {
			t.Fatalf("%q is %d columns, want %d", drawn, w, width)
		}
		if cut := strings.Contains(drawn, "…"); width > 0 && cut != (line.Width() > width) {
			t.Fatalf("%q of %d columns in %d: ellipsis %v", drawn, line.Width(), width, cut)
		}
		right := frame.Line{}.Add(lipgloss.NewStyle(), safetext.Clean(strings.Join(text.Draw(t, "right"), ""), 100))
		if w := ansi.StringWidth(frame.Ends(line, right, width, lipgloss.NewStyle())); w != width {
			t.Fatalf("Ends is %d columns, want %d", w, width)
		}
	})
}

func TestEnds(t *testing.T) {
	t.Parallel()
	plain := lipgloss.NewStyle()
	left, right := frame.Line{}.Add(plain, safetext.Const("filesystem")), frame.Line{}.Add(plain, safetext.Const("2 min"))
	for _, tt := range []struct {
		width int
		want  string
	}{{20, "filesystem     2 min"}, {16, "filesystem 2 min"}, {12, "files… 2 min"}, {9, "filesyst…"}} {
		if got := frame.Ends(left, right, tt.width, plain); got != tt.want {
			t.Errorf("at %d: %q, want %q", tt.width, got, tt.want)
		}
	}
}

func TestSheet(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			drawn := frame.Sheet(theme, safetext.Const("日本"), safetext.Const("more"), safetext.Const("esc back"), "one\n日本語日本語", size.Width, size.Height)
			viewtest.Check(t, drawn, size.Width, size.Height)
		}
	}
	golden.RequireEqual(t, viewtest.Text(frame.Sheet(viewtest.Plain(t), safetext.Const("Sign in"), safetext.Const("↓ more"), safetext.Const("esc back"), "one\ntwo", 40, 5)))
}

// A URL is broken anywhere, and nothing is between its pieces.
func TestLink(t *testing.T) {
	t.Parallel()
	strong := lipgloss.NewStyle().Bold(true)
	for _, raw := range []string{"https://login.example:8443/a/b?c=d#e", "http://x", "mailto:x@y", "https://\u202eevil.example/\u65e5", ""} {
		link := safetext.URL(raw)
		for width := range 60 {
			all := ""
			for i, line := range frame.Link(lipgloss.NewStyle(), strong, link, width) {
				if i > 0 && len(all)%width != 0 || line.Width() > width {
					t.Fatalf("%q at %d: line %d is %d columns wide behind %q", raw, width, i, line.Width(), all)
				}
				for _, span := range line {
					all += span.Text.String()
				}
			}
			if width > 0 && all != link.Text().String() {
				t.Fatalf("%q at %d: %q", raw, width, all)
			}
		}
	}
}

func TestLinkPointsOutTheHost(t *testing.T) {
	t.Parallel()
	bold := ""
	for _, line := range frame.Link(lipgloss.NewStyle(), lipgloss.NewStyle().Bold(true), safetext.URL("https://Login.Example:8443/login.example"), 10) {
		for _, span := range line {
			if span.Style.GetBold() {
				bold += span.Text.String()
			}
		}
	}
	if bold != "login.example" {
		t.Errorf("%q stands out", bold)
	}
}

// A line is painted as Lip Gloss would paint it.
func TestPaint(t *testing.T) {
	t.Parallel()
	plain := lipgloss.NewStyle()
	for _, style := range []lipgloss.Style{
		plain, plain.Bold(true), plain.Faint(true).Italic(true), plain.Reverse(true),
		plain.Foreground(lipgloss.Color("#7dcfff")), plain.Foreground(lipgloss.Color("12")).Background(lipgloss.Color("#102030")).Bold(true),
	} {
		want := style.Render("some text")
		if got := (frame.Line{}.Own(style, "some text")).Fit(9, plain); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package composer_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/composer"
	"ahptui/views/viewtest"
)

var input = composer.Input{Placeholder: safetext.Const("write to the agent")}

func typed(t *testing.T, width int, text string) *composer.Model {
	m := composer.New(viewtest.Plain(t))
	m.SetSize(width, 3)
	m.Focus()
	for _, r := range text {
		m.Update(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return m
}

func TestComposer(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			m := typed(t, width, "")
			screens := viewtest.Text(m.View(input, true))
			screens += viewtest.Text(m.View(composer.Input{Disabled: safetext.Const("read-only chat")}, false))
			m = typed(t, width, "please fix the login redirect, 日本語のテキスト, and the test that goes with it; thank you")
			screens += viewtest.Text(m.View(input, true))
			screens += viewtest.Text(m.View(composer.Input{Disabled: safetext.Const("not connected: what you type stays")}, true))
			golden.RequireEqual(t, screens)
		})
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for i, size := range viewtest.Sizes() {
			m := composer.New(theme)
			m.SetSize(size.Width, size.Height)
			viewtest.Check(t, m.View(input, true), size.Width, size.Height)
			m.Focus()
			for j := range 3 {
				m.SetValue(viewtest.Hostile()[(3*i+j)%len(viewtest.Hostile())])
				viewtest.Check(t, m.View(input, true), size.Width, size.Height)
				viewtest.Check(t, m.View(composer.Input{Disabled: safetext.Const("no")}, false), size.Width, size.Height)
				if c := m.Cursor(); c != nil && (c.X >= size.Width || c.Y >= size.Height) {
					t.Fatalf("the cursor is at %d, %d of %v", c.X, c.Y, size)
				}
			}
		}
	}
}

func TestGrows(t *testing.T) {
	t.Parallel()
	m := typed(t, 20, "")
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 1}, {"short", 1}, {"one\ntwo", 2}, {strings.Repeat("word ", 10), 4}, {"1\n2\n3\n4\n5\n6", 6}, {strings.Repeat("many\n", 50), composer.MaxLines},
	} {
		m.SetValue(tt.text)
		if got := m.Lines(composer.Input{}, 20); got != tt.want {
			t.Errorf("%q takes %d lines, want %d", tt.text, got, tt.want)
		}
	}
}

// What was typed survives losing the focus, and nothing gets in without it.
func TestFocus(t *testing.T) {
	t.Parallel()
	m := typed(t, 40, "abc")
	m.View(input, true)
	if m.Cursor() == nil || m.Cursor().X != 5 || m.Cursor().Y != 0 {
		t.Errorf("the cursor is at %v", m.Cursor())
	}
	m.Blur()
	m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
	m.Update(tea.PasteMsg{Content: "y"})
	m.Newline()
	if m.Value() != "abc" || m.Focused() || m.Cursor() != nil {
		t.Errorf("without focus: %q, cursor %v", m.Value(), m.Cursor())
	}
}

// A paste is text, line ends and all; it does not act.
func TestPaste(t *testing.T) {
	t.Parallel()
	m := typed(t, 40, "")
	m.Update(tea.PasteMsg{Content: "one\r\ntwo\n\x1b[31mthree"})
	if got := m.Value(); got != "one\ntwo\n[31mthree" {
		t.Errorf("pasted %q", got)
	}
	m.Newline()
	m.Update(tea.KeyPressMsg{Code: 'x', Text: "x"})
	if got := m.Value(); got != "one\ntwo\n[31mthree\nx" {
		t.Errorf("then typed %q", got)
	}
}

func TestPasteThatDoesNotFit(t *testing.T) {
	t.Parallel()
	m := typed(t, 60, "kept")
	m.Update(tea.PasteMsg{Content: strings.Repeat("line\n", 60_000)})
	if m.Value() != "kept" || !strings.Contains(m.View(input, true), "not pasted") {
		t.Errorf("a paste of 300 kB: %d bytes are there, and the screen says %q", len(m.Value()), m.View(input, true))
	}
	m.Update(tea.KeyPressMsg{Code: '!', Text: "!"})
	if strings.Contains(m.View(input, true), "not pasted") {
		t.Error("the notice stays")
	}
}

// Enter is the sender's key: it does not get into the text by itself.
func TestEnterIsNotText(t *testing.T) {
	t.Parallel()
	m := typed(t, 40, "a")
	m.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	if m.Value() != "a" {
		t.Errorf("Enter made %q of it", m.Value())
	}
}

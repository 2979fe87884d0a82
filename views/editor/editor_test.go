package editor_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"ahptui/views/editor"
	"ahptui/views/viewtest"
)

func field(multiline bool, width, height int) *editor.Model {
	m := &editor.Model{Multiline: multiline}
	m.SetSize(width, height)
	m.Focus()
	return m
}

// press sends keys by the names that Bubble Tea gives them; others are text.
func press(m *editor.Model, keys ...string) {
	special := map[string]tea.KeyPressMsg{
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
		"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
		"ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
		"ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+k": {Code: 'k', Mod: tea.ModCtrl}, "alt+d": {Code: 'd', Mod: tea.ModAlt},
		"enter": {Code: tea.KeyEnter},
	}
	for _, k := range keys {
		if msg, ok := special[k]; ok {
			m.Update(msg)
			continue
		}
		r, _ := utf8.DecodeRuneInString(k)
		m.Update(tea.KeyPressMsg{Code: r, Text: k})
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		keys       []string
		want       string // | is the cursor
	}{
		{"text", "", []string{"a", "日", "b"}, "a日b|"},
		{"left by a cluster", "a👩\u200d💻e\u0301", []string{"left", "left", "x"}, "ax|👩\u200d💻e\u0301"},
		{"backspace takes a cluster", "a👩\u200d💻", []string{"backspace"}, "a|"},
		{"backspace at the beginning", "a", []string{"home", "backspace"}, "|a"},
		{"backspace joins lines", "a\nb", []string{"home", "backspace"}, "a|b"},
		{"delete", "abc", []string{"home", "right", "delete"}, "a|c"},
		{"delete at the end", "abc", []string{"delete"}, "abc|"},
		{"home and end are the line's", "one\ntwo\nthree", []string{"up", "home", "x", "end", "y"}, "one\nxtwoy|\nthree"},
		{"to the ends", "one\ntwo", []string{"ctrl+home", "x", "ctrl+end", "y"}, "xone\ntwoy|"},
		{"words back", "one two  three", []string{"ctrl+left", "ctrl+left"}, "one |two  three"},
		{"words on", "one two  three", []string{"home", "ctrl+right", "ctrl+right"}, "one two|  three"},
		{"delete a word back", "one two ", []string{"ctrl+w"}, "one |"},
		{"delete a word on", "one two", []string{"home", "alt+d"}, "| two"},
		{"delete to the line's beginning", "one\ntwo", []string{"left", "ctrl+u"}, "one\n|o"},
		{"delete to the line's end", "one\ntwo", []string{"ctrl+home", "right", "ctrl+k"}, "o|\ntwo"},
		{"up keeps its column over a short line", "long line\nx\nlong line", []string{"left", "left", "up", "up"}, "long li|ne\nx\nlong line"},
		{"up from the first line", "abc", []string{"left", "up"}, "|abc"},
		{"down from the last line", "abc", []string{"home", "down"}, "abc|"},
		{"enter is no text", "a", []string{"enter"}, "a|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := field(true, 40, 5)
			m.SetValue(tt.text)
			press(m, tt.keys...)
			m.Insert("|")
			if got := m.Value(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Up and down go by what is on the screen, not by the lines of the text.
func TestUpAndDownInAWrappedLine(t *testing.T) {
	t.Parallel()
	m := field(true, 11, 5)
	m.SetValue("aaaa bbbb cccc dddd")
	lines, x, y := m.View(lipgloss.NewStyle())
	if strings.Join(lines, "/") != "aaaa bbbb /cccc dddd" || x != 9 || y != 1 {
		t.Fatalf("%q, cursor %d, %d", lines, x, y)
	}
	press(m, "up")
	if _, x, y = m.View(lipgloss.NewStyle()); x != 9 || y != 0 {
		t.Errorf("up: %d, %d", x, y)
	}
	press(m, "down")
	if _, x, y = m.View(lipgloss.NewStyle()); x != 9 || y != 1 {
		t.Errorf("down: %d, %d", x, y)
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	m := field(false, 10, 1)
	m.Update(tea.PasteMsg{Content: "/home/u\r\n/日本語/project\n"})
	if got := m.Value(); got != "/home/u /日本語/project" {
		t.Errorf("pasted %q", got)
	}
	lines, x, y := m.View(lipgloss.NewStyle())
	if len(lines) != 1 || lines[0] != "/project" && lines[0] != " /project" || x != 9 || y != 0 {
		t.Errorf("%q, cursor %d, %d", lines, x, y)
	}
	press(m, "home")
	if lines, x, _ = m.View(lipgloss.NewStyle()); !strings.HasPrefix(lines[0], "/home/u") || x != 0 {
		t.Errorf("at the beginning: %q, cursor %d", lines, x)
	}
}

func TestAdmitsNoControls(t *testing.T) {
	t.Parallel()
	m := field(true, 10, 1)
	m.Update(tea.PasteMsg{Content: "a\x1b[31m\x00\tb\xffc\rd\r\ne\u009b"})
	if got := m.Value(); got != "a[31m\tb\ufffdc\nd\ne" {
		t.Errorf("%q", got)
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	m := field(true, 10, 1)
	m.SetValue("kept")
	m.Update(tea.PasteMsg{Content: strings.Repeat("x", editor.MaxBytes)})
	if m.Value() != "kept" || !m.Refused() {
		t.Errorf("too much: %d bytes, refused %v", len(m.Value()), m.Refused())
	}
	press(m, "left")
	if m.Refused() {
		t.Error("it stays refused")
	}
	m.SetValue(strings.Repeat("é", editor.MaxBytes))
	if n := len(m.Value()); n > editor.MaxBytes || !utf8.ValidString(m.Value()) {
		t.Errorf("set to %d bytes", n)
	}
}

// Whatever is typed: the cursor is in the field and between clusters, no line
// is too wide, nothing unsafe is drawn, and all of the text is there.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	keys := []string{
		"a", " ", "日", "👩\u200d💻", "\u0301", "\u202e", "🇩", "\t", "left", "right", "up", "down", "home", "end", "ctrl+home", "ctrl+end",
		"backspace", "delete", "ctrl+left", "ctrl+right", "ctrl+w", "alt+d", "ctrl+u", "ctrl+k",
	}
	rapid.Check(t, func(rt *rapid.T) {
		multiline := rapid.Bool().Draw(rt, "multiline")
		width, height := rapid.IntRange(1, 14).Draw(rt, "width"), rapid.IntRange(1, 4).Draw(rt, "height")
		m := field(multiline, width, height)
		m.SetValue(strings.Join(rapid.SliceOf(rapid.SampledFrom(viewtest.Hostile()[:16])).Draw(rt, "text"), " "))
		for _, k := range rapid.SliceOf(rapid.SampledFrom(keys)).Draw(rt, "keys") {
			press(m, k)
			lines, x, y := m.View(lipgloss.NewStyle())
			if x < 0 || x >= width || y < 0 || y >= len(lines) || len(lines) > height {
				rt.Fatalf("cursor %d, %d in %d lines at %dx%d", x, y, len(lines), width, height)
			}
			for _, line := range lines {
				viewtest.CheckClean(t, line)
				if w := ansi.StringWidth(line); w > width {
					rt.Fatalf("%q is %d columns, want %d", line, w, width)
				}
			}
		}
		if !utf8.ValidString(m.Value()) {
			rt.Fatalf("%q is cut in a character", m.Value())
		}
	})
}

package prompt

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"ahptui/views/viewtest"
)

func typing(t testing.TB, text string, keys ...string) field {
	special := map[string]tea.KeyPressMsg{
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
		"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
		"ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+k": {Code: 'k', Mod: tea.ModCtrl},
		"alt+d": {Code: 'd', Mod: tea.ModAlt}, "ctrl+v": {Code: 'v', Mod: tea.ModCtrl},
	}
	f := newField(viewtest.Plain(t), text)
	f.focus()
	for _, k := range keys {
		if msg, ok := special[k]; ok {
			f.update(msg)
			continue
		}
		r, _ := utf8.DecodeRuneInString(k)
		f.update(tea.KeyPressMsg{Code: r, Text: k})
	}
	return f
}

func TestFieldKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		keys       []string
		want       string // | is the cursor
	}{
		{"text", "", []string{"a", "日", "b"}, "a日b|"},
		{"left by a cluster", "a👩\u200d💻e\u0301", []string{"left", "left", "x"}, "ax|👩\u200d💻e\u0301"},
		{"backspace takes a cluster", "a👩\u200d💻", []string{"backspace"}, "a|"},
		{"a mark joins what it is typed behind", "xy", []string{"left", "\u0301", "backspace"}, "|y"},
		{"to the ends", "one two", []string{"home", "x", "end", "y"}, "xone twoy|"},
		{"words", "one two  three", []string{"ctrl+left", "ctrl+left"}, "one |two  three"},
		{"delete a word back", "/home/u x", []string{"ctrl+w"}, "/home/u |"},
		{"delete a word on", "one two", []string{"home", "alt+d"}, "| two"},
		{"delete the last character as a word", "one a", []string{"left", "alt+d"}, "one |"},
		{"delete a word behind the end", "one", []string{"alt+d"}, "one|"},
		{"delete to the beginning", "one two", []string{"left", "ctrl+u"}, "|o"},
		{"delete to the end", "one two", []string{"home", "right", "ctrl+k"}, "o|"},
		{"nothing is read from a clipboard", "a", []string{"ctrl+v"}, "a|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := typing(t, tt.text, append(tt.keys, "|")...)
			if got := f.value(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestFieldScrolls(t *testing.T) {
	t.Parallel()
	f := typing(t, "")
	f.update(tea.PasteMsg{Content: "/home/u\r\n/日本語/project\n"})
	if got := f.value(); got != "/home/u /日本語/project" {
		t.Errorf("pasted %q", got)
	}
	line, x := f.view(10)
	if strings.TrimSpace(line) != "/project" || x > 9 || x != strings.Index(line, "t")+1 {
		t.Errorf("%q, cursor %d", line, x)
	}
	f.update(tea.KeyPressMsg{Code: tea.KeyHome})
	if line, x = f.view(10); !strings.HasPrefix(line, "/home/u") || x != 0 {
		t.Errorf("at the beginning: %q, cursor %d", line, x)
	}
}

func TestFieldLimit(t *testing.T) {
	t.Parallel()
	f := typing(t, "kept")
	f.update(tea.PasteMsg{Content: strings.Repeat("x", MaxField)})
	if f.value() != "kept" {
		t.Errorf("%d bytes were taken", len(f.value()))
	}
	f.blur()
	f.update(tea.PasteMsg{Content: "x"})
	if f.value() != "kept" {
		t.Errorf("without focus: %q", f.value())
	}
}

// Whatever is typed: the cursor is in the field and behind as many columns as
// it should, the line is not too wide, and nothing unsafe is drawn.
func TestFieldAnyKeys(t *testing.T) {
	t.Parallel()
	keys := []string{
		"a", " ", "日", "👩\u200d💻", "\u0301", "\u202e", "🇩", "left", "right", "up", "down", "home", "end",
		"backspace", "delete", "ctrl+left", "ctrl+right", "ctrl+w", "alt+d", "ctrl+u", "ctrl+k",
	}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(viewtest.Hostile()[:16]), 0, 6).Draw(rt, "text"), " ")
		width := rapid.IntRange(1, 14).Draw(rt, "width")
		f := typing(t, text, rapid.SliceOfN(rapid.SampledFrom(keys), 0, 40).Draw(rt, "keys")...)
		line, x := f.view(width)
		viewtest.CheckClean(t, line)
		if w := ansi.StringWidth(line); x < 0 || x >= width || w > width {
			rt.Fatalf("%q is %d columns of %d, the cursor is at %d", line, w, width, x)
		}
		if !utf8.ValidString(f.value()) {
			rt.Fatalf("%q is cut in a character", f.value())
		}
	})
}

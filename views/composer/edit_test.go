package composer_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"ahptui/internal/safetext"
	"ahptui/views/composer"
	"ahptui/views/viewtest"
)

// field is a composer with so many columns for the text.
func field(t testing.TB, width, height int) *composer.Model {
	const sign = 2
	m := composer.New(viewtest.Plain(t))
	m.SetSize(width+sign, height)
	m.Focus()
	return m
}

// shown are the lines of the text on the screen, and where the cursor is in
// them.
func shown(m *composer.Model) (lines []string, x, y int) {
	const sign = 2
	for line := range strings.Lines(viewtest.Text(m.View(composer.Input{}, true))) {
		_, text, _ := strings.Cut(strings.TrimRight(line, "\n")+"  ", " ")
		lines = append(lines, strings.Trim(text, " "))
	}
	return lines, m.Cursor().X - sign, m.Cursor().Y
}

// press sends keys by the names that Bubble Tea gives them; others are text.
func press(m *composer.Model, keys ...string) {
	special := map[string]tea.KeyPressMsg{
		"left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown},
		"home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd}, "backspace": {Code: tea.KeyBackspace}, "delete": {Code: tea.KeyDelete},
		"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
		"ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
		"shift+left": {Code: tea.KeyLeft, Mod: tea.ModShift}, "alt+u": {Code: 'u', Mod: tea.ModAlt}, "ctrl+t": {Code: 't', Mod: tea.ModCtrl},
		"ctrl+w": {Code: 'w', Mod: tea.ModCtrl}, "ctrl+u": {Code: 'u', Mod: tea.ModCtrl}, "ctrl+k": {Code: 'k', Mod: tea.ModCtrl}, "alt+d": {Code: 'd', Mod: tea.ModAlt},
		"ctrl+v": {Code: 'v', Mod: tea.ModCtrl}, "ctrl+g": {Code: 'g', Mod: tea.ModCtrl}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
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
		{"a mark joins what it is typed behind", "", []string{"x", "e", "\u0301", "backspace"}, "x|"},
		{"a mark joins in the middle of a line", "one\nxy", []string{"left", "\u0301", "backspace"}, "one\n|y"},
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
		{"nothing is read from a clipboard", "a", []string{"ctrl+v"}, "a|"},
		{"nothing is selected and typed over", "abc", []string{"shift+left", "ctrl+g", "x"}, "abcx|"},
		{"paging is not the field's", "one\ntwo", []string{"pgup", "pgdown"}, "one\ntwo|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := field(t, 40, 5)
			m.SetValue(tt.text)
			press(m, tt.keys...)
			press(m, "|")
			if got := m.Value(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Up and down go by what is on the screen, not by the lines of the text.
func TestUpAndDownInAWrappedLine(t *testing.T) {
	t.Parallel()
	m := field(t, 11, 2)
	m.SetValue("aaaa bbbb cccc dddd")
	lines, x, y := shown(m)
	if strings.Join(lines, "/") != "aaaa bbbb/cccc dddd" || x != 9 || y != 1 {
		t.Fatalf("%q, cursor %d, %d", lines, x, y)
	}
	press(m, "up")
	if _, x, y = shown(m); x != 9 || y != 0 {
		t.Errorf("up: %d, %d", x, y)
	}
	press(m, "down")
	if _, x, y = shown(m); x != 9 || y != 1 {
		t.Errorf("down: %d, %d", x, y)
	}
}

// The cursor stands behind what is drawn, however wide that is and however many
// code points it is made of.
func TestCursorIsWhereTheTextIs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"abc": 3, "日本": 4, "e\u0301e": 2, "👩\u200d💻x": 3, "🇩🇪": 2, "\u202ea": 2, "\ta": 2, "\u200b": 1,
	} {
		m := field(t, 20, 1)
		m.SetValue(text)
		if _, x, y := shown(m); x != want || y != 0 {
			t.Errorf("%q: the cursor is at %d, %d, want column %d", text, x, y, want)
		}
	}
}

// What is deleted does not leave the field half empty.
func TestScrollsBack(t *testing.T) {
	t.Parallel()
	m := field(t, 20, 3)
	m.SetValue("1\n2\n3\n4\n5\n6")
	if lines, _, y := shown(m); strings.Join(lines, "/") != "4/5/6" || y != 2 {
		t.Errorf("%q, cursor in line %d", lines, y)
	}
	press(m, "backspace", "backspace", "backspace", "backspace")
	if lines, _, y := shown(m); strings.Join(lines, "/") != "2/3/4" || y != 2 {
		t.Errorf("after deleting two lines: %q, cursor in line %d", lines, y)
	}
	press(m, "ctrl+home")
	if lines, _, y := shown(m); strings.Join(lines, "/") != "1/2/3" || y != 0 {
		t.Errorf("at the beginning: %q, cursor in line %d", lines, y)
	}
	m.SetSize(6, 3)
	m.SetValue("one two three four")
	m.SetSize(40, 3)
	if lines, _, y := shown(m); lines[0] != "one two three four" || y != 0 {
		t.Errorf("made wider: %q, cursor in line %d", lines, y)
	}
}

// What is typed or pasted is given back as it was, but for control characters
// and the kinds of line ends; and it is drawn clean.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		want := strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
				return -1
			}
			return r
		}, strings.ToValidUTF8(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\ufffd"))
		m := field(t, 30, 4)
		m.Update(tea.PasteMsg{Content: "before " + s + " after"})
		if got := m.Value(); got != "before "+want+" after" {
			t.Errorf("pasted %q, got back %q", s, got)
		}
		viewtest.Check(t, m.View(input, true), 32, 4)
		m.SetValue(s)
		if got := m.Value(); got != want {
			t.Errorf("set %q, got back %q", s, got)
		}
		viewtest.Check(t, m.View(input, true), 32, 4)
	}
}

func TestSetValueThatDoesNotFit(t *testing.T) {
	t.Parallel()
	m := field(t, 30, 4)
	for _, s := range []string{strings.Repeat("é", composer.MaxBytes), strings.Repeat("\n", 20_000)} {
		m.SetValue(s)
		if got := m.Value(); composer.Fits(s) || !composer.Fits(got) || !strings.HasPrefix(s, got) || len(got) < 9_000 {
			t.Errorf("set %d bytes, %d are there, and they fit: %v", len(s), len(got), composer.Fits(s))
		}
	}
	most := strings.Repeat("\n", 9_999)
	m.SetValue(most)
	if m.Value() != most || !composer.Fits(most) {
		t.Errorf("of %d lines, %d are there", len(most), len(m.Value()))
	}
	m.Newline()
	if m.Value() != most || !strings.Contains(m.View(input, true), "too long") {
		t.Error("a line too many was taken, or was not refused on the screen")
	}
}

// Whatever is typed: the cursor is in the field, the screen is exactly its
// size, nothing unsafe is drawn, and the text is whole characters.
func TestAnyKeys(t *testing.T) {
	t.Parallel()
	keys := []string{
		"a", " ", "日", "👩\u200d💻", "\u0301", "\u202e", "🇩", "\t", "left", "right", "up", "down", "home", "end", "ctrl+home", "ctrl+end",
		"backspace", "delete", "ctrl+left", "ctrl+right", "ctrl+w", "alt+d", "ctrl+u", "ctrl+k", "alt+u", "ctrl+t",
	}
	rapid.Check(t, func(rt *rapid.T) {
		width, height := rapid.IntRange(1, 14).Draw(rt, "width"), rapid.IntRange(1, 4).Draw(rt, "height")
		m := field(t, width, height)
		m.SetValue(strings.Join(rapid.SliceOfN(rapid.SampledFrom(viewtest.Hostile()[:16]), 0, 6).Draw(rt, "text"), " "))
		in := composer.Input{}
		if rapid.Bool().Draw(rt, "noted") {
			in.Disabled = safetext.Const("no")
		}
		for _, k := range rapid.SliceOfN(rapid.SampledFrom(keys), 0, 40).Draw(rt, "keys") {
			press(m, k)
			viewtest.Check(t, m.View(in, true), width+2, height)
			if c := m.Cursor(); c == nil || c.X < 0 || c.X >= width+2 || c.Y < 0 || c.Y >= height {
				rt.Fatalf("the cursor is at %v of %dx%d", c, width, height)
			}
			if !utf8.ValidString(m.Value()) {
				rt.Fatalf("%q is cut in a character", m.Value())
			}
			if lines := m.Lines(composer.Input{}, width+2); lines < 1 || lines > composer.MaxLines {
				rt.Fatalf("it would like %d lines", lines)
			}
		}
	})
}

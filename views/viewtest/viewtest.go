// Package viewtest is what the tests of the panels share: sizes, hostile text,
// and what every panel must hold.
package viewtest

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"ahptui/themes"
)

// Plain is the theme without colours, for golden screens.
func Plain(t testing.TB) themes.Theme {
	t.Helper()
	theme, err := themes.New(themes.Monochrome, themes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// Colour is a theme with colours.
func Colour(t testing.TB) themes.Theme {
	t.Helper()
	theme, err := themes.New(themes.Dark, themes.Options{Profile: colorprofile.TrueColor})
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// ASCII is the theme of terminals that have nothing else.
func ASCII(t testing.TB) themes.Theme {
	t.Helper()
	theme, err := themes.New(themes.Monochrome, themes.Options{ASCII: true})
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// Size is a width and a height in cells.
type Size struct{ Width, Height int }

// Sizes are twenty sizes, from what nobody has to what few have.
func Sizes() []Size {
	return []Size{
		{1, 1},
		{2, 1},
		{1, 5},
		{2, 2},
		{3, 3},
		{4, 2},
		{5, 20},
		{8, 4},
		{10, 1},
		{13, 7},
		{20, 5},
		{24, 10},
		{31, 9},
		{33, 15},
		{40, 12},
		{60, 20},
		{80, 24},
		{81, 3},
		{120, 40},
		{200, 60},
	}
}

// Hostile are texts that a peer may send to do harm: escape sequences that set
// the clipboard and the title, move the cursor or ask for an answer, C1
// controls, carriage returns, bidirectional and invisible characters, stacks of
// marks, wide glyphs, broken UTF-8, and the entities that Markdown turns into
// any of these.
func Hostile() []string {
	return []string{
		"\x1b]52;c;ZXZpbA==\x07clipboard", "\x1b]0;title\x1b\\", "\x1b[2J\x1b[31mred\x1b[6n", "\x1bP$q\"p\x1b\\", "\u009b31mC1\u009d0;x\u009c",
		"\x1b]4;1;rgb:00/00/00\x07palette \x1b]10;#000\x1b\\\x1b]11;?\x07", "\x1b]777;notify;a;b\x07\x1b]9;c\x07\x1b]7501;state=x\x07bell\x07",
		"\x1b[?1049l\x1b[?25h\x1b[?1003h\x1b[?2004l\x1b[?2026h\x1b[>1u\x1b[!p\x1bc", "\x1b_apc\x1b\\\x1b^pm\x1b\\\x1bXsos\x1b\\\x05\x0e\x0f", "\x1b]52;c;never ended", "\x1b]8;;http://evil.example\x1b\\a link\x1b]8;;\x1b\\",
		"over\rwritten", "tab\tand\vand\f", "two\nlines\r\nthree", "\u202egnp.exe\u202c \u2066x\u2069", "zero\u200bwidth\u200d\ufeff\u00ad",
		"Z" + strings.Repeat("\u0301", 400) + "algo", "\u0301no base", "日本語のテキストと全角", "👩\u200d💻 👍🏽 🇩🇪 ❤\ufe0f", "\xff\xfe broken \xed\xa0\x80", "\x00\x7f",
		"&#27;[31mentity&#x1b;]0;x&#7; &#x202e;evil &rlm; &zwj;", "[link](http://x/\x1b]8;;evil\x07)", "<script>\x1b[0m</script>", strings.Repeat("long", 2000), "```\n\x1b[2Jfence\u202e\n```", "https://\u202eexample.com/\x1b[m",
	}
}

// Check fails the test unless drawn is exactly height lines of exactly width
// columns and holds nothing but what is printed and styles.
func Check(t testing.TB, drawn string, width, height int) {
	t.Helper()
	CheckClean(t, drawn)
	lines := strings.Split(drawn, "\n")
	if len(lines) != height {
		t.Fatalf("%d lines at %dx%d, want %d:\n%s", len(lines), width, height, height, drawn)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != width {
			t.Fatalf("line %d is %d columns at %dx%d: %q", i, w, width, height, line)
		}
	}
}

// CheckClean fails the test if drawn holds a control or format character that
// is no line feed and no part of a style (SGR, ECMA-48 8.3.117).
func CheckClean(t testing.TB, drawn string) {
	t.Helper()
	rest := drawn
	for rest != "" {
		if n := style(rest); n > 0 {
			rest = rest[n:]
			continue
		}
		r := []rune(rest[:min(len(rest), 4)])[0]
		if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar && !strings.HasPrefix(rest, "\ufffd")) {
			t.Fatalf("%U in what is drawn: %q", r, rest[:min(len(rest), 60)])
		}
		rest = rest[len(string(r)):]
	}
}

// style is the length of the style that s begins with.
func style(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	n := 2 + len(s[2:]) - len(strings.TrimLeft(s[2:], "0123456789;:"))
	if n < len(s) && s[n] == 'm' {
		return n + 1
	}
	return 0
}

// Text is drawn without its styles and without the spaces at the ends of lines.
func Text(drawn string) string {
	lines := strings.Split(ansi.Strip(drawn), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

package glyph_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/textarea"
	"charm.land/bubbles/v2/textinput"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"ahptui/views/glyph"
	"ahptui/views/viewtest"
)

// Whatever was typed comes back byte for byte, and what is shown of it is clean
// and as wide as the stand-ins are.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	pieces := append(viewtest.Hostile(), "a", " ", "é", "日", "\u0301", "\U00034000", "\U00040000", "\U0010fffd", "\U0001f1e9", "\u1100", "\u1161")
	rapid.Check(t, func(rt *rapid.T) {
		typed := glyph.Typed(strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(rt, "text"), ""), rapid.Bool().Draw(rt, "lines"))
		var table glyph.Table
		held, n := table.In(typed)
		if n != len(typed) || table.Out(held) != typed {
			rt.Fatalf("%q came back as %q", typed, table.Out(held))
		}
		again, _ := table.In(typed)
		if again != held {
			rt.Fatalf("%q is held as %q and as %q", typed, held, again)
		}
		shown := table.Show(held)
		viewtest.CheckClean(t, shown)
		for i, r := range []rune(held) {
			seen := table.Show(string(r))
			if w := ansi.StringWidth(seen); r != '\n' && w != glyph.Width(r) {
				rt.Fatalf("glyph %d of %q is %d columns wide, its stand-in %d", i, typed, w, glyph.Width(r))
			}
		}
	})
}

// The libraries take the stand-ins to be as wide as they are here, keep them,
// and find neither spaces nor letters in them.
func TestStandIns(t *testing.T) {
	t.Parallel()
	var table glyph.Table
	for _, typed := range []string{"é", "日", "\t", "\ufffd", "\u202e", "👩\u200d💻"} {
		held, _ := table.In(typed)
		r, size := utf8.DecodeRuneInString(held)
		if size != len(held) || unicode.IsSpace(r) || unicode.IsLetter(r) || unicode.IsControl(r) || unicode.IsMark(r) {
			t.Fatalf("%q stands for %q", held, typed)
		}
		want := glyph.Width(r)
		if got := ansi.StringWidth(held); got != want {
			t.Errorf("x/ansi: %U is %d columns, want %d", r, got, want)
		}
		if got := lipgloss.Width(lipgloss.NewStyle().Bold(true).Render(held)); got != want {
			t.Errorf("Lip Gloss: %U is %d columns, want %d", r, got, want)
		}
		area := textarea.New()
		area.SetValue(held + held)
		if info := area.LineInfo(); area.Value() != held+held || info.CharOffset != 2*want {
			t.Errorf("text area: %q, %d columns, want %d", area.Value(), info.CharOffset, 2*want)
		}
		input := textinput.New()
		input.SetValue(held)
		if input.Value() != held {
			t.Errorf("text input: %q", input.Value())
		}
	}
}

// Where there are no stand-ins left, no text is lost or mixed up with another.
func TestNoStandInsLeft(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for r := rune(0x20000); r < 0x20000+60_000; r++ {
		b.WriteRune(r)
	}
	typed := b.String()
	var table glyph.Table
	held, n := table.In(typed)
	if n == 0 || n == len(typed) || n%4 != 0 || table.Out(held) != typed[:n] {
		t.Fatalf("%d of %d bytes were taken", n, len(typed))
	}
	if _, n = table.In("\U00020000abcé"); n != len("\U00020000abcé") {
		t.Errorf("what is known is not taken any more: %d bytes", n)
	}
	table.Reset()
	if _, n = table.In(typed[len(typed)-400:]); n != 400 {
		t.Errorf("%d of 400 bytes were taken after a reset", n)
	}
}

func TestJoined(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ held, typed, want string }{
		{"xe", "\u0301", "e"},
		{"日", "\u0301", "日"},
		{"👩", "\u200d", "👩"},
		{"e", "a", ""},
		{"日", "本", ""},
		{"e\n", "\u0301", ""},
		{"", "\u0301", ""},
		{"e", "", ""},
	} {
		var table glyph.Table
		held, _ := table.In(tt.held)
		if got := table.Joined(held, tt.typed); got != tt.want {
			t.Errorf("%q behind %q joins %q, want %q", tt.typed, tt.held, got, tt.want)
		}
	}
}

func TestTyped(t *testing.T) {
	t.Parallel()
	const s = "a\x1b[31m\x00\tb\xffc\rd\r\ne\u009b\x7f\n"
	if got, want := glyph.Typed(s, true), "a[31m\tb\ufffdc\nd\ne\n"; got != want {
		t.Errorf("lines: %q, want %q", got, want)
	}
	if got, want := glyph.Typed(s, false), "a[31m b\ufffdc d e"; got != want {
		t.Errorf("one line: %q, want %q", got, want)
	}
}

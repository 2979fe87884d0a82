package safetext

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"
)

func TestTruncateAndFit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in       string
		cols     int
		truncate string
		fit      string
		right    string
	}{
		{"notes", 5, "notes", "notes", "notes"},
		{"notes", 7, "notes", "notes  ", "  notes"},
		{"notes", 4, "not…", "not…", "not…"},
		{"notes", 1, "…", "…", "…"},
		{"notes", 0, "", "", ""},
		{"notes", -3, "", "", ""},
		{"", 3, "", "   ", "   "},
		{"世界世界", 8, "世界世界", "世界世界", "世界世界"},
		{"世界世界", 7, "世界世…", "世界世…", "世界世…"},
		{"世界世界", 6, "世界…", "世界… ", " 世界…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…", "e\u0301…", "e\u0301…"},
		{"🚀🚀", 3, "🚀…", "🚀…", "🚀…"},
	}
	for _, tt := range tests {
		x := Clean(tt.in, 100)
		if got := x.Truncate(tt.cols).String(); got != tt.truncate {
			t.Errorf("Clean(%q).Truncate(%d) = %q, want %q", tt.in, tt.cols, got, tt.truncate)
		}
		if got := x.Fit(tt.cols).String(); got != tt.fit {
			t.Errorf("Clean(%q).Fit(%d) = %q, want %q", tt.in, tt.cols, got, tt.fit)
		}
		if got := x.FitRight(tt.cols).String(); got != tt.right {
			t.Errorf("Clean(%q).FitRight(%d) = %q, want %q", tt.in, tt.cols, got, tt.right)
		}
	}
}

func TestFitIsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := Clean(nasty().Draw(t, "text"), 200)
		cols := rapid.IntRange(0, 90).Draw(t, "cols")
		if got := x.Fit(cols).Width(); got != cols {
			t.Fatalf("Fit(%d) is %d wide", cols, got)
		}
		if got := x.Truncate(cols).Width(); got > cols {
			t.Fatalf("Truncate(%d) is %d wide", cols, got)
		}
	})
}

func TestConcat(t *testing.T) {
	t.Parallel()
	got := Concat(Const("needs "), Clean("issues:\x1b[31mwrite", 40), Text{}, Const("."))
	if want := `needs issues:\x1b[31mwrite.`; got.String() != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if !Concat().Empty() {
		t.Error("nothing joined is not empty")
	}
}

func TestFitWiderThanBlanks(t *testing.T) {
	t.Parallel()
	cols := 3*len(blanks) + 1
	if got := Const("x").Fit(cols).String(); got != "x"+strings.Repeat(" ", cols-1) {
		t.Errorf("Fit(%d) is %d long", cols, len(got))
	}
}

// fragments are pieces of text in which something can go wrong, alone or at the
// seam to another.
var fragments = []string{
	"a", "word", " ", "  ", "          ", "\n", "\r\n", "\r", "\t", "longer-than-a-line-of-ten", "x y z",
	"世", "界。", "한글", "\u1100", "\u1161", "\u11a8", "ｶ", "\uff9e", "\u0e19\u0e49\u0e33", "\u0e33",
	"e\u0301", "\u0301", "\u0301\u0302\u0303\u0304", "\u0915", "\u094d", "\u093e", "\u0d4e", "\u1039\u1000",
	"👩", "💻", "\u200d", "👩\u200d💻", "❤\ufe0f", "\ufe0f", "\ufe0e", "👍🏽", "🏽", "1\ufe0f\u20e3", "#\ufe0f",
	"🇩", "🇪", "🇩🇪", "🏴\U000e0067\U000e0062\U000e007f", "\U000e0041",
	"\u202e", "\u2066", "\u200b", "\u200e", "\u00ad", "\ufeff", "\u2028", "\u2029", "\u3164", "\u034f", "\u0600",
	"\x1b[31m", "\x1b]52;c;aGk=\a", "\x1bP", "\x1b\\", "\x00", "\a", "\b", "\x7f", "\u0085", "\u009b", "\x9b", "\x80",
	"\xff", "\xc3", "\xe2\x82", "\xf0\x9f", "\xed\xa0\x80", "\xed\xb0\x80", "\xed", "\xc0\xaf", "\xf4\x90\x80\x80",
	"\ufffd", "\ufffe", "\U0010ffff", "\ue000", "…", "·",
}

// nasty draws text made of fragments.
func nasty() *rapid.Generator[string] {
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 40), func(parts []string) string {
		return strings.Join(parts, "")
	})
}

// clusters splits s as the renderer does.
func clusters(s string) []string {
	var all []string
	for g := displaywidth.StringGraphemes(s); g.Next(); {
		all = append(all, g.Value())
	}
	return all
}

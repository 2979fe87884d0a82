package safetext

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
	"github.com/clipperhouse/displaywidth"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   string
		want string
	}{
		{"plain", "list the issues", "list the issues"},
		{"letters", "Größe 世界 привет 한글 ไทย", "Größe 世界 привет 한글 ไทย"},
		{"line ends", "a\nb\r\nc", "a↵b↵c"},
		{"lone carriage return", "safe\rEVIL", `safe\x0dEVIL`},
		{"carriage return at the end", "safe\r", `safe\x0d`},
		{"tab", "a\tb", "a b"},
		{"C0", "\x00\a\b\v\f\x1f\x7f", `\x00\x07\x08\x0b\x0c\x1f\x7f`},
		{"C1 as characters", "a\u0085b\u009b31m", `a\x85b\x9b31m`},
		{"C1 as bytes", "a\x9b31m\x9d0;title\x9c", `a\x9b31m\x9d0;title\x9c`},
		{"not UTF-8", "a\xffb\xc0\xaf", "a\ufffdb\ufffd\ufffd"},
		{"cut character", "a\xe2\x82b\xf0\x9f\x98", "a\ufffdb\ufffd"},
		{"lone surrogates", "\xed\xa0\xbd-\xed\xb8\x80", "\ufffd-\ufffd"},
		{"beyond Unicode", "\xf4\x90\x80\x80", "\ufffd\\x90\\x80\\x80"},
		{"no character", "\ufffe\U0010ffff", "\ufffd\ufffd"},
		{"joins what follows", "\u0d4e", "\ufffd"},
		{"bidi", "user\u202egnp.exe", "user·gnp.exe"},
		{"bidi isolates and marks", "\u2066a\u2069\u200e\u200f\u061c", "·a····"},
		{"zero width", "pay\u200bpal\u2060\ufeff\u00ad", "pay·pal···"},
		{"tag characters", "x\U000e0061\U000e007f", "x··"},
		{"invisible letters", "\u3164\uffa0\u115f", "···"},
		{"separators", "a\u2028b\u2029c", "a·b·c"},
		{"stray selector", "a\ufe0f\U000e0100", "a··"},
		{"emoji", "✅ 🚀 👀", "✅ 🚀 👀"},
		{"emoji selector", "⚠\ufe0f ❤\ufe0f", "⚠ ❤"},
		{"second selector", "❤\ufe0f\ufe0f\ufe0f", "❤··"},
		{"keycap", "1\ufe0f\u20e3", "1\u20e3"},
		{"emoji sequence", "👩\u200d💻 👩\u200d❤\ufe0f\u200d👩", "👩💻 👩❤👩"},
		{"joiner to a letter", "👩\u200dx a\u200d👩 👩\u200d", "👩·x a·👩 👩·"},
		{"skin tone", "👍🏽 a🏽 🏽", "👍 a· ·"},
		{"flag", "🇩🇪🇫🇷", "🇩🇪🇫🇷"},
		{"half a flag", "🇩x🇩🇪🇫", "Dx🇩🇪F"},
		{"marks", "e\u0301 e" + strings.Repeat("\u0301", 50), "e\u0301 e" + strings.Repeat("\u0301", maxMarks)},
		{"mark without base", "\u0301a \u0301", "◌\u0301a ◌\u0301"},
		{"mark behind a line end", "a\n\u0301", "a↵\u0301"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Clean(tt.in, 1000).String(); got != tt.want {
				t.Errorf("Clean(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
		})
	}
}

// The payloads are those of published terminal escape injections: clipboard,
// title, hyperlink, palette, reports that come back as input, screen modes,
// strings without an end.
func TestCleanShowsEscapeSequences(t *testing.T) {
	t.Parallel()
	payloads := []string{
		"\x1b]52;c;cm0gLXJmIC8=\a", "\x1b]0;title\x1b\\", "\x1b]8;;https://evil.example\x1b\\text\x1b]8;;\x1b\\",
		"\x1b]4;0;rgb:ff/ff/ff\a", "\x1b]10;?\a", "\x1b]1337;File=inline=1:AAAA\a", "\x1b]9;notify\a", "\x1b]777;notify;a;b\a",
		"\x1b[6n", "\x1b[c", "\x1b[>c", "\x1b[21t", "\x1b[?1049h", "\x1b[?1000h", "\x1b[2J\x1b[H", "\x1b[31;1m", "\x1b[999;999H", "\x1bc",
		"\x1bP$qm\x1b\\", "\x1bPtmux;\x1b\x1b]52;c;eA==\a\x1b\\", "\x1b_Gf=100;AAAA\x1b\\", "\x1b^private\x1b\\", "\x1bXsos\x1b\\", "\x1b#8", "\x1b(0lqqk",
		"\x9b31m", "\u009b31m", "\x9d52;c;eA==\x9c", "\u009d52;c;eA==\u009c", "\x90q\x9c", "\x9fG\x9c", "\x1b]52;c;no end", "\x1b[", "\x1b",
	}
	for _, p := range payloads {
		assertPrintable(t, p, Clean("before "+p+" after", 1000).String())
		if got := Clean(p, 1000).String(); !strings.HasPrefix(got, `\x`) {
			t.Errorf("Clean(%q) = %q does not show the introducer", p, got)
		}
	}
}

// Every character there is, alone and between others.
func TestCleanEveryCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		if r > 0x20000 && r < 0xe0000 || r > 0xe0200 {
			r += 96 // ideographs, private use and nothing: a sample will do
		}
		alone := Clean(string(r), 100)
		wc := ansi.StringWidthWc(alone.String())
		if w := alone.Width(); w < 1 || w > 4 || w != wc && classify(r) != mark {
			t.Fatalf("%U: Clean gives %q, %d columns by cluster, %d by code point", r, alone, w, wc)
		}
		for _, s := range []string{"a" + string(r), string(r) + "a", string(r) + string(r)} {
			got := Clean(s, 100)
			if again := Clean(got.String(), 100); again != got {
				t.Fatalf("Clean(%q) = %q, and again %q", s, got, again)
			}
		}
		for _, q := range Clean("a"+string(r), 100).String() {
			if unicode.In(q, hiddenTables...) || unicode.Is(unicode.Cc, q) {
				t.Fatalf("%U leaves %U", r, q)
			}
		}
		checkClass(t, r)
	}
}

// checkClass holds that what shares a cluster with a neighbour is known to.
func checkClass(t *testing.T, r rune) {
	t.Helper()
	if r < 0xa0 || classify(r) != plain {
		return
	}
	if len(clusters("a"+string(r))) == 1 {
		t.Fatalf("%U joins what is before it and is no mark", r)
	}
	if len(clusters(string(r)+"a")) == 1 {
		t.Fatalf("%U joins what is behind it", r)
	}
	if len(clusters(string(r)+string(r))) == 1 && !conjoins(r) {
		t.Fatalf("%U joins itself and is not known to", r)
	}
	if len(clusters(string(r)+"\u200d💻")) == 1 && !isEmoji(r) {
		t.Fatalf("%U can begin an emoji sequence and is not known to", r)
	}
}

func TestCleanIsBoundByMax(t *testing.T) {
	t.Parallel()
	long := 1 << 20
	for name, s := range map[string]string{
		"ascii":     strings.Repeat("x", long),
		"wide":      strings.Repeat("世", long),
		"controls":  strings.Repeat("\x1b", long),
		"invalid":   strings.Repeat("\xff", long),
		"hidden":    strings.Repeat("\u200b", long),
		"conjuncts": strings.Repeat("\u0915\u094d", long),
		"jamo":      strings.Repeat("\u1100", long),
		"marks":     "x" + strings.Repeat("\u0301", long),
	} {
		got := Clean(s, 40)
		if w := got.Width(); w > 40 {
			t.Errorf("%s: %d columns", name, w)
		}
		if n := len(got.String()); n > 40*maxCluster*utf8.UTFMax {
			t.Errorf("%s: %d bytes", name, n)
		}
		if name != "marks" && !strings.HasSuffix(got.String(), Ellipsis()) {
			t.Errorf("%s: no ellipsis behind %q", name, got)
		}
	}
	if got := Clean("x", 0); !got.Empty() {
		t.Errorf("Clean(x, 0) = %q", got)
	}
}

func TestCleanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := nasty().Draw(t, "text")
		limit := rapid.IntRange(1, 120).Draw(t, "max")
		checkClean(t, s, limit)
	})
}

func FuzzClean(f *testing.F) {
	for _, s := range fragments {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		checkClean(t, s, max(1, limit&0xff))
	})
}

// tester is what *testing.T and *rapid.T share.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

func checkClean(t tester, s string, limit int) {
	t.Helper()
	all, some := Clean(s, math.MaxInt), Clean(s, limit)
	assertPrintable(t, s, all.String())
	assertPrintable(t, s, some.String())
	if again := Clean(all.String(), math.MaxInt); again != all {
		t.Fatalf("cleaned again, %q becomes %q", all, again)
	}
	if some != all.Truncate(limit) {
		t.Fatalf("with max %d: %q, want the beginning of %q", limit, some, all)
	}
	block := CleanBlock(s, math.MaxInt)
	if again := CleanBlock(block.String(), 1<<30); again != block {
		t.Fatalf("cleaned again, the block %q becomes %q", block, again)
	}
	cells := 0
	for _, line := range CleanBlock(s, limit).Lines() {
		assertPrintable(t, s, line.String())
		cells += line.Width()
	}
	if cells > limit {
		t.Fatalf("a block of at most %d has %d columns", limit, cells)
	}
}

// assertPrintable holds that a parser of terminal input sees nothing but
// characters to print, each in a cluster of bounded size and sensible width.
func assertPrintable(t tester, raw, clean string) {
	t.Helper()
	if !utf8.ValidString(clean) {
		t.Fatalf("cleaned %q is not UTF-8: %q", raw, clean)
	}
	state := parser.GroundState
	for i := 0; i < len(clean); {
		_, size := utf8.DecodeRuneInString(clean[i:])
		next, action := parser.Table.Transition(state, clean[i])
		if action != parser.PrintAction && next != parser.Utf8State {
			t.Fatalf("cleaned %q is not all printed: %q, byte %d", raw, clean, i)
		}
		i += size
	}
	for _, c := range clusters(clean) {
		if n := utf8.RuneCountInString(c); n > maxCluster+1 {
			t.Fatalf("cleaned %q has a cluster of %d characters", raw, n)
		}
		if w := displaywidth.String(c); w < 1 || w > 2 {
			t.Fatalf("cleaned %q has the cluster %q of width %d", raw, c, w)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	const size = 1 << 20
	for _, text := range []struct{ name, unit string }{
		{"ascii", "The quick brown fox jumps over the lazy dog; 0123456789. "},
		{"latin", "Die Größe der Brücke ändert sich für die Lösung natürlich nicht. "},
		{"cjk", "日本語のテキストは空白なしで書かれます。"},
		{"devanagari", "यह एक परीक्षण वाक्य है जो लंबा है। "},
		{"emoji", "✅ done 👩\u200d💻 ⚠\ufe0f careful 🚀 "},
		{"escapes", "\x1b[31mred\x1b[0m "},
	} {
		s := strings.Repeat(text.unit, size/len(text.unit))
		b.Run(text.name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				if Clean(s, 1<<30).Empty() {
					b.Fatal("nothing left")
				}
			}
		})
	}
}

func BenchmarkCleanShort(b *testing.B) {
	for _, s := range []string{"Fix the login bug", "Größe der Brücke", strings.Repeat("x", 1<<20)} {
		b.Run(fmt.Sprint(len(s)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if Clean(s, 60).Empty() {
					b.Fatal("nothing left")
				}
			}
		})
	}
}

package safetext

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   string
		cols int
		want []string
	}{
		{"nothing", "", 10, []string{""}},
		{"fits", "hello you", 9, []string{"hello you"}},
		{"at a space", "hello you", 8, []string{"hello", "you"}},
		{"several spaces", "hello     you", 8, []string{"hello", "you"}},
		{"inner spaces stay", "a  b  c", 8, []string{"a  b  c"}},
		{"trailing spaces go", "hello   ", 8, []string{"hello"}},
		{"long word", "abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"long word behind another", "a bcdefghij", 4, []string{"a", "bcde", "fghi", "j"}},
		{"exact", "abcd efgh", 4, []string{"abcd", "efgh"}},
		{"indentation", "    if x { return }", 12, []string{"    if x {", "return }"}},
		{"deep indentation", "          x = y", 10, []string{"     x = y"}},
		{"only spaces", "   ", 10, []string{""}},
		{"very many spaces", "a" + strings.Repeat(" ", 20) + "b", 5, []string{"a", "", " b"}},
		{"wide", "世界世界世", 4, []string{"世界", "世界", "世"}},
		{"wide, odd", "世界世界世", 5, []string{"世界", "世界", "世"}},
		{"wide behind a word", "see 世界世界", 8, []string{"see 世界", "世界"}},
		{"word behind wide", "世界abc", 6, []string{"世界", "abc"}},
		{"emoji", "🚀🚀🚀", 4, []string{"🚀🚀", "🚀"}},
		{"marks stay with their base", "e\u0301e\u0301e\u0301", 2, []string{"e\u0301e\u0301", "e\u0301"}},
		{"narrow", "世a", 2, []string{"世", "a"}},
		{"too narrow", "abc", 1, nil},
		{"no width", "abc", -1, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strs(Clean(tt.in, 1000).Wrap(tt.cols)); !slices.Equal(got, tt.want) {
				t.Errorf("Wrap(%q, %d)\n got %q\nwant %q", tt.in, tt.cols, got, tt.want)
			}
		})
	}
}

func TestBlock(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\nb\r\nc\n", []string{"a", "b", "c"}},
		{"a\n\n", []string{"a", ""}},
		{"\n", []string{""}},
		{"a\rb", []string{`a\x0db`}},
		{"\tx\ny\tz\n世\tz", []string{"    x", "y   z", "世  z"}},
		{"e\u0301\tx", []string{"e\u0301   x"}},
		{"a\n\u0301", []string{"a", "◌\u0301"}},
		{"a\u2028b", []string{"a·b"}},
	}
	for _, tt := range tests {
		b := CleanBlock(tt.in, 1000)
		if got := strs(b.Lines()); !slices.Equal(got, tt.want) {
			t.Errorf("CleanBlock(%q).Lines() = %q, want %q", tt.in, got, tt.want)
		}
		if b.Empty() != (tt.want == nil) {
			t.Errorf("CleanBlock(%q).Empty() = %v", tt.in, b.Empty())
		}
	}
	for limit, want := range map[int]string{8: "one\ntwo\n", 7: "one\ntw…", 5: "one\n…", 4: "one…", 1: "…", 0: ""} {
		if got := CleanBlock("one\ntwo\n", limit).String(); limit < 7 && got != want || limit == 8 && got != "one\ntwo\n" {
			t.Errorf("with max %d: %q, want %q", limit, got, want)
		}
	}
}

func TestWrapProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := Clean(nasty().Draw(t, "text"), 1<<20)
		cols := rapid.IntRange(minCols, 40).Draw(t, "cols")
		lines := text.Wrap(cols)
		for _, line := range lines {
			if line.Width() > cols {
				t.Fatalf("%q is wider than %d", line, cols)
			}
			assertPrintable(t, text.String(), line.String())
		}
		if got, want := squeeze(strings.Join(strs(lines), "")), squeeze(text.String()); got != want {
			t.Fatalf("wrapping loses text:\n got %q\nwant %q", got, want)
		}
	})
}

func squeeze(s string) string { return strings.ReplaceAll(s, " ", "") }

func strs(texts []Text) []string {
	var all []string
	for _, t := range texts {
		all = append(all, t.String())
	}
	return all
}

func BenchmarkWrap(b *testing.B) {
	for _, text := range []struct{ name, unit string }{
		{"ascii", "The quick brown fox jumps over the lazy dog; 0123456789. "},
		{"latin", "Die Größe der Brücke ändert sich für die Lösung natürlich nicht. "},
		{"cjk", "日本語のテキストは空白なしで書かれます。"},
	} {
		block := CleanBlock(strings.Repeat(strings.Repeat(text.unit, 10)+"\n", 1000), 1<<30)
		b.Run(text.name, func(b *testing.B) {
			b.SetBytes(int64(len(block.s)))
			b.ReportAllocs()
			for b.Loop() {
				if len(block.Wrap(80)) == 0 {
					b.Fatal("nothing left")
				}
			}
		})
	}
}

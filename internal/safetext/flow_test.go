package safetext

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFlowIsTheWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := nasty().Draw(t, "text")
		cols := rapid.IntRange(1, 24).Draw(t, "cols")
		cuts := rapid.SliceOf(rapid.IntRange(1, 12)).Draw(t, "cuts")
		checkFlow(t, s, cols, cuts)
	})
}

func FuzzFlow(f *testing.F) {
	f.Add("one\r\ntwo 👩\u200d💻 \xe2\x82\xac e\u0301", 10, []byte{1, 2, 3})
	f.Add(strings.Join(fragments, ""), 7, []byte{1})
	f.Fuzz(func(t *testing.T, s string, cols int, cuts []byte) {
		s = s[:min(len(s), 300)] // every piece is compared with the whole
		sizes := make([]int, 0, len(cuts))
		for _, c := range cuts {
			sizes = append(sizes, max(1, int(c)))
		}
		checkFlow(t, s, 1+cols&0x3f, sizes)
	})
}

// checkFlow feeds s in pieces of the given sizes, over and over, and compares
// with the whole after every piece.
func checkFlow(t tester, s string, cols int, sizes []int) {
	t.Helper()
	f := NewFlow(cols)
	for at, i := 0, 0; at < len(s); i++ {
		size := len(s)
		if len(sizes) > 0 {
			size = sizes[i%len(sizes)]
		}
		end := min(len(s), at+size)
		f.Append(s[at:end])
		at = end
		if got, want := f.Lines(), CleanBlock(s[:at], 1<<30).Wrap(cols); !slices.Equal(got, want) {
			t.Fatalf("after %q in pieces of %v at %d columns:\n got %q\nwant %q", s[:at], sizes, cols, got, want)
		}
	}
}

// However long a line is and whatever it is made of, what is kept to be done
// again stays small.
func TestFlowForgets(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"letters":   "x",
		"words":     "word ",
		"spaces":    " ",
		"marks":     "\u0301",
		"conjuncts": "\u0915\u094d",
		"jamo":      "\u1100",
		"flags":     "🇩",
		"joiners":   "👩\u200d",
		"tabs":      "\t",
		"invalid":   "\xe2",
	} {
		f := NewFlow(40)
		for range 20_000 {
			f.Append(unit)
		}
		if n := len(f.clean.buf); n > 100*maxCluster*4 {
			t.Errorf("%s: %d bytes are cleaned, not settled", name, n)
		}
	}
}

func TestFlowAppendOnlyTouchesTheEnd(t *testing.T) {
	t.Parallel()
	f := NewFlow(20)
	f.Append(strings.Repeat("some words in a paragraph ", 100))
	before := slices.Clone(f.Lines())
	f.Append("and more")
	if n := len(before) - 1; !slices.Equal(before[:n], f.Lines()[:n]) {
		t.Error("a line before the last one changed")
	}
}

func BenchmarkFlow(b *testing.B) {
	delta := "some words "
	b.Run("delta", func(b *testing.B) {
		f := NewFlow(80)
		f.Append(strings.Repeat(delta, 100_000))
		b.SetBytes(int64(len(delta)))
		b.ReportAllocs()
		for b.Loop() {
			f.Append(delta)
		}
	})
	b.Run("whole", func(b *testing.B) {
		s := strings.Repeat(strings.Repeat(delta, 20)+"\n", 5000)
		b.SetBytes(int64(len(s)))
		b.ReportAllocs()
		for b.Loop() {
			NewFlow(80).Append(s)
		}
	})
}

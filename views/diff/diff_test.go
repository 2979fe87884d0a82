package diff

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"ahptui/views/viewtest"
)

// text is what is left of a diff for one side, as far as it is not left out.
func text(d *Diff, side Kind) string {
	var b strings.Builder
	for _, l := range d.Lines {
		if l.Kind == Same || l.Kind == side {
			for _, p := range l.Parts {
				b.WriteString(p.Text.String())
			}
			b.WriteByte('\n')
		}
		if l.Kind == Gap {
			fmt.Fprintf(&b, "<%d>\n", l.Left)
		}
	}
	return b.String()
}

// TestCompare: each side of a diff is its text, the numbers of lines are theirs, and
// no more is shown than stands near a change.
func TestCompare(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "func x() {\n", "\n", "}\n", "return x + 1\n", "return x + 2\n"})
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SliceOfN(word, 0, 40).Draw(t, "a"), rapid.SliceOfN(word, 0, 40).Draw(t, "b")
		d, err := Compare(strings.Join(a, ""), strings.Join(b, ""))
		if err != nil {
			t.Fatal(err)
		}
		i, j := 0, 0
		for _, l := range d.Lines {
			said := ""
			for _, p := range l.Parts {
				said += p.Text.String()
			}
			switch l.Kind {
			case Gap:
				i, j = i+l.Left, j+l.Left
				continue
			case Same:
				if l.Old != i+1 || l.New != j+1 || said+"\n" != a[i] || a[i] != b[j] {
					t.Fatalf("%+v at %d and %d", l, i, j)
				}
				i, j = i+1, j+1
			case Removed:
				if l.Old != i+1 || said+"\n" != a[i] {
					t.Fatalf("%+v at %d", l, i)
				}
				i++
			case Added:
				if l.New != j+1 || said+"\n" != b[j] {
					t.Fatalf("%+v at %d", l, j)
				}
				j++
			}
		}
		if i != len(a) || j != len(b) {
			t.Fatalf("%d of %d and %d of %d lines", i, len(a), j, len(b))
		}
		if len(d.Changes) == 0 != (strings.Join(a, "") == strings.Join(b, "")) {
			t.Fatalf("%d changes", len(d.Changes))
		}
	})
}

func TestCompareOdd(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, after, want string
		err                 error
	}{
		"nothing":     {},
		"new":         {"", "one\ntwo\n", "one\ntwo\n", nil},
		"no line end": {"one", "one\n", "one\n", nil},
		"carriage":    {"a\r\nb\r\n", "a\r\nc\r\n", "a\nc\n", nil},
		"mixed":       {"a\nb\n", "a\r\nb\n", "a\\x0d\nb\n", nil},
		"tabs":        {"", "\ta\tb\n", "    a   b\n", nil},
		"escapes":     {"", "\x1b]52;c;x\x07\n", "\\x1b]52;c;x\\x07\n", nil},
		"latin":       {"", "caf\xe9 and more text\n", "caf\ufffd and more text\n", nil},
		"binary":      {"", "a\x00b", "", Binary},
		"large":       {"", strings.Repeat("x", MaxBytes+1), "", TooLarge},
		"long":        {"", strings.Repeat("\n", maxLines+1), "", TooLarge},
	} {
		d, err := Compare(tt.before, tt.after)
		if !errors.Is(err, tt.err) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && text(d, Added) != tt.want {
			t.Errorf("%s: %q, want %q", name, text(d, Added), tt.want)
		}
	}
}

// TestWorst: texts that have little in common do not take forever.
func TestWorst(t *testing.T) {
	t.Parallel()
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&a, "line %d\n", i*7919%20011)
		fmt.Fprintf(&b, "line %d\n", i*104729%20011)
	}
	if _, err := Compare(a.String(), b.String()); err != nil {
		t.Fatal(err)
	}
}

const (
	before = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello\")\n}\n\n// a\n// b\n// c\n// d\n// e\n// f\n// g\n// h\n\nfunc gone() {}\n"
	after  = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"hello, 日本語 world\")\n\treturn\n}\n\n// a\n// b\n// c\n// d\n// e\n// f\n// g\n// h\n// a comment that is far too long for a narrow panel and goes on and on until it has to be broken somewhere\n"
)

func TestDraw(t *testing.T) {
	t.Parallel()
	d, err := Compare(before, after)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{24, 38, 80} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			var plain, colour []string
			for i, p := range []Painter{NewPainter(viewtest.Plain(t), d, width), NewPainter(viewtest.Colour(t), d, width)} {
				for _, l := range d.Lines {
					rows := p.Line(l)
					if i == 0 {
						plain = append(plain, rows...)
					} else {
						colour = append(colour, rows...)
					}
				}
			}
			viewtest.Check(t, strings.Join(plain, "\n"), width, len(plain))
			golden.RequireEqual(t, viewtest.Text(strings.Join(plain, "\n"))+"\n"+strings.Join(colour, "\n")+"\n")
		})
	}
}

// TestDrawHostile: what stands in a file is drawn as wide as it must be.
func TestDrawHostile(t *testing.T) {
	t.Parallel()
	for _, text := range viewtest.Hostile() {
		d, err := Compare("x "+text+" y\n", "x "+text+" z\n")
		if err != nil {
			continue
		}
		for _, size := range viewtest.Sizes() {
			p := NewPainter(viewtest.Plain(t), d, size.Width)
			for _, l := range d.Lines {
				rows := p.Line(l)
				viewtest.Check(t, strings.Join(rows, "\n"), size.Width, len(rows))
			}
		}
	}
}

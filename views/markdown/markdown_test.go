package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"

	"ahptui/views/markdown"
	"ahptui/views/viewtest"
)

const document = `# The login bug

The redirect goes to **the wrong host**, because *nobody* checks ` + "`next`" + ` against
the list. See [the issue](https://example.com/issues/1) and <https://example.com>,
or ~~ask~~ read the [docs](https://example.com/docs "title").

## What to do

1. Check the host.
2. Write a test:
   - with a good host
   - with a bad one, and a line that is long enough to be broken in two at some width or other

10) ten
11) eleven

- [x] done
- [ ] not done

> A quote
> of two lines
>
> > and one in it

` + "```go\nfunc main() {\n\tprintln(\"日本語\")\n}\n```" + `

    indented code

| name | state | note |
|------|:-----:|-----:|
| notes | ready | |
| 日本語 | error | **bad** |

---

<div class="x">html & all</div>

Hard  
break, ![a picture](https://example.com/x.png), &amp; an &lt;entity&gt;, \*no emphasis\*, <b>inline</b>.
`

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, viewtest.Text(strings.Join(markdown.New(viewtest.Plain(t)).Lines(document, width), "\n")))
		})
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	golden.RequireEqual(t, strings.Join(markdown.New(viewtest.Colour(t)).Lines("# A *b* `c` [d](http://e)\n\n- **f**", 40), "\n"))
}

func TestSizes(t *testing.T) {
	t.Parallel()
	r := markdown.New(viewtest.Colour(t))
	for width := 2; width < 130; width++ {
		lines := r.Lines(document, width)
		viewtest.Check(t, strings.Join(lines, "\n"), width, len(lines))
	}
	if lines := r.Lines(document, 1); lines != nil {
		t.Errorf("at one column: %q", lines)
	}
}

// Markdown makes characters of entities: what comes out is clean all the same,
// and where a link leads to is in sight.
func TestHostile(t *testing.T) {
	t.Parallel()
	r := markdown.New(viewtest.Colour(t))
	for _, s := range viewtest.Hostile() {
		for _, form := range []string{"%s", "# %s", "- %s\n  %s", "> %s", "**%s** `%s`", "[%s](%s)", "<%s>", "```\n%s\n```", "    %s", "|%s|b|\n|-|-|\n|%s|%s|", "![%s](%s)"} {
			source := strings.ReplaceAll(form, "%s", s)
			for _, width := range []int{9, 40} {
				lines := r.Lines(source, width)
				viewtest.Check(t, strings.Join(lines, "\n"), width, len(lines))
			}
		}
	}
}

func TestEntitiesAreCleaned(t *testing.T) {
	t.Parallel()
	got := viewtest.Text(strings.Join(markdown.New(viewtest.Plain(t)).Lines("a&#27;[31mb &#x202e;c &zwnj;d &amp;lt;", 60), "\n"))
	if want := "a\\x1b[31mb ·c ·d &lt;\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLinkShowsWhereItLeads(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"[https://good.example](https://evil.example/x)": "https://good.example (https://evil.example/x)",
		"[https://a.example](https://a.example)":         "https://a.example",
		"[x](https://user:secret@a.example)":             "x (https://***@a.example)",
		"[x](https://раypal.example)":                    "x (https://xn--ypal-43d9g.example)",
	} {
		if got := strings.TrimSpace(viewtest.Text(strings.Join(markdown.New(viewtest.Plain(t)).Lines(source, 100), "\n"))); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// Whatever it is made of: all lines are as wide as they must be, nothing
// unsafe is in them, and every word is there.
func TestAnything(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{
		"word", "日本語", " ", "\n", "\n\n", "*", "**", "`", "```", "    ", "- ", "1. ", "> ", "# ", "[", "](", ")", "<", ">", "|", "\n|-|-|\n", "&#27;", "\\", "~~", "![", "---", "\t", "e\u0301", "👩\u200d💻",
	})
	r := markdown.New(viewtest.Colour(t))
	rapid.Check(t, func(rt *rapid.T) {
		source := strings.Join(rapid.SliceOf(piece).Draw(rt, "source"), "")
		width := rapid.IntRange(2, 50).Draw(rt, "width")
		lines := r.Lines(source, width)
		viewtest.CheckClean(t, strings.Join(lines, "\n"))
		for _, line := range lines {
			if w := ansi.StringWidth(line); w != width {
				rt.Fatalf("%q is %d columns of %d", line, w, width)
			}
		}
		if strings.Contains(source, "|-|") {
			return // a row of a table has as many cells as its head, the others are no text
		}
		if width >= 10 && strings.Count(source, "word") > strings.Count(strings.ReplaceAll(ansi.Strip(strings.Join(lines, "")), " ", ""), "w") {
			rt.Fatalf("of %q at %d only this is left: %q", source, width, lines)
		}
	})
}

func BenchmarkLines4kB(b *testing.B) {
	source := strings.Repeat(document, 5)[:4096]
	r := markdown.New(viewtest.Colour(b))
	b.SetBytes(int64(len(source)))
	b.ReportAllocs()
	for b.Loop() {
		r.Lines(source, 100)
	}
}

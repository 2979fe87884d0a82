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

const program = "Look:\n\n```go\n// Add adds.\nfunc Add(a, b int) string {\n\treturn \"日本\" + strconv.Itoa(a+0x10) /* sum */\n}\n```\n\n" +
	"```diff\n@@ -1 +1 @@\n-old\n+new\n```\n\n```json\n{\"key\": [1, true]}\n```\n\n```klingon\nqapla' 7\n```\n"

// Code has colours where the theme has some, and the same text in the same columns where it has none.
func TestCode(t *testing.T) {
	t.Parallel()
	golden.RequireEqual(t, strings.Join(markdown.New(viewtest.Colour(t)).Lines(program, 60), "\n")+"\n")
	for width := 2; width < 90; width++ {
		colour, plain := markdown.New(viewtest.Colour(t)).Lines(program, width), markdown.New(viewtest.Plain(t)).Lines(program, width)
		viewtest.Check(t, strings.Join(colour, "\n"), width, len(plain))
		if got, want := ansi.Strip(strings.Join(colour, "\n")), ansi.Strip(strings.Join(plain, "\n")); got != want {
			t.Fatalf("at %d columns:\n%s\nwant\n%s", width, got, want)
		}
	}
	for _, line := range markdown.New(viewtest.Plain(t)).Lines("```go\nfunc f() {}\n```", 40) {
		if strings.Contains(strings.ReplaceAll(line, "\x1b[2m", ""), "\x1b[3") {
			t.Errorf("there are colours without colours: %q", line)
		}
	}
}

// Whatever code holds, in whatever language, it takes its columns and nothing gets to the terminal.
func TestHostileCode(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		for _, language := range []string{"go", "python", "html", "sql", "diff", "yaml"} {
			for _, around := range []string{"%s", "\"%s\"", "/* %s", "x(%s)", "'%s'\u0301", "a = %s # b"} {
				source := "```" + language + "\n" + strings.ReplaceAll(fmt.Sprintf(around, s), "`", "'") + "\n```"
				lines := markdown.New(viewtest.Colour(t)).Lines(source, 33)
				viewtest.Check(t, strings.Join(lines, "\n"), 33, len(lines))
			}
		}
	}
}

// The code blocks of a document are those that are drawn as such.
func TestCodeBlocks(t *testing.T) {
	t.Parallel()
	r := markdown.New(viewtest.Plain(t))
	got := r.CodeBlocks(program+"\n- in a list\n\n  ~~~sh\n  ls\n  ~~~\n\n> ```\n> quoted\n> ```\n\n    indented\n", 10)
	want := []markdown.CodeBlock{
		{"go", "// Add adds.\nfunc Add(a, b int) string {\n\treturn \"日本\" + strconv.Itoa(a+0x10) /* sum */\n}\n"},
		{"diff", "@@ -1 +1 @@\n-old\n+new\n"},
		{"json", "{\"key\": [1, true]}\n"},
		{"klingon", "qapla' 7\n"},
		{"sh", "ls\n"},
		{"", "quoted\n"},
		{"", "indented\n"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if n := len(r.CodeBlocks(program, 2)); n != 2 {
		t.Errorf("%d blocks", n)
	}
}

package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// inline is the content of a paragraph: lines that the author broke, each a run
// of spans.
type inline []frame.Line

// inline collects the inline content of a node.
func (p *painter) inline(n ast.Node, style lipgloss.Style) inline {
	c := collector{painter: p, lines: inline{nil}}
	c.children(n, style)
	return c.lines
}

type collector struct {
	*painter
	lines inline
}

func (c *collector) add(style lipgloss.Style, s string) {
	if s == "" {
		return
	}
	last := len(c.lines) - 1
	c.lines[last] = c.lines[last].Add(style, safetext.Clean(s, 4*len(s)))
}

func (c *collector) children(n ast.Node, style lipgloss.Style) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		c.node(child, style)
	}
}

func (c *collector) node(n ast.Node, style lipgloss.Style) {
	switch n := n.(type) {
	case *ast.Text:
		c.text(n, style)
	case *ast.String:
		c.add(style, string(n.Value))
	case *ast.Emphasis:
		if n.Level == 1 {
			c.children(n, style.Italic(true))
		} else {
			c.children(n, style.Bold(true))
		}
	case *east.Strikethrough:
		c.children(n, style.Strikethrough(true))
	case *ast.CodeSpan:
		c.codeSpan(n)
	case *ast.Link:
		c.children(n, c.theme.Link)
		c.target(string(n.Destination), plain(n, c.source))
	case *ast.Image:
		c.add(c.theme.Dim, "[image: ")
		c.children(n, style)
		c.add(c.theme.Dim, "]")
		c.target(string(n.Destination), "")
	case *ast.AutoLink:
		c.add(c.theme.Link, safetext.URL(string(n.URL(c.source))).Text().String())
	case *ast.RawHTML:
		c.add(c.theme.Dim, string(n.Segments.Value(c.source)))
	case *east.TaskCheckBox:
		if n.IsChecked {
			c.add(style, "[x] ")
		} else {
			c.add(style, "[ ] ")
		}
	default:
		c.children(n, style)
	}
}

// text adds text as Markdown means it: entities and escapes resolved, then
// cleaned.
func (c *collector) text(n *ast.Text, style lipgloss.Style) {
	value := n.Segment.Value(c.source)
	if !n.IsRaw() {
		value = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
	}
	c.add(style, string(value))
	switch {
	case n.HardLineBreak():
		c.lines = append(c.lines, nil)
	case n.SoftLineBreak():
		c.add(style, " ")
	}
}

// codeSpan adds inline code. Where there are no colours it keeps its marks.
func (c *collector) codeSpan(n *ast.CodeSpan) {
	code := strings.ReplaceAll(plain(n, c.source), "\n", " ")
	if c.theme.Name == themes.Monochrome {
		code = "`" + code + "`"
	}
	c.add(c.theme.Code, code)
}

// target says where a link leads to, unless its text does.
func (c *collector) target(destination, shown string) {
	url := safetext.URL(destination).Text()
	if url.Empty() || url.String() == shown {
		return
	}
	c.add(c.theme.Dim, " ("+url.String()+")")
}

// plain is the text of a node as it stands in the source.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.Write(t.Segment.Value(source))
			continue
		}
		b.WriteString(plain(child, source))
	}
	return b.String()
}

// wrap breaks the lines to a width.
func (in inline) wrap(width int) []frame.Line {
	var lines []frame.Line
	for _, line := range in {
		lines = append(lines, wrapLine(line, width)...)
	}
	return lines
}

// wrapLine breaks one line: as text, and then the spans along the breaks. At a
// break only spaces are left out.
func wrapLine(line frame.Line, width int) []frame.Line {
	texts := make([]safetext.Text, len(line))
	for i, s := range line {
		texts[i] = s.Text
	}
	whole := safetext.Concat(texts...).String()
	rest := runs(line)
	at := 0
	var lines []frame.Line
	for _, t := range safetext.Concat(texts...).Wrap(width) {
		skip := strings.Index(whole[at:], t.String())
		if skip < 0 {
			lines = append(lines, frame.Line{}.Add(lipgloss.NewStyle(), t))
			continue
		}
		rest.take(skip)
		lines = append(lines, rest.take(len(t.String())))
		at += skip + len(t.String())
	}
	return lines
}

// run is what is left of the spans of a line.
type run struct{ spans frame.Line }

func runs(line frame.Line) *run { return &run{append(frame.Line{}, line...)} }

// take takes n bytes from the beginning.
func (r *run) take(n int) frame.Line {
	var taken frame.Line
	for n > 0 && len(r.spans) > 0 {
		span := &r.spans[0]
		s := span.Text.String()
		if len(s) <= n {
			taken = append(taken, *span)
			r.spans, n = r.spans[1:], n-len(s)
			continue
		}
		taken = taken.Add(span.Style, safetext.Clean(s[:n], 4*n))
		span.Text, n = safetext.Clean(s[n:], 4*len(s)), 0
	}
	return taken
}

// Package markdown draws Markdown (CommonMark, with tables, task lists and
// strikethrough) for a terminal.
//
// What a peer wrote is cleaned after it was parsed, because Markdown makes
// characters out of entities: &#27; is an escape character. HTML is shown as it
// stands, and a link shows where it leads to.
package markdown

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/syntax"
)

// Renderer draws Markdown in the styles of a theme. It is safe for concurrent use.
type Renderer struct {
	theme  themes.Theme
	parser parser.Parser
}

// New returns a renderer.
func New(theme themes.Theme) *Renderer {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))
	return &Renderer{theme: theme, parser: md.Parser()}
}

// Lines draws source in lines of exactly width columns. The time it takes grows
// with the source, which is for the caller to bound.
func (r *Renderer) Lines(source string, width int) []string {
	if width < 2 {
		return nil
	}
	clean := []byte(safetext.CleanBlock(source, 4*len(source)+1).String())
	p := &painter{theme: r.theme, source: clean, width: width}
	p.blocks(r.parser.Parse(text.NewReader(clean)))
	lines := make([]string, len(p.lines))
	for i, line := range p.lines {
		lines[i] = line.Fit(width, r.theme.Text)
	}
	return lines
}

// Code draws source as lines of a code block in a language, nil if it is not known, that the lines before have left in a
// state.
func (r *Renderer) Code(source string, width int, in *syntax.Language, s syntax.State) []string {
	p := &painter{theme: r.theme, width: width}
	p.code(source, in, s)
	lines := make([]string, len(p.lines))
	for i, line := range p.lines {
		lines[i] = line.Fit(width, r.theme.Text)
	}
	return lines
}

// The least room for text: structure that leaves less is not drawn.
const minRoom = 12

// painter collects the lines of a document.
type painter struct {
	theme  themes.Theme
	source []byte
	width  int
	lines  []frame.Line

	first frame.Line // stands before the next line, once, such as a bullet
	rest  frame.Line // stands before the lines after that
}

// put adds a line behind what stands before it.
func (p *painter) put(line frame.Line) {
	before := p.rest
	if p.first != nil {
		before, p.first = p.first, nil
	}
	p.lines = append(p.lines, append(append(frame.Line{}, before...), line...))
}

func (p *painter) room() int { return max(2, p.width-p.rest.Width()) }

// within draws what is behind a mark: first before its first line, rest before
// the others.
func (p *painter) within(first, rest frame.Line, draw func()) {
	if p.room()-rest.Width() < minRoom {
		draw()
		return
	}
	outerFirst, outerRest := p.first, p.rest
	if outerFirst == nil {
		outerFirst = outerRest
	}
	p.first = append(append(frame.Line{}, outerFirst...), first...)
	p.rest = append(append(frame.Line{}, outerRest...), rest...)
	draw()
	if p.first != nil { // nothing was drawn
		p.put(nil)
	}
	p.first, p.rest = nil, outerRest
}

// blocks draws the children of a node, a blank line between them where the
// source has one.
func (p *painter) blocks(parent ast.Node) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.PreviousSibling() != nil && spaced(n) {
			p.put(nil)
		}
		p.block(n)
	}
}

// spaced reports whether a block stands apart from the one before it. The items
// of a tight list do not.
func spaced(n ast.Node) bool {
	if list, ok := n.Parent().(*ast.List); ok {
		return !list.IsTight
	}
	if item, ok := n.Parent().(*ast.ListItem); ok {
		if list, ok := item.Parent().(*ast.List); ok {
			return !list.IsTight
		}
	}
	return true
}

func (p *painter) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		p.paragraph(n, p.theme.Strong.Underline(n.Level == 1))
	case *ast.List:
		p.list(n)
	case *ast.Blockquote:
		mark := frame.Line{}.Own(p.theme.Dim, p.theme.Signs.Guide).Gap(1)
		p.within(mark, mark, func() { p.blocks(n) })
	case *ast.FencedCodeBlock:
		var in *syntax.Language
		if n.Info != nil {
			info := string(n.Info.Segment.Value(p.source))
			in = syntax.Of(info)
			p.verbatim(p.theme.Dim, info)
		}
		p.code(p.raw(n), in, syntax.State{})
	case *ast.CodeBlock:
		p.code(p.raw(n), nil, syntax.State{})
	case *ast.HTMLBlock:
		source := p.raw(n)
		if n.HasClosure() {
			source += string(n.ClosureLine.Value(p.source))
		}
		p.verbatim(p.theme.Dim, source)
	case *ast.ThematicBreak:
		p.put(frame.Line{}.Own(p.theme.Dim, strings.Repeat(p.theme.Frame.Horizontal, min(p.room(), 40))))
	case *east.Table:
		p.table(n)
	default:
		p.paragraph(n, p.theme.Text)
	}
}

// paragraph draws inline content in lines.
func (p *painter) paragraph(n ast.Node, style lipgloss.Style) {
	for _, line := range p.inline(n, style).wrap(p.room()) {
		p.put(line)
	}
}

func (p *painter) list(n *ast.List) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		if item.PreviousSibling() != nil && spaced(item) {
			p.put(nil)
		}
		mark := frame.Line{}.Own(p.theme.Dim, p.theme.Signs.Bullet).Gap(1)
		if n.IsOrdered() {
			mark = frame.Line{}.Add(p.theme.Dim, frame.Number(number)).Own(p.theme.Dim, string(n.Marker)).Gap(1)
			number++
		}
		p.within(mark, frame.Line{}.Gap(mark.Width()), func() { p.blocks(item) })
	}
}

// raw is the source of a block whose lines are no Markdown.
func (p *painter) raw(n ast.Node) string {
	return string(n.Lines().Value(p.source))
}

// verbatim draws lines as they are. Longer ones are broken.
func (p *painter) verbatim(style lipgloss.Style, source string) {
	for _, t := range safetext.CleanBlock(source, 4*len(source)+1).Wrap(p.room()) {
		p.put(frame.Line{}.Add(style, t))
	}
}

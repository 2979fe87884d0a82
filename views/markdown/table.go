package markdown

import (
	"charm.land/lipgloss/v2"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"ahptui/views/frame"
)

// maxColumns bounds the columns of a table that is drawn as one.
const maxColumns = 20

// table draws a table in columns if it fits, else row by row.
func (p *painter) table(n *east.Table) {
	var rows [][]frame.Line
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		style := p.theme.Text
		if row.Kind() == east.KindTableHeader {
			style = p.theme.Strong
		}
		rows = append(rows, p.cells(row, style))
	}
	widths, fits := columns(rows, p.room())
	for _, row := range rows {
		if fits {
			p.put(p.aligned(row, widths))
			continue
		}
		for _, line := range wrapLine(p.separated(row), p.room()) {
			p.put(line)
		}
	}
}

// cells are the cells of a row, each in a line.
func (p *painter) cells(row ast.Node, style lipgloss.Style) []frame.Line {
	var cells []frame.Line
	for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
		var line frame.Line
		for _, l := range p.inline(cell, style) {
			line = append(line, l...)
		}
		cells = append(cells, line)
	}
	return cells
}

// columns are the widths of the columns, and whether they fit beside each other.
func columns(rows [][]frame.Line, room int) (widths []int, fits bool) {
	const between = 3
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], cell.Width())
		}
	}
	total := -between
	for _, w := range widths {
		total += w + between
	}
	return widths, total <= room && len(widths) <= maxColumns
}

func (p *painter) aligned(row []frame.Line, widths []int) frame.Line {
	var line frame.Line
	for i, cell := range row {
		if i > 0 {
			line = p.bar(line)
		}
		line = append(line, cell...)
		line = line.Gap(widths[i] - cell.Width())
	}
	return line
}

func (p *painter) separated(row []frame.Line) frame.Line {
	var line frame.Line
	for i, cell := range row {
		if i > 0 {
			line = p.bar(line)
		}
		line = append(line, cell...)
	}
	return line
}

// bar sets a cell apart from the one before it.
func (p *painter) bar(line frame.Line) frame.Line {
	return line.Gap(1).Own(p.theme.Dim, p.theme.Frame.Vertical).Gap(1)
}

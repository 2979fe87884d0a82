package diff

import (
	"strconv"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Painter draws lines of a [Diff] in a width.
type Painter struct {
	theme  themes.Theme
	width  int
	digits int  // of the largest line number
	both   bool // there is room for both numbers
}

// NewPainter makes a painter for a diff in a width.
func NewPainter(theme themes.Theme, d *Diff, width int) Painter {
	most := 1
	for i := len(d.Lines) - 1; i >= 0 && i > len(d.Lines)-2000; i-- {
		most = max(most, d.Lines[i].Old, d.Lines[i].New)
	}
	const roomy = 48
	return Painter{theme: theme, width: max(0, width), digits: len(strconv.Itoa(most)), both: width >= roomy}
}

// Indent is how many columns stand before what a line says.
func (p Painter) Indent() int {
	if p.both {
		return 2*p.digits + 4
	}
	return p.digits + 3
}

// Line draws a line of the diff, in as many rows as it takes.
func (p Painter) Line(l Line) []string {
	if l.Kind == Gap {
		words := strconv.Itoa(l.Left) + " lines are the same"
		if l.Left == 1 {
			words = "1 line is the same"
		}
		return []string{frame.Line{}.Gap(p.Indent()).Own(p.theme.Dim, words).Fit(p.width, p.theme.Dim)}
	}
	style, sign := p.theme.Text, " "
	switch l.Kind {
	case Added:
		style, sign = p.theme.OK, "+"
	case Removed:
		style, sign = p.theme.Error, "-"
	case Same, Gap:
	}
	var rows []string
	for i, row := range p.wrap(l, style) {
		head := frame.Line{}.Gap(p.Indent())
		if i == 0 {
			head = p.numbers(l).Own(style, sign).Gap(1)
		}
		rows = append(rows, append(head, row...).Fit(p.width, p.theme.Text))
	}
	return rows
}

func (p Painter) numbers(l Line) frame.Line {
	column := func(n int) safetext.Text {
		if n == 0 {
			return safetext.Text{}.Fit(p.digits)
		}
		return frame.Number(n).FitRight(p.digits)
	}
	if p.both {
		return frame.Line{}.Add(p.theme.Dim, column(l.Old)).Gap(1).Add(p.theme.Dim, column(l.New)).Gap(1)
	}
	if l.New == 0 {
		return frame.Line{}.Add(p.theme.Dim, column(l.Old)).Gap(1)
	}
	return frame.Line{}.Add(p.theme.Dim, column(l.New)).Gap(1)
}

// wrap breaks what a line says into rows, between any two characters: where a line
// breaks in a program matters less than that its columns keep.
func (p Painter) wrap(l Line, style lipgloss.Style) []frame.Line {
	room := p.width - p.Indent()
	if room < 2 {
		return []frame.Line{nil}
	}
	parts := l.Parts
	if l.Open {
		parts = append(parts[:len(parts):len(parts)], Part{Text: safetext.Const("  (no line end)")})
	}
	rows, left := []frame.Line{nil}, room
	for i, part := range parts {
		style := style
		switch {
		case l.Open && i == len(parts)-1:
			style = p.theme.Dim
		case part.Changed:
			style = style.Reverse(true)
		}
		for text := part.Text; !text.Empty(); {
			head, rest := cut(text, left)
			if head.Empty() {
				rows, left = append(rows, nil), room
				continue
			}
			last := len(rows) - 1
			rows[last] = rows[last].Add(style, head)
			left -= head.Width()
			text = rest
		}
	}
	return rows
}

// cut takes the beginning of a text that fits into so many columns; there is room
// for any glyph in two.
func cut(text safetext.Text, cols int) (head, rest safetext.Text) {
	if text.Width() <= cols {
		return text, safetext.Text{}
	}
	if cols < 1 {
		return safetext.Text{}, text
	}
	s := text.String()
	// With what stands behind it, it is cut in any case, and ends in an ellipsis.
	end := len(safetext.Concat(text, safetext.Const("  ")).Truncate(cols+1).String()) - len(safetext.Ellipsis())
	if end <= 0 {
		return safetext.Text{}, text
	}
	return safetext.Clean(s[:end], cols), safetext.Clean(s[end:], maxColumns)
}

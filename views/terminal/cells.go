package terminal

import (
	"image/color"
	"strings"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
)

type cell = uv.Cell

// cellPainter draws cells of a virtual terminal: their characters, cleaned as all
// that a peer sent, and of their styles what harms nobody.
type cellPainter struct {
	colourless bool // as the theme is
}

// The attributes that are drawn. Text that blinks or hides is drawn without.
const attributes = uv.AttrBold | uv.AttrFaint | uv.AttrItalic | uv.AttrReverse | uv.AttrStrikethrough

// line draws so many cells of a line.
func (p cellPainter) line(line uv.Line, cols int) string {
	return p.row(cols, func(x int) *cell { return &line[x] })
}

// row draws a line of exactly cols columns.
func (p cellPainter) row(cols int, at func(x int) *cell) string {
	drawn := p.draw(cols, at, true)
	if ansi.StringWidth(drawn) != cols {
		// Two cells have become one: no neighbour joins what is ASCII.
		drawn = p.draw(cols, at, false)
	}
	return drawn
}

func (p cellPainter) draw(cols int, at func(x int) *cell, unicode bool) string {
	var b strings.Builder
	b.Grow(cols + 16)
	pen := ""
	for x := 0; x < cols; {
		c := at(x)
		glyph, width, style := " ", 1, ""
		if c != nil {
			glyph, width = shown(c, cols-x, unicode)
			style = p.style(c.Style)
		}
		if style != pen {
			if pen != "" {
				b.WriteString(ansi.ResetStyle)
			}
			b.WriteString(style)
			pen = style
		}
		b.WriteString(glyph)
		x += width
	}
	if pen != "" {
		b.WriteString(ansi.ResetStyle)
	}
	return b.String()
}

// shown is what stands in a cell, and how many columns that takes, of which there
// are so many left.
func shown(c *cell, room int, unicode bool) (glyph string, width int) {
	width = max(1, c.Width)
	if width > room {
		return strings.Repeat(" ", room), room
	}
	if len(c.Content) == 1 && c.Content[0] >= ' ' && c.Content[0] < 0x7f {
		return c.Content + strings.Repeat(" ", width-1), width
	}
	if c.Content == "" {
		return strings.Repeat(" ", width), width
	}
	if unicode {
		for _, part := range []string{c.Content, firstRune(c.Content)} { // without what it is marked with, if need be
			if text := safetext.Clean(part, 2*width); text.Width() <= width {
				return text.Fit(width).String(), width
			}
		}
	}
	return strings.Repeat("?", width), width
}

func firstRune(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return s[:n]
}

// style is the sequence that begins a style (SGR), "" for none.
func (p cellPainter) style(s uv.Style) string {
	kept := uv.Style{Attrs: s.Attrs & attributes}
	if s.Underline != 0 {
		kept.Underline = uv.UnderlineSingle
	}
	if !p.colourless {
		kept.Fg, kept.Bg = plain(s.Fg), plain(s.Bg)
	}
	if kept.IsZero() {
		return ""
	}
	return kept.String()
}

// plain is a colour in one of the forms that a style is written with.
func plain(c color.Color) color.Color {
	switch c := c.(type) {
	case nil, ansi.BasicColor, ansi.IndexedColor, color.RGBA:
		return c
	}
	r, g, b, _ := c.RGBA()
	return color.RGBA{R: uint8(r >> 8), G: uint8(g >> 8), B: uint8(b >> 8), A: 0xff}
}

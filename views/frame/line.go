package frame

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
)

// Span is a piece of a line in one style.
type Span struct {
	Style lipgloss.Style
	Text  safetext.Text
}

// Line is a line of text in several styles.
type Line []Span

// Add returns the line with a span behind it. What is empty adds nothing.
func (l Line) Add(style lipgloss.Style, text safetext.Text) Line {
	if text.Empty() {
		return l
	}
	return append(l, Span{style, text})
}

// Own is [Line.Add] for the program's own signs and words.
func (l Line) Own(style lipgloss.Style, word string) Line {
	return l.Add(style, Own(word))
}

// Gap adds columns without a style.
func (l Line) Gap(cols int) Line {
	return l.Add(lipgloss.NewStyle(), safetext.Text{}.Fit(cols))
}

// In returns the line in one style, such as that of a selected row.
func (l Line) In(style lipgloss.Style) Line {
	restyled := make(Line, len(l))
	for i, s := range l {
		restyled[i] = Span{style, s.Text}
	}
	return restyled
}

// Width is the number of columns that the line takes.
func (l Line) Width() int {
	n := 0
	for _, s := range l {
		n += s.Text.Width()
	}
	return n
}

// Fit draws the line exactly width columns wide: cut, with an ellipsis, or
// filled up in the style of fill.
func (l Line) Fit(width int, fill lipgloss.Style) string {
	var b strings.Builder
	room := width
	for i, s := range l {
		w := s.Text.Width()
		if w > room || w == room && l[i+1:].Width() > 0 {
			write(&b, s.Style, safetext.Concat(s.Text, safetext.Const(" ")).Truncate(room))
			return b.String() + short(b.String(), width)
		}
		write(&b, s.Style, s.Text)
		room -= w
	}
	write(&b, fill, safetext.Text{}.Fit(room))
	return b.String()
}

// short is what a line that was cut before a wide glyph lacks to its width.
func short(s string, width int) string {
	return strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}

func write(b *strings.Builder, style lipgloss.Style, text safetext.Text) {
	if !text.Empty() {
		b.WriteString(paint(style, text.String()))
	}
}

// Ends draws left and right at the two ends of exactly width columns, at least
// one column apart. The left is cut first; if nothing but its beginning would
// be left of it, the right is left out.
func Ends(left, right Line, width int, fill lipgloss.Style) string {
	const least = 4
	rw := right.Width()
	lw := left.Width()
	if rw == 0 || width-rw-1 < min(lw, least) {
		return left.Fit(width, fill)
	}
	return left.Fit(width-rw-1, fill) + paint(fill, " ") + right.Fit(rw, fill)
}

// Own makes text of a sign or a few words of the program's own.
func Own(word string) safetext.Text { return safetext.Clean(word, 200) }

// Number makes text of a number.
func Number(n int) safetext.Text { return Own(strconv.Itoa(n)) }

// Paragraph wraps text into lines of one style, each exactly width columns.
func Paragraph(style lipgloss.Style, text safetext.Text, width int) []string {
	if text.Empty() {
		return nil
	}
	wrapped := text.Wrap(width)
	lines := make([]string, 0, len(wrapped))
	for _, t := range wrapped {
		lines = append(lines, Line{}.Add(style, t).Fit(width, lipgloss.NewStyle()))
	}
	return lines
}

// Link breaks a URL into lines of at most width columns, with nothing between
// them, its host in a style of its own. All of it is ASCII.
func Link(style, host lipgloss.Style, link safetext.Link, width int) []Line {
	if width < 1 {
		return nil
	}
	var lines []Line
	room := 0
	for _, span := range []Span{{style, link.Before}, {host, link.Host}, {style, link.After}} {
		for text := span.Text.String(); text != ""; {
			if room == 0 {
				lines, room = append(lines, nil), width
			}
			n := min(room, len(text))
			last := &lines[len(lines)-1]
			*last = last.Add(span.Style, safetext.Clean(text[:n], n))
			text, room = text[n:], room-n
		}
	}
	return lines
}

// Fit makes exactly height lines of exactly width columns of lines with styles:
// it cuts and fills up.
func Fit(lines []string, width, height int) string {
	if height <= 0 {
		return ""
	}
	fitted := make([]string, height)
	for i := range fitted {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		fitted[i] = fitLine(line, width)
	}
	return strings.Join(fitted, "\n")
}

func fitLine(line string, width int) string {
	w := ansi.StringWidth(line)
	if w > width {
		line = ansi.Truncate(line, max(0, width), "")
		w = ansi.StringWidth(line)
	}
	return line + strings.Repeat(" ", max(0, width-w))
}

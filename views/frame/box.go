package frame

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
	"ahptui/themes"
)

// reset ends whatever style the screen under a box was in.
const reset = "\x1b[m"

// Box draws a border around body. The size is that of the whole box.
func Box(theme themes.Theme, title, footer safetext.Text, body string, width, height int) string {
	lines := strings.Split(body, "\n")
	if width < 3 || height < 3 {
		return Fit(lines, width, height)
	}
	f, style := theme.Frame, theme.OverlayFrame
	drawn := make([]string, 0, height)
	drawn = append(drawn, paint(style, f.TopLeft)+titled(f.Horizontal, style, Line{}.Add(theme.OverlayTitle, title), nil, width-2)+paint(style, f.TopRight))
	side := paint(style, f.Vertical)
	for i := range height - 2 {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		drawn = append(drawn, side+fitLine(line, width-2)+side)
	}
	drawn = append(drawn, paint(style, f.BottomLeft)+titled(f.Horizontal, style, Line{}.Add(theme.KeyText, footer), nil, width-2)+paint(style, f.BottomRight))
	return Fit(drawn, width, height)
}

// Sheet draws a rule above body and one below it, with no borders at the sides:
// what stands in a line of it can be copied from the screen. The size is that of
// the whole sheet.
func Sheet(theme themes.Theme, title, note, footer safetext.Text, body string, width, height int) string {
	lines := strings.Split(body, "\n")
	if height < 3 {
		return Fit(lines, width, height)
	}
	rule := func(style lipgloss.Style, left, right safetext.Text) string {
		line := theme.Frame.Horizontal
		drawn := titled(line, theme.OverlayFrame, Line{}.Add(style, left), Line{}.Add(theme.OverlayTitle, right), max(0, width-1))
		return paint(theme.OverlayFrame, line) + drawn
	}
	drawn := make([]string, 0, height)
	drawn = append(drawn, rule(theme.OverlayTitle, title, note))
	for i := range height - 2 {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		drawn = append(drawn, line)
	}
	return Fit(append(drawn, rule(theme.KeyText, footer, safetext.Text{})), width, height)
}

// Overlay lays a box over the middle of a screen of a size, and says where its
// upper left cell came to be.
func Overlay(screen, box string, width, height int) (drawn string, x, y int) {
	rows := strings.Split(box, "\n")
	w := 0
	for _, row := range rows {
		w = max(w, ansi.StringWidth(row))
	}
	x, y = max(0, (width-w)/2), max(0, (height-len(rows))/2)
	return OverlayAt(screen, box, x, y, width, height), x, y
}

// OverlayAt lays a box over a screen of a size, with its upper left cell at x and y.
func OverlayAt(screen, box string, x, y, width, height int) string {
	lines := strings.Split(Fit(strings.Split(screen, "\n"), width, height), "\n")
	for i, row := range strings.Split(box, "\n") {
		if y+i < len(lines) {
			lines[y+i] = lay(lines[y+i], row, x, width)
		}
	}
	return Fit(lines, width, height)
}

// lay puts row over line from column x on.
func lay(line, row string, x, width int) string {
	w := ansi.StringWidth(row)
	return fitLine(line, x) + reset + row + reset + after(line, strings.Repeat(" ", min(x+w, width)))
}

// after is what line shows right of the columns that head takes. A wide glyph
// that is cut in two leaves a space.
func after(line, head string) string {
	want := ansi.StringWidth(line) - ansi.StringWidth(head)
	if want <= 0 {
		return ""
	}
	rest := ansi.TruncateLeft(line, ansi.StringWidth(head), "")
	if ansi.StringWidth(rest) > want {
		rest = ansi.TruncateLeft(line, ansi.StringWidth(head)+1, "")
	}
	return strings.Repeat(" ", want-ansi.StringWidth(rest)) + rest
}

// fitFooter cuts a line with styles to at most width columns.
func fitFooter(line string, width int) string {
	if ansi.StringWidth(line) <= width {
		return line
	}
	return ansi.Truncate(line, width, safetext.Ellipsis())
}

package frame

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// paint is text in a style. Lip Gloss would lay it out too, with padding, borders, margins and tabs, of which there are none in
// a line: that takes many times as long, and every cell of the screen comes through here.
func paint(style lipgloss.Style, text string) string {
	sgr := attributes(style)
	if len(sgr) == 0 || text == "" {
		return text
	}
	var b strings.Builder
	open := sgr.String()
	b.Grow(len(open) + len(text) + len(ansi.ResetStyle))
	b.WriteString(open)
	b.WriteString(text)
	b.WriteString(ansi.ResetStyle)
	return b.String()
}

// attributes is what a style sets (SGR, ECMA-48 8.3.117).
func attributes(style lipgloss.Style) ansi.Style {
	const most = 8
	sgr := make(ansi.Style, 0, most)
	if style.GetBold() {
		sgr = sgr.Bold()
	}
	if style.GetItalic() {
		sgr = sgr.Italic(true)
	}
	if style.GetUnderline() {
		sgr = sgr.Underline(true)
	}
	if style.GetReverse() {
		sgr = sgr.Reverse(true)
	}
	if style.GetFaint() {
		sgr = sgr.Faint()
	}
	if style.GetStrikethrough() {
		sgr = sgr.Strikethrough(true)
	}
	if c := style.GetForeground(); c != (lipgloss.NoColor{}) {
		sgr = sgr.ForegroundColor(c)
	}
	if c := style.GetBackground(); c != (lipgloss.NoColor{}) {
		sgr = sgr.BackgroundColor(c)
	}
	return sgr
}

package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
)

// scroller is a window with more lines than it may have room for.
type scroller struct {
	top  int // the first line that is shown
	rows int // how many lines were shown last
}

// Up scrolls up a line.
func (o *scroller) Up() { o.top-- }

// Down scrolls down a line.
func (o *scroller) Down() { o.top++ }

// HalfUp scrolls up half a page.
func (o *scroller) HalfUp() { o.top -= max(1, o.rows/2) }

// HalfDown scrolls down half a page.
func (o *scroller) HalfDown() { o.top += max(1, o.rows/2) }

// PageUp scrolls up most of a page.
func (o *scroller) PageUp() { o.top -= max(1, o.rows-1) }

// PageDown scrolls down most of a page.
func (o *scroller) PageDown() { o.top += max(1, o.rows-1) }

// Home goes to the first line.
func (o *scroller) Home() { o.top = 0 }

// End goes to the last lines.
func (o *scroller) End() { o.top = endOfLines }

const (
	mostWindow   = 72 // columns
	endOfLines   = 1 << 20
	windowBorder = 2
	aroundWindow = 4
)

// windowWidth is the width of the inside of a window.
func (m *Model) windowWidth() int {
	return max(1, min(mostWindow, m.width-aroundWindow)-windowBorder)
}

// window draws lines of that width over a screen, as many as there is room for.
func (o *scroller) window(m *Model, screen string, title safetext.Text, lines []string) (string, *tea.Cursor) {
	width := m.windowWidth()
	o.rows = max(1, min(len(lines), m.height-aroundWindow))
	o.top = max(0, min(o.top, len(lines)-o.rows))
	body := frame.Fit(lines[o.top:], width, o.rows)
	footer := own(m.keyName(keymap.OverlayClose).String() + " close" + m.more(o.top > 0, o.top+o.rows < len(lines)))
	return m.placed(screen, frame.Box(m.theme, title, footer, body, width+windowBorder, o.rows+windowBorder), nil)
}

// more says in which directions there is more.
func (m *Model) more(above, below bool) string {
	words := ""
	if above {
		words += "  " + m.theme.Signs.Above + " more"
	}
	if below {
		words += "  " + m.theme.Signs.Below + " more"
	}
	return words
}

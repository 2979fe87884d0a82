package authflow

import (
	"ahptui/themes"
	"ahptui/views/frame"
)

// Model is the overlay's own state: where it is scrolled to.
type Model struct {
	theme         themes.Theme
	width, height int // of the screen
	top           int
	lines         int // of the last View
}

// New returns the overlay at its beginning.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetSize sets the size of the whole screen, in cells; the overlay takes as
// much of it as it needs.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// View draws the overlay, as wide as the screen, to be laid over it with
// frame.Overlay.
func (m *Model) View(in Input) string {
	return frame.Fit(nil, m.width, min(m.height, 1))
}

// rows is how many lines there is room for.
func (m *Model) rows() int { return max(0, m.height-2) }

func (m *Model) scroll(by int) { m.top = max(0, min(m.top+by, m.lines-m.rows())) }

// Up scrolls up one line.
func (m *Model) Up() { m.scroll(-1) }

// Down scrolls down one line.
func (m *Model) Down() { m.scroll(1) }

// PageUp scrolls up by a page.
func (m *Model) PageUp() { m.scroll(-max(1, m.rows()-1)) }

// PageDown scrolls down by a page.
func (m *Model) PageDown() { m.scroll(max(1, m.rows()-1)) }

// HalfUp scrolls up by half a page.
func (m *Model) HalfUp() { m.scroll(-max(1, m.rows()/2)) }

// HalfDown scrolls down by half a page.
func (m *Model) HalfDown() { m.scroll(max(1, m.rows()/2)) }

// Home goes to the beginning.
func (m *Model) Home() { m.top = 0 }

// End goes to the end.
func (m *Model) End() { m.scroll(m.lines) }

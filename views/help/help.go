// Package help is the overlay that lists the keys, and the line of hints at the
// bottom of the screen.
package help

import (
	"ahptui/internal/safetext"
	"ahptui/themes"
)

// Input is what the overlay lists.
type Input struct {
	Groups []Group
	Close  safetext.Text // the name of the key that closes the overlay
}

// Group is the keys of one context.
type Group struct {
	Title   safetext.Text
	Entries []Entry
}

// Entry is a key and what it does.
type Entry struct {
	Key  safetext.Text // such as "ctrl+g"
	Does safetext.Text // such as "next blocked"
	Off  safetext.Text // why it does nothing now, if so
}

// Model is the overlay's own state: where it is scrolled to.
type Model struct {
	theme themes.Theme
}

// New returns the overlay at its beginning.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetSize sets the size of the whole screen, in cells; the overlay takes as
// much of it as it needs.
func (m *Model) SetSize(width, height int) {}

// View draws the overlay, a box with its border that is to be laid over the
// screen with frame.Overlay.
func (m *Model) View(in Input) string { return "" }

// Up scrolls up one line.
func (m *Model) Up() {}

// Down scrolls down one line.
func (m *Model) Down() {}

// PageUp scrolls up by a page.
func (m *Model) PageUp() {}

// PageDown scrolls down by a page.
func (m *Model) PageDown() {}

// Home goes to the beginning.
func (m *Model) Home() {}

// End goes to the end.
func (m *Model) End() {}

// Footer draws hints in one line of exactly width columns. Those that do not
// fit are left out from the end, so the most important come first.
func Footer(theme themes.Theme, hints []Entry, width int) string { return "" }

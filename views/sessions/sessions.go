package sessions

import (
	"ahptui/protocol"
	"ahptui/themes"
)

// Model is the panel's own state: what is selected and where it is scrolled to.
type Model struct {
	theme themes.Theme
}

// New returns a panel with nothing selected.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetSize sets the size of the panel's inside, in cells.
func (m *Model) SetSize(width, height int) {}

// Sync takes the input without drawing it, so that moves act on what is there.
// View does it too.
func (m *Model) Sync(in Input) {}

// View draws the panel.
func (m *Model) View(in Input, focused bool) string { return "" }

// Up selects the session above.
func (m *Model) Up() {}

// Down selects the session below.
func (m *Model) Down() {}

// PageUp goes up by a page.
func (m *Model) PageUp() {}

// PageDown goes down by a page.
func (m *Model) PageDown() {}

// Home selects the first session.
func (m *Model) Home() {}

// End selects the last session.
func (m *Model) End() {}

// SelectID selects a session, also one that the next input brings.
func (m *Model) SelectID(id protocol.URI) {}

// Selected is the selected session, "" if there is none.
func (m *Model) Selected() protocol.URI { return "" }

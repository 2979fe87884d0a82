package transcript

import "ahptui/themes"

// Model is the panel's own state: where it is scrolled to, what is selected and
// unfolded, and what was drawn already.
type Model struct {
	theme themes.Theme
}

// New returns a panel that follows the end of the chat.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetSize sets the size of the panel's inside, in cells.
func (m *Model) SetSize(width, height int) {}

// Sync takes the input without drawing it, so that moves act on what is there.
// View does it too.
func (m *Model) Sync(in Input) {}

// View draws the panel.
func (m *Model) View(in Input, focused bool) string { return "" }

// Up selects what can be selected above, or scrolls one line.
func (m *Model) Up() {}

// Down selects what can be selected below, or scrolls one line.
func (m *Model) Down() {}

// PageUp scrolls by most of a page.
func (m *Model) PageUp() {}

// PageDown scrolls by most of a page.
func (m *Model) PageDown() {}

// HalfUp scrolls by half a page.
func (m *Model) HalfUp() {}

// HalfDown scrolls by half a page.
func (m *Model) HalfDown() {}

// Home goes to the beginning.
func (m *Model) Home() {}

// End goes to the end and follows it from now on.
func (m *Model) End() {}

// Following reports whether the panel sticks to the end of the chat.
func (m *Model) Following() bool { return false }

// SelectCall selects a tool call and scrolls to it. It reports whether the chat
// has it.
func (m *Model) SelectCall(turnID, callID string) bool { return false }

// SelectRequest selects a request for input and scrolls to it. It reports
// whether the chat has it.
func (m *Model) SelectRequest(id string) bool { return false }

// Deselect selects nothing.
func (m *Model) Deselect() {}

// Selected is what is selected; its Kind is None if nothing is.
func (m *Model) Selected() Selection { return Selection{} }

// Toggle unfolds the selected item, or folds it.
func (m *Model) Toggle() {}

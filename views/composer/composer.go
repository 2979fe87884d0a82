// Package composer is the field in which a person writes to the agent.
package composer

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
)

// MaxLines is how many lines the composer grows to before it scrolls.
const MaxLines = 6

// Input is what the composer shows around what is typed.
type Input struct {
	// Placeholder is shown while there is nothing.
	Placeholder safetext.Text
	// Disabled says why nothing can be sent, such as "read-only chat". What is
	// typed stays.
	Disabled safetext.Text
}

// Model is the field with what is typed in it.
type Model struct {
	theme themes.Theme
}

// New returns an empty field without focus.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetSize sets the size of the field, in cells. The height that it would like
// is told by Lines.
func (m *Model) SetSize(width, height int) {}

// Lines is how many lines the text needs at a width, from 1 to MaxLines.
func (m *Model) Lines(width int) int { return 1 }

// View draws the field.
func (m *Model) View(in Input, focused bool) string { return "" }

// Cursor is where the terminal's cursor belongs, counted from the field's upper
// left cell; nil without focus.
func (m *Model) Cursor() *tea.Cursor { return nil }

// Update takes a key press or a paste. A key that sends is not the composer's
// business: Enter must not get here. A paste never sends, whatever is in it.
func (m *Model) Update(msg tea.Msg) {}

// Newline begins a new line.
func (m *Model) Newline() {}

// Value is what is typed, exactly.
func (m *Model) Value() string { return "" }

// SetValue replaces what is typed, such as by a draft that was kept, and puts
// the cursor behind it.
func (m *Model) SetValue(s string) {}

// Focus lets keys into the field.
func (m *Model) Focus() {}

// Blur keeps keys out. What is typed stays.
func (m *Model) Blur() {}

// Focused reports whether keys get into the field.
func (m *Model) Focused() bool { return false }

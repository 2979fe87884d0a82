package prompt

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/themes"
)

// Line is a field of one line that stands where whoever has it draws it. It holds at most [MaxField] bytes.
type Line struct{ field field }

// NewLine returns a field with a text in it that has the keyboard.
func NewLine(theme themes.Theme, text string) *Line {
	l := &Line{newField(theme, text)}
	l.field.focus()
	return l
}

// Update takes a key press or a paste.
func (l *Line) Update(msg tea.Msg) { l.field.update(msg) }

// Value is what was typed.
func (l *Line) Value() string { return l.field.value() }

// View draws the part around the cursor that fits into so many columns, and says in which of them the cursor is.
func (l *Line) View(width int) (line string, x int) { return l.field.view(width) }

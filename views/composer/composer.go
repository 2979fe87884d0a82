// Package composer is the field in which a person writes to the agent.
package composer

import (
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// MaxLines is how many lines the composer grows to before it scrolls.
const MaxLines = 6

// indent is the columns of the sign before what is typed.
const indent = 2

// Input is what the composer shows around what is typed.
type Input struct {
	// Placeholder is shown while there is nothing.
	Placeholder safetext.Text
	// Disabled says why nothing can be sent, such as "read-only chat". What is
	// typed stays.
	Disabled safetext.Text
	// Chips are what goes with the message beside its text.
	Chips []Chip
}

// Model is the field with what is typed in it.
type Model struct {
	theme         themes.Theme
	width, height int
	field         field
	top           int         // the first of the field's lines that is seen
	cursor        *tea.Cursor // where the last View put it
}

// New returns an empty field without focus.
func New(theme themes.Theme) *Model {
	return &Model{theme: theme, field: newField(theme)}
}

// SetTheme draws in another theme from now on.
func (m *Model) SetTheme(theme themes.Theme) { m.theme = theme }

// SetSize sets the size of the field, in cells. The height that it would like
// is told by Lines.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = max(0, width), max(0, height)
	m.field.widen(width - indent)
}

// SetMaxLines sets how many lines the field grows to before it scrolls, where that
// is not MaxLines.
func (m *Model) SetMaxLines(n int) { m.field.grow(n) }

// Lines is how many lines the text and what goes with it need at a width; the text
// has from 1 to MaxLines.
func (m *Model) Lines(in Input, width int) int {
	return len(m.chips(in.Chips, width)) + m.field.count(width-indent)
}

// View draws the field.
func (m *Model) View(in Input, focused bool) string {
	m.cursor = nil
	if m.width <= indent || m.height == 0 {
		return frame.Fit(nil, m.width, m.height)
	}
	chips := m.chips(in.Chips, m.width)
	chips = chips[:min(len(chips), m.height-1)]
	text := m.text(in, focused, m.height-len(chips))
	if m.cursor != nil {
		m.cursor.Y += len(chips)
	}
	return frame.Fit(append(chips, text...), m.width, m.height)
}

// text draws what is typed in so many lines.
func (m *Model) text(in Input, focused bool, height int) []string {
	typed := m.seen(height)
	note := m.note(in)
	sign := frame.Line{}.Own(m.sign(focused), m.theme.Signs.Composer).Gap(1)
	if m.Value() == "" {
		if note.Empty() {
			sign = sign.Add(m.theme.Placeholder, in.Placeholder)
		} else {
			sign = sign.Add(m.theme.Warning, note)
		}
		return []string{sign.Fit(m.width, m.theme.Text)}
	}
	lines := make([]string, 0, height+1)
	for i, line := range typed {
		before := frame.Line{}.Gap(indent)
		if i == 0 {
			before = sign
		}
		lines = append(lines, before.Fit(indent, m.theme.Text)+line)
	}
	return m.noted(lines, note, height)
}

// seen are so many lines of the field; it puts the cursor where it belongs.
func (m *Model) seen(height int) []string {
	lines, cursor := m.field.view()
	row := m.top
	if cursor != nil {
		row = cursor.Y
	}
	m.top = list.Scroll(m.top, len(lines), height, row, row+1)
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+indent, cursor.Y-m.top
		m.cursor = cursor
	}
	return lines[m.top:min(m.top+height, len(lines))]
}

// noted puts a note below what is typed if there is room, else in the place of
// a line that the cursor is not in.
func (m *Model) noted(lines []string, note safetext.Text, height int) []string {
	if note.Empty() || height < 2 {
		return lines
	}
	line := frame.Line{}.Gap(indent).Add(m.theme.Warning, note).Fit(m.width, m.theme.Warning)
	switch {
	case len(lines) < height:
		return append(lines, line)
	case m.cursor == nil || m.cursor.Y < height-1:
		lines[height-1] = line
	default:
		lines[0] = line
	}
	return lines
}

func (m *Model) sign(focused bool) lipgloss.Style {
	if focused {
		return m.theme.Composer
	}
	return m.theme.Dim
}

// note is what the person has to know about the field.
func (m *Model) note(in Input) safetext.Text {
	if m.field.refused {
		return safetext.Const("not pasted: it is too long for a message (256 KiB)")
	}
	return in.Disabled
}

// Cursor is where the terminal's cursor belongs after the last View, counted
// from the field's upper left cell; nil without focus.
func (m *Model) Cursor() *tea.Cursor { return m.cursor }

// Update takes a key press or a paste. Enter is no text: the key that sends and
// the one that begins a new line are the owner's business. A paste never sends,
// whatever is in it.
func (m *Model) Update(msg tea.Msg) {
	if !m.Focused() {
		return
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		m.field.insert(msg.Content)
	case tea.KeyPressMsg:
		m.field.refused = false
		if msg.Text != "" {
			m.field.insert(msg.Text)
		} else {
			m.field.press(msg)
		}
	}
}

// Newline begins a new line.
func (m *Model) Newline() {
	if m.Focused() {
		m.field.insert("\n")
	}
}

// Value is what is typed, but for control characters, which a paste may bring
// and which are not taken.
func (m *Model) Value() string { return m.field.typed }

// SetValue replaces what is typed, such as by a draft that was kept, and puts
// the cursor behind it. What does not fit, see [Fits], is cut.
func (m *Model) SetValue(s string) { m.field.set(s) }

// Before is what is typed before the cursor.
func (m *Model) Before() string { return m.field.head() }

// Replace puts text in the place of the bytes from start to end of what is typed,
// and the cursor behind it. It reports whether there was room for it.
func (m *Model) Replace(start, end int, text string) bool { return m.field.replace(start, end, text) }

// AtStart reports whether the cursor is before all that is typed.
func (m *Model) AtStart() bool { return m.field.area.Line() == 0 && m.field.area.Column() == 0 }

// AtFirstLine reports whether there is no line above the cursor.
func (m *Model) AtFirstLine() bool {
	return m.field.area.Line() == 0 && m.field.area.LineInfo().RowOffset == 0
}

// AtLastLine reports whether there is no line below the cursor.
func (m *Model) AtLastLine() bool {
	at := m.field.area.LineInfo()
	return m.field.area.Line() == m.field.area.LineCount()-1 && at.RowOffset >= at.Height-1
}

// Focus lets keys into the field.
func (m *Model) Focus() { _ = m.field.area.Focus() } // there is no virtual cursor that would blink

// Blur keeps keys out. What is typed stays.
func (m *Model) Blur() {
	m.field.area.Blur()
	m.cursor = nil
}

// Focused reports whether keys get into the field.
func (m *Model) Focused() bool { return m.field.area.Focused() }

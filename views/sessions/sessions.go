package sessions

import (
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// From these widths on there is room for more than a sign and the title.
const (
	AgeWidth = 30 // the age, at the right
	wider    = 56 // provider and state in words
)

// Model is the panel's own state: what is selected and where it is scrolled to.
type Model struct {
	theme         themes.Theme
	width, height int
	cursor        list.Cursor[protocol.URI]
	rows          []protocol.URI // that the last View drew, from the top
}

// New returns a panel with nothing selected.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetTheme draws in another theme from now on.
func (m *Model) SetTheme(theme themes.Theme) { m.theme = theme }

// SetSize sets the size of the panel's inside, in cells.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Sync takes the input without drawing it, so that moves act on what is there.
// View does it too.
func (m *Model) Sync(in Input) {
	m.cursor.Sync(len(in.Rows), func(i int) protocol.URI { return in.Rows[i].ID })
}

// View draws the panel. Only the rows that are seen are looked at.
func (m *Model) View(in Input, focused bool) string {
	m.Sync(in)
	m.rows = m.rows[:0]
	if len(in.Rows) == 0 {
		return frame.Fit(m.empty(in), m.width, m.height)
	}
	top := m.cursor.Top(m.height)
	lines := make([]string, 0, m.height)
	for i := top; i < min(top+m.height, len(in.Rows)); i++ {
		lines = append(lines, m.row(in, i, focused))
		m.rows = append(m.rows, in.Rows[i].ID)
	}
	return frame.Fit(lines, m.width, m.height)
}

// empty says why there is nothing and what to do about it.
func (m *Model) empty(in Input) []string {
	if !in.Listed {
		return frame.Paragraph(m.theme.Empty, safetext.Const("waiting for the host's sessions"), m.width)
	}
	lines := frame.Paragraph(m.theme.Empty, safetext.Const("no sessions yet"), m.width)
	if in.NewKey.Empty() {
		return lines
	}
	return append(lines, frame.Line{}.Add(m.theme.Key, in.NewKey).Add(m.theme.KeyText, safetext.Const(" new session")).Fit(m.width, m.theme.Empty))
}

func (m *Model) row(in Input, i int, focused bool) string {
	row := in.Rows[i]
	left, right := m.left(row, in.Stale), m.right(row)
	fill := lipgloss.NewStyle()
	if i == m.cursor.Index() {
		fill = m.theme.SelectionDim
		if focused {
			fill = m.theme.Selection
		}
		left, right = left.In(fill), right.In(fill)
	}
	return frame.Ends(left, right, m.width, fill)
}

// left is the sign, the title and the count of what is blocked.
func (m *Model) left(row Row, stale bool) frame.Line {
	badge := m.theme.Badge(state(row))
	title := m.theme.Text
	switch {
	case stale:
		title = m.theme.Stale
	case row.Archived:
		title = m.theme.Dim
	case row.Unread:
		title = m.theme.Strong
	}
	line := frame.Line{}.Own(badge.Style, badge.Glyph).Gap(1)
	if m.width >= 12 {
		line = frame.Line{}.Gap(1).Own(badge.Style, badge.Glyph).Gap(1)
	}
	if row.Blocked > 1 {
		line = line.Add(badge.Style, frame.Number(row.Blocked)).Gap(1)
	}
	if row.Unread {
		line = line.Own(m.theme.Strong, unread)
	}
	if row.Title.Empty() {
		return line.Add(m.theme.Dim, safetext.Const("untitled"))
	}
	return line.Add(title, row.Title)
}

// unread stands before the title of a session that was not looked at since it
// changed. It is ASCII, so that it is in every theme.
const unread = "*"

// right is what else there is room for.
func (m *Model) right(row Row) frame.Line {
	var line frame.Line
	if m.width >= wider {
		line = m.words(row)
	}
	if m.width >= AgeWidth {
		line = spaced(line).Add(m.theme.Dim, row.Age)
	}
	if len(line) > 0 {
		line = line.Gap(1)
	}
	return line
}

// words are the state and the provider in words.
func (m *Model) words(row Row) frame.Line {
	var line frame.Line
	if !row.Activity.Empty() {
		line = line.Add(m.theme.Dim, row.Activity.Truncate(m.width/4))
	} else if badge := m.theme.Badge(state(row)); badge.Word != m.theme.Badge(themes.SessionIdle).Word {
		line = line.Add(badge.Style, frame.Own(badge.Word))
	}
	if row.Archived {
		line = spaced(line).Add(m.theme.Dim, safetext.Const("archived"))
	}
	return spaced(line).Add(m.theme.Dim, row.Provider.Truncate(m.width/5))
}

// spaced is the line ready for another word.
func spaced(line frame.Line) frame.Line {
	if len(line) == 0 {
		return line
	}
	return line.Gap(2)
}

// state picks the badge of a session.
func state(row Row) themes.Status {
	switch {
	case row.Failed:
		return themes.SessionError
	case row.Creating:
		return themes.SessionCreating
	case row.Blocked > 0 || row.Status.NeedsInput():
		return themes.SessionInputNeeded
	case row.Status.Failed():
		return themes.SessionError
	case row.Status.Busy():
		return themes.SessionWorking
	}
	return themes.SessionIdle
}

// Up selects the session above.
func (m *Model) Up() { m.cursor.Move(-1) }

// Down selects the session below.
func (m *Model) Down() { m.cursor.Move(1) }

// PageUp goes up by a page.
func (m *Model) PageUp() { m.cursor.Move(-max(1, m.height-1)) }

// PageDown goes down by a page.
func (m *Model) PageDown() { m.cursor.Move(max(1, m.height-1)) }

// HalfUp goes up by half a page.
func (m *Model) HalfUp() { m.cursor.Move(-max(1, m.height/2)) }

// HalfDown goes down by half a page.
func (m *Model) HalfDown() { m.cursor.Move(max(1, m.height/2)) }

// Home selects the first session.
func (m *Model) Home() { m.cursor.Home() }

// End selects the last session.
func (m *Model) End() { m.cursor.End() }

// SelectID selects a session, also one that the next input brings.
func (m *Model) SelectID(id protocol.URI) { m.cursor.Select(id) }

// Selected is the selected session, "" if there is none.
func (m *Model) Selected() protocol.URI {
	id, _ := m.cursor.Selected()
	return id
}

// Click selects the session in a row of the panel. It reports whether that was
// selected already; it is not if there is none.
func (m *Model) Click(row int) (again bool) {
	if row < 0 || row >= len(m.rows) {
		return false
	}
	again = m.rows[row] == m.Selected()
	m.cursor.Select(m.rows[row])
	return again
}

// Wheel scrolls by so many rows, down if by is positive, and leaves the selection
// where it is.
func (m *Model) Wheel(by int) { m.cursor.Scroll(by) }

// Scrolled reports whether the wheel has moved away from the selected session.
func (m *Model) Scrolled() bool { return m.cursor.Loose() }

// Top is the place of the first session that is drawn.
func (m *Model) Top() int { return m.cursor.Top(m.height) }

package sessions

import (
	"sort"

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

// AboutHeight is the height from which on there are lines about the selected session below the list.
const AboutHeight = 14

// Model is the panel's own state: what is selected and where it is scrolled to.
type Model struct {
	theme         themes.Theme
	width, height int
	cursor        list.Cursor[protocol.URI]
	groups        []Group
	rows          int            // that there are
	top           int            // the first line of rows and headings that is seen
	room          int            // lines that there are for them
	drawn         []protocol.URI // what the lines of the last View are about, "" for none
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
	m.groups, m.rows, m.room = in.Groups, len(in.Rows), m.height
	if in.Filter.On {
		m.room--
	}
	if m.hasAbout() {
		m.room -= aboutLines
	}
	m.room = max(0, m.room)
}

// View draws the panel. Only the rows that are seen are looked at.
func (m *Model) View(in Input, focused bool) string {
	m.Sync(in)
	m.drawn = m.drawn[:0]
	lines := make([]string, 0, m.height)
	if in.Filter.On {
		lines = append(lines, m.filter(in))
		m.drawn = append(m.drawn, "")
	}
	if len(in.Rows) == 0 {
		return frame.Fit(append(lines, m.empty(in)...), m.width, m.height)
	}
	bottom := len(lines) + m.room
	lines = append(lines, m.list(in, focused)...)
	for len(lines) < bottom {
		lines = append(lines, "")
	}
	return frame.Fit(append(lines, m.about(in)...), m.width, m.height)
}

// list draws the rows and headings for which there is room.
func (m *Model) list(in Input, focused bool) []string {
	top := m.Line()
	lines := make([]string, 0, m.room)
	add := func(line string, about protocol.URI) {
		if len(lines) < m.room {
			lines = append(lines, line)
			m.drawn = append(m.drawn, about)
		}
	}
	i := m.Top()
	if m.lineOf(i) > top { // the line at the top is its heading
		add(m.heading(in.Groups[groupsUntil(in.Groups, i)-1]), "")
	}
	for ; i < len(in.Rows) && len(lines) < m.room; i++ {
		add(m.row(in, i, focused), in.Rows[i].ID)
		if next := groupsUntil(in.Groups, i); next < len(in.Groups) && in.Groups[next].From == i+1 {
			add(m.heading(in.Groups[next]), "")
		}
	}
	return lines
}

// lineOf is the line of a row among rows and headings.
func (m *Model) lineOf(row int) int { return row + groupsUntil(m.groups, row) }

// Line is the first line of rows and headings that is drawn: the selected row is in sight, with its heading if that goes,
// unless the wheel has moved away from it.
func (m *Model) Line() int {
	all := m.rows + len(m.groups)
	if m.cursor.Loose() {
		m.top = max(0, min(m.top, all-m.room))
		return m.top
	}
	selected := max(0, m.cursor.Index())
	first := m.lineOf(selected)
	last := first + 1
	if m.room > 1 && isFirst(m.groups, selected) {
		first--
	}
	m.top = list.Scroll(m.top, all, m.room, first, last)
	return m.top
}

// Top is the place of the first session that is drawn.
func (m *Model) Top() int {
	top := m.Line()
	return sort.Search(m.rows, func(i int) bool { return m.lineOf(i) >= top })
}

// groupsUntil is how many headings stand above a row.
func groupsUntil(groups []Group, row int) int {
	return sort.Search(len(groups), func(i int) bool { return groups[i].From > row })
}

// isFirst reports whether a row is the first one of its group.
func isFirst(groups []Group, row int) bool {
	n := groupsUntil(groups, row)
	return n > 0 && groups[n-1].From == row
}

func (m *Model) heading(g Group) string {
	return frame.Ends(frame.Line{}.Add(m.theme.Heading, g.Title), frame.Line{}.Add(m.theme.Dim, frame.Number(g.Count)).Gap(1), m.width, m.theme.Text)
}

// empty says why there is nothing and what to do about it.
func (m *Model) empty(in Input) []string {
	switch {
	case !in.Listed:
		return m.words(safetext.Const("waiting for the host's sessions"))
	case in.Filter.On && in.Filter.Total > 0:
		return append(m.words(safetext.Const("no session matches")), m.key(in.Filter.EndKey, "shows all")...)
	case in.Archived > 0:
		return append(m.words(safetext.Const("all sessions are archived")), append(m.key(in.ArchivedKey, "shows them"), m.key(in.NewKey, "new session")...)...)
	}
	return append(m.words(safetext.Const("no sessions yet")), m.key(in.NewKey, "new session")...)
}

func (m *Model) words(text safetext.Text) []string {
	return frame.Paragraph(m.theme.Empty, text, m.width)
}

// key is a line that says what a key does, none if there is no key.
func (m *Model) key(key safetext.Text, does string) []string {
	if key.Empty() {
		return nil
	}
	return []string{frame.Line{}.Add(m.theme.Key, key).Gap(1).Own(m.theme.KeyText, does).Fit(m.width, m.theme.Empty)}
}

// Up selects the session above.
func (m *Model) Up() { m.cursor.Move(-1) }

// Down selects the session below.
func (m *Model) Down() { m.cursor.Move(1) }

// PageUp goes up by a page.
func (m *Model) PageUp() { m.cursor.Move(-max(1, m.room-1)) }

// PageDown goes down by a page.
func (m *Model) PageDown() { m.cursor.Move(max(1, m.room-1)) }

// HalfUp goes up by half a page.
func (m *Model) HalfUp() { m.cursor.Move(-max(1, m.room/2)) }

// HalfDown goes down by half a page.
func (m *Model) HalfDown() { m.cursor.Move(max(1, m.room/2)) }

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
	if row < 0 || row >= len(m.drawn) || m.drawn[row] == "" {
		return false
	}
	again = m.drawn[row] == m.Selected()
	m.cursor.Select(m.drawn[row])
	return again
}

// Wheel scrolls by so many rows, down if by is positive, and leaves the selection
// where it is.
func (m *Model) Wheel(by int) {
	m.top += by
	m.cursor.Scroll(by)
}

// Scrolled reports whether the wheel has moved away from the selected session.
func (m *Model) Scrolled() bool { return m.cursor.Loose() }

package sessions

import (
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

func (m *Model) row(in Input, i int, focused bool) string {
	row := in.Rows[i]
	left, right := m.left(row, in.Stale), m.right(row, in.age(i))
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

// left is the sign, the marks, the count of what is blocked and the title.
func (m *Model) left(row *Row, stale bool) frame.Line {
	badge := m.theme.Badge(row.State())
	title := m.theme.Text
	switch {
	case stale:
		title = m.theme.Stale
	case row.Archived:
		title = m.theme.Dim
	case row.Unread:
		title = m.theme.Strong
	}
	line := make(frame.Line, 0, 10)
	if m.width >= 12 {
		line = line.Gap(1)
	}
	line = line.Own(badge.Style, badge.Glyph).Gap(1)
	if mark, ok := m.mark(row); ok {
		line = line.Own(mark.Style, mark.Glyph).Gap(1)
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

// mark is what became of what the person asked for; ok is false if there is nothing to say.
func (m *Model) mark(row *Row) (badge themes.Badge, ok bool) {
	switch {
	case row.Pending:
		return m.theme.Badge(themes.MarkPending), true
	case !row.Refused.Empty():
		return m.theme.Badge(themes.MarkRejected), true
	}
	return themes.Badge{}, false
}

// right is what else there is room for.
func (m *Model) right(row *Row, age safetext.Text) frame.Line {
	line := make(frame.Line, 0, 8)
	if m.width >= wider {
		line = m.details(row)
	}
	if m.width >= AgeWidth {
		line = spaced(line).Add(m.theme.Dim, age)
	}
	if len(line) > 0 {
		line = line.Gap(1)
	}
	return line
}

// details are the state, the provider and the number of chats in words.
func (m *Model) details(row *Row) frame.Line {
	var line frame.Line
	if mark, ok := m.mark(row); ok {
		word := row.Refused
		if row.Pending {
			word = frame.Own(mark.Word)
		}
		line = line.Add(mark.Style, word.Truncate(m.width/2))
	} else if !row.Activity.Empty() {
		line = line.Add(m.theme.Dim, row.Activity.Truncate(m.width/4))
	} else if badge := m.theme.Badge(row.State()); badge.Word != m.theme.Badge(themes.SessionIdle).Word {
		line = line.Add(badge.Style, frame.Own(badge.Word))
	}
	if row.Archived {
		line = spaced(line).Add(m.theme.Dim, safetext.Const("archived"))
	}
	if row.Chats > 1 {
		line = spaced(line).Add(m.theme.Dim, chats(row.Chats))
	}
	return spaced(line).Add(m.theme.Dim, row.Provider.Truncate(m.width/5))
}

func chats(n int) safetext.Text {
	if n == 1 {
		return safetext.Const("1 chat")
	}
	return safetext.Concat(frame.Number(n), safetext.Const(" chats"))
}

// spaced is the line ready for another word.
func spaced(line frame.Line) frame.Line {
	if len(line) == 0 {
		return line
	}
	return line.Gap(2)
}

// State is which badge a session has.
func (row *Row) State() themes.Status {
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

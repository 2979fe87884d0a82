package sessions

import (
	"strings"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// aboutLines are how many lines there are about the selected session, with the rule above them.
const aboutLines = 5

// hasAbout reports whether there is room for them.
func (m *Model) hasAbout() bool {
	return m.height >= AboutHeight && m.width < wider && m.width >= 2 && m.cursor.Index() >= 0
}

// about is what there is to say about the selected session for which a row has no room; there are as many lines for
// every session.
func (m *Model) about(in Input) []string {
	if !m.hasAbout() {
		return nil
	}
	i := m.cursor.Index()
	row := in.Rows[i]
	lines := []frame.Line{m.doing(row), m.dotted(row.Provider, m.chats(row)), m.dotted(m.changed(in.age(i)), m.kept(row)), m.last(row)}
	drawn := []string{frame.Line{}.Own(m.theme.Border, strings.Repeat(m.theme.Frame.Horizontal, m.width)).Fit(m.width, m.theme.Border)}
	for _, line := range lines {
		drawn = append(drawn, append(frame.Line{}.Gap(1), line...).Fit(m.width, m.theme.Text))
	}
	return drawn
}

// doing is the state of a session, and how much in it is blocked.
func (m *Model) doing(row *Row) frame.Line {
	badge := m.theme.Badge(row.State())
	line := frame.Line{}.Own(badge.Style, badge.Glyph).Gap(1)
	switch {
	case row.Blocked > 0:
		return line.Add(badge.Style, safetext.Concat(frame.Number(row.Blocked), safetext.Const(" blocked")))
	case !row.Activity.Empty() && row.State() == themes.SessionWorking:
		return line.Add(badge.Style, row.Activity)
	}
	return line.Own(badge.Style, badge.Word)
}

func (m *Model) chats(row *Row) safetext.Text {
	if row.Chats == 0 {
		return safetext.Text{}
	}
	return chats(row.Chats)
}

func (m *Model) changed(age safetext.Text) safetext.Text {
	if age.Empty() {
		return age
	}
	return safetext.Concat(age, safetext.Const(" ago"))
}

// kept are the flags of a session in words.
func (m *Model) kept(row *Row) safetext.Text {
	switch {
	case row.Archived && row.Unread:
		return safetext.Const("unread, archived")
	case row.Archived:
		return safetext.Const("archived")
	case row.Unread:
		return safetext.Const("unread")
	}
	return safetext.Text{}
}

// last is what became of what was asked for, else where the session works.
func (m *Model) last(row *Row) frame.Line {
	if mark, ok := m.mark(row); ok {
		word := row.Refused
		if row.Pending {
			word = frame.Own(mark.Word)
		}
		return frame.Line{}.Own(mark.Style, mark.Glyph).Gap(1).Add(mark.Style, word)
	}
	return frame.Line{}.Add(m.theme.Dim, row.Directory)
}

// dotted are words with a sign between them; what is empty is left out.
func (m *Model) dotted(words ...safetext.Text) frame.Line {
	line := frame.Line{}
	for _, word := range words {
		if word.Empty() {
			continue
		}
		if len(line) > 0 {
			line = line.Gap(1).Own(m.theme.Dim, m.theme.Signs.Bullet).Gap(1)
		}
		line = line.Add(m.theme.Dim, word)
	}
	return line
}

package sessions

import (
	"strconv"

	"ahptui/internal/safetext"
	"ahptui/views/frame"
)

// filterSign stands before what is typed. It is what begins it.
const filterSign = "/"

// filter is the line of the filter: what was typed, and how many match.
func (m *Model) filter(in Input) string {
	f := in.Filter
	sign := frame.Line{}.Own(m.theme.Composer, filterSign)
	count := frame.Line{}.Add(m.theme.Dim, m.matches(in)).Gap(1)
	if !f.Typing {
		return frame.Ends(sign.Add(m.theme.Strong, f.Text), count, m.width, m.theme.Text)
	}
	room := m.FilterRoom(in)
	line := sign.Fit(min(1, m.width), m.theme.Text) + frame.Fit([]string{f.Field}, room, 1)
	return line + count.Fit(max(0, m.width-1-room), m.theme.Text)
}

// FilterRoom is how many columns there are for the field of the filter.
func (m *Model) FilterRoom(in Input) int {
	const sign, gaps, least = 1, 2, 8
	room := m.width - sign
	if count := m.matches(in).Width() + gaps; room-count >= least {
		room -= count
	}
	return max(0, room)
}

// FilterColumn is the column in which the field of the filter begins.
func (m *Model) FilterColumn() int { return len(filterSign) }

// matches is how many sessions match, of how many.
func (m *Model) matches(in Input) safetext.Text {
	return frame.Own(strconv.Itoa(len(in.Rows)) + "/" + strconv.Itoa(in.Filter.Total))
}

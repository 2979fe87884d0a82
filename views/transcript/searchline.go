package transcript

import (
	"fmt"

	"ahptui/internal/safetext"
	"ahptui/views/frame"
)

// withSearch puts the line of the search below the lines of the chat.
func (m *Model) withSearch(lines []string) string {
	body := frame.Fit(lines, m.width, m.height)
	switch {
	case m.search == nil || m.full == 0:
		return body
	case m.height == m.full: // there is no other line
		return frame.Fit([]string{m.searchLine()}, m.width, m.full)
	}
	return body + "\n" + frame.Fit([]string{m.searchLine()}, m.width, 1)
}

// SearchRoom is how many columns there are for the words that are typed.
func (m *Model) SearchRoom() int { return max(1, m.width-signColumns-m.found().Width()-1) }

// signColumns is the sign before the words and the column after it.
const signColumns = 2

func (m *Model) searchLine() string {
	in, s := m.in.Search, m.search
	sign := frame.Line{}.Own(m.theme.Composer, "/").Gap(1)
	if in.Typing {
		room := m.SearchRoom()
		return sign.Fit(min(signColumns, m.width), m.theme.Text) + frame.Fit([]string{in.Field}, room, 1) + " " + m.found().Fit(m.found().Width(), m.theme.Text)
	}
	right := m.found()
	for _, key := range []struct {
		name safetext.Text
		does string
	}{{in.Next, "next"}, {in.Previous, "before"}, {in.End, "end"}} {
		if !key.name.Empty() {
			right = right.Gap(2).Add(m.theme.Key, key.name).Gap(1).Own(m.theme.KeyText, key.does)
		}
	}
	left := sign.Add(m.theme.Strong, safetext.Clean(s.words, maxWords))
	if left.Width()+1+right.Width() > m.width {
		right = m.found()
	}
	return frame.Ends(left, right, m.width, m.theme.Text)
}

// found says how many matches there are.
func (m *Model) found() frame.Line {
	if m.search.find == nil {
		return nil
	}
	_, more := m.Searching()
	at, n := m.Matches()
	words := fmt.Sprintf("%d of %d", at, n)
	switch {
	case n == 0 && more:
		words = "searching…"
	case n == 0:
		return frame.Line{}.Own(m.theme.Warning, "no match")
	case m.search.full():
		words += "+"
	case more:
		words += "…"
	}
	return frame.Line{}.Own(m.theme.Dim, words)
}

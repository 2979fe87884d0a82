package transcript

import (
	"ahptui/protocol"
	"ahptui/views/frame"
)

// maxNews bounds how many new items are counted.
const maxNews = 999

// mark is a chat as it was when its end was on the screen.
type mark struct {
	last, active *protocol.Turn
	turn         string // the id of the newest turn
	parts        int    // of it
}

func markOf(c *protocol.ChatState) mark {
	m := mark{active: c.ActiveTurn}
	if n := len(c.Turns); n > 0 {
		m.last = c.Turns[n-1]
	}
	newest := m.active
	if newest == nil {
		newest = m.last
	}
	if newest != nil {
		m.turn, m.parts = newest.ID, len(newest.ResponseParts)
	}
	return m
}

// news counts the messages and the parts of answers that have come since the end was on the screen.
func (m *Model) news() int {
	n := 0
	for s := len(m.in.Chat.Turns) + 1; s > 0 && n <= maxNews; s-- {
		turn, _ := m.turn(s)
		switch {
		case turn == nil:
		case turn.ID == m.seen.turn:
			return n + max(0, len(turn.ResponseParts)-m.seen.parts)
		default:
			n += 1 + len(turn.ResponseParts)
		}
	}
	return n
}

// newer is the last line while there is something new below it.
func (m *Model) newer() string {
	line := frame.Line{}.Own(m.theme.Warning, " "+m.theme.Signs.Below+" ")
	switch n := m.news(); {
	case n > maxNews:
		line = line.Add(m.theme.Warning, frame.Number(maxNews)).Own(m.theme.Warning, "+ new below ")
	case n > 0:
		line = line.Add(m.theme.Warning, frame.Number(n)).Own(m.theme.Warning, " new below ")
	default:
		line = line.Own(m.theme.Warning, "more below ")
	}
	if !m.in.EndKey.Empty() {
		line = line.Add(m.theme.Key, m.in.EndKey).Own(m.theme.KeyText, " end ")
	}
	return frame.Ends(nil, line, m.width, m.theme.Text)
}

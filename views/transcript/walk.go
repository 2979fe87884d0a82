package transcript

import (
	"ahptui/protocol"
)

// The transcript is a row of sections: a head, the finished turns, the active
// turn, and what waits for its turn. A section has parts, a part has segments,
// a segment has lines. None of it is counted as a whole, or laid out before it
// is looked at: a place is known by its section, part, segment and line.

// spot is a segment of a part of a section.
type spot struct{ section, part, segment int }

// place is a line of a segment.
type place struct {
	spot
	line int
}

// sections is the number of sections: the head, the turns, the active turn, the
// queue.
func (m *Model) sections() int { return len(m.in.Chat.Turns) + 3 }

// turn is the turn of a section, nil if it is none.
func (m *Model) turn(section int) (t *protocol.Turn, active bool) {
	chat := m.in.Chat
	switch i := section - 1; {
	case i < 0 || i > len(chat.Turns):
		return nil, false
	case i == len(chat.Turns):
		return chat.ActiveTurn, true
	default:
		return chat.Turns[i], false
	}
}

func (m *Model) turnID(section int) string {
	if t, _ := m.turn(section); t != nil {
		return t.ID
	}
	return ""
}

// findTurn is the section of a turn; the newest are looked at first.
func (m *Model) findTurn(id string) (section int, ok bool) {
	if id == "" {
		return 0, false
	}
	for s := len(m.in.Chat.Turns) + 1; s > 0; s-- {
		if t, _ := m.turn(s); t != nil && t.ID == id {
			return s, true
		}
	}
	return 0, false
}

// parts is the number of parts of a section. A turn has its message, the parts
// of the answer, and a foot.
func (m *Model) parts(section int) int {
	if t, _ := m.turn(section); t != nil {
		return len(t.ResponseParts) + 2
	}
	switch section {
	case 0:
		if m.in.Chat.TurnsNextCursor != "" {
			return 1
		}
	case m.sections() - 1:
		return m.queued()
	}
	return 0
}

// first is the first spot; ok is false if there is none.
func (m *Model) first() (spot, bool) { return m.next(spot{section: -1}) }

// last is the last spot; ok is false if there is none.
func (m *Model) last() (spot, bool) { return m.previous(spot{section: m.sections()}) }

func (m *Model) next(s spot) (spot, bool) {
	if s.section >= 0 {
		if s.segment+1 < m.segments(s) {
			s.segment++
			return s, true
		}
		if s.part+1 < m.parts(s.section) {
			return spot{s.section, s.part + 1, 0}, true
		}
	}
	for section := s.section + 1; section < m.sections(); section++ {
		if m.parts(section) > 0 {
			return spot{section: section}, true
		}
	}
	return s, false
}

func (m *Model) previous(s spot) (spot, bool) {
	if s.segment > 0 {
		s.segment--
		return s, true
	}
	if s.part > 0 {
		return m.endOf(s.section, s.part-1), true
	}
	for section := s.section - 1; section >= 0; section-- {
		if n := m.parts(section); n > 0 {
			return m.endOf(section, n-1), true
		}
	}
	return s, false
}

// endOf is the last segment of a part.
func (m *Model) endOf(section, part int) spot {
	s := spot{section: section, part: part}
	s.segment = m.segments(s) - 1
	return s
}

// clamp makes a place one that there is.
func (m *Model) clamp(p place) place {
	if p.section >= m.sections() || m.parts(p.section) == 0 {
		at, ok := m.next(spot{section: min(p.section, m.sections()) - 1})
		if !ok {
			at, _ = m.last()
		}
		return place{spot: at}
	}
	p.part = min(p.part, m.parts(p.section)-1)
	p.segment = min(p.segment, m.segments(p.spot)-1)
	p.line = max(0, min(p.line, len(m.lines(p.spot))-1))
	return p
}

// up is the place n lines above p, or the beginning.
func (m *Model) up(p place, n int) place {
	for n > p.line {
		n -= p.line
		s, ok := m.previous(p.spot)
		if !ok {
			return place{spot: p.spot}
		}
		p = place{s, len(m.lines(s))}
	}
	p.line -= n
	return p
}

// down is the place n lines below p, or the last line.
func (m *Model) down(p place, n int) place {
	for {
		rest := len(m.lines(p.spot)) - p.line
		if n < rest {
			p.line += n
			return p
		}
		s, ok := m.next(p.spot)
		if !ok {
			p.line += max(0, rest-1)
			return p
		}
		n -= rest
		p = place{spot: s}
	}
}

// end is the place that has the last lines on the screen.
func (m *Model) end() place {
	s, ok := m.last()
	if !ok {
		return place{}
	}
	return m.up(place{s, len(m.lines(s))}, m.height)
}

// below counts the lines from a place on, up to most.
func (m *Model) below(p place, most int) int {
	n := len(m.lines(p.spot)) - p.line
	for s, ok := m.next(p.spot); ok && n < most; s, ok = m.next(s) {
		n += len(m.lines(s))
	}
	return min(n, most)
}

// atEnd reports whether the last line is on the screen.
func (m *Model) atEnd() bool { return m.below(m.top, m.height+1) <= m.height }

// window is the lines that are on the screen, and where in the chat they are.
func (m *Model) window() (lines []string, places []place) {
	lines, places = make([]string, 0, m.height), make([]place, 0, m.height)
	p := m.top
	for s, ok := m.top.spot, true; ok && len(lines) < m.height; s, ok = m.next(s) {
		drawn := m.lines(s)
		for p.spot = s; p.line < len(drawn) && len(lines) < m.height; p.line++ {
			lines, places = append(lines, drawn[p.line]), append(places, p)
		}
		p.line = 0
	}
	return append(lines, make([]string, m.height-len(lines))...), places
}

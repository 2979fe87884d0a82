package transcript

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/views/toolcall"
)

// NextMatch goes to the next match in a direction, from the last to the first and back. It reports whether there is one.
func (m *Model) NextMatch(down bool) bool {
	s := m.search
	if s == nil || len(s.above)+len(s.below) == 0 {
		return false
	}
	if !s.on {
		return m.goToNearest()
	}
	n := len(s.above) + len(s.below)
	i := s.index()
	switch {
	case down && s.hit(i) == s.at:
		i++
	case !down:
		i--
	}
	m.goTo(s.hit((i + n) % n))
	return true
}

// hit is one of all matches, in the order of the chat.
func (s *search) hit(i int) hit {
	if i < len(s.above) {
		return s.above[len(s.above)-1-i]
	}
	if i -= len(s.above); i < len(s.below) {
		return s.below[i]
	}
	return hit{}
}

// index is the place of the match that was gone to among all, or that of the next one if it is gone.
func (s *search) index() int {
	if s.at.section >= s.start.section {
		i, _ := slices.BinarySearchFunc(s.below, s.at, compareHits)
		return len(s.above) + i
	}
	i, found := slices.BinarySearchFunc(s.above, s.at, func(a, b hit) int { return compareHits(b, a) })
	if found {
		i++
	}
	return len(s.above) - i
}

// goToNearest goes to the first match from where the search began on, or, if it is sure that there is none, to the last one
// before that.
func (m *Model) goToNearest() bool {
	s := m.search
	i, _ := slices.BinarySearchFunc(s.below, hit{section: s.start.section, part: s.start.part}, compareHits)
	switch {
	case i < len(s.below):
		m.goTo(s.below[i])
	case s.down.section <= m.lastTurn():
		return false
	case i > 0:
		m.goTo(s.below[i-1])
	case len(s.above) > 0:
		m.goTo(s.above[0])
	default:
		return false
	}
	return true
}

// goTo selects the item that a match is in, unfolds it, and scrolls to the match.
func (m *Model) goTo(h hit) {
	s := m.search
	s.at, s.on, s.seek = h, true, false
	if !m.ready() {
		return
	}
	it := m.item(h.section, h.part)
	m.selected, m.reveal = it, false
	m.peek(it)
	m.settle()
	p := m.placeOf(h)
	if _, seen := m.row(p); seen {
		return
	}
	m.top, m.follow = m.up(p, m.height/3), false
	m.settle()
	m.follow = m.atEnd()
}

// placeOf is the line that a match is drawn in; where it is not drawn, the beginning of what it is in.
func (m *Model) placeOf(h hit) place {
	s := spot{section: h.section, part: h.part}
	nth := h.offset
	if text, ok := m.textOf(s); ok {
		passage := m.written(s, text.text, text.markdown)
		s.segment = passage.segmentAt(h.offset)
		begin := passage.segment(s.segment).start
		nth = len(m.search.find.all(passage.text[begin:min(h.offset, len(passage.text))]))
	} else if call := m.callAt(s); call != nil {
		s.segment, nth = m.segmentOf(m.drawing(s, call), nth)
	}
	p := place{spot: s}
	for i, line := range m.lines(s) {
		n := len(m.search.find.all(m.plain(s, line)))
		if n > 0 {
			p.line = i
		}
		if nth < n {
			break
		}
		nth -= n
	}
	return p
}

// maxSought bounds the segments of a call in which a match is looked for.
const maxSought = 256

// segmentOf is the segment of a call in which the nth match is drawn, and which one
// it is there.
func (m *Model) segmentOf(d *toolcall.Drawing, nth int) (segment, rest int) {
	for segment = range min(d.Segments(), maxSought) {
		n := 0
		if source := d.Source(segment); source != "" {
			n = len(m.search.find.all(source))
		} else {
			lines, _ := d.Lines(segment)
			for _, line := range lines {
				n += len(m.search.find.all(ansi.Strip(line)))
			}
		}
		if nth < n {
			return segment, nth
		}
		nth -= n
	}
	return 0, 0
}

// segmentAt is the segment that a byte is in.
func (p *passage) segmentAt(offset int) int {
	i, found := slices.BinarySearchFunc(p.final, offset, func(s segment, offset int) int { return s.end - 1 - offset })
	if found || i < len(p.final) {
		return i
	}
	return len(p.final)
}

// plain is a line as it is searched: without styles, and without who speaks.
func (m *Model) plain(s spot, line string) string {
	_, words := m.split(s, line)
	return ansi.Strip(words)
}

// split parts who speaks from what is said.
func (m *Model) split(s spot, line string) (label, words string) {
	if _, ok := m.textOf(s); !ok || m.gutter() == 0 {
		return "", line
	}
	return ansi.Truncate(line, m.gutter(), ""), ansi.TruncateLeft(line, m.gutter(), "")
}

// highlight marks the matches in lines that are on the screen. The one that was gone to stands out.
func (m *Model) highlight(lines []string, spots []place) {
	s := m.search
	if s == nil || s.find == nil {
		return
	}
	here := place{spot: spot{section: -1}}
	if s.on {
		here = m.placeOf(s.at)
	}
	for i, p := range spots {
		style := m.theme.Match
		if p == here {
			style = m.theme.MatchHere
		}
		label, words := m.split(p.spot, lines[i])
		lines[i] = label + m.marking(words, style)
	}
}

// marking restyles the matches in a drawn line. What stands before and between them keeps its look.
func (m *Model) marking(line string, style lipgloss.Style) string {
	plain := ansi.Strip(line)
	found := m.search.find.all(plain)
	if found == nil {
		return line
	}
	var b strings.Builder
	width, col := ansi.StringWidth(plain), 0
	for _, loc := range found {
		from, to := ansi.StringWidth(plain[:loc[0]]), ansi.StringWidth(plain[:loc[1]])
		if from < col || to <= from { // within a glyph
			continue
		}
		b.WriteString(ansi.Cut(line, col, from))
		b.WriteString(style.Render(ansi.Cut(plain, from, to)))
		col = to
	}
	b.WriteString(ansi.Cut(line, col, width))
	if short := width - ansi.StringWidth(b.String()); short != 0 { // a glyph was cut in two
		return line
	}
	return b.String()
}

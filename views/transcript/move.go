package transcript

// settle makes the place at the top one that there is, so that the screen is
// filled, and scrolls to the selected item if that was asked for.
func (m *Model) settle() {
	if !m.ready() {
		return
	}
	if m.follow {
		m.top = m.end()
	} else {
		m.top = m.clamp(m.top)
		if m.below(m.top, m.height) < m.height {
			m.top = m.end()
		}
	}
	if m.reveal && m.selected.kind != None {
		m.show(m.selected)
	}
	m.reveal = false
	m.anchor = m.topTurn()
}

// show scrolls as little as it takes to see an item, or its beginning if it is
// higher than the panel.
func (m *Model) show(it item) {
	start := place{spot: spot{section: it.section, part: it.part}}
	last := m.endOf(it.section, it.part)
	height := m.until(start, last, m.height+1)
	row, seen := m.row(start)
	switch {
	case seen && row+height <= m.height:
		return
	case !seen && m.above(start):
		m.top = start
	default:
		m.top = m.up(start, max(0, m.height-height))
	}
	m.follow = m.atEnd()
}

// until counts the lines from a place to the end of a spot, up to most.
func (m *Model) until(p place, last spot, most int) int {
	n := len(m.lines(p.spot)) - p.line
	for s := p.spot; s != last && n < most; {
		next, ok := m.next(s)
		if !ok {
			break
		}
		s = next
		n += len(m.lines(s))
	}
	return n
}

// row is the row of a place on the screen; seen is false if it is on none.
func (m *Model) row(p place) (row int, seen bool) {
	row = -m.top.line
	for s, ok := m.top.spot, true; ok && row < m.height; s, ok = m.next(s) {
		if s == p.spot {
			row += p.line
			return row, row >= 0 && row < m.height
		}
		row += len(m.lines(s))
	}
	return 0, false
}

// above reports whether a place is before the top.
func (m *Model) above(p place) bool {
	a, b := p, m.top
	switch {
	case a.section != b.section:
		return a.section < b.section
	case a.part != b.part:
		return a.part < b.part
	case a.segment != b.segment:
		return a.segment < b.segment
	}
	return a.line < b.line
}

// Scroll moves the screen by n lines, down if n is positive, whatever is
// selected. At the end it follows.
func (m *Model) Scroll(n int) {
	if !m.ready() {
		return
	}
	m.settle()
	if n < 0 {
		m.top = m.up(m.top, -n)
	} else {
		m.top = m.down(m.top, n)
	}
	m.follow = false
	m.settle()
	m.follow = m.atEnd()
}

// visible are the items that begin on the screen, from the top, and the selected
// one if any of it is there.
func (m *Model) visible() []item {
	var items []item
	rows := -m.top.line
	for s, ok := m.top.spot, true; ok && rows < m.height; s, ok = m.next(s) {
		n := len(m.lines(s))
		if rows+n > 0 && n > 0 {
			it := m.item(s.section, s.part)
			again := len(items) > 0 && items[len(items)-1].fold() == it.fold()
			if it.kind != None && !again && (s.segment == 0 || m.isSelected(it)) {
				items = append(items, it)
			}
		}
		rows += n
	}
	return items
}

// step selects the next item on the screen in a direction, or scrolls a line if
// there is none, or if the selected one goes on beyond the edge.
func (m *Model) step(by int) {
	if !m.ready() {
		return
	}
	m.settle()
	items := m.visible()
	at := -1
	for i, it := range items {
		if it.fold() == m.selected.fold() && m.selected.kind != None {
			at = i
		}
	}
	switch {
	case at >= 0 && m.beyond(items[at], by):
		m.Scroll(by)
		return
	case at < 0 && by > 0:
		at = 0
	case at < 0:
		at = len(items) - 1
	default:
		at += by
	}
	if at >= 0 && at < len(items) {
		m.choose(items[at])
		return
	}
	m.Scroll(by)
}

// beyond reports whether an item goes on above or below the screen.
func (m *Model) beyond(it item, by int) bool {
	start := place{spot: spot{section: it.section, part: it.part}}
	row, seen := m.row(start)
	if by < 0 {
		return !seen
	}
	if !seen { // it began above
		return m.until(m.top, m.endOf(it.section, it.part), m.height+1) > m.height
	}
	return row+m.until(start, m.endOf(it.section, it.part), m.height+1) > m.height
}

// Up selects what can be selected above, or scrolls one line.
func (m *Model) Up() { m.step(-1) }

// Down selects what can be selected below, or scrolls one line.
func (m *Model) Down() { m.step(1) }

// PageUp scrolls by most of a page.
func (m *Model) PageUp() { m.Scroll(-max(1, m.height-1)) }

// PageDown scrolls by most of a page.
func (m *Model) PageDown() { m.Scroll(max(1, m.height-1)) }

// HalfUp scrolls by half a page.
func (m *Model) HalfUp() { m.Scroll(-max(1, m.height/2)) }

// HalfDown scrolls by half a page.
func (m *Model) HalfDown() { m.Scroll(max(1, m.height/2)) }

// Home goes to the beginning.
func (m *Model) Home() {
	if !m.ready() {
		return
	}
	s, _ := m.first()
	m.top, m.follow = place{spot: s}, false
	m.settle()
	m.follow = m.atEnd()
}

// End goes to the end and follows it from now on.
func (m *Model) End() {
	m.follow = true
	m.settle()
}

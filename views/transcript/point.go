package transcript

import "ahptui/views/frame"

// Click selects the item in a row of the panel. It reports whether that was
// selected already; it is not if there is none.
func (m *Model) Click(row int) (again bool) {
	it, ok := m.itemAt(row)
	if !ok {
		return false
	}
	if m.isSelected(it) {
		return true
	}
	m.selected = it // and nothing moves under the pointer
	return false
}

// itemAt is the item that a row shows a part of.
func (m *Model) itemAt(row int) (it item, ok bool) {
	if !m.ready() || row < 0 || row >= m.height {
		return item{}, false
	}
	m.settle()
	end := -m.top.line
	for s, ok := m.top.spot, true; ok && end <= row; s, ok = m.next(s) {
		if end += len(m.lines(s)); end > row {
			it = m.item(s.section, s.part)
			return it, it.kind != None
		}
	}
	return item{}, false
}

// Spots are where the keys stand that the panel names: those of the selected
// item, and the one that goes to what is new.
func (m *Model) Spots() []frame.Spot {
	if !m.ready() {
		return nil
	}
	m.settle()
	rows := m.height
	var spots []frame.Spot
	if !m.atEnd() && m.seen != markOf(m.in.Chat) {
		rows--
		spots = append(spots, frame.Spot{Row: rows, To: m.width, Key: m.in.EndKey})
	}
	at, keys := m.keysOf(m.selected)
	if len(keys) == 0 {
		return spots
	}
	first := m.rowOf(at)
	for _, key := range keys {
		if key.Row += first; key.Row >= 0 && key.Row < rows {
			spots = append(spots, key)
		}
	}
	return spots
}

// keysOf are the keys that a tool call or a request names, and the segment in which
// it does.
func (m *Model) keysOf(it item) (at spot, keys []frame.Spot) {
	at = spot{section: it.section, part: it.part}
	switch it.kind {
	case ToolCall:
		if call := m.callAt(at); call != nil {
			at.segment, keys = m.drawing(at, call).Keys()
		}
	case Request:
		m.lines(at)
		keys = m.slot(at).keys
	case None, Failure, Reasoning, Message, Answer, Pending:
	}
	return at, keys
}

// rowOf is the row in which a segment begins; it is outside of the panel if that is
// not to be seen.
func (m *Model) rowOf(start spot) int {
	row := -m.top.line
	for s, ok := m.top.spot, true; ok && row < m.height; s, ok = m.next(s) {
		if s == start {
			return row
		}
		row += len(m.lines(s))
	}
	return m.height
}

package transcript

import (
	"math"

	"ahptui/protocol"
)

// Target is what can be jumped to.
type Target uint8

// The targets.
const (
	ToTurn  Target = iota // the message that a turn begins with
	ToCall                // a tool call
	ToError               // an error of a turn, or a tool call that failed
	ToBlock               // what waits for a person
)

// Jump selects the next target in a direction and scrolls to it. It goes on from the selected item if that is on the
// screen, else from what is. It reports whether there was one.
func (m *Model) Jump(to Target, down bool) bool {
	if !m.ready() {
		return false
	}
	m.settle()
	it := m.seek(to, down)
	if it.kind == None {
		return false
	}
	m.land(it, to)
	return true
}

// seek is the next target in a direction, no item if there is none. There may be very many parts that are none.
func (m *Model) seek(to Target, down bool) item {
	section, part := m.here(down)
	step := -1
	if down {
		step = 1
	}
	for part += step; section >= 0 && section < m.sections(); section += step {
		turn, active := m.turn(section)
		n := m.parts(section)
		if !down {
			part = min(part, n-1)
		}
		for ; part >= 0 && part < n; part += step {
			if !could(turn, active, part, to) {
				continue
			}
			if it := m.item(section, part); m.meets(it, to) {
				return it
			}
		}
		if part = 0; !down {
			part = math.MaxInt
		}
	}
	return item{}
}

// could reports whether a part of a turn can be a target, at a glance.
func could(turn *protocol.Turn, active bool, part int, to Target) bool {
	switch {
	case turn == nil || to == ToBlock && !active:
		return turn == nil && to == ToBlock
	case part == 0 || to == ToTurn:
		return part == 0 && to == ToTurn
	case part > len(turn.ResponseParts):
		return to == ToError && turn.Error != nil
	}
	p := turn.ResponseParts[part-1]
	return p != nil && p.Kind != protocol.PartMarkdown
}

// land selects an item. One that is not on the screen as a whole gets there with what follows it: a turn, which is not
// much without its answer, at the top, the others with a little of what led to them.
func (m *Model) land(it item, to Target) {
	m.selected = it
	start := place{spot: spot{section: it.section, part: it.part}}
	height := m.until(start, m.endOf(it.section, it.part), m.height+1)
	room, lead := m.height, m.height/4
	if to == ToTurn {
		room, lead = (m.height+1)/2, 0
	}
	if row, seen := m.row(start); seen && row+height <= room {
		return
	}
	m.top, m.follow = m.up(start, min(lead, max(0, m.height-height))), false
	m.settle()
	m.follow = m.atEnd()
}

// here is the part that a jump goes on from. Without a selection, what begins on the screen can be jumped to.
func (m *Model) here(down bool) (section, part int) {
	if it := m.selected; it.kind != None && m.onScreen(it) {
		return it.section, it.part
	}
	if m.follow && !down {
		return m.sections() - 1, math.MaxInt
	}
	top := m.top
	if section, part = top.section, top.part; down && top.segment == 0 && top.line == 0 {
		part--
	} else if !down && (top.segment > 0 || top.line > 0) {
		part++
	}
	return section, part
}

// onScreen reports whether a line of an item is on the screen.
func (m *Model) onScreen(it item) bool {
	rows := -m.top.line
	for s, ok := m.top.spot, true; ok && rows < m.height; s, ok = m.next(s) {
		if n := len(m.lines(s)); n > 0 && rows+n > 0 && s.section == it.section && s.part == it.part {
			return true
		}
		rows += len(m.lines(s))
	}
	return false
}

// meets reports whether an item is a target.
func (m *Model) meets(it item, to Target) bool {
	if it.kind == None {
		return false
	}
	switch to {
	case ToTurn:
		return it.kind == Message
	case ToCall:
		return it.kind == ToolCall
	case ToError:
		return it.kind == Failure || it.kind == ToolCall && failed(m.part(it).ToolCall)
	case ToBlock:
		return m.waits(it)
	}
	return false
}

// part is the response part of an item that is one, or nil.
func (m *Model) part(it item) *protocol.ResponsePart {
	turn, _ := m.turn(it.section)
	if turn == nil || it.part < 1 || it.part > len(turn.ResponseParts) {
		return nil
	}
	return turn.ResponseParts[it.part-1]
}

func failed(call *protocol.ToolCall) bool {
	return call.Error != nil || call.Success != nil && !*call.Success
}

// waits reports whether an item waits for a person.
func (m *Model) waits(it item) bool {
	part := m.part(it)
	if part == nil {
		return it.kind == Request // up to 0.5.2, what is asked stands behind the turns
	}
	if _, active := m.turn(it.section); !active {
		return false
	}
	switch it.kind {
	case ToolCall:
		return part.ToolCall.Status.WaitsForUser() || m.in.Notes[part.ToolCall.ToolCallID].Access.Needed
	case Request:
		return part.Open()
	case None, Failure, Reasoning, Message, Answer:
	}
	return false
}

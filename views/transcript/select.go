package transcript

import (
	"strconv"

	"ahptui/protocol"
)

// item is something that can be selected: a part, known by its place and, when
// that has changed, by its ids.
type item struct {
	kind          Kind
	turn, id      string
	section, part int
}

// item is the part at a place as an item; its kind is None if it cannot be
// selected.
func (m *Model) item(section, part int) item {
	it := item{section: section, part: part}
	turn, _ := m.turn(section)
	if turn == nil {
		if r := m.queuedRequest(section, part); r != nil {
			it.kind, it.id = Request, r.ID
		} else if pending, where := m.waiting(section, part); pending != nil {
			it.kind, it.id = Pending, string(where)+" "+pending.ID
		}
		return it
	}
	it.turn = turn.ID
	switch {
	case part == 0:
		if turn.Message != nil {
			it.kind = Message
		}
	case part == len(turn.ResponseParts)+1:
		if turn.Error != nil {
			it.kind = Failure
		}
	case part <= len(turn.ResponseParts):
		it.kind, it.id = kindOf(turn.ResponseParts[part-1])
		if it.id == "" {
			it.id = "#" + strconv.Itoa(part)
		}
	}
	return it
}

func kindOf(p *protocol.ResponsePart) (kind Kind, id string) {
	if p == nil || p.Raw != nil {
		return None, ""
	}
	switch p.Kind {
	case protocol.PartToolCall:
		if p.ToolCall != nil {
			return ToolCall, p.ToolCall.ToolCallID
		}
	case protocol.PartInputRequest:
		if p.Request != nil {
			return Request, p.Request.ID
		}
	case protocol.PartError:
		if p.Error != nil {
			return Failure, p.ID
		}
	case protocol.PartReasoning:
		return Reasoning, p.ID
	case protocol.PartMarkdown, protocol.PartSystemNotification:
		if p.Content.Text.Len() > 0 {
			return Answer, p.ID
		}
	case protocol.PartContentRef:
	}
	return None, ""
}

// find is an item where it is now; it is no item if it is gone.
func (m *Model) find(it item) item {
	if it.kind == None {
		return item{}
	}
	if it.section < m.sections() && it.part < m.parts(it.section) {
		if there := m.item(it.section, it.part); there.fold() == it.fold() {
			return there
		}
	}
	section, ok := m.findTurn(it.turn)
	if !ok {
		section = m.sections() - 1
	}
	return m.itemIn(section, func(there item) bool { return there.fold() == it.fold() })
}

// itemIn is the first item of a section that is meant.
func (m *Model) itemIn(section int, meant func(item) bool) item {
	for part := range m.parts(section) {
		if it := m.item(section, part); it.kind != None && meant(it) {
			return it
		}
	}
	return item{}
}

// SelectCall selects a tool call and scrolls to it. It reports whether the chat
// has it.
func (m *Model) SelectCall(turnID, callID string) bool {
	if m.in.Chat == nil {
		return false
	}
	section, ok := m.findTurn(turnID)
	if !ok {
		return false
	}
	return m.choose(m.itemIn(section, func(it item) bool { return it.kind == ToolCall && it.id == callID }))
}

// SelectRequest selects a request for input and scrolls to it. It reports
// whether the chat has it.
func (m *Model) SelectRequest(id string) bool {
	if m.in.Chat == nil {
		return false
	}
	for section := m.sections() - 1; section > 0; section-- {
		if it := m.itemIn(section, func(it item) bool { return it.kind == Request && it.id == id }); it.kind != None {
			return m.choose(it)
		}
	}
	return false
}

// choose selects an item and scrolls to it.
func (m *Model) choose(it item) bool {
	if it.kind == None {
		return false
	}
	m.selected, m.reveal = it, true
	m.settle()
	return true
}

// Deselect selects nothing.
func (m *Model) Deselect() { m.selected, m.reveal = item{}, false }

// Selected is what is selected; its Kind is None if nothing is.
func (m *Model) Selected() Selection {
	it := m.selected
	if it.kind == None || m.in.Chat == nil {
		return Selection{}
	}
	sel := Selection{Kind: it.kind, TurnID: it.turn, ID: it.id}
	turn, active := m.turn(it.section)
	if turn == nil {
		sel.Request = m.queuedRequest(it.section, it.part)
		if sel.Pending, sel.Waiting = m.waiting(it.section, it.part); sel.Pending != nil {
			sel.ID = sel.Pending.ID
		}
		sel.Active = true
		return sel
	}
	sel.Active, sel.Turn = active, turn
	if it.kind == Message {
		sel.Message = turn.Message
		return sel
	}
	if it.part > len(turn.ResponseParts) {
		sel.Error = turn.Error
		return sel
	}
	part := turn.ResponseParts[it.part-1]
	sel.Part = part
	switch it.kind {
	case ToolCall:
		sel.Call = part.ToolCall
	case Request:
		sel.Request = part.Request
	case Failure:
		sel.Error = part.Error
	case None, Reasoning, Message, Answer, Pending:
	}
	return sel
}

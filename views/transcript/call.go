package transcript

import (
	"ahptui/protocol"
	"ahptui/views/toolcall"
)

// SelectedDetails is the selected tool call if its details are shown, else nil.
func (m *Model) SelectedDetails() *protocol.ToolCall {
	if m.selected.kind != ToolCall || m.in.Chat == nil || !m.isUnfolded(m.selected) {
		return nil
	}
	return m.Selected().Call
}

// callAt is the tool call that a part is, or nil.
func (m *Model) callAt(s spot) *protocol.ToolCall {
	turn, _ := m.turn(s.section)
	if turn == nil || s.part < 1 || s.part > len(turn.ResponseParts) {
		return nil
	}
	if p := turn.ResponseParts[s.part-1]; p != nil && p.Raw == nil && p.Kind == protocol.PartToolCall {
		return p.ToolCall
	}
	return nil
}

// drawing is the tool call of a part as it is drawn.
func (m *Model) drawing(s spot, call *protocol.ToolCall) *toolcall.Drawing {
	have := m.slot(s)
	if have.call == nil {
		*have = slot{used: m.frame, call: toolcall.New(m.theme)}
	}
	if have.call.Update(m.callInput(s, call), m.width) {
		m.renders++
	}
	return have.call
}

func (m *Model) callInput(s spot, call *protocol.ToolCall) toolcall.Input {
	it := m.item(s.section, s.part)
	in := toolcall.Input{
		Call: call, Note: m.in.Notes[call.ToolCallID], Keys: m.in.Keys,
		Selected: m.isSelected(it), Unfolded: m.isUnfolded(it),
	}
	in.Focused = in.Selected && m.focused
	if in.Unfolded {
		in.Fetched = m.in.Fetched
	}
	if c := call.Contributor; c != nil {
		in.Server, in.Client = m.in.Servers[c.CustomizationID], m.in.Clients[c.ClientID]
	}
	return in
}

// call draws a segment of a tool call. Below the last one stands the sub-agent that
// it has started.
func (m *Model) call(s spot, call *protocol.ToolCall) []string {
	d := m.drawing(s, call)
	lines, drawn := d.Lines(s.segment)
	if drawn {
		m.renders++
	}
	if s.segment < d.Segments()-1 {
		return lines
	}
	if chat, agent := m.agentOf(call); chat != "" {
		lines = append(lines[:len(lines):len(lines)], m.agentLines(m.callInput(s, call), chat, agent)...)
	}
	return lines
}

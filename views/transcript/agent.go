package transcript

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/toolcall"
)

// Agent is the chat of the sub-agent that a call has started, or "".
func (m *Model) Agent(call *protocol.ToolCall) protocol.URI {
	chat, _ := m.agentOf(call)
	return chat
}

// SelectAgent selects the newest tool call that has started the sub-agent of a chat, and scrolls to it. It reports whether
// there is one.
func (m *Model) SelectAgent(chat protocol.URI) bool {
	if m.in.Chat == nil {
		return false
	}
	for section := m.lastTurn(); section > 0; section-- {
		it := m.itemIn(section, func(it item) bool { return it.kind == ToolCall && m.Agent(m.part(it).ToolCall) == chat })
		if it.kind != None {
			return m.choose(it)
		}
	}
	return false
}

// agentOf is the chat of the sub-agent that a call has started, "" if there is none, and what is known of it.
func (m *Model) agentOf(call *protocol.ToolCall) (protocol.URI, Agent) {
	chat := m.in.Started[call.ToolCallID]
	told, title := call.Subagent(func(uri protocol.URI) bool {
		_, known := m.in.Agents[uri]
		return known
	})
	if told != "" {
		chat = told
	}
	if chat == "" {
		return "", Agent{}
	}
	agent, known := m.in.Agents[chat]
	if agent.Title.Empty() {
		agent.Title = clean(title)
	}
	if !known {
		agent.Status = unknownStatus
	}
	return chat, agent
}

// unknownStatus is that of a chat which the session does not list.
const unknownStatus = ^protocol.Status(0)

// agentLines tell of the sub-agent that a call has started.
func (m *Model) agentLines(in toolcall.Input, chat protocol.URI, agent Agent) []string {
	if chat == "" {
		return nil
	}
	const indent = 2
	badge := m.theme.Badge(agentBadge(agent.Status))
	title := agent.Title
	if title.Empty() {
		title = clean(string(chat))
	}
	left := frame.Line{}.Gap(indent).Own(m.theme.Dim, m.theme.Signs.Guide).Gap(1).Own(badge.Style, badge.Glyph).Gap(1).
		Own(m.theme.Dim, "sub-agent ").Add(m.theme.Text, title)
	right := frame.Line{}.Own(badge.Style, badge.Word)
	if in.Selected && !m.in.AgentKey.Empty() {
		right = right.Gap(1).Own(m.theme.Key, "[").Add(m.theme.Key, m.in.AgentKey).Own(m.theme.Key, "]").Gap(1).Add(m.theme.KeyText, safetext.Const("open"))
	}
	return []string{frame.Ends(left, right.Gap(1), m.width, m.theme.Text)}
}

// agentBadge picks the badge of a sub-agent's chat.
func agentBadge(s protocol.Status) themes.Status {
	switch {
	case s == unknownStatus:
		return themes.ServerUnknown
	case s.NeedsInput():
		return themes.SessionInputNeeded
	case s.Failed():
		return themes.SessionError
	case s.Busy():
		return themes.SessionWorking
	}
	return themes.SessionIdle
}

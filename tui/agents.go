package tui

import (
	"slices"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/status"
	"ahptui/views/transcript"
)

// maxCallers bounds how many chats can be gone back to.
const maxCallers = 32

// agents are the chats of a session as the transcript shows them. They are made anew when the session is another one.
type agents struct {
	of      *protocol.SessionState
	chat    protocol.URI
	chats   map[protocol.URI]transcript.Agent
	started map[string]protocol.URI // of the chat, by the id of the call
}

// agents are the chats in which sub-agents may work.
func (m *Model) agents() agents {
	state, a := m.session(), &m.reading.agents
	if a.of == state && a.chat == m.current.chat {
		return *a
	}
	*a = agents{of: state, chat: m.current.chat}
	if state == nil {
		return *a
	}
	a.chats, a.started = make(map[protocol.URI]transcript.Agent, len(state.Chats)), map[string]protocol.URI{}
	for _, c := range state.Chats {
		a.chats[c.Resource] = transcript.Agent{Title: clean(c.Title), Status: c.Status}
		if o := c.Origin; o != nil && o.Kind == protocol.OfTool && o.Chat == a.chat {
			a.started[o.ToolCallID] = c.Resource
		}
	}
	return *a
}

func agentCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.AgentOpen: does((*Model).openAgent, (*Model).whyNoAgent),
		keymap.AgentBack: does((*Model).leaveAgent, (*Model).whyNoCaller),
	}
}

// agent is the chat of the sub-agent that the selected call has started, or "".
func (m *Model) agent() protocol.URI {
	sel := m.transcript.Selected()
	if sel.Kind != transcript.ToolCall {
		return ""
	}
	return m.transcript.Agent(sel.Call)
}

func (m *Model) whyNoAgent() safetext.Text {
	switch {
	case m.transcript.Selected().Kind != transcript.ToolCall:
		return safetext.Const("select a tool call that has started a sub-agent first")
	case m.agent() == "":
		return safetext.Const("this tool call has started no sub-agent")
	}
	return safetext.Text{}
}

// openAgent goes to the chat of a sub-agent.
func (m *Model) openAgent() {
	from := m.current.chat
	m.reading.callers = append(m.reading.callers[max(0, len(m.reading.callers)-maxCallers+1):], from)
	m.showChat(m.agent())
	m.tell(status.Info, "this is the chat of a sub-agent: "+m.keyName(keymap.AgentBack).String()+" goes back")
}

// callerChat is the chat to go back to: where the person came from, or the one whose tool call has started this one.
func (m *Model) callerChat() protocol.URI {
	state := m.session()
	if state == nil {
		return ""
	}
	listed := func(uri protocol.URI) bool {
		return uri != m.current.chat && slices.ContainsFunc(state.Chats, func(c *protocol.ChatSummary) bool { return c.Resource == uri })
	}
	if n := len(m.reading.callers); n > 0 && listed(m.reading.callers[n-1]) {
		return m.reading.callers[n-1]
	}
	for _, c := range state.Chats {
		if o := c.Origin; c.Resource == m.current.chat && o != nil && o.Kind == protocol.OfTool && listed(o.Chat) {
			return o.Chat
		}
	}
	return ""
}

func (m *Model) whyNoCaller() safetext.Text {
	if m.callerChat() == "" {
		return safetext.Const("this is no sub-agent's chat")
	}
	return safetext.Text{}
}

// leaveAgent goes back from the chat of a sub-agent, to the call that has started it.
func (m *Model) leaveAgent() {
	left, back := m.current.chat, m.callerChat()
	if n := len(m.reading.callers); n > 0 && m.reading.callers[n-1] == back {
		m.reading.callers = m.reading.callers[:n-1]
	}
	m.showChat(back)
	m.reading.left = left
}

// selectLeft selects the call whose sub-agent was left, once its chat is there.
func (m *Model) selectLeft() {
	if m.reading.left == "" || m.chat() == nil || m.scene.transcript.Chat != m.chat() {
		return
	}
	m.transcript.SelectAgent(m.reading.left)
	m.reading.left = ""
}

package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/status"
)

// blocks is everything that waits, what has waited longest first, with one entry
// for a session of which only the list says so.
func (m *Model) blocks() []protocol.Block {
	list := m.view.Blocked()
	for _, s := range m.catalogue.waiting {
		if m.view.Session(s.Resource) == nil {
			list = append(list, anyIn(s.Resource))
		}
	}
	return m.oldestFirst(append(list, m.hostBlocks()...))
}

// anyIn stands for whatever waits in a session that is not open.
func anyIn(session protocol.URI) protocol.Block {
	return protocol.Block{ID: "session:" + string(session), Kind: protocol.BlockOther, Session: session}
}

// landOnBlock selects what blocks the chat on the screen, as long as the person
// has not pressed a key, and from one block to the next while all that the person
// does is to answer them.
func (m *Model) landOnBlock() {
	answering := m.onward && m.focus == keymap.Transcript
	if m.chat() == nil || m.touched && !answering {
		return
	}
	for _, b := range m.view.BlockedIn(m.current.session) {
		if b.Chat == m.current.chat {
			if b.ID != m.landed {
				m.landed = b.ID
				m.selectBlock(b)
			}
			return
		}
	}
}

// nextBlocked goes to the block after the one that is selected.
func (m *Model) nextBlocked() tea.Cmd {
	m.guard.moved = true
	list := m.blocks()
	if len(list) == 0 {
		return nil
	}
	at := slices.IndexFunc(list, m.isSelected)
	if at < 0 {
		at = slices.IndexFunc(list, func(b protocol.Block) bool { return b.ID == m.visited })
	}
	return m.goTo(list[(at+1)%len(list)])
}

// newestBlocked goes to what was blocked last.
func (m *Model) newestBlocked() tea.Cmd {
	m.guard.moved = true
	list := m.blocks()
	if len(list) == 0 {
		return nil
	}
	newest := list[0]
	latest, _ := m.view.Ages.Since(newest.ID)
	for _, b := range list[1:] {
		if since, ok := m.view.Ages.Since(b.ID); ok && since.After(latest) {
			newest, latest = b, since
		}
	}
	return m.goTo(newest)
}

func (m *Model) whyNoBlock() safetext.Text {
	if m.scene.status.Blocked == 0 {
		return safetext.Const("nothing waits for you")
	}
	return safetext.Text{}
}

// goTo goes to a block, wherever it is; at once if its chat is there. What the
// host itself asks for stands in no panel: it is asked for in a window.
func (m *Model) goTo(b protocol.Block) tea.Cmd {
	m.visited = b.ID
	if b.Session == "" {
		return m.signInToHost(b)
	}
	m.goal = &b
	m.show(b.Session)
	if b.Chat != "" {
		m.showChat(b.Chat)
	}
	if m.focus == keymap.Composer {
		m.setFocus(keymap.Transcript)
	}
	m.reachGoal()
	return nil
}

// signInToHost begins to sign in for what the host itself asks for.
func (m *Model) signInToHost(b protocol.Block) tea.Cmd {
	if m.conn.Auth == nil {
		m.tell(status.Warning, "the host asks for a sign-in, which is not possible on this connection")
		return nil
	}
	for _, r := range m.view.Auth {
		if a, ok := accessOfHost(r); ok && r.Resource == b.Auth.Resource {
			return m.signInTo(a)
		}
	}
	return nil
}

// reachGoal selects the block that was gone to, once it is there. Of a session
// that was not open, it is the first.
func (m *Model) reachGoal() {
	if m.goal == nil || m.goal.Session != m.current.session || m.session() == nil {
		return
	}
	b := *m.goal
	if b.ID == anyIn(b.Session).ID {
		waiting := m.view.BlockedIn(b.Session)
		if len(waiting) == 0 {
			return
		}
		b = waiting[0]
		m.goal, m.visited = &b, b.ID
		if b.Chat != "" {
			m.showChat(b.Chat)
		}
	}
	if b.Chat != "" && m.chat() == nil {
		if c := m.view.Channels[b.Chat]; c != nil && c.Err != nil {
			m.goal = nil
			m.tell(status.Problem, reason("the host does not open the chat that is blocked", c.Err.Error()))
			if a, ok := m.accessOfBlock(b); ok { // the session says enough about it
				m.unseen = &a
			}
		}
		return
	}
	m.goal = nil
	m.selectBlock(b)
}

// selectBlock selects a block in the panel that it stands in.
func (m *Model) selectBlock(b protocol.Block) {
	switch {
	case b.Server != nil:
		m.setFocus(keymap.Servers)
		m.compose()
		m.servers.Select(m.refOf(b.Server.ID))
	case b.ToolCall != nil:
		m.setFocus(keymap.Transcript)
		m.compose()
		m.transcript.SelectCall(b.TurnID, b.ToolCall.ToolCallID)
	case b.Input != nil:
		m.setFocus(keymap.Transcript)
		m.compose()
		m.transcript.SelectRequest(b.Input.ID)
	default:
		m.setFocus(keymap.Transcript)
		m.transcript.Deselect()
		m.tell(status.Warning, "something waits here that this program does not know")
	}
}

// isSelected reports whether a block is what is selected.
func (m *Model) isSelected(b protocol.Block) bool {
	if b.Session != m.current.session {
		return false
	}
	switch {
	case b.Server != nil:
		ref, ok := m.servers.Selected()
		return ok && m.focus == keymap.Servers && ref.ID == b.Server.ID
	case m.focus != keymap.Transcript || b.Chat != m.current.chat:
		return false
	case b.ToolCall != nil:
		sel := m.transcript.Selected()
		return sel.TurnID == b.TurnID && sel.ID == b.ToolCall.ToolCallID
	case b.Input != nil:
		return m.transcript.Selected().ID == b.Input.ID
	}
	return false
}

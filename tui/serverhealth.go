package tui

import (
	"ahptui/keymap"
	"ahptui/protocol"
)

// ails reports whether a server is meant to run and does not: it has failed, needs a
// sign-in, or does not get on with starting.
func (m *Model) ails(s protocol.Server) bool {
	if !s.Effective() {
		return false
	}
	switch s.StateKind() {
	case protocol.McpError, protocol.McpAuthRequired:
		return true
	case protocol.McpStarting:
		since, ok := m.sinceOf(s)
		return ok && m.after(since, slowAfter)
	case protocol.McpReady, protocol.McpStopped:
	}
	return false
}

// ailing counts the servers of the session on the screen that ail.
func (m *Model) ailing() int {
	n := 0
	for _, s := range m.serversOf().list {
		if m.ails(s) {
			n++
		}
	}
	return n
}

// goToAiling selects the first of them.
func (m *Model) goToAiling() {
	for _, s := range m.serversOf().list {
		if m.ails(s) {
			m.guard.moved = true
			m.setFocus(keymap.Servers)
			m.compose()
			m.servers.Select(refTo(s))
			return
		}
	}
}

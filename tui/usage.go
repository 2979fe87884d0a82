package tui

import (
	"fmt"

	"ahptui/protocol"
	"ahptui/views/servers"
)

// usage is how often the turn on the screen has called each MCP server. A turn may
// have any number of parts, and grows sixty times a second: what has ended is counted
// once.
type usage struct {
	turn    *protocol.Turn // that was counted last
	running bool           // it has not ended
	settled int            // so many of its parts are in done
	last    *protocol.ResponsePart
	done    map[string]protocol.Calls
	calls   map[string]protocol.Calls
}

// maxUsers bounds the servers that are counted.
const maxUsers = 1000

// count looks at a turn, which may be nil.
func (u *usage) count(turn *protocol.Turn, running bool) {
	u.running = running
	if turn == u.turn {
		return
	}
	if turn == nil {
		*u = usage{}
		return
	}
	parts := turn.ResponseParts
	same := u.turn != nil && u.turn.ID == turn.ID && u.settled <= len(parts) && (u.settled == 0 || parts[u.settled-1] == u.last)
	if !same {
		u.settled, u.done = 0, map[string]protocol.Calls{}
	}
	u.turn, u.calls = turn, map[string]protocol.Calls{}
	open := false
	for _, p := range parts[u.settled:] {
		id, c := protocol.CallsOf(p)
		// What may still change is counted anew the next time, and so is what comes behind it.
		open = open || p == parts[len(parts)-1] || p.ToolCall != nil && !p.ToolCall.Status.Ended()
		into := u.calls
		if !open {
			into = u.done
			u.settled++
			u.last = p
		}
		if _, known := into[id]; id != "" && (known || len(into) < maxUsers) {
			into[id] = into[id].Add(c)
		}
	}
	for id, c := range u.done {
		u.calls[id] = u.calls[id].Add(c)
	}
}

// countCalls counts those of the turn that runs in the chat on the screen, or ran
// last.
func (m *Model) countCalls() {
	chat := m.chat()
	switch {
	case chat == nil:
		m.mcp.usage.count(nil, false)
	case chat.ActiveTurn != nil:
		m.mcp.usage.count(chat.ActiveTurn, true)
	case len(chat.Turns) > 0:
		m.mcp.usage.count(chat.Turns[len(chat.Turns)-1], false)
	default:
		m.mcp.usage.count(nil, false)
	}
}

// fillUse tells what the turn makes of a server, and what the server offers.
func (m *Model) fillUse(row *servers.Row, s protocol.Server) {
	c := m.mcp.usage.calls[s.ID]
	row.Used = own(useWords(c, m.mcp.usage.running))
	if known, tools := m.mcp.tools.of(s.Channel); known {
		row.Tools = own(tools.words())
		row.NoTools = tools.count == 0 && c.All == 0
	}
}

func useWords(c protocol.Calls, running bool) string {
	turn := " in the last turn"
	if running {
		turn = " in this turn"
	}
	switch {
	case c.All == 0:
		return ""
	case c.Running == 0:
		return "used " + howOften(c.All) + turn
	}
	return fmt.Sprintf("used %s%s, %d of it now", howOften(c.All), turn, c.Running)
}

// turnsWith are the calls of a server in the turns that run in the chats of the
// session, as far as they are open.
func (m *Model) turnsWith(server string) protocol.Calls {
	var all protocol.Calls
	state := m.session()
	if state == nil {
		return all
	}
	for _, chat := range m.view.Chats(state) {
		all = all.Add(protocol.CallsIn(chat.ActiveTurn, server))
	}
	return all
}

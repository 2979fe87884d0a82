package tui

import (
	"cmp"
	"slices"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/servers"
)

// roster is the MCP servers of a session, found once for each state.
type roster struct {
	state *protocol.SessionState
	list  []protocol.Server
	names map[string]safetext.Text // by the id of the server
	// clients are the names of the clients that have tools, by their ids.
	clients map[string]safetext.Text
	// faults are what the errors of servers mean, by their id.
	faults map[string]protocol.Fault
}

// serversOf are the MCP servers of the session on the screen, and their names.
func (m *Model) serversOf() roster {
	state := m.session()
	if state == nil {
		return roster{}
	}
	if m.roster.state != state {
		m.roster = roster{state: state, list: protocol.Servers(state), names: map[string]safetext.Text{}, clients: m.clientsOf(state), faults: map[string]protocol.Fault{}}
		for _, s := range m.roster.list {
			m.roster.names[s.ID] = clean(s.Name)
			if s.StateKind() == protocol.McpError {
				m.roster.faults[s.ID] = protocol.FaultOf(s.State.Error)
			}
		}
	}
	return m.roster
}

// clientsOf are the names of the clients that have tools in a session, by their ids.
func (m *Model) clientsOf(state *protocol.SessionState) map[string]safetext.Text {
	names := map[string]safetext.Text{}
	for _, c := range state.ActiveClients {
		if c == nil {
			continue
		}
		name := clean(cmp.Or(c.DisplayName, c.ClientID))
		if c.ClientID == m.conn.Host.ClientID() {
			name = safetext.Concat(name, safetext.Const(" (this program)"))
		}
		names[c.ClientID] = name
	}
	return names
}

// serversInput maps the MCP servers of the session on the screen.
func (m *Model) serversInput() servers.Input {
	in := servers.Input{Stale: m.staleSession()}
	if c := m.view.Connection; m.stale() && !c.Since.IsZero() {
		in.StaleFor = m.clock.age(c.Since)
	}
	state := m.session()
	if state == nil {
		in.Empty = safetext.Const("no session")
		return in
	}
	for _, c := range protocol.Unparsed(state) {
		in.Groups = append(in.Groups, servers.Group{ID: c.ID, Title: containerTitle(c), Off: !c.On(), Loading: true})
	}
	for _, c := range state.Customizations {
		if g := groupOf(c); !g.Problem.Empty() {
			in.Groups = append(in.Groups, g)
		}
	}
	for _, s := range m.serversOf().list {
		in.Groups = withRow(in.Groups, groupOf(s.Container), m.serverRow(s))
	}
	return in
}

// staleSession reports whether what is shown of the session is what was: from the
// loss of the connection until the host has sent something newer.
func (m *Model) staleSession() bool {
	c := m.view.Channels[m.current.session]
	return m.stale() || c != nil && c.Stale
}

// withRow adds a row to the group of its container.
func withRow(groups []servers.Group, g servers.Group, row servers.Row) []servers.Group {
	i := slices.IndexFunc(groups, func(have servers.Group) bool { return have.ID == g.ID })
	if i < 0 {
		groups, i = append(groups, g), len(groups)
	}
	groups[i].Rows = append(groups[i].Rows, row)
	return groups
}

// groupOf is the group of a container, or of the top level.
func groupOf(c *protocol.Customization) servers.Group {
	if c == nil {
		return servers.Group{}
	}
	g := servers.Group{ID: c.ID, Title: containerTitle(c), Off: !c.On()}
	if c.Load != nil {
		g.Problem = clean(c.Load.Message)
	}
	return g
}

func containerTitle(c *protocol.Customization) safetext.Text {
	return own(string(c.Type) + ": " + c.Name)
}

// selectedServer is the server that is selected in the panel.
func (m *Model) selectedServer() (protocol.Server, bool) {
	ref, ok := m.servers.Selected()
	if !ok {
		return protocol.Server{}, false
	}
	return m.serverAt(ref)
}

// serverAt is the server of a row.
func (m *Model) serverAt(ref servers.Ref) (protocol.Server, bool) {
	list := m.serversOf().list
	i := slices.IndexFunc(list, func(s protocol.Server) bool { return refTo(s) == ref })
	if i < 0 {
		return protocol.Server{}, false
	}
	return list[i], true
}

func refTo(s protocol.Server) servers.Ref {
	ref := servers.Ref{ID: s.ID}
	if s.Container != nil {
		ref.Container = s.Container.ID
	}
	return ref
}

func (m *Model) refOf(id string) servers.Ref {
	for _, s := range m.serversOf().list {
		if s.ID == id {
			return refTo(s)
		}
	}
	return servers.Ref{ID: id}
}

// targetOf is the id of the server or tool call that an action is about.
func targetOf(a protocol.Action) string {
	switch a := a.(type) {
	case *protocol.SessionMcpServerStartRequested:
		return a.ID
	case *protocol.SessionMcpServerStopRequested:
		return a.ID
	case *protocol.SessionMcpServerBackgroundRequested:
		return a.ID
	case *protocol.SessionCustomizationToggled:
		return a.ID
	case *protocol.ChatToolCallConfirmed:
		return a.ToolCallID
	case *protocol.ChatToolCallResultConfirmed:
		return a.ToolCallID
	case *protocol.ChatToolCallComplete:
		return a.ToolCallID
	case *protocol.ChatInputCompleted:
		return a.RequestID
	}
	return ""
}

// isPending reports whether something that was asked of a server or tool call
// is not confirmed yet.
func (m *Model) isPending(about target) bool { return m.pendingOf(about) != nil }

// pendingOf is the latest that was asked of a server or tool call and is not
// confirmed yet, nil if nothing is.
func (m *Model) pendingOf(about target) *ahpclient.Ticket {
	c := m.view.Channels[about.channel]
	if c == nil {
		return nil
	}
	for _, t := range slices.Backward(c.Pending) {
		if targetOf(t.Action) == about.id {
			return t
		}
	}
	return nil
}

package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/servers"
	"ahptui/views/status"
	"ahptui/views/toolcall"
	"ahptui/views/transcript"
)

// access is something that waits until a person grants access: an MCP server, or
// a tool call that auth has stopped.
type access struct {
	session, chat protocol.URI
	server        protocol.Server
	turnID        string
	call          *protocol.ToolCall // nil: the server itself
	requirement   *protocol.McpAuthRequirement
}

// target is what a grant for it is noted by.
func (a access) target() target {
	if a.call != nil {
		return target{a.chat, a.call.ToolCallID}
	}
	return target{a.session, a.server.ID}
}

// source is it in the words of the auth room.
func (a access) source() auth.Source {
	s := auth.Source{Server: a.server.Name}
	if a.call != nil {
		s.Tool = a.call.ToolName
	}
	return s
}

// accessOfCall is what a call of the active turn waits for: by its own status, or
// because its server needs access while the call runs.
func (m *Model) accessOfCall(turnID string, call *protocol.ToolCall) (access, bool) {
	a := access{session: m.current.session, chat: m.current.chat, turnID: turnID, call: call}
	if c := call.Contributor; c != nil && c.Kind == protocol.ContributorMcp {
		a.server, _ = protocol.ServerByID(m.session(), c.CustomizationID)
	}
	switch {
	case call.Status == protocol.ToolAuthRequired && call.Auth != nil:
		a.requirement = call.Auth
	case call.Status == protocol.ToolRunning && a.server.Customization != nil:
		a.requirement = a.server.State.Requirement()
	}
	if a.server.Customization == nil { // it is gone; the call waits all the same
		a.server.Customization = &protocol.Customization{Name: call.DisplayName}
	}
	return a, a.requirement != nil
}

// accessOfServer is what a server waits for.
func (m *Model) accessOfServer(s protocol.Server) (access, bool) {
	r := s.State.Requirement()
	return access{session: m.current.session, server: s, requirement: r}, r != nil
}

// selectedAccess is what the key that grants access acts on.
func (m *Model) selectedAccess() (access, bool) {
	if m.focus == keymap.Servers {
		if srv, ok := m.selectedServer(); ok {
			return m.accessOfServer(srv)
		}
		return access{}, false
	}
	sel := m.transcript.Selected()
	if sel.Kind != transcript.ToolCall || !sel.Active || sel.Call == nil || m.session() == nil {
		return access{}, false
	}
	return m.accessOfCall(sel.TurnID, sel.Call)
}

// whyNoGrant says why access cannot be granted to what is selected, or "".
func (m *Model) whyNoGrant() safetext.Text {
	_, ok := m.selectedAccess()
	switch {
	case !ok && m.focus == keymap.Servers:
		return safetext.Const("this server does not wait for access")
	case !ok:
		return safetext.Const("select a tool call that needs access first")
	case m.conn.Auth == nil:
		return safetext.Const("signing in is not possible on this connection")
	}
	return m.offline()
}

// accessNote maps what a call waits for.
func (m *Model) accessNote(turnID string, call *protocol.ToolCall) toolcall.Access {
	if m.session() == nil {
		return toolcall.Access{}
	}
	a, ok := m.accessOfCall(turnID, call)
	if !ok {
		return toolcall.Access{}
	}
	note := toolcall.Access{
		Needed: true, Server: clean(a.server.Name), Reason: reasonWords(a.requirement.Reason),
		Description: clean(a.requirement.Description), Required: scopeWords(a.requirement.RequiredScopes),
	}
	if r := a.requirement.Resource; r != nil && len(r.AuthorizationServers) > 0 {
		note.Issuer = safetext.URL(r.AuthorizationServers[0])
	}
	note.Held = scopeWords(m.held(a))
	note.Progress, note.Failure = m.progressOf(a.target())
	if m.conn.Auth == nil {
		note.Obstacle = safetext.Const("signing in is not possible on this connection")
	} else if _, err := auth.NewChallenge(m.conn.Identity, a.source(), a.requirement); err != nil {
		note.Obstacle = own(err.Error())
	}
	return note
}

// fillAccess maps what a server waits for.
func (m *Model) fillAccess(row *servers.Row, a access) {
	if m.conn.Auth != nil {
		row.SignIn = m.keyName(keymap.AccessGrant)
	}
	for _, scope := range m.held(a) {
		row.Held = append(row.Held, clean(scope))
	}
	if r := a.requirement.Resource; r != nil && len(r.AuthorizationServers) > 0 {
		row.Issuer = safetext.URL(r.AuthorizationServers[0])
	}
	row.Progress, _ = m.progressOf(a.target())
}

func scopeWords(scopes []string) safetext.Text { return own(strings.Join(scopes, " ")) }

// held are the scopes of the token that was got for the same resource before.
func (m *Model) held(a access) []string {
	if m.conn.Auth == nil || a.requirement.Resource == nil {
		return nil
	}
	scopes, _ := m.conn.Auth.Held(auth.Key{Host: m.conn.Identity.ID, Resource: a.requirement.Resource.Resource})
	return scopes
}

// grant begins to sign in for what is selected.
func (m *Model) grant() tea.Cmd {
	a, ok := m.selectedAccess()
	if !ok {
		return nil
	}
	challenge, err := auth.NewChallenge(m.conn.Identity, a.source(), a.requirement)
	if err != nil {
		m.tell(status.Warning, err.Error())
		return nil
	}
	return m.beginSignIn(a, challenge)
}

// giveUpCall ends the selected call if it waits for access; it reports whether
// it does.
func (m *Model) giveUpCall() bool {
	a, ok := m.selectedAccess()
	if !ok || a.call == nil || m.focus != keymap.Transcript || a.call.Status != protocol.ToolAuthRequired {
		return false
	}
	m.dispatch(a.chat, protocol.CancelCall(a.turnID, a.call), asked{
		what: "give up " + a.call.DisplayName, about: a.call.ToolCallID, was: string(a.call.Status),
	})
	return true
}

// still reports whether something waits for access, and for what.
func (m *Model) still(a access) (*protocol.McpAuthRequirement, bool) {
	state := m.view.Session(a.session)
	if state == nil {
		return nil, false
	}
	if a.call == nil {
		srv, ok := protocol.ServerByID(state, a.server.ID)
		if !ok {
			return nil, false
		}
		return srv.State.Requirement(), srv.State.Requirement() != nil || srv.StateKind() == protocol.McpStarting
	}
	blocks := m.view.BlockedIn(a.session)
	i := slices.IndexFunc(blocks, func(b protocol.Block) bool {
		return b.Kind == protocol.BlockToolAuth && b.ToolCall.ToolCallID == a.call.ToolCallID
	})
	if i >= 0 {
		return blocks[i].Auth, true
	}
	return m.serverStill(state, a)
}

// serverStill is the requirement of the server of a call that itself runs.
func (m *Model) serverStill(state *protocol.SessionState, a access) (*protocol.McpAuthRequirement, bool) {
	if a.call.Status == protocol.ToolAuthRequired {
		return nil, false
	}
	srv, ok := protocol.ServerByID(state, a.server.ID)
	r := (*protocol.McpAuthRequirement)(nil)
	if ok {
		r = srv.State.Requirement()
	}
	return r, r != nil
}

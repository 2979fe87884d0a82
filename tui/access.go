package tui

import (
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

// access is something that waits until a person grants access: an MCP server, a
// tool call that auth has stopped, or something of the host's own.
type access struct {
	session, chat protocol.URI // none: it is the host that asks
	server        protocol.Server
	turnID        string
	call          *protocol.ToolCall // nil: the server itself
	requirement   *protocol.McpAuthRequirement
	from          auth.Source // where no session waits
}

// target is what a grant for it is noted by.
func (a access) target() target {
	if a.session == "" {
		return target{protocol.RootChannel, a.requirement.Resource.Resource}
	}
	if a.call != nil {
		return target{a.chat, a.call.ToolCallID}
	}
	return target{a.session, a.server.ID}
}

// name is what to call it.
func (a access) name() string {
	if a.call != nil {
		return a.call.DisplayName
	}
	return a.server.Name
}

// source is it in the words of the auth room.
func (a access) source() auth.Source {
	if a.session == "" {
		return a.from
	}
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
	} else if _, err := m.challenge(a); err != nil {
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

// grant begins to sign in for what is selected, or shows how far that is.
func (m *Model) grant() tea.Cmd {
	a, ok := m.selectedAccess()
	if !ok {
		return nil
	}
	if s := m.signIn; s != nil && s.access.target() == a.target() {
		m.showSignIn(s)
		if s.failure != nil {
			return m.retry(s)
		}
		return nil
	}
	return m.signInTo(a)
}

// signInTo begins to sign in for something that waits, and for all else that
// waits for the same.
func (m *Model) signInTo(a access) tea.Cmd {
	challenge, err := m.wholeChallenge(a)
	if err != nil {
		m.tell(status.Warning, err.Error())
		return nil
	}
	return m.beginSignIn(a, challenge)
}

// signInUnseen asks for what was gone to and cannot be shown.
func (m *Model) signInUnseen() tea.Cmd {
	a := m.unseen
	if m.unseen = nil; a == nil || m.conn.Auth == nil || !m.offline().Empty() {
		return nil
	}
	return m.signInTo(*a)
}

// certain reports whether what is known of something that waits is what the host
// says now.
func (m *Model) certain(a access) bool {
	for _, uri := range []protocol.URI{a.session, a.chat} {
		if c := m.view.Channels[uri]; c != nil && c.Err == nil && (c.Stale || c.State == nil) {
			return false
		}
	}
	return !m.stale()
}

// still reports whether something waits for access, and for what now. A server
// that starts may come to need it again; it asks for nothing then.
func (m *Model) still(a access) (now access, waits bool) {
	if a.session == "" { // until the host has a token
		return a, m.signIn != nil && m.signIn.access.target() == a.target() && m.signIn.handed.IsZero()
	}
	state := m.view.Session(a.session)
	if state == nil {
		return a, false
	}
	for _, b := range m.view.BlockedIn(a.session) {
		if a.call != nil && b.Kind == protocol.BlockToolAuth && b.Chat == a.chat && b.ToolCall.ToolCallID == a.call.ToolCallID {
			a.call, a.requirement = b.ToolCall, b.Auth
			return a, true
		}
	}
	if a.call != nil && a.call.Status == protocol.ToolAuthRequired {
		return a, false
	}
	srv, ok := protocol.ServerByID(state, a.server.ID)
	if !ok {
		return a, false
	}
	a.server, a.requirement = srv, srv.State.Requirement()
	return a, a.requirement != nil || srv.StateKind() == protocol.McpStarting
}

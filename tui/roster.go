package tui

import (
	"slices"
	"time"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/servers"
	"ahptui/views/status"
)

// slowAfter is when a server that starts is said to take too long. The protocol
// lets a host ignore a start without a word.
const slowAfter = 15 * time.Second

// roster is the MCP servers of a session, found once for each state.
type roster struct {
	state *protocol.SessionState
	list  []protocol.Server
	names map[string]safetext.Text // by the id of the server
}

// serversOf are the MCP servers of the session on the screen, and their names.
func (m *Model) serversOf() roster {
	state := m.session()
	if state == nil {
		return roster{}
	}
	if m.roster.state != state {
		m.roster = roster{state: state, list: protocol.Servers(state), names: map[string]safetext.Text{}}
		for _, s := range m.roster.list {
			m.roster.names[s.ID] = clean(s.Name)
		}
	}
	return m.roster
}

// serversInput maps the MCP servers of the session on the screen.
func (m *Model) serversInput() servers.Input {
	in := servers.Input{Stale: m.stale()}
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

func (m *Model) serverRow(s protocol.Server) servers.Row {
	about := target{m.current.session, s.ID}
	row := servers.Row{
		ID: s.ID, Name: clean(s.Name), State: s.StateKind(), On: s.Effective(), Scope: clean(s.Scope()),
		URI: clean(string(s.URI)), Channel: s.Channel != "", App: s.McpApp != nil,
		Pending: m.isPending(about), Refused: m.refusalOf(about, string(s.StateKind())).words,
	}
	if since, ok := m.view.Ages.Since(protocol.ServerAgeKey(m.current.session, s.Customization)); ok {
		row.Since = m.clock.age(since)
		if row.State == protocol.McpStarting {
			row.Slow = m.clock.now.Sub(since) > slowAfter
			m.clock.at(since.Add(slowAfter + time.Millisecond))
		}
	}
	if st := s.State; st != nil {
		fillState(&row, st)
	}
	row.Hints = m.hintsFor(s)
	row.Granted = m.grantWords(about)
	m.fillToken(&row, s)
	if a, ok := m.accessOfServer(s); ok {
		m.fillAccess(&row, a)
	}
	return row
}

// hintsFor are the keys that can work on a server now.
func (m *Model) hintsFor(s protocol.Server) []safetext.Text {
	var hints []safetext.Text
	for _, id := range []keymap.ID{keymap.ServerStart, keymap.ServerStop, keymap.ServerRestart, keymap.ServerToggle} {
		if b := m.keys.Binding(id); b.Bound() && m.whyNotOn(s, id).Empty() {
			hints = append(hints, own(b.Label(m.opts.ASCII)+" "+b.Short))
		}
	}
	return hints
}

func fillState(row *servers.Row, st *protocol.McpServerState) {
	if st.Error != nil {
		row.Error, row.ErrorType = safetext.CleanBlock(st.Error.Message, 4*maxField), clean(st.Error.ErrorType)
	}
	if st.Kind != protocol.McpAuthRequired {
		return
	}
	row.Reason, row.Description = reasonWords(st.Reason), clean(st.Description)
	for _, scope := range st.RequiredScopes {
		row.Scopes = append(row.Scopes, clean(scope))
	}
	if st.Resource != nil {
		row.Resource = safetext.URL(st.Resource.Resource).Text()
	}
}

// reasonWords words why a sign-in is needed.
func reasonWords(reason string) safetext.Text {
	switch reason {
	case "required":
		return safetext.Const("needs a sign-in")
	case "expired":
		return safetext.Const("the sign-in has expired")
	case "insufficientScope":
		return safetext.Const("needs more access")
	}
	return clean(reason)
}

// selectedServer is the server that is selected in the panel.
func (m *Model) selectedServer() (protocol.Server, bool) {
	ref, ok := m.servers.Selected()
	if !ok {
		return protocol.Server{}, false
	}
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

// actOnServer starts, stops, restarts or switches the selected server.
func (m *Model) actOnServer(id keymap.ID) {
	srv, ok := m.selectedServer()
	if !ok {
		return
	}
	var a protocol.Action
	var verb string
	switch id {
	case keymap.ServerStart:
		a, verb = &protocol.SessionMcpServerStartRequested{ID: srv.ID}, "start "
	case keymap.ServerRestart: // a start of what runs is a restart
		a, verb = &protocol.SessionMcpServerStartRequested{ID: srv.ID}, "restart "
	case keymap.ServerStop:
		a, verb = &protocol.SessionMcpServerStopRequested{ID: srv.ID}, "stop "
	case keymap.ServerToggle:
		verb = "disable "
		if !srv.On() {
			verb = "enable "
		}
		a = protocol.Toggle(m.version(), srv.Customization, !srv.On())
	}
	if id == keymap.ServerStart || id == keymap.ServerRestart {
		m.started[target{m.current.session, srv.ID}] = srv.StateKind()
	}
	m.dispatch(m.current.session, a, asked{what: verb + srv.Name, about: srv.ID, was: string(srv.StateKind())})
}

// followStarts tells of a server that was started from here and turns out to need
// a sign-in. All else that becomes of a start shows at the server.
func (m *Model) followStarts() {
	for t, was := range m.started {
		state := m.view.Session(t.channel)
		if state == nil {
			delete(m.started, t)
			continue
		}
		srv, ok := protocol.ServerByID(state, t.id)
		switch {
		case ok && (srv.StateKind() == was || srv.StateKind() == protocol.McpStarting):
			m.started[t] = srv.StateKind()
			continue
		case ok && srv.StateKind() == protocol.McpAuthRequired:
			m.tell(status.Warning, srv.Name+" needs a sign-in before it starts: "+m.keyName(keymap.BlockNext).String()+" goes there")
		}
		delete(m.started, t)
	}
}

// whyNoServerAction says why a key cannot work on the selected server now.
func (m *Model) whyNoServerAction(id keymap.ID) safetext.Text {
	srv, ok := m.selectedServer()
	switch {
	case !ok:
		return safetext.Const("select an MCP server first")
	case id == keymap.ServerDetail:
		return safetext.Text{}
	}
	return m.whyNotOn(srv, id)
}

// whyNotOn says why a key cannot work on a server now, or "".
func (m *Model) whyNotOn(srv protocol.Server, id keymap.ID) safetext.Text {
	if why := m.offline(); !why.Empty() {
		return why
	}
	version := m.view.Connection.Version
	state := srv.StateKind()
	switch {
	case id == keymap.ServerToggle:
		if !protocol.CanToggle(version, srv) {
			return own("protocol " + version.String() + " cannot switch a single server")
		}
		return safetext.Text{}
	case !protocol.ClientMay(version, (&protocol.SessionMcpServerStartRequested{}).ActionType()):
		return own("protocol " + version.String() + " cannot start or stop servers")
	case id == keymap.ServerStop:
		if state == protocol.McpStopped {
			return own(srv.Name + " is stopped already")
		}
	case !srv.On():
		return own(srv.Name + " is switched off; " + m.keyName(keymap.ServerToggle).String() + " switches it on")
	case !srv.Effective():
		return own(srv.Name + " is off because " + srv.Container.Name + " is")
	case id == keymap.ServerStart && state == protocol.McpReady:
		return own(srv.Name + " is running; " + m.keyName(keymap.ServerRestart).String() + " restarts it")
	case id == keymap.ServerStart && state == protocol.McpStarting:
		return own(srv.Name + " is starting; " + m.keyName(keymap.ServerRestart).String() + " starts it once more")
	}
	return safetext.Text{}
}

// targetOf is the id of the server or tool call that an action is about.
func targetOf(a protocol.Action) string {
	switch a := a.(type) {
	case *protocol.SessionMcpServerStartRequested:
		return a.ID
	case *protocol.SessionMcpServerStopRequested:
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
func (m *Model) isPending(about target) bool {
	c := m.view.Channels[about.channel]
	return c != nil && slices.ContainsFunc(c.Pending, func(t *ahpclient.Ticket) bool { return targetOf(t.Action) == about.id })
}

package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/servers"
	"ahptui/views/sessions"
	"ahptui/views/status"
	"ahptui/views/toolcall"
	"ahptui/views/transcript"
)

// slowAfter is when a server that starts is said to take too long. The protocol
// lets a host ignore a start without a word.
const slowAfter = 15 * time.Second

// sessionsInput maps the session list. Sessions that the host does not list
// yet, because they wait for their first message, stand on top.
func (m *Model) sessionsInput() sessions.Input {
	in := sessions.Input{Listed: m.view.Listed, Stale: m.stale(), NewKey: m.keyName(keymap.SessionNew)}
	for _, uri := range m.unlisted() {
		in.Rows = append(in.Rows, m.sessionRow(&protocol.SessionSummary{Resource: uri}))
	}
	for _, s := range m.view.Sessions {
		in.Rows = append(in.Rows, m.sessionRow(s))
	}
	return in
}

// unlisted are the open sessions that are not in the list.
func (m *Model) unlisted() []protocol.URI {
	var uris []protocol.URI
	for uri, c := range m.view.Channels {
		if c.Kind == protocol.SessionKind && m.view.Summary(uri) == nil {
			uris = append(uris, uri)
		}
	}
	slices.SortFunc(uris, func(a, b protocol.URI) int { return cmp.Compare(a, b) })
	return uris
}

func (m *Model) sessionRow(s *protocol.SessionSummary) sessions.Row {
	row := sessions.Row{
		ID: s.Resource, Title: clean(s.Title), Status: s.Status, Provider: clean(s.Provider),
		Activity: clean(s.ActivityText), Unread: !s.Status.Read(), Archived: s.Status.Archived(),
	}
	if t, ok := protocol.ParseTime(s.ModifiedAt); ok {
		row.Age = age(m.now.Sub(t))
	}
	state := m.view.Session(s.Resource)
	if state == nil {
		return row
	}
	row.Title, row.Provider = clean(state.Title), clean(state.Provider)
	row.Status = s.Status.WithActivity(state.Activity())
	row.Creating = state.Lifecycle == protocol.LifecycleCreating
	row.Failed = state.Lifecycle.Failed()
	row.Blocked = len(m.view.BlockedIn(s.Resource))
	if row.Title.Empty() {
		row.Title = safetext.Const("new session")
	}
	return row
}

func clean(s string) safetext.Text { return safetext.Clean(s, maxField) }

// serversInput maps the MCP servers of the session on the screen.
func (m *Model) serversInput() servers.Input {
	in := servers.Input{Stale: m.stale()}
	state := m.session()
	if state == nil {
		in.Empty = m.whyNoSession()
		return in
	}
	for _, c := range protocol.Unparsed(state) {
		in.Groups = append(in.Groups, servers.Group{ID: c.ID, Title: containerTitle(c), Off: !c.On(), Loading: true})
	}
	for _, s := range protocol.Servers(state) {
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
	row := servers.Row{
		ID: s.ID, Name: clean(s.Name), State: s.StateKind(), On: s.Effective(), Scope: clean(s.Scope()),
		URI: clean(string(s.URI)), Channel: s.Channel != "", App: s.McpApp != nil,
		Pending: m.serverPending(s.ID), Refused: m.refused[m.current.session][s.ID],
	}
	if since, ok := m.view.Ages.Since(protocol.ServerAgeKey(m.current.session, s.Customization)); ok {
		lasted := m.now.Sub(since)
		row.Since = age(lasted)
		row.Slow = row.State == protocol.McpStarting && lasted > slowAfter
	}
	if st := s.State; st != nil {
		fillState(&row, st)
	}
	row.Hints = m.hintsFor(s)
	return row
}

// hintsFor are the keys that can work on a server now.
func (m *Model) hintsFor(s protocol.Server) []safetext.Text {
	var hints []safetext.Text
	for _, id := range []keymap.ID{keymap.ServerStart, keymap.ServerStop, keymap.ServerRestart, keymap.ServerToggle} {
		if m.whyNotOn(s, id).Empty() {
			hints = append(hints, own(m.keyName(id).String()+" "+m.keys.Binding(id).Short))
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

// serverPending reports whether something that was asked of the server is not
// confirmed yet.
func (m *Model) serverPending(id string) bool {
	c := m.view.Channels[m.current.session]
	if c == nil {
		return false
	}
	return slices.ContainsFunc(c.Pending, func(t *ahpclient.Ticket) bool { return targetOf(t.Action) == id })
}

// targetOf is the id of the server that an action is about.
func targetOf(a protocol.Action) string {
	switch a := a.(type) {
	case *protocol.SessionMcpServerStartRequested:
		return a.ID
	case *protocol.SessionMcpServerStopRequested:
		return a.ID
	case *protocol.SessionCustomizationToggled:
		return a.ID
	}
	return ""
}

// transcriptInput maps the chat on the screen.
func (m *Model) transcriptInput() transcript.Input {
	in := transcript.Input{
		Chat: m.chat(), Empty: m.whyNoChat(), Stale: m.stale(), Now: m.now, EndKey: m.keyName(keymap.MoveBottom),
		Keys: toolcall.Keys{
			Approve: m.keyName(keymap.CallApprove), Deny: m.keyName(keymap.CallDeny),
			Cancel: m.keyName(keymap.TurnCancel), Unfold: m.keyName(keymap.DetailToggle),
		},
	}
	if state := m.session(); state != nil {
		in.Servers = make(map[string]safetext.Text)
		for _, s := range protocol.Servers(state) {
			in.Servers[s.ID] = clean(s.Name)
		}
	}
	in.Notes = m.callNotes()
	return in
}

// callNotes tells of each call that is under way what its state does not.
func (m *Model) callNotes() map[string]toolcall.Note {
	chat := m.chat()
	if chat == nil || chat.ActiveTurn == nil {
		return nil
	}
	notes := make(map[string]toolcall.Note)
	for _, part := range chat.ActiveTurn.ResponseParts {
		if call := part.ToolCall; part.Kind == protocol.PartToolCall && call != nil && !call.Status.Ended() {
			notes[call.ToolCallID] = toolcall.Note{
				Pending: m.callPending(call.ToolCallID), Refused: m.refused[m.current.chat][call.ToolCallID], Stale: m.stale(),
			}
		}
	}
	for _, b := range m.view.BlockedIn(m.current.session) {
		if b.ToolCall == nil {
			continue
		}
		if since, ok := m.view.Ages.Since(b.ID); ok {
			note := notes[b.ToolCall.ToolCallID]
			note.Since = age(m.now.Sub(since))
			notes[b.ToolCall.ToolCallID] = note
		}
	}
	return notes
}

func (m *Model) callPending(callID string) bool {
	c := m.view.Channels[m.current.chat]
	if c == nil {
		return false
	}
	return slices.ContainsFunc(c.Pending, func(t *ahpclient.Ticket) bool { return callOf(t.Action) == callID })
}

// callOf is the id of the tool call that an action is about.
func callOf(a protocol.Action) string {
	switch a := a.(type) {
	case *protocol.ChatToolCallConfirmed:
		return a.ToolCallID
	case *protocol.ChatToolCallResultConfirmed:
		return a.ToolCallID
	case *protocol.ChatToolCallComplete:
		return a.ToolCallID
	}
	return ""
}

// statusInput maps the connection and what waits for a person.
func (m *Model) statusInput() status.Input {
	c := m.view.Connection
	in := status.Input{
		Host: clean(m.hostName), Phase: phaseOf(c.Phase), Blocked: m.blockedCount(),
		Help: m.keyName(keymap.AppHelp), Next: m.keyName(keymap.BlockNext),
	}
	if c.Host != nil && c.Host.Name != "" {
		in.Host = clean(c.Host.Name)
	}
	if c.Version != (protocol.Version{}) {
		in.Version = own(c.Version.String())
	}
	if c.Phase == ahpclient.Connected && c.Latency > 0 {
		in.Latency = own(fmt.Sprintf("%d ms", max(1, c.Latency.Milliseconds())))
	}
	if c.Err != nil {
		in.Reason = clean(c.Err.Error())
	}
	if wait := c.Retry.Sub(m.now); c.Phase != ahpclient.Connected && wait > 0 {
		in.Retry = own(fmt.Sprintf("in %d s", int(wait.Seconds()+1)))
	}
	if n := m.notices.newest(m.now); n != nil {
		in.Notice, in.Severity, in.More = n.text, n.severity, m.notices.more(m.now)
	}
	return in
}

func phaseOf(p ahpclient.Phase) status.Phase {
	switch p {
	case ahpclient.Connecting:
		return status.Connecting
	case ahpclient.Connected:
		return status.Connected
	case ahpclient.Reconnecting:
		return status.Reconnecting
	case ahpclient.Failed:
		return status.Failed
	}
	return status.Offline
}

// blockedCount counts what waits for a person: exactly in sessions that are
// open, one for each other session whose summary says so.
func (m *Model) blockedCount() int {
	n := 0
	for uri, c := range m.view.Channels {
		if c.Kind == protocol.SessionKind {
			n += len(m.view.BlockedIn(uri))
		}
	}
	for _, s := range m.view.Sessions {
		if m.view.Session(s.Resource) == nil && s.Status.NeedsInput() {
			n++
		}
	}
	return n
}

// title is the title of the terminal's window. No peer's text is in it.
func (m *Model) title() string {
	var b strings.Builder
	b.WriteString("ahptui")
	if n := m.blockedCount(); n > 0 {
		fmt.Fprintf(&b, " (%d blocked)", n)
	}
	return b.String()
}

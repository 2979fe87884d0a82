package tui

import (
	"fmt"
	"slices"
	"strings"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/servers"
)

// How much of its past is shown of a server, in the panel and in a window of its own.
const (
	recent = 8
	whole  = 100
)

// describe adds to the selected server, and to one that a window shows, what only
// their details show.
func (m *Model) describe(in servers.Input) {
	selected, _ := m.servers.Selected()
	var opened servers.Ref
	for _, o := range m.overlays {
		if window, ok := o.(*serverDetail); ok {
			opened = window.ref
		}
	}
	for _, g := range in.Groups {
		for i := range g.Rows {
			switch ref := (servers.Ref{Container: g.ID, ID: g.Rows[i].ID}); ref {
			case opened:
				m.fillAbout(&g.Rows[i], ref, whole)
			case selected:
				m.fillAbout(&g.Rows[i], ref, recent)
			}
		}
	}
}

func (m *Model) fillAbout(row *servers.Row, ref servers.Ref, most int) {
	srv, ok := m.serverAt(ref)
	if !ok {
		return
	}
	a := &servers.About{
		ID: clean(srv.ID), Channel: clean(string(srv.Channel)),
		Place: placeWords(srv.Range), Capabilities: own(capabilityWords(srv.App())),
	}
	if len(srv.Enablement) > 1 {
		a.Decisions = own(m.decisionsOf(srv))
	}
	if c := srv.Container; c != nil {
		words := string(c.Type) + " " + c.Name
		if by := m.clientName(c.ClientID); by != "" {
			words += ", brought by " + by
		}
		a.Container = own(words)
	}
	if command, url := srv.Declared(); url != "" {
		a.Declared = safetext.URL(url).Text()
	} else {
		a.Declared = clean(command)
	}
	if known, tools := m.mcp.tools.of(srv.Channel); known {
		a.ToolNames = own(tools.listed())
	}
	m.fillNeed(row, a, srv)
	a.Blocks = m.waitingFor(srv)
	if past := m.past(srv.ID); past != nil {
		m.fillHistory(a, past, most)
	}
	row.About = a
}

// clientName is what to call the client that has brought something, "" where it is
// the host's own.
func (m *Model) clientName(id string) string {
	if id == "" {
		return ""
	}
	for _, c := range m.session().ActiveClients {
		if c.ClientID == id && c.DisplayName != "" {
			return c.DisplayName
		}
	}
	return "a client"
}

// placeWords are where in a file something is declared.
func placeWords(r *protocol.TextRange) safetext.Text {
	if r == nil {
		return safetext.Text{}
	}
	return own(fmt.Sprintf("from line %d on", r.Start.Line+1))
}

// capabilityWords are what a server's side channel is good for.
func capabilityWords(c *protocol.McpAppCapabilities) string {
	if c == nil {
		return ""
	}
	var words []string
	for _, has := range []struct {
		is   bool
		word string
	}{{c.ServerTools != nil, "tools"}, {c.ServerResources != nil, "resources"}, {c.Logging != nil, "logging"}, {c.Sampling != nil, "sampling"}} {
		if has.is {
			words = append(words, has.word)
		}
	}
	return strings.Join(words, ", ")
}

// fillNeed tells what a server needs, or needed when it last asked.
func (m *Model) fillNeed(row *servers.Row, a *servers.About, srv protocol.Server) {
	n, ok := m.mcp.needs[target{m.current.session, srv.ID}]
	if !ok {
		return
	}
	if row.Resource.Empty() {
		row.Resource = safetext.URL(n.resource).Text()
	}
	for _, issuer := range n.issuers {
		a.Issuers = append(a.Issuers, safetext.URL(issuer))
	}
	a.LastAsked = scopeWords(m.lastAsked(n.resource))
}

// lastAsked are the scopes that were asked for last, for a resource.
func (m *Model) lastAsked(resource string) []string {
	if m.conn.Auth == nil || resource == "" {
		return nil
	}
	if s := m.signIn; s != nil && s.challenge.Resource == resource && len(s.requested) > 0 {
		return s.requested
	}
	return m.conn.Auth.Requested(auth.Key{Host: m.conn.Identity.ID, Resource: resource})
}

// waitingFor is what waits for a person because of a server.
func (m *Model) waitingFor(srv protocol.Server) []safetext.Text {
	var list []safetext.Text
	for _, b := range m.view.BlockedIn(m.current.session) {
		call := b.ToolCall
		about := b.Server != nil && b.Server.ID == srv.ID ||
			call != nil && call.Contributor != nil && call.Contributor.CustomizationID == srv.ID
		if !about {
			continue
		}
		name := srv.Name
		if call != nil {
			name = call.DisplayName
		}
		words := name + " " + waitsFor(b)
		if since, ok := m.view.Ages.Since(b.ID); ok {
			words += ", " + m.clock.age(since).String()
		}
		list = append(list, own(words))
	}
	return list
}

// fillHistory tells what a server went through.
func (m *Model) fillHistory(a *servers.About, past *ahpclient.ServerHistory, most int) {
	a.Starts = own(startWords(past))
	if _, now := past.CurrentProblem(); !now && past.Problem.State != "" {
		a.Problem = own(m.clock.age(past.Problem.At).String() + " ago: " + stateWords(past.Problem))
	}
	events := past.Events[max(0, len(past.Events)-most):]
	a.Earlier = past.Forgotten + len(past.Events) - len(events)
	for _, e := range slices.Backward(events) {
		ago := m.clock.age(e.At).String() + " ago"
		if e.Missed {
			ago = "over " + m.clock.age(e.At).String()
		}
		a.History = append(a.History, servers.Past{Ago: own(ago), What: own(eventWords(e)), State: e.State})
	}
}

// startWords say how the starts of a server went.
func startWords(past *ahpclient.ServerHistory) string {
	if past.Attempts == 0 {
		return ""
	}
	words := fmt.Sprintf("%d", past.Attempts)
	if past.Succeeded > 0 {
		words += fmt.Sprintf(", %d ready", past.Succeeded)
	}
	if past.Failed > 0 {
		words += fmt.Sprintf(", %d failed", past.Failed)
	}
	if _, _, open := past.Starting(); open {
		words += ", one under way"
	}
	if past.LastStart > 0 {
		words += ", the last took " + took(past.LastStart).String()
	}
	return words
}

// eventWords say what happened, and who brought it about.
func eventWords(e ahpclient.ServerEvent) string {
	by := actorName(e.By)
	switch {
	case e.Gone:
		return "gone: the host does not have it any more"
	case e.State == "":
		return askedWords(e.Asked, by)
	}
	words := stateWords(e)
	if e.Took > 0 {
		words += " after " + took(e.Took).String()
	}
	switch {
	case e.Asked != "":
		words += ": " + by + " asked for it"
	case e.Missed:
		words += ": found so"
	case e.By.Kind != ahpclient.ByHost:
		words += ": by " + by
	}
	if e.Attempt > 1 && (e.Asked == ahpclient.AskedStart || e.State == protocol.McpStarting) {
		words += fmt.Sprintf(" (attempt %d)", e.Attempt)
	}
	return words
}

// maxCause bounds the words of an error in a line of the past, in columns.
const maxCause = 100

// stateWords are a state with what the host said of it.
func stateWords(e ahpclient.ServerEvent) string {
	switch e.State {
	case protocol.McpAuthRequired:
		words := reasonWords(e.Reason).String()
		if len(e.Scopes) > 0 {
			words += ": " + strings.Join(e.Scopes, " ")
		}
		return words
	case protocol.McpError:
		fault := protocol.FaultOf(&protocol.ErrorInfo{ErrorType: e.ErrorType, Message: e.Message})
		first, _, _ := strings.Cut(e.Message, "\n")
		words := "failed"
		if fault != protocol.FaultUnknown {
			words += ", " + fault.Words()
		}
		if first != "" {
			words += " (" + safetext.Clean(first, maxCause).String() + ")"
		}
		return words
	case protocol.McpStarting, protocol.McpReady, protocol.McpStopped:
	}
	return string(e.State)
}

// askedWords are that somebody asked for something.
func askedWords(asked ahpclient.ServerRequest, by string) string {
	switch asked {
	case ahpclient.AskedStart:
		return by + " asked for a start"
	case ahpclient.AskedStop:
		return by + " asked for a stop"
	case ahpclient.AskedBackground:
		return by + " let messages go on without it"
	case ahpclient.AskedEnable:
		return by + " switched it on"
	case ahpclient.AskedDisable:
		return by + " switched it off"
	}
	return by + " asked for " + string(asked)
}

// doneWords are what becomes of a server by a request.
func doneWords(asked ahpclient.ServerRequest) string {
	switch asked {
	case ahpclient.AskedStart:
		return "started"
	case ahpclient.AskedStop:
		return "stopped"
	case ahpclient.AskedEnable:
		return "switched on"
	case ahpclient.AskedDisable:
		return "switched off"
	case ahpclient.AskedBackground:
	}
	return "changed"
}

// actorName is what to call somebody.
func actorName(a ahpclient.Actor) string {
	switch {
	case a.Kind == ahpclient.ByUs:
		return "you"
	case a.Kind == ahpclient.ByHost:
		return "the host"
	case a.Name == "":
		return "another client"
	}
	return a.Name
}

package tui

import (
	"ahptui/ahpclient"
	"ahptui/protocol"
	"ahptui/views/status"
)

// watched is how much of the past of a session's servers was looked at.
type watched struct {
	channel *ahpclient.Channel
	seen    map[string]int // events, by the id of the server
}

// watchOthers tells what another client has done to a server that the person is
// acting on.
func (m *Model) watchOthers() {
	sessions := []protocol.URI{m.current.session}
	if m.signIn != nil && m.signIn.access.session != m.current.session {
		sessions = append(sessions, m.signIn.access.session)
	}
	next := make(map[protocol.URI]watched, len(sessions))
	for _, session := range sessions {
		channel, before := m.view.Channels[session], m.mcp.watched[session]
		state := m.view.Session(session)
		switch {
		case channel == nil || state == nil:
			continue
		case before.channel == channel:
			next[session] = before
			continue
		}
		now := watched{channel, map[string]int{}}
		for _, srv := range protocol.Servers(state) {
			past := channel.History.Server(srv.ID)
			if past == nil {
				continue
			}
			count := past.Forgotten + len(past.Events)
			if seen, ok := before.seen[srv.ID]; ok && count > seen {
				m.tellOthers(session, srv, past.Events[max(0, len(past.Events)-(count-seen)):])
			}
			now.seen[srv.ID] = count
		}
		next[session] = now
	}
	m.mcp.watched = next
}

func (m *Model) tellOthers(session protocol.URI, srv protocol.Server, events []ahpclient.ServerEvent) {
	doing := m.doingTo(session, srv.ID)
	if doing == "" {
		return
	}
	for _, e := range events {
		if e.By.Kind == ahpclient.ByClient && e.Asked != "" {
			m.tell(status.Warning, srv.Name+" was "+doneWords(e.Asked)+" by "+actorName(e.By)+" while you were "+doing)
		}
	}
}

// doingTo is what the person does about a server, "" for nothing.
func (m *Model) doingTo(session protocol.URI, id string) string {
	if s := m.signIn; s != nil && s.access.session == session && s.access.server.Customization != nil && s.access.server.ID == id {
		return "signing in"
	}
	if t := m.pendingOf(target{session, id}); t != nil {
		return "asking for something else: " + requestWords(t.Action)
	}
	for _, o := range m.overlays {
		if window, ok := o.(interface{ about() string }); ok && session == m.current.session && window.about() == id {
			return "looking at it"
		}
	}
	return ""
}

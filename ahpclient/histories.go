package ahpclient

import (
	"slices"
	"time"

	"ahptui/protocol"
)

// maxHistories bounds the sessions that are not open any more and whose history
// is remembered.
const maxHistories = 32

// histories are those of sessions that are not open, the one closed last at the
// end.
type histories []closedHistory

type closedHistory struct {
	session protocol.URI
	history History
}

// keep remembers the history of a session that is closed.
func (h *histories) keep(session protocol.URI, history History) {
	if history.servers == nil {
		return
	}
	*h = append(*h, closedHistory{session, history})
	if over := len(*h) - maxHistories; over > 0 {
		*h = slices.Delete(*h, 0, over)
	}
}

// take is the history of a session that is opened again.
func (h *histories) take(session protocol.URI) History {
	i := slices.IndexFunc(*h, func(c closedHistory) bool { return c.session == session })
	if i < 0 {
		return History{}
	}
	history := (*h)[i].history
	*h = slices.Delete(*h, i, i+1)
	return history
}

// session is the confirmed state of a session; nil for other channels.
func (c *channel) session() *protocol.SessionState {
	if c.kind != protocol.SessionKind {
		return nil
	}
	s, _ := c.confirmed().(*protocol.SessionState)
	return s
}

// record notes what an action has done to the servers of a session, and reports
// whether that is anything.
func (s *store) record(c *channel, before *protocol.SessionState, e *protocol.Envelope, now time.Time) (changed bool) {
	after := c.session()
	if before == nil || after == nil {
		return false
	}
	c.history, changed = c.history.Apply(before, after, e.Action, s.actor(before, e.Origin), now, s.replaying)
	return changed
}

// actor is who an action comes from, by the name that they have in the session.
func (s *store) actor(state *protocol.SessionState, origin *protocol.ActionOrigin) Actor {
	switch {
	case origin == nil:
		return Actor{Kind: ByHost}
	case origin.ClientID == s.clientID:
		return Actor{Kind: ByUs}
	}
	a := Actor{Kind: ByClient}
	for _, client := range state.ActiveClients {
		if client.ClientID == origin.ClientID {
			a.Name = remember(client.DisplayName)
		}
	}
	return a
}

// isDated reports whether an action may bring servers into another state, which is
// remembered with its time.
func isDated(a protocol.Action) bool {
	switch a.(type) {
	case *protocol.SessionMcpServerStateChanged, *protocol.SessionMcpServerStartRequested, *protocol.SessionMcpServerStopRequested,
		*protocol.SessionMcpServerBackgroundRequested, *protocol.SessionCustomizationToggled, *protocol.SessionCustomizationUpdated,
		*protocol.SessionCustomizationsChanged, *protocol.SessionCustomizationRemoved:
		return true
	}
	return false
}

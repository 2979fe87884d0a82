package ahpclient

import (
	"maps"
	"slices"
	"strings"
	"time"

	"ahptui/protocol"
)

// Snapshot takes what a snapshot shows: what is as it was is nothing new, and what is not has changed unseen.
func (h History) Snapshot(s *protocol.SessionState, now time.Time) (next History, changed bool) {
	return h.compare(nil, s, cause{at: now, missed: true, by: Actor{Kind: ByHost}})
}

// Apply takes an action that has led from a state to another one. Missed says that it was made before, and comes in a replay.
func (h History) Apply(before, after *protocol.SessionState, a protocol.Action, by Actor, now time.Time, missed bool) (next History, changed bool) {
	c := cause{at: now, missed: missed, by: by}
	c.id, c.asked = requested(a, after)
	if c.asked == "" && sameCustomizations(before, after) {
		return h, false
	}
	return h.compare(before, after, c)
}

// cause is what led from a state to another one.
type cause struct {
	at     time.Time
	missed bool
	by     Actor
	id     string // of the server that something was asked of
	asked  ServerRequest
}

func sameCustomizations(a, b *protocol.SessionState) bool {
	x, y := a.Customizations, b.Customizations
	return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0])
}

// requested is what an action asks of a server.
func requested(a protocol.Action, after *protocol.SessionState) (id string, r ServerRequest) {
	switch a := a.(type) {
	case *protocol.SessionMcpServerStartRequested:
		return a.ID, AskedStart
	case *protocol.SessionMcpServerStopRequested:
		return a.ID, AskedStop
	case *protocol.SessionMcpServerBackgroundRequested:
		return a.ID, AskedBackground
	case *protocol.SessionCustomizationToggled:
		if srv, ok := protocol.ServerByID(after, a.ID); ok && srv.On() {
			return a.ID, AskedEnable
		}
		return a.ID, AskedDisable
	}
	return "", ""
}

// compare notes what is other than it was last seen.
func (h History) compare(before, after *protocol.SessionState, c cause) (History, bool) {
	var next map[string]*ServerHistory // nil: nothing is new
	note := func(id string, e ServerEvent) {
		if next == nil {
			next = make(map[string]*ServerHistory, len(h.servers)+1)
			maps.Copy(next, h.servers)
		}
		old := next[id]
		if old == nil {
			old = &ServerHistory{}
			if len(next) >= maxServers {
				return
			}
		}
		next[id] = old.with(e)
	}
	had := pointers(before)
	seen := map[string]bool{}
	for _, srv := range protocol.Servers(after) {
		if seen[srv.ID] { // the same id in another container: actions are about all of them
			continue
		}
		seen[srv.ID] = true
		asked := c.asked != "" && c.id == srv.ID
		if had[srv.ID] == srv.Customization && !asked {
			continue
		}
		e := c.event(srv.State)
		if last := h.servers[srv.ID]; last != nil && last.stays(e) {
			e = ServerEvent{At: c.at, Missed: c.missed, By: c.by}
		}
		if asked {
			e.Asked = c.asked
		}
		if asked || e.State != "" {
			note(srv.ID, e)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(h.servers)) {
		if !seen[id] && !h.servers[id].gone() {
			note(id, ServerEvent{At: c.at, Missed: c.missed, By: c.by, Gone: true})
		}
	}
	if next == nil {
		return h, false
	}
	return History{next}, true
}

// pointers are the servers of a state by their id, the first of each.
func pointers(s *protocol.SessionState) map[string]*protocol.Customization {
	if s == nil {
		return nil
	}
	all := map[string]*protocol.Customization{}
	for _, srv := range protocol.Servers(s) {
		if all[srv.ID] == nil {
			all[srv.ID] = srv.Customization
		}
	}
	return all
}

// unknownState stands for the state of a server that has none.
const unknownState protocol.McpStateKind = "unknown"

// event is that a server came to be in a state.
func (c cause) event(s *protocol.McpServerState) ServerEvent {
	e := ServerEvent{At: c.at, Missed: c.missed, By: c.by, State: unknownState}
	if s == nil || s.Kind == "" {
		return e
	}
	e.State = protocol.McpStateKind(remember(string(s.Kind)))
	switch s.Kind {
	case protocol.McpStarting:
		e.Blocking = s.Blocking != nil && *s.Blocking
	case protocol.McpAuthRequired:
		e.Reason = remember(s.Reason)
		if s.Resource != nil {
			e.Resource = remember(s.Resource.Resource)
		}
		for _, scope := range s.RequiredScopes[:min(len(s.RequiredScopes), maxEventScopes)] {
			e.Scopes = append(e.Scopes, remember(scope))
		}
	case protocol.McpError:
		if s.Error != nil {
			e.ErrorType, e.Message = remember(s.Error.ErrorType), remember(s.Error.Message)
		}
	}
	return e
}

// remember cuts a text, and does not hold on to the rest of it.
func remember(s string) string { return strings.Clone(cut(s, maxEventText)) }

// stays reports whether an event brings nothing new: the server is in that state, for that reason.
func (h *ServerHistory) stays(e ServerEvent) bool {
	last, ok := h.Last()
	return ok && !h.gone() && last.State == e.State && last.Reason == e.Reason && last.Resource == e.Resource &&
		slices.Equal(last.Scopes, e.Scopes) && last.ErrorType == e.ErrorType && last.Message == e.Message
}

// with is the history with one more event.
func (h *ServerHistory) with(e ServerEvent) *ServerHistory {
	next := *h
	next.count(&e)
	if e.problem() {
		next.Problem = e
	}
	over := max(0, len(h.Events)+1-maxServerEvents)
	if over > 0 {
		next.Forgotten += over
		// The state that the server is in is not forgotten, however often it is asked for something that changes nothing.
		if last, ok := h.Last(); ok && e.State == "" && !slices.ContainsFunc(h.Events[over:], func(e ServerEvent) bool { return e.State != "" }) {
			next.Events = slices.Concat([]ServerEvent{last}, h.Events[over+1:], []ServerEvent{e})
			return &next
		}
	}
	next.Events = append(slices.Clone(h.Events[over:]), e)
	return &next
}

// count sorts an event into the attempts.
func (h *ServerHistory) count(e *ServerEvent) {
	begins := e.Asked == AskedStart || e.State == protocol.McpStarting
	if begins && h.open.began.IsZero() {
		h.open = attempt{began: e.At, missed: e.Missed}
		h.Attempts++
	}
	if h.open.began.IsZero() {
		return
	}
	e.Attempt = h.Attempts
	if !h.open.asked.IsZero() && e.State != "" {
		h.open.waited += e.At.Sub(h.open.asked)
		h.open.asked = time.Time{}
	}
	switch {
	case e.State == protocol.McpAuthRequired:
		h.open.asked = e.At
		return
	case e.Gone, e.State == protocol.McpStopped:
	case e.State == protocol.McpReady:
		h.Succeeded++
		e.Took = h.open.took(*e)
		h.LastStart = e.Took
	case e.State == protocol.McpError:
		h.Failed++
		e.Took = h.open.took(*e)
	default:
		return
	}
	h.open = attempt{}
}

// took is how long an attempt took that an event ends, 0 where not all of it was seen.
func (a attempt) took(end ServerEvent) time.Duration {
	if a.missed || end.Missed {
		return 0
	}
	return max(0, end.At.Sub(a.began)-a.waited)
}

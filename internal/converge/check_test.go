package converge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/ahpclient"
	"ahptui/protocol"
)

// truth is what the host has, in the form of a version.
type truth struct {
	states   map[protocol.URI]protocol.ChannelState // nil: the host does not have it
	sessions map[protocol.URI]*protocol.SessionSummary
}

// verdict collects what is not as it must be.
type verdict struct{ problems []string }

func (v *verdict) complain(format string, args ...any) {
	v.problems = append(v.problems, fmt.Sprintf(format, args...))
}

// check says what is not as it must be when all is quiet.
func (w *world) check() []string {
	w.mu.Lock()
	verdict := &verdict{problems: slices.Clone(w.problems)} // what was seen on the way
	w.mu.Unlock()
	truths := map[protocol.Version]*truth{}
	for _, m := range w.members {
		v := m.client.View()
		if v.Connection.Phase != ahpclient.Connected {
			verdict.complain("client %d is %s: %v", m.index, v.Connection.Phase, v.Connection.Err)
			continue
		}
		version := v.Connection.Version
		if truths[version] == nil {
			truths[version] = &truth{states: map[protocol.URI]protocol.ChannelState{}}
			w.learn(truths[version], version)
		}
		w.complete(truths[version], version, v)
		w.checkView(verdict, m, v, truths[version])
	}
	for _, m := range w.members {
		m.checkOutcomes(verdict)
	}
	return verdict.problems
}

// learn asks the host for its list of sessions.
func (w *world) learn(tr *truth, v protocol.Version) {
	p, _ := attach(w.t, w.host, fmt.Sprint("list at ", v), v)
	defer p.close()
	tr.sessions = p.sessions()
}

// complete asks the host for the channels of a view that are not known yet.
func (w *world) complete(tr *truth, v protocol.Version, view *ahpclient.View) {
	p, _ := attach(w.t, w.host, fmt.Sprint("probe at ", v), v)
	defer p.close()
	ask := func(uri protocol.URI, kind protocol.ChannelKind) {
		if _, known := tr.states[uri]; !known {
			tr.states[uri] = decode(w.t, kind, p.subscribe(uri))
		}
	}
	for _, c := range w.channels() {
		ask(c.uri, c.kind)
	}
	for uri, c := range view.Channels {
		ask(uri, c.Kind)
	}
}

func (w *world) checkView(problem *verdict, m *member, v *ahpclient.View, tr *truth) {
	for uri, c := range v.Channels {
		want := tr.states[uri]
		switch {
		case want == nil && (c.State != nil || c.Err == nil):
			problem.complain("client %d shows %s, which the host does not have (error %v)", m.index, uri, c.Err)
		case want == nil:
		case c.State == nil && c.Err != nil && w.disposed[uri]: // it was not there when the client asked
		case c.Stale || c.Err != nil || len(c.Pending) > 0 || c.State != c.Confirmed:
			problem.complain("client %d, %s: stale %t, error %v, %d pending", m.index, uri, c.Stale, c.Err, len(c.Pending))
		default:
			want = windowed(want, c.State)
			if diff := cmp.Diff(text(w.t, v.Connection.Version, want), text(w.t, v.Connection.Version, c.State)); diff != "" {
				problem.complain("client %d at %s has another state of %s (-host +client):\n%s", m.index, v.Connection.Version, uri, diff)
			}
		}
	}
	for uri, wanted := range m.wants {
		if wanted && !w.disposed[uri] && tr.states[uri] != nil && v.Channels[uri] == nil {
			problem.complain("client %d has lost %s", m.index, uri)
		}
	}
	listed := map[protocol.URI]*protocol.SessionSummary{}
	for _, s := range v.Sessions {
		listed[s.Resource] = s
	}
	if !v.Listed || v.ListErr != nil {
		problem.complain("client %d has no list of sessions: %v", m.index, v.ListErr)
	}
	if diff := cmp.Diff(tr.sessions, listed); diff != "" {
		problem.complain("client %d has another list of sessions (-host +client):\n%s", m.index, diff)
	}
}

// windowed is a chat as the host has it, as far as a client has its turns: one that does not have the oldest has a cursor.
func windowed(host, client protocol.ChannelState) protocol.ChannelState {
	theirs, isChat := host.(*protocol.ChatState)
	ours, alsoChat := client.(*protocol.ChatState)
	if !isChat || !alsoChat || len(ours.Turns) >= len(theirs.Turns) || ours.TurnsNextCursor == "" {
		return host
	}
	window := *theirs
	window.Turns = theirs.Turns[len(theirs.Turns)-len(ours.Turns):]
	window.TurnsNextCursor = ours.TurnsNextCursor
	return &window
}

// text is a state for comparison, a member a line.
func text(t *testing.T, v protocol.Version, s protocol.ChannelState) string {
	s = comparableAt(v, s)
	raw, err := protocol.EncodeState(s)
	if err != nil {
		t.Error(err)
	}
	if err := raw.Canonicalize(); err != nil {
		t.Error(err)
	}
	if err := raw.Indent(jsontext.WithIndent(" ")); err != nil {
		t.Error(err)
	}
	return string(raw)
}

// checkOutcomes holds what became of a member's actions against what the host did with them.
func (m *member) checkOutcomes(problem *verdict) {
	for _, s := range m.sent {
		o, ok := s.ticket.Outcome()
		took := s.probe != nil && s.probe.took(s.origin)
		what := fmt.Sprintf("client %d, action %d %s on %s", m.index, s.origin.ClientSeq, s.ticket.Action.ActionType(), s.ticket.Channel)
		switch {
		case !ok:
			problem.complain("%s has no outcome", what)
		case o.Kind == ahpclient.Accepted && o.Reason == "" && s.probe != nil && !took:
			problem.complain("%s was accepted, the client says; the host did not take it", what)
		case o.Kind == ahpclient.Rejected && took:
			problem.complain("%s was rejected, the client says (%s); the host took it", what, o.Reason)
		case (o.Kind == ahpclient.Unknown || o.Kind == ahpclient.Expired) && !m.faulty && s.open:
			problem.complain("%s is %s (%s), and nothing was wrong with its connection", what, o.Kind, o.Reason)
		}
	}
}

// comparableAt is a state without what two sides cannot have in common: times that reducers up to 0.8 stamp by their own
// clock; and what a session up to 0.7 is doing, by its own status, which depends on the rules of each version and which
// nobody goes by (a session's activity is that of its chats).
func comparableAt(v protocol.Version, s protocol.ChannelState) protocol.ChannelState {
	switch s := s.(type) {
	case *protocol.ChatState:
		if !v.AtLeast(protocol.V0_9_0) {
			unstamped := *s
			unstamped.ModifiedAt = ""
			return &unstamped
		}
	case *protocol.SessionState:
		if !v.AtLeast(protocol.V0_8_0) {
			flags := *s
			flags.Status = s.Status.WithActivity(0)
			return &flags
		}
	}
	return s
}

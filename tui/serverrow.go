package tui

import (
	"fmt"
	"time"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/servers"
)

const (
	// slowAfter is when a server that starts is said to take too long. The protocol
	// lets a host ignore a start without a word.
	slowAfter = 15 * time.Second
	// lateAfter is when a host is said to be late with its answer to a request.
	lateAfter = 5 * time.Second
	// stopsAfter is when a server that is switched off should have stopped.
	stopsAfter = 10 * time.Second
)

// past is what a server of the session on the screen went through, nil if nothing
// was seen of it.
func (m *Model) past(id string) *ahpclient.ServerHistory {
	if c := m.view.Channels[m.current.session]; c != nil {
		return c.History.Server(id)
	}
	return nil
}

func (m *Model) serverRow(s protocol.Server) servers.Row {
	about := target{m.current.session, s.ID}
	row := servers.Row{
		ID: s.ID, Name: clean(s.Name), State: s.StateKind(), On: s.Effective(), Scope: clean(s.Scope()),
		URI: clean(string(s.URI)), Channel: s.Channel != "", App: s.McpApp != nil, Blocking: s.Blocks(),
		Refused: m.refusalOf(about, string(s.StateKind())).aged(&m.clock),
		Fault:   own(m.roster.faults[s.ID].Words()),
	}
	m.fillAge(&row, s)
	m.fillAsked(&row, about)
	if past := m.past(s.ID); past != nil {
		fillPast(&row, past)
	}
	m.fillUse(&row, s)
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

// sinceOf is since when a server is in its state. What was only expected of the
// host, and taken back, does not count.
func (m *Model) sinceOf(s protocol.Server) (since time.Time, ok bool) {
	since, ok = m.view.Ages.Since(protocol.ServerAgeKey(m.current.session, s.Customization))
	if past := m.past(s.ID); past != nil {
		if last, seen := past.Last(); seen && last.State == s.StateKind() && (!ok || last.At.Before(since)) {
			return last.At, true
		}
	}
	return since, ok
}

// fillAge tells how long a server is in its state, and whether that is too long.
func (m *Model) fillAge(row *servers.Row, s protocol.Server) {
	since, ok := m.sinceOf(s)
	if !ok {
		return
	}
	row.Since = m.clock.age(since)
	if past := m.past(s.ID); past != nil {
		last, seen := past.Last()
		row.Longer = seen && last.Missed && last.State == row.State && last.At.Equal(since)
	}
	if row.State == protocol.McpStarting {
		row.Slow = m.after(since, slowAfter)
	}
	if off, ok := m.switchedOff(s); ok {
		row.Since = m.clock.age(off)
		if m.after(off, stopsAfter) {
			row.Late, row.Asked = true, own("switched off "+m.clock.age(off).String()+" ago, and it still runs")
		}
	}
}

// after reports whether something has lasted longer than it should, and sees to
// it that the screen shows it from then on.
func (m *Model) after(since time.Time, most time.Duration) bool {
	m.clock.at(since.Add(most + time.Millisecond))
	return m.clock.now.Sub(since) > most
}

// switchedOff is since when a server is off that runs all the same; ok is false
// for others, and where nobody saw it.
func (m *Model) switchedOff(s protocol.Server) (since time.Time, ok bool) {
	past := m.past(s.ID)
	if s.On() || past == nil || s.StateKind() != protocol.McpReady && s.StateKind() != protocol.McpStarting {
		return time.Time{}, false
	}
	for _, e := range past.Events {
		switch e.Asked {
		case ahpclient.AskedDisable:
			if since.IsZero() {
				since = e.At
			}
		case ahpclient.AskedEnable:
			since = time.Time{}
		}
	}
	return since, !since.IsZero()
}

// fillAsked tells what was asked of a server that the host has not confirmed.
func (m *Model) fillAsked(row *servers.Row, about target) {
	t := m.pendingOf(about)
	if t == nil {
		return
	}
	row.Pending = true
	words := requestWords(t.Action) + ", asked " + m.clock.age(t.At).String() + " ago"
	row.Late = m.after(t.At, lateAfter)
	_, stops := t.Action.(*protocol.SessionMcpServerStopRequested)
	switch {
	case row.Late && stops:
		words += "; the host has not said that it has stopped"
	case row.Late:
		words += "; no word from the host"
	}
	row.Asked = own(words)
}

// requestWords are what an action asks of a server.
func requestWords(a protocol.Action) string {
	switch a := a.(type) {
	case *protocol.SessionMcpServerStartRequested:
		return "start"
	case *protocol.SessionMcpServerStopRequested:
		return "stop"
	case *protocol.SessionMcpServerBackgroundRequested:
		return "go on without it"
	case *protocol.SessionCustomizationToggled:
		on := len(a.Enablement) == 0 || a.Enablement[0].Enabled
		if a.Enabled != nil {
			on = *a.Enabled
		}
		if on {
			return "enable"
		}
		return "disable"
	}
	return "a change"
}

// fillPast tells how a server came into its state, where that is worth a line.
func fillPast(row *servers.Row, past *ahpclient.ServerHistory) {
	if past.Attempts > 1 && row.State == protocol.McpStarting {
		words := fmt.Sprintf("attempt %d", past.Attempts)
		if past.Failed > 0 {
			words += fmt.Sprintf(", %d failed before", past.Failed)
		}
		row.Attempt = own(words)
	}
	if past.Failed > 1 && row.State == protocol.McpError {
		row.Attempt = own(fmt.Sprintf("%d starts have failed", past.Failed))
	}
	if last, ok := past.Last(); ok && last.State == row.State && last.By.Kind == ahpclient.ByClient && last.Asked != "" {
		row.By = own(doneWords(last.Asked) + " by " + actorName(last.By))
	}
}

// hintsFor are the keys that can work on a server now.
func (m *Model) hintsFor(s protocol.Server) []safetext.Text {
	var hints []safetext.Text
	for _, id := range []keymap.ID{keymap.ServerStart, keymap.ServerStop, keymap.ServerRestart, keymap.ServerToggle, keymap.ServerBackground, keymap.ServerDoctor} {
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

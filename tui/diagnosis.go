package tui

import (
	"errors"
	"slices"
	"strings"
	"time"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/doctor"
)

// The steps from the connection to a server that is ready.
const (
	atConnection = iota
	atSwitch
	atStart
	atSignIn
	atToken
	atHandover
	atReady
	diagnosisSteps
)

// examination puts a report together: up to a step all is well, and there it says
// what is not.
type examination struct {
	m      *Model
	srv    protocol.Server
	since  time.Time // of the server's state; zero: not known
	past   *ahpclient.ServerHistory
	key    auth.Key // of what it needs, or needed; without a resource: nothing is known
	report doctor.Report
}

// report is the diagnosis of a server, made of what the client and the broker know.
func (m *Model) report(srv protocol.Server) doctor.Report {
	e := &examination{m: m, srv: srv, past: m.past(srv.ID)}
	e.since, _ = m.sinceOf(srv)
	resource := m.mcp.needs[target{m.current.session, srv.ID}].resource
	if m.conn.Auth != nil && resource != "" {
		e.key = auth.Key{Host: m.conn.Identity.ID, Resource: resource}
	}
	e.report.Server = clean(srv.Name)
	for _, name := range []safetext.Text{
		safetext.Const("connection to the host"), safetext.Const("switched on"), safetext.Const("start"), safetext.Const("sign-in"),
		safetext.Const("token"), safetext.Const("token handed to the host"), safetext.Const("ready"),
	} {
		e.report.Steps = append(e.report.Steps, doctor.Step{Name: name})
	}
	e.examine()
	e.facts()
	var keys []string
	for _, hint := range m.hintsFor(srv) {
		if hint.String() != m.keyName(keymap.ServerDoctor).String()+" "+m.keys.Binding(keymap.ServerDoctor).Short {
			keys = append(keys, hint.String())
		}
	}
	if len(keys) > 0 {
		e.can(strings.Join(keys, " "+m.theme.Signs.Bullet+" "))
	}
	return e.report
}

// stops says that all steps before one are done, and how that one stands.
func (e *examination) stops(at int, state doctor.State, since time.Time, words string) {
	for i := range at {
		e.report.Steps[i].State = doctor.Done
	}
	if at > atToken && e.key.Resource == "" {
		for i := atSignIn; i < atReady; i++ {
			e.report.Steps[i].State = doctor.Skipped
		}
	}
	s := &e.report.Steps[at]
	s.State, s.Words = state, own(words)
	if !since.IsZero() {
		s.Since = e.m.clock.age(since)
	}
	switch state {
	case doctor.Stuck:
		e.report.Verdict = safetext.Concat(safetext.Const("stuck at: "), s.Name)
	case doctor.Failed:
		e.report.Verdict = safetext.Concat(safetext.Const("failed at: "), s.Name)
	case doctor.Current:
		e.report.Verdict = safetext.Concat(safetext.Const("under way: "), s.Name)
	case doctor.Done:
		e.report.Verdict = safetext.Const("nothing is stuck")
	case doctor.Ahead, doctor.Skipped:
	}
}

func (e *examination) next(words string) { e.report.Next = own(words) }

func (e *examination) can(words string) { e.report.Can = append(e.report.Can, own(words)) }

// examine finds the step that it has come to.
func (e *examination) examine() {
	c := e.m.view.Connection
	switch {
	case e.m.stale():
		words := "what is shown is of before"
		if c.Err != nil {
			words = c.Err.Error()
		}
		e.stops(atConnection, doctor.Stuck, c.Since, words)
		e.next("nothing")
		if !c.Retry.IsZero() {
			e.next("another attempt to connect, " + e.m.soon(c.Retry))
		}
		e.can(e.m.keyName(keymap.HostRefresh).String() + " in a panel tries at once")
	case e.m.staleSession():
		e.stops(atConnection, doctor.Current, c.Since, "the host has not sent the session's state yet")
		e.next("the state comes, and with it what has changed meanwhile")
	case !e.srv.Effective():
		e.switchedOff()
	default:
		e.runtime()
	}
}

// switchedOff is about a server that is not wanted.
func (e *examination) switchedOff() {
	words := "it is off by decision: " + e.m.decisionsOf(e.srv)
	if c := e.srv.Container; e.srv.On() && c != nil {
		words = "it is off because " + c.Name + " is"
	}
	if off, ok := e.m.switchedOff(e.srv); ok {
		e.stops(atSwitch, doctor.Current, off, words+"; the host has not stopped it yet")
		e.next("the host stops it; nothing here can make it")
		return
	}
	e.stops(atSwitch, doctor.Stuck, e.since, words)
	e.next("nothing, as long as it is off")
}

// runtime is about a server that is wanted.
func (e *examination) runtime() {
	if t := e.m.pendingOf(target{e.m.current.session, e.srv.ID}); t != nil {
		state, words := doctor.Current, "you asked for: "+requestWords(t.Action)+"; the host has not confirmed it"
		if e.m.after(t.At, lateAfter) {
			state = doctor.Stuck
		}
		e.stops(atStart, state, t.At, words)
		e.next("if the host says nothing to it, its state is asked for anew")
		return
	}
	switch e.srv.StateKind() {
	case protocol.McpReady:
		e.stops(atReady, doctor.Done, e.since, "")
		e.ready()
	case protocol.McpStarting:
		e.starting()
	case protocol.McpAuthRequired:
		e.access()
	case protocol.McpError:
		fault := e.m.roster.faults[e.srv.ID]
		words := "the host says that it has failed"
		if fault != protocol.FaultUnknown {
			words = fault.Words()
		}
		e.stops(atStart, doctor.Failed, e.since, words)
		if err := e.srv.State.Error; err != nil {
			e.report.Raw = safetext.CleanBlock(err.Message, 4*maxField)
		}
		e.next("nothing, unless the host tries by itself")
		e.can(fault.Remedy())
	case protocol.McpStopped:
		words := "it is stopped"
		if e.past != nil {
			if last, ok := e.past.Last(); ok {
				words = eventWords(last)
			}
		}
		e.stops(atStart, doctor.Stuck, e.since, words)
		e.next("nothing, unless the host starts it by itself")
	default:
		e.stops(atStart, doctor.Current, e.since, "the host says “"+string(e.srv.StateKind())+"”, which is not known here")
	}
}

// ready is about a server that runs: it may be of no use all the same.
func (e *examination) ready() {
	e.next("nothing: it waits for calls")
	if known, tools := e.m.mcp.tools.of(e.srv.Channel); known && tools.count == 0 {
		e.report.Verdict = safetext.Const("it is ready, and offers no tools")
		e.report.Steps[atReady].Words = safetext.Const("asked for its tools, it lists none: look at its configuration")
		e.next("it is asked for its tools again")
	}
}

// starting is about a start that is under way.
func (e *examination) starting() {
	words := "the host starts it"
	state := doctor.Current
	if e.past != nil && e.past.Attempts > 1 {
		words += ", " + startWords(e.past) + " so far"
	}
	if e.srv.Blocks() {
		words += "; messages wait for it"
	}
	if !e.since.IsZero() && e.m.after(e.since, slowAfter) {
		state = doctor.Stuck
		words += "; it has not said how that went, and need not"
	}
	e.stops(atStart, state, e.since, words)
	e.next("the host says how the start went; nothing here ends it")
}

// access is about a server that waits for a sign-in.
func (e *examination) access() {
	m := e.m
	a, _ := m.accessOfServer(e.srv)
	if m.conn.Auth == nil {
		e.stops(atSignIn, doctor.Stuck, e.since, "it needs a sign-in, which is not possible on this connection")
		return
	}
	c, err := m.challenge(a)
	if err != nil {
		e.stops(atSignIn, doctor.Failed, e.since, "what the host says of it cannot be answered: "+err.Error())
		e.next("nothing")
		e.can("Tell whoever runs the host: what it sends about the sign-in is not usable.")
		return
	}
	e.key = c.Key()
	e.report.Next = safetext.Const("nothing: it waits for you")
	grant := m.keyName(keymap.AccessGrant).String()
	if s := m.signIn; s != nil && s.challenge.Key() == e.key {
		e.signingIn(s, grant)
		return
	}
	answer := m.handovers.answers[e.key]
	if until, waits := m.handovers.waiting[e.key]; waits && m.clock.now.Before(until) {
		e.stops(atHandover, doctor.Current, answer.at, "the host has the token, and has not gone on yet")
		e.next("what is held is looked at again, " + m.soon(until))
		return
	}
	scopes, held := m.conn.Auth.Held(e.key)
	ends, _ := m.conn.Auth.Ends(e.key)
	missing := slices.DeleteFunc(slices.Clone(c.RequiredScopes), func(s string) bool { return slices.Contains(scopes, s) })
	switch {
	case answer.err != nil:
		e.stops(atHandover, doctor.Failed, answer.at, "the host did not take the token: "+answer.err.Error())
	case answer.why != nil && !errors.Is(answer.why, auth.ErrNoToken) && !errors.Is(answer.why, auth.ErrTooFewScopes):
		e.stops(atToken, doctor.Stuck, e.since, answer.why.Error())
	case held && scopes != nil && len(missing) > 0:
		e.stops(atToken, doctor.Stuck, e.since, "the token that is held lacks "+strings.Join(missing, " "))
	case held && !ends.IsZero() && !m.clock.now.Before(ends):
		e.stops(atToken, doctor.Stuck, ends, "the token that is held has ended")
	case held:
		e.stops(atHandover, doctor.Stuck, e.since, "a token is held, and the host asks all the same")
	default:
		e.stops(atSignIn, doctor.Stuck, e.since, reasonWords(string(c.Reason)).String()+"; nobody has signed in from here")
	}
	e.can(grant + " signs in")
}

// signingIn is about a sign-in that is under way.
func (e *examination) signingIn(s *signIn, grant string) {
	m := e.m
	at := atSignIn
	since := s.began
	if s.grant != nil {
		at = atHandover
	}
	if !s.handed.IsZero() {
		since = s.handed
	}
	switch {
	case s.failure != nil:
		e.stops(at, doctor.Failed, since, stepWords(s.failure.Step).String()+": "+s.failure.Err.Error())
		if s.failure.Remedy != "" {
			e.can(s.failure.Remedy)
		}
	case !s.handed.IsZero():
		e.stops(at, doctor.Current, since, s.progress)
		e.next("the host goes on; it is said to be stuck if it does not, " + m.soon(s.heard.Add(auth.HostPatience)))
	case s.consent != nil:
		e.stops(at, doctor.Stuck, since, "it waits for your yes")
	default:
		e.stops(at, doctor.Current, since, s.progress)
		e.next("the token is handed to the host as soon as you have signed in")
	}
	e.can(grant + " shows the sign-in")
}

// facts are what is known of the token.
func (e *examination) facts() {
	if e.key.Resource == "" {
		return
	}
	m := e.m
	fact := func(name safetext.Text, words string) {
		if words != "" {
			e.report.Facts = append(e.report.Facts, doctor.Fact{Name: name, Words: own(words)})
		}
	}
	fact(safetext.Const("resource"), safetext.URL(e.key.Resource).Text().String())
	if r := e.srv.State.Requirement(); r != nil {
		fact(safetext.Const("asks for"), strings.Join(r.RequiredScopes, " "))
	}
	scopes, held := m.conn.Auth.Held(e.key)
	if !held {
		fact(safetext.Const("token"), "none is held")
	} else {
		fact(safetext.Const("token"), m.tokenWords(e.key, scopes))
	}
	fact(safetext.Const("asked for last"), strings.Join(m.lastAsked(e.key.Resource), " "))
	for _, r := range m.view.Auth {
		if r.Resource.Resource == e.key.Resource && !r.Handed.IsZero() {
			fact(safetext.Const("handed over"), m.clock.age(r.Handed).String()+" ago, and the host took it")
		}
	}
	if answer := m.handovers.answers[e.key]; answer.err != nil {
		fact(safetext.Const("the host's answer"), m.clock.age(answer.at).String()+" ago: "+answer.err.Error())
	}
	if ends, renews := m.conn.Auth.Ends(e.key); held && renews && m.clock.now.Before(ends) && e.srv.StateKind() == protocol.McpReady {
		e.next("the token is refreshed before it ends, and handed over")
	}
}

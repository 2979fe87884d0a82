package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/authflow"
	"ahptui/views/status"
)

// The steps that come after those of a flow.
const (
	stepHandOver auth.Step = "authenticate" // the host is given the token
	stepHost     auth.Step = "host"         // the host goes on with it
)

// signIn is a sign-in from the key that began it until what waited goes on. From
// the token on it can go on without its window.
type signIn struct {
	access    access
	challenge auth.Challenge
	by        auth.Method // that the person wants from the start; empty: the flow chooses
	flow      *auth.Flow
	began     time.Time

	consent  *auth.NeedConsent // the question that is open
	answer   auth.Answer       // to it, as the person has put it together so far
	reach    *auth.NeedReach   // another one
	ready    time.Time         // from when on it can be answered; zero: it is not on the screen
	hasty    bool              // it was answered before that
	eager    bool              // a yes was typed before the question was there
	last     *auth.NeedConsent // the latest one, for what it told
	way      way
	why      error // why what is held does not do
	kept     error // why something is not kept
	excepted []auth.Exception
	// requested are the scopes that are asked for, where no question told them. Until
	// an address does they are at least what is required.
	requested []string
	progress  string
	failure   *auth.Failure
	notice    safetext.Text
	remote    bool // a browser of this machine is of no use

	grant  *auth.Grant // the token; nil: there is none, or the host does not want it
	handed time.Time   // when the host took the token; zero: it has not
	heard  time.Time   // since when the host has said nothing to it
	moved  bool        // the host has begun to do something with it
}

// way is how the sign-in goes on once it was agreed to.
type way struct {
	method  auth.Method
	methods []auth.Method // that can be gone over to
	url     string
	waiting *auth.Waiting  // the browser is waited for
	code    *auth.UserCode // the code that is typed somewhere is waited for
	scan    bool           // it is shown for a camera
}

// grantRecord is what was granted to something, and when.
type grantRecord struct {
	resource string
	scopes   []string
	at       time.Time
}

// maxGranted bounds the records.
const maxGranted = 64

// flowMsg brings an event of a flow; without one, there are no more.
type flowMsg struct {
	signIn *signIn
	flow   *auth.Flow
	n      int
	event  auth.Event
}

// handedMsg tells whether the host took the token.
type handedMsg struct {
	signIn *signIn
	err    error
}

// openedMsg tells whether the browser opened when it was asked to once more.
type openedMsg struct {
	signIn *signIn
	err    error
}

// beginSignIn starts a flow and shows it.
func (m *Model) beginSignIn(a access, c auth.Challenge) tea.Cmd { return m.beginSignInBy("", a, c) }

// beginSignInBy is beginSignIn by a way that the person has chosen already.
func (m *Model) beginSignInBy(by auth.Method, a access, c auth.Challenge) tea.Cmd {
	if m.signIn != nil {
		m.endSignIn(m.signIn)
	}
	m.signIn = &signIn{access: a, challenge: c, by: by, began: m.clock.now}
	m.showSignIn(m.signIn)
	return m.startFlow(m.signIn)
}

func (m *Model) startFlow(s *signIn) tea.Cmd {
	s.consent, s.reach, s.last, s.way, s.notice = nil, nil, nil, way{}, safetext.Text{}
	s.why, s.kept, s.excepted = nil, nil, nil
	s.progress, s.requested = "starting", s.challenge.RequiredScopes
	s.flow = m.conn.Auth.StartBy(m.link.ctx, s.by, s.challenge)
	return m.nextEvent(s, 0)
}

// nextEvent waits for an event of a flow.
func (m *Model) nextEvent(s *signIn, n int) tea.Cmd {
	flow := s.flow
	return m.link.do(func(ctx context.Context) tea.Msg {
		event, _ := flow.Event(ctx, n)
		return flowMsg{s, flow, n, event}
	})
}

// flowEvent takes an event of a flow.
func (m *Model) flowEvent(msg flowMsg) tea.Cmd {
	s := msg.signIn
	if msg.event == nil || s != m.signIn || s.flow != msg.flow {
		return nil
	}
	if _, late := msg.event.(auth.NotOpened); !late { // it says nothing of what is asked for
		m.closeForms(s)
		s.consent, s.reach, s.ready, s.hasty = nil, nil, time.Time{}, false
	}
	if cmd, over := m.flowTurn(s, msg.event); over {
		return cmd
	}
	return m.nextEvent(s, msg.n+1)
}

// flowTurn takes an event that ends a flow, or that a person has a part in; over is
// true when it was the last.
func (m *Model) flowTurn(s *signIn, event auth.Event) (cmd tea.Cmd, over bool) {
	switch e := event.(type) {
	case auth.NeedConsent:
		s.consent, s.last, s.answer = &e, &e, auth.Answer{Yes: true, Register: s.answer.Register}
		if s.eager && m.plain(s) {
			m.agree(s)
		}
	case auth.NeedReach:
		s.reach = &e
	case auth.NeedClient:
		m.askClient(s, e)
	case auth.NeedToken:
		m.askToken(s, e)
	case auth.Done:
		s.grant, s.way = &e.Grant, way{}
		return m.handOver(s), true
	case auth.Failed:
		return m.flowFailed(s, e.Failure), true
	default:
		s.follow(event)
	}
	return nil, false
}

// follow notes how far a flow is.
func (s *signIn) follow(event auth.Event) {
	switch e := event.(type) {
	case auth.Discovering:
		s.progress = "finding out who signs people in"
	case auth.Refreshing:
		s.progress = "getting a newer token, without you"
	case auth.PersonNeeded:
		s.why = e.Why
	case auth.NotKept:
		s.kept = e.Err
	case auth.Excepted:
		s.excepted = e.Exceptions
	case auth.Chosen:
		s.way = way{method: e.Method, methods: e.Methods}
		s.progress = "asking the authorization server"
	case auth.Registering:
		s.progress = "making this program known there"
	case auth.Supplying:
		s.progress = "fetching the token from " + e.From
	case auth.UserCode:
		s.way.code, s.way.url = &e, e.VerificationURI
		s.progress = "waiting for you to type the code, on any machine"
	case auth.OpenURL:
		s.way.url, s.requested = e.URL, scopesIn(e.URL)
		s.progress = "opening the browser"
	case auth.Waiting:
		s.way.waiting = &e
		s.progress = "waiting for you to sign in, in the browser"
		if s.way.method == auth.ByPaste {
			s.progress = "waiting for the address at which the browser ends"
		}
	case auth.NotOpened:
		s.notOpened(e.Err)
	case auth.Exchanging: // there is nothing to be opened any more
		s.way = way{method: s.way.method, methods: s.way.methods}
		s.progress = "signed in; fetching the token"
	}
}

// notOpened says that the person has to open the address.
func (s *signIn) notOpened(why error) {
	s.remote = errors.Is(why, auth.ErrRemote) || errors.Is(why, auth.ErrNoDisplay)
	s.notice = own("open the address yourself: " + why.Error())
}

// flowFailed shows why.
func (m *Model) flowFailed(s *signIn, f *auth.Failure) tea.Cmd {
	if errors.Is(f, auth.ErrNever) {
		m.tell(status.Info, m.conn.Name+" is not to ask for "+askedFor(s.challenge)+" any more; grant it yourself if you want to after all")
		m.endSignIn(s)
		return nil
	}
	s.failure = f
	return nil
}

// handOver gives the token to the host.
func (m *Model) handOver(s *signIn) tea.Cmd {
	s.progress = "handing the token to the host"
	grant, host, broker := *s.grant, m.conn.Host, m.conn.Auth
	return m.link.do(func(ctx context.Context) tea.Msg {
		return handedMsg{s, handToHost(ctx, host, broker, grant)}
	})
}

// handedOver notes that the host has the token, or why not. From here on the
// host's state tells what comes of it.
func (m *Model) handedOver(msg handedMsg) {
	s := msg.signIn
	if s != m.signIn {
		return
	}
	m.handovers.answered(s.challenge.Key(), answered{at: m.clock.now, err: msg.err})
	if msg.err != nil {
		m.notHanded(s, msg.err)
		return
	}
	s.handed, s.heard = m.clock.now, m.clock.now
	s.progress = "the host has the token; waiting for it to go on"
}

// notHanded tells why the host does not have the token. One that did not arrive
// is kept for another attempt.
func (m *Model) notHanded(s *signIn, err error) {
	s.failure = &auth.Failure{
		Step: stepHandOver, Err: err,
		Remedy: "The token is kept: once the host is connected again, try again, and no second sign-in is needed.",
	}
	if _, refused := errors.AsType[refusedError](err); refused {
		s.failure.Remedy = "The host did not take the token: sign in again, or look into the host's log."
		s.grant = nil
	}
}

// watchSignIn looks at what has become of the thing that waits.
func (m *Model) watchSignIn() tea.Cmd {
	s := m.signIn
	if s == nil {
		return nil
	}
	if m.shown(s) != nil && s.failure == nil {
		m.clock.age(s.began) // the window tells it
	}
	if !m.certain(s.access) {
		s.heard = m.clock.now // a silence that the connection explains does not count
		return nil
	}
	now, waits := m.still(s.access)
	switch {
	case !waits && s.grant != nil:
		m.record(s.access.target(), s.grant)
		m.tellChoice()
		a := s.access
		m.endSignIn(s)
		return m.errandAdvances(a)
	case !waits:
		if m.shown(s) != nil {
			m.tell(status.Info, s.access.name()+" does not wait for access any more")
		}
		m.endSignIn(s)
	case !s.handed.IsZero():
		m.watchHost(s, now)
	}
	return nil
}

// watchHost looks at what the host does with the token.
func (m *Model) watchHost(s *signIn, now access) {
	silentUntil := s.heard.Add(auth.HostPatience)
	switch {
	case now.requirement == nil:
		s.moved, s.failure = true, nil
		s.progress = "the host has the token; the server starts"
	case s.moved, !sameRequirement(now.requirement, s.access.requirement):
		why := reasonWords(now.requirement.Reason).String() + " " + strings.Join(now.requirement.RequiredScopes, " ")
		s.failure = &auth.Failure{
			Step: stepHost, Err: errors.New("the host has the token and asks again: " + strings.TrimSpace(why)),
			Remedy: "Grant what it asks for now.",
		}
	case s.failure != nil:
	case m.clock.now.Before(silentUntil):
		m.clock.at(silentUntil)
	default:
		s.failure = &auth.Failure{
			Step: stepHost, Err: fmt.Errorf("the host took the token and has done nothing with it for %v", auth.HostPatience),
			Remedy: "Wait for it, restart the server, or try again.",
		}
	}
}

// sameRequirement reports whether two requirements ask for the same.
func sameRequirement(a, b *protocol.McpAuthRequirement) bool {
	return a == b || a.Reason == b.Reason && slices.Equal(a.RequiredScopes, b.RequiredScopes) &&
		a.Resource != nil && b.Resource != nil && a.Resource.Resource == b.Resource.Resource
}

// record notes what was granted.
func (m *Model) record(t target, g *auth.Grant) {
	m.granted[t] = grantRecord{g.Resource, g.Scopes, m.clock.now}
	for len(m.granted) > maxGranted {
		oldest := t
		for other, r := range m.granted {
			if r.at.Before(m.granted[oldest].at) {
				oldest = other
			}
		}
		delete(m.granted, oldest)
	}
}

// shown is the window of a sign-in, nil if it has none.
func (m *Model) shown(s *signIn) *signInOverlay {
	for _, o := range m.overlays {
		if window, ok := o.(*signInOverlay); ok && window.signIn == s {
			return window
		}
	}
	return nil
}

func (m *Model) showSignIn(s *signIn) {
	if m.shown(s) == nil {
		m.push(&signInOverlay{view: authflow.New(m.theme), signIn: s})
	}
}

// leaveSignIn closes the window of a sign-in. A flow is given up by that. What is
// with the host goes on there, and why something failed stays beside it.
func (m *Model) leaveSignIn(s *signIn) {
	if s.handed.IsZero() {
		m.dropErrand(s.access)
	}
	if s.grant == nil && s.failure == nil {
		if s.consent != nil { // who goes away says no
			s.flow.Answer(s.consent.Question, auth.Answer{})
		}
		m.endSignIn(s)
	} else if window := m.shown(s); window != nil {
		m.remove(window)
	}
}

// endSignIn ends a sign-in and closes the window that shows it.
func (m *Model) endSignIn(s *signIn) {
	s.flow.Cancel()
	m.closeForms(s)
	if window := m.shown(s); window != nil {
		m.remove(window)
	}
	if m.signIn == s {
		m.signIn = nil
	}
}

// progressOf is what goes on for something that waits, or why the last attempt
// failed.
func (m *Model) progressOf(t target) (progress, failure safetext.Text) {
	s := m.signIn
	switch {
	case s == nil || s.access.target() != t:
	case s.failure != nil:
		return safetext.Text{}, safetext.Concat(stepWords(s.failure.Step), safetext.Const(": "), own(s.failure.Err.Error()))
	default:
		return own(s.progress), safetext.Text{}
	}
	return safetext.Text{}, safetext.Text{}
}

// grantWords is the record of a grant, "" for none.
func (m *Model) grantWords(t target) safetext.Text {
	r, ok := m.granted[t]
	if !ok {
		return safetext.Text{}
	}
	what := "access"
	if len(r.scopes) > 0 {
		what = strings.Join(r.scopes, " ")
	}
	return own("you granted " + what)
}

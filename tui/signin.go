package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/authflow"
)

// hostPatience is how long a host may say nothing after it took a token.
const hostPatience = 15 * time.Second

// signIn is a sign-in from the key that began it until what waited goes on.
type signIn struct {
	access    access
	challenge auth.Challenge
	flow      *auth.Flow
	began     time.Time

	consent  *auth.NeedConsent // the question that is open
	reach    *auth.NeedReach   // another one
	last     *auth.NeedConsent // the latest one, for what it told
	url      string
	progress string
	failure  *auth.Failure
	notice   safetext.Text

	granted []string  // the scopes that were granted
	handed  time.Time // when the host took the token; zero: it has not
}

// grantRecord is what was granted to something, and when.
type grantRecord struct {
	scopes []string
	at     time.Time
}

// flowMsg brings an event of a sign-in; without one, there are no more.
type flowMsg struct {
	signIn *signIn
	n      int
	event  auth.Event
}

// handedMsg tells whether the host took the token.
type handedMsg struct {
	signIn *signIn
	err    error
}

// beginSignIn starts a flow and shows it. What was asked for by another key
// press and still runs is shown again.
func (m *Model) beginSignIn(a access, c auth.Challenge) tea.Cmd {
	m.signIn = &signIn{access: a, challenge: c, began: m.clock.now, progress: "starting"}
	m.signIn.flow = m.conn.Auth.Start(m.link.ctx, c)
	m.push(&signInOverlay{view: authflow.New(m.theme), signIn: m.signIn})
	return m.nextEvent(m.signIn, 0)
}

// nextEvent waits for an event of a flow.
func (m *Model) nextEvent(s *signIn, n int) tea.Cmd {
	return m.link.do(func(ctx context.Context) tea.Msg {
		event, _ := s.flow.Event(ctx, n)
		return flowMsg{s, n, event}
	})
}

// flowEvent takes an event of a flow.
func (m *Model) flowEvent(msg flowMsg) tea.Cmd {
	s := msg.signIn
	if msg.event == nil || s != m.signIn {
		return nil
	}
	s.consent, s.reach = nil, nil
	switch e := msg.event.(type) {
	case auth.Discovering:
		s.progress = "finding out who signs people in"
	case auth.NeedConsent:
		s.consent, s.last = &e, &e
	case auth.NeedReach:
		s.reach = &e
	case auth.Registering:
		s.progress = "making this program known there"
	case auth.OpenURL:
		s.url = e.URL
		s.progress = "opening the browser"
	case auth.Waiting:
		s.progress = "waiting for you to sign in, in the browser"
	case auth.NotOpened:
		s.notice = own("open the address yourself: " + e.Err.Error())
	case auth.Exchanging:
		s.progress = "signed in; fetching the token"
	case auth.Done:
		return m.handOver(s, e.Grant)
	case auth.Failed:
		m.signInFailed(s, e.Failure)
		return nil
	}
	return m.nextEvent(s, msg.n+1)
}

// signInFailed shows why, or closes what the person has left.
func (m *Model) signInFailed(s *signIn, f *auth.Failure) {
	if errors.Is(f, auth.ErrCancelled) || errors.Is(f, auth.ErrDeclined) {
		m.endSignIn(s)
		return
	}
	s.failure = f
}

// handOver gives the token to the host.
func (m *Model) handOver(s *signIn, grant auth.Grant) tea.Cmd {
	s.progress = "handing the token to the host"
	s.granted = grant.Scopes
	host := m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
		return handedMsg{s, host.Authenticate(ctx, grant.Params(time.Now()))}
	})
}

// handedOver notes that the host has the token, or why not. From here on the
// host's state tells what comes of it.
func (m *Model) handedOver(msg handedMsg) {
	s := msg.signIn
	if s != m.signIn {
		return
	}
	if msg.err != nil {
		s.failure = &auth.Failure{Step: "authenticate", Err: msg.err, Remedy: "The host did not take the token: try again, or look into its log."}
		return
	}
	s.handed = m.clock.now
	s.progress = "the host has the token; waiting for it to go on"
	m.watchGrant()
}

// watchGrant looks at what became of the thing that waited, after the host took
// the token.
func (m *Model) watchGrant() {
	s := m.signIn
	if s == nil || s.handed.IsZero() || s.failure != nil {
		return
	}
	now, waits := m.still(s.access)
	switch {
	case !waits:
		m.conn.Auth.Settle(s.challenge)
		m.granted[s.access.target()] = grantRecord{s.granted, m.clock.now}
		m.endSignIn(s)
	case now != nil && !sameRequirement(now, s.access.requirement):
		s.failure = &auth.Failure{Step: "host", Err: errors.New("the host asks again: " + reasonWords(now.Reason).String()), Remedy: "Close this and grant what it asks for now."}
	case m.clock.now.Sub(s.handed) > hostPatience:
		s.failure = &auth.Failure{Step: "host", Err: errors.New("the host took the token and has done nothing with it"), Remedy: "Restart the server, or try again."}
	default:
		m.clock.at(s.handed.Add(hostPatience + time.Millisecond))
	}
}

// sameRequirement reports whether two requirements ask for the same.
func sameRequirement(a, b *protocol.McpAuthRequirement) bool {
	return a == b || a.Reason == b.Reason && strings.Join(a.RequiredScopes, " ") == strings.Join(b.RequiredScopes, " ") &&
		a.Resource != nil && b.Resource != nil && a.Resource.Resource == b.Resource.Resource
}

// endSignIn closes a sign-in and the window that shows it.
func (m *Model) endSignIn(s *signIn) {
	s.flow.Cancel()
	for _, o := range m.overlays {
		if shown, ok := o.(*signInOverlay); ok && shown.signIn == s {
			m.remove(o)
			break
		}
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
		return safetext.Text{}, own(s.failure.Error())
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

// signInOverlay is the window of a sign-in.
type signInOverlay struct {
	view   *authflow.Model
	signIn *signIn
}

func (o *signInOverlay) context() keymap.Context { return keymap.Overlay }

func (o *signInOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	s := o.signIn
	switch id, _ := m.keys.Match(key, keymap.Overlay); id {
	case keymap.OverlayClose:
		m.endSignIn(s)
	case keymap.OverlayAccept:
		return m.goOn(s)
	case keymap.AccessCopy:
		if s.url != "" {
			s.notice = safetext.Const("copied")
			return tea.SetClipboard(s.url)
		}
	case keymap.AccessOpen:
		return m.openAgain(s)
	case keymap.AppHelp:
		m.push(newHelp(m))
	default:
		moveIn(o.view, id)
	}
	return nil
}

// goOn says yes to the question that is open, or begins anew after a failure.
func (m *Model) goOn(s *signIn) tea.Cmd {
	switch {
	case s.consent != nil:
		s.flow.Answer(s.consent.Question, auth.Answer{Yes: true})
		s.consent = nil
	case s.reach != nil:
		s.flow.Answer(s.reach.Question, auth.Answer{Yes: true})
		s.reach = nil
	case s.failure != nil:
		m.endSignIn(s)
		if requirement, waits := m.still(s.access); waits && requirement != nil {
			a := s.access
			a.requirement = requirement
			if c, err := auth.NewChallenge(m.conn.Identity, a.source(), requirement); err == nil {
				return m.beginSignIn(a, c)
			}
		}
	}
	return nil
}

// openAgain opens the browser once more.
func (m *Model) openAgain(s *signIn) tea.Cmd {
	if s.url == "" || m.conn.Opener == nil {
		return nil
	}
	s.notice = safetext.Const("opening the browser once more")
	opener, url := m.conn.Opener, s.url
	return m.link.do(func(ctx context.Context) tea.Msg {
		_ = opener.Open(ctx, url) // the address is on the screen all the same
		return nil
	})
}

func (o *signInOverlay) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(m.signInInput(o.signIn)), nil)
}

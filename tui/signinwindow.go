package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/authflow"
	"ahptui/views/frame"
)

// signInOverlay is the window of a sign-in.
type signInOverlay struct {
	view   *authflow.Model
	signIn *signIn
}

func (o *signInOverlay) context() keymap.Context { return keymap.Overlay }

func (o *signInOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	s := o.signIn
	if paste, ok := msg.(tea.PasteMsg); ok {
		m.pasteAnswer(s, paste.Content)
		return nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	id, _ := m.keys.Match(key, keymap.Overlay)
	if s.failure != nil {
		if by, ok := methodOf(id); ok && slices.Contains(s.way.methods, by) {
			return m.retryBy(by, s)
		}
	} else if m.chooseIn(s, id) {
		return nil
	}
	switch id {
	case keymap.OverlayClose:
		m.leaveSignIn(s)
	case keymap.OverlayAccept:
		return m.goOn(s)
	case keymap.AccessCopy:
		if s.way.url != "" {
			s.notice = safetext.Const("copied")
			return tea.SetClipboard(s.way.url)
		}
	case keymap.AccessTunnel:
		if w := s.way.waiting; w != nil && w.Tunnel != "" {
			s.notice = safetext.Const("the command is copied")
			return tea.SetClipboard(w.Tunnel)
		}
	case keymap.AccessOpen:
		return m.openAgain(s)
	case keymap.AccessDecline:
		m.decline(s)
	case keymap.KeepTokens:
		if m.whyNoStorage().Empty() {
			m.askStorage()
		}
	case keymap.AppHelp:
		m.push(newHelp(m))
	default:
		moveIn(o.view, id)
	}
	return nil
}

// chooseIn takes a key that changes how a sign-in is done; done is false when it is
// no such key.
func (m *Model) chooseIn(s *signIn, id keymap.ID) (done bool) {
	if by, ok := methodOf(id); ok {
		m.goBy(s, by)
		return true
	}
	switch id {
	case keymap.AccessScopes:
		m.narrow(s)
	case keymap.AccessIssuer:
		m.nextIssuer(s)
	case keymap.AccessRegister:
		m.registerAgain(s)
	case keymap.AccessNever:
		m.never(s)
	case keymap.AccessScan:
		s.way.scan = !s.way.scan && s.way.url != ""
	default:
		return false
	}
	return true
}

// methodOf is the way that a key chooses.
func methodOf(id keymap.ID) (by auth.Method, ok bool) {
	for _, by := range []auth.Method{auth.ByBrowser, auth.ByDevice, auth.ByPaste, auth.ByToken} {
		if methodKey(by) == id {
			return by, true
		}
	}
	return "", false
}

// goBy goes over to another way, or has the consent be for it.
func (m *Model) goBy(s *signIn, to auth.Method) {
	switch {
	case s.consent != nil && slices.Contains(s.consent.Methods, to):
		s.answer.Method, s.notice = to, own("by "+methodWords(to)+", once you allow it")
	case s.consent == nil && to == s.way.method && s.way.url != "":
		s.notice = own("it is by " + methodWords(to) + " already")
	case s.consent == nil && s.flow.Switch(to):
		s.way, s.notice = way{method: to, methods: s.way.methods}, safetext.Text{}
		s.progress = "going over to " + methodWords(to)
	default:
		s.notice = own(methodWords(to) + " is not possible here now")
	}
}

// nextIssuer has the flow look at another authorization server. It then asks about
// that one: this is no consent.
func (m *Model) nextIssuer(s *signIn) {
	if s.consent == nil || len(s.consent.Issuers) < 2 {
		s.notice = safetext.Const("there is no other authorization server to choose")
		return
	}
	all := s.consent.Issuers
	next := all[(slices.Index(all, s.consent.Issuer)+1)%len(all)]
	s.flow.Answer(s.consent.Question, auth.Answer{Yes: true, Issuer: next})
	s.consent, s.progress = nil, "finding out who signs people in"
}

// registerAgain has this program made known anew: at once, or with the consent.
func (m *Model) registerAgain(s *signIn) {
	switch {
	case s.consent != nil && s.consent.Client == auth.ClientRegistered:
		s.answer.Register = !s.answer.Register
		s.notice = clientWords(auth.ClientRegistered, s.answer.Register)
	case s.consent == nil && s.flow.RegisterAgain():
		s.way, s.progress = way{method: s.way.method, methods: s.way.methods}, "making this program known there anew"
	default:
		s.notice = safetext.Const("this program is not registered there by itself")
	}
}

// never has the host not ask for it any more.
func (m *Model) never(s *signIn) {
	if s.consent == nil {
		s.notice = safetext.Const("there is nothing asked that you could refuse for good now")
		return
	}
	s.flow.Answer(s.consent.Question, auth.Answer{Never: true})
	s.consent, s.progress = nil, "noting that"
}

// decline gives up the call that waits, with its sign-in.
func (m *Model) decline(s *signIn) {
	if s.access.call == nil || s.access.call.Status != protocol.ToolAuthRequired {
		s.notice = safetext.Const("no call waits for it that could be given up")
		return
	}
	call := s.access.call
	if !m.dispatch(s.access.chat, protocol.CancelCall(s.access.turnID, call), asked{what: "cancel " + call.DisplayName, about: call.ToolCallID, was: string(call.Status)}) {
		return
	}
	m.leaveSignIn(s)
}

// agree says yes to the open question, as it was put together.
func (m *Model) agree(s *signIn) {
	s.flow.Answer(s.consent.Question, s.answer)
	s.consent = nil
}

// goOn says yes to the question that is open, opens a field for the answer of a
// browser elsewhere, or begins anew after a failure.
func (m *Model) goOn(s *signIn) tea.Cmd {
	switch {
	case s.asks() && !m.plain(s) && !m.mayConsent(s):
	case !s.asks() && s.failure == nil && s.way.method == "":
		s.eager = true
	case s.consent != nil:
		m.agree(s)
	case s.reach != nil:
		s.flow.Answer(s.reach.Question, auth.Answer{Yes: true})
		s.reach = nil
	case s.failure != nil:
		return m.retry(s)
	case s.way.waiting != nil:
		m.openPaste(s, "", safetext.Text{})
	}
	return nil
}

// reading is how long a question has to be on the screen. One that follows upon
// the key that asked for it is what the person waits for; one that comes later
// may meet a key that was meant for something else.
func (s *signIn) reading(now time.Time) time.Duration {
	const prompt = 2 * time.Second
	if now.Sub(s.began) < prompt {
		return drawing
	}
	return reading
}

// plain reports whether the open question says nothing that the prompt beside the
// call has not said already: the same authorization server and nothing beside it,
// borne out by the resource itself, and no scope that was not named. Who typed two
// keys at that prompt has read what they agree to.
func (m *Model) plain(s *signIn) bool {
	e := s.consent
	if s.access.call == nil || !m.scene.size.legible() { // there is no such prompt
		return false
	}
	if e == nil || !e.Agreement.Verified || e.PreviousIssuer != "" || len(e.OtherOrigins) > 0 || len(e.Issuers) > 1 ||
		len(e.Exceptions) > 0 || e.Method == auth.ByToken {
		return false
	}
	named := append(slices.Clone(e.Scopes.Required), e.Scopes.Held...)
	return slices.Equal(e.Issuers, s.challenge.Issuers) &&
		!slices.ContainsFunc(e.Scopes.Request, func(scope string) bool { return !slices.Contains(named, scope) })
}

func (s *signIn) asks() bool { return s.consent != nil || s.reach != nil }

// mayConsent reports whether the question has been on the screen for long enough
// to have been read. If not, keys that keep coming do not add up to a yes.
func (m *Model) mayConsent(s *signIn) bool {
	if !s.ready.IsZero() && !m.clock.now.Before(s.ready) {
		s.hasty = false
		return true
	}
	s.ready, s.hasty = m.clock.now.Add(s.reading(m.clock.now)), true
	return false
}

// retry begins anew what failed, as far as that is needed: a token that did not
// reach the host is still good.
func (m *Model) retry(s *signIn) tea.Cmd {
	if why := m.offline(); !why.Empty() {
		s.notice = why
		return nil
	}
	if s.grant != nil && s.handed.IsZero() && (s.grant.Expires.IsZero() || time.Now().Before(s.grant.Expires)) {
		s.failure, s.notice = nil, safetext.Text{}
		return m.handOver(s)
	}
	return m.retryBy("", s)
}

// retryBy begins anew by a way that the person has chosen; empty leaves that to the
// flow.
func (m *Model) retryBy(by auth.Method, s *signIn) tea.Cmd {
	if why := m.offline(); !why.Empty() {
		s.notice = why
		return nil
	}
	a, _ := m.still(s.access)
	c, err := m.wholeChallenge(a)
	if err != nil {
		s.notice = own(err.Error())
		return nil
	}
	return m.beginSignInBy(by, a, c)
}

// openAgain opens the browser once more.
func (m *Model) openAgain(s *signIn) tea.Cmd {
	if s.way.url == "" || m.conn.Opener == nil {
		return nil
	}
	s.notice = safetext.Const("opening the browser once more")
	opener, url := m.conn.Opener, s.way.url
	return m.link.do(func(ctx context.Context) tea.Msg {
		return openedMsg{s, opener.Open(ctx, url)}
	})
}

func (o *signInOverlay) spots() []frame.Spot { return o.view.Spots() }

// draw notes since when a question is on the screen: it counts from where
// nothing covers it and there is room to read it.
func (o *signInOverlay) draw(m *Model, screen string) (string, *tea.Cursor) {
	const columns, rows = 24, 6
	s := o.signIn
	switch seen := m.top() == o && m.width >= columns && m.height >= rows; {
	case !seen || !s.asks():
		s.ready = time.Time{}
	case s.ready.IsZero():
		s.ready = m.clock.now.Add(s.reading(m.clock.now))
	}
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(m.signInInput(s)), nil)
}

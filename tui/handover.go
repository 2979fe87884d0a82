package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/safetext"
	"ahptui/internal/secret"
	"ahptui/protocol"
	"ahptui/views/status"
)

// handovers are what is done about what the host asks for without a person: a
// token that is held is handed over, once, and refreshed before if it has to be.
type handovers struct {
	since   time.Time // of the connection that they belong to
	looked  map[auth.Key]ask
	shot    uint64 // the view that was looked at last
	running int    // how many are under way
	// waiting is until when the host may go on with what it has got.
	waiting map[auth.Key]time.Time
	// resources are what servers asked for last, which they do not say any more
	// once they have it.
	resources map[target]string
	// answers are what became of the latest token for each.
	answers map[auth.Key]answered
}

// answered is what the host said to a token, or why there was none for it.
type answered struct {
	at  time.Time
	err error // of the host
	why error // a person is needed
}

// answered notes what became of a token.
func (h *handovers) answered(key auth.Key, a answered) {
	if h.answers == nil || len(h.answers) >= maxResources {
		h.answers = map[auth.Key]answered{}
	}
	h.answers[key] = a
}

// maxResources bounds what is remembered of servers.
const maxResources = 1024

// note remembers what servers asked for.
func (h *handovers) note(a ask) {
	for _, from := range a.from {
		if from.session == "" || from.server.ID == "" {
			continue
		}
		if h.resources == nil || len(h.resources) >= maxResources {
			h.resources = map[target]string{}
		}
		h.resources[target{from.session, from.server.ID}] = a.challenge.Resource
	}
}

// heldMsg tells what became of a challenge without a person. Without a grant
// nothing could be handed over.
type heldMsg struct {
	challenge auth.Challenge
	grant     *auth.Grant
	decision  auth.Decision
	err       error // of the host
}

// attend looks at what the host asks for that it did not ask for before.
func (m *Model) attend() tea.Cmd {
	h := &m.handovers
	for _, at := range h.waiting {
		m.clock.at(at)
	}
	if m.conn == nil || m.conn.Auth == nil || h.shot == m.shots && len(h.waiting) == 0 {
		return nil
	}
	h.shot = m.shots
	if since := m.view.Connection.Since; h.looked == nil || !since.Equal(h.since) { // tokens count for one connection
		if h.looked != nil {
			m.conn.Auth.Gone(m.conn.Identity.ID)
		}
		h.looked, h.waiting, h.since = map[auth.Key]ask{}, map[auth.Key]time.Time{}, since
		h.answers = nil
	}
	if m.stale() {
		return nil
	}
	var cmds []tea.Cmd
	asked := map[auth.Key]bool{}
	for _, a := range m.asks() {
		key := a.challenge.Key()
		asked[key] = true
		h.note(a)
		if m.signsIn(key) {
			continue
		}
		before := h.looked[key]
		h.looked[key] = a
		anew := slices.ContainsFunc(a.said, func(s said) bool { return !s.repeats(before.said) })
		if anew || h.due(key, m.clock.now) {
			cmds = append(cmds, m.handHeld(a.challenge, anew))
		}
	}
	for key, a := range h.looked {
		switch {
		case asked[key]:
		case len(h.looked) > 4*maxChallenges: // a host that asks for ever new things is not remembered
			delete(h.looked, key)
			delete(h.waiting, key)
		case slices.ContainsFunc(a.from, func(from access) bool { return !m.overWith(from) }):
			a.said = nil // what is said from here on is said anew
			h.looked[key] = a
		default:
			delete(h.looked, key)
			delete(h.waiting, key)
			cmds = append(cmds, m.concludeAsk(a.challenge))
		}
	}
	return tea.Batch(cmds...)
}

// due reports whether the host has had the time to go on with a token, and has
// not.
func (h *handovers) due(key auth.Key, now time.Time) bool {
	at, waits := h.waiting[key]
	if !waits || now.Before(at) {
		return false
	}
	delete(h.waiting, key)
	return true
}

// signsIn reports whether a sign-in for that is under way, which will do.
func (m *Model) signsIn(key auth.Key) bool {
	return m.signIn != nil && m.signIn.challenge.Key() == key && m.signIn.failure == nil
}

// handHeld hands over what is held for a challenge, if that is enough. anew says
// that the host has asked for it again.
func (m *Model) handHeld(c auth.Challenge, anew bool) tea.Cmd {
	broker, host := m.conn.Auth, m.conn.Host
	m.handovers.running++
	return m.link.do(func(ctx context.Context) tea.Msg {
		if anew {
			broker.Again(c)
		}
		grant, decision := broker.Silent(ctx, c)
		if grant == nil {
			return heldMsg{challenge: c, decision: decision}
		}
		return heldMsg{c, grant, decision, handToHost(ctx, host, broker, *grant)}
	})
}

// handRenewed hands over a token that was refreshed ahead of its end, to the host
// that has the older one, and waits for the next one.
func (m *Model) handRenewed(conn *Connection) tea.Cmd {
	if conn.Renewed == nil {
		return nil
	}
	return m.link.do(func(ctx context.Context) tea.Msg {
		select {
		case grant := <-conn.Renewed:
			return renewedMsg{conn, handToHost(ctx, conn.Host, conn.Auth, grant)}
		case <-ctx.Done():
			return nil
		}
	})
}

// renewedMsg tells what became of a token that was refreshed ahead of its end.
type renewedMsg struct {
	conn *Connection
	err  error
}

// renewed waits for the next one.
func (m *Model) renewed(msg renewedMsg) tea.Cmd {
	if msg.err != nil {
		m.tell(status.Warning, "the host did not take a token that was refreshed ahead of its end: "+msg.err.Error())
	}
	return m.handRenewed(msg.conn)
}

// refusedError is a host's answer to a token that it does not take.
type refusedError struct{ error }

// handToHost hands a token to its host. The error does not quote it; it is a
// refusedError if the host has answered.
func handToHost(ctx context.Context, host Host, broker *auth.Broker, grant auth.Grant) error {
	err := host.Authenticate(ctx, grant.Params(time.Now()))
	if err == nil {
		return nil
	}
	safe := withoutSecret(err, grant.Token)
	if _, refused := errors.AsType[*jsonrpc.Error](err); refused {
		// What cannot be noted is refused once more at worst.
		_ = broker.Refused(ctx, grant)
		return refusedError{safe}
	}
	return safe
}

// withoutSecret is an error of a host that may quote the token which it refuses.
func withoutSecret(err error, token secret.Value) error {
	var redactor secret.Redactor
	redactor.Add(token)
	return errors.New(redactor.String(err.Error()))
}

// concludeAsk notes that what was asked for has gone on.
func (m *Model) concludeAsk(c auth.Challenge) tea.Cmd {
	broker := m.conn.Auth
	return m.link.do(func(context.Context) tea.Msg {
		broker.Settle(c)
		return nil
	})
}

// heldHanded tells what was done without a person, in a line, and why a person is
// needed where a token is held and does not do.
func (m *Model) heldHanded(msg heldMsg) {
	m.handovers.running--
	name := askedFor(msg.challenge)
	if msg.grant != nil || msg.err != nil || msg.decision.Act == auth.ActAsk || msg.decision.Act == auth.ActStop {
		m.handovers.answered(msg.challenge.Key(), answered{m.clock.now, msg.err, msg.decision.Why})
	}
	switch d := msg.decision; {
	case d.Act == auth.ActWait:
		m.handovers.waiting[msg.challenge.Key()] = m.clock.now.Add(auth.HostPatience)
	case msg.err != nil:
		m.tell(status.Problem, "the host did not take the token for "+name+": "+msg.err.Error())
	case msg.grant != nil:
		m.tell(status.Info, "handed the token for "+name+" to the host, as you agreed before")
		if d.Why != nil {
			m.tell(status.Warning, d.Why.Error())
		}
	case d.Act == auth.ActAsk && !expected(d.Why):
		m.tell(status.Warning, name+" needs you: "+d.Why.Error())
	case d.Act == auth.ActStop && d.Why != nil && !errors.Is(d.Why, auth.ErrDeclined):
		m.tell(status.Warning, name+": "+d.Why.Error())
	}
}

// expected reports whether that a person is needed is nothing to be told of: the
// prompt says so.
func expected(why error) bool {
	for _, plain := range []error{auth.ErrNoToken, auth.ErrNotConsented, auth.ErrSignedOut, auth.ErrTooFewScopes} {
		if errors.Is(why, plain) {
			return true
		}
	}
	return why == nil
}

// ends words when the token that a call will need ends, if that is soon and the
// call waits for a person.
func (m *Model) ends(call *protocol.ToolCall) safetext.Text {
	const soon = 2 * time.Minute
	by := call.Contributor
	if m.conn.Auth == nil || !call.Status.WaitsForUser() || by == nil || by.Kind != protocol.ContributorMcp {
		return safetext.Text{}
	}
	resource := m.handovers.resources[target{m.current.session, by.CustomizationID}]
	at, renews := m.conn.Auth.Ends(auth.Key{Host: m.conn.Identity.ID, Resource: resource})
	left := at.Sub(m.clock.now)
	switch {
	case resource == "" || at.IsZero():
		return safetext.Text{}
	case left > soon:
		m.clock.at(at.Add(-soon))
		return safetext.Text{}
	case left <= 0:
		return safetext.Const("the token for it has ended: it will need a new one")
	}
	words := "the token for it " + m.left(at)
	if renews {
		words += " and is refreshed before"
	}
	return own(words)
}

// left words when something ends.
func (m *Model) left(at time.Time) string {
	words, over := m.until(at)
	if over {
		return "has ended"
	}
	return "ends in " + words
}

// soon words when something happens.
func (m *Model) soon(at time.Time) string {
	words, over := m.until(at)
	if over {
		return "any moment"
	}
	return "in " + words
}

// until words how long it is until a time that is not over.
func (m *Model) until(at time.Time) (words string, over bool) {
	left := at.Sub(m.clock.now)
	unit := time.Second
	switch {
	case left <= 0:
		return "", true
	case left >= 2*time.Hour:
		unit = time.Hour
	case left >= 2*time.Minute:
		unit = time.Minute
	}
	text, _ := age(left)
	m.clock.at(at.Add(-left.Truncate(unit)).Add(time.Nanosecond))
	return text.String(), false
}

// askedFor is what to call what is asked for.
func askedFor(c auth.Challenge) string {
	for _, name := range []string{c.Source.Server, c.ResourceName} {
		if name != "" {
			return name
		}
	}
	return c.Resource
}

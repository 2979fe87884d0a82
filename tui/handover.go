package tui

import (
	"context"
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/views/status"
)

// handovers are what is done about what the host asks for without a person: a
// token that is held is handed over, once, and refreshed before if it has to be.
type handovers struct {
	since  time.Time // of the connection that they belong to
	looked map[auth.Key]ask
	shot   uint64 // the view that was looked at last
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
	if m.conn == nil || m.conn.Auth == nil || h.shot == m.shots {
		return nil
	}
	h.shot = m.shots
	if since := m.view.Connection.Since; h.looked == nil || !since.Equal(h.since) { // tokens count for one connection
		if h.looked != nil {
			m.conn.Auth.Gone(m.conn.Identity.ID)
		}
		h.looked, h.since = map[auth.Key]ask{}, since
	}
	if m.stale() {
		return nil
	}
	var cmds []tea.Cmd
	asked := map[auth.Key]bool{}
	for _, a := range m.asks() {
		key := a.challenge.Key()
		asked[key] = true
		if slices.Equal(a.said, h.looked[key].said) || m.signsIn(key) {
			continue
		}
		h.looked[key] = a
		cmds = append(cmds, m.handHeld(a.challenge))
	}
	for key, a := range h.looked {
		if !asked[key] && !slices.ContainsFunc(a.from, func(from access) bool { return !m.overWith(from) }) {
			delete(h.looked, key)
			cmds = append(cmds, m.concludeAsk(a.challenge))
		}
	}
	return tea.Batch(cmds...)
}

// signsIn reports whether a sign-in for that is under way, which will do.
func (m *Model) signsIn(key auth.Key) bool {
	return m.signIn != nil && m.signIn.challenge.Key() == key && m.signIn.failure == nil
}

// handHeld hands over what is held for a challenge, if that is enough.
func (m *Model) handHeld(c auth.Challenge) tea.Cmd {
	broker, host := m.conn.Auth, m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
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

// handToHost hands a token to its host. The error does not quote it.
func handToHost(ctx context.Context, host Host, broker *auth.Broker, grant auth.Grant) error {
	err := host.Authenticate(ctx, grant.Params(time.Now()))
	if err == nil {
		return nil
	}
	if isRefusal(err) {
		// What cannot be noted is refused once more at worst.
		_ = broker.Refused(ctx, grant)
	}
	return withoutSecret(err, grant.Token)
}

// isRefusal reports whether the host answered, and said no.
func isRefusal(err error) bool {
	_, refused := errors.AsType[*jsonrpc.Error](err)
	return refused
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
	name := askedFor(msg.challenge)
	switch d := msg.decision; {
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

// askedFor is what to call what is asked for.
func askedFor(c auth.Challenge) string {
	for _, name := range []string{c.Source.Server, c.ResourceName} {
		if name != "" {
			return name
		}
	}
	return c.Resource
}

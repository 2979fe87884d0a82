package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/status"
)

// errand is a command that the host refuses until somebody has signed in. Once
// that is done it is given again, once.
type errand struct {
	what   string   // such as "make a session"
	needed []access // the first one is what the person is asked for
	again  func() tea.Cmd
}

// errandMsg says what is left to sign in to, after what could be done without a
// person.
type errandMsg struct {
	errand *errand
	left   []access
}

// begin does what a refused command needs before it is given again. It reports
// false where the refusal is not about a sign-in, or one does not help.
func (m *Model) beginErrand(what, method string, err error, again func() tea.Cmd) (tea.Cmd, bool) {
	refused, ok := errors.AsType[*ahpclient.AuthRequiredError](err)
	if !ok || m.conn.Auth == nil || len(refused.Resources) == 0 {
		return nil, false
	}
	e := &errand{what: what, again: again}
	for _, r := range refused.Resources {
		a := hostAccess(r, "", auth.Source{Command: method})
		if _, err := m.challenge(a); err != nil {
			m.tell(status.Warning, err.Error())
			return nil, false
		}
		e.needed = append(e.needed, a)
	}
	m.errand = e
	m.tell(status.Info, "to "+what+", the host wants you to sign in first")
	broker, host := m.conn.Auth, m.conn.Host
	challenges := make([]auth.Challenge, len(e.needed))
	for i, a := range e.needed {
		challenges[i], _ = m.challenge(a) // it was made above
	}
	return m.link.do(func(ctx context.Context) tea.Msg {
		var left []access
		for i, c := range challenges {
			grant, _ := broker.Silent(ctx, c)
			if grant == nil || handToHost(ctx, host, broker, *grant) != nil {
				left = append(left, e.needed[i])
			}
		}
		return errandMsg{e, left}
	}), true
}

// errandOnce is beginErrand for what the program does by itself about a channel:
// after one sign-in it does not ask for another.
func (m *Model) errandOnce(about protocol.URI, what, method string, err error, again func() tea.Cmd) tea.Cmd {
	key := target{about, method}
	if m.errands[key] {
		return nil
	}
	cmd, ok := m.beginErrand(what, method, err, again)
	if ok {
		if len(m.errands) >= maxResources {
			clear(m.errands)
		}
		m.errands[key] = true
	}
	return cmd
}

// openAfterSignIn signs in for the session or the chat on the screen, where the host
// does not let it be opened before.
func (m *Model) openAfterSignIn() tea.Cmd {
	for uri, kind := range map[protocol.URI]protocol.ChannelKind{m.current.session: protocol.SessionKind, m.current.chat: protocol.ChatKind} {
		c := m.view.Channels[uri]
		if c == nil || c.Err == nil || m.stale() || m.errand != nil || m.signIn != nil {
			continue
		}
		if cmd := m.errandOnce(uri, "open what is on the screen", "subscribe", c.Err, func() tea.Cmd {
			m.open(uri, kind)
			return nil
		}); cmd != nil {
			return cmd
		}
	}
	return nil
}

// errandGoesOn asks the person for what is left, one after the other, or gives the
// command again.
func (m *Model) errandGoesOn(msg errandMsg) tea.Cmd {
	e := msg.errand
	if e != m.errand {
		return nil
	}
	e.needed = msg.left
	if len(e.needed) > 0 {
		return m.signInTo(e.needed[0])
	}
	m.errand = nil
	if !m.offline().Empty() {
		m.tell(status.Warning, "signed in, but the connection is lost: "+e.what+" once it is back")
		return nil
	}
	return e.again()
}

// errandAdvances goes on with a command once something that it needs is there.
func (m *Model) errandAdvances(a access) tea.Cmd {
	e := m.errand
	if e == nil || len(e.needed) == 0 || e.needed[0].target() != a.target() {
		return nil
	}
	return m.errandGoesOn(errandMsg{e, e.needed[1:]})
}

// dropErrand gives up the command that waits for a sign-in which was given up.
func (m *Model) dropErrand(a access) {
	if e := m.errand; e != nil && len(e.needed) > 0 && e.needed[0].target() == a.target() {
		m.errand = nil
	}
}

// signInFirst is what a form says of a command that waits for a sign-in.
func signInFirst() safetext.Text { return safetext.Const("the host wants you to sign in first") }

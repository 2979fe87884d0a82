package tui

import (
	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/status"
)

// asked is something the person asked the host for, followed until the outcome
// is known.
type asked struct {
	ticket *ahpclient.Ticket
	what   string // such as "stop notes"
	target string // the server or tool call it is about, "" if neither
	draft  string // what was typed, to be given back if it was not taken
}

// dispatch asks for a change. Where nothing could be sent it says so and
// returns false; the person has lost nothing then.
func (m *Model) dispatch(channel protocol.URI, a protocol.Action, about asked) bool {
	ticket, err := m.conn.Host.Dispatch(channel, a)
	if err != nil {
		m.tell(status.Problem, about.what+": "+err.Error())
		return false
	}
	m.refuse(channel, about.target, safetext.Text{})
	about.ticket = ticket
	m.asked = append(m.asked, about)
	return true
}

// followTickets tells what became of what was asked for.
func (m *Model) followTickets() {
	open := m.asked[:0:0]
	for _, a := range m.asked {
		outcome, ok := a.ticket.Outcome()
		if !ok {
			open = append(open, a)
			continue
		}
		m.conclude(a, outcome)
	}
	m.asked = open
}

func (m *Model) conclude(a asked, outcome ahpclient.Outcome) {
	channel := a.ticket.Channel
	switch outcome.Kind {
	case ahpclient.Accepted:
		return
	case ahpclient.Rejected:
		m.refuse(channel, a.target, own("the host refused: "+outcome.Reason))
		m.tell(status.Problem, "the host refused to "+a.what+": "+outcome.Reason)
	case ahpclient.Expired:
		m.refuse(channel, a.target, safetext.Const("the host did not answer"))
		m.tell(status.Warning, a.what+": the host did not answer; this is what it shows now")
	case ahpclient.Unknown:
		m.tell(status.Warning, a.what+": the connection was lost first; it may or may not have happened")
	}
	m.giveBack(channel, a.draft)
}

// giveBack returns a message that was not taken to the composer, unless
// something else is being written there.
func (m *Model) giveBack(chat protocol.URI, draft string) {
	if draft == "" {
		return
	}
	if chat == m.current.chat && m.composer.Value() == "" {
		m.composer.SetValue(draft)
		return
	}
	if m.drafts[chat] == "" {
		m.drafts[chat] = draft
	}
}

// refuse notes what the host said to the last request about a server or call.
func (m *Model) refuse(channel protocol.URI, target string, why safetext.Text) {
	if target == "" {
		return
	}
	if m.refused[channel] == nil {
		m.refused[channel] = map[string]safetext.Text{}
	}
	m.refused[channel][target] = why
}

func (m *Model) tell(severity status.Severity, text string) {
	m.notices.add(m.now, severity, own(text))
}

// tellNotices tells what the client noticed since the last view. What is said of
// an action is said by its ticket already.
func (m *Model) tellNotices(list []ahpclient.Notice) {
	for _, n := range list {
		if !n.At.After(m.noticed) {
			continue
		}
		m.noticed = n.At
		switch n.Kind {
		case ahpclient.NoticeLost:
			m.tell(status.Problem, "the connection to the host was lost: "+n.Text)
		case ahpclient.NoticeReconnected:
			m.tell(status.Success, "connected again; what is shown is what the host has")
		case ahpclient.NoticeGone:
			m.tell(status.Warning, "the host does not have "+string(n.Channel)+" any more")
		case ahpclient.NoticeAuth:
			m.tell(status.Warning, "an agent needs a sign-in: "+n.Text)
		}
	}
}

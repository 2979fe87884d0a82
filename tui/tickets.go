package tui

import (
	"cmp"
	"time"

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
	about  string // the id of the server or tool call, "" if neither
	was    string // the state that it was in
	id     string // of the message

	message written // to be given back if it was not taken
	draft   bool    // it shares a draft
	quiet   bool    // nobody asked for it: what becomes of it is not told
}

// target is a server of a session, or a tool call of a chat.
type target struct {
	channel protocol.URI
	id      string
}

// refusal is what became of the last thing that was asked of a target and was
// not done.
type refusal struct {
	words    safetext.Text // the host's
	answered bool          // else there are none
	was      string        // the state of the target; in another, this is history
	what     string        // that was asked, such as "stop notes"
	at       time.Time     // when
}

// refusalOf is what the host said to the last request about a target, if that
// is still of interest in its state.
func (m *Model) refusalOf(about target, state string) refusal {
	r, ok := m.refused[about]
	if ok && r.was != state {
		delete(m.refused, about)
		return refusal{}
	}
	return r
}

// sentence is the whole of it, "" for none.
func (r refusal) sentence() safetext.Text {
	switch {
	case r == refusal{}:
		return safetext.Text{}
	case r.answered:
		return safetext.Concat(safetext.Const("the host refused: "), r.words)
	}
	return safetext.Const("the host did not answer")
}

// aged is the whole of it with how long ago that was, where the host said nothing.
func (r refusal) aged(c *clock) safetext.Text {
	if r == (refusal{}) || r.answered {
		return r.sentence()
	}
	return own("no word from the host on “" + r.what + "”, asked " + c.age(r.at).String() + " ago")
}

// dispatch asks for a change. Where nothing could be sent it says so and
// returns false; the person has lost nothing then.
func (m *Model) dispatch(channel protocol.URI, a protocol.Action, about asked) bool {
	ticket, err := m.conn.Host.Dispatch(channel, a)
	if err != nil {
		if !about.quiet {
			m.tell(status.Problem, about.what+": "+err.Error())
		}
		return false
	}
	delete(m.refused, target{channel, about.about})
	about.ticket = ticket
	m.asked = append(m.asked, about)
	m.catchUp()
	return true
}

// followTickets tells what became of what was asked for.
func (m *Model) followTickets() {
	all := m.asked
	m.asked = nil
	for _, a := range all {
		outcome, ok := a.ticket.Outcome()
		if !ok {
			m.asked = append(m.asked, a)
			continue
		}
		m.conclude(a, outcome)
	}
}

func (m *Model) conclude(a asked, outcome ahpclient.Outcome) {
	channel := a.ticket.Channel
	if a.quiet {
		return
	}
	if a.draft {
		m.draftShared(a, outcome)
		return
	}
	if a.id != "" && outcome.Kind != ahpclient.Rejected && has(m.view.Chat(channel), a.id) {
		m.drafts.changes++
		return
	}
	if outcome.Kind != ahpclient.Accepted {
		m.notTaken(target{channel, a.about})
	}
	switch outcome.Kind {
	case ahpclient.Accepted:
		m.tookAnswer(channel, a.ticket.Action)
		m.drafts.changes++ // nothing has to be kept of it any more
	case ahpclient.Rejected:
		why := cmp.Or(outcome.Reason, "it gives no reason")
		m.refuse(a, refusal{words: own(why), answered: true, was: a.was})
		m.tell(status.Problem, "the host refused to "+a.what+": "+why)
		m.giveBack(a)
	case ahpclient.Expired:
		m.refuse(a, refusal{was: a.was})
		m.tell(status.Warning, a.what+": the host did not answer; this is what it shows now")
		m.mayHaveArrived(a)
	case ahpclient.Unknown:
		m.tell(status.Warning, a.what+": the connection was lost first; it may or may not have happened")
		m.mayHaveArrived(a)
	}
}

// refuse notes what became of a request beside what it is about.
func (m *Model) refuse(a asked, r refusal) {
	if a.about != "" {
		r.what, r.at = a.what, a.ticket.At
		m.refused[target{a.ticket.Channel, a.about}] = r
	}
}

// tellNotices tells what the client noticed since the last view. What is said of
// an action is said by its ticket already.
func (m *Model) tellNotices(list []ahpclient.Notice) {
	for _, n := range list {
		if !n.At.After(m.told) {
			continue
		}
		m.told = n.At
		switch n.Kind {
		case ahpclient.NoticeLost:
			m.tell(status.Problem, reason("the connection to the host was lost", n.Text))
		case ahpclient.NoticeReconnected:
			m.tell(status.Success, "connected again; what is shown is what the host has")
		case ahpclient.NoticeGone:
			m.tell(status.Warning, "the host does not have "+m.nameOf(n.Channel)+" any more")
		case ahpclient.NoticeMalformed:
			m.tell(status.Warning, "the host sent something that makes no sense; everything was asked for anew")
		case ahpclient.NoticeAuth:
			m.tell(status.Warning, reason("an agent needs a sign-in", n.Text))
		case ahpclient.NoticeRejected, ahpclient.NoticeExpired, ahpclient.NoticeUnknown:
		}
	}
}

// reason is a statement with its reason, if there is one.
func reason(statement, why string) string {
	if why == "" {
		return statement
	}
	return statement + ": " + why
}

// nameOf is what to call a channel.
func (m *Model) nameOf(uri protocol.URI) string {
	if s := m.catalogue.byURI[uri]; s != nil && s.Title != "" {
		return "“" + s.Title + "”"
	}
	if uri == m.current.session && m.current.title != "" {
		return "“" + m.current.title + "”"
	}
	switch m.middle.open[uri] {
	case protocol.TerminalKind:
		return "the terminal on the screen"
	case protocol.ChangesetKind:
		return "the changes on the screen"
	}
	return string(uri)
}

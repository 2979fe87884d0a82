package tui

import (
	"cmp"

	"github.com/google/uuid"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/status"
)

// drafts keeps what is written and not on the screen. Nothing of it is ever
// thrown away.
type drafts struct {
	kept map[protocol.URI]written // by chat, or by session while it has no chat
	// loose is what was written to a chat that is gone, or that there was no
	// room for where it belongs. It is offered in the next empty composer.
	loose []loose
	// returned are messages that were given back although they may have
	// arrived.
	returned []returned
	sessions map[protocol.URI]protocol.URI // of the chats that were written to
	changes  int                           // counts what has changed, in the composer or beside it
}

// loose is a message that has lost its place.
type loose struct {
	id string
	written
}

type returned struct {
	chat protocol.URI
	id   string // of the turn or the queued message
	written
}

// keep keeps a message for a place.
func (d *drafts) keep(place protocol.URI, w written) {
	d.changes++
	if w.empty() {
		delete(d.kept, place)
		return
	}
	if d.kept == nil {
		d.kept = map[protocol.URI]written{}
	}
	d.kept[place] = w
}

// take takes what is kept for a place out.
func (d *drafts) take(place protocol.URI) written {
	w := d.kept[place]
	d.keep(place, written{})
	return w
}

// loosen keeps a message that has no place.
func (d *drafts) loosen(w written) {
	d.changes++
	if !w.empty() {
		d.loose = append(d.loose, loose{uuid.NewString(), w})
	}
}

// belongs notes which session a chat is in.
func (d *drafts) belongs(chat, session protocol.URI) {
	if d.sessions == nil {
		d.sessions = map[protocol.URI]protocol.URI{}
	}
	d.sessions[chat] = session
}

// empty reports whether there is nothing.
func (d *drafts) empty() bool { return len(d.kept) == 0 && len(d.loose) == 0 }

// place is where what is in the composer belongs.
func (c current) place() protocol.URI { return cmp.Or(c.chat, c.session) }

// written is what is in the composer.
func (m *Model) written() written {
	return written{m.composer.Value(), m.writing.files, m.writing.as}
}

// setWritten puts a message into the composer, in the place of what is there.
func (m *Model) setWritten(w written) {
	m.drafts.changes++
	m.composer.SetValue(w.text)
	m.writing.files, m.writing.as = w.files, w.as
}

// unsent is what is in the composer and was not sent yet: not a message that was
// looked up, but what was written before that.
func (m *Model) unsent() written { return m.writing.past.unsent(m.written()) }

// keepDraft takes what is written off the screen. What was written to something
// that is gone becomes loose.
func (m *Model) keepDraft() {
	m.stopCompleting()
	m.shareDraft()
	w := m.unsent()
	m.writing.past = past{}
	m.setWritten(written{})
	if m.current.gone || m.current.chatGone {
		m.loosen(m.current.place(), w)
		return
	}
	m.drafts.keep(m.current.place(), w)
}

// loosen makes a message loose, and what was kept for a place.
func (m *Model) loosen(place protocol.URI, w written) {
	m.drafts.loosen(joined(m.drafts.take(place), w))
}

// loadDraft puts what was kept for the place on the screen into the composer,
// above what is there already.
func (m *Model) loadDraft() { m.fill(m.drafts.take(m.current.place())) }

// fill puts a message into the composer, above what is there already. What there
// is no room for is loose.
func (m *Model) fill(w written) {
	if w.empty() {
		return
	}
	all := joined(w, m.unsent())
	if !all.fits() {
		m.drafts.loosen(w)
		return
	}
	m.writing.past = past{}
	m.setWritten(all)
}

// offerLoose brings a loose message into an empty composer.
func (m *Model) offerLoose() {
	if len(m.drafts.loose) == 0 || !m.unsent().empty() {
		return
	}
	m.fill(m.drafts.loose[0].written)
	m.drafts.loose = m.drafts.loose[1:]
	m.notices.add(m.clock.now, status.Info, safetext.Const("this was written before and not sent: send it here, or delete it"))
}

// giveBack returns a message that was not taken.
func (m *Model) giveBack(a asked) {
	m.drafts.changes++
	switch chat := a.ticket.Channel; {
	case a.message.empty():
	case chat == m.current.chat:
		m.fill(a.message)
	case m.view.Channels[chat] == nil: // it is gone, or was not looked at for long
		m.loosen(chat, a.message)
	default:
		m.drafts.keep(chat, joined(a.message, m.drafts.kept[chat]))
	}
}

// maxReturned bounds the messages that are looked for in what comes later.
const maxReturned = 20

// mayHaveArrived gives a message back, and looks out for it.
func (m *Model) mayHaveArrived(a asked) {
	m.giveBack(a)
	if !a.message.empty() {
		m.drafts.lookFor(returned{a.ticket.Channel, a.id, a.message})
	}
}

// lookFor notes a message that was given back and may have arrived.
func (d *drafts) lookFor(r returned) {
	d.returned = append(d.returned, r)
	d.returned = d.returned[max(0, len(d.returned)-maxReturned):]
}

// takeBackReturned removes messages from the composer that turn out to have
// arrived, if they stand there as they were.
func (m *Model) takeBackReturned() {
	open := m.drafts.returned[:0:0]
	for _, r := range m.drafts.returned {
		if !has(m.view.Chat(r.chat), r.id) {
			open = append(open, r)
			continue
		}
		if m.forgetReturned(r) {
			m.tell(status.Info, "the message had arrived after all")
		}
	}
	m.drafts.returned = open
}

// forgetReturned removes a message that was given back; it reports whether it
// stood as it was.
func (m *Model) forgetReturned(r returned) bool {
	if r.chat != m.current.chat {
		rest, ok := m.drafts.kept[r.chat].without(r.written)
		if ok {
			m.drafts.keep(r.chat, rest)
		}
		return ok
	}
	rest, ok := m.unsent().without(r.written)
	if ok {
		m.writing.past = past{}
		m.setWritten(rest)
	}
	return ok
}

// has reports whether a chat has a turn or a waiting message of an id.
func has(chat *protocol.ChatState, id string) bool {
	if chat == nil {
		return false
	}
	if chat.ActiveTurn != nil && chat.ActiveTurn.ID == id || chat.SteeringMessage != nil && chat.SteeringMessage.ID == id {
		return true
	}
	for i := len(chat.Turns) - 1; i >= 0; i-- {
		if chat.Turns[i].ID == id {
			return true
		}
	}
	for _, p := range chat.QueuedMessages {
		if p != nil && p.ID == id {
			return true
		}
	}
	return false
}

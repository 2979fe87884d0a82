package tui

import (
	"cmp"
	"strings"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/status"
)

// drafts keeps what is typed and not on the screen. Nothing of it is ever
// thrown away.
type drafts struct {
	kept map[protocol.URI]string // by chat, or by session while it has no chat
	// loose is what was written to a chat that is gone, or that there was no
	// room for where it belongs. It is offered in the next empty composer.
	loose []string
	// returned are messages that were given back although they may have
	// arrived.
	returned []returned
}

type returned struct {
	chat protocol.URI
	id   string // of the turn or the queued message
	text string
}

// keep keeps text for a place.
func (d *drafts) keep(place protocol.URI, text string) {
	if blank(text) {
		delete(d.kept, place)
		return
	}
	if d.kept == nil {
		d.kept = map[protocol.URI]string{}
	}
	d.kept[place] = text
}

// empty reports whether there is nothing.
func (d *drafts) empty() bool { return len(d.kept) == 0 && len(d.loose) == 0 }

// blank reports whether there is nothing to send in a text.
func blank(s string) bool { return strings.TrimSpace(s) == "" }

// joined is two texts, one under the other.
func joined(a, b string) string {
	if blank(a) {
		return b
	}
	if blank(b) {
		return a
	}
	return a + "\n\n" + b
}

// place is where what is in the composer belongs.
func (c current) place() protocol.URI { return cmp.Or(c.chat, c.session) }

// keepDraft takes what is typed off the screen. What was written to something
// that is gone becomes loose.
func (m *Model) keepDraft() {
	text := m.composer.Value()
	m.composer.SetValue("")
	if m.current.gone || m.current.chatGone {
		m.loosen(m.current.place(), text)
		return
	}
	m.drafts.keep(m.current.place(), text)
}

// loosen makes text loose, and what was kept for a place.
func (m *Model) loosen(place protocol.URI, text string) {
	text = joined(m.drafts.kept[place], text)
	delete(m.drafts.kept, place)
	if !blank(text) {
		m.drafts.loose = append(m.drafts.loose, text)
	}
}

// loadDraft puts what was kept for the place on the screen into the composer,
// above what is there already.
func (m *Model) loadDraft() {
	place := m.current.place()
	kept := m.drafts.kept[place]
	delete(m.drafts.kept, place)
	m.fill(kept)
}

// fill puts text into the composer, above what is there already. What there is
// no room for is loose.
func (m *Model) fill(text string) {
	if blank(text) {
		return
	}
	all := joined(text, m.composer.Value())
	if !composer.Fits(all) {
		m.drafts.loose = append(m.drafts.loose, text)
		return
	}
	m.composer.SetValue(all)
}

// offerLoose brings loose text into an empty composer.
func (m *Model) offerLoose() {
	if len(m.drafts.loose) == 0 || !blank(m.composer.Value()) {
		return
	}
	m.composer.SetValue(m.drafts.loose[0])
	m.drafts.loose = m.drafts.loose[1:]
	m.notices.add(m.clock.now, status.Info, safetext.Const("this was written before and not sent: send it here, or delete it"))
}

// giveBack returns a message that was not taken.
func (m *Model) giveBack(a asked) {
	switch chat := a.ticket.Channel; {
	case a.text == "":
	case chat == m.current.chat:
		m.fill(a.text)
	case m.view.Channels[chat] == nil: // it is gone, or was not looked at for long
		m.loosen(chat, a.text)
	default:
		m.drafts.keep(chat, joined(a.text, m.drafts.kept[chat]))
	}
}

// maxReturned bounds the messages that are looked for in what comes later.
const maxReturned = 20

// mayHaveArrived gives a message back, and looks out for it.
func (m *Model) mayHaveArrived(a asked) {
	m.giveBack(a)
	if a.text == "" {
		return
	}
	m.drafts.returned = append(m.drafts.returned, returned{a.ticket.Channel, a.id, a.text})
	if over := len(m.drafts.returned) - maxReturned; over > 0 {
		m.drafts.returned = m.drafts.returned[over:]
	}
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
		switch {
		case r.chat == m.current.chat && m.composer.Value() == r.text:
			m.composer.SetValue("")
		case r.chat != m.current.chat && m.drafts.kept[r.chat] == r.text:
			delete(m.drafts.kept, r.chat)
		default:
			continue
		}
		m.tell(status.Info, "the message had arrived after all")
	}
	m.drafts.returned = open
}

// has reports whether a chat has a turn or a queued message of an id.
func has(chat *protocol.ChatState, id string) bool {
	if chat == nil {
		return false
	}
	if chat.ActiveTurn != nil && chat.ActiveTurn.ID == id {
		return true
	}
	for i := len(chat.Turns) - 1; i >= 0; i-- {
		if chat.Turns[i].ID == id {
			return true
		}
	}
	for _, p := range chat.QueuedMessages {
		if p.ID == id {
			return true
		}
	}
	return false
}

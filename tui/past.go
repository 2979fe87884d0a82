package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
)

const (
	// maxPast bounds the messages that can be looked up, and those that are
	// remembered of a chat beside its state.
	maxPast = 200
	// maxScanned bounds the turns that are looked through for them.
	maxScanned = 5000
)

// past is the looking up of messages that were sent before. The zero past looks
// up nothing.
type past struct {
	sent    []written // the newest first
	at      int       // the one that is shown, counted from 1
	shown   written   // as it was put into the composer
	written written   // what was written before, and what was made of what was looked up
}

// unsent is what was written and not sent, where now is in the composer.
func (p past) unsent(now written) written {
	switch {
	case p.at == 0:
		return now
	case now.same(p.shown):
		return p.written
	}
	return joined(p.written, now)
}

// recordSent notes a message that was sent, for when the chat does not have it.
func (m *Model) recordSent(chat protocol.URI, w written) {
	if m.writing.sent == nil {
		m.writing.sent = map[protocol.URI][]written{}
	}
	m.writing.sent[chat] = append(m.writing.sent[chat], w)
	if over := len(m.writing.sent[chat]) - maxPast; over > 0 {
		m.writing.sent[chat] = m.writing.sent[chat][over:]
	}
}

// sentBefore is what was sent in the chat on the screen, the newest first, each
// text once.
func (m *Model) sentBefore() []written {
	var list []written
	seen := map[string]bool{}
	add := func(w written) {
		if !blank(w.text) && !seen[w.text] && len(list) < maxPast {
			seen[w.text] = true
			list = append(list, w)
		}
	}
	said := func(msg *protocol.Message) {
		if msg != nil && (msg.Origin.Kind == "" || msg.Origin.Kind == protocol.OriginUser) {
			add(ofMessage(msg))
		}
	}
	here := m.writing.sent[m.current.chat]
	for i := len(here) - 1; i >= 0; i-- {
		add(here[i])
	}
	chat := m.chat()
	if chat == nil {
		return list
	}
	for i := len(chat.QueuedMessages) - 1; i >= 0; i-- {
		if p := chat.QueuedMessages[i]; p != nil {
			said(p.Message)
		}
	}
	if chat.SteeringMessage != nil {
		said(chat.SteeringMessage.Message)
	}
	if chat.ActiveTurn != nil {
		said(chat.ActiveTurn.Message)
	}
	for i := len(chat.Turns) - 1; i >= max(0, len(chat.Turns)-maxScanned) && len(list) < maxPast; i-- {
		said(chat.Turns[i].Message)
	}
	return list
}

// recallOlder looks up what was sent before what is in the composer; above its first
// line only, if key moves in it.
func (m *Model) recallOlder(key tea.KeyPressMsg) tea.Cmd {
	if key.Code == tea.KeyUp && !m.composer.AtFirstLine() {
		return m.typeKey(key)
	}
	p := &m.writing.past
	if p.at == 0 {
		*p = past{sent: m.sentBefore(), written: m.written()}
	}
	if p.at == len(p.sent) {
		words := safetext.Const("nothing was sent before this")
		if p.at == 0 {
			*p, words = past{}, safetext.Const("nothing was sent in this chat yet")
		}
		m.notices.hint(m.clock.now, words)
		return nil
	}
	m.lookUp(p.at + 1)
	return nil
}

// recallNewer goes back to what was sent after that, and in the end to what was being
// written.
func (m *Model) recallNewer(key tea.KeyPressMsg) tea.Cmd {
	p := &m.writing.past
	switch {
	case key.Code == tea.KeyDown && (p.at == 0 || !m.composer.AtLastLine()):
		return m.typeKey(key)
	case p.at == 0:
	case p.at == 1:
		w := m.unsent()
		*p = past{}
		m.setWritten(written{})
		m.fill(w)
	default:
		m.lookUp(p.at - 1)
	}
	return nil
}

// lookUp shows one of the messages that were sent.
func (m *Model) lookUp(at int) {
	p := &m.writing.past
	p.written = p.unsent(m.written())
	m.stopCompleting()
	m.setWritten(p.sent[at-1])
	p.at, p.shown = at, m.written()
}

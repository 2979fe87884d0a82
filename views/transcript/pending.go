package transcript

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/frame"
)

// The queue is what stands behind the turns: messages that wait for one, and,
// up to 0.5.2, the requests that are open.

// queued is the number of parts of the queue.
func (m *Model) queued() int {
	chat := m.in.Chat
	n := len(chat.InputRequests) + len(chat.SteeringMessages) + len(chat.QueuedMessages)
	if chat.SteeringMessage != nil {
		n++
	}
	return n
}

// queuedRequest is the request of a part of the queue, or nil.
func (m *Model) queuedRequest(section, part int) *protocol.ChatInputRequest {
	if section != m.sections()-1 || part >= len(m.in.Chat.InputRequests) {
		return nil
	}
	return m.in.Chat.InputRequests[part]
}

// waiting is the message of a part of the queue, nil if it has none, and where it
// waits.
func (m *Model) waiting(section, part int) (msg *protocol.PendingMessage, where Waiting) {
	chat, i := m.in.Chat, part-len(m.in.Chat.InputRequests)
	if section != m.sections()-1 || i < 0 {
		return nil, ""
	}
	if chat.SteeringMessage != nil {
		if i == 0 {
			return chat.SteeringMessage, InSlot
		}
		i--
	}
	if i < len(chat.SteeringMessages) {
		return chat.SteeringMessages[i], InSteering
	}
	if i -= len(chat.SteeringMessages); i < len(chat.QueuedMessages) {
		return chat.QueuedMessages[i], InQueue
	}
	return nil, ""
}

// queuedText is a message of the queue as text.
func (m *Model) queuedText(s spot) (t text, ok bool) {
	pending, where := m.waiting(s.section, s.part)
	if pending == nil || pending.Message == nil || pending.Message.Text.Len() == 0 {
		return text{}, false
	}
	it := m.item(s.section, s.part)
	t = text{text: pending.Message.Text, label: frame.Line{}.Own(m.emphasis(it, m.theme.Pending), where.label()), apart: true, style: m.theme.Dim, attached: attached(pending.Message)}
	t.chosen = m.isSelected(it)
	t.focused = t.chosen && m.focused
	t.note = m.pendingKeys()
	return t, true
}

// pendingKeys are the keys of a message that waits.
func (m *Model) pendingKeys() (line frame.Line) {
	for _, k := range []struct {
		key  safetext.Text
		does string
	}{{m.in.TakeKey, "take back"}, {m.in.RemoveKey, "remove"}} {
		if !k.key.Empty() {
			line = line.Own(m.theme.Dim, "[").Add(m.theme.Key, k.key).Own(m.theme.Dim, "] "+k.does+"  ")
		}
	}
	return line
}

// aside draws what belongs to no turn and is no text.
func (m *Model) aside(s spot) []string {
	if s.section == 0 {
		words, most := "earlier turns are not loaded", 1
		if !m.in.Older.Empty() {
			words, most = m.in.Older.String(), 3
		}
		return m.drawn(s, "head "+words, func() []string {
			return m.marked(m.theme.Signs.Above, m.theme.Dim, m.theme.Dim, words, most)
		})
	}
	if r := m.queuedRequest(s.section, s.part); r != nil {
		return m.asking(s, r, r, "", true)
	}
	it := m.item(s.section, s.part)
	if pending, where := m.waiting(s.section, s.part); pending != nil {
		return m.drawn(s, m.look(it, pending), func() []string {
			return m.labelled(frame.Line{}.Own(m.emphasis(it, m.theme.Pending), where.label()), m.wordless(pending.Message), true)
		})
	}
	return m.drawn(s, "nothing", func() []string { return []string{} })
}

package tui

import (
	"slices"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/transcript"
)

// waiting is the selected message that waits for its turn; ok is false if none is
// selected.
func (m *Model) waiting() (sel transcript.Selection, ok bool) {
	sel = m.transcript.Selected()
	return sel, m.focus == keymap.Transcript && sel.Kind == transcript.Pending && sel.Pending != nil
}

// removal is the action that takes a message out of where it waits.
func removal(sel transcript.Selection) protocol.Action {
	switch sel.Waiting {
	case transcript.InSteering:
		return &protocol.ChatSteeringMessageRemoved{ID: sel.ID}
	case transcript.InSlot:
		return &protocol.ChatPendingMessageRemoved{Kind: protocol.PendingSteering, ID: sel.ID}
	case transcript.InQueue:
	}
	return &protocol.ChatPendingMessageRemoved{Kind: protocol.PendingQueued, ID: sel.ID}
}

// unqueue removes the selected message that waits.
func (m *Model) unqueue(sel transcript.Selection) bool {
	return m.dispatch(m.current.chat, removal(sel), asked{what: "remove the message"})
}

// takeBack removes the selected message that waits, and lets the person write on
// in it. Should the host not let it go, it is not in the composer either.
func (m *Model) takeBack() {
	sel, _ := m.waiting()
	chat, w := m.current.chat, ofMessage(sel.Pending.Message)
	if !m.unqueue(sel) {
		return
	}
	if chat != m.current.chat {
		m.drafts.keep(chat, joined(w, m.drafts.kept[chat]))
	} else {
		m.fill(w)
		m.setFocus(keymap.Composer)
	}
	m.drafts.lookFor(returned{chat, sel.ID, w})
}

// whyNoWaiting says why there is no waiting message to do something with, or "".
func (m *Model) whyNoWaiting() safetext.Text {
	sel, ok := m.waiting()
	switch {
	case !ok:
		return safetext.Const("select a message that waits for its turn first")
	case !protocol.ClientMay(m.version(), removal(sel).ActionType()):
		return safetext.Const("the host's version of the protocol does not let this message be taken away")
	}
	return m.offline()
}

// reorder moves the selected message in the queue.
func (m *Model) reorder(by int) {
	sel, _ := m.waiting()
	var order []string
	for _, p := range m.chat().QueuedMessages {
		if p != nil {
			order = append(order, p.ID)
		}
	}
	i := slices.Index(order, sel.ID)
	order[i], order[i+by] = order[i+by], order[i]
	m.dispatch(m.current.chat, &protocol.ChatQueuedMessagesReordered{Order: order}, asked{what: "move the message"})
}

// whyNoReorder says why the selected message cannot be moved, or "".
func (m *Model) whyNoReorder(by int) safetext.Text {
	if why := m.whyNoWaiting(); !why.Empty() {
		return why
	}
	sel, _ := m.waiting()
	queue := slices.DeleteFunc(slices.Clone(m.chat().QueuedMessages), func(p *protocol.PendingMessage) bool { return p == nil })
	i := slices.IndexFunc(queue, func(p *protocol.PendingMessage) bool { return p.ID == sel.ID })
	switch {
	case sel.Waiting != transcript.InQueue || i < 0:
		return safetext.Const("this message is for the turn that is running: there is no order in that")
	case i+by < 0:
		return safetext.Const("this message is the next already")
	case i+by >= len(queue):
		return safetext.Const("this message is the last already")
	case !protocol.ClientMay(m.version(), (*protocol.ChatQueuedMessagesReordered)(nil).ActionType()):
		return safetext.Const("the host's version of the protocol has no order of the queue")
	}
	return safetext.Text{}
}

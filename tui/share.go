package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/status"
)

const (
	// shareAfter is how long nothing is typed before the draft is shared with the
	// other clients of the chat.
	shareAfter = 500 * time.Millisecond
	// busyTyping is for how long after a key no draft of another client comes into
	// the composer.
	busyTyping = time.Second
)

// sharing is the drafts of chats as the host has them, and the wait until one is shared.
type sharing struct {
	chats  map[protocol.URI]*shared
	stamp  shareStamp
	cancel chan struct{} // ends the wait until the draft is shared; nil: there is none
}

// shared is the draft of a chat as the host has it, or is told of it.
type shared struct {
	seen *protocol.Message // the host's draft that was looked at last
	// theirs is what was taken over from the host, ours what was told to it, and
	// settled what it need not be told of. What is typed is none of them.
	theirs, ours, settled written
	refused               bool // the host takes no drafts of this chat
}

// shareStamp is what a draft that is to be shared depends on.
type shareStamp struct {
	chat    protocol.URI
	text    string
	changes int
	stale   bool
}

// shareMsg says that nothing was typed for a while.
type shareMsg struct{ chat protocol.URI }

// shared is what is known of the draft of a chat.
func (m *Model) shared(chat protocol.URI) *shared {
	if m.sharing.chats == nil {
		m.sharing.chats = map[protocol.URI]*shared{}
	}
	s := m.sharing.chats[chat]
	if s == nil {
		s = &shared{}
		m.sharing.chats[chat] = s
	}
	return s
}

// watchDraft follows the draft of the chat on the screen: it takes over what another
// client wrote, and sees to it that what is typed here is shared in a while.
func (m *Model) watchDraft() tea.Cmd {
	if m.conn == nil || m.current.chat == "" {
		return nil
	}
	m.adoptDraft()
	stamp := shareStamp{m.current.chat, m.composer.Value(), m.drafts.changes, m.stale() || m.chat() == nil}
	if m.sharing.stamp == stamp {
		return nil
	}
	m.sharing.stamp = stamp
	m.stopSharing()
	if stamp.stale || !m.toShare() {
		return nil
	}
	m.sharing.cancel = make(chan struct{})
	return m.link.after(shareAfter, m.sharing.cancel, shareMsg{m.current.chat})
}

func (m *Model) stopSharing() {
	if m.sharing.cancel != nil {
		close(m.sharing.cancel)
		m.sharing.cancel = nil
	}
}

// open is a message without the files of this machine: they go along when it is
// sent, and not each time that something is typed.
func (w written) open() written {
	w.files = slices.DeleteFunc(slices.Clone(w.files), func(a attachment) bool { return a.path != "" })
	return w
}

// toShare reports whether the host is to be told what is in the composer.
func (m *Model) toShare() bool {
	s, chat := m.shared(m.current.chat), m.chat()
	w := m.unsent().open()
	return chat != nil && !s.refused && m.whyNotSend().Empty() && protocol.ClientMay(m.version(), (*protocol.ChatDraftChanged)(nil).ActionType()) &&
		!w.same(s.settled) && !w.same(ofMessage(chat.Draft)) && (!w.empty() || chat.Draft != nil)
}

// shareDraft tells the host what is in the composer, for the other clients of the
// chat. What becomes of that is nothing that the person has to know.
func (m *Model) shareDraft() {
	m.stopSharing()
	if m.conn == nil || m.current.chat == "" || m.stale() || !m.toShare() {
		return
	}
	w, chat := m.unsent().open(), m.current.chat
	var msg *protocol.Message
	if !w.empty() {
		msg = w.message()
	}
	ticket, err := m.conn.Host.Dispatch(chat, protocol.ChangeDraft(m.version(), msg))
	if err != nil {
		return // it stays here, and is shared when something is typed again
	}
	s := m.shared(chat)
	s.theirs, s.ours, s.settled = written{}, w, w
	m.asked = append(m.asked, asked{ticket: ticket, what: "share the draft", draft: true})
}

// draftShared notes what became of a draft that was shared.
func (m *Model) draftShared(a asked, o ahpclient.Outcome) {
	s := m.shared(a.ticket.Channel)
	switch o.Kind {
	case ahpclient.Rejected:
		if !s.refused {
			m.tell(status.Info, reason("the host does not share what is being written here", o.Reason))
		}
		s.refused = true
	case ahpclient.Unknown:
		s.settled = written{}
		m.drafts.changes++ // it is shared again
	case ahpclient.Accepted, ahpclient.Expired:
	}
}

// adoptDraft takes over what another client wrote, if nothing is lost by that: the
// composer is empty, or has what another client wrote before, or all that it has is
// in the new draft.
func (m *Model) adoptDraft() {
	chat, s := m.chat(), m.shared(m.current.chat)
	if chat == nil || chat.Draft == s.seen {
		return
	}
	theirs, mine := ofMessage(chat.Draft), m.unsent()
	here := mine.open()
	if theirs.same(here) || !theirs.empty() && theirs.same(s.ours) {
		s.seen = chat.Draft
		return
	}
	if until := m.writing.typed.Add(busyTyping); m.focus == keymap.Composer && m.clock.now.Before(until) {
		m.clock.at(until)
		return
	}
	s.seen = chat.Draft
	untouched := mine.empty() || here.same(s.theirs)
	replaces := untouched || len(here.files) == 0 && here.as == nil && !blank(here.text) && strings.Contains(theirs.text, here.text)
	if !mine.empty() && (!replaces || len(here.files) != len(mine.files)) || !theirs.fits() || m.writing.past.at > 0 {
		return
	}
	m.stopCompleting()
	m.setWritten(theirs)
	if mine.empty() {
		m.notices.add(m.clock.now, status.Info, safetext.Const("this was written in another client"))
	}
	s.settled, s.theirs = m.unsent(), written{}
	if untouched { // else what was typed here is in it
		s.theirs = s.settled
	}
}

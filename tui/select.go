package tui

import (
	"cmp"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/status"
)

const (
	// maxOpened bounds the channels that stay subscribed because they were
	// looked at once.
	maxOpened = 48
	// maxWatched bounds the sessions that are subscribed because their summary
	// says that something goes on in them.
	maxWatched = 32
)

// current is what is on the screen.
type current struct {
	session protocol.URI
	chat    protocol.URI
	title   string // of the session, as it was last known
	seen    bool   // the session was among the channels
	gone    bool   // and is not any more

	read bool // it was marked as read
	busy bool // a turn ran in it

	chatListed bool // the chat was in the session's catalogue
	chatGone   bool // and is not any more
}

// follow keeps what is on the screen subscribed, and goes where the person
// wants to go as soon as it is there.
func (m *Model) follow() {
	m.noteGone()
	if m.current.session == "" {
		m.show(m.firstSession())
	}
	m.watchBusy()
	m.openChat()
	m.reachGoal()
	m.landOnBlock()
}

// noteGone notices that the session on the screen is not there any more. It
// stays on the screen, with what is typed, until the person goes elsewhere.
func (m *Model) noteGone() {
	c := &m.current
	there := m.view.Channels[c.session] != nil
	if state := m.session(); state != nil && state.Title != "" {
		c.title = state.Title
	}
	c.gone = !there && (c.seen || c.gone)
	c.seen = there
}

// firstSession is what to open with: something that waits, else what was on the
// screen last, else something that works, else the newest.
func (m *Model) firstSession() protocol.URI {
	last := []*protocol.SessionSummary{m.lastSession()}
	for _, list := range [][]*protocol.SessionSummary{m.catalogue.waiting, last, m.catalogue.busy, m.view.Sessions} {
		for _, s := range list {
			if s != nil && !s.Status.Archived() {
				return s.Resource
			}
		}
	}
	return ""
}

// show puts a session on the screen.
func (m *Model) show(session protocol.URI) {
	m.resting.stop()
	if session == "" || session == m.current.session && !m.current.gone {
		return
	}
	if m.current.session != "" { // else what is typed is for whatever comes first
		m.keepDraft()
	}
	m.current = current{session: session}
	m.drafts.belongs(session, session)
	if s := m.catalogue.byURI[session]; s != nil {
		m.current.title = s.Title
	}
	m.loadDraft()
	m.keep = session
	m.sessions.SelectID(session)
	m.open(session, protocol.SessionKind)
	m.transcript.Deselect()
	m.openChat()
}

// openChat opens the chat of the session on the screen once the session tells
// which it is. A chat that is gone gives way to the main one, but not while
// something is written to it: that was not meant for the main one.
func (m *Model) openChat() {
	state, c := m.session(), &m.current
	if state == nil {
		return
	}
	listed := slices.ContainsFunc(state.Chats, func(s *protocol.ChatSummary) bool { return s.Resource == c.chat })
	switch {
	case c.chat == "":
		m.showChat(state.MainChat())
	case listed:
		c.chatListed = true
	case c.chatListed && c.chat != state.MainChat():
		c.chatGone = true
		if m.focus != keymap.Composer {
			m.tell(status.Warning, "this chat is gone; what you see is the main chat of the session")
			m.showChat(state.MainChat())
		}
	}
}

func (m *Model) showChat(chat protocol.URI) {
	c := &m.current
	if chat == "" || chat == c.chat {
		return
	}
	if c.chat != "" { // else what is typed was written before there was a chat
		m.keepDraft()
	}
	c.chat, c.chatListed, c.chatGone = chat, false, false
	m.drafts.belongs(chat, c.session)
	m.loadDraft()
	m.open(chat, protocol.ChatKind)
}

// open subscribes to a channel, and ends the subscriptions that were not looked
// at for longest when there are too many.
func (m *Model) open(uri protocol.URI, kind protocol.ChannelKind) {
	m.opened = slices.DeleteFunc(m.opened, func(u protocol.URI) bool { return u == uri })
	m.opened = append(m.opened, uri)
	m.conn.Host.Open(uri, kind)
	for i := 0; i < len(m.opened) && len(m.opened) > maxOpened; {
		if oldest := m.opened[i]; !m.needed(oldest) {
			m.opened = slices.Delete(m.opened, i, i+1)
			m.conn.Host.Close(oldest)
			continue
		}
		i++
	}
}

// needed reports whether a channel has to stay open: it is on the screen, or
// something goes on in it, or an answer is awaited.
func (m *Model) needed(uri protocol.URI) bool {
	if uri == m.current.session || uri == m.current.chat {
		return true
	}
	if s := m.catalogue.byURI[uri]; s != nil && s.Status.Busy() {
		return true
	}
	return slices.ContainsFunc(m.asked, func(a asked) bool { return a.ticket.Channel == uri })
}

// watchBusy subscribes to the sessions in which something goes on, so that what
// blocks them is known.
func (m *Model) watchBusy() {
	for _, s := range m.catalogue.busy[:min(len(m.catalogue.busy), maxWatched)] {
		if m.view.Channels[s.Resource] == nil && !slices.Contains(m.opened, s.Resource) {
			m.open(s.Resource, protocol.SessionKind)
		}
	}
}

// rest is how long the selection has to stand still in the session list before
// a session that is not open yet is opened: who runs down a long list does not
// want all of it.
const rest = 120 * time.Millisecond

// resting is a selection in the session list that may not be final.
type resting struct {
	cancel chan struct{}
	uri    protocol.URI
}

// restMsg says that the selection has stood still.
type restMsg struct{ uri protocol.URI }

func (r *resting) stop() {
	if r.cancel != nil {
		close(r.cancel)
	}
	*r = resting{}
}

// preview shows the session that was moved to: at once if it is there already.
func (m *Model) preview() tea.Cmd {
	uri := m.sessions.Selected()
	switch {
	case uri == "", uri == m.current.session:
		m.resting.stop()
		return nil
	case m.view.Session(uri) != nil:
		m.show(uri)
		return nil
	}
	m.resting.stop()
	m.resting = resting{make(chan struct{}), uri}
	return m.link.after(rest, m.resting.cancel, restMsg{uri})
}

// rested shows the session that the selection came to rest on.
func (m *Model) rested(msg restMsg) {
	if m.resting.cancel != nil && m.resting.uri == msg.uri {
		m.show(msg.uri)
	}
}

// settle shows the session that is selected, for a key that is about it.
func (m *Model) settle() {
	if m.focus == keymap.Sessions {
		m.show(m.sessions.Selected())
	}
}

// whyNoneSelected says why there is no session to act on, or "".
func (m *Model) whyNoneSelected() safetext.Text {
	if m.sessions.Selected() == "" {
		return m.whyNoSession()
	}
	return safetext.Text{}
}

func (m *Model) whyNoSession() safetext.Text {
	switch c := m.view.Channels[m.current.session]; {
	case m.current.gone:
		return safetext.Const("the host does not have this session any more")
	case m.current.session == "" && m.stale():
		return m.whyOffline()
	case m.current.session == "" && !m.view.Listed:
		return safetext.Const("waiting for the host's sessions")
	case m.current.session == "":
		return own("no session is open; " + m.keyName(keymap.SessionNew).String() + " makes one")
	case c != nil && c.Err != nil:
		return own("the host does not open this session: " + c.Err.Error())
	case m.stale():
		return m.whyOffline()
	}
	return safetext.Const("opening the session")
}

func (m *Model) whyNoChat() safetext.Text {
	state := m.session()
	if state == nil {
		return m.whyNoSession()
	}
	switch c := m.view.Channels[m.current.chat]; {
	case state.Lifecycle.Failed():
		why := "the host does not say why"
		if state.CreationError != nil {
			why = cmp.Or(state.CreationError.Message, why)
		}
		return own("the session could not be created: " + why)
	case m.current.chat == "" && state.Lifecycle == protocol.LifecycleCreating:
		return safetext.Const("the session is being created")
	case m.current.chat == "":
		return safetext.Const("the session has no chat yet")
	case c != nil && c.Err != nil:
		return own("the host does not open this chat: " + c.Err.Error())
	case m.chat() == nil && m.stale():
		return m.whyOffline()
	case m.chat() == nil:
		return safetext.Const("opening the chat")
	}
	return own("nothing was said yet: " + m.keyName(keymap.ComposerFocus).String() + " writes the first message")
}

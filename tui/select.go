package tui

import (
	"slices"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
)

const (
	// maxOpened bounds the channels that stay subscribed because they were
	// looked at once.
	maxOpened = 24
	// maxWatched bounds the sessions that are subscribed because their summary
	// says that something goes on in them.
	maxWatched = 32
)

// follow keeps what is on the screen subscribed, and goes where the person
// wants to go as soon as it is there.
func (m *Model) follow() {
	if m.current.session == "" {
		m.show(m.firstSession())
	}
	m.watchBusy()
	m.openChat()
	m.noteTurn()
	m.reachGoal()
	m.landOnBlock()
}

// firstSession is what to open with: something that waits, else the newest.
func (m *Model) firstSession() protocol.URI {
	for _, s := range m.view.Sessions {
		if s.Status.NeedsInput() {
			return s.Resource
		}
	}
	for _, s := range m.view.Sessions {
		if s.Status.Busy() {
			return s.Resource
		}
	}
	if len(m.view.Sessions) > 0 {
		return m.view.Sessions[0].Resource
	}
	return ""
}

// show puts a session on the screen.
func (m *Model) show(session protocol.URI) {
	if session == "" || session == m.current.session {
		return
	}
	m.keepDraft()
	m.current = current{session: session}
	m.sessions.SelectID(session)
	m.open(session, protocol.SessionKind)
	m.transcript.Deselect()
	m.openChat()
}

// openChat opens the chat of the session on the screen once the session tells
// which it is.
func (m *Model) openChat() {
	state := m.session()
	if state == nil {
		return
	}
	chat := m.current.chat
	if chat == "" || !slices.ContainsFunc(state.Chats, func(c *protocol.ChatSummary) bool { return c.Resource == chat }) {
		chat = state.MainChat()
	}
	m.showChat(chat)
}

func (m *Model) showChat(chat protocol.URI) {
	if chat == "" || chat == m.current.chat {
		return
	}
	m.keepDraft()
	m.current.chat = chat
	m.composer.SetValue(m.drafts[chat])
	m.open(chat, protocol.ChatKind)
}

// keepDraft keeps what is typed for when the chat is on the screen again.
func (m *Model) keepDraft() {
	if m.current.chat != "" {
		m.drafts[m.current.chat] = m.composer.Value()
	}
	m.composer.SetValue("")
}

// open subscribes to a channel, and ends the subscription that was not looked
// at for longest when there are too many.
func (m *Model) open(uri protocol.URI, kind protocol.ChannelKind) {
	m.opened = slices.DeleteFunc(m.opened, func(u protocol.URI) bool { return u == uri })
	m.opened = append(m.opened, uri)
	m.conn.Host.Open(uri, kind)
	for len(m.opened) > maxOpened {
		oldest := m.opened[0]
		m.opened = m.opened[1:]
		if oldest != m.current.session && oldest != m.current.chat && !m.busy(oldest) {
			m.conn.Host.Close(oldest)
		}
	}
}

func (m *Model) busy(uri protocol.URI) bool {
	s := m.view.Summary(uri)
	return s != nil && s.Status.Busy()
}

// watchBusy subscribes to the sessions in which something goes on, so that what
// blocks them is known.
func (m *Model) watchBusy() {
	watched := 0
	for _, s := range m.view.Sessions {
		if !s.Status.Busy() || s.Status.Archived() {
			continue
		}
		if watched++; watched > maxWatched {
			return
		}
		if m.view.Channels[s.Resource] == nil {
			m.conn.Host.Open(s.Resource, protocol.SessionKind)
		}
	}
}

// noteTurn remembers when the active turn was first seen, to tell how long it
// took when it is cancelled.
func (m *Model) noteTurn() {
	chat := m.chat()
	if chat == nil || chat.ActiveTurn == nil {
		return
	}
	if _, ok := m.began[chat.ActiveTurn.ID]; !ok {
		m.began[chat.ActiveTurn.ID] = m.now
	}
}

// landOnBlock selects what blocks the chat on the screen, as long as the person
// has not gone anywhere by a key.
func (m *Model) landOnBlock() {
	if m.touched || m.current.chat == "" {
		return
	}
	for _, b := range m.view.BlockedIn(m.current.session) {
		if b.Chat == m.current.chat && m.chat() != nil {
			m.selectBlock(b)
			return
		}
	}
}

// goTo goes to a block, wherever it is; at once if its chat is there.
func (m *Model) goTo(b protocol.Block) {
	m.goal = &b
	m.show(b.Session)
	if b.Chat != "" {
		m.showChat(b.Chat)
	}
	m.reachGoal()
}

func (m *Model) reachGoal() {
	if m.goal == nil || m.goal.Session != m.current.session {
		return
	}
	if m.goal.Chat != "" && m.chat() == nil || m.session() == nil {
		return
	}
	b := *m.goal
	m.goal = nil
	m.selectBlock(b)
}

// selectBlock selects a block in the panel that it stands in.
func (m *Model) selectBlock(b protocol.Block) {
	switch {
	case b.Server != nil:
		m.setFocus(keymap.Servers)
		m.servers.Sync(m.serversInput())
		m.servers.Select(m.refOf(b.Server.ID))
	case b.ToolCall != nil:
		m.setFocus(keymap.Transcript)
		m.transcript.Sync(m.transcriptInput())
		m.transcript.SelectCall(b.TurnID, b.ToolCall.ToolCallID)
	case b.Input != nil:
		m.setFocus(keymap.Transcript)
		m.transcript.Sync(m.transcriptInput())
		m.transcript.SelectRequest(b.Input.ID)
	}
}

// blocks is everything that waits, with one entry for a session that is not open.
func (m *Model) blocks() []protocol.Block {
	list := m.view.Blocked()
	for _, s := range m.view.Sessions {
		if m.view.Session(s.Resource) == nil && s.Status.NeedsInput() {
			list = append(list, protocol.Block{ID: "session:" + string(s.Resource), Kind: protocol.BlockOther, Session: s.Resource})
		}
	}
	return list
}

// nextBlocked goes to the block after the one that is selected.
func (m *Model) nextBlocked() {
	list := m.blocks()
	if len(list) == 0 {
		return
	}
	at := slices.IndexFunc(list, m.isSelected)
	m.goTo(list[(at+1)%len(list)])
}

// newestBlocked goes to what was blocked last.
func (m *Model) newestBlocked() {
	list := m.blocks()
	if len(list) == 0 {
		return
	}
	newest := list[0]
	latest, _ := m.view.Ages.Since(newest.ID)
	for _, b := range list[1:] {
		if since, ok := m.view.Ages.Since(b.ID); ok && since.After(latest) {
			newest, latest = b, since
		}
	}
	m.goTo(newest)
}

func (m *Model) isSelected(b protocol.Block) bool {
	if b.Session != m.current.session {
		return false
	}
	switch {
	case b.Server != nil:
		ref, ok := m.servers.Selected()
		return ok && m.focus == keymap.Servers && ref.ID == b.Server.ID
	case b.ToolCall != nil:
		return m.focus == keymap.Transcript && m.transcript.Selected().ID == b.ToolCall.ToolCallID
	case b.Input != nil:
		return m.focus == keymap.Transcript && m.transcript.Selected().ID == b.Input.ID
	}
	return false
}

func (m *Model) whyNoSession() safetext.Text {
	switch c := m.view.Channels[m.current.session]; {
	case m.current.session == "" && m.stale():
		return safetext.Const("waiting for the host")
	case m.current.session == "":
		return safetext.Const("no session is open")
	case c != nil && c.Err != nil:
		return own("the host does not open this session: " + c.Err.Error())
	}
	return safetext.Const("opening the session")
}

func (m *Model) whyNoChat() safetext.Text {
	state := m.session()
	if state == nil {
		return m.whyNoSession()
	}
	switch c := m.view.Channels[m.current.chat]; {
	case state.Lifecycle.Failed() && state.CreationError != nil:
		return own("the session could not be created: " + state.CreationError.Message)
	case m.current.chat == "":
		return safetext.Const("the session has no chat yet")
	case c != nil && c.Err != nil:
		return own("the host does not open this chat: " + c.Err.Error())
	case m.chat() == nil:
		return safetext.Const("opening the chat")
	}
	return own("nothing was said yet: " + m.keyName(keymap.ComposerFocus).String() + " writes the first message")
}

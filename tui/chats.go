package tui

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// The items of the window besides the chats, whose ids begin with chatItem.
const (
	newChatItem  = "new"
	forkChatItem = "fork"
	chatItem     = "chat "
)

func chatCommands() map[keymap.ID]command {
	return map[keymap.ID]command{keymap.ChatList: does((*Model).listChats, (*Model).whyNoChats)}
}

// whyNoChats says why there are no chats to list, or "".
func (m *Model) whyNoChats() safetext.Text {
	if m.focus == keymap.Sessions && m.sessions.Selected() != "" {
		return safetext.Text{} // it is opened first
	}
	if m.session() == nil {
		return m.whyNoSession()
	}
	return safetext.Text{}
}

// listChats lists the chats of the session on the screen, and what can be made.
func (m *Model) listChats() {
	m.settle()
	session := m.current.session
	m.find(func() prompt.FinderInput { return m.chatsInput(session) }, func(id string) tea.Cmd {
		m.guard.moved = true
		switch {
		case m.current.session != session: // it went away
		case id == newChatItem:
			return m.createChat(protocol.NewCreateChat(session, ""), false)
		case id == forkChatItem:
			if p, why := m.forkParams(); why.Empty() {
				return m.createChat(p, false)
			}
		default:
			m.showChat(protocol.URI(strings.TrimPrefix(id, chatItem)))
			m.setFocus(keymap.Transcript)
		}
		return nil
	})
}

// shownChats are the chats that are not hidden.
func shownChats(s *protocol.SessionState) []*protocol.ChatSummary {
	hidden := func(c *protocol.ChatSummary) bool { return c.Interactivity == protocol.InteractivityHidden }
	if !slices.ContainsFunc(s.Chats, hidden) {
		return s.Chats
	}
	return slices.DeleteFunc(slices.Clone(s.Chats), hidden)
}

func (m *Model) chatsInput(session protocol.URI) prompt.FinderInput {
	in := prompt.FinderInput{Title: safetext.Const("Chats of this session"), Submit: "go there or make it"}
	state := m.view.Session(session)
	if state == nil {
		in.Empty = m.whyNoSession()
		return in
	}
	blocked := map[protocol.URI]int{}
	for _, b := range m.view.BlockedIn(session) {
		blocked[b.Chat]++
	}
	for _, c := range shownChats(state) {
		in.Items = append(in.Items, m.chatItem(state, c, blocked[c.Resource]))
	}
	_, noFork := m.forkParams()
	return prompt.FinderInput{Title: in.Title, Submit: in.Submit, Items: append(
		in.Items,
		prompt.FinderItem{ID: newChatItem, Name: safetext.Const("make a new chat"), Off: m.whyNoNewChat()},
		prompt.FinderItem{ID: forkChatItem, Name: m.forkName(), Off: noFork},
	)}
}

func (m *Model) chatItem(state *protocol.SessionState, c *protocol.ChatSummary, blocked int) prompt.FinderItem {
	chatStatus := c.Status
	if chat := m.view.Chat(c.Resource); chat != nil {
		chatStatus = chat.Status
	}
	badge := m.theme.Badge(chatBadge(chatStatus, blocked))
	notes := []string{}
	switch {
	case blocked > 0:
		notes = append(notes, strconv.Itoa(blocked)+" blocked")
	case chatBadge(chatStatus, blocked) != themes.SessionIdle:
		notes = append(notes, badge.Word)
	}
	if c.Interactivity == protocol.InteractivityReadOnly {
		notes = append(notes, "read-only")
	}
	if c.Resource == m.current.chat {
		notes = append(notes, "on the screen")
	}
	name := clean(c.TitleIn(state))
	if name.Empty() {
		name = safetext.Const("untitled")
	}
	return prompt.FinderItem{
		ID: chatItem + string(c.Resource), Name: name, Note: own(strings.Join(notes, ", ")),
		Sign: frame.Span{Style: badge.Style, Text: own(badge.Glyph)},
	}
}

func chatBadge(s protocol.Status, blocked int) themes.Status {
	switch {
	case blocked > 0 || s.NeedsInput():
		return themes.SessionInputNeeded
	case s.Failed():
		return themes.SessionError
	case s.Busy():
		return themes.SessionWorking
	}
	return themes.SessionIdle
}

// agentOf is the agent of the session on the screen, nil while nobody knows it.
func (m *Model) agentOf() *protocol.AgentInfo {
	if state := m.session(); state != nil {
		return m.agentInfo(state.Provider)
	}
	return nil
}

// whyNoNewChat says why the session cannot get another chat, or "".
func (m *Model) whyNoNewChat() safetext.Text {
	agent := m.agentOf()
	switch {
	case m.stale():
		return m.offline()
	case m.chatComing:
		return safetext.Const("the host is asked for a chat already")
	case agent == nil:
		return safetext.Const("the host does not say what this session's agent can do")
	case !agent.MayHaveChats():
		return own(agentName(agent) + " has one chat in a session")
	}
	return safetext.Text{}
}

func agentName(a *protocol.AgentInfo) string {
	if a.DisplayName != "" {
		return a.DisplayName
	}
	return a.Provider
}

// forkName says what is forked.
func (m *Model) forkName() safetext.Text {
	if chat := m.chat(); chat != nil {
		if turn, selected := m.forkTurn(chat); selected && turn != "" {
			return safetext.Const("fork this chat after the selected turn")
		}
	}
	return safetext.Const("fork this chat after its last turn")
}

// forkTurn is the turn after which a chat is forked: the selected one if that has ended, else the last one that has.
func (m *Model) forkTurn(chat *protocol.ChatState) (turn string, selected bool) {
	id := m.transcript.Selected().TurnID
	for i := len(chat.Turns) - 1; i >= 0; i-- {
		if t := chat.Turns[i]; t.State == protocol.TurnComplete {
			if t.ID == id {
				return id, true
			}
			if turn == "" {
				turn = t.ID
			}
		}
	}
	return turn, false
}

// forkParams are what forks the chat on the screen; why says why that cannot be.
func (m *Model) forkParams() (p *protocol.CreateChatParams, why safetext.Text) {
	if why := m.whyNoNewChat(); !why.Empty() {
		return nil, why
	}
	agent, chat := m.agentOf(), m.chat()
	if !agent.MayFork() {
		return nil, own(agentName(agent) + " cannot fork chats")
	}
	if chat == nil {
		return nil, safetext.Const("the chat is not open yet")
	}
	turn, _ := m.forkTurn(chat)
	if turn == "" {
		return nil, safetext.Const("no turn has ended in this chat yet")
	}
	p, ok := protocol.NewFork(m.version(), agent, m.current.session, "", m.current.chat, turn)
	if !ok {
		return nil, own("protocol " + m.view.Connection.Version.String() + " cannot fork chats")
	}
	return p, safetext.Text{}
}

// chatMsg tells what became of a new chat.
type chatMsg struct {
	session, chat protocol.URI
	err           error
	again         func() tea.Cmd // asks once more, after a sign-in; nil if it was asked twice already
}

// createChat asks the host for a chat; again, after a sign-in that it wanted.
func (m *Model) createChat(p *protocol.CreateChatParams, again bool) tea.Cmd {
	m.chatComing = true
	m.tell(status.Info, "asking the host for a chat")
	host := m.conn.Host
	retry := func() tea.Cmd { return m.createChat(p, true) }
	if again {
		retry = nil
	}
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, createPatience)
		defer cancel()
		uri, err := host.CreateChat(ctx, p)
		return chatMsg{p.Channel, uri, err, retry}
	})
}

// chatMade shows a new chat, if the person is still in its session.
func (m *Model) chatMade(msg chatMsg) tea.Cmd {
	m.chatComing = false
	switch {
	case msg.err != nil:
		if msg.again != nil {
			if cmd, ok := m.beginErrand("make a chat", "createChat", msg.err, msg.again); ok {
				return cmd
			}
		}
		m.tell(status.Problem, "the chat was not made: "+msg.err.Error())
	case m.current.session != msg.session:
		m.tell(status.Success, "the chat was made")
	default:
		m.catchUp()
		m.showChat(msg.chat)
		if m.top() == nil {
			m.setFocus(keymap.Composer)
		}
	}
	return nil
}

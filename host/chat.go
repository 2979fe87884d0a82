package host

import (
	"slices"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// A chat is a chat of a session.
type chat struct {
	uri     protocol.URI
	session *session
	state   *protocol.ChatState
	run     *run // nil: no turn runs
}

// What follows runs under the host's lock.

// main is the session's default chat.
func (s *session) main() *chat {
	for _, c := range s.chats {
		if c.uri == s.state.DefaultChat {
			return c
		}
	}
	return s.chats[0]
}

// newChat makes a chat with finished turns. It is not in the catalogue yet.
func (s *session) newChat(uri protocol.URI, title string, origin *protocol.ChatOrigin, turns []*protocol.Turn, created string) *chat {
	status, modified := protocol.StatusIdle, created
	if n := len(turns); n > 0 {
		last := turns[n-1]
		modified = endedAt(last, created)
		if last.State == protocol.TurnError {
			status = protocol.StatusError
		}
	}
	if turns == nil {
		turns = []*protocol.Turn{}
	}
	return &chat{uri: uri, session: s, state: &protocol.ChatState{
		Resource: uri, Title: title, Status: status, ModifiedAt: modified, Origin: origin, Turns: turns,
	}}
}

// endedAt is when a finished turn ended.
func endedAt(t *protocol.Turn, otherwise string) string {
	started, ok := protocol.ParseTime(t.StartedAt)
	if !ok || t.Duration == nil {
		return otherwise
	}
	return protocol.FormatTime(started.Add(millis(*t.Duration)))
}

func chatSummary(c *protocol.ChatState) *protocol.ChatSummary {
	return &protocol.ChatSummary{
		Resource: c.Resource, Title: c.Title, Status: c.Status, ModifiedAt: c.ModifiedAt, Origin: c.Origin,
		WorkingDirectories: c.WorkingDirectories,
	}
}

// createChat adds a chat to a session: an empty one, one that goes on from a turn
// of another chat, or one that is about such a turn. Naming the default chat,
// which is there from the start, is no error.
func (h *Host) createChat(c *conn, p *protocol.CreateChatParams) (any, *jsonrpc.Error) {
	s := h.sessions[p.Channel]
	switch {
	case s == nil:
		return nil, notFound(p.Channel)
	case p.Chat == s.state.DefaultChat && p.Source == nil:
		return nil, nil
	}
	if failure := h.mayCreateChat(s, p); failure != nil {
		return nil, failure
	}
	ch := s.newChat(p.Chat, "Chat", &protocol.ChatOrigin{Kind: "user"}, nil, now())
	ch.state.WorkingDirectories = p.WorkingDirectories
	if p.Source != nil {
		var failure *jsonrpc.Error
		if ch, failure = h.grow(c.client, s, p.Source, ch); failure != nil {
			return nil, failure
		}
	}
	s.chats = append(s.chats, ch)
	h.addChannel(ch.uri, ch)
	h.apply(s.uri, &protocol.SessionChatAdded{Summary: chatSummary(ch.state)}, nil)
	if p.InitialMessage != nil {
		if message, err := h.admitMessage(p.InitialMessage); err == nil { // as it was a moment ago
			h.begin(ch, message, "")
		}
	}
	return nil, nil
}

// mayCreateChat says what is wrong with a request for a chat.
func (h *Host) mayCreateChat(s *session, p *protocol.CreateChatParams) *jsonrpc.Error {
	foreign := func(dir protocol.URI) bool { return !slices.Contains(s.state.WorkingDirectories, dir) }
	switch {
	case h.multipleChats(s) == nil:
		return invalid("the agent has one chat a session")
	case !canBeChannel(p.Chat):
		return invalid("the chat needs a URI of its own")
	case h.channels[p.Chat] != nil:
		return invalid("there is a channel with this URI already")
	case len(s.chats) >= maxChats:
		return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the session has too many chats; dispose of some"}
	case slices.ContainsFunc(p.WorkingDirectories, foreign):
		return invalid("a chat works in directories of its session")
	}
	if p.InitialMessage != nil {
		if _, err := h.admitMessage(p.InitialMessage); err != nil {
			return invalid("initialMessage: %v", err)
		}
	}
	return nil
}

// multipleChats is what the session's agent can do with chats; nil where there is
// one a session.
func (h *Host) multipleChats(s *session) *protocol.MultipleChats {
	for _, a := range h.root.state.Agents {
		if a.Provider == s.state.Provider && a.Capabilities != nil {
			return a.Capabilities.MultipleChats
		}
	}
	return nil
}

// grow is a new chat as it begins where it grows from another one. A fork goes on
// from a finished turn; a side chat has a turn, finished or running, for a subject.
func (h *Host) grow(c *client, s *session, source *protocol.ChatSource, ch *chat) (*chat, *jsonrpc.Error) {
	kind := source.Kind
	if kind == "" && !c.version.AtLeast(protocol.V0_7_0) {
		kind = protocol.SourceFork
	}
	from := h.chat(source.Chat)
	if from == nil || from.session != s {
		return nil, invalid("the session has no chat %s", firstLine(string(source.Chat), 200))
	}
	origin := &protocol.ChatOrigin{Kind: kind, Chat: source.Chat, TurnID: source.TurnID}
	can := h.multipleChats(s)
	finished := turnIndex(from.state.Turns, source.TurnID)
	running := from.state.ActiveTurn != nil && from.state.ActiveTurn.ID == source.TurnID
	switch {
	case kind != protocol.SourceFork && kind != protocol.SourceSideChat:
		return nil, invalid("there are no sources of kind %q", firstLine(kind, 50))
	case kind == protocol.SourceFork && !isTrue(can.Fork), kind == protocol.SourceSideChat && !isTrue(can.SideChat):
		return nil, invalid("the agent makes no chats of kind %s", kind)
	case kind == protocol.SourceFork && finished < 0:
		return nil, invalid("a fork goes on from a finished turn, and the chat has none with this id")
	case kind == protocol.SourceFork:
		fork := s.newChat(ch.uri, "Fork of "+from.state.Title, origin, slices.Clip(from.state.Turns[:finished+1]), ch.state.ModifiedAt)
		fork.state.ModifiedAt = ch.state.ModifiedAt // now, not when its last turn ended
		fork.state.WorkingDirectories = from.state.WorkingDirectories
		return fork, nil
	case finished < 0 && !running:
		return nil, invalid("the chat has no such turn")
	}
	ch.state.Title, ch.state.Origin = "Aside to "+from.state.Title, origin
	if source.Selection != nil {
		raw, err := protocol.Marshal(source.Selection)
		if err != nil || len(raw) > maxTextBytes {
			return nil, invalid("the selection is too large")
		}
		origin.Selection = raw
	}
	return ch, nil
}

// disposeChat takes a chat away. A session always has one.
func (h *Host) disposeChat(_ *conn, p *protocol.ChannelParams) (any, *jsonrpc.Error) {
	c := h.chat(p.Channel)
	switch {
	case c == nil:
		return nil, notFound(p.Channel)
	case len(c.session.chats) == 1:
		return nil, invalid("the only chat of a session ends with the session")
	}
	s := c.session
	s.chats = slices.DeleteFunc(s.chats, func(other *chat) bool { return other == c })
	h.dropChat(c, errChatGone)
	h.apply(s.uri, &protocol.SessionChatRemoved{Chat: c.uri}, nil)
	if s.state.DefaultChat == "" {
		h.apply(s.uri, &protocol.SessionDefaultChatChanged{DefaultChat: s.chats[0].uri}, nil)
	}
	return nil, nil
}

// dropChat ends the run of a chat and forgets its channel.
func (h *Host) dropChat(c *chat, why error) {
	h.abandon(c, why)
	h.removeChannel(c.uri)
	h.closeConsolesOf(c.uri)
}

func isTrue(b *bool) bool { return b != nil && *b }

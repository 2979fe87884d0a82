package host

import (
	"reflect"
	"slices"

	"ahptui/protocol"
)

// settle makes everything consistent that follows from the state of a session's
// chats: the catalogue, what waits for input, how many sessions are active, and
// the summary that clients have. It applies actions, and ends when nothing is left
// to do.
func (h *Host) settle(s *session) {
	if h.sessions[s.uri] != s {
		return
	}
	for {
		a := s.due()
		if a == nil {
			break
		}
		// Not apply: this loop is what follows.
		s.state = protocol.ReduceSession(profile, s.state, a)
		h.publish(sent{Envelope: &protocol.Envelope{Channel: s.uri, Action: a}})
	}
	h.countActive()
	h.announceChanges(s)
}

// due is the next action that brings the session's state in line with its chats,
// or nil.
func (s *session) due() protocol.Action {
	var waiting []*protocol.SessionInputRequest
	for _, c := range s.chats {
		if a := s.catalogued(c); a != nil {
			return a
		}
		waiting = append(waiting, c.waiting()...)
	}
	for _, r := range s.state.InputNeeded {
		if !slices.ContainsFunc(waiting, func(w *protocol.SessionInputRequest) bool { return w.ID == r.ID }) {
			return &protocol.SessionInputNeededRemoved{ID: r.ID}
		}
	}
	for _, w := range waiting {
		if !slices.ContainsFunc(s.state.InputNeeded, func(r *protocol.SessionInputRequest) bool {
			return r.ID == w.ID && r.ToolCall == w.ToolCall && r.Request == w.Request
		}) {
			return &protocol.SessionInputNeededSet{Request: w}
		}
	}
	return nil
}

// catalogued is the action that brings a chat's entry in the catalogue in line
// with it, or nil.
func (s *session) catalogued(c *chat) protocol.Action {
	i := slices.IndexFunc(s.state.Chats, func(e *protocol.ChatSummary) bool { return e.Resource == c.uri })
	if i < 0 {
		return nil
	}
	have, want := s.state.Chats[i], c.state
	if have.Status == want.Status && have.ModifiedAt == want.ModifiedAt {
		return nil
	}
	changes, err := protocol.Marshal(chatChanges{want.Status, want.ModifiedAt})
	if err != nil {
		return nil // numbers and strings encode
	}
	return &protocol.SessionChatUpdated{Chat: c.uri, Changes: changes}
}

type chatChanges struct {
	Status     protocol.Status `json:"status"`
	ModifiedAt string          `json:"modifiedAt"`
}

// waiting lists what of the running turn waits for a person.
func (c *chat) waiting() []*protocol.SessionInputRequest {
	turn := c.state.ActiveTurn
	if turn == nil {
		return nil
	}
	var list []*protocol.SessionInputRequest
	for _, p := range turn.ResponseParts {
		switch {
		case p.Open():
			list = append(list, &protocol.SessionInputRequest{
				Kind: protocol.InputChat, ID: "chatInput:" + string(c.uri) + ":" + p.Request.ID,
				Chat: c.uri, Request: p.Request,
			})
		case p.ToolCall != nil && p.ToolCall.Status == protocol.ToolRunning && p.ToolCall.Contributor != nil && p.ToolCall.Contributor.Kind == protocol.ContributorClient:
			list = append(list, &protocol.SessionInputRequest{
				Kind: protocol.InputClientExecution, ID: string(protocol.InputClientExecution) + ":" + string(c.uri) + ":" + turn.ID + ":" + p.ToolCall.ToolCallID,
				Chat: c.uri, TurnID: turn.ID, ClientID: p.ToolCall.Contributor.ClientID, ToolCall: p.ToolCall,
			})
		case p.ToolCall != nil && p.ToolCall.Status.WaitsForUser():
			kind := protocol.InputConfirmation
			if p.ToolCall.Status == protocol.ToolAuthRequired {
				kind = protocol.InputAuthentication
			}
			list = append(list, &protocol.SessionInputRequest{
				Kind: kind, ID: string(kind) + ":" + string(c.uri) + ":" + turn.ID + ":" + p.ToolCall.ToolCallID,
				Chat: c.uri, TurnID: turn.ID, ToolCall: p.ToolCall,
			})
		}
	}
	return list
}

// countActive keeps the number of sessions in which a turn runs.
func (h *Host) countActive() {
	active := 0.0
	for _, s := range h.sessions {
		if s.busy() {
			active++
		}
	}
	if *h.root.state.ActiveSessions != active {
		h.apply(protocol.RootChannel, &protocol.RootActiveSessionsChanged{ActiveSessions: active}, nil)
	}
}

// busy reports whether a turn runs in one of the session's chats.
func (s *session) busy() bool {
	return slices.ContainsFunc(s.chats, func(c *chat) bool { return c.state.ActiveTurn != nil })
}

// announceChanges tells all clients what has changed in a session's summary.
func (h *Host) announceChanges(s *session) {
	if s.announced == nil {
		return // not announced yet
	}
	old, fresh := s.announced, s.summary()
	var changes summaryChanges
	if old.Title != fresh.Title {
		changes.Title = &fresh.Title
	}
	if old.Status != fresh.Status {
		changes.Status = &fresh.Status
	}
	if old.ModifiedAt != fresh.ModifiedAt {
		changes.ModifiedAt = &fresh.ModifiedAt
	}
	if !reflect.DeepEqual(old.Changes, fresh.Changes) {
		changes.Changes = fresh.Changes
	}
	if *old.Annotations != *fresh.Annotations {
		changes.Annotations = fresh.Annotations
	}
	if !reflect.DeepEqual(old.Chats, fresh.Chats) {
		changes.Chats = fresh.Chats
	}
	if old.DefaultChat != fresh.DefaultChat {
		changes.DefaultChat = &fresh.DefaultChat
	}
	if reflect.ValueOf(changes).IsZero() {
		return
	}
	s.announced = fresh
	raw, err := protocol.Marshal(changes)
	if err != nil {
		return // strings and numbers encode
	}
	h.broadcast("root/sessionSummaryChanged", func(v protocol.Version) any {
		p := protocol.At(v, &protocol.SessionSummaryChangedParams{Channel: protocol.RootChannel, Session: s.uri, Changes: raw})
		if string(p.Changes) == "{}" {
			return nil // nothing that the version has a word for
		}
		return p
	})
}

type summaryChanges struct {
	Title      *string          `json:"title,omitzero"`
	Status     *protocol.Status `json:"status,omitzero"`
	ModifiedAt *string          `json:"modifiedAt,omitzero"`

	Changes     *protocol.ChangesSummary     `json:"changes,omitzero"`
	Annotations *protocol.AnnotationsSummary `json:"annotations,omitzero"`

	Chats       []*protocol.SessionChatSummary `json:"chats,omitzero"`
	DefaultChat *protocol.URI                  `json:"defaultChat,omitzero"`
}

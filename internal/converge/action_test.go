package converge

import (
	"fmt"
	"math/rand/v2"
	"time"

	"ahptui/protocol"
)

// sessionAction is an action on a session. About half of what is drawn makes sense.
func sessionAction(rnd *rand.Rand, v protocol.Version, clientID string, serial int, s *protocol.SessionState) protocol.Action {
	id := pick(rnd, "a", "b", "c", "none")
	switch rnd.IntN(14) {
	case 0, 1:
		return &protocol.SessionTitleChanged{Title: fmt.Sprint("title ", serial)}
	case 2:
		return &protocol.SessionTitleChanged{} // refused
	case 3:
		return &protocol.SessionIsReadChanged{IsRead: rnd.IntN(2) == 0}
	case 4:
		return &protocol.SessionIsArchivedChanged{IsArchived: rnd.IntN(2) == 0}
	case 5:
		return &protocol.SessionMcpServerStartRequested{ID: id}
	case 6:
		return &protocol.SessionMcpServerStopRequested{ID: id}
	case 7, 8:
		return toggle(rnd, v, s, pick(rnd, id, "plugin:tools"))
	case 9:
		return &protocol.SessionActiveClientSet{ActiveClient: activeClient(rnd, pick(rnd, clientID, clientID, "somebody"), serial)}
	case 10:
		return &protocol.SessionActiveClientRemoved{ClientID: pick(rnd, clientID, "somebody")}
	case 11:
		return &protocol.SessionConfigChanged{Config: configuration(rnd)}
	case 12:
		return &protocol.SessionWorkingDirectorySet{Directory: "file:///elsewhere"} // refused
	}
	return &protocol.SessionMcpServerBackgroundRequested{ID: id}
}

// configuration is a change of the values of a session, or of the host for the sessions to come.
func configuration(rnd *rand.Rand) map[string]protocol.Raw {
	return pick(rnd, map[string]protocol.Raw{"confirm": protocol.Raw(`"ask"`)}, map[string]protocol.Raw{"confirm": protocol.Raw(`"never"`)},
		map[string]protocol.Raw{"unheard-of": protocol.Raw("1")}) // refused
}

// annotationsAction is an action on the remarks of a session.
func annotationsAction(rnd *rand.Rand, serial int) protocol.Action {
	id, entry := fmt.Sprint("n", rnd.IntN(4)), fmt.Sprint("e", rnd.IntN(3))
	remark := &protocol.AnnotationEntry{ID: entry, Text: protocol.Plain(fmt.Sprint("remark ", serial))}
	switch rnd.IntN(8) {
	case 0, 1, 2:
		return &protocol.AnnotationsSet{Annotation: &protocol.Annotation{ID: id, Resource: "file:///w/a", Entries: []*protocol.AnnotationEntry{remark}}}
	case 3:
		resolved := rnd.IntN(2) == 0
		return &protocol.AnnotationsUpdated{AnnotationID: id, Resolved: &resolved}
	case 4:
		return &protocol.AnnotationsRemoved{AnnotationID: id}
	case 5:
		return &protocol.AnnotationsEntryRemoved{AnnotationID: id, EntryID: entry}
	}
	return &protocol.AnnotationsEntrySet{AnnotationID: id, Entry: remark}
}

func toggle(rnd *rand.Rand, v protocol.Version, s *protocol.SessionState, id string) protocol.Action {
	entry := &protocol.Customization{ID: id}
	if s != nil && rnd.IntN(2) == 0 {
		if server, ok := protocol.ServerByID(s, id); ok {
			entry = server.Customization
		}
	}
	return protocol.Toggle(v, entry, rnd.IntN(2) == 0)
}

func activeClient(rnd *rand.Rand, id string, serial int) *protocol.SessionActiveClient {
	return &protocol.SessionActiveClient{ClientID: id, DisplayName: fmt.Sprint("client ", serial), Tools: []*protocol.ToolDefinition{{Name: pick(rnd, "look", "touch")}}}
}

// chatAction is an action on a chat, as a client sees the chat, which may be long past.
func chatAction(rnd *rand.Rand, v protocol.Version, serial int, c *protocol.ChatState) protocol.Action {
	seen := newSeen(c)
	queued := fmt.Sprint("q", rnd.IntN(4))
	kind := pick(rnd, protocol.PendingQueued, protocol.PendingQueued, protocol.PendingSteering, "unheard-of")
	switch rnd.IntN(22) {
	case 0, 1, 2, 3:
		return startTurn(rnd, v, serial)
	case 4:
		start := startTurn(rnd, v, serial)
		start.TurnID = pick(rnd, seen.turns...) // refused
		return start
	case 5, 6:
		return cancelTurn(rnd, v, seen)
	case 7, 8, 9:
		return &protocol.ChatPendingMessageSet{Kind: kind, ID: queued, Message: message(rnd, serial)}
	case 10:
		return &protocol.ChatPendingMessageRemoved{Kind: kind, ID: queued}
	case 11:
		return &protocol.ChatQueuedMessagesReordered{Order: shuffled(rnd, "q0", "q1", "q2", "q3", "q4")}
	case 12:
		return &protocol.ChatDraftChanged{Draft: message(rnd, serial)}
	case 13:
		return &protocol.ChatDraftChanged{}
	case 14:
		return &protocol.ChatTruncated{TurnID: pick(rnd, append(seen.turns, "", "none")...)}
	case 15, 16:
		return &protocol.ChatToolCallConfirmed{TurnID: seen.active, ToolCallID: pick(rnd, seen.calls...), Approved: rnd.IntN(2) == 0}
	case 17:
		return &protocol.ChatToolCallComplete{TurnID: seen.active, ToolCallID: pick(rnd, seen.calls...), Result: &protocol.ToolResult{PastTenseMessage: protocol.Plain("Given up")}}
	case 18:
		return &protocol.ChatToolCallComplete{TurnID: seen.active, ToolCallID: pick(rnd, seen.calls...), Result: &protocol.ToolResult{
			Success: true, PastTenseMessage: protocol.Plain("Done"), Content: []*protocol.ToolResultContent{protocol.TextContent(fmt.Sprint("result ", serial))},
		}}
	case 19, 20:
		return inputAction(rnd, pick(rnd, seen.inputs...), serial)
	}
	return pick[protocol.Action](rnd, &protocol.ChatTurnResume{TurnID: seen.active}, &protocol.ChatIsReadChanged{IsRead: true}, &protocol.ChatIsArchivedChanged{IsArchived: rnd.IntN(2) == 0})
}

// inputAction answers what an agent asks, or a part of it.
func inputAction(rnd *rand.Rand, id string, serial int) protocol.Action {
	answer := &protocol.ChatInputAnswer{State: "submitted", Value: protocol.Raw(fmt.Sprintf(`{"kind":"text","value":"answer %d"}`, serial))}
	switch rnd.IntN(4) {
	case 0:
		return &protocol.ChatInputAnswerChanged{RequestID: id, QuestionID: pick(rnd, "q", "none"), Answer: answer}
	case 1:
		return &protocol.ChatInputCompleted{RequestID: id, Response: protocol.ResponseDecline}
	}
	return &protocol.ChatInputCompleted{RequestID: id, Response: protocol.ResponseAccept, Answers: map[string]*protocol.ChatInputAnswer{"q": answer}}
}

// seen are the ids that a client sees in a chat. None of the lists is empty.
type seen struct {
	active string
	turns  []string
	calls  []string
	inputs []string // that are open
}

func newSeen(c *protocol.ChatState) seen {
	s := seen{active: "none", turns: []string{"none"}, calls: []string{"none"}, inputs: []string{"none"}}
	if c == nil {
		return s
	}
	for _, t := range c.Turns {
		s.turns = append(s.turns, t.ID)
	}
	if c.ActiveTurn == nil {
		return s
	}
	s.active = c.ActiveTurn.ID
	for _, r := range c.OpenInputs() {
		s.inputs = append(s.inputs, r.ID)
	}
	for _, p := range c.ActiveTurn.ResponseParts {
		if p.ToolCall != nil {
			s.calls = append(s.calls, p.ToolCall.ToolCallID)
		}
	}
	return s
}

func message(rnd *rand.Rand, serial int) *protocol.Message {
	if rnd.IntN(100) == 0 {
		return protocol.UserMessage(flood)
	}
	m := protocol.UserMessage(fmt.Sprint("plan ", rnd.IntN(1000)+serial*1000))
	if rnd.IntN(8) == 0 {
		m.Origin.Kind = "" // a host says whose it is
	}
	return m
}

// startTurn is mostly as it has to be. Some leave out what a host has to fill in.
func startTurn(rnd *rand.Rand, v protocol.Version, serial int) *protocol.ChatTurnStarted {
	start := protocol.StartTurn(v, fmt.Sprint("t", serial), "", time.Now())
	start.Message = message(rnd, serial)
	if rnd.IntN(3) == 0 {
		start.StartedAt = ""
	}
	return start
}

func cancelTurn(rnd *rand.Rand, v protocol.Version, s seen) *protocol.ChatTurnCancelled {
	c := protocol.CancelTurn(v, pick(rnd, s.active, s.active, "none"), time.Duration(rnd.IntN(1000))*time.Millisecond)
	if rnd.IntN(3) == 0 {
		c.Duration = nil
	}
	return c
}

func shuffled(rnd *rand.Rand, list ...string) []string {
	rnd.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:rnd.IntN(len(list)+1)]
}

// rudeActions are what no client may send.
func rudeActions() []string {
	return []string{
		`{"type":"session/ready"}`,
		`{"type":"session/titleChanged","title":17}`,
		`{"type":"session/unheardOf"}`,
		`{"type":"chat/delta","turnId":"t1","partId":"p","content":"graffiti"}`,
		`{"type":"chat/turnComplete","turnId":"t1"}`,
		`{"type":"root/agentsChanged","agents":[]}`,
		`null`,
		`{}`,
	}
}

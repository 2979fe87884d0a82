package protocol

import "time"

// The functions of the intents files make what a client sends, in the form of a
// version: one function an intent. Where the version, the agent or the thing
// itself does not allow it, ok is false and there is nothing to send.

// NewCreateSession makes the parameters that create a session, without a
// directory where dir is empty.
func NewCreateSession(v Version, channel URI, provider string, dir URI) *CreateSessionParams {
	p := &CreateSessionParams{Channel: channel, Provider: provider}
	if dir != "" {
		p.WorkingDirectories = []URI{dir}
	}
	return At(v, p)
}

// NewCreateChat makes the parameters that create a chat in a session.
func NewCreateChat(session, chat URI) *CreateChatParams {
	return &CreateChatParams{Channel: session, Chat: chat}
}

// NewFork makes the parameters that create a chat from a completed turn of another.
func NewFork(v Version, agent *AgentInfo, session, chat URI, from URI, turnID string) (p *CreateChatParams, ok bool) {
	if !agent.MayFork() {
		return nil, false
	}
	p = NewCreateChat(session, chat)
	p.Source = &ChatSource{Kind: SourceFork, Chat: from, TurnID: turnID}
	return At(v, p), true
}

// NewSideChat makes the parameters that create a side chat (from 0.7) about a turn
// of another chat, and about a text of it where selection is not nil.
func NewSideChat(v Version, agent *AgentInfo, session, chat URI, from URI, turnID string, selection *SideChatSelection) (p *CreateChatParams, ok bool) {
	if !v.AtLeast(V0_7_0) || !agent.MaySideChat() {
		return nil, false
	}
	p = NewCreateChat(session, chat)
	p.Source = &ChatSource{Kind: SourceSideChat, Chat: from, TurnID: turnID, Selection: selection}
	return At(v, p), true
}

// NewAuthenticate makes the parameters that hand a token to the host. The scopes
// are nil where nobody knows them; a lifetime of 0 is not known.
func NewAuthenticate(v Version, resource, token string, scopes []string, lifetime time.Duration) *AuthenticateParams {
	p := &AuthenticateParams{Channel: RootChannel, Resource: resource, Token: token, Scopes: scopes}
	if seconds := int64(lifetime / time.Second); seconds >= 1 {
		p.ExpiresIn = &seconds
	}
	return At(v, p)
}

// StartTurn is the action that sends a text.
func StartTurn(v Version, turnID, text string, now time.Time) *ChatTurnStarted {
	return SendMessage(v, turnID, UserMessage(text), now)
}

// SendMessage is the action that sends a message.
func SendMessage(v Version, turnID string, m *Message, now time.Time) *ChatTurnStarted {
	return At(v, &ChatTurnStarted{TurnID: turnID, Message: m, StartedAt: FormatTime(now)})
}

// QueueMessage is the action that queues a message for the next turn, or replaces
// the one with the same id.
func QueueMessage(v Version, id string, m *Message) *ChatPendingMessageSet {
	return At(v, &ChatPendingMessageSet{Kind: PendingQueued, ID: id, Message: m})
}

// SteerTurn is the action that puts a message into the running turn.
func SteerTurn(v Version, id string, m *Message) *ChatPendingMessageSet {
	return At(v, &ChatPendingMessageSet{Kind: PendingSteering, ID: id, Message: m})
}

// ChangeDraft is the action that shares what is being written; nil clears it.
func ChangeDraft(v Version, m *Message) *ChatDraftChanged { return At(v, &ChatDraftChanged{Draft: m}) }

// CancelTurn is the action that cancels a turn. The duration is the client's own
// measurement.
func CancelTurn(v Version, turnID string, took time.Duration) *ChatTurnCancelled {
	ms := float64(max(0, took).Milliseconds())
	return At(v, &ChatTurnCancelled{TurnID: turnID, Duration: &ms})
}

// ResumeTurn is the action that goes on with a chat's last turn after an error
// that allows it (from 0.9).
func ResumeTurn(v Version, s *ChatState) (a *ChatTurnResume, ok bool) {
	if !v.AtLeast(V0_9_0) || s.ActiveTurn != nil || len(s.Turns) == 0 {
		return nil, false
	}
	last := s.Turns[len(s.Turns)-1]
	if _, resumable := last.Failure(); !resumable {
		return nil, false
	}
	return &ChatTurnResume{TurnID: last.ID}, true
}

// Approve is the action that lets a pending call run.
func Approve(turnID string, call *ToolCall) *ChatToolCallConfirmed {
	return &ChatToolCallConfirmed{TurnID: turnID, ToolCallID: call.ToolCallID, Approved: true, Confirmed: "user-action"}
}

// Deny is the action that refuses a pending call.
func Deny(turnID string, call *ToolCall) *ChatToolCallConfirmed {
	return &ChatToolCallConfirmed{TurnID: turnID, ToolCallID: call.ToolCallID, Reason: "denied"}
}

// Choose is the action that answers a pending call with one of the host's own
// options; what it does follows the option's kind.
func Choose(turnID string, call *ToolCall, option *ConfirmationOption) *ChatToolCallConfirmed {
	a := Deny(turnID, call)
	if option.Approves() {
		a = Approve(turnID, call)
	}
	a.SelectedOptionID = option.ID
	return a
}

// CancelCall is the action that gives up a call which waits for a sign-in. It
// ends as completed, with a failure.
func CancelCall(turnID string, call *ToolCall) *ChatToolCallComplete {
	return &ChatToolCallComplete{TurnID: turnID, ToolCallID: call.ToolCallID, Result: &ToolResult{
		PastTenseMessage: Plain("Cancelled " + call.DisplayName),
		Error:            &ToolError{Message: "Cancelled by the user", Code: "cancelled"},
	}}
}

// Answer is the action that completes a request for input.
func Answer(in *ChatInputRequest, response string, answers map[string]*ChatInputAnswer) *ChatInputCompleted {
	return &ChatInputCompleted{RequestID: in.ID, Response: response, Answers: answers}
}

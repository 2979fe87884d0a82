package host

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
)

var (
	errTurnRunning = errors.New("a turn is running: queue the message, or cancel the turn first")
	errNoTurn      = errors.New("no such turn is running")
)

func (c *chat) admit(h *Host, by *client, a protocol.Action) (protocol.Action, error) {
	switch a := a.(type) {
	case *protocol.ChatTurnStarted:
		return c.admitTurn(h, a)
	case *protocol.ChatTurnCancelled:
		return c.admitCancel(a)
	case *protocol.ChatTurnResume:
		return a, c.mayResume(a.TurnID)
	case *protocol.ChatTruncated:
		if a.TurnID != "" && turnIndex(c.state.Turns, a.TurnID) < 0 {
			return nil, errors.New("the chat has no such turn")
		}
		return a, nil
	case *protocol.ChatToolCallConfirmed, *protocol.ChatToolCallResultConfirmed:
		return c.admitConfirmation(a)
	case *protocol.ChatToolCallComplete:
		return c.admitCompletion(by, a)
	case *protocol.ChatToolCallContentChanged:
		if err := c.ownsCall(by, a.TurnID, a.ToolCallID); err != nil {
			return nil, err
		}
		return a, checkResult(&protocol.ToolResult{Content: a.Content})
	case *protocol.ChatInputAnswerChanged, *protocol.ChatInputCompleted:
		return c.admitInput(a)
	case *protocol.ChatPendingMessageSet, *protocol.ChatPendingMessageRemoved, *protocol.ChatQueuedMessagesReordered:
		return c.admitPending(h, a)
	case *protocol.ChatIsReadChanged, *protocol.ChatIsArchivedChanged:
		return a, nil
	case *protocol.ChatDraftChanged:
		return &protocol.ChatDraftChanged{Draft: byUser(a.Draft)}, checkDraft(a.Draft)
	case *protocol.ChatWorkingDirectorySet, *protocol.ChatWorkingDirectoryRemoved:
		return nil, errors.New("the chat works in the session's directory")
	}
	return nil, fmt.Errorf("this host does not support %s", a.ActionType())
}

func (c *chat) admitTurn(h *Host, a *protocol.ChatTurnStarted) (protocol.Action, error) {
	message, err := h.admitMessage(a.Message)
	switch {
	case err != nil:
		return nil, err
	case a.TurnID == "" || len(a.TurnID) > maxURIBytes:
		return nil, errors.New("the turn needs an id")
	case c.state.ActiveTurn != nil:
		return nil, errTurnRunning
	case slices.ContainsFunc(c.session.chats, func(other *chat) bool { return other.hasTurn(a.TurnID) }):
		return nil, errors.New("the session has a turn with this id already")
	}
	admitted := *a
	admitted.Message = message
	admitted.StartedAt = now() // a reducer from 0.9 on needs it
	if began, ok := protocol.ParseTime(a.StartedAt); ok {
		admitted.StartedAt = protocol.FormatTime(began) // in the one form that can be compared
	}
	return &admitted, nil
}

func (c *chat) hasTurn(id string) bool {
	return turnIndex(c.state.Turns, id) >= 0 || c.state.ActiveTurn != nil && c.state.ActiveTurn.ID == id
}

// mayResume: the last turn can be taken up again, if its agent said so.
func (c *chat) mayResume(turnID string) error {
	n := len(c.state.Turns)
	switch {
	case c.state.ActiveTurn != nil:
		return errTurnRunning
	case n == 0 || c.state.Turns[n-1].ID != turnID || c.state.Turns[n-1].State != protocol.TurnError:
		return errors.New("only the last turn can be taken up again, and only if it failed")
	}
	if _, resumable := c.state.Turns[n-1].Failure(); !resumable {
		return errors.New("what went wrong in the turn cannot be gone on from")
	}
	return nil
}

func (c *chat) admitCancel(a *protocol.ChatTurnCancelled) (protocol.Action, error) {
	if turn := c.state.ActiveTurn; turn == nil || turn.ID != a.TurnID {
		return nil, errNoTurn
	}
	admitted := *a
	if c.run != nil && (a.Duration == nil || c.run.resumed) { // a reducer from 0.9 on needs it, from the very beginning
		took := c.run.took()
		admitted.Duration = &took
	}
	return &admitted, nil
}

// call finds a tool call of the running turn.
func (c *chat) call(turnID, callID string) (*protocol.ToolCall, error) {
	turn := c.state.ActiveTurn
	if turn == nil || turn.ID != turnID {
		return nil, errNoTurn
	}
	call := findCall(turn, callID)
	if call == nil {
		return nil, errors.New("the turn has no such tool call")
	}
	return call, nil
}

func (c *chat) admitConfirmation(a protocol.Action) (protocol.Action, error) {
	switch a := a.(type) {
	case *protocol.ChatToolCallConfirmed:
		call, err := c.call(a.TurnID, a.ToolCallID)
		if err != nil {
			return nil, err
		}
		return admitApproval(call, a)
	case *protocol.ChatToolCallResultConfirmed:
		call, err := c.call(a.TurnID, a.ToolCallID)
		if err == nil && call.Status != protocol.ToolPendingResultConfirmation {
			err = fmt.Errorf("the result of %s does not wait for a confirmation", call.DisplayName)
		}
		return a, err
	}
	return a, nil
}

func admitApproval(call *protocol.ToolCall, a *protocol.ChatToolCallConfirmed) (protocol.Action, error) {
	if call.Status != protocol.ToolPendingConfirmation {
		return nil, fmt.Errorf("%s does not wait for a confirmation: it is %s", call.DisplayName, call.Status)
	}
	if id := a.SelectedOptionID; id != "" {
		i := slices.IndexFunc(call.Options, func(o *protocol.ConfirmationOption) bool { return o.ID == id })
		switch {
		case i < 0:
			return nil, errors.New("there is no such option")
		case call.Options[i].Approves() != a.Approved:
			return nil, errors.New("the option says the opposite of the answer")
		}
	}
	admitted := *a
	switch {
	case !a.Approved && a.Reason == "":
		admitted.Reason = "denied"
	case a.Approved && a.Confirmed == "":
		admitted.Confirmed = "user-action"
	}
	if a.EditedToolInput != nil {
		input := jsontext.Value(*a.EditedToolInput)
		if len(input) > maxTextBytes || !input.IsValid() || input.Kind() != '{' {
			return nil, errors.New("the edited input is not a JSON object")
		}
	}
	return &admitted, nil
}

// maxResultBytes bounds the result that a client gives a call.
const maxResultBytes = 256 << 10

// admitCompletion: a client may complete a call that it executes itself, and give
// up one that waits for a sign-in, whoever waits for it.
func (c *chat) admitCompletion(by *client, a *protocol.ChatToolCallComplete) (protocol.Action, error) {
	call, err := c.call(a.TurnID, a.ToolCallID)
	switch {
	case err != nil:
		return nil, err
	case a.Result == nil:
		return nil, errors.New("there is no result")
	case call.Status == protocol.ToolAuthRequired && a.Result.Success:
		return nil, fmt.Errorf("%s waits for a sign-in: it can be given up, but not succeed", call.DisplayName)
	case call.Status == protocol.ToolAuthRequired:
		return a, checkResult(a.Result)
	case call.Status != protocol.ToolRunning && call.Status != protocol.ToolPendingConfirmation:
		return nil, fmt.Errorf("%s cannot be completed: it is %s", call.DisplayName, call.Status)
	}
	if err := c.ownsCall(by, a.TurnID, a.ToolCallID); err != nil {
		return nil, err
	}
	admitted := *a
	if c.run != nil && c.run.shown[a.ToolCallID] { // what the agent asked for
		admitted.RequiresResultConfirmation = new(true)
	}
	return &admitted, checkResult(a.Result)
}

func checkResult(r *protocol.ToolResult) error {
	raw, err := protocol.Marshal(r)
	if err != nil {
		return errors.New("the result cannot be read")
	}
	return bounded("result", string(raw), 0, maxResultBytes)
}

// ownsCall: a client may speak for a call that it executes itself.
func (c *chat) ownsCall(by *client, turnID, callID string) error {
	call, err := c.call(turnID, callID)
	if err != nil {
		return err
	}
	if who := call.Contributor; who == nil || who.Kind != protocol.ContributorClient || who.ClientID != by.id {
		return fmt.Errorf("%s is not executed by this client", call.DisplayName)
	}
	return nil
}

func (c *chat) admitPending(h *Host, a protocol.Action) (protocol.Action, error) {
	switch a := a.(type) {
	case *protocol.ChatPendingMessageSet:
		queued := slices.ContainsFunc(c.state.QueuedMessages, func(m *protocol.PendingMessage) bool { return m.ID == a.ID })
		message, err := h.admitMessage(a.Message)
		switch {
		case err != nil:
			return nil, err
		case a.ID == "" || len(a.ID) > maxURIBytes:
			return nil, errors.New("the message needs an id")
		case a.Kind != protocol.PendingQueued && a.Kind != protocol.PendingSteering:
			return nil, fmt.Errorf("there are no pending messages of kind %s", firstLine(a.Kind, 50))
		case a.Kind == protocol.PendingQueued && !queued && len(c.state.QueuedMessages) >= maxQueued:
			return nil, errors.New("the queue is full")
		}
		return &protocol.ChatPendingMessageSet{Kind: a.Kind, ID: a.ID, Message: message}, nil
	case *protocol.ChatQueuedMessagesReordered:
		if len(a.Order) > 2*maxQueued {
			return nil, errors.New("the order names more messages than a queue can have")
		}
	case *protocol.ChatPendingMessageRemoved:
		is := func(m *protocol.PendingMessage) bool { return m != nil && m.ID == a.ID }
		steering := a.Kind == protocol.PendingSteering && is(c.state.SteeringMessage)
		queued := a.Kind == protocol.PendingQueued && slices.ContainsFunc(c.state.QueuedMessages, is)
		if !steering && !queued {
			return nil, errors.New("there is no such pending message: it may have been taken")
		}
	}
	return a, nil
}

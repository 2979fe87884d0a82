package protocol

import (
	"reflect"
	"slices"
)

// ReduceChat folds an action into a chat's state (specification: chat channel).
// It returns s itself where the action changes nothing.
func ReduceChat(p Profile, s *ChatState, a Action) *ChatState {
	switch a := a.(type) {
	case *ChatDelta:
		return appendContent(s, a.TurnID, a.PartID, PartMarkdown, a.Content)
	case *ChatReasoning:
		return appendContent(s, a.TurnID, a.PartID, PartReasoning, a.Content)
	case *ChatActivityChanged:
		if s.ActivityText == a.Activity {
			return s
		}
		return changed(s, func(s *ChatState) { s.ActivityText = a.Activity })
	case *ChatDraftChanged:
		if s.Draft == a.Draft {
			return s
		}
		return changed(s, func(s *ChatState) { s.Draft = a.Draft })
	case *ChatIsReadChanged:
		return setChatStatus(s, s.Status.With(StatusRead, a.IsRead))
	case *ChatIsArchivedChanged:
		return setChatStatus(s, s.Status.With(StatusArchived, a.IsArchived))
	case *ChatMovableChanged:
		if equal(s.Movable, a.Movable) {
			return s
		}
		return changed(s, func(s *ChatState) { s.Movable = a.Movable })
	case *ChatChangesetsChanged:
		if reflect.DeepEqual(s.Changesets, a.Changesets) {
			return s
		}
		return changed(s, func(s *ChatState) { s.Changesets = a.Changesets })
	case *ChatWorkingDirectorySet:
		return setChatDirectories(s, directoryAdded(s.WorkingDirectories, a.Directory))
	case *ChatWorkingDirectoryRemoved:
		dirs, _ := without(s.WorkingDirectories, func(d URI) bool { return d == a.Directory })
		return setChatDirectories(s, dirs)
	case *ChatCanvasesChanged:
		if reflect.DeepEqual(s.Canvases, a.Canvases) {
			return s
		}
		return changed(s, func(s *ChatState) { s.Canvases = a.Canvases })
	case *ChatBackgroundWorkSet, *ChatBackgroundWorkRemoved:
		return reduceBackground(s, a)
	case *ChatPendingMessageSet, *ChatPendingMessageRemoved, *ChatQueuedMessagesReordered,
		*ChatSteeringMessageSet, *ChatSteeringMessageRemoved:
		return reducePending(s, a)
	case *ChatInputRequested, *ChatInputAnswerChanged, *ChatInputCompleted:
		return reduceInput(p, s, a)
	}
	if r := reduceTurn(p, s, a); r != nil {
		return r
	}
	return reduceToolCall(p, s, a)
}

func setChatStatus(s *ChatState, status Status) *ChatState {
	if s.Status == status {
		return s
	}
	return changed(s, func(s *ChatState) { s.Status = status })
}

func setChatDirectories(s *ChatState, dirs []URI) *ChatState {
	if slices.Equal(dirs, s.WorkingDirectories) {
		return s
	}
	return changed(s, func(s *ChatState) { s.WorkingDirectories = dirs })
}

// withActivity recomputes the activity bits of a chat from its active turn.
func withActivity(s *ChatState) *ChatState {
	return setChatStatus(s, s.Status.WithActivity(activity(s)))
}

func activity(s *ChatState) Status {
	switch {
	case len(s.InputRequests) > 0: // up to 0.5.2
		return StatusInputNeeded
	case s.ActiveTurn == nil:
		return StatusIdle
	case slices.ContainsFunc(s.ActiveTurn.ResponseParts, waitsForUser):
		return StatusInputNeeded
	}
	return StatusInProgress
}

func waitsForUser(p *ResponsePart) bool {
	return p.Open() || p.Kind == PartToolCall && p.ToolCall != nil && p.ToolCall.Status.WaitsForUser()
}

// active is the active turn if it has this id.
func (s *ChatState) active(turnID string) *Turn {
	if s.ActiveTurn == nil || s.ActiveTurn.ID != turnID {
		return nil
	}
	return s.ActiveTurn
}

// withPart replaces part i of the active turn.
func withPart(s *ChatState, i int, part *ResponsePart) *ChatState {
	return changed(s, func(s *ChatState) {
		s.ActiveTurn = changed(s.ActiveTurn, func(t *Turn) { t.ResponseParts = replaced(t.ResponseParts, i, part) })
	})
}

// appendContent grows the first part with this key, if it is of the given kind.
func appendContent(s *ChatState, turnID, partID string, kind PartKind, more Text) *ChatState {
	i := s.growing(turnID, partID, kind)
	if i < 0 || more.Len() == 0 {
		return s
	}
	return withContent(s, i, s.ActiveTurn.ResponseParts[i].Content.Text.Append(more))
}

// growing is the part of the active turn that deltas with this key go to, or -1.
// The first with the key is the one that counts, and grows only if it is of the
// given kind.
func (s *ChatState) growing(turnID, partID string, kind PartKind) int {
	turn := s.active(turnID)
	if turn == nil {
		return -1
	}
	i := slices.IndexFunc(turn.ResponseParts, func(p *ResponsePart) bool { return p.key() == partID })
	if i < 0 || turn.ResponseParts[i].Kind != kind {
		return -1
	}
	return i
}

// withContent replaces the text of part i of the active turn.
func withContent(s *ChatState, i int, text Text) *ChatState {
	return withPart(s, i, changed(s.ActiveTurn.ResponseParts[i], func(p *ResponsePart) { p.Content.Text = text }))
}

func reduceBackground(s *ChatState, a Action) *ChatState {
	work := s.BackgroundWork
	switch a := a.(type) {
	case *ChatBackgroundWorkSet:
		if a.Work == nil {
			return s
		}
		work = upserted(work, a.Work, func(w *BackgroundWork) bool { return w.ID == a.Work.ID })
	case *ChatBackgroundWorkRemoved:
		rest, ok := without(work, func(w *BackgroundWork) bool { return w.ID == a.ID })
		if !ok {
			return s
		}
		work = nilIfEmpty(rest)
	}
	return changed(s, func(s *ChatState) { s.BackgroundWork = work })
}

// The kinds of pending messages.
const (
	PendingSteering = "steering"
	PendingQueued   = "queued"
)

func reducePending(s *ChatState, a Action) *ChatState {
	switch a := a.(type) {
	case *ChatPendingMessageSet:
		m := &PendingMessage{ID: a.ID, Message: a.Message}
		if has := pending(s, a.Kind, a.ID); has != nil && has.Message == a.Message && has.Extra == nil {
			return s
		}
		return changed(s, func(s *ChatState) {
			if a.Kind == PendingSteering {
				s.SteeringMessage = m
			} else {
				s.QueuedMessages = upserted(s.QueuedMessages, m, func(q *PendingMessage) bool { return q.ID == a.ID })
			}
		})
	case *ChatPendingMessageRemoved:
		return withoutPending(s, a.ID, a.Kind == PendingSteering, a.Kind != PendingSteering)
	case *ChatQueuedMessagesReordered:
		if len(s.QueuedMessages) == 0 {
			return s
		}
		queue := reordered(s.QueuedMessages, a.Order, func(m *PendingMessage) string { return m.ID })
		if sameList(queue, s.QueuedMessages) {
			return s
		}
		return changed(s, func(s *ChatState) { s.QueuedMessages = queue })
	case *ChatSteeringMessageSet:
		if a.SteeringMessage == nil {
			return s
		}
		return changed(s, func(s *ChatState) {
			s.SteeringMessages = upserted(s.SteeringMessages, a.SteeringMessage, func(m *PendingMessage) bool { return m.ID == a.SteeringMessage.ID })
		})
	case *ChatSteeringMessageRemoved:
		rest, ok := without(s.SteeringMessages, func(m *PendingMessage) bool { return m.ID == a.ID })
		if !ok {
			return s
		}
		return changed(s, func(s *ChatState) { s.SteeringMessages = nilIfEmpty(rest) })
	}
	return s
}

// pending is the message of a kind with an id, or nil.
func pending(s *ChatState, kind, id string) *PendingMessage {
	list := s.QueuedMessages
	if kind == PendingSteering {
		list = []*PendingMessage{s.SteeringMessage}
	}
	if i := slices.IndexFunc(list, func(m *PendingMessage) bool { return m != nil && m.ID == id }); i >= 0 {
		return list[i]
	}
	return nil
}

// withoutPending takes the message with this id out of the steering slot, of
// the queue, or of both.
func withoutPending(s *ChatState, id string, steering, queued bool) *ChatState {
	if steering && s.SteeringMessage != nil && s.SteeringMessage.ID == id {
		s = changed(s, func(s *ChatState) { s.SteeringMessage = nil })
	}
	if queued {
		if rest, ok := without(s.QueuedMessages, func(m *PendingMessage) bool { return m.ID == id }); ok {
			s = changed(s, func(s *ChatState) { s.QueuedMessages = nilIfEmpty(rest) })
		}
	}
	return s
}

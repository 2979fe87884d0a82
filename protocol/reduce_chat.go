package protocol

import "slices"

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
		if s.Changesets == nil && a.Changesets == nil {
			return s
		}
		return changed(s, func(s *ChatState) { s.Changesets = a.Changesets })
	case *ChatWorkingDirectorySet:
		return setChatDirectories(s, directoryAdded(s.WorkingDirectories, a.Directory))
	case *ChatWorkingDirectoryRemoved:
		dirs, _ := without(s.WorkingDirectories, func(d URI) bool { return d == a.Directory })
		return setChatDirectories(s, dirs)
	case *ChatBackgroundWorkSet, *ChatBackgroundWorkRemoved:
		return reduceBackground(s, a)
	case *ChatPendingMessageSet, *ChatPendingMessageRemoved, *ChatQueuedMessagesReordered:
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
	turn := s.active(turnID)
	if turn == nil {
		return s
	}
	// Streams grow at the end, so the part is nearly always the last one; but
	// the first with this id is the one that counts.
	i := slices.IndexFunc(turn.ResponseParts, func(p *ResponsePart) bool { return p.key() == partID })
	if i < 0 || turn.ResponseParts[i].Kind != kind || more.Len() == 0 {
		return s
	}
	part := changed(turn.ResponseParts[i], func(p *ResponsePart) { p.Content.Text = p.Content.Text.Append(more) })
	return withPart(s, i, part)
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
	}
	return s
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

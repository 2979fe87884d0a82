package protocol

import (
	"slices"
	"time"
)

// reduceTurn handles the life of turns; nil where the action is not theirs.
func reduceTurn(p Profile, s *ChatState, a Action) *ChatState {
	switch a := a.(type) {
	case *ChatTurnStarted:
		return startTurn(p, s, a)
	case *ChatResponsePart:
		return appendPart(p, s, a)
	case *ChatUsage:
		if active := s.active(a.TurnID); active == nil || active.Usage == a.Usage {
			return s
		}
		return changed(s, func(s *ChatState) {
			s.ActiveTurn = changed(s.ActiveTurn, func(t *Turn) { t.Usage = a.Usage })
		})
	case *ChatTurnComplete:
		return endTurn(p, s, a.TurnID, a.Duration, turnEnd{state: TurnComplete})
	case *ChatTurnCancelled:
		return endTurn(p, s, a.TurnID, a.Duration, turnEnd{state: TurnCancelled})
	case *ChatError:
		return endTurn(p, s, a.TurnID, a.Duration, errorEnd(p, a))
	case *ChatTurnResume:
		return resumeTurn(s, a.TurnID)
	case *ChatTruncated:
		return truncate(p, s, a.TurnID)
	case *ChatTurnsLoaded:
		return loadTurns(s, a)
	}
	return nil
}

func startTurn(p Profile, s *ChatState, a *ChatTurnStarted) *ChatState {
	if a.QueuedMessageID != "" {
		s = withoutPending(s, a.QueuedMessageID, true, true)
	}
	return changed(s, func(s *ChatState) {
		s.ActiveTurn = &Turn{ID: a.TurnID, StartedAt: a.StartedAt, Message: a.Message, ResponseParts: []*ResponsePart{}}
		s.Status = s.Status.WithActivity(activity(s)).With(StatusRead, false)
		derived := a.StartedAt
		if derived == "" {
			derived = s.ModifiedAt
		}
		s.ModifiedAt = p.stamp(s.ModifiedAt, derived)
	})
}

func appendPart(p Profile, s *ChatState, a *ChatResponsePart) *ChatState {
	if s.active(a.TurnID) == nil || a.Part == nil || p.errorsArePart() && a.Part.Kind == PartError {
		return s
	}
	return addPart(s, a.Part)
}

func addPart(s *ChatState, part *ResponsePart) *ChatState {
	return changed(s, func(s *ChatState) {
		s.ActiveTurn = changed(s.ActiveTurn, func(t *Turn) { t.ResponseParts = appended(t.ResponseParts, part) })
	})
}

// turnEnd is how a turn ends, with the error in the form of the version.
type turnEnd struct {
	state TurnState
	err   *ErrorInfo
	part  *ResponsePart
}

// errorEnd takes either form of the action and gives the profile's.
func errorEnd(p Profile, a *ChatError) turnEnd {
	switch {
	case !p.errorsArePart() && a.Error == nil && a.Part != nil:
		return turnEnd{state: TurnError, err: a.Part.Error}
	case !p.errorsArePart():
		return turnEnd{state: TurnError, err: a.Error}
	case a.Part == nil && a.Error != nil:
		return turnEnd{state: TurnError, part: &ResponsePart{Kind: PartError, Error: a.Error}}
	}
	return turnEnd{state: TurnError, part: a.Part}
}

func endTurn(p Profile, s *ChatState, turnID string, duration *float64, end turnEnd) *ChatState {
	active := s.active(turnID)
	if active == nil {
		return s
	}
	turn := changed(active, func(t *Turn) {
		t.State, t.Error = end.state, end.err
		t.ResponseParts = closedParts(t.ResponseParts)
		if end.part != nil {
			t.ResponseParts = appended(t.ResponseParts, end.part)
		}
		if duration != nil {
			d := max(0, *duration)
			t.Duration = &d
		}
	})
	return changed(s, func(s *ChatState) {
		s.Turns = appended(s.Turns, turn)
		s.ActiveTurn = nil
		s.ModifiedAt = p.stamp(s.ModifiedAt, endedAt(turn, s.ModifiedAt))
		if end.state == TurnError {
			s.Status = s.Status.WithActivity(StatusError)
		} else {
			s.Status = s.Status.WithActivity(activity(s))
		}
	})
}

// endedAt is when a turn ended by its own data, or old where they do not tell.
func endedAt(t *Turn, old string) string {
	const longest = 1 << 45 // milliseconds, some thousand years
	start, ok := ParseTime(t.StartedAt)
	if !ok || t.Duration == nil || *t.Duration > longest {
		return old
	}
	return FormatTime(time.UnixMilli(start.UnixMilli() + int64(*t.Duration)))
}

// closedParts cancels every tool call that has not ended.
func closedParts(parts []*ResponsePart) []*ResponsePart {
	for i, p := range parts {
		if p.Kind == PartToolCall && p.ToolCall != nil && !p.ToolCall.Status.Ended() {
			call := cancelled(p.ToolCall, "skipped")
			parts = replaced(parts, i, changed(p, func(p *ResponsePart) { p.ToolCall = call }))
		}
	}
	return parts
}

func resumeTurn(s *ChatState, turnID string) *ChatState {
	n := len(s.Turns) - 1
	if s.ActiveTurn != nil || n < 0 || s.Turns[n].ID != turnID || s.Turns[n].State != TurnError {
		return s
	}
	if _, resumable := s.Turns[n].Failure(); !resumable {
		return s
	}
	return changed(s, func(s *ChatState) {
		s.ActiveTurn = changed(s.Turns[n], func(t *Turn) {
			t.State, t.Duration, t.Error = "", nil, nil
			if t.StartedAt == "" {
				t.StartedAt = s.ModifiedAt
			}
		})
		s.Turns = s.Turns[:n:n]
		s.Status = s.Status.WithActivity(activity(s)).With(StatusRead, false)
	})
}

func truncate(p Profile, s *ChatState, turnID string) *ChatState {
	keep := 0
	if turnID != "" {
		i := slices.IndexFunc(s.Turns, func(t *Turn) bool { return t.ID == turnID })
		if i < 0 {
			return s
		}
		keep = i + 1
	}
	cursor := s.TurnsNextCursor
	if keep == 0 {
		cursor = ""
	}
	if keep == len(s.Turns) && s.ActiveTurn == nil && cursor == s.TurnsNextCursor && !p.stamps() {
		return withActivity(s)
	}
	return changed(s, func(s *ChatState) {
		s.Turns, s.ActiveTurn, s.TurnsNextCursor = s.Turns[:keep:keep], nil, cursor
		s.Status = s.Status.WithActivity(activity(s))
		s.ModifiedAt = p.stamp(s.ModifiedAt, s.ModifiedAt)
	})
}

func loadTurns(s *ChatState, a *ChatTurnsLoaded) *ChatState {
	have := make(map[string]bool, len(s.Turns))
	for _, t := range s.Turns {
		have[t.ID] = true
	}
	older := make([]*Turn, 0, len(a.Turns)+len(s.Turns))
	for _, t := range a.Turns {
		if !have[t.ID] {
			older = append(older, t)
		}
	}
	if len(older) == 0 && s.TurnsNextCursor == a.TurnsNextCursor {
		return s
	}
	return changed(s, func(s *ChatState) {
		s.Turns = append(older, s.Turns...)
		s.TurnsNextCursor = a.TurnsNextCursor
	})
}

package protocol

import (
	"maps"
	"slices"
)

// reduceInput handles requests to the user. From 0.6 on an open request is a
// response part of the active turn; before, it stood in the chat's own list.
func reduceInput(p Profile, s *ChatState, a Action) *ChatState {
	if !p.inputsArePart() {
		return reduceInputList(p, s, a)
	}
	switch a := a.(type) {
	case *ChatInputRequested:
		if s.ActiveTurn == nil || a.Request == nil {
			return s
		}
		part := &ResponsePart{Kind: PartInputRequest, Request: a.Request}
		if i := openPart(s, a.Request.ID); i >= 0 {
			old := s.ActiveTurn.ResponseParts[i].Request
			part.Request = keepAnswers(a.Request, old)
			s = withPart(s, i, part)
		} else {
			s = addPart(s, part)
		}
		return requested(p, s)
	case *ChatInputAnswerChanged:
		if i := openPart(s, a.RequestID); i >= 0 && isAnswered(s.ActiveTurn.ResponseParts[i].Request, a) {
			return stamped(p, s)
		}
		return updateOpen(p, s, a.RequestID, func(part *ResponsePart) { part.Request = answered(part.Request, a) })
	case *ChatInputCompleted:
		if a.Response == "" { // which completes nothing
			return s
		}
		done := updateOpen(p, s, a.RequestID, func(part *ResponsePart) {
			part.Request = withAnswers(part.Request, a.Answers)
			part.Response = a.Response
		})
		if done == s {
			return s
		}
		return withActivity(done)
	}
	return s
}

func requested(p Profile, s *ChatState) *ChatState {
	return changed(s, func(s *ChatState) {
		s.Status = s.Status.WithActivity(activity(s)).With(StatusRead, false)
		s.ModifiedAt = p.stamp(s.ModifiedAt, s.ModifiedAt)
	})
}

// openPart is the index of the open input request with this id, or -1.
func openPart(s *ChatState, id string) int {
	if s.ActiveTurn == nil {
		return -1
	}
	return slices.IndexFunc(s.ActiveTurn.ResponseParts, func(p *ResponsePart) bool { return p.Open() && p.Request.ID == id })
}

func updateOpen(p Profile, s *ChatState, id string, update func(*ResponsePart)) *ChatState {
	i := openPart(s, id)
	if i < 0 {
		return s
	}
	s = withPart(s, i, changed(s.ActiveTurn.ResponseParts[i], update))
	s.ModifiedAt = p.stamp(s.ModifiedAt, s.ModifiedAt) // s is fresh: nobody has seen it yet
	return s
}

// keepAnswers gives a repeated request the answers that were drafted already.
func keepAnswers(fresh, old *ChatInputRequest) *ChatInputRequest {
	if fresh.Answers != nil || old.Answers == nil {
		return fresh
	}
	return changed(fresh, func(r *ChatInputRequest) { r.Answers = old.Answers })
}

func stamped(p Profile, s *ChatState) *ChatState {
	if !p.stamps() {
		return s
	}
	return changed(s, func(s *ChatState) { s.ModifiedAt = p.stamp(s.ModifiedAt, s.ModifiedAt) })
}

// isAnswered reports whether the answer is the one that is there already.
func isAnswered(r *ChatInputRequest, a *ChatInputAnswerChanged) bool {
	return r.Answers[a.QuestionID] == a.Answer && (r.Answers == nil || len(r.Answers) > 0)
}

func answered(r *ChatInputRequest, a *ChatInputAnswerChanged) *ChatInputRequest {
	return changed(r, func(r *ChatInputRequest) {
		answers := maps.Clone(r.Answers)
		if a.Answer == nil {
			delete(answers, a.QuestionID)
		} else {
			if answers == nil {
				answers = map[string]*ChatInputAnswer{}
			}
			answers[a.QuestionID] = a.Answer
		}
		if len(answers) == 0 {
			answers = nil
		}
		r.Answers = answers
	})
}

func withAnswers(r *ChatInputRequest, given map[string]*ChatInputAnswer) *ChatInputRequest {
	if given == nil {
		return r
	}
	return changed(r, func(r *ChatInputRequest) {
		answers := make(map[string]*ChatInputAnswer, len(r.Answers)+len(given))
		maps.Copy(answers, r.Answers)
		maps.Copy(answers, given)
		r.Answers = answers
	})
}

// reduceInputList is reduceInput up to 0.5.2.
func reduceInputList(p Profile, s *ChatState, a Action) *ChatState {
	find := func(id string) int {
		return slices.IndexFunc(s.InputRequests, func(r *ChatInputRequest) bool { return r.ID == id })
	}
	switch a := a.(type) {
	case *ChatInputRequested:
		if a.Request == nil {
			return s
		}
		request := a.Request
		if i := find(request.ID); i >= 0 {
			request = keepAnswers(request, s.InputRequests[i])
		}
		return requested(p, changed(s, func(s *ChatState) {
			s.InputRequests = upserted(s.InputRequests, request, func(r *ChatInputRequest) bool { return r.ID == request.ID })
		}))
	case *ChatInputAnswerChanged:
		i := find(a.RequestID)
		switch {
		case i < 0:
			return s
		case isAnswered(s.InputRequests[i], a):
			return stamped(p, s)
		}
		return changed(s, func(s *ChatState) {
			s.InputRequests = replaced(s.InputRequests, i, answered(s.InputRequests[i], a))
			s.ModifiedAt = p.stamp(s.ModifiedAt, s.ModifiedAt)
		})
	case *ChatInputCompleted:
		i := find(a.RequestID)
		if i < 0 {
			return s
		}
		done := &ResponsePart{Kind: PartInputRequest, Request: withAnswers(s.InputRequests[i], a.Answers), Response: a.Response}
		if p.atLeast(V0_5_2) && s.ActiveTurn != nil {
			s = addPart(s, done)
		}
		return withActivity(changed(s, func(s *ChatState) {
			s.InputRequests = nilIfEmpty(slices.Delete(slices.Clone(s.InputRequests), i, i+1))
			s.ModifiedAt = p.stamp(s.ModifiedAt, s.ModifiedAt)
		}))
	}
	return s
}

package host

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ahptui/protocol"
)

// maxAnswerBytes bounds an answer to a question, as JSON.
const maxAnswerBytes = 64 << 10

// Reply is what a person said to the questions of an agent.
type Reply struct {
	Response string // accept, decline or cancel
	// Answers are those to the questions, by their ids. After accept they fit the
	// questions.
	Answers map[string]*protocol.ChatInputAnswer
}

// Ask asks the person something and waits for the reply. The request's id is made up
// where it has none. It fails only with the turn.
func (t *Turn) Ask(ctx context.Context, request *protocol.ChatInputRequest) (Reply, error) {
	r := *request
	if r.ID == "" {
		r.ID = newID()
	}
	next := make(chan protocol.Action, 1)
	err := t.do(func() {
		t.part = ""
		t.run.awaited[r.ID] = next
		t.apply(&protocol.ChatInputRequested{Request: &r})
	})
	if err != nil {
		return Reply{}, err
	}
	select {
	case <-next:
	case <-ctx.Done():
		return Reply{}, context.Cause(ctx)
	}
	var reply Reply
	err = t.do(func() {
		delete(t.run.awaited, r.ID)
		for _, p := range t.chat.state.ActiveTurn.ResponseParts {
			if p.Kind == protocol.PartInputRequest && p.Request != nil && p.Request.ID == r.ID {
				reply = Reply{p.Response, p.Request.Answers}
			}
		}
	})
	return reply, err
}

func (c *chat) admitInput(a protocol.Action) (protocol.Action, error) {
	switch a := a.(type) {
	case *protocol.ChatInputAnswerChanged:
		r, err := c.openRequest(a.RequestID)
		if err == nil && a.Answer != nil {
			err = checkAnswer(r, a.QuestionID, a.Answer)
		}
		return a, err
	case *protocol.ChatInputCompleted:
		r, err := c.openRequest(a.RequestID)
		if err == nil {
			err = checkReply(r, a)
		}
		return a, err
	}
	return a, nil
}

func (c *chat) openRequest(id string) (*protocol.ChatInputRequest, error) {
	for _, r := range c.state.OpenInputs() {
		if r.ID == id {
			return r, nil
		}
	}
	return nil, errors.New("there is no such open request")
}

// checkAnswer checks an answer that may still be changed: what is being written need
// not be complete, but it must be of the kind that the question asks for.
func checkAnswer(r *protocol.ChatInputRequest, id string, a *protocol.ChatInputAnswer) error {
	i := slices.IndexFunc(r.Questions, func(q *protocol.ChatInputQuestion) bool { return q.ID == id })
	if i < 0 {
		return fmt.Errorf("the request has no question %s", firstLine(id, 100))
	}
	raw, err := protocol.Marshal(a)
	if err != nil || len(raw) > maxAnswerBytes {
		return fmt.Errorf("the answer is larger than %d bytes", maxAnswerBytes)
	}
	q := *r.Questions[i]
	q.Required = nil
	switch a.State {
	case protocol.AnswerDraft:
		q.Min, q.Max, q.Format = nil, nil, ""
	case protocol.AnswerSubmitted, protocol.AnswerSkipped:
	default:
		return fmt.Errorf("there are no answers in the state %s", firstLine(a.State, 50))
	}
	if err := q.Check(a); err != nil {
		return fmt.Errorf("the answer to %s: %w", firstLine(id, 100), err)
	}
	return nil
}

// checkReply checks the end of a request. What is accepted needs all the answers
// that are required, and such that fit.
func checkReply(r *protocol.ChatInputRequest, a *protocol.ChatInputCompleted) error {
	for id, answer := range a.Answers {
		if err := checkAnswer(r, id, answer); err != nil {
			return err
		}
	}
	switch a.Response {
	case protocol.ResponseDecline, protocol.ResponseCancel:
		return nil
	case protocol.ResponseAccept:
		wrong := r.Check(a.Answers)
		for _, q := range r.Questions { // the first one, in the order in which they are asked
			if err := wrong[q.ID]; err != nil {
				return fmt.Errorf("the question %s: %w", firstLine(q.ID, 100), err)
			}
		}
		return nil
	}
	return fmt.Errorf("%s is no response", firstLine(a.Response, 50))
}

package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/protocol"
)

func questions() *protocol.ChatInputRequest {
	return &protocol.ChatInputRequest{ID: "r", Message: "Please", Questions: []*protocol.ChatInputQuestion{
		{Kind: protocol.QuestionText, ID: "name", Message: "Who?", Required: new(true), Min: new(2.0), Max: new(10.0)},
		{Kind: protocol.QuestionInteger, ID: "age", Message: "How old?", Min: new(0.0)},
		{Kind: protocol.QuestionSingleSelect, ID: "colour", Message: "Which?", Options: []*protocol.ChatInputOption{{ID: "red", Label: "Red"}, {ID: "blue", Label: "Blue"}}},
	}}
}

// asker asks, and says what came of it.
func asker(ctx context.Context, turn *host.Turn) error {
	reply, err := turn.Ask(ctx, questions())
	if err != nil {
		return err
	}
	name := ""
	if a := reply.Answers["name"]; a != nil {
		name, _ = a.Given().Text()
	}
	return turn.Write(fmt.Sprint(reply.Response, " ", name))
}

func TestAsk(t *testing.T) {
	t.Parallel()
	for _, v := range []protocol.Version{protocol.V1_0_0, protocol.V0_6_0, protocol.V0_5_2} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			c := join(t, newHost(t, host.Options{}, asker), "c", v)
			c.dispatch(chatURI, 1, protocol.StartTurn(v, "t1", "go", time.Now()))
			c.typed("chat/inputRequested")
			s := c.chat()
			open := s.OpenInputs()
			if len(open) != 1 || open[0].ID != "r" || !s.Status.NeedsInput() || (s.InputRequests == nil) == (v == protocol.V0_5_2) {
				t.Fatalf("the chat is %s", encode(t, s))
			}
			set := c.typed("session/inputNeededSet").Action.(*protocol.SessionInputNeededSet)
			if set.Request.Kind != protocol.InputChat || set.Request.Request.ID != "r" {
				t.Errorf("what waits is %s", encode(t, set.Request))
			}
			c.dispatch(chatURI, 2, &protocol.ChatInputAnswerChanged{RequestID: "r", QuestionID: "name", Answer: protocol.TextAnswer(protocol.AnswerDraft, "A")})
			c.dispatch(chatURI, 3, &protocol.ChatInputAnswerChanged{RequestID: "r", QuestionID: "age", Answer: protocol.NumberAnswer(protocol.AnswerSubmitted, 7)})
			c.dispatch(chatURI, 4, &protocol.ChatInputCompleted{RequestID: "r", Response: protocol.ResponseAccept})
			if e := c.answerTo(4); e.RejectionReason == nil || !contains(*e.RejectionReason, "the question name: an answer is needed") {
				t.Errorf("a draft is taken for an answer: %v", e.RejectionReason)
			}
			c.dispatch(chatURI, 5, &protocol.ChatInputCompleted{RequestID: "r", Response: protocol.ResponseAccept, Answers: map[string]*protocol.ChatInputAnswer{
				"name": protocol.TextAnswer(protocol.AnswerSubmitted, "Ada"),
			}})
			if e := c.answerTo(5); e.RejectionReason != nil {
				t.Fatalf("refused: %s", *e.RejectionReason)
			}
			c.typed("chat/turnComplete")
			turn := c.chat().Turns[0]
			if lastText(turn) != "accept Ada" {
				t.Errorf("the agent says %q", lastText(turn))
			}
			c.typed("session/inputNeededRemoved")
			c.dispatch(chatURI, 6, &protocol.ChatInputCompleted{RequestID: "r", Response: protocol.ResponseDecline})
			if e := c.answerTo(6); e.RejectionReason == nil {
				t.Error("a request that is over can be completed")
			}
		})
	}
}

func TestAnswersAreChecked(t *testing.T) {
	t.Parallel()
	c := join(t, newHost(t, host.Options{}, asker), "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/inputRequested")
	answer := func(id string, a *protocol.ChatInputAnswer) protocol.Action {
		return &protocol.ChatInputAnswerChanged{RequestID: "r", QuestionID: id, Answer: a}
	}
	accept := func(id string, a *protocol.ChatInputAnswer) protocol.Action {
		return &protocol.ChatInputCompleted{RequestID: "r", Response: protocol.ResponseAccept, Answers: map[string]*protocol.ChatInputAnswer{
			"name": protocol.TextAnswer(protocol.AnswerSubmitted, "Ada"), id: a,
		}}
	}
	const draft, submitted = protocol.AnswerDraft, protocol.AnswerSubmitted
	seq := int64(1)
	for _, tt := range []struct {
		a      protocol.Action
		reason string
	}{
		{answer("none", protocol.TextAnswer(draft, "x")), "no question none"},
		{answer("name", protocol.NumberAnswer(draft, 1)), "a text is wanted"},
		{answer("name", &protocol.ChatInputAnswer{State: draft}), "no answer that can be read"},
		{answer("name", protocol.TextAnswer("later", "x")), "in the state later"},
		{answer("name", protocol.TextAnswer(submitted, "x")), "at least 2"},
		{answer("name", protocol.TextAnswer(draft, strings.Repeat("x", 100_000))), "larger than"},
		{accept("none", protocol.TextAnswer(submitted, "x")), "no question none"},
		{accept("age", protocol.NumberAnswer(submitted, 1.5)), "whole number"},
		{accept("age", protocol.NumberAnswer(submitted, -1)), "at least 0"},
		{accept("colour", protocol.SelectedAnswer(submitted, "green")), "no choice"},
		{accept("colour", protocol.SelectedAnswer(submitted, "", "green")), "only what is listed"},
		{accept("name", protocol.TextAnswer(submitted, "far too long a name")), "at most 10"},
		{accept("name", protocol.SkippedAnswer()), "an answer is needed"},
		{&protocol.ChatInputCompleted{RequestID: "r", Response: "perhaps"}, "no response"},
		{&protocol.ChatInputCompleted{RequestID: "none", Response: protocol.ResponseDecline}, "no such open request"},
	} {
		seq++
		c.dispatch(chatURI, seq, tt.a)
		if e := c.answerTo(seq); e.RejectionReason == nil || !contains(*e.RejectionReason, tt.reason) {
			t.Errorf("%s: %v, want %q", encode(t, tt.a), e.RejectionReason, tt.reason)
		}
	}
	c.dispatch(chatURI, 100, &protocol.ChatInputCompleted{RequestID: "r", Response: protocol.ResponseDecline})
	c.typed("chat/turnComplete")
	if got := lastText(c.chat().Turns[0]); got != "decline " {
		t.Errorf("the agent says %q", got)
	}
}

// A turn that ends leaves its questions open for good.
func TestCancelWhileItAsks(t *testing.T) {
	t.Parallel()
	c := join(t, newHost(t, host.Options{}, asker), "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("session/inputNeededSet")
	c.dispatch(chatURI, 2, protocol.CancelTurn(protocol.V0_9_0, "t1", time.Second))
	c.answerTo(2)
	c.typed("session/inputNeededRemoved")
	if turn := c.chat().Turns[0]; turn.ResponseParts[0].Response != "" || turn.State != protocol.TurnCancelled {
		t.Errorf("the turn is %s", encode(t, turn))
	}
}

// Up to 0.5.2 questions are no part of a turn: those that it leaves open are taken
// back, or they would stand there for good.
func TestQuestionsOfOldClientsEndWithTheTurn(t *testing.T) {
	t.Parallel()
	for _, v := range []protocol.Version{protocol.V0_5_1, protocol.V0_5_2, protocol.V0_6_0} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			c := connect(t, newHost(t, host.Options{}, asker), "c")
			state, err := protocol.DecodeState(protocol.ChatKind, c.initialize(v, chatURI).Snapshots[0].State)
			if err != nil {
				t.Fatal(err)
			}
			c.dispatch(chatURI, 1, protocol.StartTurn(v, "t1", "go", time.Now()))
			c.typed("chat/inputRequested")
			c.dispatch(chatURI, 2, protocol.CancelTurn(v, "t1", time.Second))
			c.answerTo(2)
			c.mu.Lock()
			for _, e := range c.got {
				state = protocol.Reduce(protocol.ProfileOf(v), state, e.Action)
			}
			c.mu.Unlock()
			chat, fresh := state.(*protocol.ChatState), c.chat()
			chat.ModifiedAt = fresh.ModifiedAt // each side stamps its own
			if has, want := encode(t, chat), encode(t, fresh); has != want || fresh.Status.NeedsInput() {
				t.Errorf("the client has\n%s, the host\n%s", has, want)
			}
		})
	}
}

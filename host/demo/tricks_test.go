package demo_test

import (
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/host/demo"
	"ahptui/protocol"
)

// The agent does more than call tools when it is told to.
func TestTricks(t *testing.T) {
	t.Parallel()
	c := start(t)
	block := confirms(t, c)
	if _, err := c.Dispatch(block.Chat, protocol.Deny(block.TurnID, block.ToolCall)); err != nil {
		t.Fatal(err)
	}
	await(t, c, "the script ends", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 1 })
	for message, says := range map[string]string{
		"/run":        "A command is written",
		"/client":     "has brought such a tool",
		"/unknown":    "You can try",
		"hello there": "`/ask` makes me ask you something",
	} {
		if turn := send(t, c, message); !strings.Contains(answers(turn), says) {
			t.Errorf("%s: says %s", message, answers(turn))
		}
	}

	turn := send(t, c, "/break")
	if _, resumable := turn.Failure(); !resumable || !strings.Contains(answers(turn), "about to say") {
		t.Fatalf("/break: says %s, and can be resumed: %v", answers(turn), resumable)
	}
	if _, err := c.Dispatch(demo.Chat, &protocol.ChatTurnResume{TurnID: turn.ID}); err != nil {
		t.Fatal(err)
	}
	await(t, c, "it goes on", func(v *ahpclient.View) bool {
		turns := v.Chat(demo.Chat).Turns
		return len(turns) > 0 && strings.Contains(answers(turns[len(turns)-1]), "that was all")
	})

	if _, err := c.Dispatch(demo.Chat, protocol.StartTurn(c.View().Connection.Version, "ask", "/ask", time.Now())); err != nil {
		t.Fatal(err)
	}
	v := await(t, c, "it asks", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).OpenInputs()) == 1 })
	request := v.Chat(demo.Chat).OpenInputs()[0]
	if _, err := c.Dispatch(demo.Chat, &protocol.ChatInputCompleted{RequestID: request.ID, Response: protocol.ResponseAccept, Answers: map[string]*protocol.ChatInputAnswer{
		"branch": protocol.TextAnswer(protocol.AnswerSubmitted, "fix/redirect"),
	}}); err != nil {
		t.Fatal(err)
	}
	await(t, c, "it thanks", func(v *ahpclient.View) bool {
		turns := v.Chat(demo.Chat).Turns
		return len(turns) > 0 && strings.Contains(answers(turns[len(turns)-1]), "called `fix/redirect`")
	})
}

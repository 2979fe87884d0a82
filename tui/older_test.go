package tui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"ahptui/protocol"
)

// turnsFrom are n turns of a few lines each, the first of that number.
func turnsFrom(first, n int) []*protocol.Turn {
	var turns []*protocol.Turn
	for i := range n {
		id := fmt.Sprint(first + i)
		turns = append(turns, &protocol.Turn{
			ID: "t" + id, State: protocol.TurnComplete, Message: protocol.UserMessage("question " + id + "."),
			ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartMarkdown, ID: "p" + id, Content: protocol.Plain("answer " + id + ".")}},
		})
	}
	return turns
}

// TestOlderTurns are loaded when the beginning of what is there comes on the
// screen; what was on it stays there.
func TestOlderTurns(t *testing.T) {
	inBubble(t, classic, func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		h.sessions = append(h.sessions, summary(sessionA, "long", protocol.StatusIdle, time.Hour))
		h.states[sessionA] = &protocol.SessionState{Title: "long", Lifecycle: protocol.LifecycleReady, DefaultChat: chatA, Chats: []*protocol.ChatSummary{{Resource: chatA}}}
		h.states[chatA] = &protocol.ChatState{Resource: chatA, Turns: turnsFrom(100, 50), TurnsNextCursor: "before 100"}
		return h
	}, func(t *testing.T, d *driver) {
		answer, fetched := make(chan error), 0
		d.host.fetch = func(_ context.Context, chat protocol.URI) error {
			fetched++
			err := <-answer
			if err == nil {
				d.host.act(chat, &protocol.ChatTurnsLoaded{Turns: turnsFrom(50, 50)})
			}
			return err
		}
		d.settle()
		d.sees("answer 149.")
		if fetched != 0 {
			t.Fatal("older turns were asked for before anybody looked for them")
		}
		d.key("tab", "home")
		d.sees("loading earlier turns")
		answer <- errors.New("the disk is slow today")
		d.settle()
		d.sees("earlier turns could not be", "the disk is slow today")
		d.key("down", "up") // asks again
		answer <- nil
		d.settle()
		d.look()
		d.sees("answer 100.")
		d.lacks("earlier turns")
		d.key("home")
		d.sees("question 50.")
		if fetched != 2 {
			t.Errorf("asked %d times", fetched)
		}
	})
}

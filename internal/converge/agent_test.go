package converge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/protocol"
)

var errAgent = errors.New("the agent has had enough")

// flood is a message whose answer is longer than what a host keeps for clients that come back.
const flood = "flood"

// agent answers in all sessions. What it does follows from the message; how long it takes, also from its pace.
type agent struct{ pace time.Duration }

// Answer implements [host.Agent].
func (a agent) Answer(ctx context.Context, t *host.Turn) error {
	text := t.Message()
	if text == flood {
		for range 1100 {
			if err := t.Write("drop "); err != nil {
				return err
			}
		}
		return nil
	}
	var n uint64
	_, _ = fmt.Sscanf(text, "plan %d", &n) // other messages mean 0
	rnd := rand.New(rand.NewPCG(n, uint64(len(text))))
	for range rnd.IntN(6) {
		if err := a.part(ctx, t, rnd); err != nil {
			return err
		}
	}
	return nil
}

// part does one thing with a turn.
func (a agent) part(ctx context.Context, t *host.Turn, rnd *rand.Rand) error {
	switch rnd.IntN(10) {
	case 0:
		if rnd.IntN(2) == 0 {
			return &host.ResumableError{Err: errAgent}
		}
		return errAgent
	case 1:
		return a.pause(ctx, rnd.IntN(50))
	case 2, 3, 4:
		return a.call(ctx, t, rnd)
	case 5:
		return a.ask(ctx, t)
	}
	for range rnd.IntN(12) {
		if err := t.Write(strings.Repeat("word ", 1+rnd.IntN(5))); err != nil {
			return err
		}
		if rnd.IntN(2) == 0 {
			if err := a.pause(ctx, rnd.IntN(4)); err != nil {
				return err
			}
		}
	}
	return nil
}

// call runs a tool of a server or of a client. It does not wait for ever that somebody allows it, or runs it.
func (a agent) call(ctx context.Context, t *host.Turn, rnd *rand.Rand) error {
	ctx, cancel := context.WithTimeout(ctx, 30*a.pace)
	defer cancel()
	c := host.Call{
		Server: pick(rnd, "a", "b", "none"), Tool: pick(rnd, "look", "touch"), Args: jsontext.Value(fmt.Sprintf(`{"text":"%d"}`, rnd.IntN(100))),
		Consented: rnd.IntN(4) == 0, ShowResult: rnd.IntN(4) == 0,
	}
	if theirs := t.ClientTools(); len(theirs) > 0 && rnd.IntN(2) == 0 {
		tool := theirs[rnd.IntN(len(theirs))]
		c.Server, c.Client, c.Tool = "", tool.Client, tool.Tool.Name
	}
	_, err := t.Call(ctx, c)
	return err
}

// ask asks the person something, and does not wait for ever either.
func (a agent) ask(ctx context.Context, t *host.Turn) error {
	ctx, cancel := context.WithTimeout(ctx, 30*a.pace)
	defer cancel()
	required := true
	_, err := t.Ask(ctx, &protocol.ChatInputRequest{
		Message: "Well?", Questions: []*protocol.ChatInputQuestion{{Kind: "text", ID: "q", Message: "What?", Required: &required}},
	})
	return err
}

// pause waits so many beats and a bit, or fails when the turn ends first.
func (a agent) pause(ctx context.Context, beats int) error {
	return sleepUntil(ctx, a.pace*time.Duration(beats)+time.Duration(beats)*time.Microsecond)
}

// sleepUntil waits, or fails when ctx ends first.
func sleepUntil(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

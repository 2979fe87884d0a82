package host_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/protocol"
)

// Whatever people do at once with turns, tokens and servers, in the end a turn
// goes through, and nothing is left waiting.
func TestStorm(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	p := startProtected(t)
	h := newHost(t, host.Options{}, call("issues.create"), p.spec())
	var storm sync.WaitGroup
	for i, v := range []protocol.Version{protocol.V0_9_0, protocol.V0_6_0, protocol.V0_9_0} {
		c := join(t, h, fmt.Sprint("c", i), v)
		storm.Go(func() { c.rage(rand.New(rand.NewPCG(seed, uint64(i))), p) })
	}
	storm.Wait()

	c := join(t, h, "last", protocol.V0_9_0)
	if turn := c.chat().ActiveTurn; turn != nil {
		c.dispatch(chatURI, 1, protocol.CancelTurn(protocol.V0_9_0, turn.ID, time.Second))
	}
	c.dispatch(sessionURI, 2, &protocol.SessionCustomizationToggled{ID: "issues", Enablement: []*protocol.Enablement{{Kind: protocol.ScopeSession, Enabled: true}}})
	c.dispatch(sessionURI, 3, &protocol.SessionMcpServerStartRequested{ID: "issues"})
	c.answerTo(3)
	c.dispatch(chatURI, 4, startTurn("the last", "go"))
	_, ch := c.await("the last turn ends", func(s *protocol.SessionState, ch *protocol.ChatState) bool {
		if len(ch.Turns) > 0 && ch.Turns[len(ch.Turns)-1].ID == "the last" {
			return len(s.InputNeeded) == 0 && !s.Status.NeedsInput()
		}
		if waitingCall(ch) != nil {
			_ = c.signIn(p.resource(), tokenWrite, "read", "write") // which may come too late
		}
		return false
	})
	if text := lastText(ch.Turns[len(ch.Turns)-1]); text != "result: done issues.create" {
		t.Errorf("the last turn says %s", text)
	}
	c.checkNoToken()
}

// rage does a hundred things that come to somebody's mind.
func (c *client) rage(r *rand.Rand, p *protected) {
	for seq := int64(1); seq <= 100; seq++ {
		turn := c.chat().ActiveTurn
		switch r.IntN(9) {
		case 0:
			c.dispatch(sessionURI, seq, &protocol.SessionMcpServerStopRequested{ID: "issues"})
		case 1:
			c.dispatch(sessionURI, seq, &protocol.SessionMcpServerStartRequested{ID: "issues"})
		case 2:
			on := []*protocol.Enablement{{Kind: protocol.ScopeSession, Enabled: r.IntN(2) == 0}}
			c.dispatch(sessionURI, seq, &protocol.SessionCustomizationToggled{ID: "issues", Enablement: on})
		case 3:
			_ = c.signIn(p.resource(), tokenBad)
		case 4:
			_ = c.signIn(p.resource(), tokenRead, "read")
		case 5:
			_ = c.signIn(p.resource(), tokenWrite, "read", "write")
		case 6:
			_ = c.signIn(p.resource(), "")
		case 7:
			if turn != nil && len(turn.ResponseParts) > 1 {
				c.dispatch(chatURI, seq, protocol.CancelCall(turn.ID, turn.ResponseParts[1].ToolCall))
			}
		case 8:
			if turn != nil && r.IntN(3) == 0 {
				c.dispatch(chatURI, seq, protocol.CancelTurn(protocol.V0_9_0, turn.ID, time.Second))
			} else {
				c.dispatch(chatURI, seq, startTurn(fmt.Sprint(c.id, "-", seq), "go"))
			}
		}
	}
}

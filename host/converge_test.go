package host_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/protocol"
)

// fold is what a client has made of a channel: the snapshot, and every action
// after it, reduced in the form of its version.
func (c *client) fold(r *protocol.InitializeResult, v protocol.Version, channel protocol.URI, kind protocol.ChannelKind) protocol.ChannelState {
	c.t.Helper()
	var state protocol.ChannelState
	var from int64
	for _, snap := range r.Snapshots {
		if snap.Resource == channel {
			s, err := protocol.DecodeState(kind, snap.State)
			if err != nil {
				c.t.Fatal(err)
			}
			state, from = s, snap.FromSeq
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.got {
		if e.Channel == channel && e.RejectionReason == nil && e.ServerSeq > from {
			state = protocol.Reduce(protocol.ProfileOf(v), state, e.Action)
			from = e.ServerSeq
		}
	}
	return state
}

// timeless leaves out modifiedAt, which up to 0.8 each side stamps by its own clock.
func timeless(t *testing.T, s protocol.ChannelState) string {
	t.Helper()
	switch state := s.(type) {
	case *protocol.ChatState:
		other := *state
		other.ModifiedAt = ""
		s = &other
	case *protocol.SessionState:
		return encode(t, state)
	}
	return encode(t, s)
}

// Clients of all kinds of versions do what comes to their minds; in the end each
// has what the host has.
func TestClientsConverge(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			rnd := rand.New(rand.NewPCG(seed, 1))
			h := newHost(t, host.Options{}, func(ctx context.Context, turn *host.Turn) error {
				for range 20 {
					if err := turn.Write("word "); err != nil {
						return err
					}
				}
				if turn.Message() == "fail" {
					return context.DeadlineExceeded
				}
				return nil
			}, twoServers(t)...)
			versions := host.Versions()
			clients, hello := make([]*client, len(versions)), make([]*protocol.InitializeResult, len(versions))
			for i, v := range versions {
				clients[i] = connect(t, h, fmt.Sprint("c", i))
				hello[i] = clients[i].initialize(v, protocol.RootChannel, sessionURI, chatURI)
			}
			for seq := range int64(120) {
				i := rnd.IntN(len(clients))
				channel, a := randomAction(rnd, versions[i])
				clients[i].dispatch(channel, seq, a)
				if rnd.IntN(10) == 0 {
					clients[i].call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
				}
			}
			settleDown(t, clients)
			for i, v := range versions {
				for channel, kind := range map[protocol.URI]protocol.ChannelKind{sessionURI: protocol.SessionKind, chatURI: protocol.ChatKind, protocol.RootChannel: protocol.RootKind} {
					has := timeless(t, clients[i].fold(hello[i], v, channel, kind))
					var sub protocol.SubscribeResult
					clients[i].call("subscribe", &protocol.SubscribeParams{Channel: channel}, &sub)
					state, err := protocol.DecodeState(kind, sub.Snapshot.State)
					if err != nil {
						t.Fatal(err)
					}
					if want := timeless(t, state); has != want {
						t.Errorf("client %d at %v, %s:\nhas  %s\nhost %s", i, v, channel, has, want)
					}
				}
			}
		})
	}
}

// settleDown waits until nothing moves any more: all that was dispatched is
// carried out, turns and servers have come to rest.
func settleDown(t *testing.T, clients []*client) {
	t.Helper()
	for i, c := range clients {
		c.dispatch(sessionURI, 10_000, &protocol.SessionTitleChanged{Title: fmt.Sprint("done ", i)})
		c.answerTo(10_000)
	}
	c := clients[0]
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		s := c.session()
		rest := c.chat().ActiveTurn == nil
		for _, server := range protocol.Servers(s) {
			rest = rest && server.StateKind() != protocol.McpStarting && (server.Effective() || server.StateKind() == protocol.McpStopped)
		}
		if rest {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no rest within %v: %s", patience, encode(t, s))
		}
	}
	for _, c := range clients { // what was sent before this answer has arrived before it
		c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	}
}

func randomAction(rnd *rand.Rand, v protocol.Version) (protocol.URI, protocol.Action) {
	id := []string{"a", "b", "none"}[rnd.IntN(3)]
	switch rnd.IntN(16) {
	case 0:
		return sessionURI, &protocol.SessionTitleChanged{Title: fmt.Sprint("title ", rnd.IntN(100))}
	case 1:
		return sessionURI, &protocol.SessionIsReadChanged{IsRead: rnd.IntN(2) == 0}
	case 2:
		return sessionURI, &protocol.SessionIsArchivedChanged{IsArchived: rnd.IntN(2) == 0}
	case 3:
		return sessionURI, &protocol.SessionMcpServerStopRequested{ID: id}
	case 4:
		return sessionURI, &protocol.SessionMcpServerStartRequested{ID: id}
	case 5:
		return sessionURI, protocol.Toggle(v, &protocol.Customization{ID: id}, rnd.IntN(2) == 0)
	case 6:
		return sessionURI, protocol.Toggle(v, &protocol.Customization{ID: "plugin:tools"}, rnd.IntN(2) == 0)
	case 7:
		return chatURI, protocol.CancelTurn(v, fmt.Sprint("t", rnd.IntN(50)), time.Second)
	case 8:
		return chatURI, &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: fmt.Sprint("q", rnd.IntN(5)), Message: protocol.UserMessage("queued")}
	case 9:
		return chatURI, &protocol.ChatDraftChanged{Draft: protocol.UserMessage(fmt.Sprint("draft ", rnd.IntN(100)))}
	case 10:
		return sessionURI, &protocol.SessionReady{} // not for clients
	case 11:
		return chatURI, &protocol.ChatPendingMessageSet{Kind: protocol.PendingSteering, ID: fmt.Sprint("s", rnd.IntN(5)), Message: protocol.UserMessage("steer")}
	case 12:
		return chatURI, &protocol.ChatQueuedMessagesReordered{Order: []string{"q3", fmt.Sprint("q", rnd.IntN(5))}}
	case 13:
		return chatURI, &protocol.ChatTruncated{TurnID: fmt.Sprint("t", rnd.IntN(50))}
	}
	message := []string{"hi", "fail"}[rnd.IntN(2)]
	return chatURI, protocol.StartTurn(v, fmt.Sprint("t", rnd.IntN(50)), message, time.Now())
}

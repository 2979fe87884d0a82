package host_test

import (
	"fmt"
	"strings"
	"testing"

	"ahptui/host"
	"ahptui/protocol"
)

func contains(s, sub string) bool { return strings.Contains(s, sub) }

func (c *client) reconnect(seen int64, channels ...protocol.URI) *protocol.ReconnectResult {
	c.t.Helper()
	r := new(protocol.ReconnectResult)
	c.call("reconnect", &protocol.ReconnectParams{
		Channel: protocol.RootChannel, ClientID: c.id, LastSeenServerSeq: seen, Subscriptions: channels,
	}, r)
	return r
}

func TestReconnectReplays(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	other := join(t, h, "other", protocol.V0_9_0)
	c := join(t, h, "c", protocol.V0_6_0)
	c.dispatch(sessionURI, 1, &protocol.SessionTitleChanged{Title: "one"})
	seen := c.answerTo(1).ServerSeq
	c.dispatchRaw(sessionURI, 2, protocol.Raw(`{"type":"session/ready"}`))
	c.answerTo(2)
	c.close()

	other.dispatch(sessionURI, 1, &protocol.SessionTitleChanged{Title: "two"})
	other.answerTo(1)
	again := connect(t, h, "c")
	r := again.reconnect(seen, sessionURI, chatURI, "ahp-session:/gone")
	if r.Type != protocol.ReconnectReplay {
		t.Fatalf("reconnect answers %s", r.Type)
	}
	if len(r.Missing) != 1 || r.Missing[0] != "ahp-session:/gone" {
		t.Errorf("missing are %v", r.Missing)
	}
	// The refusal went to this client alone, and comes again to this client alone.
	if len(r.Actions) != 2 || r.Actions[0].RejectionReason == nil || r.Actions[1].Action.(*protocol.SessionTitleChanged).Title != "two" {
		t.Errorf("replayed are %+v", r.Actions)
	}
	other.dispatch(sessionURI, 2, &protocol.SessionTitleChanged{Title: "three"})
	again.until("what comes after the replay", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.SessionTitleChanged)
		return ok && a.Title == "three"
	})
	if n := other.count("session/ready"); n != 0 {
		t.Error("a refusal went to another client")
	}
}

func TestReconnectSnapshots(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := connect(t, h, "c")
	c.initialize(protocol.V0_9_0, sessionURI)
	c.close()

	for name, tt := range map[string]struct {
		seen     int64
		channels []protocol.URI
	}{
		"a channel whose state is not known": {0, []protocol.URI{sessionURI, chatURI}},
		"a number of another world":          {1 << 40, []protocol.URI{sessionURI}},
	} {
		again := connect(t, h, "c")
		if r := again.reconnect(tt.seen, tt.channels...); r.Type != protocol.ReconnectSnapshot || len(r.Snapshots) != len(tt.channels) {
			t.Errorf("%s: %s with %d snapshots", name, r.Type, len(r.Snapshots))
		}
		again.close()
	}

	other := join(t, h, "other", protocol.V0_9_0)
	for i := range int64(1100) {
		other.dispatch(sessionURI, i, &protocol.SessionTitleChanged{Title: fmt.Sprint("title ", i)})
	}
	other.answerTo(1099)
	again := connect(t, h, "c")
	r := again.reconnect(1, sessionURI, "ahp-session:/gone")
	if r.Type != protocol.ReconnectSnapshot || len(r.Snapshots) != 1 || r.Snapshots[0].FromSeq < 1100 {
		t.Errorf("after more than the buffer holds: %s, %d snapshots", r.Type, len(r.Snapshots))
	}
}

// TestLateUnsubscribe: what a client sent over a connection that it has given up may arrive long after it has come back.
func TestLateUnsubscribe(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	old := join(t, h, "c", protocol.V0_9_0)
	again := connect(t, h, "c")
	again.reconnect(1, sessionURI)
	if err := old.peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: sessionURI}); err != nil {
		t.Fatal(err)
	}
	old.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil) // the host has read it
	again.dispatch(sessionURI, 1, &protocol.SessionTitleChanged{Title: "x"})
	again.answerTo(1)
}

// TestLateGreeting: so may its greeting.
func TestLateGreeting(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	early, old := connect(t, h, "c"), connect(t, h, "c")
	for _, c := range []*client{early, old} { // now they are there
		c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	}
	fresh := join(t, h, "c", protocol.V0_9_0)
	early.refused("initialize", &protocol.InitializeParams{Channel: protocol.RootChannel, ProtocolVersions: []string{"0.9.0"}, ClientID: "c"})
	old.refused("reconnect", &protocol.ReconnectParams{Channel: protocol.RootChannel, ClientID: "c"})
	early.close()
	old.close()
	fresh.dispatch(sessionURI, 1, &protocol.SessionTitleChanged{Title: "x"})
	fresh.answerTo(1)
}

// TestReconnectToAnotherSession: a client missed that a session was replaced by
// one with the same URIs, and the answer that told it so. What happened in the
// new one does not continue the old one.
func TestReconnectToAnotherSession(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	other := join(t, h, "other", protocol.V0_9_0)
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(sessionURI, 1, &protocol.SessionIsArchivedChanged{IsArchived: true})
	seen := c.answerTo(1).ServerSeq
	c.close()

	other.call("disposeSession", &protocol.ChannelParams{Channel: sessionURI}, nil)
	h.AddSession(host.SessionSpec{URI: sessionURI, Chat: chatURI, Provider: "test", Title: "Another session"})
	var known int64
	for range 2 { // the first answer may be lost
		again := connect(t, h, "c")
		r := again.reconnect(seen, sessionURI, chatURI)
		if r.Type != protocol.ReconnectSnapshot || len(r.Snapshots) != 2 {
			t.Fatalf("reconnect answers %s with %d snapshots", r.Type, len(r.Snapshots))
		}
		known = r.Snapshots[0].FromSeq
		again.close()
	}
	again := connect(t, h, "c")
	if r := again.reconnect(known, sessionURI, chatURI); r.Type != protocol.ReconnectReplay {
		t.Errorf("a client that knows the new session gets a %s", r.Type)
	}
}

func TestReconnectOfAStranger(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := connect(t, h, "stranger")
	e := c.refused("reconnect", &protocol.ReconnectParams{Channel: protocol.RootChannel, ClientID: "stranger"})
	if e.Code != protocol.CodeNotFound {
		t.Errorf("refused with %v", e)
	}
	c.initialize(protocol.V0_9_0) // on the same connection
}

func TestNewestConnectionGetsThePushes(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	old := join(t, h, "c", protocol.V0_9_0)
	fresh := join(t, h, "c", protocol.V0_9_0)
	fresh.dispatch(sessionURI, 1, &protocol.SessionTitleChanged{Title: "x"})
	fresh.answerTo(1)
	old.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	if n := old.count("session/titleChanged"); n != 0 {
		t.Error("the older connection still gets actions")
	}
	old.close()
	fresh.dispatch(sessionURI, 2, &protocol.SessionTitleChanged{Title: "y"})
	fresh.answerTo(2)
}

package ahpclient

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// TestInFlight: a connection breaks with an action under way. Whether it arrived
// is told by the replay, by a state that shows it beyond doubt, or not at all.
func TestInFlight(t *testing.T) {
	start := protocol.StartTurn(protocol.V0_9_0, "t1", "hi", time.Unix(0, 0))
	for _, test := range []struct {
		name    string
		action  protocol.Action
		arrives bool // the host takes the action after the cut
		how     func(*testHost)
		want    OutcomeKind
	}{
		{"replay has it", retitle("x"), true, func(*testHost) {}, Accepted},
		{"replay lacks it", retitle("x"), false, func(*testHost) {}, Unknown},
		{"snapshot shows the effect, not the author", retitle("x"), true, (*testHost).forget, Unknown},
		{"snapshot lacks it", retitle("x"), false, (*testHost).forget, Unknown},
		{"snapshot has the turn", start, true, (*testHost).forget, Accepted},
		{"snapshot lacks the turn", start, false, (*testHost).forget, Unknown},
		{"new world", retitle("x"), true, (*testHost).restart, Unknown},
		{"new world has the turn", start, true, (*testHost).restart, Accepted},
	} {
		bubbleRun(t, test.name, func(t *testing.T) {
			h := newTestHost(t)
			h.decide = func(string, *protocol.DispatchActionParams) verdict { return slow }
			c := h.opened(Options{Retry: true})
			uri := sessionURI
			if _, ok := test.action.(*protocol.ChatTurnStarted); ok {
				uri = chatURI
			}
			ticket, err := c.Dispatch(uri, test.action)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			h.cutAll()
			synctest.Wait()
			if v := c.View(); v.Connection.Phase != Reconnecting || !v.Channels[uri].Stale || len(v.Channels[uri].Pending) != 1 {
				t.Errorf("%+v, channel %+v", v.Connection, v.Channels[uri])
			}
			if _, err := c.Dispatch(uri, retitle("y")); !errors.Is(err, ErrNotConnected) {
				t.Errorf("dispatched: %v", err)
			}
			if test.arrives {
				h.prepare()
			}
			test.how(h)
			sleep(time.Second)
			v := c.View()
			if o := outcome(t, ticket); o.Kind != test.want {
				t.Errorf("outcome %+v", o)
			}
			if ch := v.Channels[uri]; v.Connection.Phase != Connected || ch.Stale || len(ch.Pending) > 0 || ch.State != ch.Confirmed || same(t, ch.State, h.states[uri]) != "" {
				t.Errorf("%+v, channel %+v", v.Connection, ch)
			}
			want := []NoticeKind{NoticeLost, NoticeReconnected}
			if test.want == Unknown {
				want = []NoticeKind{NoticeLost, NoticeUnknown, NoticeReconnected}
			}
			if diff := cmp.Diff(want, kinds(v.Notices)); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

// same compares two states; "" means they are the same. Times that old reducers
// stamp by their own clock are left out.
func same(t testing.TB, got, want protocol.ChannelState) string {
	t.Helper()
	return cmp.Diff(text(t, want), text(t, got))
}

func text(t testing.TB, s protocol.ChannelState) string {
	t.Helper()
	if chat, ok := s.(*protocol.ChatState); ok {
		unstamped := *chat
		unstamped.ModifiedAt = ""
		s = &unstamped
	}
	if s == nil {
		return "none"
	}
	raw, err := protocol.EncodeState(s)
	if err != nil {
		t.Error(err)
	}
	if err := raw.Canonicalize(jsontext.AllowInvalidUTF8(true)); err != nil {
		t.Error(err)
	}
	return string(raw)
}

// TestOverdueWhileAway: a ticket does not wait longer than its patience because
// there is no host to ask.
func TestOverdueWhileAway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
		c := h.opened(Options{Retry: true, Patience: 7 * time.Second})
		began := time.Now()
		ticket, err := c.Dispatch(sessionURI, retitle("x"))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		h.setDialErr(errNoRoute)
		h.cutAll()
		if o, err := ticket.Wait(t.Context()); err != nil || o.Kind != Unknown || time.Since(began) != 7*time.Second {
			t.Errorf("outcome %+v, %v after %v", o, err, time.Since(began))
		}
		if v := c.View(); title(v) != "T" || !v.Channels[sessionURI].Stale {
			t.Errorf("title %q", title(v))
		}
	})
}

// TestReconnectAnswers: whatever a host answers to a reconnect, the client ends
// in step with it.
func TestReconnectAnswers(t *testing.T) {
	raw := func(text string) func(*testHost, *hostConn, *jsonrpc.Request) {
		return func(_ *testHost, conn *hostConn, req *jsonrpc.Request) {
			conn.join(conn.host.lastClient())
			req.Reply(jsontext.Value(text))
		}
	}
	for name, answer := range map[string]func(*testHost, *hostConn, *jsonrpc.Request){
		"replay":         func(_ *testHost, conn *hostConn, req *jsonrpc.Request) { conn.answer(req) },
		"snapshot":       func(h *testHost, conn *hostConn, req *jsonrpc.Request) { h.bufferAt = h.seq + 1; conn.answer(req) },
		"unknown client": func(h *testHost, conn *hostConn, req *jsonrpc.Request) { clear(h.known); conn.answer(req) },
		"no such method": func(_ *testHost, _ *hostConn, req *jsonrpc.Request) {
			req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound})
		},
		"unknown type":      raw(`{"type":"windowed","channels":[{"kind":"replay"}]}`),
		"no type":           raw(`{}`),
		"null":              raw(`null`),
		"nonsense":          raw(`{"type":"replay","actions":"all of them"}`),
		"a number":          raw(`7`),
		"snapshot of null":  raw(`{"type":"snapshot","snapshots":[null,{"resource":"ahp-root://","state":null},{"resource":"test:/s","state":7,"fromSeq":1},{"resource":"test-chat:/c"}]}`),
		"a smaller number":  raw(`{"type":"replay","serverSeq":3,"actions":[]}`),
		"snapshot, no root": snapshotWithoutRoot,
		"replay, no root":   replayWithoutRoot,
	} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{Retry: true})
			h.answerWith("reconnect", func(conn *hostConn, req *jsonrpc.Request) { answer(h, conn, req) })
			h.cutAll()
			if name != "replay, no root" { // an honest replay would have it
				h.act(sessionURI, `{"type":"session/titleChanged","title":"meanwhile"}`)
				h.act(chatURI, `{"type":"chat/activityChanged","activity":"meanwhile"}`)
			}
			sleep(time.Second)
			v := c.View()
			if v.Connection.Phase != Connected || len(v.Channels) != 3 || v.Root == nil {
				t.Fatalf("%+v, %d channels", v.Connection, len(v.Channels))
			}
			h.act(sessionURI, `{"type":"session/mcpServerStateChanged","id":"m","state":{"kind":"ready"}}`)
			synctest.Wait()
			for uri, ch := range c.View().Channels {
				if diff := same(t, ch.State, h.states[uri]); ch.Stale || ch.Err != nil || diff != "" {
					t.Errorf("%s: stale %t, %v (-want +got):\n%s", uri, ch.Stale, ch.Err, diff)
				}
			}
		})
	}
}

func snapshotWithoutRoot(h *testHost, conn *hostConn, req *jsonrpc.Request) {
	conn.join(h.lastClient())
	req.Reply(protocol.ReconnectResult{Type: protocol.ReconnectSnapshot, Snapshots: conn.subscribeAll([]protocol.URI{sessionURI, chatURI})})
}

func replayWithoutRoot(h *testHost, conn *hostConn, req *jsonrpc.Request) {
	conn.join(h.lastClient())
	conn.subscribeAll([]protocol.URI{sessionURI, chatURI})
	req.Reply(jsontext.Value(`{"type":"replay","missing":["ahp-root://"],"actions":[null]}`))
}

// lastClient is the client that is known.
func (h *testHost) lastClient() string {
	for id := range h.known {
		return id
	}
	return ""
}

// TestGone: what the host has lost over a cut is closed with a notice, in
// whichever way it says so.
func TestGone(t *testing.T) {
	for name, how := range map[string]func(*testHost){
		"missing in a replay":     func(*testHost) {},
		"absent from snapshots":   (*testHost).forget,
		"refused after a restart": (*testHost).restart,
	} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{Retry: true})
			const creating, wrong protocol.URI = "test:/creating", "test:/wrong"
			h.mu.Lock()
			h.states[creating] = &protocol.SessionState{Lifecycle: protocol.LifecycleCreating}
			h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
			h.mu.Unlock()
			c.Open(creating, protocol.SessionKind)
			c.Open(wrong, protocol.SessionKind) // was never there
			synctest.Wait()
			ticket, err := c.Dispatch(creating, retitle("x"))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			how(h)
			h.mu.Lock()
			delete(h.states, creating)
			h.mu.Unlock()
			h.heard(c)
			h.cutAll()
			sleep(time.Second)
			v := c.View()
			asked := strings.Contains(strings.Join(h.heard(c), "\n"), `"subscribe","params":{"channel":"test:/creating"}`)
			if asked != (name == "refused after a restart") {
				t.Errorf("asked for what the host said it has lost: %t", asked)
			}
			if v.Channels[creating] != nil || v.Channels[sessionURI] == nil || v.Channels[sessionURI].Stale {
				t.Errorf("channels %v", v.Channels)
			}
			if ch := v.Channels[wrong]; ch == nil || ch.Err == nil {
				t.Errorf("the one that never was: %+v", ch)
			}
			if o := outcome(t, ticket); o.Kind != Unknown {
				t.Errorf("outcome %+v", o)
			}
			var gone []protocol.URI
			for _, n := range v.Notices {
				if n.Kind == NoticeGone {
					gone = append(gone, n.Channel)
				}
			}
			if diff := cmp.Diff([]protocol.URI{creating}, gone); diff != "" {
				t.Errorf("gone (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCutInHandshake: a connection that breaks before it is up leaves nothing
// behind that passes for fresh.
func TestCutInHandshake(t *testing.T) {
	for _, method := range []string{"initialize", "listSessions", "reconnect"} {
		bubbleRun(t, method, func(t *testing.T) {
			h := newTestHost(t)
			first := method == "initialize"
			var c *Client
			if !first {
				c = h.opened(Options{Retry: true})
			}
			cuts := 0
			h.answerWith(method, func(conn *hostConn, req *jsonrpc.Request) {
				if cuts++; cuts > 3 {
					conn.answer(req)
					return
				}
				conn.cut()
			})
			if first {
				c = h.opened0(Options{Retry: true})
			} else {
				h.cutAll()
			}
			synctest.Wait()
			for c.View().Connection.Phase != Connected {
				for _, ch := range c.View().Channels {
					if ch.State != nil && !ch.Stale {
						t.Errorf("%s passes for fresh", ch.URI)
					}
				}
				h.act(sessionURI, `{"type":"session/titleChanged","title":"meanwhile"}`)
				sleep(100 * time.Millisecond)
			}
			synctest.Wait()
			if v := c.View(); title(v) != "meanwhile" || v.Channels[chatURI].Stale || v.Connection.Err != nil || v.Connection.Attempt != 0 || !v.Connection.Retry.IsZero() {
				t.Errorf("title %q, %+v", title(v), v.Connection)
			}
			lost := 0
			for _, n := range c.View().Notices {
				switch n.Kind {
				case NoticeLost:
					lost++
				case NoticeReconnected:
					lost--
				}
			}
			if lost != 0 {
				t.Errorf("losses and returns do not match: %v", kinds(c.View().Notices))
			}
		})
	}
}

// opened0 is a client with the channels open that need not be connected yet.
func (h *testHost) opened0(opts Options) *Client {
	c := h.start(opts)
	c.Open(sessionURI, protocol.SessionKind)
	c.Open(chatURI, protocol.ChatKind)
	return c
}

// TestOpenWhileAway: channels opened and closed without a connection count at
// the next one.
func TestOpenWhileAway(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Retry: true})
		const other protocol.URI = "test:/other"
		h.mu.Lock()
		h.states[other] = &protocol.SessionState{Title: "other"}
		h.mu.Unlock()
		h.cutAll()
		synctest.Wait()
		c.Close(chatURI)
		c.Open(other, protocol.SessionKind)
		h.hold()
		sleep(time.Second) // in the handshake now
		c.Close(sessionURI)
		c.Open(sessionURI, protocol.SessionKind)
		c.Open(chatURI, protocol.ChatKind)
		h.release()
		sleep(time.Second)
		v := c.View()
		for _, uri := range []protocol.URI{sessionURI, chatURI, other} {
			if ch := v.Channels[uri]; ch == nil || ch.Stale || same(t, ch.State, h.states[uri]) != "" {
				t.Errorf("%s: %+v", uri, ch)
			}
		}
	})
}

// TestNewWorld: after a restart the host counts from the beginning, and its
// small numbers are no duplicates.
func TestNewWorld(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Retry: true})
		for range 5 {
			h.act(sessionURI, `{"type":"session/titleChanged","title":"old"}`)
		}
		h.restart()
		sleep(time.Second)
		h.act(sessionURI, `{"type":"session/titleChanged","title":"new"}`)
		synctest.Wait()
		if title(c.View()) != "new" {
			t.Errorf("title %q", title(c.View()))
		}
		reconnectsFrom := func(seq string) {
			t.Helper()
			h.heard(c)
			h.cutAll()
			sleep(5 * time.Second)
			if frames := strings.Join(h.heard(c), "\n"); !strings.Contains(frames, `"lastSeenServerSeq":`+seq+`,`) {
				t.Errorf("the next reconnect does not count from %s: %s", seq, frames)
			}
		}
		reconnectsFrom("2")
		h.act(sessionURI, `{"type":"session/titleChanged","title":"newer"}`)
		synctest.Wait()
		h.forget()
		reconnectsFrom("3") // answered by snapshots
		reconnectsFrom("3")
	})
}

// TestOldSocket: what a host still sends over a connection that was given up is
// not heard.
func TestOldSocket(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Retry: true})
		h.mu.Lock()
		old := h.conns[0]
		h.answerWithLocked("ping", func(conn *hostConn, req *jsonrpc.Request) {
			if conn != old {
				conn.answer(req)
			}
		})
		h.mu.Unlock()
		sleep(21 * time.Second) // silent, given up, and connected again
		if v := c.View(); v.Connection.Phase != Connected || len(h.conns) != 2 {
			t.Fatalf("%+v, %d connections", v.Connection, len(h.conns))
		}
		_ = old.Notify("action", &protocol.Envelope{Channel: sessionURI, ServerSeq: 1 << 40, Action: retitle("ghost")})
		synctest.Wait()
		h.act(sessionURI, `{"type":"session/titleChanged","title":"real"}`)
		synctest.Wait()
		if title(c.View()) != "real" {
			t.Errorf("title %q", title(c.View()))
		}
	})
}

func (h *testHost) answerWithLocked(method string, f func(*hostConn, *jsonrpc.Request)) {
	h.on[method] = f
}

// TestForgottenTwice: a restarted host takes an initialize, and the connection
// breaks before its answer. It knows the client now, but nothing of the numbers
// that the client has seen in its former life.
func TestForgottenTwice(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Retry: true})
		h.answerWith("initialize", func(conn *hostConn, req *jsonrpc.Request) {
			h.answerWithLocked("initialize", nil)
			h.holding = true
			conn.answer(req)
			conn.cut()
			h.holding = false
		})
		h.restart()
		h.act(sessionURI, `{"type":"session/titleChanged","title":"new"}`)
		sleep(5 * time.Second)
		h.act(chatURI, `{"type":"chat/activityChanged","activity":"new"}`)
		synctest.Wait()
		v := c.View()
		for uri, ch := range v.Channels {
			if diff := same(t, ch.State, h.states[uri]); ch.Stale || diff != "" {
				t.Errorf("%s: stale %t (-want +got):\n%s", uri, ch.Stale, diff)
			}
		}
	})
}

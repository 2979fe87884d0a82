package ahpclient

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// over reports whether an error is that of a limit, and of this one.
func over(err error, limit int64) bool {
	var e *LimitError
	return errors.As(err, &e) && e.Limit == limit
}

// TestMessageLimits: a message that goes over a limit costs the channel that it is
// about, and no other.
func TestMessageLimits(t *testing.T) {
	const small = 300
	limited := Limits{Depth: 40, StringBytes: small, Elements: 200, Values: 800}
	deep := strings.Repeat("[", 50) + strings.Repeat("]", 50)
	long := `"` + strings.Repeat("x", small+1) + `"`
	wide := "[" + strings.Repeat("1,", 200) + "1]"
	many := "[" + strings.Repeat("["+strings.Repeat("1,", 99)+"1],", 10) + "1]"
	for name, test := range map[string]struct {
		value string
		limit int64
	}{"depth": {deep, 40}, "string": {long, small}, "elements": {wide, 200}, "values": {many, 800}} {
		bubbleRun(t, "action "+name, func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{Limits: limited, Retry: true})
			h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
			ticket, err := c.Dispatch(sessionURI, retitle("x"))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			h.heard(c)
			h.tell("action", jsontext.Value(`{"channel":"test:/s","serverSeq":500,"action":{"type":"session/metaChanged","_meta":{"x":`+test.value+`}}}`))
			synctest.Wait()
			v := c.View()
			if ch := v.Channels[sessionURI]; !over(ch.Err, test.limit) || ch.State != nil || !ch.Stale {
				t.Errorf("channel %+v", ch)
			}
			if ch := v.Channels[chatURI]; ch.Stale || ch.Err != nil || v.Connection.Phase != Connected {
				t.Errorf("the rest suffers: %+v, %+v", v.Connection, ch)
			}
			if o := outcome(t, ticket); o.Kind != Unknown || !strings.Contains(o.Reason, "limit") {
				t.Errorf("outcome %+v", o)
			}
			if frames := h.heard(c); len(frames) != 1 || !strings.Contains(frames[0], `"unsubscribe","params":{"channel":"test:/s"}`) {
				t.Errorf("sent %q", frames)
			}
			// It is not asked for again, not over a cut either, until somebody wants it.
			h.cutAll()
			sleep(time.Second)
			if frames := strings.Join(h.heard(c), "\n"); strings.Contains(frames, "test:/s") || !strings.Contains(frames, "reconnect") {
				t.Errorf("after a cut: %s", frames)
			}
			c.Refresh(sessionURI)
			synctest.Wait()
			if ch := c.View().Channels[sessionURI]; ch.Err != nil || ch.Stale || title(c.View()) != "T" {
				t.Errorf("wanted again: %+v", ch)
			}
		})
		bubbleRun(t, "snapshot "+name, func(t *testing.T) {
			h := newTestHost(t)
			h.states["test:/big"] = decodeState(t, protocol.SessionKind, `{"chats":[],"_meta":{"x":`+test.value+`}}`)
			c := h.opened(Options{Limits: limited})
			c.Open("test:/big", protocol.SessionKind)
			synctest.Wait()
			v := c.View()
			if ch := v.Channels["test:/big"]; !over(ch.Err, test.limit) || ch.State != nil {
				t.Errorf("channel %+v", ch)
			}
			if v.Connection.Phase != Connected || v.Channels[sessionURI].Err != nil {
				t.Errorf("the rest suffers: %+v", v.Connection)
			}
		})
		// Over a reconnect it comes with all the others, and must not keep them away.
		bubbleRun(t, "reconnect "+name, func(t *testing.T) {
			for _, how := range []func(*testHost){(*testHost).cutAll, func(h *testHost) { h.forget(); h.cutAll() }, (*testHost).restart} {
				h := newTestHost(t)
				c := h.opened(Options{Limits: limited, Retry: true})
				how(h)
				h.act(sessionURI, `{"type":"session/metaChanged","_meta":{"x":`+test.value+`}}`)
				sleep(10 * time.Second)
				v := c.View()
				if ch := v.Channels[sessionURI]; !over(ch.Err, test.limit) {
					t.Errorf("channel %+v", ch)
				}
				if ch := v.Channels[chatURI]; v.Connection.Phase != Connected || ch.Stale || ch.Err != nil {
					t.Errorf("the rest suffers: %+v, %+v", v.Connection, ch)
				}
			}
		})
	}
}

// TestListOverLimit: a session list that is too much is told, as is a change of it.
func TestListOverLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{StringBytes: 300}, Retry: true})
		h.tell("root/sessionAdded", map[string]any{"channel": "ahp-root://", "summary": map[string]any{"resource": "s:/1", "title": strings.Repeat("x", 301)}})
		synctest.Wait()
		if v := c.View(); !over(v.ListErr, 300) || len(v.Sessions) != 0 {
			t.Errorf("%v, %d sessions", v.ListErr, len(v.Sessions))
		}
		h.summaries["s:/1"] = &protocol.SessionSummary{Resource: "s:/1", Title: strings.Repeat("x", 301)}
		h.cutAll()
		sleep(time.Second)
		if v := c.View(); !over(v.ListErr, 300) || v.Connection.Phase != Connected {
			t.Errorf("%v, %+v", v.ListErr, v.Connection)
		}
	})
	bubble2 := func(name string, f func(t *testing.T)) { t.Run(name, func(t *testing.T) { bubble(t, f) }) }
	bubble2("bytes", func(t *testing.T) {
		h := newTestHost(t)
		for i := range 100 {
			uri := protocol.URI(fmt.Sprint("s:/", i))
			h.summaries[uri] = &protocol.SessionSummary{Resource: uri, Title: strings.Repeat("x", 100)}
		}
		c := h.opened(Options{Limits: Limits{SessionBytes: 30_000}})
		if v := c.View(); len(v.Sessions) != 100 || v.ListErr != nil {
			t.Fatalf("%d sessions, %v", len(v.Sessions), v.ListErr)
		}
		// Whatever comes and goes in place of the same is not too much.
		for i := range 1000 {
			h.tell("root/sessionSummaryChanged", protocol.SessionSummaryChangedParams{Session: "s:/1", Changes: protocol.Raw(fmt.Sprintf(`{"title":"%0100d"}`, i))})
		}
		synctest.Wait()
		if v := c.View(); v.ListErr != nil || v.Summary("s:/1").Title != fmt.Sprintf("%0100d", 999) {
			t.Errorf("%v, %s", v.ListErr, v.Summary("s:/1").Title)
		}
		for i := range 1000 {
			h.tell("root/sessionAdded", protocol.SessionAddedParams{Summary: &protocol.SessionSummary{Resource: protocol.URI(fmt.Sprint("new:/", i)), Title: strings.Repeat("x", 100)}})
		}
		synctest.Wait()
		if v := c.View(); v.ListErr == nil || len(v.Sessions) < 101 || len(v.Sessions) > 300 {
			t.Errorf("%v, %d sessions", v.ListErr, len(v.Sessions))
		}
	})
}

// TestFrameLimit: a message that is too large for the transport costs the
// connection, and over the next ones only what it is about stays away.
func TestFrameLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{FrameBytes: 3000}, Retry: true})
		h.act(sessionURI, `{"type":"session/titleChanged","title":"`+strings.Repeat("x", 3000)+`"}`)
		synctest.Wait()
		if v := c.View().Connection; v.Phase == Connected || !errors.Is(v.Err, jsonrpc.ErrMessageTooLarge) {
			t.Errorf("%+v", v)
		}
		sleep(time.Minute)
		c.Close(sessionURI)
		sleep(time.Minute)
		v := c.View()
		if ch := v.Channels[chatURI]; v.Connection.Phase != Connected || ch.Stale || ch.Err != nil {
			t.Errorf("%+v, %+v", v.Connection, ch)
		}
	})
}

func TestSubscriptionLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{Subscriptions: 4}, Retry: true}) // root, session and chat
		for i := range 3 {
			uri := protocol.URI(fmt.Sprint("test:/", i))
			h.mu.Lock()
			h.states[uri] = &protocol.SessionState{Title: fmt.Sprint(i)}
			h.mu.Unlock()
			c.Open(uri, protocol.SessionKind)
		}
		synctest.Wait()
		h.cutAll()
		sleep(time.Second)
		state := func() (got []string) {
			v := c.View()
			for i := range 3 {
				ch := v.Channels[protocol.URI(fmt.Sprint("test:/", i))]
				got = append(got, fmt.Sprint(ch.State != nil, over(ch.Err, 4)))
			}
			return got
		}
		if diff := cmp.Diff([]string{"true false", "false true", "false true"}, state()); diff != "" {
			t.Errorf("opened (-want +got):\n%s", diff)
		}
		c.Close("test:/0")
		c.Refresh("test:/2")
		c.Open("test:/0", protocol.SessionKind)
		synctest.Wait()
		if diff := cmp.Diff([]string{"false true", "false true", "true false"}, state()); diff != "" {
			t.Errorf("another one instead (-want +got):\n%s", diff)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if n := len(h.conns[0].subscribed); n != 4 {
			t.Errorf("the host knows of %d subscriptions", n)
		}
	})
}

func TestPendingLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{Pending: 3}})
		h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
		for i := range 5 {
			_, err := c.Dispatch([]protocol.URI{sessionURI, "test:/elsewhere"}[i%2], retitle(fmt.Sprint(i)))
			if want := i >= 3; over(err, 3) != want || (err != nil) != want {
				t.Errorf("%d: %v", i, err)
			}
		}
		sleep(defaultPatience)
		if _, err := c.Dispatch(sessionURI, retitle("x")); err != nil {
			t.Errorf("when they have expired: %v", err)
		}
	})
}

// TestStateBytes: what a host sends of a channel over time is replaced by a fresh
// snapshot, which is all that it comes to; and a channel that is too much of
// itself is lost.
func TestStateBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{StateBytes: 20_000}})
		h.heard(c)
		for i := range 1000 { // 300 KB of what is forgotten again
			h.act(sessionURI, fmt.Sprintf(`{"type":"session/titleChanged","title":"%0200d"}`, i))
			synctest.Wait()
		}
		if got := title(c.View()); got != fmt.Sprintf("%0200d", 999) {
			t.Errorf("title %q", got)
		}
		n := strings.Count(strings.Join(h.heard(c), "\n"), `"subscribe"`)
		if n < 5 || n > 50 {
			t.Errorf("%d fresh snapshots", n)
		}
		// What stays adds up. The chat goes, since it is the heavy one.
		h.act(chatURI, `{"type":"chat/turnStarted","turnId":"t","message":{"text":"x","origin":{"kind":"user"}}}`)
		h.act(chatURI, `{"type":"chat/responsePart","turnId":"t","part":{"kind":"markdown","id":"p","content":""}}`)
		for range 200 {
			h.act(chatURI, `{"type":"chat/delta","turnId":"t","partId":"p","content":"`+strings.Repeat("x", 200)+`"}`)
			synctest.Wait()
		}
		v := c.View()
		if ch := v.Channels[chatURI]; !over(ch.Err, 20_000) || ch.State != nil {
			t.Errorf("chat %+v", ch)
		}
		if ch := v.Channels[sessionURI]; ch.Err != nil || ch.Stale || v.Connection.Phase != Connected {
			t.Errorf("the rest suffers: %+v, %+v", v.Connection, ch)
		}
	})
}

// TestStateBytesWithoutSnapshot: a host that streams and never sends the snapshot
// that was asked for does not get far.
func TestStateBytesWithoutSnapshot(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{StateBytes: 20_000, KeptBytes: 1000}})
		h.answerWith("subscribe", func(*hostConn, *jsonrpc.Request) {})
		for i := range 1000 {
			h.act(sessionURI, fmt.Sprintf(`{"type":"session/titleChanged","title":"%0200d"}`, i))
			synctest.Wait()
			if ch := c.store.channels[sessionURI]; ch.weight.grown > 60_000 || ch.keptBytes > 2000 || len(ch.kept) > 10 {
				t.Fatalf("it holds %+v, %d bytes in %d actions", ch.weight, ch.keptBytes, len(ch.kept))
			}
		}
		if ch := c.View().Channels[sessionURI]; !over(ch.Err, 20_000) {
			t.Errorf("channel %+v", ch)
		}
	})
}

// TestKeptBytes: large actions that wait for a snapshot are given up for another
// one, and in the end all is well.
func TestKeptBytes(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{KeptBytes: 1000}})
		h.hold()
		c.Close(sessionURI)
		c.Open(sessionURI, protocol.SessionKind)
		synctest.Wait()
		for i := range 20 {
			h.act(sessionURI, fmt.Sprintf(`{"type":"session/titleChanged","title":"%0200d"}`, i))
		}
		synctest.Wait()
		if ch := c.store.channels[sessionURI]; ch.keptBytes > 1000 {
			t.Errorf("%d bytes are kept", ch.keptBytes)
		}
		h.release()
		synctest.Wait()
		if got := title(c.View()); got != fmt.Sprintf("%0200d", 19) {
			t.Errorf("title %q", got)
		}
	})
}

// TestKeptActions: so are many small ones.
func TestKeptActions(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{Kept: 5}})
		h.hold()
		c.Close(sessionURI)
		c.Open(sessionURI, protocol.SessionKind)
		synctest.Wait()
		for i := range 20 {
			h.act(sessionURI, fmt.Sprintf(`{"type":"session/titleChanged","title":"%d"}`, i))
		}
		synctest.Wait()
		if n := len(c.store.channels[sessionURI].kept); n == 0 || n > 5 {
			t.Errorf("%d actions are kept", n)
		}
		h.release()
		synctest.Wait()
		if got := title(c.View()); got != "19" {
			t.Errorf("title %q", got)
		}
	})
}

// TestTurnLimit: a chat that has grown too long is read anew, with the newest
// turns only; a host that sends them all even so loses the chat.
func TestTurnLimit(t *testing.T) {
	for name, honest := range map[string]bool{"a host that sends what is asked for": true, "one that sends all": false} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			if honest {
				h.pagingHost(0, 10)
			}
			c := h.start(Options{Terms: Terms{Turns: 5}, Limits: Limits{Turns: 20}})
			c.Open(chatURI, protocol.ChatKind)
			c.Open(sessionURI, protocol.SessionKind)
			for i := range 100 {
				h.act(chatURI, fmt.Sprintf(`{"type":"chat/turnStarted","turnId":"t%d","message":{"text":"x","origin":{"kind":"user"}}}`, i))
				h.act(chatURI, fmt.Sprintf(`{"type":"chat/turnComplete","turnId":"t%d"}`, i))
				synctest.Wait()
				if chat := c.View().Chat(chatURI); chat != nil && len(chat.Turns) > 40 {
					t.Fatalf("%d turns", len(chat.Turns))
				}
			}
			v := c.View()
			if ch := v.Channels[chatURI]; honest != (ch.Err == nil) || honest == over(ch.Err, 40) {
				t.Errorf("chat %+v", ch)
			}
			if honest && turnsOf(c)[len(turnsOf(c))-1] != "t99" {
				t.Errorf("turns %v", turnsOf(c))
			}
			if v.Session(sessionURI) == nil || v.Connection.Phase != Connected {
				t.Errorf("the rest suffers: %+v", v.Connection)
			}
		})
	}
	bubbleRun(t, "older ones", func(t *testing.T) {
		h := newTestHost(t)
		h.pagingHost(100, 10)
		c := h.start(Options{Terms: Terms{Turns: 5}, Limits: Limits{Turns: 20}})
		c.Open(chatURI, protocol.ChatKind)
		synctest.Wait()
		for i := range 4 {
			_, err := c.FetchTurns(t.Context(), chatURI)
			synctest.Wait()
			if want := i >= 2; over(err, 20) != want || len(turnsOf(c)) != min(15+10*i, 25) {
				t.Errorf("%d: %v, %d turns", i, err, len(turnsOf(c)))
			}
		}
	})
}

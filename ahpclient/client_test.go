package ahpclient

import (
	"context"
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

func TestOutcomes(t *testing.T) {
	for _, test := range []struct {
		name    string
		verdict verdict
		title   string
		at      time.Duration // when it is known
		want    Outcome
		shown   string
		notices []NoticeKind
	}{
		{"accepted", "", "new", 0, Outcome{Kind: Accepted}, "new", nil},
		{"rejected", reject, "new", 0, Outcome{Rejected, "not today"}, "T", []NoticeKind{NoticeRejected}},
		{"lost", lose, "new", defaultPatience, Outcome{Expired, "the host did not answer"}, "T", []NoticeKind{NoticeExpired}},
		{"swallowed", eat, "T", defaultPatience, Outcome{Accepted, reasonNothing}, "T", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				h := newTestHost(t)
				h.decide = func(string, *protocol.DispatchActionParams) verdict { return test.verdict }
				c := h.opened(Options{})
				h.heard(c)
				ticket, err := c.Dispatch(sessionURI, retitle(test.title))
				if err != nil {
					t.Fatal(err)
				}
				if v := c.View(); title(v) != test.title || len(v.Channels[sessionURI].Pending) > 1 {
					t.Errorf("at once: title %q, %d pending", title(v), len(v.Channels[sessionURI].Pending))
				}
				began := time.Now()
				got, err := ticket.Wait(t.Context())
				if err != nil || got != test.want {
					t.Errorf("outcome %+v, %v", got, err)
				}
				if took := time.Since(began); took != test.at {
					t.Errorf("known after %v", took)
				}
				synctest.Wait()
				v := c.View()
				if title(v) != test.shown || len(v.Channels[sessionURI].Pending) > 0 || v.Channels[sessionURI].State != v.Channels[sessionURI].Confirmed {
					t.Errorf("then: title %q, %d pending", title(v), len(v.Channels[sessionURI].Pending))
				}
				if diff := cmp.Diff(test.notices, kinds(v.Notices)); diff != "" {
					t.Errorf("notices (-want +got):\n%s", diff)
				}
				asked := strings.Contains(strings.Join(h.heard(c), "\n"), `"subscribe"`)
				if asked != (test.want.Kind == Expired) {
					t.Errorf("asked for a fresh snapshot: %t", asked)
				}
			})
		})
	}
}

// TestLateEcho: an action whose echo comes after its deadline takes effect then.
func TestLateEcho(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.decide = func(string, *protocol.DispatchActionParams) verdict { return slow }
		c := h.opened(Options{})
		ticket, err := c.Dispatch(sessionURI, retitle("late"))
		if err != nil {
			t.Fatal(err)
		}
		sleep(time.Minute)
		if o := outcome(t, ticket); o.Kind != Expired || title(c.View()) != "T" {
			t.Errorf("outcome %+v, title %q", o, title(c.View()))
		}
		h.prepare()
		synctest.Wait()
		if title(c.View()) != "late" {
			t.Errorf("title %q", title(c.View()))
		}
	})
}

// TestNoEchoButDone: a turn that the snapshot shows was started, echo or not,
// and its pending start does not wipe what it has streamed.
func TestNoEchoButDone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		h.decide = func(_ string, p *protocol.DispatchActionParams) verdict {
			h.states[chatURI] = protocol.Reduce(protocol.ProfileOf(h.version), h.states[chatURI], protocol.DecodeAction(p.Action))
			for _, text := range []string{
				`{"type":"chat/responsePart","turnId":"t1","part":{"kind":"markdown","id":"p","content":"so"}}`,
			} {
				h.states[chatURI] = protocol.Reduce(protocol.ProfileOf(h.version), h.states[chatURI], protocol.DecodeAction(protocol.Raw(text)))
			}
			return lose
		}
		ticket, err := c.Dispatch(chatURI, protocol.StartTurn(h.version, "t1", "hi", time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.Refresh(chatURI)
		synctest.Wait()
		v := c.View()
		if turn := v.Chat(chatURI).ActiveTurn; turn == nil || len(turn.ResponseParts) != 1 || len(v.Channels[chatURI].Pending) != 1 {
			t.Errorf("turn %+v, %d pending", turn, len(v.Channels[chatURI].Pending))
		}
		sleep(time.Minute)
		if o := outcome(t, ticket); o != (Outcome{Accepted, reasonShown}) {
			t.Errorf("outcome %+v", o)
		}
	})
}

// TestSkipped: when a later action is echoed first, the earlier one does not
// show any more, but its echo may still come.
func TestSkipped(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		var first *protocol.DispatchActionParams
		h.decide = func(_ string, p *protocol.DispatchActionParams) verdict {
			if first == nil {
				first = p
				return lose
			}
			return ""
		}
		one, err1 := c.Dispatch(sessionURI, retitle("one"))
		two, err2 := c.Dispatch(sessionURI, &protocol.SessionMcpServerStartRequested{ID: "m"})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if o := outcome(t, two); o.Kind != Accepted {
			t.Errorf("two: %+v", o)
		}
		if v := c.View(); title(v) != "T" || len(v.Channels[sessionURI].Pending) != 0 {
			t.Errorf("title %q, %d pending", title(v), len(v.Channels[sessionURI].Pending))
		}
		h.mu.Lock()
		h.take(c.store.clientID, first)
		h.mu.Unlock()
		synctest.Wait()
		if o := outcome(t, one); o.Kind != Accepted || title(c.View()) != "one" {
			t.Errorf("one: %+v, title %q", o, title(c.View()))
		}
	})
}

func TestDispatchOnClosedChannel(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.start(Options{})
		synctest.Wait()
		ticket, err := c.Dispatch(chatURI, protocol.StartTurn(h.version, "t1", "hi", time.Now()))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, ok := c.View().Channels[chatURI]; ok {
			t.Error("a channel that nobody opened is in the view")
		}
		if o, ok := ticket.Outcome(); ok {
			t.Errorf("outcome %+v", o)
		}
		// Opened before the deadline: the snapshot shows that it was taken.
		c.Open(chatURI, protocol.ChatKind)
		sleep(time.Minute)
		if o := outcome(t, ticket); o.Kind != Accepted {
			t.Errorf("outcome %+v", o)
		}
		// Closed with the echo on its way: it still counts.
		ticket, err = c.Dispatch(chatURI, &protocol.ChatTurnCancelled{TurnID: "t1"})
		c.Close(chatURI)
		synctest.Wait()
		if o := outcome(t, ticket); err != nil || o.Kind != Accepted {
			t.Errorf("outcome %+v, %v", o, err)
		}
		// Never open: the answer does not come here.
		ticket, err = c.Dispatch(chatURI, &protocol.ChatTurnCancelled{TurnID: "t1"})
		sleep(time.Minute)
		if o := outcome(t, ticket); err != nil || o.Kind != Expired || !strings.Contains(o.Reason, "not open") {
			t.Errorf("outcome %+v, %v", o, err)
		}
		if n := len(c.store.channels); n != 1 {
			t.Errorf("%d channels are held", n)
		}
	})
}

func TestDispatchWithoutConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := New(Options{Dial: h.dial})
		if _, err := c.Dispatch(sessionURI, retitle("x")); !errors.Is(err, ErrNotConnected) {
			t.Errorf("before Run: %v", err)
		}
		if err := c.Call(t.Context(), "ping", nil, nil); !errors.Is(err, ErrNotConnected) {
			t.Errorf("Call: %v", err)
		}
		if _, err := c.CreateSession(t.Context(), "", ""); !errors.Is(err, ErrNotConnected) {
			t.Errorf("CreateSession: %v", err)
		}
		c.Open(sessionURI, protocol.SessionKind)
		c.Refresh(sessionURI)
		c.Close(sessionURI)
	})
}

func TestCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.judge = nil // these methods are made up
		h.answerWith("echo", func(_ *hostConn, req *jsonrpc.Request) { req.Reply(req.Params) })
		h.answerWith("never", func(*hostConn, *jsonrpc.Request) {})
		c := h.opened(Options{Patience: 3 * time.Second})
		var result map[string]string
		if err := c.Call(t.Context(), "echo", map[string]string{"a": "b"}, &result); err != nil || result["a"] != "b" {
			t.Errorf("echo: %v, %v", result, err)
		}
		var refused *jsonrpc.Error
		if err := c.Call(t.Context(), "nope", nil, nil); !errors.As(err, &refused) || strings.Count(err.Error(), "nope") != 2 { // once ours, once the host's
			t.Errorf("nope: %v", err)
		}
		began := time.Now()
		err := c.Call(t.Context(), "never", nil, nil)
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second || !strings.Contains(err.Error(), "within 3s") {
			t.Errorf("never: %v after %v", err, time.Since(began))
		}
		go func() {
			<-time.After(time.Second)
			h.cutAll()
		}()
		if err := c.Call(t.Context(), "never", nil, nil); !errors.Is(err, jsonrpc.ErrClosed) {
			t.Errorf("cut: %v", err)
		}
	})
}

func TestCreateSession(t *testing.T) {
	for _, test := range []struct{ provider, prefix, params string }{
		{"", "test:/", `"provider":"test"`}, // the host's first
		{"codex", "codex:/", `"provider":"codex"`},
		{"a b:/", "ahp-session:/", `"provider":"a b:/"`},
	} {
		bubbleRun(t, test.provider, func(t *testing.T) {
			h := newTestHost(t)
			var asked string
			h.answerWith("createSession", func(_ *hostConn, req *jsonrpc.Request) {
				asked = string(req.Params)
				var p protocol.CreateSessionParams
				_ = protocol.Unmarshal(req.Params, &p)
				h.states[p.Channel] = &protocol.SessionState{Lifecycle: protocol.LifecycleCreating, Title: "made"}
				req.Reply(nil)
			})
			c := h.opened(Options{})
			uri, err := c.CreateSession(t.Context(), test.provider, "file:///w")
			if err != nil || !strings.HasPrefix(string(uri), test.prefix) || len(uri) != len(test.prefix)+36 {
				t.Fatalf("%s, %v", uri, err)
			}
			if !strings.Contains(asked, test.params) || !strings.Contains(asked, `"workingDirectories":["file:///w"]`) || !strings.Contains(asked, string(uri)) {
				t.Errorf("asked %s", asked)
			}
			synctest.Wait()
			if s := c.View().Session(uri); s == nil || s.Title != "made" {
				t.Errorf("session %+v", s)
			}
		})
	}
}

func bubbleRun(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { bubble(t, f) })
}

func TestAwait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		never := func(*View) bool { return false }
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if v, err := c.Await(ctx, never); !errors.Is(err, context.DeadlineExceeded) || v == nil {
			t.Errorf("deadline: %v", err)
		}
		go func() {
			<-time.After(time.Second)
			h.act(sessionURI, `{"type":"session/titleChanged","title":"seen"}`)
		}()
		if v, err := c.Await(t.Context(), func(v *View) bool { return title(v) == "seen" }); err != nil || title(v) != "seen" {
			t.Errorf("seen: %v", err)
		}
		go func() {
			<-time.After(time.Second)
			h.cutAll()
		}()
		if v, err := c.Await(t.Context(), never); !errors.Is(err, jsonrpc.ErrClosed) || v.Connection.Phase != Failed {
			t.Errorf("cut: %v", err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			h := newTestHost(t)
			c := New(Options{Dial: h.dial})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			synctest.Wait()
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
			if v, err := c.Await(context.Background(), func(*View) bool { return false }); !errors.Is(err, ErrNotConnected) || v.Connection.Phase != Closed {
				t.Errorf("Await: %v", err)
			}
			h.cutAll()
		})
	})
}

// TestSubscribeTrouble: what is wrong with one channel leaves the others alone.
func TestSubscribeTrouble(t *testing.T) {
	const other protocol.URI = "test:/other"
	reply := func(text string) func(*jsonrpc.Request) {
		return func(req *jsonrpc.Request) { req.Reply(jsontext.Value(text)) }
	}
	for _, test := range []struct {
		name   string
		answer func(*jsonrpc.Request)
		want   string
	}{
		{"not there", func(req *jsonrpc.Request) { req.Fail(&jsonrpc.Error{Code: -32001, Message: "Session not found"}) }, "Session not found"},
		{"a long story", func(req *jsonrpc.Request) {
			req.Fail(&jsonrpc.Error{Code: -32603, Message: strings.Repeat("x", 1<<20)})
		}, "xxx"},
		{"no snapshot", reply(`{}`), "no state"},
		{"null snapshot", reply(`{"snapshot":null}`), "no state"},
		{"null state", reply(`{"snapshot":{"resource":"test:/other","state":null,"fromSeq":1}}`), "no state"},
		{"no state", reply(`{"snapshot":{"resource":"test:/other","fromSeq":1}}`), "no state"},
		{"a number", reply(`{"snapshot":{"resource":"test:/other","state":5,"fromSeq":1}}`), "decode"},
		{"nonsense", reply(`"hello"`), "decode"},
		{"no answer", func(*jsonrpc.Request) {}, "did not answer"},
	} {
		bubbleRun(t, test.name, func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{})
			h.answerWith("subscribe", func(_ *hostConn, req *jsonrpc.Request) { test.answer(req) })
			c.Open(other, protocol.SessionKind)
			sleep(answerPatience)
			v := c.View()
			ch := v.Channels[other]
			if ch == nil || ch.State != nil || ch.Err == nil || !strings.Contains(ch.Err.Error(), test.want) || len(ch.Err.Error()) > 2*maxText {
				t.Fatalf("channel %+v", ch)
			}
			if v.Connection.Phase != Connected || v.Session(sessionURI) == nil || v.Channels[sessionURI].Err != nil {
				t.Error("the rest suffered")
			}
			// It may be there later.
			h.answerWith("subscribe", nil)
			h.mu.Lock()
			h.states[other] = &protocol.SessionState{Title: "there"}
			h.mu.Unlock()
			c.Refresh(other)
			synctest.Wait()
			if ch := c.View().Channels[other]; ch.Err != nil || c.View().Session(other) == nil {
				t.Errorf("later: %+v", ch)
			}
		})
	}
}

// TestSnapshotOvertaken: a host may work a snapshot out, send an action, and
// only then the snapshot.
func TestSnapshotOvertaken(t *testing.T) {
	fresh := func(i int) string {
		return fmt.Sprintf(`{"type":"session/customizationUpdated","customization":{"type":"mcpServer","id":"m%d","name":"m"}}`, i)
	}
	check := func(t *testing.T, h *testHost, c *Client) {
		t.Helper()
		ch := c.View().Channels[sessionURI]
		if diff := same(t, ch.State, h.states[sessionURI]); diff != "" || ch.Stale || ch.Err != nil {
			t.Errorf("stale %t, %v (-want +got):\n%s", ch.Stale, ch.Err, diff)
		}
		if ch := c.store.channels[sessionURI]; ch.asked != 0 || ch.kept != nil || ch.keptFrom != 0 {
			t.Errorf("%d asked, %d kept", ch.asked, len(ch.kept))
		}
	}
	for _, many := range []int{1, 3, limits.Kept, limits.Kept + 1} {
		bubbleRun(t, fmt.Sprint("open ", many), func(t *testing.T) {
			h := newTestHost(t)
			c := h.start(Options{})
			synctest.Wait()
			h.hold()
			c.Open(sessionURI, protocol.SessionKind)
			synctest.Wait()
			for i := range many {
				h.act(sessionURI, fresh(i+1))
			}
			synctest.Wait()
			h.release()
			synctest.Wait()
			check(t, h, c)
		})
		bubbleRun(t, fmt.Sprint("refresh ", many), func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{})
			h.act(sessionURI, fresh(0))
			h.hold()
			c.Refresh(sessionURI)
			synctest.Wait()
			for i := range many {
				h.act(sessionURI, fresh(i+1))
			}
			synctest.Wait()
			h.release()
			synctest.Wait()
			check(t, h, c)
		})
	}
	for name, how := range map[string]func(*testHost){"replay": (*testHost).cutAll, "snapshot": func(h *testHost) { h.forget(); h.cutAll() }, "initialize": (*testHost).restart} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{Retry: true})
			how(h)
			h.act(sessionURI, fresh(1))
			h.hold()
			sleep(time.Second) // the answer is worked out
			h.act(sessionURI, fresh(2))
			h.act(sessionURI, fresh(3))
			synctest.Wait()
			if v := c.View(); len(v.Session(sessionURI).Customizations) != 1 || !v.Channels[sessionURI].Stale {
				t.Errorf("before the answer: %+v", v.Channels[sessionURI])
			}
			h.release()
			sleep(time.Second)
			check(t, h, c)
		})
	}
}

func TestSessionRemoved(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.summaries[sessionURI] = &protocol.SessionSummary{Resource: sessionURI}
		c := h.opened(Options{})
		h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
		ticket, err := c.Dispatch(chatURI, &protocol.ChatTurnCancelled{TurnID: "t"})
		if err != nil {
			t.Fatal(err)
		}
		h.tell("root/sessionRemoved", protocol.SessionRemovedParams{Session: sessionURI})
		synctest.Wait()
		v := c.View()
		if len(v.Channels) != 1 || len(v.Sessions) != 0 {
			t.Errorf("%d channels, %d sessions", len(v.Channels), len(v.Sessions))
		}
		if o := outcome(t, ticket); o.Kind != Unknown {
			t.Errorf("outcome %+v", o)
		}
		if diff := cmp.Diff([]NoticeKind{NoticeGone}, kinds(v.Notices)); diff != "" {
			t.Errorf("notices (-want +got):\n%s", diff)
		}
	})
}

func TestFloods(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		long := strings.Repeat("é", 1<<12)
		for i := range 3 * limits.Notices {
			h.tell("auth/required", map[string]any{"channel": long, "resource": fmt.Sprint(i, long)})
			h.tell("auth/required", map[string]any{"channel": "c", "resource": "the same"})
			h.act("unknown:/channel", `{"type":"session/ready"}`)
		}
		for _, nonsense := range []string{"action", "root/sessionAdded", "root/sessionRemoved", "root/sessionSummaryChanged", "auth/required", "x"} {
			for _, params := range []string{"null", "5", "{}", `[]`, `{"summary":null,"session":null,"changes":null,"action":null,"channel":null,"resource":null}`} {
				h.tell(nonsense, jsontext.Value(params))
			}
			h.tell(nonsense, nil)
		}
		h.decide = func(string, *protocol.DispatchActionParams) verdict { return reject }
		ticket, err := c.Dispatch(sessionURI, retitle("x"))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		v := c.View()
		if len(v.Notices) != limits.Notices {
			t.Errorf("%d notices", len(v.Notices))
		}
		same := 0
		for i, n := range v.Notices {
			if len(n.Text) > maxText+10 || len(n.Channel) > maxText+10 {
				t.Errorf("notice %d has %d and %d bytes", i, len(n.Text), len(n.Channel))
			}
			if n.Text == "the same" {
				same++
			}
			if i > 0 && !n.At.After(v.Notices[i-1].At) {
				t.Errorf("notice %d is not after the one before", i)
			}
		}
		if same != 1 {
			t.Errorf("the same notice is there %d times", same)
		}
		if o := outcome(t, ticket); o.Kind != Rejected {
			t.Errorf("outcome %+v", o)
		}
		if v.Connection.Phase != Connected || len(v.Channels) != 3 || len(v.Sessions) != 0 {
			t.Errorf("%+v, %d channels, %d sessions", v.Connection, len(v.Channels), len(v.Sessions))
		}
	})
}

// TestViewPointers: what has not changed keeps its pointer.
func TestViewPointers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.summaries[sessionURI] = &protocol.SessionSummary{Resource: sessionURI, ModifiedAt: "1"}
		c := h.opened(Options{})
		before, next := c.Watch()
		sleep(time.Hour) // pings go on
		if v, _ := c.Watch(); v != before {
			t.Errorf("a view of nothing new: %+v and %+v", before.Connection, v.Connection)
		}
		select {
		case <-next:
			t.Error("a change was announced")
		default:
		}
		h.act(sessionURI, `{"type":"session/titleChanged","title":"T"}`) // changes nothing
		synctest.Wait()
		if c.View() != before {
			t.Error("a view of an action that changes nothing")
		}
		h.act(chatURI, `{"type":"chat/activityChanged","activity":"x"}`)
		synctest.Wait()
		<-next
		after := c.View()
		if after == before || after.Channels[chatURI] == before.Channels[chatURI] {
			t.Error("the change does not show")
		}
		if after.Channels[sessionURI] != before.Channels[sessionURI] || after.Root != before.Root || &after.Sessions[0] != &before.Sessions[0] {
			t.Error("what did not change lost its pointer")
		}
		h.tell("root/sessionSummaryChanged", protocol.SessionSummaryChangedParams{Session: sessionURI, Changes: protocol.Raw(`{"title":"other"}`)})
		synctest.Wait()
		if c.View().Channels[chatURI] != after.Channels[chatURI] || before.Sessions[0].Title != "" || c.View().Sessions[0].Title != "other" {
			t.Error("the list and the channels are not apart")
		}
	})
}

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

// taken are the events that wait for a listener, as text.
func taken(l *Listener) (list []string) {
	for {
		e, ok := l.take()
		if !ok {
			return list
		}
		text := e.Method + " " + string(e.Params)
		if e.Action != nil {
			raw, _ := protocol.EncodeAction(e.Action)
			text = "action " + string(raw)
		}
		list = append(list, text)
	}
}

func TestListen(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		const logs, server, watch protocol.URI = "ahp-otlp://logs/info", "mcp://h/1", "test-watch:/w"
		h.states[watch] = decodeState(t, protocol.ResourceWatchKind, `{"root":"file:///w","recursive":true}`)
		h.answerWith("subscribe", func(conn *hostConn, req *jsonrpc.Request) {
			if strings.Contains(string(req.Params), string(logs)) {
				conn.subscribed[logs] = true
				req.Reply(jsontext.Value(`{}`))
				return
			}
			conn.answer(req)
		})
		c := h.opened(Options{Retry: true})
		c.Open(logs, OtlpKind)
		c.Open(watch, protocol.ResourceWatchKind)
		synctest.Wait()
		listeners := map[protocol.URI]*Listener{}
		for _, uri := range []protocol.URI{logs, server, watch, protocol.RootChannel} {
			l, err := c.Listen(uri)
			if err != nil {
				t.Fatal(err)
			}
			listeners[uri] = l
		}
		if ch := c.View().Channels[logs]; ch.Stale || ch.Err != nil || ch.State != nil {
			t.Errorf("a channel without a state: %+v", ch)
		}
		h.tell("otlp/exportLogs", jsontext.Value(`{"channel":"ahp-otlp://logs/info","payload":{"resourceLogs":[]}}`))
		h.tell("otlp/exportLogs", jsontext.Value(`{"channel":"ahp-otlp://logs/debug","payload":{}}`))
		h.tell("notifications/tools/list_changed", jsontext.Value(`{"channel":"mcp://h/1"}`))
		h.tell("root/progress", jsontext.Value(`{"channel":"ahp-root://","progressToken":"p","progress":1}`))
		h.act(watch, `{"type":"resourceWatch/changed","changes":{"items":[{"uri":"file:///w/a","type":"added"}]}}`)
		synctest.Wait()
		for uri, want := range map[protocol.URI]string{
			logs:                 `otlp/exportLogs {"channel":"ahp-otlp://logs/info","payload":{"resourceLogs":[]}}`,
			server:               `notifications/tools/list_changed {"channel":"mcp://h/1"}`,
			watch:                `action {"type":"resourceWatch/changed","changes":{"items":[{"uri":"file:///w/a","type":"added"}]}}`,
			protocol.RootChannel: `root/progress {"channel":"ahp-root://","progressToken":"p","progress":1}`,
		} {
			if diff := cmp.Diff([]string{want}, taken(listeners[uri])); diff != "" {
				t.Errorf("%s (-want +got):\n%s", uri, diff)
			}
		}

		h.answerWith("reconnect", func(conn *hostConn, req *jsonrpc.Request) {
			conn.subscribed[logs] = true
			conn.answer(req)
		})
		// Over a cut: the stateless channel is subscribed to anew, whatever the
		// host resumes; the event of the watch comes with the replay, once.
		h.cutAll()
		h.act(watch, `{"type":"resourceWatch/changed","changes":{"items":[]}}`)
		h.heard(c)
		sleep(time.Second)
		if frames := strings.Join(h.heard(c), "\n"); strings.Count(frames, `"subscribe","params":{"channel":"ahp-otlp://logs/info"}`) != 1 || !strings.Contains(frames, "reconnect") {
			t.Errorf("after a cut: %s", frames)
		}
		if ch := c.View().Channels[logs]; ch == nil || ch.Stale || ch.Err != nil {
			t.Errorf("a channel without a state, after a cut: %+v", ch)
		}
		if got := taken(listeners[watch]); len(got) != 1 {
			t.Errorf("the replay brings %q", got)
		}
		h.forget()
		h.cutAll()
		sleep(5 * time.Second)
		if ch := c.View().Channels[logs]; ch == nil || ch.Stale || ch.Err != nil {
			t.Errorf("a channel without a state, after snapshots: %+v", ch)
		}
	})
}

// TestListenerNext: a listener waits, ends with its context and with its owner,
// and gives out what came before.
func TestListenerNext(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		l, err := c.Listen("x:/")
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 10)
		for range 2 { // whoever waits gets one
			go func() {
				for {
					e, err := l.Next(t.Context())
					if err != nil {
						got <- err.Error()
						return
					}
					got <- string(e.Params)
				}
			}()
		}
		synctest.Wait()
		h.tell("x/y", jsontext.Value(`{"channel":"x:/","n":1}`))
		h.tell("x/y", jsontext.Value(`{"channel":"x:/","n":2}`))
		synctest.Wait()
		if len(got) != 2 {
			t.Errorf("%d events were taken out", len(got))
		}
		l.Stop()
		l.Stop()
		synctest.Wait()
		if len(got) != 4 {
			t.Errorf("%d have come back", len(got))
		}
		h.tell("x/y", jsontext.Value(`{"channel":"x:/","n":3}`))
		synctest.Wait()
		if _, err := l.Next(t.Context()); !errors.Is(err, ErrStopped) {
			t.Errorf("after its end: %v", err)
		}
		l, _ = c.Listen("x:/")
		h.tell("x/y", jsontext.Value(`{"channel":"x:/","n":4}`))
		synctest.Wait()
		l.Stop()
		if e, err := l.Next(t.Context()); err != nil || string(e.Params) != `{"channel":"x:/","n":4}` {
			t.Errorf("what came before the end: %+v, %v", e, err)
		}
		if len(c.listeners) != 0 {
			t.Errorf("%d listeners are left", len(c.listeners))
		}
		l, _ = c.Listen("x:/")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := l.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("with a deadline: %v", err)
		}
	})
}

// TestListenerTogether: of several who wait, nobody waits while there is something.
func TestListenerTogether(t *testing.T) {
	bubble(t, func(t *testing.T) {
		c := New(Options{})
		l, err := c.Listen("x:/")
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan string, 2)
		for range 2 {
			go func() {
				e, err := l.Next(t.Context())
				got <- fmt.Sprint(e.Method, err)
			}()
		}
		synctest.Wait()
		l.mu.Lock()
		l.events = []Event{{Method: "a"}, {Method: "b"}}
		nudge(l.wake)
		l.mu.Unlock()
		synctest.Wait()
		if len(got) != 2 {
			t.Errorf("%d have got something", len(got))
		}
		l.Stop()
	})
}

// TestListenerLimits: a flood of events costs the oldest of them and nothing else.
func TestListenerLimits(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Limits: Limits{Listeners: 2, Events: 10, EventBytes: 1000}})
		l, _ := c.Listen("x:/")
		for i := range 1000 {
			h.tell("x/y", jsontext.Value(fmt.Sprintf(`{"channel":"x:/","n":%d}`, i)))
		}
		synctest.Wait()
		if got := taken(l); len(got) != 10 || got[0] != `x/y {"channel":"x:/","n":990}` || l.Dropped() != 990 {
			t.Errorf("%d dropped, got %q", l.Dropped(), got)
		}
		for range 3 {
			h.tell("x/y", jsontext.Value(`{"channel":"x:/","text":"`+strings.Repeat("x", 400)+`"}`))
		}
		h.tell("x/y", jsontext.Value(`{"channel":"x:/","text":"`+strings.Repeat("x", 1000)+`"}`))
		synctest.Wait()
		if n := len(taken(l)); n != 2 || l.Dropped() != 992 {
			t.Errorf("%d large events, %d dropped", n, l.Dropped())
		}
		if _, err := c.Listen("x:/"); err != nil {
			t.Error(err)
		}
		var over *LimitError
		if _, err := c.Listen("y:/"); !errors.As(err, &over) || over.Limit != 2 {
			t.Errorf("a third listener: %v", err)
		}
		l.Stop()
		if _, err := c.Listen("y:/"); err != nil {
			t.Error(err)
		}
	})
}

package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// TestSilence: a host that says nothing is pinged after a while and given up
// after a longer one; whatever it sends counts as life.
func TestSilence(t *testing.T) {
	for _, test := range []struct{ silence, dead, ping, end time.Duration }{
		{0, 0, 5 * time.Second, 20 * time.Second},
		{3 * time.Second, time.Minute, 3 * time.Second, time.Minute},
		{time.Hour, 8 * time.Second, 4 * time.Second, 8 * time.Second},
	} {
		bubbleRun(t, fmt.Sprint(test.silence, test.dead), func(t *testing.T) {
			h := newTestHost(t)
			c := h.opened(Options{Silence: test.silence, Dead: test.dead})
			sleep(time.Hour)
			if v := c.View(); v.Connection.Phase != Connected {
				t.Fatalf("a host that answers pings: %+v", v.Connection)
			}
			var pinged time.Time
			h.answerWith("ping", func(*hostConn, *jsonrpc.Request) { pinged = time.Now() })
			for range 60 { // never quiet for long: pinged, but alive
				sleep(test.end - time.Second)
				h.act(sessionURI, `{"type":"session/ready"}`)
			}
			synctest.Wait()
			if v := c.View(); v.Connection.Phase != Connected {
				t.Fatalf("a host that sends: %+v", v.Connection)
			}
			began := time.Now()
			_, err := c.Await(t.Context(), func(*View) bool { return false })
			if took := time.Since(began); took != test.end || err == nil || !strings.Contains(err.Error(), "silent") {
				t.Errorf("after %v: %v", took, err)
			}
			synctest.Wait()
			if got := pinged.Sub(began); got != test.ping {
				t.Errorf("pinged after %v", got)
			}
			if diff := cmp.Diff([]NoticeKind{NoticeLost}, kinds(c.View().Notices)); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSleepWhileUp: nobody knows what has become of a connection while the machine
// slept, so the host is pinged at once; and given up if that brings nothing.
func TestSleepWhileUp(t *testing.T) {
	for name, alive := range map[string]bool{"alive": true, "gone": false} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			c := New(Options{Dial: h.dial, Retry: true, Silence: 6 * time.Second, Dead: time.Minute})
			var slept atomic.Int64
			c.wall = func() time.Time { return time.Now().Round(0).Add(time.Duration(slept.Load())) }
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			sleep(time.Second)
			var pings []time.Time
			h.answerWith("ping", func(conn *hostConn, req *jsonrpc.Request) {
				pings = append(pings, time.Now())
				if alive {
					conn.answer(req)
				}
			})
			h.tell("noise", nil) // so that it is not silence which ends the wait
			slept.Add(int64(time.Hour))
			woken := time.Now()
			sleep(6 * time.Second)
			if len(pings) != 1 || pings[0].Sub(woken) != 5*time.Second { // when the timer of before the noise is up
				t.Fatalf("pings at %v, woken at %v", pings, woken)
			}
			began := pings[0]
			sleep(time.Minute - 6*time.Second - time.Since(began) - time.Millisecond)
			if v := c.View().Connection; v.Phase != Connected {
				t.Errorf("given up early: %+v", v)
			}
			sleep(2 * time.Millisecond)
			if v := c.View().Connection; (v.Phase == Connected) != alive {
				t.Errorf("%+v", v)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			h.cutAll()
		})
	}
}

func TestLatency(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		delay := 20 * time.Millisecond
		h.answerWith("ping", func(_ *hostConn, req *jsonrpc.Request) {
			delay := delay
			go func() {
				<-time.After(delay)
				req.Reply(nil)
			}()
		})
		c := h.opened(Options{})
		sleep(time.Second)
		if got := c.View().Connection.Latency; got != 20*time.Millisecond {
			t.Errorf("latency %v", got)
		}
		for _, step := range []struct{ is, shown int }{{22, 20}, {80, 80}, {90, 80}, {30, 30}, {0, 0}} {
			h.mu.Lock()
			delay = time.Duration(step.is) * time.Millisecond
			h.mu.Unlock()
			sleep(11 * time.Second)
			if got := c.View().Connection.Latency; got != time.Duration(step.shown)*time.Millisecond {
				t.Errorf("latency %v of %d ms", got, step.is)
			}
		}
	})
}

// TestRetry follows the connection through its phases.
func TestRetry(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.setDialErr(fmt.Errorf("%w: %w", jsonrpc.ErrUnreachable, errNoRoute))
		c := h.start(Options{Retry: true})
		synctest.Wait()
		for attempt := 1; attempt < 12; attempt++ {
			v := c.View().Connection
			wait := time.Until(v.Retry)
			longest := min(firstRetry<<min(attempt, 8), lastRetry)
			if v.Phase != Connecting || v.Attempt != attempt || !errors.Is(v.Err, errNoRoute) || wait < longest/2 || wait > longest {
				t.Errorf("attempt %d: %+v, in %v", attempt, v, wait)
			}
			sleep(wait)
		}
		h.setDialErr(nil)
		sleep(lastRetry)
		if v := c.View().Connection; v.Phase != Connected || v.Attempt != 0 || v.Err != nil || !v.Retry.IsZero() {
			t.Errorf("up: %+v", v)
		}
		if n := len(c.View().Notices); n != 0 {
			t.Errorf("%d notices of a connection that was never lost", n)
		}
		sleep(time.Minute)
		h.setDialErr(errNoRoute)
		h.cutAll()
		synctest.Wait()
		if v := c.View().Connection; v.Phase != Reconnecting || v.Attempt != 0 || time.Until(v.Retry) > firstRetry || v.Err == nil {
			t.Errorf("lost: %+v", v)
		}
		sleep(time.Hour)
		h.setDialErr(nil)
		c.Reconnect()
		synctest.Wait()
		if v := c.View().Connection; v.Phase != Connected {
			t.Errorf("asked to try: %+v", v)
		}
	})
}

// TestReconnectBeforehand: asking for an attempt while there is a connection
// does not count for a later one.
func TestReconnectBeforehand(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{Retry: true})
		c.Reconnect()
		h.setDialErr(errNoRoute)
		h.cutAll()
		synctest.Wait()
		if v := c.View().Connection; time.Until(v.Retry) <= 0 {
			t.Errorf("no wait: %+v", v)
		}
	})
}

// TestFlapping: a host that takes connections and drops them is not called many
// times a second.
func TestFlapping(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.answerWith("ping", func(conn *hostConn, _ *jsonrpc.Request) { conn.cut() }) // as soon as it is up
		h.start(Options{Retry: true})
		sleep(10 * time.Minute)
		if n := len(h.conns); n < 10 || n > 50 {
			t.Errorf("%d connections in ten minutes", n)
		}
	})
}

// TestSleep: when the machine slept, the timers stood still and the wall clock
// did not. What failed before says nothing about now.
func TestSleep(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.setDialErr(errNoRoute)
		ctx, cancel := context.WithCancel(t.Context())
		c := New(Options{Dial: h.dial, Retry: true})
		var slept atomic.Int64
		c.wall = func() time.Time { return time.Now().Round(0).Add(time.Duration(slept.Load())) }
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		sleep(10 * time.Minute)
		before := c.View().Connection
		for time.Until(c.View().Connection.Retry) < 5*time.Second {
			sleep(time.Second)
		}
		h.setDialErr(nil)
		slept.Add(int64(time.Hour))
		sleep(time.Second + time.Millisecond)
		if v := c.View().Connection; before.Attempt < 10 || v.Phase != Connected {
			t.Errorf("before %+v, after %+v", before, v)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		h.cutAll()
	})
}

// TestHopeless: errors that trying again cannot cure end Run even with Retry.
func TestHopeless(t *testing.T) {
	for _, kind := range []error{jsonrpc.ErrTokenRefused, jsonrpc.ErrTokenWanted, jsonrpc.ErrNotAHP, jsonrpc.ErrUntrusted} {
		bubbleRun(t, kind.Error(), func(t *testing.T) {
			h := newTestHost(t)
			c, ended := h.run(Options{Retry: true})
			c.Open(sessionURI, protocol.SessionKind)
			synctest.Wait()
			h.setDialErr(kind) // the host was restarted with another token
			h.cutAll()
			if err := <-ended; !errors.Is(err, kind) {
				t.Errorf("Run: %v", err)
			}
			if v := c.View(); v.Connection.Phase != Failed || !v.Connection.Retry.IsZero() || !v.Channels[sessionURI].Stale {
				t.Errorf("%+v", v.Connection)
			}
		})
	}
	t.Run("address", func(t *testing.T) {
		t.Parallel()
		for _, url := range []string{"", "http://localhost", "ws://", "ws://a:b@c", "ws://h/?tkn=a&tkn=b"} {
			c := New(Options{URL: url, Retry: true})
			if err := c.Run(t.Context()); err == nil || c.View().Connection.Phase != Failed {
				t.Errorf("%q: %v", url, err)
			}
		}
	})
}

// TestEnd: ending the context ends everything, wherever the client is.
func TestEnd(t *testing.T) {
	never := func(*hostConn, *jsonrpc.Request) {}
	for name, spoil := range map[string]func(*testHost){
		"up":         func(*testHost) {},
		"waiting":    func(h *testHost) { h.setDialErr(errNoRoute) },
		"initialize": func(h *testHost) { h.answerWith("initialize", never) },
		"list":       func(h *testHost) { h.answerWith("listSessions", never) },
	} {
		bubbleRun(t, name, func(t *testing.T) {
			h := newTestHost(t)
			spoil(h)
			c := New(Options{Dial: h.dial, Retry: true})
			c.Open(sessionURI, protocol.SessionKind)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			sleep(time.Second)
			var ticket *Ticket
			if name == "up" {
				h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
				ticket, _ = c.Dispatch(sessionURI, retitle("x"))
			}
			began := time.Now()
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("it took %v", took)
			}
			if v := c.View(); v.Connection.Phase != Closed || v.Connection.Err != nil {
				t.Errorf("%+v", v.Connection)
			}
			if ticket != nil && outcome(t, ticket).Kind != Unknown {
				t.Errorf("outcome %+v", outcome(t, ticket))
			}
			h.cutAll()
		})
	}
}

// TestTogether uses a client from many goroutines while its host acts and
// connections break, in real time, for the race detector.
func TestTogether(t *testing.T) {
	t.Parallel()
	h := newTestHost(t)
	c := h.start(Options{Retry: true, Patience: 200 * time.Millisecond, Silence: 100 * time.Millisecond})
	if _, err := c.Await(t.Context(), func(v *View) bool { return v.Connection.Phase == Connected }); err != nil {
		t.Fatal(err)
	}
	c.Open(sessionURI, protocol.SessionKind)
	var workers sync.WaitGroup
	for _, work := range []func(i int){
		func(i int) { _, _ = c.Dispatch(sessionURI, retitle(fmt.Sprint(i))) },
		func(i int) { h.act(sessionURI, fmt.Sprintf(`{"type":"session/titleChanged","title":"h%d"}`, i)) },
		func(int) { c.Open(chatURI, protocol.ChatKind); c.Refresh(chatURI); c.Close(chatURI) },
		func(int) { v := c.View(); v.Blocked(); v.BlockedIn(sessionURI); v.Summary(sessionURI) },
		func(i int) {
			if i%50 == 0 {
				h.cutAll()
				c.Reconnect()
			}
		},
		func(int) {
			_ = c.Call(t.Context(), "ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
		},
	} {
		workers.Go(func() {
			for i := range 300 {
				work(i)
			}
		})
	}
	workers.Wait()
	h.act(sessionURI, `{"type":"session/titleChanged","title":"end"}`)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	_, err := c.Await(ctx, func(v *View) bool {
		ch := v.Channels[sessionURI]
		return v.Connection.Phase == Connected && ch != nil && !ch.Stale && len(ch.Pending) == 0 && title(v) == "end"
	})
	if err != nil {
		t.Errorf("it does not settle: %v, %+v", err, c.View().Connection)
	}
}

// TestRunAgain: a client that failed for good can be run once more, and keeps
// what it had open.
func TestRunAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := New(Options{Dial: h.dial})
		c.Open(sessionURI, protocol.SessionKind)
		h.setDialErr(jsonrpc.ErrTokenWanted)
		if err := c.Run(t.Context()); !errors.Is(err, jsonrpc.ErrTokenWanted) {
			t.Fatalf("Run: %v", err)
		}
		h.setDialErr(nil)
		up := func(v *View) bool { return v.Connection.Phase == Connected }
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- c.Run(ctx) }()
			synctest.Wait()
			if v, err := c.Await(t.Context(), up); err != nil || v.Channels[sessionURI].Stale || title(v) != "T" {
				t.Errorf("Await: %v, %+v", err, v.Connection)
			}
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Run: %v", err)
			}
		}
		if diff := cmp.Diff([]NoticeKind{NoticeReconnected}, kinds(c.View().Notices)); diff != "" {
			t.Errorf("notices (-want +got):\n%s", diff)
		}
		h.cutAll()
	})
}

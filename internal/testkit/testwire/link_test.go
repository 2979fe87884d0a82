package testwire_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/testkit/testwire"
)

// arrival is a message, or the end, and when it came, counted from the beginning.
type arrival struct {
	msg string
	at  time.Duration
	err error
}

// receive reads all that arrives, until the end of the connection or of the time.
func receive(ctx context.Context, t jsonrpc.Transport) (list []arrival) {
	began := time.Now()
	for {
		msg, err := t.Read(ctx)
		list = append(list, arrival{string(msg), time.Since(began), err})
		if err != nil {
			return list
		}
	}
}

// letPass lets virtual time pass.
func letPass(d time.Duration) { <-time.After(d) }

func write(t *testing.T, to jsonrpc.Transport, msgs ...string) {
	t.Helper()
	for _, msg := range msgs {
		if err := to.Write(t.Context(), []byte(msg)); err != nil {
			t.Errorf("write: %v", err)
		}
	}
}

// TestTravel: what a client sends arrives at the host when the line allows it.
func TestTravel(t *testing.T) {
	t.Parallel()
	const second = time.Second
	ten := strings.Repeat("x", 10)
	for _, tt := range []struct {
		name string
		line testwire.Line
		do   func(t *testing.T, l *testwire.Link)
		want []arrival
	}{
		{"no time at all", testwire.Line{}, func(t *testing.T, l *testwire.Link) {
			write(t, l.Port(testwire.Client), "a", "b")
		}, []arrival{{"a", 0, nil}, {"b", 0, nil}}},
		{"latency", testwire.Line{Latency: second}, func(t *testing.T, l *testwire.Link) {
			write(t, l.Port(testwire.Client), "a")
			letPass(500 * time.Millisecond)
			write(t, l.Port(testwire.Client), "b")
		}, []arrival{{"a", second, nil}, {"b", 1500 * time.Millisecond, nil}}},
		{"a slow line", testwire.Line{Latency: second, Rate: 10}, func(t *testing.T, l *testwire.Link) {
			write(t, l.Port(testwire.Client), ten, ten)
		}, []arrival{{ten, 2 * second, nil}, {ten, 3 * second, nil}}},
		{"a narrow window", testwire.Line{Latency: second, Window: 15}, func(t *testing.T, l *testwire.Link) {
			write(t, l.Port(testwire.Client), ten, ten)
		}, []arrival{{ten, second, nil}, {ten, 2 * second, nil}}},
		{"a stall", testwire.Line{Latency: second}, func(t *testing.T, l *testwire.Link) {
			l.Stall(testwire.Client)
			write(t, l.Port(testwire.Client), "a", "b")
			letPass(5 * second)
			l.Resume(testwire.Client)
			write(t, l.Port(testwire.Client), "c")
		}, []arrival{{"a", 5 * second, nil}, {"b", 5 * second, nil}, {"c", 6 * second, nil}}},
		{"a stall of the other direction", testwire.Line{}, func(t *testing.T, l *testwire.Link) {
			l.Stall(testwire.Host)
			write(t, l.Port(testwire.Client), "a")
		}, []arrival{{"a", 0, nil}}},
		{"a stall that is healed", testwire.Line{}, func(t *testing.T, l *testwire.Link) {
			l.Stall(testwire.Client)
			l.BreakAfter(testwire.Client, 1, true, true)
			l.Heal()
			write(t, l.Port(testwire.Client), "a")
		}, []arrival{{"a", 0, nil}}},
		{"a break", testwire.Line{Latency: second}, func(t *testing.T, l *testwire.Link) {
			write(t, l.Port(testwire.Client), "a")
			letPass(500 * time.Millisecond)
			l.Break(true, true)
			if err := l.Port(testwire.Client).Write(t.Context(), []byte("b")); !errors.Is(err, testwire.ErrReset) {
				t.Errorf("the client writes: %v", err)
			}
		}, []arrival{{"", 500 * time.Millisecond, testwire.ErrReset}}},
		{"a break in a message", testwire.Line{Rate: 10}, func(t *testing.T, l *testwire.Link) {
			l.BreakAfter(testwire.Client, 15, true, true)
			write(t, l.Port(testwire.Client), ten, ten, ten)
		}, []arrival{{ten, second, nil}, {"", 1500 * time.Millisecond, testwire.ErrReset}}},
		{"half open", testwire.Line{Latency: second, Window: 25}, func(t *testing.T, l *testwire.Link) {
			write(t, l.Port(testwire.Client), "a")
			letPass(2 * second)
			l.Break(false, false)
			write(t, l.Port(testwire.Client), ten, ten) // as if nothing had happened
			ctx, cancel := context.WithTimeout(t.Context(), second)
			defer cancel()
			if err := l.Port(testwire.Client).Write(ctx, []byte(ten)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("more than the window holds: %v", err)
			}
		}, []arrival{{"a", second, nil}}},
		{"the end", testwire.Line{Latency: second}, func(t *testing.T, l *testwire.Link) {
			write(t, l.Port(testwire.Client), "a")
			if err := l.Port(testwire.Client).Close(); err != nil {
				t.Error(err)
			}
			if _, err := l.Port(testwire.Client).Read(t.Context()); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("reading what is closed: %v", err)
			}
			if err := l.Port(testwire.Host).Write(t.Context(), []byte("x")); !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("writing to what is closed: %v", err)
			}
		}, []arrival{{"a", second, nil}, {"", second, io.EOF}}},
		{"the end of a broken line", testwire.Line{}, func(t *testing.T, l *testwire.Link) {
			l.Break(true, false)
			if err := l.Port(testwire.Client).Close(); err != nil {
				t.Error(err)
			}
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const long = time.Hour
				ctx, cancel := context.WithTimeout(t.Context(), long)
				defer cancel()
				l := testwire.NewLink(1, tt.line, tt.line)
				var got []arrival
				var reading sync.WaitGroup
				reading.Go(func() { got = receive(ctx, l.Port(testwire.Host)) })
				tt.do(t, l)
				reading.Wait()
				if last := got[len(got)-1]; errors.Is(last.err, context.DeadlineExceeded) {
					got = got[:len(got)-1] // there was nothing more to read
				}
				if !slices.EqualFunc(got, tt.want, func(a, b arrival) bool {
					return a.msg == b.msg && a.at == b.at && errors.Is(a.err, b.err)
				}) {
					t.Errorf("arrived\n%v, want\n%v", got, tt.want)
				}
			})
		})
	}
}

// TestJitter follows from the seed, and turns no message round.
func TestJitter(t *testing.T) {
	t.Parallel()
	arrivals := func(seed uint64) (times []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			l := testwire.NewLink(seed, testwire.Line{Jitter: time.Second}, testwire.Line{})
			for i := range 20 {
				write(t, l.Port(testwire.Client), fmt.Sprintf("%02d", i))
			}
			began := time.Now()
			for i := range 20 {
				msg, err := l.Port(testwire.Host).Read(t.Context())
				if err != nil || string(msg) != fmt.Sprintf("%02d", i) {
					t.Errorf("message %d is %q, %v", i, msg, err)
				}
				times = append(times, time.Since(began))
			}
		})
		return times
	}
	one, again, other := arrivals(1), arrivals(1), arrivals(2)
	if !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Errorf("seed 1 gives\n%v and\n%v, seed 2\n%v", one, again, other)
	}
}

// TestLastRead: a message that drips counts as life from its first byte on.
func TestLastRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := testwire.NewLink(1, testwire.Line{Latency: time.Second, Rate: 1}, testwire.Line{})
		made := time.Now()
		host := l.Port(testwire.Host)
		write(t, l.Port(testwire.Client), "abc")
		for i, want := range []time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second, 4 * time.Second, 4 * time.Second} {
			if got := host.LastRead().Sub(made); got != want {
				t.Errorf("after %d s something was last read at %v, want %v", i, got, want)
			}
			letPass(time.Second)
		}
		if msg, err := host.Read(t.Context()); string(msg) != "abc" || err != nil {
			t.Errorf("read %q, %v", msg, err)
		}
		if got := host.LastRead().Sub(made); got != 4*time.Second {
			t.Errorf("in the end something was last read at %v", got)
		}
	})
}

// TestPeers: two peers speak over a link, and end in good order.
func TestPeers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := testwire.Line{Latency: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Rate: 1000, Window: 10}
		l := testwire.NewLink(1, slow, slow)
		ask, answer := jsonrpc.New(l.Port(testwire.Client), echo{}, jsonrpc.Options{}), jsonrpc.New(l.Port(testwire.Host), echo{}, jsonrpc.Options{})
		var running sync.WaitGroup
		running.Go(func() { _ = ask.Run(t.Context()) })
		running.Go(func() { _ = answer.Run(t.Context()) })
		for i := range 5 {
			var got int
			if err := ask.Call(t.Context(), "echo", i, &got); err != nil || got != i {
				t.Errorf("%d comes back as %d, %v", i, got, err)
			}
		}
		ask.Close()
		running.Wait()
		if err := answer.Err(); !errors.Is(err, io.EOF) {
			t.Errorf("the other side ends with %v", err)
		}
	})
}

// echo answers with what it was asked.
type echo struct{}

// Notification implements [jsonrpc.Handler].
func (echo) Notification(string, jsontext.Value) {}

// Request implements [jsonrpc.Handler].
func (echo) Request(req *jsonrpc.Request) { req.Reply(req.Params) }

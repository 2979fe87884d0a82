package jsonrpc

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPeerThatDoesNotRead(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, &logger{}, Options{WriteTimeout: 20 * time.Second})
		start := time.Now()
		called := make(chan error, 1)
		// A large message on a slow line gets its time: 20 s, and one for each 512 KiB.
		params := raw(`"` + strings.Repeat("x", 10<<20) + `"`)
		go func() { called <- p.Call(t.Context(), "m", params, nil) }()
		err := <-called
		if !errors.Is(err, ErrSlowPeer) || !errors.Is(err, ErrClosed) || time.Since(start).Round(time.Second) != 40*time.Second {
			t.Errorf("Call = %v after %v", err, time.Since(start))
		}
		<-p.Done()
		if !strings.Contains(p.Err().Error(), "not taken in 40") {
			t.Errorf("Err = %v", p.Err())
		}
	})
}

func TestQueueIsBounded(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string]Options{
		"messages": {MaxQueuedMessages: 10, MaxQueuedBytes: 1 << 20},
		"bytes":    {MaxQueuedMessages: 1000, MaxQueuedBytes: 10 * len(`{"jsonrpc":"2.0","method":"n"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				p := run(t, &logger{}, opts)
				queued := 0
				var err error
				for ; err == nil && queued < 100; queued++ {
					err = p.Notify("n", nil)
					synctest.Wait() // the writer has the first one
				}
				if queued != 12 || !errors.Is(err, ErrSlowPeer) || !errors.Is(err, ErrClosed) {
					t.Errorf("message %d: %v, want ErrSlowPeer at message 12", queued, err)
				}
				<-p.Done()
				if !errors.Is(p.Err(), ErrSlowPeer) || !strings.Contains(p.Err().Error(), "10 messages, 300 bytes wait") {
					t.Errorf("Err = %v", p.Err())
				}
			})
		})
	}
}

func TestQueueTakesOneMessageOfAnySize(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := run(t, &logger{}, Options{MaxQueuedBytes: 10})
		big := raw(`"` + strings.Repeat("x", 1<<20) + `"`)
		for range 2 {
			if err := p.Notify("n", big); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		for range 2 {
			if _, err := p.other.Read(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// brokenWriter fails to write, and has something to read only after a while.
type brokenWriter struct {
	Transport
	wait time.Duration
	read error
}

var errBroken = errors.New("broken pipe")

func (b brokenWriter) Write(context.Context, []byte) error { return errBroken }

func (b brokenWriter) Read(ctx context.Context) ([]byte, error) {
	select {
	case <-time.After(b.wait):
		return nil, b.read
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// A host that refuses a message closes with a reason; writing fails before the reason is read.
func TestReasonIsReadAfterAFailedWrite(t *testing.T) {
	t.Parallel()
	tooBig := &CloseError{Code: 1009, Reason: "too big"}
	for name, tt := range map[string]struct {
		wait, took time.Duration
		want       error
	}{
		"a reason comes":    {lastWords / 2, lastWords / 2, tooBig},
		"no reason comes":   {time.Hour, lastWords, errBroken},
		"it comes at once":  {0, 0, tooBig},
		"it comes too late": {lastWords + 1, lastWords, errBroken},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				pipe, _ := Pipe()
				p := New(brokenWriter{pipe, tt.wait, tooBig}, &logger{}, Options{})
				if err := p.Notify("n", nil); err != nil {
					t.Error(err)
				}
				start := time.Now()
				if err := p.Run(t.Context()); !errors.Is(err, tt.want) || !errors.Is(err, ErrClosed) {
					t.Errorf("Run = %v, want %v", err, tt.want)
				}
				if d := time.Since(start); d != tt.took {
					t.Errorf("took %v, want %v", d, tt.took)
				}
			})
		})
	}
}

func TestPipe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		a, b := Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		msg := []byte("hello")
		written := make(chan error, 1)
		go func() { written <- a.Write(ctx, msg) }()
		synctest.Wait()
		select {
		case err := <-written:
			t.Fatalf("Write without a reader = %v", err)
		default:
		}
		got, err := b.Read(ctx)
		if err != nil || string(got) != "hello" || <-written != nil {
			t.Fatalf("Read = %q, %v", got, err)
		}
		if got[0] = 'j'; msg[0] != 'h' {
			t.Error("the two ends share the message")
		}
		reading := make(chan error, 1)
		go func() { _, err := b.Read(ctx); reading <- err }()
		synctest.Wait()
		cancel()
		if err := <-reading; !errors.Is(err, context.Canceled) {
			t.Errorf("Read with an ended context = %v", err)
		}
	})
}

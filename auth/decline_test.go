package auth

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ahptui/auth/store"
)

// "Never for this host": nothing asks for it by itself any more, also not after a restart and whatever the reason; another
// host and another resource do; and a key of the person's undoes it.
func TestNever(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t)
	again := func() {
		w.broker.Close()
		w.broker = NewBroker(Config{Opener: w, Store: onDisk(t, dir)})
		t.Cleanup(w.broker.Close)
	}
	again()
	w.answer = func(NeedConsent) Answer { return Answer{Never: true} }
	failed := failure(t, w.run())
	if !errors.Is(failed, ErrNever) || failed.Step != StepConsent {
		t.Errorf("never: %v", failed)
	}
	w.requests = nil
	for range 2 {
		for _, reason := range []Reason{Required, Expired, InsufficientScope} {
			c := w.challenge()
			c.Reason = reason
			if g, d := w.broker.Silent(t.Context(), c); g != nil || d.Act != ActStop || !errors.Is(d.Why, ErrNever) {
				t.Errorf("%s by itself: %+v", reason, d)
			}
		}
		other := w.challenge()
		other.Host.ID = "ws://127.0.0.1:2/"
		if _, d := w.broker.Silent(t.Context(), other); d.Act != ActAsk {
			t.Errorf("another host: %+v", d)
		}
		other = w.challenge()
		other.Resource += "/other"
		if _, d := w.broker.Silent(t.Context(), other); d.Act != ActAsk {
			t.Errorf("another resource: %+v", d)
		}
		again()
	}
	if w.log() != nil {
		t.Errorf("requested %v", w.log())
	}
	w.answer = func(NeedConsent) Answer { return Answer{Yes: true} }
	last(t, w.run())
	if _, d := w.broker.Silent(t.Context(), w.challenge()); errors.Is(d.Why, ErrNever) {
		t.Errorf("after a sign-in: %+v", d)
	}
}

// Who says no, or never, before anything may be contacted has said it as well as on the consent.
func TestDeclineBeforeContact(t *testing.T) {
	t.Parallel()
	for why, answer := range map[error]Answer{ErrDeclined: {}, ErrNever: {Never: true}} {
		w := newWorld(t)
		withStore(w)
		w.host = Host{ID: "wss://host.example:443/"} // elsewhere, and names a server of this machine
		f := w.broker.Start(t.Context(), w.challenge())
		if !f.Answer(nth[NeedReach](w, f, 1).Question, answer) {
			t.Fatal("not taken")
		}
		if failed := failure(t, slices.Collect(f.Events(t.Context()))); !errors.Is(failed, why) {
			t.Errorf("%v: %v", why, failed)
		}
		if _, d := w.broker.Silent(t.Context(), w.challenge()); d.Act != ActStop || !errors.Is(d.Why, why) {
			t.Errorf("%v, by itself: %+v", why, d)
		}
		if log := w.log(); log != nil {
			t.Errorf("requested %v", log)
		}
	}
}

// T3: after a no nothing asks again by itself for ten minutes, for this host and this resource; a key does at once.
func TestDeclineCoolsDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := NewBroker(Config{Store: store.Open(t.Context(), store.Options{})})
		defer b.Close()
		c := Challenge{Host: testHost, Reason: Required, Resource: "https://r.example/mcp"}
		decline := func() {
			f := newFlow(b, c, "", func(error) {})
			if err := f.declined(t.Context(), Answer{}); !errors.Is(err, ErrDeclined) {
				t.Fatal(err)
			}
		}
		act := func(c Challenge) Decision { _, d := b.Silent(t.Context(), c); return d }
		decline()
		if d := act(c); d.Act != ActStop || !errors.Is(d.Why, ErrDeclined) {
			t.Errorf("at once: %+v", d)
		}
		other := c
		other.Resource += "/other"
		if d := act(other); d.Act != ActAsk {
			t.Errorf("another resource: %+v", d)
		}
		<-time.After(declineTime - time.Second)
		if d := act(c); d.Act != ActStop {
			t.Errorf("a second before: %+v", d)
		}
		<-time.After(2 * time.Second)
		if d := act(c); d.Act != ActAsk {
			t.Errorf("after: %+v", d)
		}
		decline()
		newFlow(b, c, "", func(error) {}).asked(t.Context()) // what a key does first
		if d := act(c); d.Act != ActAsk {
			t.Errorf("after a key: %+v", d)
		}
	})
}

// Ten calls wait for the same and the person leaves once: nothing is left that would ask again by itself, and nothing more
// is requested.
func TestOneEscapeForTenCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	flows := map[*Flow]bool{}
	start := func(n int) *Flow {
		c := w.challenge()
		c.Source.Tool = fmt.Sprint("call", n)
		f := w.broker.Start(t.Context(), c)
		flows[f] = true
		return f
	}
	first := start(0)
	nth[NeedConsent](w, first, 1)
	for n := range 9 {
		start(n + 1)
	}
	if len(flows) != 1 {
		t.Fatalf("%d flows", len(flows))
	}
	first.Cancel()
	first.Wait()
	before := len(w.log())
	events := slices.Collect(first.Events(t.Context()))
	if f := failure(t, events); !errors.Is(f, ErrCancelled) {
		t.Errorf("ended with %v", f)
	}
	w.broker.mu.Lock()
	left := len(w.broker.flows)
	w.broker.mu.Unlock()
	if left != 0 || len(w.log()) != before {
		t.Errorf("%d flows are left, and %v was requested", left, w.log()[before:])
	}
}

// T3, T17: a thousand challenges for one resource are one flow with one question, and a thousand for as many resources take
// no more memory than the first few.
func TestT3Flood(t *testing.T) { // alone, since it looks at the memory
	w := newWorld(t)
	w.broker.Close()
	w.broker = NewBroker(Config{Store: store.Open(t.Context(), store.Options{})})
	t.Cleanup(w.broker.Close)
	f := w.broker.Start(t.Context(), w.challenge())
	nth[NeedConsent](w, f, 1)
	long := strings.Repeat("x", 200)
	for n := range 1000 {
		c := w.challenge()
		c.Source = Source{Server: fmt.Sprint(long, n), Tool: fmt.Sprint(n)}
		if w.broker.Start(t.Context(), c) != f {
			t.Fatal("a second flow for the same")
		}
	}
	questions := len(pick[NeedConsent](slices.Collect(seen(f))))
	if questions != 1 || len(f.Challenge().Also) > maxSources {
		t.Errorf("asked %d times, for %d sources", questions, len(f.Challenge().Also))
	}
	f.Cancel()
	f.Wait()

	flood := func(from, to int) {
		for n := from; n < to; n++ {
			c := w.challenge()
			c.Resource = fmt.Sprintf("https://r%d.example/%s", n, long)
			c.Source.Server = fmt.Sprint(long, n)
			_, d := w.broker.Silent(t.Context(), c)
			if d.Act != ActAsk {
				t.Fatalf("%+v", d)
			}
			w.broker.try(c, func(t *tries) { t.pushed++ })
			w.broker.Again(c)
		}
	}
	flood(0, 2*maxRemembered)
	before := heap()
	flood(2*maxRemembered, 12*maxRemembered)
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d KiB, and after ten times as many %d KiB", before>>10, after>>10)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

package auth

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"ahptui/protocol"
)

// T3: a no is remembered for a while, "never" for good, and whoever asks themselves is asked.
func TestRefusalsAreKept(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	c := l.challenge(Required, "read")
	say := func(a Answer) []Event {
		w := &world{t: t, answer: func(NeedConsent) Answer { return a }}
		f := l.broker.Start(t.Context(), c)
		events := w.drive(t.Context(), f)
		f.Wait()
		return events
	}
	say(Answer{})
	if _, d := l.broker.Silent(t.Context(), c); d.Act != ActStop || !errors.Is(d.Why, ErrDeclined) {
		t.Errorf("after a no: %+v", d)
	}
	say(Answer{Never: true})
	if _, d := l.broker.Silent(t.Context(), c); d.Act != ActStop || !errors.Is(d.Why, ErrNever) {
		t.Errorf("after never: %+v", d)
	}
	l.broker.mu.Lock()
	clear(l.broker.declined)
	l.broker.mu.Unlock()
	if _, d := l.broker.Silent(t.Context(), c); d.Act != ActStop || !errors.Is(d.Why, ErrNever) {
		t.Errorf("never has an end: %+v", d)
	}
	if g := last(t, say(Answer{Yes: true})); g.Token.IsZero() {
		t.Error("who asks themselves gets nothing")
	}
	if got, _ := l.silent(c); got == string(ActStop) {
		t.Error("never outlasts a yes")
	}
}

// T3: a host that asks a thousand times for the same has one dialog, and one that asks for a thousand things has few; what
// is remembered of it stays small.
func TestFlood(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	c := l.challenge(Required, "read")
	first := l.broker.Start(t.Context(), c)
	for range 1000 {
		if f := l.broker.Start(t.Context(), c); f != first {
			t.Fatal("another flow for the same")
		}
	}
	first.Cancel()
	first.Wait()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 20_000 {
		other, err := NewChallenge(l.host, Source{Server: "tracker"}, &protocol.McpAuthRequirement{
			Reason: "required", Resource: &protocol.ProtectedResourceMetadata{Resource: fmt.Sprintf("https://r%d.example/%s", i, strings.Repeat("x", 500))},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, d := l.broker.Silent(t.Context(), other); d.Act != ActAsk {
			t.Fatalf("%+v", d)
		}
		l.broker.Again(other)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 4<<20 {
		t.Errorf("20,000 challenges leave %d bytes behind", grown)
	}
	var flows []*Flow
	for i := range 1000 {
		other := c
		other.Resource = fmt.Sprintf("https://r%d.example/", i)
		flows = append(flows, l.broker.Start(t.Context(), other))
	}
	running := 0
	for _, f := range flows {
		f.Cancel()
		f.Wait()
		if _, ended := f.Event(t.Context(), 1); ended {
			running++
		}
	}
	if running > maxWaiting {
		t.Errorf("%d flows at once", running)
	}
}

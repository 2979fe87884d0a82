package testkit

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Patience is how long a test waits for what should be there at once, on a busy machine with the race detector on.
// It is spent only by a test that fails.
const Patience = 30 * time.Second

// WaitFor waits until all texts are on the screen at once, and returns that screen. The test fails, and shows the
// screen, when they are not there by then or the program ends without them.
func (t *Terminal) WaitFor(tb testing.TB, timeout time.Duration, texts ...string) string {
	tb.Helper()
	return t.WaitUntil(tb, timeout, fmt.Sprintf("the screen has %q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// WaitGone waits until none of the texts is on the screen, and returns that screen. It is no proof of anything before
// the texts have been there.
func (t *Terminal) WaitGone(tb testing.TB, timeout time.Duration, texts ...string) string {
	tb.Helper()
	return t.WaitUntil(tb, timeout, fmt.Sprintf("the screen has no %q", texts), func(screen string) bool {
		for _, text := range texts {
			if strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// WaitUntil waits until cond holds for the screen, and returns that screen. It looks again whenever the program writes.
// what completes the sentence "waited until ..." in the failure.
func (t *Terminal) WaitUntil(tb testing.TB, timeout time.Duration, what string, cond func(screen string) bool) string {
	tb.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	for {
		ended := t.hasEnded() // before the look: what the program wrote last counts
		changed := t.nextChange()
		screen := t.Screen()
		if cond(screen) {
			return screen
		}
		if ended {
			tb.Fatalf("waited until %s, but the program has ended; the screen:\n%s", what, frame(screen))
		}
		select {
		case <-changed:
		case <-t.ended:
		case <-deadline.C:
			tb.Fatalf("waited %v until %s; the screen:\n%s", timeout, what, frame(t.Screen()))
		}
	}
}

// WaitQuiet waits until the program has written nothing for the time quiet. It is for what shows nothing when it is
// done: an idle program, a golden screen after a stream. Where there is something to see, wait for that instead.
func (t *Terminal) WaitQuiet(tb testing.TB, timeout, quiet time.Duration) {
	tb.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	for {
		silence := time.NewTimer(quiet)
		select {
		case <-t.nextChange():
			silence.Stop()
		case <-silence.C:
			return
		case <-t.ended:
			silence.Stop()
			return
		case <-deadline.C:
			silence.Stop()
			tb.Fatalf("waited %v for %v of silence; the screen:\n%s", timeout, quiet, frame(t.Screen()))
		}
	}
}

// pollEvery is how often [Eventually] looks.
const pollEvery = 20 * time.Millisecond

// Eventually waits until cond holds, looking every few milliseconds, and fails the test when it does not by then. It is
// for what gives no signal, such as another process; where there is one, wait for that instead. what completes the
// sentence "waited until ..." in the failure.
func Eventually(tb testing.TB, timeout time.Duration, what string, cond func() bool) {
	tb.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	look := time.NewTicker(pollEvery)
	defer look.Stop()
	for !cond() {
		select {
		case <-look.C:
		case <-deadline.C:
			tb.Fatalf("waited %v until %s", timeout, what)
		}
	}
}

// nextChange is closed when the program writes next.
func (t *Terminal) nextChange() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

func (t *Terminal) hasEnded() bool {
	select {
	case <-t.ended:
		return true
	default:
		return false
	}
}

// waitEnd waits until the program has ended.
func (t *Terminal) waitEnd(tb testing.TB, timeout time.Duration) {
	tb.Helper()
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	select {
	case <-t.ended:
	case <-deadline.C:
		tb.Fatalf("the program has not ended in %v; the screen:\n%s", timeout, frame(t.Screen()))
	}
}

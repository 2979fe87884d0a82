package auth

import (
	"context"
	"sync"
)

// eventLog keeps the events of a flow for any number of readers, each of which may come late.
type eventLog struct {
	mu      sync.Mutex
	events  []Event
	over    bool
	changed chan struct{} // closed, and replaced, at each change
}

func newEventLog() *eventLog { return &eventLog{changed: make(chan struct{})} }

// add appends the event that make returns for its number.
func (l *eventLog) add(e func(n int) Event) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.events)
	l.events = append(l.events, e(n))
	l.signal()
	return n
}

// end appends the last event.
func (l *eventLog) end(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e)
	l.over = true
	l.signal()
}

func (l *eventLog) signal() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// event returns the event of number n when it is there. It reports false when there will be none, or ctx ends.
func (l *eventLog) event(ctx context.Context, n int) (Event, bool) {
	for {
		l.mu.Lock()
		if n < len(l.events) {
			defer l.mu.Unlock()
			return l.events[n], true
		}
		over, changed := l.over, l.changed
		l.mu.Unlock()
		if over {
			return nil, false
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, false
		}
	}
}

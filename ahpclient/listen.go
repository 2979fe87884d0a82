package ahpclient

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"ahptui/protocol"
)

// OtlpKind is the kind of the telemetry channels that a host names when it
// greets. They have no state: their batches are events, see [Client.Listen].
const OtlpKind protocol.ChannelKind = "otlp"

// Event is what a host tells about a channel that no state shows: a batch of
// telemetry (otlp/export…), an MCP server's notification, a change of a watched
// resource, the progress of a request, or a notification that is not known here.
type Event struct {
	At      time.Time
	Channel protocol.URI
	// Method is the method of the notification, with its Params, or the type of
	// Action.
	Method string
	Params protocol.Raw
	Action protocol.Action // nil for a notification
}

// ErrStopped says that a listener was stopped.
var ErrStopped = errors.New("the listener was stopped")

// Listener takes the events of one channel, over reconnects too, until it is
// stopped. What nobody takes out in time makes way for what is newer.
type Listener struct {
	client  *Client
	channel protocol.URI
	limits  Limits

	mu      sync.Mutex
	events  []Event
	bytes   int
	dropped int
	wake    chan struct{} // holds one token when Next should look again
	stopped chan struct{}
}

// Listen begins to take the events of a channel. Whoever calls it stops it. It
// does not subscribe to the channel: where a subscription is wanted, Open does.
func (c *Client) Listen(channel protocol.URI) (*Listener, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	count := 0
	for _, list := range c.listeners {
		count += len(list)
	}
	if most := c.opts.Limits.Listeners; count >= most {
		return nil, &LimitError{What: tooManyListeners, Limit: int64(most)}
	}
	l := &Listener{client: c, channel: channel, limits: c.opts.Limits, wake: make(chan struct{}, 1), stopped: make(chan struct{})}
	c.listeners[channel] = append(c.listeners[channel], l)
	return l, nil
}

// Channel is the channel whose events are taken.
func (l *Listener) Channel() protocol.URI { return l.channel }

// Stop ends the listening. What still waits can be taken out.
func (l *Listener) Stop() {
	c := l.client
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.listeners[l.channel]
	i := slices.Index(list, l)
	if i < 0 {
		return
	}
	close(l.stopped)
	if len(list) == 1 {
		delete(c.listeners, l.channel)
	} else {
		c.listeners[l.channel] = slices.Delete(list, i, i+1)
	}
}

// Next waits for the next event and takes it out. It fails with the end of ctx,
// and with [ErrStopped] once the listener was stopped and is empty.
func (l *Listener) Next(ctx context.Context) (Event, error) {
	for {
		if e, ok := l.take(); ok {
			return e, nil
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		case <-l.stopped:
			if e, ok := l.take(); ok {
				return e, nil
			}
			return Event{}, ErrStopped
		}
	}
}

// Dropped counts the events that were not taken out in time.
func (l *Listener) Dropped() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dropped
}

func (l *Listener) take() (Event, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.events) == 0 {
		return Event{}, false
	}
	e := l.events[0]
	l.pop()
	if len(l.events) > 0 {
		nudge(l.wake) // for another one who waits
	}
	return e, true
}

func (l *Listener) pop() {
	l.bytes -= len(l.events[0].Params)
	l.events[0] = Event{}
	l.events = l.events[1:]
}

// put adds an event; the oldest make way for it.
func (l *Listener) put(e Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(e.Params) > l.limits.EventBytes {
		l.dropped++
		return
	}
	for len(l.events) > 0 && (len(l.events) >= l.limits.Events || l.bytes+len(e.Params) > l.limits.EventBytes) {
		l.pop()
		l.dropped++
	}
	l.events = append(l.events, e)
	l.bytes += len(e.Params)
	nudge(l.wake)
}

// emit hands an event to whoever listens. The store's lock is held.
func (c *Client) emit(e Event) {
	for _, l := range c.listeners[e.Channel] {
		l.put(e)
	}
}

// event takes a notification that the store has no use for.
func (h *handler) event(method string, params protocol.Raw, now time.Time) {
	c := h.client
	c.mu.Lock()
	heard := len(c.listeners) > 0
	c.mu.Unlock()
	var p protocol.ChannelParams
	if !heard || protocol.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.emit(Event{At: now, Channel: p.Channel, Method: method, Params: params})
}

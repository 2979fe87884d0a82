package ahpclient

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// Client is one connection to one host. Its methods may be called by any
// goroutine; all that can hang take a context or have a deadline.
type Client struct {
	opts Options
	wall func() time.Time // the wall clock, which goes on while the machine sleeps

	mu         sync.Mutex
	store      *store
	peer       *jsonrpc.Peer // nil while not in step with the host
	next       chan struct{} // closed at the next change; nil: nobody waits for it
	listeners  map[protocol.URI][]*Listener
	responders map[protocol.URI]*Responder // by the channel of an MCP server

	wake  chan struct{} // there are new deadlines
	again chan struct{} // the next attempt is wanted at once
}

// New makes a client. It does nothing before Run.
func New(opts Options) *Client {
	opts = opts.withDefaults()
	c := &Client{
		opts:  opts,
		wall:  func() time.Time { return time.Now().Round(0) },
		store: newStore(uuid.NewString(), opts.Limits, time.Now()),
		wake:  make(chan struct{}, 1),
		again: make(chan struct{}, 1),

		listeners:  map[protocol.URI][]*Listener{},
		responders: map[protocol.URI]*Responder{},
	}
	c.store.offer = opts.Offer
	c.store.open(protocol.RootChannel, protocol.RootKind)
	return c
}

// update changes the store under its lock and tells whoever waits for a change.
func (c *Client) update(f func(s *store)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.store)
	c.runErrands()
	if c.store.published == nil && c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// View is what the client knows now. While nothing changes it is the same pointer.
func (c *Client) View() *View {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store.view(time.Now())
}

// Watch is View with a channel that is closed when there is something newer.
func (c *Client) Watch() (*View, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.store.view(time.Now()), c.next
}

// Await waits until the view is as wanted and returns it. It fails with the end
// of ctx, and with the connection's error once that has failed for good
// ([ErrNotConnected] if it was ended from this side); the view is the last seen.
func (c *Client) Await(ctx context.Context, wanted func(*View) bool) (*View, error) {
	for {
		v, next := c.Watch()
		switch {
		case wanted(v):
			return v, nil
		case v.Connection.Phase == Failed, v.Connection.Phase == Closed:
			return v, cmp.Or(v.Connection.Err, ErrNotConnected)
		}
		select {
		case <-next:
		case <-ctx.Done():
			return v, ctx.Err()
		}
	}
}

// nudge leaves word on a channel that holds one.
func nudge(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Open subscribes to a channel on the client's terms and keeps it subscribed over
// reconnects. Its state is in the view once the host has answered; why there is
// none is in the channel's Err. A channel that the host loses is closed, with a
// notice. The state of a kind that is not known here is held as it came
// ([protocol.RawState]): the actions on it are counted, and Refresh brings it up
// to date.
func (c *Client) Open(uri protocol.URI, kind protocol.ChannelKind) { c.OpenOn(uri, kind, Terms{}) }

// OpenOn is Open on other terms; what they leave out is as the client's Options
// say. For a channel that is open already they count from the next subscription on.
func (c *Client) OpenOn(uri protocol.URI, kind protocol.ChannelKind, terms Terms) {
	c.update(func(s *store) {
		ch, fresh := s.open(uri, kind)
		ch.terms = terms.or(c.opts.Terms)
		if fresh {
			c.subscribe(ch)
		}
	})
}

// Refresh asks for a fresh snapshot of a channel that is open.
func (c *Client) Refresh(uri protocol.URI) {
	c.update(func(s *store) {
		if ch := s.channels[uri]; ch != nil && ch.kind != "" {
			if ch.barred {
				s.admit(ch)
			}
			c.subscribe(ch)
		}
	})
}

// Close ends the subscription to a channel. The root channel stays open.
func (c *Client) Close(uri protocol.URI) {
	c.update(func(s *store) {
		if s.close(uri) {
			c.unsubscribe(uri)
		}
	})
}

// Call sends a request and decodes its result, within the client's patience. The
// error wraps [ErrNotConnected], the host's [jsonrpc.Error] (an
// [*AuthRequiredError] where somebody must sign in first), a [*LimitError] if the
// answer was too much, the connection's end or that of ctx, or
// [context.DeadlineExceeded].
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	c.mu.Lock()
	peer := c.peer
	c.mu.Unlock()
	if peer == nil {
		return fmt.Errorf("%s: %w", method, ErrNotConnected)
	}
	late := fmt.Errorf("the host did not answer within %s: %w", c.opts.Patience, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Patience, late)
	defer cancel()
	return typedRefusal(peer.Call(ctx, method, params, result))
}

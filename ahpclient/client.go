package ahpclient

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// Options say which host a client talks to, and how.
type Options struct {
	// URL is the WebSocket address of the host, ws:// or wss://. Token is its
	// connection token; it is added when dialling and stripped from errors.
	URL   string
	Token secret.Value
	// Dial replaces the WebSocket, for transports that need no socket.
	Dial func(context.Context) (jsonrpc.Transport, error)
	// Info identifies the program to the host.
	Info protocol.Implementation
	// Offer are the protocol versions to offer; nil means [protocol.Offered].
	Offer []protocol.Version
	// Retry keeps the client trying after the connection failed or was lost.
	// Without it the first failure ends Run.
	Retry bool
	// Patience is how long a dispatched action may stay unanswered, and how
	// long a request may take. 0 means 10 s.
	Patience time.Duration
	// Silence is how long the host may send nothing before it is pinged; once
	// more as long without a byte, and it is declared dead. 0 means 10 s.
	Silence time.Duration
}

const (
	defaultPatience = 10 * time.Second
	defaultSilence  = 10 * time.Second
)

// Client is one connection to one host. Its methods may be called by any
// goroutine; all that can hang take a context or have a deadline.
type Client struct {
	opts Options
	wall func() time.Time // the wall clock, which goes on while the machine sleeps

	mu    sync.Mutex
	store *store
	peer  *jsonrpc.Peer // nil while not in step with the host
	next  chan struct{} // closed at the next change; nil: nobody waits for it

	wake  chan struct{} // there are new deadlines
	again chan struct{} // the next attempt is wanted at once
}

// New makes a client. It does nothing before Run.
func New(opts Options) *Client {
	opts.Patience = cmp.Or(opts.Patience, defaultPatience)
	opts.Silence = cmp.Or(opts.Silence, defaultSilence)
	if opts.Offer == nil {
		opts.Offer = protocol.Offered()
	}
	c := &Client{
		opts:  opts,
		wall:  func() time.Time { return time.Now().Round(0) },
		store: newStore(uuid.NewString(), time.Now()),
		wake:  make(chan struct{}, 1),
		again: make(chan struct{}, 1),
	}
	c.store.open(protocol.RootChannel, protocol.RootKind)
	return c
}

// update changes the store under its lock and tells whoever waits for a change.
func (c *Client) update(f func(s *store)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.store)
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

// Dispatch asks the host to change a channel's state. The effect shows at once;
// the ticket tells what became of it. Nothing is sent, and nothing shows, while
// there is no connection ([ErrNotConnected]) or if the negotiated version does
// not let clients send the action.
//
// The channel need not be open; then nothing shows and the host's answer does
// not come here, so the ticket expires.
func (c *Client) Dispatch(channel protocol.URI, a protocol.Action) (t *Ticket, err error) {
	raw, err := protocol.EncodeAction(a)
	if err != nil {
		return nil, err
	}
	c.update(func(s *store) {
		switch {
		case c.peer == nil:
			err = ErrNotConnected
		case !protocol.ClientMay(s.conn.Version, a.ActionType()):
			err = fmt.Errorf("%s cannot be sent at protocol version %s: nothing was sent", a.ActionType(), s.conn.Version)
		default:
			t = s.dispatch(channel, a, time.Now(), c.opts.Patience)
			// Sending inside the lock keeps the order of the numbers.
			err = c.peer.Notify("dispatchAction", &protocol.DispatchActionParams{Channel: channel, ClientSeq: t.seq, Action: raw})
			if err != nil {
				s.takeBack(t)
				t, err = nil, fmt.Errorf("%w (%w)", ErrNotConnected, err)
			}
		}
	})
	if err == nil {
		nudge(c.wake)
	}
	return t, err
}

// nudge leaves word on a channel that holds one.
func nudge(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Open subscribes to a channel and keeps it subscribed over reconnects. Its
// state is in the view once the host has answered; why there is none is in the
// channel's Err. A channel that the host loses is closed, with a notice.
func (c *Client) Open(uri protocol.URI, kind protocol.ChannelKind) {
	c.update(func(s *store) {
		if ch, fresh := s.open(uri, kind); fresh {
			c.subscribe(ch)
		}
	})
}

// Refresh asks for a fresh snapshot of a channel that is open.
func (c *Client) Refresh(uri protocol.URI) {
	c.update(func(s *store) {
		if ch := s.channels[uri]; ch != nil && ch.kind != "" {
			c.subscribe(ch)
		}
	})
}

// Close ends the subscription to a channel. The root channel stays open.
func (c *Client) Close(uri protocol.URI) {
	c.update(func(s *store) {
		if s.close(uri) && c.peer != nil {
			// A lost connection ends the subscription just as well.
			_ = c.peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: uri})
		}
	})
}

// Call sends a request and decodes its result, within the client's patience. The
// error wraps [ErrNotConnected], the host's [jsonrpc.Error], the connection's
// end or that of ctx, or [context.DeadlineExceeded].
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
	return peer.Call(ctx, method, params, result)
}

// CreateSession creates a session and subscribes to it. An empty provider means
// the host's first; an empty dir means none.
func (c *Client) CreateSession(ctx context.Context, provider string, dir protocol.URI) (protocol.URI, error) {
	v := c.View()
	if provider == "" && v.Root != nil && len(v.Root.Agents) > 0 {
		provider = v.Root.Agents[0].Provider
	}
	uri := protocol.URI(sessionScheme(provider) + ":/" + uuid.NewString())
	params := protocol.NewCreateSession(v.Connection.Version.Sent(), uri, provider, dir)
	if err := c.Call(ctx, "createSession", params, nil); err != nil {
		return "", err
	}
	c.Open(uri, protocol.SessionKind)
	return uri, nil
}

// sessionScheme is the scheme of a new session's URI. VS Code's host reads the
// provider from it; others take any URI. Not every name can be a scheme (RFC
// 3986, section 3.1).
func sessionScheme(provider string) string {
	const fallback = "ahp-session"
	for i, r := range []byte(provider) {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		other := '0' <= r && r <= '9' || r == '+' || r == '-' || r == '.'
		if !letter && (i == 0 || !other) {
			return fallback
		}
	}
	return cmp.Or(provider, fallback)
}

// Authenticate hands a token to the host, in the form of the negotiated version.
// That the host took it does not mean that what waits for it goes on: its state
// tells.
func (c *Client) Authenticate(ctx context.Context, p *protocol.AuthenticateParams) error {
	sent := *p
	v := c.View().Connection.Version.Sent()
	if !v.AtLeast(protocol.V0_6_0) {
		sent.Scopes = nil
	}
	if !v.AtLeast(protocol.V0_9_0) { // 0.9 has it without saying so
		sent.ExpiresIn = nil
	}
	return c.Call(ctx, "authenticate", &sent, nil)
}

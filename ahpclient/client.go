package ahpclient

import (
	"context"
	"errors"
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

// ErrNotConnected says that nothing was sent because there is no connection.
var ErrNotConnected = errors.New("not connected to the host: nothing was sent")

// Client is one connection to one host. Its methods may be called by any
// goroutine; all that can hang take a context or have a deadline.
type Client struct {
	opts Options

	mu    sync.Mutex
	store *store
	peer  *jsonrpc.Peer // nil while not in step with the host
	next  chan struct{} // closed at the next change; nil: nobody waits for it
	wake  chan struct{} // tells Run that there are new deadlines
}

// New makes a client. It does nothing before Run.
func New(opts Options) *Client {
	if opts.Patience == 0 {
		opts.Patience = defaultPatience
	}
	if opts.Silence == 0 {
		opts.Silence = defaultSilence
	}
	if opts.Offer == nil {
		opts.Offer = protocol.Offered()
	}
	c := &Client{opts: opts, store: newStore(uuid.NewString(), time.Now()), wake: make(chan struct{}, 1)}
	if c.opts.Dial == nil {
		c.opts.Dial = c.dialWebSocket
	}
	c.store.open(protocol.RootChannel, protocol.RootKind)
	return c
}

func (c *Client) dialWebSocket(ctx context.Context) (jsonrpc.Transport, error) {
	return jsonrpc.Dial(ctx, c.opts.URL, jsonrpc.DialOptions{Token: c.opts.Token})
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

// View is what the client knows now.
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
// of ctx, and with the connection's error once that has failed for good.
func (c *Client) Await(ctx context.Context, wanted func(*View) bool) (*View, error) {
	for {
		v, next := c.Watch()
		switch {
		case wanted(v):
			return v, nil
		case v.Connection.Phase == Failed, v.Connection.Phase == Closed:
			if v.Connection.Err != nil {
				return v, v.Connection.Err
			}
			return v, ErrNotConnected
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
// there is no connection or if the negotiated version does not know the action.
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
		c.nudge()
	}
	return t, err
}

// nudge makes Run look at the deadlines anew.
func (c *Client) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Open subscribes to a channel and keeps it subscribed over reconnects. Its
// state is in the view once the host has answered.
func (c *Client) Open(uri protocol.URI, kind protocol.ChannelKind) {
	var peer *jsonrpc.Peer
	c.update(func(s *store) {
		if s.open(uri, kind) {
			peer = c.peer
		}
	})
	if peer != nil {
		c.subscribe(peer, uri)
	}
}

// Refresh asks for a fresh snapshot of a channel that is open.
func (c *Client) Refresh(uri protocol.URI) {
	if peer := c.connected(); peer != nil {
		c.subscribe(peer, uri)
	}
}

// Close ends the subscription to a channel.
func (c *Client) Close(uri protocol.URI) {
	var peer *jsonrpc.Peer
	c.update(func(s *store) {
		if s.channels[uri] != nil {
			s.close(uri)
			peer = c.peer
		}
	})
	if peer != nil {
		// A lost connection ends the subscription just as well.
		_ = peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: uri})
	}
}

func (c *Client) connected() *jsonrpc.Peer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.peer
}

// Call sends a request and decodes its result, within the client's patience.
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	peer := c.connected()
	if peer == nil {
		return ErrNotConnected
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Patience)
	defer cancel()
	if err := peer.Call(ctx, method, params, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// CreateSession creates a session and subscribes to it. An empty provider means
// the host's default; an empty dir means none.
func (c *Client) CreateSession(ctx context.Context, provider string, dir protocol.URI) (protocol.URI, error) {
	scheme := provider
	if scheme == "" {
		scheme = "ahp-session"
	}
	// VS Code's host reads the provider from the scheme; others take any URI.
	uri := protocol.URI(scheme + ":/" + uuid.NewString())
	params := protocol.NewCreateSession(c.View().Connection.Version.Sent(), uri, provider, dir)
	if err := c.Call(ctx, "createSession", params, nil); err != nil {
		return "", err
	}
	c.Open(uri, protocol.SessionKind)
	return uri, nil
}

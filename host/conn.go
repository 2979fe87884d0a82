package host

import (
	"context"
	"errors"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	// graceActive is how long a client that lost its connection stays an active
	// client of its sessions, graceForget how long it can come back at all.
	graceActive = 30 * time.Second
	graceForget = 5 * time.Minute
	watchEvery  = 5 * time.Second

	// maxWaiting bounds the actions of a connection that wait for one that takes
	// its time. Beyond, the connection is not read.
	maxWaiting = 256

	maxQueuedBytes = 64 << 20 // that a client has not read yet
)

// A conn is one connection. It belongs to nobody until the handshake.
type conn struct {
	host    *Host
	number  int64 // in the order in which connections came
	peer    *jsonrpc.Peer
	actions chan *protocol.DispatchActionParams
	ctx     context.Context //nolint:containedctx // of the requests that are answered later
	cancel  context.CancelFunc

	// The host's lock guards these.
	client *client
	asked  int // requests to MCP servers that are under way
	later  int // other requests that are under way
}

// A client is a program with a client id, over one connection after another.
// The host's lock guards it.
type client struct {
	id         string
	version    protocol.Version
	conn       *conn // the newest one; nil while it has none
	goneAt     time.Time
	subscribed map[protocol.URI]*subscription
}

var errFull = errors.New("the host has too many connections")

func (h *Host) connect(t jsonrpc.Transport) (*conn, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, ErrClosed
	case len(h.conns) >= maxConnections:
		return nil, errFull
	}
	h.accepted++
	c := &conn{host: h, number: h.accepted, actions: make(chan *protocol.DispatchActionParams, maxWaiting)}
	c.ctx, c.cancel = context.WithCancel(h.ctx)
	c.peer = jsonrpc.New(t, c, jsonrpc.Options{AnswerMalformed: true, MaxQueuedBytes: maxQueuedBytes})
	h.conns[c] = struct{}{}
	h.work.Add(1)
	return c, nil
}

// run serves the connection until it ends.
func (c *conn) run() error {
	acted := make(chan struct{})
	go func() {
		defer close(acted)
		for p := range c.actions {
			c.host.dispatch(c, p)
		}
	}()
	err := c.peer.Run(c.host.background())
	c.cancel()
	close(c.actions) // only Run's goroutine sends
	<-acted
	c.host.disconnect(c)
	return err
}

func (h *Host) disconnect(c *conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.conns, c)
	if c.client != nil && c.client.conn == c {
		c.client.conn, c.client.goneAt = nil, time.Now()
	}
}

// notify sends a notification. The end of a connection is not its business.
func (c *conn) notify(method string, params any) { _ = c.peer.Notify(method, params) }

func (c *conn) initialized() bool {
	c.host.mu.Lock()
	defer c.host.mu.Unlock()
	return c.client != nil
}

// Notification implements [jsonrpc.Handler].
func (c *conn) Notification(method string, params protocol.Raw) {
	if !c.initialized() {
		return // now, not when its turn comes: it may have passed the handshake by then
	}
	switch method {
	case "dispatchAction":
		p := new(protocol.DispatchActionParams)
		if protocol.Unmarshal(params, p) == nil && len(p.Action) > 0 {
			c.actions <- p
		}
	case "unsubscribe":
		p := new(protocol.ChannelParams)
		if protocol.Unmarshal(params, p) == nil {
			c.host.unsubscribe(c, p.Channel)
		}
	}
}

// watch forgets clients that do not come back, and tokens that have expired.
func (h *Host) watch() {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		select {
		case <-h.ctx.Done():
			return
		case t := <-tick.C:
			h.forget(t)
		}
	}
}

func (h *Host) forget(t time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tokens.forget(t)
	for id, c := range h.clients {
		if c.conn != nil {
			continue
		}
		if gone := t.Sub(c.goneAt); gone >= graceForget {
			delete(h.clients, id)
		} else if gone >= graceActive {
			h.leaveAll(id)
		}
	}
	h.lookAround(t)
}

// leaveAll ends a client's part in all sessions.
func (h *Host) leaveAll(clientID string) {
	for _, s := range h.sessions {
		h.leave(s, clientID)
	}
}

// leave ends a client's part in a session.
func (h *Host) leave(s *session, clientID string) {
	for _, a := range s.state.ActiveClients {
		if a.ClientID == clientID {
			h.apply(s.uri, &protocol.SessionActiveClientRemoved{ClientID: clientID}, nil)
			h.failCallsOf(s, clientID)
			return
		}
	}
}

func (h *Host) unsubscribe(c *conn, channel protocol.URI) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.client.conn != c {
		return // the client has come back over another connection: this is what it wanted before
	}
	delete(c.client.subscribed, channel)
	h.lookAround(time.Now())
	if s := h.sessions[channel]; s != nil {
		h.leave(s, c.client.id)
	}
}

package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
	// handshakePatience bounds each request of the handshake. Its answers hold
	// snapshots, which may be large and the network slow.
	handshakePatience = 30 * time.Second
	// maxPages bounds how often a cursor of the session list is followed.
	maxPages = 100
)

// VersionError says that client and host have no protocol version in common.
type VersionError struct {
	Offered   []string
	Supported []string // versions or ranges; empty if the host does not say
}

// Error names both lists.
func (e *VersionError) Error() string {
	if len(e.Supported) == 0 {
		return fmt.Sprintf("no common protocol version: offered %v, and the host does not say what it supports", e.Offered)
	}
	return fmt.Sprintf("no common protocol version: offered %v, the host supports %v", e.Offered, e.Supported)
}

// errSilent is why a connection was given up from this side.
var errSilent = errors.New("the host is silent")

// Run connects and stays connected until ctx ends. It returns nil then; without
// Options.Retry, or where trying again cannot help, it returns why it stopped.
func (c *Client) Run(ctx context.Context) error {
	for {
		lostAfterUp, err := c.connectOnce(ctx)
		if ctx.Err() != nil {
			c.finish(Closed, nil)
			return nil
		}
		if !c.opts.Retry || hopeless(err) {
			c.finish(Failed, err)
			return err
		}
		c.update(func(s *store) {
			if lostAfterUp {
				s.conn.Attempt = 0
			} else {
				s.conn.Attempt++
				s.conn.Err = err
			}
			s.conn.Retry = time.Now().Add(backoff(s.conn.Attempt))
			s.touch(nil)
		})
		c.pause(ctx)
	}
}

// hopeless errors do not go away by trying again.
func hopeless(err error) bool {
	var version *VersionError
	return errors.As(err, &version) ||
		errors.Is(err, jsonrpc.ErrTokenRefused) || errors.Is(err, jsonrpc.ErrTokenWanted) ||
		errors.Is(err, jsonrpc.ErrNotAHP) || errors.Is(err, jsonrpc.ErrUntrusted)
}

// backoff doubles from firstRetry to lastRetry; the jitter keeps many clients
// of a restarted host apart.
func backoff(attempt int) time.Duration {
	d := lastRetry
	if attempt < 8 {
		d = min(firstRetry<<attempt, lastRetry)
	}
	return d/2 + rand.N(d/2)
}

// pause waits for the next attempt. Actions whose patience ends meanwhile become
// unknown. A clock that jumped (the machine slept) ends the wait at once.
func (c *Client) pause(ctx context.Context) {
	c.mu.Lock()
	retry := c.store.conn.Retry
	c.mu.Unlock()
	timer := time.NewTimer(time.Until(retry))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.wake: // Reconnect was asked for
	case <-ctx.Done():
	}
	now := time.Now()
	c.update(func(s *store) { s.settleUnknown(now.Add(-c.opts.Patience), now) })
}

// Reconnect makes a client that waits for its next attempt try at once.
func (c *Client) Reconnect() { c.nudge() }

// finish ends everything that is still open.
func (c *Client) finish(p Phase, err error) {
	now := time.Now()
	c.update(func(s *store) {
		s.settleUnknown(now, now)
		for _, ch := range s.channels {
			ch.stale = true
			s.touch(ch)
		}
		s.setPhase(p, now, err)
	})
}

// connectOnce dials, shakes hands and stays until the connection ends. wasUp
// tells whether it was in step with the host in between.
func (c *Client) connectOnce(ctx context.Context) (wasUp bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	transport, err := c.opts.Dial(ctx)
	if err != nil {
		return false, err
	}
	peer := jsonrpc.New(transport, &handler{client: c}, jsonrpc.Options{})
	ended := make(chan error, 1)
	go func() { ended <- peer.Run(ctx) }()

	err = c.handshake(ctx, peer)
	if err == nil {
		wasUp = true
		err = c.stay(ctx, peer)
	}
	cancel(err)
	peer.Close()
	if end := <-ended; err == nil {
		err = end
	}
	c.mu.Lock()
	c.peer = nil
	c.mu.Unlock()
	if wasUp {
		c.update(func(s *store) { s.lost(time.Now(), err) })
	}
	return wasUp, err
}

// stay keeps the deadlines of a connection that is up: those of pending actions
// and of a host that says nothing. It returns when the connection ends.
func (c *Client) stay(ctx context.Context, peer *jsonrpc.Peer) error {
	pinged := time.Time{} // when the unanswered ping was sent
	for {
		now := time.Now()
		heard := peer.LastRead()
		if heard.After(pinged) {
			pinged = time.Time{}
		}
		switch quiet := now.Sub(heard); {
		case !pinged.IsZero() && now.Sub(pinged) >= c.opts.Silence:
			return errSilent
		case pinged.IsZero() && quiet >= c.opts.Silence:
			pinged = now
			c.ping(peer, now)
		}
		timer := time.NewTimer(c.untilDeadline(now, heard, pinged))
		select {
		case <-peer.Done():
			timer.Stop()
			return peer.Err()
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-c.wake:
			timer.Stop()
		case <-timer.C:
		}
		c.expire(peer)
	}
}

func (c *Client) untilDeadline(now, heard, pinged time.Time) time.Duration {
	next := heard.Add(c.opts.Silence)
	if !pinged.IsZero() {
		next = pinged.Add(c.opts.Silence)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.store.nextDeadline(); ok && at.Before(next) {
		next = at
	}
	return max(next.Sub(now), time.Millisecond)
}

func (c *Client) ping(peer *jsonrpc.Peer, sent time.Time) {
	// A connection that has ended is noticed by itself.
	_ = peer.Go("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, func(_ jsontext.Value, err error) {
		if err != nil {
			return
		}
		c.update(func(s *store) {
			s.conn.Latency = time.Since(sent)
			s.touch(nil)
		})
	})
}

// expire settles what was not answered in time and asks for fresh snapshots of
// the channels whose state is in doubt.
func (c *Client) expire(peer *jsonrpc.Peer) {
	var doubtful []protocol.URI
	c.update(func(s *store) { doubtful = s.expire(time.Now()) })
	for _, uri := range doubtful {
		c.subscribe(peer, uri)
	}
}

// ask sends a request of the handshake and waits until apply has dealt with the
// answer, on the reading goroutine and so before whatever follows it.
func (c *Client) ask(ctx context.Context, peer *jsonrpc.Peer, method string, params any, apply func(jsontext.Value) error) error {
	done := make(chan error, 1)
	err := peer.Go(method, params, func(result jsontext.Value, err error) {
		if err == nil {
			err = apply(result)
		}
		done <- err
	})
	if err != nil {
		return err
	}
	timeout := time.NewTimer(handshakePatience)
	defer timeout.Stop()
	select {
	case err := <-done:
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-timeout.C:
		return fmt.Errorf("%s: the host did not answer within %s", method, handshakePatience)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// handshake brings the store in step with the host: by reconnect where there was
// a connection before and the host remembers it, else by initialize.
func (c *Client) handshake(ctx context.Context, peer *jsonrpc.Peer) error {
	began := time.Now()
	c.mu.Lock()
	again := c.store.conn.Version != (protocol.Version{})
	c.mu.Unlock()
	err := c.resume(ctx, peer, again)
	if err != nil {
		return err
	}
	if err := c.listSessions(ctx, peer); err != nil {
		return err
	}
	now := time.Now()
	c.update(func(s *store) {
		s.settleUnknown(began, now)
		if again {
			s.notice(Notice{At: now, Kind: NoticeReconnected})
		}
		s.conn.Attempt, s.conn.Retry = 0, time.Time{}
		s.conn.Latency = now.Sub(began)
		s.setPhase(Connected, now, nil)
		c.peer = peer
	})
	// A channel that was opened meanwhile, or that came without a snapshot.
	for _, uri := range c.withoutState() {
		c.subscribe(peer, uri)
	}
	return nil
}

// resume reconnects if there was a connection before. A host that refuses (it
// was restarted, or forgot the client) takes a fresh initialize on the same socket.
func (c *Client) resume(ctx context.Context, peer *jsonrpc.Peer, again bool) error {
	if !again {
		return c.initialize(ctx, peer)
	}
	err := c.reconnect(ctx, peer)
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		return c.initialize(ctx, peer)
	}
	return err
}

func (c *Client) withoutState() []protocol.URI {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(c.store.subscriptions(), func(uri protocol.URI) bool {
		ch := c.store.channels[uri]
		return ch.confirmed != nil && !ch.stale
	})
}

func (c *Client) initialize(ctx context.Context, peer *jsonrpc.Peer) error {
	params := &protocol.InitializeParams{Channel: protocol.RootChannel, ClientInfo: &c.opts.Info}
	for _, v := range c.opts.Offer {
		params.ProtocolVersions = append(params.ProtocolVersions, v.String())
	}
	c.mu.Lock()
	params.ClientID = c.store.clientID
	params.InitialSubscriptions = c.store.subscriptions()
	c.mu.Unlock()
	err := c.ask(ctx, peer, "initialize", params, func(raw jsontext.Value) error {
		var result protocol.InitializeResult
		if err := protocol.Unmarshal(raw, &result); err != nil {
			return err
		}
		v, err := protocol.ParseVersion(result.ProtocolVersion)
		if err != nil || !slices.Contains(c.opts.Offer, v) {
			return fmt.Errorf("the host chose protocol version %q, which was not offered", result.ProtocolVersion)
		}
		snapshots := c.decodeSnapshots(result.Snapshots)
		c.update(func(s *store) {
			s.profile = protocol.ProfileOf(v)
			s.conn.Version, s.conn.Host, s.conn.Default = v, result.ServerInfo, result.DefaultDirectory
			s.lastSeq = result.ServerSeq // a lower number than before is a new world
			s.installAll(snapshots)
		})
		return nil
	})
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code == protocol.CodeUnsupportedProtocolVersion {
		var data protocol.UnsupportedVersionData
		_ = protocol.Unmarshal(refused.Data, &data) // without it the list is empty, and the error says so
		return &VersionError{Offered: params.ProtocolVersions, Supported: data.SupportedVersions}
	}
	return err
}

func (c *Client) reconnect(ctx context.Context, peer *jsonrpc.Peer) error {
	params := &protocol.ReconnectParams{Channel: protocol.RootChannel}
	c.mu.Lock()
	params.ClientID, params.LastSeenServerSeq = c.store.clientID, c.store.lastSeq
	params.Subscriptions = c.store.subscriptions()
	c.mu.Unlock()
	return c.ask(ctx, peer, "reconnect", params, func(raw jsontext.Value) error {
		var result protocol.ReconnectResult
		if err := protocol.Unmarshal(raw, &result); err != nil {
			return err
		}
		snapshots := c.decodeSnapshots(result.Snapshots)
		now := time.Now()
		c.update(func(s *store) {
			if result.Type == protocol.ReconnectReplay {
				s.replay(&result, params.Subscriptions, now)
				return
			}
			s.lastSeq = 0
			s.installAll(snapshots)
			for _, uri := range params.Subscriptions {
				if ch := s.channels[uri]; ch != nil && ch.stale {
					s.gone(uri, now)
				}
			}
		})
		return nil
	})
}

// listSessions reads the whole session list, page by page.
func (c *Client) listSessions(ctx context.Context, peer *jsonrpc.Peer) error {
	var items []*protocol.SessionSummary
	params := &protocol.ListSessionsParams{Channel: protocol.RootChannel}
	for range maxPages {
		var page protocol.ListSessionsResult
		err := c.ask(ctx, peer, "listSessions", params, func(raw jsontext.Value) error {
			if err := protocol.Unmarshal(raw, &page); err != nil {
				return err
			}
			items = append(items, page.Items...)
			if page.NextCursor == "" {
				c.update(func(s *store) { s.list(items) })
			}
			return nil
		})
		if err != nil || page.NextCursor == "" {
			return err
		}
		params = &protocol.ListSessionsParams{Channel: protocol.RootChannel, Cursor: page.NextCursor}
	}
	c.update(func(s *store) { s.list(items) })
	return nil
}

// subscribe asks for a channel's snapshot and installs it where it comes.
func (c *Client) subscribe(peer *jsonrpc.Peer, uri protocol.URI) {
	// A connection that has ended subscribes anew when it is back.
	_ = peer.Go("subscribe", &protocol.SubscribeParams{Channel: uri}, func(raw jsontext.Value, err error) {
		if errors.Is(err, jsonrpc.ErrClosed) {
			return
		}
		if err != nil {
			c.update(func(s *store) { s.fail(uri, err) })
			return
		}
		var result protocol.SubscribeResult
		if err := protocol.Unmarshal(raw, &result); err != nil {
			c.update(func(s *store) { s.fail(uri, err) })
			return
		}
		if result.Snapshot == nil {
			return
		}
		result.Snapshot.Resource = uri
		snapshots := c.decodeSnapshots([]*protocol.Snapshot{result.Snapshot})
		c.update(func(s *store) { s.installAll(snapshots) })
	})
}

// decoded is a snapshot whose state was read as the kind that was asked for.
type decoded struct {
	uri     protocol.URI
	state   protocol.ChannelState
	fromSeq int64
	err     error
}

// decodeSnapshots reads states outside the lock: they may be very large.
func (c *Client) decodeSnapshots(snapshots []*protocol.Snapshot) []decoded {
	var list []decoded
	for _, snap := range snapshots {
		if snap == nil {
			continue
		}
		c.mu.Lock()
		ch := c.store.channels[snap.Resource]
		c.mu.Unlock()
		if ch == nil {
			continue
		}
		state, err := protocol.DecodeState(ch.kind, snap.State)
		list = append(list, decoded{snap.Resource, state, snap.FromSeq, err})
	}
	return list
}

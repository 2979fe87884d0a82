package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
	// lasting is how long a connection must have been up to count as a success.
	// One that breaks sooner is a failed attempt, or a host that accepts and
	// drops connections would be called many times a second.
	lasting = 10 * time.Second
	// clockJump is how much further than a timer the wall clock must have gone
	// to tell that the machine slept.
	clockJump = 5 * time.Second
)

// Run connects and stays connected until ctx ends. It returns nil then; without
// Options.Retry, or where trying again cannot help, it returns why it stopped.
// After it has returned it may be called again.
//
// The error wraps one of those of [jsonrpc.Dial] if the host could not be
// reached, did not answer, refused the token or is none, is a [*VersionError]
// if it speaks other versions, wraps a [*jsonrpc.Error] if it refused, and
// [jsonrpc.ErrClosed] if the connection broke.
func (c *Client) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.keepDeadlines(ctx)
	}()
	err := c.stayConnected(ctx)
	cancel()
	<-ended
	return err
}

func (c *Client) stayConnected(ctx context.Context) error {
	c.update(func(s *store) { s.begin(time.Now()) })
	if err := c.usable(); err != nil {
		c.finish(Failed, err)
		return err
	}
	for attempt := 0; ; {
		upFor, err := c.connectOnce(ctx)
		switch {
		case ctx.Err() != nil:
			c.finish(Closed, nil)
			return nil //nolint:nilerr // this is the end that was asked for
		case !c.opts.Retry || hopeless(err):
			c.finish(Failed, err)
			return err
		case upFor >= lasting:
			attempt = 0
		default:
			attempt++
		}
		wait := backoff(attempt)
		select {
		case <-c.again: // asked for before there was anything to wait for
		default:
		}
		c.update(func(s *store) {
			s.conn.Attempt, s.conn.Err, s.conn.Retry = attempt, brief(err), time.Now().Add(wait)
			s.touch()
		})
		if slept := c.pause(ctx, wait); slept {
			attempt = 0
		}
		c.update(func(s *store) {
			s.conn.Retry = time.Time{}
			s.touch()
		})
	}
}

// usable reports what is wrong with the address, which no attempt would change.
func (c *Client) usable() error {
	if c.opts.Dial != nil {
		return nil
	}
	_, _, err := jsonrpc.SplitToken(c.opts.URL)
	return err
}

func (c *Client) dial(ctx context.Context) (jsonrpc.Transport, error) {
	if c.opts.Dial != nil {
		return c.opts.Dial(ctx)
	}
	return jsonrpc.Dial(ctx, c.opts.URL, jsonrpc.DialOptions{Token: c.opts.Token})
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

// pause waits before the next attempt. It ends early when one is wanted at once,
// and when the machine has slept (timers stand still then, the wall clock does
// not), which it reports: what failed before says nothing about now.
func (c *Client) pause(ctx context.Context, wait time.Duration) (slept bool) {
	for end := time.Now().Add(wait); ; {
		step := min(time.Second, time.Until(end))
		if step <= 0 {
			return false
		}
		began := c.wall()
		timer := time.NewTimer(step)
		select {
		case <-timer.C:
		case <-c.again:
			timer.Stop()
			return false
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		if c.wall().Sub(began) > step+clockJump {
			return true
		}
	}
}

// Reconnect makes a client that waits for its next attempt try at once.
func (c *Client) Reconnect() { nudge(c.again) }

// finish ends everything that is still open.
func (c *Client) finish(p Phase, err error) {
	now := time.Now()
	c.update(func(s *store) {
		s.disconnected()
		s.abandon(now)
		s.conn.Retry = time.Time{}
		s.setPhase(p, now, err)
	})
}

// connectOnce dials, shakes hands and stays until the connection ends. upFor is
// how long it was in step with the host.
func (c *Client) connectOnce(ctx context.Context) (upFor time.Duration, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	transport, err := c.dial(ctx)
	if err != nil {
		return 0, err
	}
	peer := jsonrpc.New(transport, &handler{client: c}, jsonrpc.Options{})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = peer.Run(ctx) // peer.Err tells
	}()

	err = c.handshake(ctx, peer)
	if err == nil {
		up := time.Now()
		err = c.stay(ctx, peer)
		upFor = time.Since(up)
	}
	c.update(func(s *store) {
		c.peer = nil
		if ctx.Err() == nil { // else it was ended from this side
			s.lost(time.Now(), err)
		}
	})
	cancel(err)
	<-ended
	c.update((*store).disconnected) // what came in the meantime was too late
	return upFor, err
}

// stay watches over a connection that is up, until it ends: a host that says
// nothing is pinged and, unanswered, given up.
func (c *Client) stay(ctx context.Context, peer *jsonrpc.Peer) error {
	c.ping(peer) // for the latency
	var pinged time.Time
	for {
		now, heard := time.Now(), peer.LastRead()
		if !heard.Before(pinged) {
			pinged = time.Time{}
		}
		wait := c.opts.Silence - now.Sub(heard)
		if !pinged.IsZero() {
			wait = c.opts.Silence - now.Sub(pinged)
		}
		switch {
		case wait <= 0 && !pinged.IsZero():
			return fmt.Errorf("the host is silent: it sent nothing for %s and did not answer a ping", now.Sub(heard).Round(time.Second))
		case wait <= 0:
			pinged, wait = now, c.opts.Silence
			c.ping(peer)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-peer.Done():
			timer.Stop()
			return peer.Err()
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// ping measures the latency. A change that nobody would notice is not worth a
// new view of a host where nothing happens.
func (c *Client) ping(peer *jsonrpc.Peer) {
	sent := time.Now()
	// A connection that has ended is noticed by itself.
	_ = peer.Go("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, func(_ rawValue, err error) {
		if err != nil {
			return
		}
		took := time.Since(sent)
		c.update(func(s *store) {
			if old := s.conn.Latency; old == 0 && took > 0 || (took-old).Abs() > max(old/4, 5*time.Millisecond) {
				s.conn.Latency = took
				s.touch()
			}
		})
	})
}

// keepDeadlines ends what is overdue, connected or not, until ctx ends.
func (c *Client) keepDeadlines(ctx context.Context) {
	for {
		c.mu.Lock()
		at, ok := c.store.nextDeadline()
		c.mu.Unlock()
		timer := time.NewTimer(time.Until(at))
		if !ok {
			timer.Stop()
		}
		select {
		case <-timer.C:
			c.expire()
		case <-c.wake:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// expire settles what was not answered in time and asks for fresh snapshots of
// the channels whose state is in doubt.
func (c *Client) expire() {
	c.update(func(s *store) {
		for _, ch := range s.expire(time.Now(), c.peer != nil) {
			c.subscribe(ch)
		}
	})
}

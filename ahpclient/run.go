package ahpclient

import (
	"context"
	"errors"
	"sync"
	"time"

	"ahptui/internal/jsonrpc"
)

// Run connects and stays connected until ctx ends. It returns nil then; without
// Options.Retry, or where trying again cannot help, it returns why it stopped.
// After it has returned it may be called again.
//
// The error wraps one of those of [jsonrpc.Dial] if the host could not be
// reached, did not answer, refused the token or is none, is a [*VersionError]
// if it speaks other versions, wraps a [*jsonrpc.Error] if it refused (an
// [*AuthRequiredError] if it wants somebody to sign in), and [jsonrpc.ErrClosed]
// if the connection broke.
func (c *Client) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		c.keepDeadlines(ctx)
	}()
	err := c.live(ctx)
	cancel()
	<-ended
	return err
}

// link is a transport and the peer that speaks over it.
type link struct {
	peer    *jsonrpc.Peer
	ctx     context.Context //nolint:containedctx // the life of its goroutines
	cancel  context.CancelCauseFunc
	ended   chan struct{} // closed when the peer has ended
	listing sync.WaitGroup
	handler *handler
	upSince time.Time
}

// live does what the stage of the connection is for, and moves it on by what that
// came to, until it rests.
func (c *Client) live(ctx context.Context) error {
	c.update(func(s *store) { s.step(began, time.Now(), nil) })
	if err := c.usable(); err != nil {
		c.update(func(s *store) { s.step(gaveUp, time.Now(), err) })
		return err
	}
	var l *link
	for {
		var err error
		var e event
		switch c.stage() {
		case dialling:
			e = reached
			l, err = c.connect(ctx)
		case greeting:
			e = agreed
			err = c.handshake(l.ctx, l.peer)
		case up:
			l.upSince = time.Now()
			l.listing.Go(func() { c.listLate(l.ctx, l.peer) })
			err = c.stay(l.ctx, l.peer)
		case waiting:
			e = c.pause(ctx)
		case resting:
		}
		if err != nil {
			e, err = c.verdict(l, err)
		}
		if ctx.Err() != nil {
			e, err = stopped, nil
		}
		c.move(l, e, err)
		switch e {
		case gaveUp, stopped:
			return err
		case reached, agreed:
		default:
			l = nil
		}
	}
}

func (c *Client) stage() stage {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store.life.stage
}

// move moves the connection on. Nothing of a link outlives its stages.
func (c *Client) move(l *link, e event, err error) {
	now := time.Now()
	if e == agreed {
		c.update(func(s *store) {
			s.step(e, now, nil)
			c.enter(l.peer)
		})
		return
	}
	c.update(func(s *store) {
		c.peer = nil
		s.step(e, now, err)
	})
	if e != reached && l != nil {
		l.close(err)
		c.update((*store).disconnected) // what came in the meantime was too late
	}
}

// verdict says what an error leads to.
func (c *Client) verdict(l *link, err error) (event, error) {
	var version *VersionError
	switch {
	case errors.As(err, &version) && c.reoffer(version):
		return reoffer, err
	case !c.opts.Retry || hopeless(err):
		return gaveUp, err
	case l != nil && !l.upSince.IsZero() && time.Since(l.upSince) >= lasting:
		return lost, err
	}
	return broke, err
}

// connect makes a transport and begins to read from it.
func (c *Client) connect(ctx context.Context) (*link, error) {
	transport, err := c.dial(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{ended: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	l.handler = newHandler(l.ctx, c)
	opts := c.opts.Limits.peer()
	opts.OnOverLimit, opts.OnProtocolError = l.handler.overLimit, l.handler.malformed
	l.peer = jsonrpc.New(transport, l.handler, opts)
	go func() {
		defer close(l.ended)
		_ = l.peer.Run(l.ctx) // peer.Err tells
	}()
	return l, nil
}

// close ends a link and waits for all that it began.
func (l *link) close(cause error) {
	l.cancel(cause)
	<-l.ended
	l.listing.Wait()
	l.handler.wait()
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
	return jsonrpc.Dial(ctx, c.opts.URL, jsonrpc.DialOptions{Token: c.opts.Token, MaxMessageBytes: int64(c.opts.Limits.FrameBytes)})
}

// hopeless errors do not go away by trying again.
func hopeless(err error) bool {
	var version *VersionError
	return errors.As(err, &version) ||
		errors.Is(err, jsonrpc.ErrTokenRefused) || errors.Is(err, jsonrpc.ErrTokenWanted) ||
		errors.Is(err, jsonrpc.ErrNotAHP) || errors.Is(err, jsonrpc.ErrUntrusted)
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

package ahpclient

import (
	"context"
	"fmt"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// stay watches over a connection that is up, until it ends. A host that says
// nothing is pinged and, when that brings no byte either, given up. When the
// machine has slept, nobody knows what has become of the connection, so it
// counts as silent.
func (c *Client) stay(ctx context.Context, peer *jsonrpc.Peer) error {
	c.ping(peer) // for the latency
	began := time.Now()
	var pinged, slept time.Time
	for {
		now, heard := time.Now(), peer.LastRead()
		if heard.Before(began) {
			heard = began // how long the handshake took is another matter
		}
		if !heard.Before(pinged) {
			pinged = time.Time{}
		}
		silent := now.Sub(heard)
		if heard.Before(slept) {
			silent = max(silent, c.opts.Silence+now.Sub(slept))
		}
		if silent >= c.opts.Silence && pinged.IsZero() {
			pinged = now
			c.ping(peer)
		}
		wait := c.opts.Dead - silent
		switch {
		case wait <= 0:
			return fmt.Errorf("the host is silent: it sent nothing for %s and did not answer a ping", now.Sub(heard).Round(time.Second))
		case pinged.IsZero():
			wait = c.opts.Silence - silent
		}
		wall := c.wall()
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-peer.Done():
			timer.Stop()
			return peer.Err()
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
		if c.wall().Sub(wall) > wait+clockJump {
			slept = time.Now()
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

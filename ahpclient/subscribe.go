package ahpclient

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// subscribe asks for a channel's snapshot, which is installed on the reading
// goroutine and so before the actions that follow it. The store's lock is held.
// Without a connection it does nothing: the next one subscribes.
func (c *Client) subscribe(ch *channel) {
	if c.peer == nil || ch.barred || c.store.channels[ch.uri] != ch {
		return
	}
	err := c.peer.Go("subscribe", ch.terms.params(ch.uri, ch.kind), func(raw rawValue, err error) {
		c.subscribed(ch, raw, err)
	})
	if err == nil { // else the connection has ended
		c.store.ask(ch, time.Now().Add(answerPatience))
		nudge(c.wake)
	}
}

// subscribed takes the answer to a subscribe.
func (c *Client) subscribed(ch *channel, raw rawValue, err error) {
	var snapshots []decoded
	if err == nil {
		snapshots, err = c.decodeAnswer(ch, raw)
	}
	err = typedRefusal(err)
	now := time.Now()
	c.update(func(s *store) {
		s.answered(ch)
		switch {
		case s.channels[ch.uri] != ch || errors.Is(err, jsonrpc.ErrClosed):
		case err != nil:
			s.refused(ch, err, now)
		default:
			for _, d := range snapshots {
				if s.install(d, now) {
					c.subscribe(ch)
				}
			}
		}
	})
}

// decodeAnswer reads the snapshot of a subscribe's answer. Channels of kinds that
// are not known here may be without a state.
func (c *Client) decodeAnswer(ch *channel, raw rawValue) ([]decoded, error) {
	var result protocol.SubscribeResult
	if err := protocol.Unmarshal(raw, &result); err != nil {
		return nil, err
	}
	if result.Snapshot == nil {
		if slices.Contains(protocol.ChannelKinds(), ch.kind) {
			return nil, errNoState
		}
		return []decoded{{uri: ch.uri, kind: ch.kind}}, nil
	}
	result.Snapshot.Resource = ch.uri // hosts may spell it their way
	return c.decodeSnapshots([]*protocol.Snapshot{result.Snapshot}), nil
}

// refused takes a host's refusal to subscribe. If the channel was there before,
// it is gone; if not, its error says why it cannot be had.
func (s *store) refused(c *channel, err error, now time.Time) {
	var e *jsonrpc.Error
	notThere := errors.As(err, &e) && (e.Code == protocol.CodeSessionNotFound || e.Code == protocol.CodeNotFound)
	if notThere && c.confirmed() != nil && c.uri != protocol.RootChannel {
		s.gone(c.uri, now)
		return
	}
	s.fail(c, err)
}

// decodeSnapshots reads the states of the channels that are wanted, as the kinds
// that were asked for. It does so outside the lock: they may be very large.
func (c *Client) decodeSnapshots(snapshots []*protocol.Snapshot) []decoded {
	var list []decoded
	for _, snap := range snapshots {
		kind := c.kindOf(snap.Resource)
		if kind == "" {
			continue
		}
		d := decoded{uri: snap.Resource, kind: kind, fromSeq: snap.FromSeq, bytes: len(snap.State)}
		if len(snap.State) == 0 || bytes.Equal(snap.State, []byte("null")) {
			d.err = errNoState
		} else {
			d.state, d.err = protocol.DecodeState(kind, snap.State)
		}
		list = append(list, d)
	}
	return list
}

// kindOf is the kind of a channel that is wanted, or "".
func (c *Client) kindOf(uri protocol.URI) protocol.ChannelKind {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ch := c.store.channels[uri]; ch != nil {
		return ch.kind
	}
	return ""
}

package ahpclient

import (
	"time"

	"ahptui/protocol"
)

// errands are what the store wants from its client: it does no I/O of its own.
type errands struct {
	ask   []*channel     // a fresh snapshot
	leave []protocol.URI // the end of a subscription
	send  []errandAction // an action
	tell  []Event        // somebody may listen
}

// errandAction is an action that the store wants to be dispatched.
type errandAction struct {
	channel protocol.URI
	action  protocol.Action
}

// runErrands does what the store wants. The store's lock is held.
func (c *Client) runErrands() {
	e := &c.store.errands
	if e.ask == nil && e.leave == nil && e.send == nil && e.tell == nil {
		return
	}
	todo := *e
	*e = errands{}
	for _, event := range todo.tell {
		event.At = time.Now()
		c.emit(event)
	}
	for _, uri := range todo.leave {
		c.unsubscribe(uri)
	}
	for _, ch := range todo.ask {
		c.subscribe(ch)
	}
	for _, s := range todo.send {
		_, _ = c.dispatch(s.channel, s.action) // what becomes of it is seen in the state
	}
}

// unsubscribe ends the host's part of a subscription. A lost connection ends it
// just as well.
func (c *Client) unsubscribe(uri protocol.URI) {
	if c.peer != nil {
		_ = c.peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: uri})
	}
}

// doubt notes that the state of a channel may not be what the host has: a fresh
// snapshot is needed, unless one is on its way.
func (s *store) doubt(c *channel) {
	if c.asked == 0 {
		s.askAnew(c)
	}
}

// askAnew asks for a fresh snapshot of a channel, on the next connection if there
// is none. A snapshot that comes before that does not do: it may be older than what
// is doubted.
func (s *store) askAnew(c *channel) {
	switch {
	case c.kind == "" || c.barred:
	case s.life.stage == up:
		s.errands.ask = append(s.errands.ask, c)
	default:
		c.whole, c.doubted = false, true
	}
}

// lose gives up a channel, since the host went over a limit with it. It stays in
// the view, to say so; a Refresh tries it once more.
func (s *store) lose(c *channel, err *LimitError) {
	for _, p := range c.pending {
		p.settle(Outcome{Kind: Unknown, Reason: cut(err.Error(), maxText)})
	}
	c.pending, c.folded, c.kept, c.keptFrom, c.keptBytes = nil, protocol.Fold{}, nil, 0, 0
	c.barred, c.whole, c.stale, c.weight = true, false, true, weight{}
	s.fail(c, err)
	s.errands.leave = append(s.errands.leave, c.uri)
}

// admit lets a channel be subscribed to, as long as there are not too many.
func (s *store) admit(c *channel) {
	c.barred, c.err = false, nil
	s.touchChannel(c)
	most := s.limits.Subscriptions
	if len(s.channels) > most && len(s.subscriptions()) > most {
		c.barred, c.err = true, &LimitError{What: tooManyChannels, Limit: int64(most)}
	}
}

// unreduced takes an action that left a channel's state as it is. Some are events;
// some are about what is not held here; of some nobody here knows what they do.
func (s *store) unreduced(c *channel, e *protocol.Envelope) {
	_, raw := c.confirmed().(*protocol.RawState)
	_, unknown := e.Action.(*protocol.UnknownAction)
	if raw || unknown {
		c.unknown++
		s.touchChannel(c)
		return
	}
	switch a := e.Action.(type) {
	case *protocol.ResourceWatchChanged:
		s.errands.tell = append(s.errands.tell, Event{Channel: c.uri, Method: a.ActionType(), Action: a})
	case *protocol.ChatTruncated:
		if chat, ok := c.confirmed().(*protocol.ChatState); ok && chat.TurnsNextCursor != "" && a.TurnID != "" {
			s.doubt(c) // the turn may be one of those that were not loaded
		}
	}
}

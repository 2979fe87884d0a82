package ahpclient

import (
	"fmt"
	"time"

	"ahptui/protocol"
)

// Dispatch asks the host to change a channel's state, in the form of the
// negotiated version. The effect shows at once; the ticket tells what became of
// it. Nothing is sent, and nothing shows, while there is no connection
// ([ErrNotConnected]), if the version does not let clients send the action
// ([*UnsupportedError]), or while too many are unanswered ([*LimitError]).
//
// The channel need not be open; then nothing shows and the host's answer does
// not come here, so the ticket expires.
func (c *Client) Dispatch(channel protocol.URI, a protocol.Action) (t *Ticket, err error) {
	c.update(func(*store) { t, err = c.dispatch(channel, a) })
	return t, err
}

// dispatch is Dispatch with the store's lock held, which keeps the order of the
// numbers.
func (c *Client) dispatch(channel protocol.URI, a protocol.Action) (*Ticket, error) {
	s := c.store
	formed := protocol.ActionAt(s.conn.Version.Sent(), a)
	switch {
	case c.peer == nil:
		return nil, ErrNotConnected
	case formed == nil, !protocol.ClientMay(s.conn.Version, a.ActionType()):
		return nil, &UnsupportedError{What: a.ActionType(), Version: s.conn.Version}
	case s.waiting() >= s.limits.Pending:
		return nil, &LimitError{What: tooManyPending, Limit: int64(s.limits.Pending)}
	}
	a, probed := s.toggleForm(channel, formed)
	raw, err := protocol.EncodeAction(a)
	if err != nil {
		return nil, err
	}
	t := s.dispatch(channel, a, time.Now(), c.opts.Patience)
	err = c.peer.Notify("dispatchAction", &protocol.DispatchActionParams{Channel: channel, ClientSeq: t.seq, Action: raw})
	if err != nil {
		s.takeBack(t)
		return nil, fmt.Errorf("%w (%w)", ErrNotConnected, err)
	}
	if probed != nil {
		probed.seq = t.seq
		s.channels[channel].probe = probed
	}
	nudge(c.wake)
	return t, nil
}

// waiting counts the actions that are not answered.
func (s *store) waiting() int {
	n := 0
	for _, c := range s.channels {
		n += len(c.pending)
	}
	return n
}

// UnsupportedError says that the negotiated version does not have something, so
// nothing was sent.
type UnsupportedError struct {
	What    string
	Version protocol.Version
}

// Error names both.
func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("%s cannot be sent at protocol version %s: nothing was sent", e.What, e.Version)
}

package ahpclient

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"ahptui/protocol"
)

// pending is a dispatched action that is not answered yet.
type pending struct {
	*Ticket
	deadline time.Time
	// skipped: a later action was echoed first. Its effect is taken back, but
	// an echo may still come.
	skipped bool
}

const (
	reasonLost    = "the connection was lost before the host answered"
	reasonNothing = "it changes nothing"
	reasonShown   = "the host's state shows it"
	reasonGone    = "the host does not have the channel any more"
)

// dispatch notes an action as pending and says which number it gets.
func (s *store) dispatch(uri protocol.URI, a protocol.Action, now time.Time, patience time.Duration) *Ticket {
	s.clientSeq++
	t := newTicket(uri, a, s.clientSeq, now)
	c := s.channels[uri]
	if c == nil {
		// Without a subscription there is neither local state nor an echo.
		// The channel holds the ticket until its deadline.
		c = &channel{uri: uri}
		s.channels[uri] = c
	}
	c.pending = append(c.pending, &pending{Ticket: t, deadline: now.Add(patience)})
	s.touchChannel(c)
	return t
}

// takeBack undoes a dispatch that could not be sent.
func (s *store) takeBack(t *Ticket) {
	if c := s.channels[t.Channel]; c != nil {
		s.setPending(c, slices.DeleteFunc(slices.Clone(c.pending), func(p *pending) bool { return p.Ticket == t }))
	}
}

// setPending replaces what is pending on a channel, and forgets the channel if
// it was only there to hold that.
func (s *store) setPending(c *channel, list []*pending) {
	c.pending = list
	s.touchChannel(c)
	if c.kind == "" && len(list) == 0 {
		delete(s.channels, c.uri)
	}
}

// answer settles the pending action that an envelope echoes or refuses.
func (s *store) answer(c *channel, e *protocol.Envelope, now time.Time) {
	i := slices.IndexFunc(c.pending, func(p *pending) bool { return p.seq == e.Origin.ClientSeq })
	if i < 0 {
		return // answered before, or given up
	}
	p := c.pending[i]
	if e.RejectionReason != nil {
		reason := cut(*e.RejectionReason, maxText)
		p.settle(Outcome{Kind: Rejected, Reason: reason})
		s.notice(Notice{At: now, Kind: NoticeRejected, Channel: c.uri, Action: p.Action.ActionType(), Text: reason})
	} else {
		p.settle(Outcome{Kind: Accepted})
		s.echoed(c, p.seq, e.ServerSeq)
		for _, earlier := range c.pending[:i] {
			earlier.skipped = true // echoes keep the order of the dispatches
		}
	}
	s.setPending(c, slices.Delete(slices.Clone(c.pending), i, i+1))
}

// expire ends what has passed its deadline. It returns the channels whose real
// state is in doubt: they need a fresh snapshot. Without a connection what is
// overdue becomes unknown.
func (s *store) expire(now time.Time, connected bool) (doubtful []*channel) {
	for _, c := range s.channels {
		if !c.askedUntil.IsZero() && !now.Before(c.askedUntil) {
			c.askedUntil = time.Time{}
			if !c.inStep() {
				s.fail(c, errUnanswered)
			}
		}
	}
	for _, p := range s.pendingWhere(func(p *pending) bool { return !now.Before(p.deadline) }) {
		c := s.channels[p.Channel]
		switch {
		case s.settleByState(c, p):
		case !connected:
			s.settleUnknown(c, p, now)
		default:
			reason := "the host did not answer"
			if c.kind == "" {
				reason = "the channel is not open here, so its answers do not come here"
			} else if !slices.Contains(doubtful, c) {
				doubtful = append(doubtful, c)
			}
			p.settle(Outcome{Kind: Expired, Reason: reason})
			s.notice(Notice{At: now, Kind: NoticeExpired, Channel: c.uri, Action: p.Action.ActionType(), Text: reason})
		}
		s.dropPending(c, p)
	}
	return doubtful
}

func (s *store) dropPending(c *channel, p *pending) {
	s.setPending(c, slices.DeleteFunc(slices.Clone(c.pending), func(q *pending) bool { return q == p }))
}

// pendingWhere are the pending actions that match, in the order of their dispatch.
func (s *store) pendingWhere(match func(*pending) bool) []*pending {
	var list []*pending
	for _, c := range s.channels {
		for _, p := range c.pending {
			if match(p) {
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, func(a, b *pending) int { return cmp.Compare(a.seq, b.seq) })
	return list
}

// abandon ends every action that was in flight when the connection broke and
// that the host has not answered since. Only what a state shows beyond doubt
// counts: that an action would change nothing now may be somebody else's doing.
func (s *store) abandon(now time.Time) {
	for _, p := range s.pendingWhere(func(*pending) bool { return true }) {
		c := s.channels[p.Channel]
		if c.inStep() && tookEffect(c.confirmed(), p.Action) {
			p.settle(Outcome{Kind: Accepted, Reason: reasonShown})
		} else {
			s.settleUnknown(c, p, now)
		}
		s.dropPending(c, p)
	}
}

func (s *store) settleUnknown(c *channel, p *pending, now time.Time) {
	p.settle(Outcome{Kind: Unknown, Reason: reasonLost})
	s.notice(Notice{At: now, Kind: NoticeUnknown, Channel: c.uri, Action: p.Action.ActionType(), Text: reasonLost})
}

// settleByState accepts an action without an echo if the confirmed state, being
// up to date, answers the question.
func (s *store) settleByState(c *channel, p *pending) bool {
	if !c.inStep() {
		return false
	}
	switch {
	case tookEffect(c.confirmed(), p.Action):
		p.settle(Outcome{Kind: Accepted, Reason: reasonShown})
	case s.changesNothing(c, p):
		p.settle(Outcome{Kind: Accepted, Reason: reasonNothing})
	default:
		return false
	}
	return true
}

// tookEffect reports whether a state shows beyond doubt that an action was
// taken: a turn carries the id that its starter chose. Starting it once more
// would wipe what it streamed.
func tookEffect(state protocol.ChannelState, a protocol.Action) bool {
	start, ok := a.(*protocol.ChatTurnStarted)
	chat, isChat := state.(*protocol.ChatState)
	if !ok || !isChat {
		return false
	}
	if chat.ActiveTurn != nil && chat.ActiveTurn.ID == start.TurnID {
		return true
	}
	return slices.ContainsFunc(chat.Turns, func(t *protocol.Turn) bool { return t.ID == start.TurnID })
}

// changesNothing reports whether an action leaves the confirmed state as it is:
// a host need not echo such an action. The time that old reducers stamp does
// not count.
func (s *store) changesNothing(c *channel, p *pending) bool {
	after := protocol.Reduce(s.profile.At(p.At), c.confirmed(), p.Action)
	if after == c.confirmed() {
		return true
	}
	if before, ok := c.confirmed().(*protocol.ChatState); ok {
		if chat, ok := after.(*protocol.ChatState); ok {
			unstamped := *chat
			unstamped.ModifiedAt = before.ModifiedAt
			after = &unstamped
		}
	}
	a, errA := protocol.EncodeState(after)
	b, errB := protocol.EncodeState(c.confirmed())
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// nextDeadline is the earliest time at which something is overdue; ok is false
// if nothing is waited for.
func (s *store) nextDeadline() (at time.Time, ok bool) {
	note := func(t time.Time) {
		if !t.IsZero() && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	for _, c := range s.channels {
		note(c.askedUntil)
		for _, p := range c.pending {
			note(p.deadline)
		}
	}
	return at, ok
}

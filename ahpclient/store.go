package ahpclient

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"time"

	"ahptui/protocol"
)

// store is what the client knows, and what it waits for. It does no I/O and
// reads no clock; the client serialises access to it.
//
// Each channel has the confirmed state, the pending actions in the order of
// their dispatch, and the optimistic state, which is worked out when a view is
// published and not at every action.
type store struct {
	clientID  string
	profile   protocol.Profile
	conn      Connection
	channels  map[protocol.URI]*channel
	sessions  map[protocol.URI]*protocol.SessionSummary
	sorted    []*protocol.SessionSummary // of sessions; nil: to be sorted
	listed    bool
	ages      protocol.Ages
	notices   []Notice
	lastSeq   int64 // highest serverSeq seen on this host
	clientSeq int64

	published *View // nil: something changed since
}

type channel struct {
	uri       protocol.URI
	kind      protocol.ChannelKind
	confirmed protocol.ChannelState
	lastSeq   int64
	pending   []*pending
	stale     bool
	err       error

	published *Channel // nil: something changed since
}

// pending is a dispatched action that is not answered yet.
type pending struct {
	*Ticket
	deadline time.Time
	// skipped: a later action was echoed first. Its effect is taken back, but
	// an echo may still come.
	skipped bool
}

func newStore(clientID string, now time.Time) *store {
	return &store{
		clientID: clientID,
		conn:     Connection{Phase: Connecting, Since: now},
		channels: map[protocol.URI]*channel{},
		sessions: map[protocol.URI]*protocol.SessionSummary{},
	}
}

func (s *store) touch(c *channel) {
	s.published = nil
	if c != nil {
		c.published = nil
	}
}

// open notes that a channel is wanted. It has no state before its snapshot.
func (s *store) open(uri protocol.URI, kind protocol.ChannelKind) (fresh bool) {
	if _, ok := s.channels[uri]; ok {
		return false
	}
	c := &channel{uri: uri, kind: kind}
	s.channels[uri] = c
	s.touch(c)
	return true
}

// close forgets a channel. What was pending on it will never be known.
func (s *store) close(uri protocol.URI) {
	c := s.channels[uri]
	if c == nil {
		return
	}
	for _, p := range c.pending {
		p.settle(Outcome{Kind: Unknown, Reason: "the channel was closed"})
	}
	delete(s.channels, uri)
	s.touch(nil)
}

// fail notes why a channel has no state.
func (s *store) fail(uri protocol.URI, err error) {
	if c := s.channels[uri]; c != nil {
		c.err = err
		s.touch(c)
	}
}

// install takes a snapshot that was decoded already.
func (s *store) install(uri protocol.URI, state protocol.ChannelState, fromSeq int64) {
	c := s.channels[uri]
	if c == nil {
		return
	}
	c.confirmed, c.lastSeq, c.stale, c.err = state, fromSeq, false, nil
	s.lastSeq = max(s.lastSeq, fromSeq)
	s.touch(c)
}

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
	s.touch(c)
	return t
}

// apply takes an envelope (wire reference 8.4): an answer to our own action is
// matched first, because a refusal moves no sequence; then duplicates go; then
// the action is reduced as the host sent it.
func (s *store) apply(e *protocol.Envelope, now time.Time) {
	c := s.channels[e.Channel]
	if c == nil {
		return
	}
	if e.Origin != nil && e.Origin.ClientID == s.clientID {
		s.answer(c, e, now)
	}
	if e.RejectionReason != nil {
		return
	}
	s.lastSeq = max(s.lastSeq, e.ServerSeq)
	if c.confirmed == nil || e.ServerSeq <= c.lastSeq {
		return
	}
	c.lastSeq = e.ServerSeq
	if next := protocol.Reduce(s.profile.At(now), c.confirmed, e.Action); next != c.confirmed {
		c.confirmed = next
		s.touch(c)
	}
}

// answer settles the pending action that an envelope echoes or refuses.
func (s *store) answer(c *channel, e *protocol.Envelope, now time.Time) {
	i := slices.IndexFunc(c.pending, func(p *pending) bool { return p.seq == e.Origin.ClientSeq })
	if i < 0 {
		return
	}
	p := c.pending[i]
	for _, earlier := range c.pending[:i] {
		earlier.skipped = true
	}
	c.pending = slices.Delete(slices.Clone(c.pending), i, i+1)
	if e.RejectionReason != nil {
		p.settle(Outcome{Kind: Rejected, Reason: *e.RejectionReason})
		s.notice(Notice{At: now, Kind: NoticeRejected, Channel: c.uri, Action: p.Action.ActionType(), Text: *e.RejectionReason})
	} else {
		p.settle(Outcome{Kind: Accepted})
	}
	s.touch(c)
	s.dropIfLoose(c)
}

// dropIfLoose forgets a channel that was only there to hold tickets.
func (s *store) dropIfLoose(c *channel) {
	if c.kind == "" && len(c.pending) == 0 {
		delete(s.channels, c.uri)
	}
}

// expire settles what got no answer by now. It returns the channels whose real
// state is in doubt: they need a fresh snapshot.
func (s *store) expire(now time.Time) (doubtful []protocol.URI) {
	for _, c := range s.channels {
		kept := c.pending[:0:0]
		for _, p := range c.pending {
			if now.Before(p.deadline) {
				kept = append(kept, p)
				continue
			}
			s.touch(c)
			if s.changesNothing(c, p) {
				p.settle(Outcome{Kind: Accepted, Reason: "it changes nothing"})
				continue
			}
			p.settle(Outcome{Kind: Expired, Reason: "the host did not answer"})
			s.notice(Notice{At: now, Kind: NoticeExpired, Channel: c.uri, Action: p.Action.ActionType(), Text: "no answer from the host"})
			if c.kind != "" && !slices.Contains(doubtful, c.uri) {
				doubtful = append(doubtful, c.uri)
			}
		}
		c.pending = kept
		s.dropIfLoose(c)
	}
	return doubtful
}

// changesNothing reports whether an action leaves the confirmed state as it is:
// a host need not echo such an action.
func (s *store) changesNothing(c *channel, p *pending) bool {
	if c.confirmed == nil {
		return false
	}
	after := protocol.Reduce(s.profile.At(p.At), c.confirmed, p.Action)
	if after == c.confirmed {
		return true
	}
	a, errA := protocol.EncodeState(after)
	b, errB := protocol.EncodeState(c.confirmed)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// nextDeadline is the earliest deadline of a pending action; ok is false if
// nothing is pending.
func (s *store) nextDeadline() (at time.Time, ok bool) {
	for _, c := range s.channels {
		for _, p := range c.pending {
			if !ok || p.deadline.Before(at) {
				at, ok = p.deadline, true
			}
		}
	}
	return at, ok
}

// lost marks everything stale. Pending actions keep showing until the answer to
// the reconnect tells which of them arrived.
func (s *store) lost(now time.Time, err error) {
	for _, c := range s.channels {
		c.stale = true
		s.touch(c)
	}
	if s.conn.Phase == Connected {
		s.notice(Notice{At: now, Kind: NoticeLost, Text: errorText(err)})
	}
	s.setPhase(Reconnecting, now, err)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (s *store) setPhase(p Phase, now time.Time, err error) {
	if s.conn.Phase != p {
		s.conn.Phase, s.conn.Since = p, now
	}
	s.conn.Err = err
	s.touch(nil)
}

// settleUnknown ends every action that was in flight when the connection broke
// and that the answer to the reconnect did not mention.
func (s *store) settleUnknown(before time.Time, now time.Time) {
	for _, c := range s.channels {
		kept := c.pending[:0:0]
		for _, p := range c.pending {
			if p.At.After(before) {
				kept = append(kept, p)
				continue
			}
			p.settle(Outcome{Kind: Unknown, Reason: "the connection was lost before the host answered"})
			s.notice(Notice{At: now, Kind: NoticeUnknown, Channel: c.uri, Action: p.Action.ActionType(), Text: "the connection was lost before the host answered"})
			s.touch(c)
		}
		c.pending = kept
		s.dropIfLoose(c)
	}
}

// gone forgets a channel that the host does not have any more.
func (s *store) gone(uri protocol.URI, now time.Time) {
	if s.channels[uri] != nil {
		s.close(uri)
		s.notice(Notice{At: now, Kind: NoticeGone, Channel: uri, Text: "the host does not have it any more"})
	}
}

func (s *store) notice(n Notice) {
	s.notices = append(slices.Clone(s.notices), n)
	if over := len(s.notices) - maxNotices; over > 0 {
		s.notices = s.notices[over:]
	}
	s.touch(nil)
}

// list replaces the session list.
func (s *store) list(items []*protocol.SessionSummary) {
	s.sessions = make(map[protocol.URI]*protocol.SessionSummary, len(items))
	for _, item := range items {
		s.sessions[item.Resource] = item
	}
	s.listed = true
	s.relist()
}

func (s *store) sessionAdded(summary *protocol.SessionSummary) {
	if summary == nil {
		return
	}
	s.sessions[summary.Resource] = summary
	s.relist()
}

// sessionRemoved drops a session from the list, with every channel below it.
func (s *store) sessionRemoved(uri protocol.URI) {
	delete(s.sessions, uri)
	if c := s.channels[uri]; c != nil {
		if state, ok := c.confirmed.(*protocol.SessionState); ok {
			for _, chat := range state.Chats {
				s.close(chat.Resource)
			}
		}
	}
	s.close(uri)
	s.relist()
}

// relist notes that the session list changed.
func (s *store) relist() {
	s.sorted = nil
	s.touch(nil)
}

func (s *store) summaryChanged(uri protocol.URI, changes protocol.Raw) {
	if old := s.sessions[uri]; old != nil {
		s.sessions[uri] = protocol.MergeSummary(old, changes)
		s.relist()
	}
}

// subscriptions are the channels that are wanted.
func (s *store) subscriptions() []protocol.URI {
	uris := []protocol.URI{}
	for uri, c := range s.channels {
		if c.kind != "" {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

// view publishes what the store knows.
func (s *store) view(now time.Time) *View {
	if s.published != nil {
		return s.published
	}
	v := &View{Connection: s.conn, Sessions: s.sortedSessions(), Listed: s.listed, Notices: s.notices}
	v.Channels = make(map[protocol.URI]*Channel, len(s.channels))
	for uri, c := range s.channels {
		if c.kind != "" {
			v.Channels[uri] = s.publish(c)
		}
	}
	if root := v.Channels[protocol.RootChannel]; root != nil {
		v.Root, _ = root.State.(*protocol.RootState)
	}
	s.ages = s.ages.Observe(now, ageKeys(v))
	v.Ages = s.ages
	s.published = v
	return v
}

func ageKeys(v *View) []string {
	var keys []string
	for uri := range v.Channels {
		if state := v.Session(uri); state != nil {
			keys = append(keys, protocol.AgeKeys(uri, state, v.Chats(state))...)
		}
	}
	return keys
}

// publish replays what is pending on top of what is confirmed. A replayed
// action keeps the time of its dispatch.
func (s *store) publish(c *channel) *Channel {
	if c.published != nil {
		return c.published
	}
	p := &Channel{URI: c.uri, Kind: c.kind, State: c.confirmed, Confirmed: c.confirmed, Stale: c.stale, Err: c.err}
	for _, w := range c.pending {
		if w.skipped {
			continue
		}
		p.Pending = append(p.Pending, w.Ticket)
		if p.State != nil {
			p.State = protocol.Reduce(s.profile.At(w.At), p.State, w.Action)
		}
	}
	c.published = p
	return p
}

func (s *store) sortedSessions() []*protocol.SessionSummary {
	if s.sorted != nil {
		return s.sorted
	}
	list := slices.Collect(maps.Values(s.sessions))
	slices.SortFunc(list, func(a, b *protocol.SessionSummary) int {
		return cmp.Or(cmp.Compare(b.ModifiedAt, a.ModifiedAt), cmp.Compare(a.Resource, b.Resource))
	})
	s.sorted = list
	return list
}

// takeBack undoes a dispatch that could not be sent.
func (s *store) takeBack(t *Ticket) {
	c := s.channels[t.Channel]
	c.pending = slices.DeleteFunc(slices.Clone(c.pending), func(p *pending) bool { return p.Ticket == t })
	s.touch(c)
	s.dropIfLoose(c)
}

// installAll takes snapshots that were decoded already.
func (s *store) installAll(list []decoded) {
	for _, d := range list {
		if d.err != nil {
			s.fail(d.uri, d.err)
			continue
		}
		s.install(d.uri, d.state, d.fromSeq)
	}
}

// replay takes the answer to a reconnect that resumes the subscribed channels.
func (s *store) replay(r *protocol.ReconnectResult, subscribed []protocol.URI, now time.Time) {
	for _, uri := range subscribed {
		if c := s.channels[uri]; c != nil && c.confirmed != nil {
			c.stale = false
			s.touch(c)
		}
	}
	for _, e := range r.Actions {
		if e != nil {
			s.apply(e, now)
		}
	}
	for _, uri := range r.Missing {
		s.gone(uri, now)
	}
}

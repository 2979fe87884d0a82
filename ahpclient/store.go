package ahpclient

import (
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
	limits    Limits
	life      life
	profile   protocol.Profile
	conn      Connection
	channels  map[protocol.URI]*channel
	sessions  sessionList
	notices   []Notice
	replaying bool  // the actions that come are of the past
	known     bool  // the host took an initialize and has not disowned it since
	lastSeq   int64 // up to where all actions of this host were folded
	clientSeq int64
	auth      authState
	toggles   toggles
	errands   errands
	histories histories // of channels that are not open any more

	offer     []protocol.Version // at the next initialize
	reoffered bool               // it is the host's wish, and was not accepted yet
	lean      bool               // the host's answers are too much: ask for the root channel alone
	named     []protocol.URI     // what the last initialize or reconnect asked for

	published *View // nil: something changed since
	shown     shown
}

// channel is a channel that is wanted or, with no kind, one that is not
// subscribed and only holds the tickets of what was dispatched on it.
type channel struct {
	uri     protocol.URI
	kind    protocol.ChannelKind
	folded  protocol.Fold // what the host has confirmed
	lastSeq int64
	pending []*pending
	// whole: confirmed lacks nothing up to where the connection was lost, so
	// that a replay can continue it. stale: the connection was lost since.
	whole bool
	stale bool
	err   error
	// doubted: a snapshot is needed that is asked for from now on.
	doubted bool

	terms   Terms
	weight  weight
	barred  bool   // lost, because the host went over a limit: it is not asked for again
	unknown int    // actions since the snapshot that are not known here
	probe   *probe // nil: no toggle is being tried
	leaving bool   // it is being disposed of from here

	fetching chan struct{} // closed when older turns were fetched; nil: nobody is at it

	// asked counts the snapshots that were asked for and have not come;
	// askedUntil is how long the last may take, zero if that is over.
	asked      int
	askedUntil time.Time
	// kept are the actions that came while a snapshot was awaited. It may be
	// older than they are: a host may work it out, send an action and only then
	// the answer. Actions up to keptFrom are not kept.
	kept      []*protocol.Envelope
	keptBytes int
	keptFrom  int64

	published *Channel // nil: something changed since
	derived   derived  // of a session
	history   History  // of its servers
}

// confirmed is the state of what the host has sent, or nil before its snapshot.
func (c *channel) confirmed() protocol.ChannelState { return c.folded.State() }

// inStep reports whether actions can be folded into the confirmed state as they come.
func (c *channel) inStep() bool { return c.whole && !c.stale }

func newStore(clientID string, limits Limits, now time.Time) *store {
	return &store{
		limits:   limits,
		clientID: clientID,
		life:     life{stage: resting, phase: Connecting},
		conn:     Connection{Phase: Connecting, Since: now},
		channels: map[protocol.URI]*channel{},
		sessions: sessionList{limits: limits, byURI: map[protocol.URI]*protocol.SessionSummary{}},
	}
}

// touch notes that the view changed.
func (s *store) touch() { s.published = nil }

// touchChannel notes that what is shown of a channel changed.
func (s *store) touchChannel(c *channel) {
	c.published = nil
	s.shown.channels = nil
	s.touch()
}

// open notes that a channel is wanted. It has no state before its snapshot.
func (s *store) open(uri protocol.URI, kind protocol.ChannelKind) (c *channel, fresh bool) {
	c = s.channels[uri]
	if c != nil && c.kind != "" {
		return c, false
	}
	if c == nil {
		c = &channel{uri: uri}
		s.channels[uri] = c
	}
	c.kind, c.history = kind, s.histories.take(uri)
	s.admit(c)
	s.touchChannel(c)
	return c, true
}

// close forgets a channel that is not wanted any more. The answers to what is
// pending on it may be on their way, so that is held until its deadline. The
// root channel stays: without it there is no host to show.
func (s *store) close(uri protocol.URI) (closed bool) {
	c := s.channels[uri]
	if c == nil || c.kind == "" || uri == protocol.RootChannel {
		return false
	}
	delete(s.channels, uri)
	s.histories.keep(uri, c.history)
	if len(c.pending) > 0 {
		s.channels[uri] = &channel{uri: uri, pending: c.pending}
	}
	s.touchChannel(c)
	return true
}

// gone forgets a channel that the host does not have any more. The root channel
// cannot go.
func (s *store) gone(uri protocol.URI, now time.Time) {
	if c := s.remove(uri); c != nil && c.kind != "" && !c.leaving {
		s.notice(Notice{At: now, Kind: NoticeGone, Channel: uri, Text: "the host does not have it any more"})
	}
}

// remove is gone without a word to the person. It returns what was there.
func (s *store) remove(uri protocol.URI) *channel {
	c := s.channels[uri]
	if c == nil || uri == protocol.RootChannel {
		return nil
	}
	for _, p := range c.pending {
		p.settle(Outcome{Kind: Unknown, Reason: reasonGone})
	}
	delete(s.channels, uri)
	s.touchChannel(c)
	return c
}

// fail notes why a channel has no state, or no newer one.
func (s *store) fail(c *channel, err error) {
	c.err = brief(err)
	c.forgetKept()
	s.touchChannel(c)
}

// ask notes that a snapshot of a channel was asked for.
func (s *store) ask(c *channel, until time.Time) {
	if c.asked == 0 && c.inStep() {
		c.keptFrom = c.lastSeq
	}
	c.asked++
	c.doubted = false
	c.askedUntil = until
}

// answered notes that an answer, of whatever sort, came to an ask.
func (s *store) answered(c *channel) {
	c.asked--
	if c.asked == 0 {
		c.askedUntil = time.Time{}
	}
}

// decoded is a snapshot whose state was read as the kind that was asked for.
type decoded struct {
	uri     protocol.URI
	kind    protocol.ChannelKind
	state   protocol.ChannelState
	fromSeq int64
	bytes   int
	err     error
}

// install takes a snapshot. It reports whether another one is needed, because
// actions that came in between were too many to be kept.
func (s *store) install(d decoded, now time.Time) (again bool) {
	c := s.channels[d.uri]
	if c == nil || c.kind != d.kind || c.barred {
		return false
	}
	if d.err != nil {
		s.fail(c, d.err)
		return false
	}
	if d.fromSeq < c.keptFrom {
		c.forgetKept()
		return !c.inStep() // else what is here already is newer
	}
	c.folded, c.lastSeq, c.whole, c.stale, c.err = protocol.NewFold(d.state), d.fromSeq, true, false, nil
	c.unknown = 0
	if session := c.session(); session != nil {
		c.history, _ = c.history.Snapshot(session, now)
	}
	s.touchChannel(c)
	s.judge(c, d.fromSeq)
	s.catchUp(c, now)
	s.weighSnapshot(c, d.bytes)
	return false
}

// catchUp folds the actions that were kept while a channel was not in step.
func (s *store) catchUp(c *channel, now time.Time) {
	for _, e := range c.kept {
		s.fold(c, e, now)
	}
	c.forgetKept()
}

// keep holds on to an action for a snapshot that is still to come.
func (s *store) keep(c *channel, e *protocol.Envelope) {
	if len(c.kept) >= s.limits.Kept {
		c.keptFrom = max(c.keptFrom, c.kept[0].ServerSeq)
		c.kept[0] = nil
		c.kept = c.kept[1:]
	}
	kept := *e
	c.kept = append(c.kept, &kept)
}

// forgetKept lets go of what was kept, if no snapshot is on its way.
func (c *channel) forgetKept() {
	if c.asked == 0 {
		c.kept, c.keptFrom, c.keptBytes = nil, 0, 0
	}
}

// apply takes an envelope, which it does not keep (wire reference 8.4): an answer to our own action is
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
	if e.RejectionReason != nil || c.kind == "" || c.barred {
		return
	}
	if c.asked > 0 || !c.inStep() {
		s.keep(c, e)
	}
	if c.inStep() {
		s.fold(c, e, now)
	}
}

// fold reduces an action into the confirmed state, unless it is in it.
func (s *store) fold(c *channel, e *protocol.Envelope, now time.Time) {
	s.lastSeq = max(s.lastSeq, e.ServerSeq)
	if e.ServerSeq <= c.lastSeq {
		return
	}
	c.lastSeq = e.ServerSeq
	before := c.session()
	changes := c.folded.Apply(s.profile.At(now), e.Action)
	if s.record(c, before, e, now) || changes {
		s.touchChannel(c)
	}
	if changes {
		return
	}
	s.unreduced(c, e)
}

// disconnected marks everything stale. Pending actions keep showing until the
// answer to the reconnect tells which of them arrived.
func (s *store) disconnected() {
	for _, c := range s.channels {
		c.kept, c.keptFrom, c.keptBytes = nil, 0, 0
		if !c.stale && c.kind != "" {
			c.stale = true
			s.touchChannel(c)
		}
	}
}

// rebase takes the answer to an initialize: it sets the number to count from,
// and all channels without a snapshot in it need one. A number below what was
// seen is a new world.
func (s *store) rebase(serverSeq int64, snapshots []decoded, now time.Time) {
	s.uproot()
	s.lastSeq = serverSeq
	for _, d := range snapshots {
		s.install(d, now)
	}
}

// replay takes the answer to a reconnect that resumes the subscribed channels.
func (s *store) replay(r *protocol.ReconnectResult, subscribed []protocol.URI, now time.Time) {
	for _, uri := range subscribed {
		// A channel without a state is not part of a replay.
		if c := s.channels[uri]; c != nil && c.whole && c.confirmed() != nil {
			c.stale = false
			s.touchChannel(c)
		}
	}
	s.replaying = true
	for _, e := range r.Actions {
		s.apply(e, now)
	}
	s.replaying = false
	for _, c := range s.channels {
		if c.inStep() {
			s.catchUp(c, now)
		}
	}
	for _, uri := range r.Missing {
		s.absent(uri, now)
	}
}

// resnapshot takes the answer to a reconnect that holds snapshots: what is
// absent from it is gone.
func (s *store) resnapshot(r *protocol.ReconnectResult, snapshots []decoded, subscribed []protocol.URI, now time.Time) {
	s.uproot()
	for i, d := range snapshots {
		if i == 0 || d.fromSeq < s.lastSeq { // the one that lacks most
			s.lastSeq = d.fromSeq
		}
	}
	for _, d := range snapshots {
		s.install(d, now)
	}
	for _, uri := range subscribed {
		if !slices.ContainsFunc(r.Snapshots, func(sn *protocol.Snapshot) bool { return sn.Resource == uri }) {
			s.absent(uri, now)
		}
	}
}

// uproot notes that no state can be continued: all channels need a snapshot,
// and the numbers count anew.
func (s *store) uproot() {
	s.lastSeq = 0
	for _, c := range s.channels {
		c.whole = false
	}
}

// absent notes that the host did not resume a channel. One that was there is
// gone; of one that never was, a subscribe will tell why.
func (s *store) absent(uri protocol.URI, now time.Time) {
	if c := s.channels[uri]; c != nil {
		c.whole = false
		if c.confirmed() != nil {
			s.gone(uri, now)
		}
	}
}

// outOfStep are the channels that need a snapshot, or another one, and wait for none,
// sorted.
func (s *store) outOfStep() []*channel {
	var list []*channel
	for _, uri := range s.subscriptions() {
		if c := s.channels[uri]; c.doubted || !c.inStep() && c.asked == 0 {
			list = append(list, c)
		}
	}
	return list
}

// subscriptions are the channels that are wanted, sorted.
func (s *store) subscriptions() []protocol.URI {
	uris := []protocol.URI{}
	for _, uri := range slices.Sorted(maps.Keys(s.channels)) {
		if c := s.channels[uri]; c.kind != "" && !c.barred {
			uris = append(uris, uri)
		}
	}
	return uris
}

// notice tells the person something. Its time is later than that of the notice
// before, so that a time tells what is new.
func (s *store) notice(n Notice) {
	n.Channel, n.Action, n.Text = protocol.URI(cut(string(n.Channel), maxText)), cut(n.Action, maxText), cut(n.Text, maxText)
	kept := slices.DeleteFunc(slices.Clone(s.notices), func(old Notice) bool {
		again := n.Kind == NoticeAuth || n.Kind == NoticeMalformed
		return again && old.Kind == n.Kind && old.Text == n.Text
	})
	if len(s.notices) > 0 {
		if last := s.notices[len(s.notices)-1].At; !n.At.After(last) {
			n.At = last.Add(1)
		}
	}
	kept = append(kept, n)
	s.notices = kept
	if over := len(s.notices) - s.limits.Notices; over > 0 {
		s.notices = s.notices[over:]
	}
	s.touch()
}

package ahpclient

import (
	"slices"
	"time"

	"ahptui/protocol"
)

// shown is what the last view was made of and the next one may share.
type shown struct {
	channels map[protocol.URI]*Channel // nil: a channel changed since
	root     *protocol.RootState
	blocked  map[protocol.URI][]protocol.Block
	ages     protocol.Ages
	ageKeys  int // how many keys ages has
}

// derived is what follows from a session and its chats. It is worked out anew
// when one of them has changed.
type derived struct {
	session *protocol.SessionState
	chats   []*protocol.ChatState
	blocks  []protocol.Block
	keys    []string
}

// view publishes what the store knows. What has not changed since the last view
// is shared with it; if nothing has, it is that very view.
func (s *store) view(now time.Time) *View {
	if s.published != nil {
		return s.published
	}
	if s.shown.channels == nil {
		s.publishChannels(now)
	}
	s.published = &View{
		Connection: s.conn,
		Root:       s.shown.root,
		Sessions:   s.sessions.inOrder(),
		Listed:     s.sessions.listed,
		ListErr:    s.sessions.err,
		Channels:   s.shown.channels,
		Ages:       s.shown.ages,
		Notices:    s.notices,
		Auth:       s.authShown(s.shown.root),
		blocked:    s.shown.blocked,
	}
	return s.published
}

func (s *store) publishChannels(now time.Time) {
	channels := make(map[protocol.URI]*Channel, len(s.channels))
	for uri, c := range s.channels {
		if c.kind != "" {
			channels[uri] = s.publish(c)
		}
	}
	s.shown.channels, s.shown.root = channels, nil
	if root := channels[protocol.RootChannel]; root != nil {
		s.shown.root, _ = root.State.(*protocol.RootState)
	}
	s.derive(&View{Channels: channels}, now)
}

// derive brings up to date what is blocked and since when things are as they are.
func (s *store) derive(v *View, now time.Time) {
	blocked := map[protocol.URI][]protocol.Block{}
	keys, same := 0, true
	for uri, c := range s.channels {
		if c.kind != protocol.SessionKind {
			continue
		}
		if c.derived.update(uri, v) {
			same = false
		}
		keys += len(c.derived.keys)
		if len(c.derived.blocks) > 0 {
			blocked[uri] = c.derived.blocks
		}
	}
	s.shown.blocked = blocked
	if same && keys == s.shown.ageKeys {
		return
	}
	all := make([]string, 0, keys)
	for _, c := range s.channels {
		all = append(all, c.derived.keys...)
	}
	s.shown.ages, s.shown.ageKeys = s.shown.ages.Observe(now, all), keys
}

// update works out what follows from a session, if the session or a chat of it
// has changed. It reports whether the keys have.
func (d *derived) update(uri protocol.URI, v *View) (newKeys bool) {
	session := v.Session(uri)
	if session == d.session && (session == nil || d.sameChats(session, v)) {
		return false
	}
	old := d.keys
	*d = derived{session: session}
	if session != nil {
		for _, c := range session.Chats {
			d.chats = append(d.chats, v.Chat(c.Resource))
		}
		chats := v.Chats(session)
		d.blocks, d.keys = protocol.Blocked(uri, session, chats), protocol.AgeKeys(uri, session, chats)
	}
	return !slices.Equal(old, d.keys)
}

func (d *derived) sameChats(session *protocol.SessionState, v *View) bool {
	for i, c := range session.Chats {
		if v.Chat(c.Resource) != d.chats[i] {
			return false
		}
	}
	return true
}

// publish replays what is pending on top of what is confirmed. A replayed
// action keeps the time of its dispatch.
func (s *store) publish(c *channel) *Channel {
	if c.published != nil {
		return c.published
	}
	confirmed := c.confirmed()
	p := &Channel{URI: c.uri, Kind: c.kind, State: confirmed, Confirmed: confirmed, Stale: c.stale, Err: c.err, Unknown: c.unknown, History: c.history}
	for _, w := range c.pending {
		if w.skipped {
			continue
		}
		p.Pending = append(p.Pending, w.Ticket)
		if p.State != nil && !tookEffect(p.State, w.Action) {
			p.State = protocol.Reduce(s.profile.At(w.At), p.State, w.Action)
		}
	}
	c.published = p
	return p
}

package converge

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"ahptui/ahpclient"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

// member is a client of the world. The world's lock guards it.
type member struct {
	world  *world
	index  int
	spec   memberSpec
	client *ahpclient.Client

	seq     int64 // of its last action
	dials   uint64
	offline bool // it cannot dial
	faulty  bool // something of its network, or its host, was not as it should be
	line    line // the newest connection; nil: there was none
	end     *hostEnd
	wants   map[protocol.URI]bool // opened, and there ever since
	sent    []sent
}

// sent is an action that a member has dispatched.
type sent struct {
	ticket *ahpclient.Ticket
	origin protocol.ActionOrigin
	probe  *probe // who saw it if the host took it, and the channel was there from the start; else nil
	open   bool   // the channel was open then; whether it still was later is not known
}

func newMember(w *world, index int, spec memberSpec) *member {
	m := &member{world: w, index: index, spec: spec, wants: map[protocol.URI]bool{}}
	for _, line := range []testwire.Line{spec.up, spec.down} {
		m.faulty = m.faulty || line.Rate > 0 || line.Window > 0 // what waits behind a flood may be late
	}
	opts := ahpclient.Options{Dial: m.dial, Retry: true, Silence: spec.silence, Patience: spec.patience}
	if spec.version != (protocol.Version{}) {
		opts.Offer = []protocol.Version{spec.version}
	}
	m.client = ahpclient.New(opts)
	return m
}

// run connects until ctx ends, and looks at every view that the client shows.
func (m *member) run(ctx context.Context) {
	m.world.work.Go(func() { _ = m.client.Run(ctx) }) // it ends with ctx
	m.world.work.Go(func() { m.watch(ctx) })
	for _, c := range m.world.channels() {
		m.open(c.uri, c.kind)
	}
}

func (m *member) open(uri protocol.URI, kind protocol.ChannelKind) {
	if kind == protocol.ChatKind && m.spec.turns > 0 {
		m.client.OpenOn(uri, kind, ahpclient.Terms{Turns: m.spec.turns})
	} else {
		m.client.Open(uri, kind)
	}
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	m.wants[uri] = true
}

// dial is the client's way to the host.
func (m *member) dial(ctx context.Context) (jsonrpc.Transport, error) {
	w := m.world
	w.mu.Lock()
	m.dials++
	rnd := rand.New(rand.NewPCG(w.script.seed, uint64(m.index)<<32|m.dials))
	w.mu.Unlock()
	if err := sleepUntil(ctx, time.Duration(rnd.Int64N(int64(30*w.pace)))); err != nil {
		return nil, err
	}
	return w.connect(ctx, m, rnd)
}

// watch follows what the client shows. It also makes a client that waits for its next attempt try soon, at a time that
// follows from the seed: the client's own delays are drawn by chance.
func (m *member) watch(ctx context.Context) {
	rnd := rand.New(rand.NewPCG(m.world.script.seed, 0xf00+uint64(m.index)))
	var retry time.Time
	for {
		v, next := m.client.Watch()
		m.look(v)
		var soon <-chan time.Time
		if at := v.Connection.Retry; !at.IsZero() && !at.Equal(retry) {
			retry = at
			soon = time.After(time.Duration(rnd.Int64N(int64(120 * time.Millisecond)))) // the client waits longer
		}
		for waiting := true; waiting; {
			select {
			case <-soon:
				m.client.Reconnect()
			case <-next:
				waiting = false
			case <-ctx.Done():
				return
			}
		}
	}
}

// look says what is not as it must be at any time.
func (m *member) look(v *ahpclient.View) {
	for uri, c := range v.Channels {
		if len(c.Pending) == 0 && c.State != c.Confirmed {
			m.world.complain("client %d shows another state of %s than what is confirmed, and nothing is pending", m.index, uri)
		}
		for _, ticket := range c.Pending {
			typ := ticket.Action.ActionType()
			if o, settled := ticket.Outcome(); settled && m.client.View() == v { // else it was settled after this view
				m.world.complain("client %d: %s on %s is pending and %s", m.index, typ, uri, o.Kind)
			}
			if v.Connection.Phase == ahpclient.Connected && ticket.At.Before(v.Connection.Since) {
				m.world.complain("client %d: %s on %s is pending since before the connection", m.index, typ, uri)
			}
		}
	}
}

// someChat is a chat of a session as a client sees it, or the one given.
func someChat(rnd *rand.Rand, s *protocol.SessionState, otherwise protocol.URI) protocol.URI {
	if s == nil || len(s.Chats) == 0 {
		return otherwise
	}
	return s.Chats[rnd.IntN(len(s.Chats))].Resource
}

// act dispatches an action that follows from the step and from what the client sees.
func (m *member) act(st step, serial int) {
	v, w := m.client.View(), m.world
	rnd := rand.New(rand.NewPCG(w.script.seed, uint64(serial)<<16|uint64(st.n)))
	c := w.at(st.place)
	if c.kind == protocol.ChatKind && rnd.IntN(4) == 0 {
		c.uri = someChat(rnd, v.Session(sessionURI(st.place.session)), c.uri)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var a protocol.Action
	switch {
	case rnd.IntN(40) == 0:
		c.uri, a = protocol.RootChannel, &protocol.RootConfigChanged{Config: configuration(rnd)}
	case c.kind == protocol.SessionKind:
		a = sessionAction(rnd, v.Connection.Version, m.client.ClientID(), serial, v.Session(c.uri))
	case c.kind == protocol.AnnotationsKind:
		a = annotationsAction(rnd, serial)
	default:
		a = chatAction(rnd, v.Connection.Version, serial, v.Chat(c.uri))
	}
	ticket, err := m.client.Dispatch(c.uri, a)
	if err == nil || errors.Is(err, jsonrpc.ErrClosed) {
		m.seq++ // a number that was not sent is used up, too
	}
	if err == nil {
		origin := protocol.ActionOrigin{ClientID: m.client.ClientID(), ClientSeq: m.seq}
		s := sent{ticket: ticket, origin: origin, open: v.Channels[c.uri] != nil}
		if slices.ContainsFunc(w.channels(), func(known channel) bool { return known.uri == c.uri }) {
			s.probe = w.observer
		}
		m.sent = append(m.sent, s)
	}
}

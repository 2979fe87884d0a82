package converge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"ahptui/host"
	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

// do does one step.
func (w *world) do(ctx context.Context, st step, serial int) {
	m := w.members[st.member]
	c := w.at(st.place)
	switch st.do {
	case act:
		m.act(st, serial)
	case open:
		if c.kind == protocol.ChatKind && st.n%2 == 0 {
			rnd := rand.New(rand.NewPCG(w.script.seed, uint64(serial)))
			m.client.Open(someChat(rnd, m.client.View().Session(sessionURI(st.place.session)), c.uri), c.kind)
			break
		}
		m.open(c.uri, c.kind)
	case closing:
		m.client.Close(c.uri)
		w.mu.Lock()
		delete(m.wants, c.uri)
		m.faulty = true // what becomes of actions on it is not to be known
		if st.n%2 == 0 {
			w.timers = append(w.timers, time.AfterFunc(st.d, func() { m.open(c.uri, c.kind) }))
		}
		w.mu.Unlock()
	case refresh:
		m.client.Refresh(c.uri)
	case create:
		w.create(ctx, m)
	case chat, unchat, fetch:
		w.doToChats(ctx, m, st, serial)
	case dispose:
		w.dispose(ctx, m, st.place.session)
		if st.n%2 == 0 {
			w.mu.Lock()
			w.later(st.d, func() { w.add(st.place.session) })
			w.mu.Unlock()
		}
	case rude, add, begin, restart:
		w.doToHost(st, serial)
	default:
		w.disturb(m, st)
	}
}

// create makes a session that only its creator knows.
func (w *world) create(ctx context.Context, m *member) {
	w.work.Go(func() {
		before := w.hostNow()
		uri, err := m.client.CreateSession(ctx, "", "file:///new")
		w.mu.Lock()
		defer w.mu.Unlock()
		if err == nil && before == w.host {
			m.wants[uri] = true
		}
	})
}

// doToChats makes, takes away or reads on in a chat.
func (w *world) doToChats(ctx context.Context, m *member, st step, serial int) {
	rnd := rand.New(rand.NewPCG(w.script.seed, uint64(serial)))
	s, v := sessionURI(st.place.session), m.client.View()
	one := someChat(rnd, v.Session(s), chatURI(st.place.session))
	turns := newSeen(v.Chat(one)).turns
	w.work.Go(func() {
		// That one of these fails is for the host to say.
		switch st.do {
		case chat:
			p := &protocol.CreateChatParams{Channel: s}
			if kind := pick(rnd, "", protocol.SourceFork, protocol.SourceSideChat); kind != "" {
				p.Source = &protocol.ChatSource{Kind: kind, Chat: one, TurnID: pick(rnd, turns...)}
			}
			_, _ = m.client.CreateChat(ctx, p)
		case unchat:
			if one != chatURI(st.place.session) {
				_ = m.client.DisposeChat(ctx, one)
			}
		case fetch:
			_, _ = m.client.FetchTurns(ctx, one)
		}
	})
}

func (w *world) hostNow() *host.Host {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.host
}

func (w *world) dispose(ctx context.Context, m *member, i int) {
	w.mu.Lock()
	for _, m := range w.members {
		m.faulty = true
	}
	w.maybeGone(i)
	w.mu.Unlock()
	w.work.Go(func() {
		_ = m.client.Call(ctx, "disposeSession", &protocol.ChannelParams{Channel: sessionURI(i)}, nil) // it may be gone
	})
}

// doToHost is a step that concerns the host, if one is up.
func (w *world) doToHost(st step, serial int) {
	if st.do == restart {
		w.fall(st.n%4 > 0, st.n%8 > 2, st.d)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.host == nil {
		return
	}
	c := w.at(st.place)
	switch st.do {
	case rude:
		list := rudeActions()
		action := list[st.n%len(list)]
		_ = w.observer.peer.Notify("dispatchAction", &protocol.DispatchActionParams{Channel: c.uri, ClientSeq: int64(serial), Action: protocol.Raw(action)})
	case add:
		w.add(st.place.session)
	case begin:
		text := fmt.Sprint("plan ", st.n)
		if st.n%8 == 0 {
			text = flood
		}
		w.host.StartTurn(sessionURI(st.place.session), text)
	}
}

// add makes a session that the host does not have, any more.
func (w *world) add(i int) {
	if w.host == nil || w.observer.subscribe(sessionURI(i)) != nil {
		return
	}
	w.host.AddSession(w.fresh(i))
	w.maybeGone(i)
	w.observer.subscribe(sessionURI(i))
	w.observer.subscribe(chatURI(i))
	w.observer.subscribe(annotationsURI(i))
}

// maybeGone notes that a session comes and goes.
func (w *world) maybeGone(i int) {
	for _, uri := range []protocol.URI{sessionURI(i), chatURI(i), annotationsURI(i)} {
		w.disposed[uri] = true
	}
}

// disturb does something to a member's network.
func (w *world) disturb(m *member, st step) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m.faulty = true
	switch line, end, from := m.line, m.end, testwire.End(st.n%2); {
	case st.do == away:
		m.offline = true
		w.later(st.d, func() { m.offline = false })
		if line != nil {
			line.Break(st.n%2 == 0, st.n%3 == 0)
		}
	case line == nil: // it was never up
	case st.do == hold:
		end.hold()
		w.later(st.d, func() { w.work.Go(end.release) })
	case st.do == stall:
		line.Stall(from)
		w.later(st.d, func() { line.Resume(from) })
	case st.do == cut:
		line.Break(st.n&2 == 0, st.n&4 == 0)
	case st.do == cutIn:
		line.BreakAfter(testwire.End(st.d&1), st.n, st.d&2 == 0, st.d&4 == 0)
	}
}

// later does something in a while, under the lock.
func (w *world) later(d time.Duration, f func()) {
	w.timers = append(w.timers, time.AfterFunc(d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		f()
	}))
}

// heal ends everything that disturbs.
func (w *world) heal() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.timers {
		t.Stop()
	}
	w.timers = nil
	w.rise()
	for _, l := range w.lines {
		l.Heal() // what was sent long ago may arrive now
	}
	for _, m := range w.members {
		m.offline = false
		if m.end != nil {
			w.work.Go(m.end.release)
		}
	}
}

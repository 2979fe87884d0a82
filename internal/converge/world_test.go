package converge

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/internal/secret"
	"ahptui/internal/testkit"
	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

// channel is a channel of the world, with its kind.
type channel struct {
	uri  protocol.URI
	kind protocol.ChannelKind
}

// world is a host, one after another, and its clients.
type world struct {
	t       *testing.T
	script  *script
	sockets bool          // real ones, and real time
	pace    time.Duration // a beat of what takes time
	servers func() []host.ServerSpec
	members []*member
	judge   *testwire.Judge
	work    sync.WaitGroup // everything that runs until the end

	mu       sync.Mutex
	host     *host.Host         // nil: none is up
	url      string             // where it listens
	versions []protocol.Version // that it speaks, highest first
	observer *probe             // of this host, or the last
	hosts    int
	saved    []host.SessionSpec // what the next host begins with
	revive   *time.Timer
	lines    []line
	disposed map[protocol.URI]bool // they have come and gone, or may do so at any time
	timers   []*time.Timer
	problems []string
}

// sessionURI and chatURI name the two sessions that are there from the start.
func sessionURI(i int) protocol.URI { return protocol.URI(fmt.Sprint("ahp-session:/", i)) }
func chatURI(i int) protocol.URI    { return protocol.URI(fmt.Sprint("ahp-chat:/", i)) }

func annotationsURI(i int) protocol.URI { return sessionURI(i) + "/annotations" }

const sessions = 2

func (w *world) channels() []channel {
	var list []channel
	for i := range sessions {
		list = append(list, channel{sessionURI(i), protocol.SessionKind}, channel{chatURI(i), protocol.ChatKind},
			channel{annotationsURI(i), protocol.AnnotationsKind})
	}
	return list
}

func (w *world) at(p place) channel {
	switch p.kind {
	case protocol.SessionKind:
		return channel{sessionURI(p.session), p.kind}
	case protocol.AnnotationsKind:
		return channel{annotationsURI(p.session), p.kind}
	}
	return channel{chatURI(p.session), p.kind}
}

// fresh describes a session as it is in the beginning.
func (w *world) fresh(i int) host.SessionSpec {
	return host.SessionSpec{URI: sessionURI(i), Chat: chatURI(i), Provider: "test", Title: fmt.Sprint("session ", i), Directory: "file:///w", Servers: w.servers()}
}

// raise puts up a host with sessions. The world's lock is held, or nobody else is there yet.
func (w *world) raise(specs []host.SessionSpec) {
	w.hosts++
	w.versions = w.spoken()
	h := host.New(host.Options{Versions: w.versions, Info: protocol.Implementation{Name: fmt.Sprint("host ", w.hosts)}})
	yes := true
	h.AddAgent(&protocol.AgentInfo{
		Provider: "test", DisplayName: "Test", Models: []*protocol.SessionModelInfo{},
		Capabilities: &protocol.AgentCapabilities{MultipleChats: &protocol.MultipleChats{Fork: &yes, SideChat: &yes}},
	}, agent{w.pace})
	uris := []protocol.URI{protocol.RootChannel}
	for _, spec := range specs {
		h.AddSession(spec)
		uris = append(uris, spec.URI, spec.Chat, spec.URI+"/annotations")
	}
	if w.sockets {
		var err error
		if w.url, err = h.Listen("127.0.0.1:0", secret.Value{}); err != nil {
			w.t.Errorf("listen: %v", err)
		}
	}
	w.host = h
	w.observer, _ = attach(w.t, h, fmt.Sprint("observer ", w.hosts), w.versions[0], uris...)
}

// spoken are the versions of the next host, which may be another program than the last: all that some client cannot do
// without, and some of the others.
func (w *world) spoken() []protocol.Version {
	rnd := rand.New(rand.NewPCG(w.script.seed, 0xbee+uint64(w.hosts)))
	var list []protocol.Version
	for _, v := range host.Versions() {
		wanted := slices.ContainsFunc(w.script.members, func(m memberSpec) bool { return m.version == v })
		if wanted || rnd.IntN(2) == 0 {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return host.Versions()
	}
	return list
}

// fall takes the host down for a while. What is known of its sessions is kept for the next one, or is not.
func (w *world) fall(keep, noticed bool, pause time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.host == nil {
		return
	}
	w.saved = nil
	if keep {
		w.saved = w.save()
	}
	for _, l := range w.lines {
		l.Break(noticed, true)
	}
	w.lines = nil
	for _, m := range w.members {
		m.faulty = true
		for uri := range m.wants {
			if !keep || !slices.ContainsFunc(w.channels(), func(c channel) bool { return c.uri == uri }) {
				delete(m.wants, uri)
			}
		}
	}
	old, seen := w.host, w.observer
	w.host = nil
	w.work.Go(func() {
		seen.close()
		w.closeHost(old)
	})
	w.revive = time.AfterFunc(pause, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.rise()
	})
}

// rise puts up the next host, if none is up.
func (w *world) rise() {
	if w.host == nil {
		w.revive.Stop()
		w.raise(w.saved)
	}
}

func (w *world) closeHost(h *host.Host) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		w.t.Errorf("the host does not end: %v", err)
	}
}

// save describes the sessions as they are, as a host would that keeps them on disk: turns that run are lost.
func (w *world) save() []host.SessionSpec {
	var specs []host.SessionSpec
	for i := range sessions {
		spec := w.fresh(i)
		s, ok := decode(w.t, protocol.SessionKind, w.observer.subscribe(spec.URI)).(*protocol.SessionState)
		c, alsoOK := decode(w.t, protocol.ChatKind, w.observer.subscribe(spec.Chat)).(*protocol.ChatState)
		if ok && alsoOK {
			spec.Title, spec.Turns, spec.Read = s.Title, c.Turns, s.Status.Read()
			for _, turn := range spec.Turns {
				renew(turn)
			}
			specs = append(specs, spec)
		}
	}
	return specs
}

// renew gives a turn the form of 0.9: the host may have spoken older versions only.
func renew(t *protocol.Turn) {
	if t.Error != nil {
		t.ResponseParts = append(t.ResponseParts, &protocol.ResponsePart{Kind: protocol.PartError, Error: t.Error})
		t.Error = nil
	}
}

func decode(t *testing.T, kind protocol.ChannelKind, snap *protocol.Snapshot) protocol.ChannelState {
	if snap == nil {
		return nil
	}
	state, err := protocol.DecodeState(kind, snap.State)
	if err != nil {
		t.Errorf("the host's state of %s: %v", snap.Resource, err)
	}
	return state
}

// play does everything that the script says.
func (w *world) play(ctx context.Context) (problems []string) {
	w.raise([]host.SessionSpec{w.fresh(0), w.fresh(1)})
	for i, spec := range w.script.members {
		w.members = append(w.members, newMember(w, i, spec))
	}
	for _, m := range w.members {
		m.run(ctx)
	}
	serial := 0
	for _, round := range w.script.rounds {
		for _, st := range round {
			serial++
			if !w.sockets {
				letPass(st.after)
			}
			w.do(ctx, st, serial)
		}
		w.heal()
		if problems = w.settle(); len(problems) > 0 {
			return problems
		}
	}
	return nil
}

// quiet is longer than anything takes that is under way when the network is well again: to find out that a connection
// is dead, to reconnect, and to give up what was not answered.
const quiet = 2 * time.Minute

// letPass lets virtual time pass.
func letPass(d time.Duration) { <-time.After(d) }

// settle waits until it is quiet, and says what is not as it must be then.
func (w *world) settle() []string {
	if w.sockets {
		return w.settleSoon()
	}
	letPass(quiet)
	for range 20 {
		if w.atRest() {
			break
		}
		letPass(quiet / 4)
	}
	letPass(quiet / 20) // for what is still under way
	return w.check()
}

// settleSoon looks again and again, because real time takes no longer than it has to.
func (w *world) settleSoon() (problems []string) {
	deadline := time.NewTimer(testkit.Patience)
	defer deadline.Stop()
	for {
		rest := w.atRest()
		if problems = w.check(); rest && len(problems) == 0 {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-deadline.C:
			return append(problems, fmt.Sprintf("that was not so within %v, at rest: %t", testkit.Patience, rest))
		}
	}
}

// atRest reports whether the host does nothing any more: no turn runs, and its servers are what they are meant to be.
func (w *world) atRest() bool {
	for i := range sessions {
		s, _ := decode(w.t, protocol.SessionKind, w.observer.subscribe(sessionURI(i))).(*protocol.SessionState)
		c, _ := decode(w.t, protocol.ChatKind, w.observer.subscribe(chatURI(i))).(*protocol.ChatState)
		if s == nil || c == nil {
			continue
		}
		if c.ActiveTurn != nil {
			return false
		}
		for _, server := range protocol.Servers(s) {
			if server.StateKind() == protocol.McpStarting || !server.Effective() && server.StateKind() != protocol.McpStopped {
				return false
			}
		}
	}
	return true
}

// end ends everything, and waits for it.
func (w *world) end() {
	w.mu.Lock()
	for _, t := range w.timers {
		t.Stop()
	}
	for _, l := range w.lines {
		l.Break(true, true)
	}
	h, seen := w.host, w.observer
	w.mu.Unlock()
	seen.close()
	if h != nil {
		w.closeHost(h)
	}
	w.work.Wait()
}

func (w *world) complain(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(w.problems, text) {
		w.problems = append(w.problems, text)
	}
}

package ahpclient

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"ahptui/protocol"
)

func mcp(id string, state *protocol.McpServerState) *protocol.Customization {
	return &protocol.Customization{Type: protocol.TypeMcpServer, ID: id, Name: id, State: state}
}

func kind(k protocol.McpStateKind) *protocol.McpServerState { return &protocol.McpServerState{Kind: k} }

func needs(scopes ...string) *protocol.McpServerState {
	return &protocol.McpServerState{
		Kind: protocol.McpAuthRequired, Reason: "required", RequiredScopes: scopes, Resource: &protocol.ProtectedResourceMetadata{Resource: "https://a.example"},
	}
}

func failed(message string) *protocol.McpServerState {
	return &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{ErrorType: "spawn", Message: message}}
}

// past plays what happens to a server "m" of a session, a second after each other.
type past struct {
	state   *protocol.SessionState
	history History
	now     time.Time
}

var (
	us   = Actor{Kind: ByUs}
	anna = Actor{ByClient, "Anna"}
	they = Actor{Kind: ByHost}
)

func newPast(first *protocol.McpServerState) *past {
	p := &past{now: testTime}
	p.snapshot(first)
	return p
}

// snapshot is a fresh state of the session.
func (p *past) snapshot(s *protocol.McpServerState) {
	p.now = p.now.Add(time.Second)
	p.state = &protocol.SessionState{Customizations: []*protocol.Customization{}}
	if s != nil {
		p.state.Customizations = append(p.state.Customizations, mcp("m", s))
	}
	p.history, _ = p.history.Snapshot(p.state, p.now)
}

func (p *past) act(by Actor, a protocol.Action) *past {
	p.now = p.now.Add(time.Second)
	before := p.state
	p.state = protocol.Reduce(protocol.Profile{}, protocol.ChannelState(before), a).(*protocol.SessionState)
	p.history, _ = p.history.Apply(before, p.state, a, by, p.now, false)
	return p
}

func (p *past) says(s *protocol.McpServerState) *past {
	return p.act(they, &protocol.SessionMcpServerStateChanged{ID: "m", State: s})
}

func (p *past) start(by Actor) *past {
	return p.act(by, &protocol.SessionMcpServerStartRequested{ID: "m"})
}

func (p *past) stop(by Actor) *past {
	return p.act(by, &protocol.SessionMcpServerStopRequested{ID: "m"})
}

// words tell a history in short.
func (h *ServerHistory) words() string {
	if h == nil {
		return "nothing"
	}
	var list []string
	for _, e := range h.Events {
		w := string(e.State)
		if e.Asked != "" {
			w += "<" + string(e.Asked)
		}
		if e.Gone {
			w += "gone"
		}
		if e.By.Kind != ByHost {
			w += " by " + string(e.By.Kind) + e.By.Name
		}
		if e.Missed {
			w += "?"
		}
		if e.Attempt > 0 {
			w += fmt.Sprint(" #", e.Attempt)
		}
		if e.Took > 0 {
			w += fmt.Sprint(" in ", e.Took)
		}
		list = append(list, w)
	}
	return fmt.Sprintf("%s | %d begun, %d ready, %d failed, last %v", strings.Join(list, ", "), h.Attempts, h.Succeeded, h.Failed, h.LastStart)
}

func TestHistory(t *testing.T) {
	t.Parallel()
	toggle := func(on bool) protocol.Action {
		return protocol.Toggle(protocol.V1_0_0, mcp("m", nil), on)
	}
	blocking := &protocol.McpServerState{Kind: protocol.McpStarting, Blocking: new(true)}
	for _, tt := range []struct {
		name string
		play func() *past
		want string
	}{
		{"as it is found", func() *past { return newPast(kind(protocol.McpReady)) }, "ready? | 0 begun, 0 ready, 0 failed, last 0s"},
		{"found starting: how long it takes is not known", func() *past {
			return newPast(kind(protocol.McpStarting)).says(kind(protocol.McpReady))
		}, "starting? #1, ready #1 | 1 begun, 1 ready, 0 failed, last 0s"},
		{"our start", func() *past {
			return newPast(kind(protocol.McpStopped)).start(us).says(kind(protocol.McpStarting)).says(kind(protocol.McpReady))
		}, "stopped?, starting<start by us #1, ready #1 in 2s | 1 begun, 1 ready, 0 failed, last 2s"},
		{"a request in an attempt that has not ended opens no other", func() *past {
			return newPast(kind(protocol.McpStopped)).start(us).start(anna).says(failed("no")).start(us)
		}, "stopped?, starting<start by us #1, <start by clientAnna #1, error #1 in 2s, starting<start by us #2 | 2 begun, 0 ready, 1 failed, last 0s"},
		{"a restart", func() *past {
			return newPast(kind(protocol.McpReady)).start(us).says(kind(protocol.McpReady))
		}, "ready?, starting<start by us #1, ready #1 in 1s | 1 begun, 1 ready, 0 failed, last 1s"},
		{"the host restarts it by itself", func() *past {
			return newPast(kind(protocol.McpReady)).says(kind(protocol.McpStarting)).says(failed("died"))
		}, "ready?, starting #1, error #1 in 1s | 1 begun, 0 ready, 1 failed, last 0s"},
		{"a sign-in is waited for, which is not the server's time", func() *past {
			p := newPast(kind(protocol.McpStopped)).start(us).says(needs("a"))
			p.now = p.now.Add(time.Hour)
			return p.says(kind(protocol.McpStarting)).says(kind(protocol.McpReady))
		}, "stopped?, starting<start by us #1, authRequired #1, starting #1, ready #1 in 2s | 1 begun, 1 ready, 0 failed, last 2s"},
		{"more is asked for while it runs: that is no attempt", func() *past {
			return newPast(kind(protocol.McpReady)).says(needs("a")).says(needs("a", "b")).says(needs("a", "b")).says(kind(protocol.McpReady))
		}, "ready?, authRequired, authRequired, ready | 0 begun, 0 ready, 0 failed, last 0s"},
		{"an attempt that is stopped has neither succeeded nor failed", func() *past {
			return newPast(kind(protocol.McpStopped)).start(us).stop(anna)
		}, "stopped?, starting<start by us #1, stopped<stop by clientAnna #1 | 1 begun, 0 ready, 0 failed, last 0s"},
		{"what is asked for and is so already", func() *past {
			return newPast(kind(protocol.McpStopped)).stop(us)
		}, "stopped?, <stop by us | 0 begun, 0 ready, 0 failed, last 0s"},
		{"switched off and on", func() *past {
			return newPast(kind(protocol.McpReady)).act(us, toggle(false)).says(kind(protocol.McpStopped)).act(anna, toggle(true))
		}, "ready?, <disable by us, stopped, <enable by clientAnna | 0 begun, 0 ready, 0 failed, last 0s"},
		{"gone on without it", func() *past {
			return newPast(blocking).act(us, &protocol.SessionMcpServerBackgroundRequested{ID: "m"})
		}, "starting? #1, <background by us #1 | 1 begun, 0 ready, 0 failed, last 0s"},
		{"the same snapshot again says nothing new", func() *past {
			p := newPast(needs("a"))
			p.snapshot(needs("a"))
			return p
		}, "authRequired? | 0 begun, 0 ready, 0 failed, last 0s"},
		{"a snapshot with something else", func() *past {
			p := newPast(kind(protocol.McpStarting))
			p.snapshot(failed("no"))
			p.snapshot(failed("still not"))
			return p
		}, "starting? #1, error? #1, error? | 1 begun, 0 ready, 1 failed, last 0s"},
		{"gone, and there again", func() *past {
			p := newPast(kind(protocol.McpReady)).act(they, &protocol.SessionCustomizationRemoved{ID: "m"})
			p.snapshot(nil)
			p.snapshot(kind(protocol.McpReady))
			return p
		}, "ready?, gone, ready? | 0 begun, 0 ready, 0 failed, last 0s"},
		{"by an update of the whole entry", func() *past {
			return newPast(kind(protocol.McpReady)).act(they, &protocol.SessionCustomizationUpdated{Customization: mcp("m", failed("x"))})
		}, "ready?, error | 0 begun, 0 ready, 0 failed, last 0s"},
		{
			"no state at all", func() *past {
				return newPast(nil).act(they, &protocol.SessionCustomizationUpdated{Customization: mcp("m", nil)})
			},
			"unknown | 0 begun, 0 ready, 0 failed, last 0s",
		},
		{"what is about nothing here", func() *past {
			return newPast(nil).start(us).act(they, &protocol.SessionTitleChanged{Title: "x"})
		}, "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.play().history.Server("m").words(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestHistorySummary: what follows from the list.
func TestHistorySummary(t *testing.T) {
	t.Parallel()
	p := newPast(kind(protocol.McpStopped)).start(us).says(failed("refused"))
	h := p.history.Server("m")
	if e, ok := h.CurrentProblem(); !ok || e.Message != "refused" || h.Problem.Message != "refused" {
		t.Errorf("%+v, %t; %+v", e, ok, h.Problem)
	}
	if _, ok := h.ReadySince(); ok {
		t.Error("it is ready")
	}
	p.start(us)
	if since, missed, ok := p.history.Server("m").Starting(); !ok || missed || !since.Equal(p.now) {
		t.Errorf("%v, %t, %t", since, missed, ok)
	}
	p.says(kind(protocol.McpReady))
	h = p.history.Server("m")
	if since, ok := h.ReadySince(); !ok || !since.Equal(p.now) {
		t.Errorf("%v, %t", since, ok)
	}
	if _, ok := h.CurrentProblem(); ok || h.Problem.Message != "refused" {
		t.Errorf("%t; the last problem is %+v", ok, h.Problem)
	}
	if _, _, ok := h.Starting(); ok {
		t.Error("it is still starting")
	}
}

// TestHistoryBounds: a host cannot make it grow without end, and what it says is
// cut and not held on to.
func TestHistoryBounds(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 10_000)
	p := newPast(kind(protocol.McpStopped))
	for i := range 1000 {
		p.says(failed(fmt.Sprint(i, long)))
	}
	h := p.history.Server("m")
	if len(h.Events) != maxServerEvents || h.Forgotten != 1001-maxServerEvents || len(h.Events[0].Message) > maxEventText+len("…") {
		t.Errorf("%d events, %d forgotten", len(h.Events), h.Forgotten)
	}
	for range 3 * maxServerEvents { // these change nothing
		p.act(us, protocol.Toggle(protocol.V1_0_0, mcp("m", nil), true))
	}
	if last, ok := p.history.Server("m").Last(); !ok || !strings.HasPrefix(last.Message, "999") || len(p.history.Server("m").Events) > maxServerEvents {
		t.Errorf("%t, %+v", ok, last)
	}
	var many []*protocol.Customization
	for i := range 2 * maxServers {
		many = append(many, mcp(fmt.Sprint(i), kind(protocol.McpReady)))
	}
	history, _ := History{}.Snapshot(&protocol.SessionState{Customizations: many}, testTime)
	if len(history.servers) > maxServers {
		t.Errorf("%d servers", len(history.servers))
	}
	var kept histories
	for i := range 3 * maxHistories {
		kept.keep(protocol.URI(fmt.Sprint(i)), history)
	}
	if len(kept) != maxHistories || kept.take("0").servers != nil || kept.take(protocol.URI(fmt.Sprint(3*maxHistories-1))).servers == nil || len(kept) != maxHistories-1 {
		t.Errorf("%d sessions", len(kept))
	}
}

// TestHistoryInStore: who did what, over a reconnect and a close.
func TestHistoryInStore(t *testing.T) {
	t.Parallel()
	s := newStore("me", limits, testTime)
	s.open(sessionURI, protocol.SessionKind)
	s.install(serversAt(5, kind(protocol.McpReady)), testTime)
	told := func() string { return s.view(testTime).Channels[sessionURI].History.Server("m0").words() }
	stop := &protocol.SessionMcpServerStopRequested{ID: "m0"}
	from := func(client string, seq int64, a protocol.Action) *protocol.Envelope {
		return &protocol.Envelope{Channel: sessionURI, ServerSeq: seq, Action: a, Origin: &protocol.ActionOrigin{ClientID: client, ClientSeq: 1}}
	}
	s.dispatch(sessionURI, stop, testTime, time.Second)
	if got := told(); got != "ready? | 0 begun, 0 ready, 0 failed, last 0s" {
		t.Errorf("before the host has confirmed it: %s", got)
	}
	s.apply(from("me", 6, stop), testTime)
	s.apply(from("anna", 7, &protocol.SessionMcpServerStartRequested{ID: "m0"}), testTime)
	s.apply(from("me", 8, stop), testTime)
	s.apply(from("stranger", 9, stop), testTime)
	s.disconnected()
	s.replay(&protocol.ReconnectResult{Actions: []*protocol.Envelope{
		from("anna", 10, &protocol.SessionMcpServerStartRequested{ID: "m0"}),
	}}, []protocol.URI{sessionURI}, testTime)
	s.apply(&protocol.Envelope{Channel: sessionURI, ServerSeq: 11, Action: &protocol.SessionMcpServerStateChanged{ID: "m0", State: kind(protocol.McpReady)}}, testTime)
	s.close(sessionURI)
	s.open(sessionURI, protocol.SessionKind)
	s.install(serversAt(20, failed("died")), testTime)
	want := "ready?, stopped<stop by us, starting<start by clientAnna #1, stopped<stop by us #1, <stop by client, " +
		"starting<start by clientAnna? #2, ready #2, error? | 2 begun, 1 ready, 0 failed, last 0s"
	if got := told(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestHistoryIsDated: whatever the host does to a server by itself has its time, at
// every version.
func TestHistoryIsDated(t *testing.T) {
	t.Parallel()
	for _, version := range []protocol.Version{protocol.V0_8_0, protocol.V0_9_0, protocol.V1_0_0} {
		synctest.Test(t, func(t *testing.T) {
			h := newTestHost(t)
			h.version = version
			c := h.opened(Options{})
			for _, action := range []string{
				`{"type":"session/mcpServerStateChanged","id":"m","state":{"kind":"starting"}}`,
				`{"type":"session/customizationUpdated","customization":{"type":"mcpServer","id":"m","name":"m","state":{"kind":"ready"}}}`,
				`{"type":"session/mcpServerStartRequested","id":"m"}`,
				`{"type":"session/customizationsChanged","customizations":[{"type":"mcpServer","id":"m","name":"m","state":{"kind":"ready"}}]}`,
				`{"type":"session/mcpServerStopRequested","id":"m"}`,
				`{"type":"session/customizationRemoved","id":"m"}`,
			} {
				sleep(time.Second)
				h.act(sessionURI, action)
				synctest.Wait()
				events := c.View().Channels[sessionURI].History.Server("m").Events
				if last := events[len(events)-1]; !last.At.Equal(time.Now()) {
					t.Errorf("%s at %s: %v, want %v", action, version, last.At, time.Now())
				}
			}
		})
	}
}

// TestHistoryFollowsState: whatever happens in whatever order, the history of a
// server ends in the state that it is in, is no longer than it may be, counts
// what adds up, and never changes what was published.
func TestHistoryFollowsState(t *testing.T) {
	t.Parallel()
	kinds := []protocol.McpStateKind{protocol.McpStarting, protocol.McpReady, protocol.McpAuthRequired, protocol.McpError, protocol.McpStopped, "odd", ""}
	state := rapid.Custom(func(t *rapid.T) *protocol.McpServerState {
		switch k := rapid.SampledFrom(kinds).Draw(t, "kind"); k {
		case protocol.McpAuthRequired:
			return needs(rapid.SampledFrom([]string{"a", "b"}).Draw(t, "scope"))
		case protocol.McpError:
			return failed(rapid.SampledFrom([]string{"x", "y"}).Draw(t, "message"))
		case "":
			return nil
		default:
			return kind(k)
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		s := newStore("me", limits, testTime)
		s.open(sessionURI, protocol.SessionKind)
		now, seq := testTime, int64(5)
		states := rapid.SliceOfN(state, 0, 3)
		s.install(serversAt(seq, states.Draw(t, "first")...), now)
		type published struct {
			h    *ServerHistory
			copy ServerHistory
		}
		var seen []published
		for range rapid.IntRange(0, 120).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond)
			step := rapid.IntRange(0, 9).Draw(t, "step")
			e := &protocol.Envelope{Channel: sessionURI, Action: anyAction(t, state)}
			if by := rapid.SampledFrom([]string{"", "me", "anna"}).Draw(t, "by"); by != "" {
				e.Origin = &protocol.ActionOrigin{ClientID: by, ClientSeq: 99}
			}
			switch c := s.channels[sessionURI]; {
			case step < 7 && !c.stale:
				seq++
				e.ServerSeq = seq
				s.apply(e, now)
			case step == 7 && c.stale && c.whole:
				seq++
				e.ServerSeq = seq
				s.replay(&protocol.ReconnectResult{Actions: []*protocol.Envelope{e}}, []protocol.URI{sessionURI}, now)
			case step == 8:
				s.disconnected()
			default:
				seq++
				s.rebase(seq, []decoded{serversAt(seq, states.Draw(t, "snapshot")...)}, now)
			}
			c := s.channels[sessionURI]
			for _, srv := range protocol.Servers(c.session()) {
				h := c.history.Server(srv.ID)
				last, ok := h.Last()
				want := srv.StateKind()
				if want == "" {
					want = unknownState
				}
				if !ok || last.State != want || h.gone() {
					t.Fatalf("%s is %s, its history: %s", srv.ID, want, h.words())
				}
				if len(h.Events) > maxServerEvents || h.Succeeded+h.Failed > h.Attempts || h.Attempts > h.Forgotten+len(h.Events) {
					t.Fatalf("does not add up: %d events, %s", len(h.Events), h.words())
				}
				if !slices.IsSortedFunc(h.Events, func(a, b ServerEvent) int { return a.At.Compare(b.At) }) {
					t.Fatalf("out of order: %s", h.words())
				}
				own := *h
				own.Events = slices.Clone(h.Events)
				seen = append(seen, published{h, own})
			}
		}
		for _, p := range seen {
			if !reflect.DeepEqual(*p.h, p.copy) {
				t.Fatal("what was published has changed")
			}
		}
	})
}

// serversAt is a session with servers in these states, as of a number.
func serversAt(fromSeq int64, states ...*protocol.McpServerState) decoded {
	session := &protocol.SessionState{
		Chats: []*protocol.ChatSummary{}, ActiveClients: []*protocol.SessionActiveClient{{ClientID: "anna", DisplayName: "Anna"}},
	}
	for i, s := range states {
		session.Customizations = append(session.Customizations, mcp(fmt.Sprint("m", i), s))
	}
	return decoded{uri: sessionURI, kind: protocol.SessionKind, state: session, fromSeq: fromSeq}
}

// anyAction is something that may happen to a server, or to something else.
func anyAction(t *rapid.T, state *rapid.Generator[*protocol.McpServerState]) protocol.Action {
	id := fmt.Sprint("m", rapid.IntRange(0, 3).Draw(t, "server"))
	switch rapid.IntRange(0, 8).Draw(t, "action") {
	case 0:
		return &protocol.SessionMcpServerStartRequested{ID: id}
	case 1:
		return &protocol.SessionMcpServerStopRequested{ID: id}
	case 2:
		return &protocol.SessionMcpServerBackgroundRequested{ID: id}
	case 3:
		return protocol.Toggle(protocol.V1_0_0, mcp(id, nil), rapid.Bool().Draw(t, "on"))
	case 4:
		return &protocol.SessionCustomizationUpdated{Customization: mcp(id, state.Draw(t, "state"))}
	case 5:
		return &protocol.SessionCustomizationRemoved{ID: id}
	case 6:
		return retitle("x")
	}
	if s := state.Draw(t, "state"); s != nil {
		return &protocol.SessionMcpServerStateChanged{ID: id, State: s}
	}
	return retitle("y")
}

package tui

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
)

// began is when things in the tests begin.
var began = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// The channels of the fake host.
const (
	sessionA = protocol.URI("copilot:/a")
	sessionB = protocol.URI("copilot:/b")
	sessionC = protocol.URI("copilot:/c")
	chatA    = protocol.URI("ahp-chat:/a")
	chatB    = protocol.URI("ahp-chat:/b")
)

// fakeHost is a host made of states, and a record of what was asked of it. What
// is dispatched stays pending until the test settles it.
type fakeHost struct {
	mu   sync.Mutex
	next chan struct{}
	now  func() time.Time

	conn     ahpclient.Connection
	root     *protocol.RootState
	listed   bool
	sessions []*protocol.SessionSummary
	states   map[protocol.URI]protocol.ChannelState // of all there are
	open     map[protocol.URI]*fakeChannel
	notices  []ahpclient.Notice
	auth     []ahpclient.Auth
	ages     protocol.Ages
	view     *ahpclient.View

	panels     panelHost
	asked      []*request
	opened     []protocol.URI
	closed     []protocol.URI
	refreshed  []protocol.URI
	reconnects int
	late       bool                                                            // sessions are not up to date yet
	refuse     error                                                           // what Dispatch fails with
	accept     func(ctx context.Context, p *protocol.AuthenticateParams) error // what Authenticate does; nil: it takes any token
	fetch      func(ctx context.Context, chat protocol.URI) error
	mcp        func(ctx context.Context, channel protocol.URI, method string, params, result any) error
	complete   func(ctx context.Context, text string, cursor int) ([]ahpclient.Completion, error)
	create     func(ctx context.Context, provider string, dir protocol.URI) (protocol.URI, error)
	created    *protocol.CreateSessionParams
	dispose    func(ctx context.Context, session protocol.URI) error
	createChat func(ctx context.Context, p *protocol.CreateChatParams) (protocol.URI, error)
	resolve    func(ctx context.Context, p *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error)
	values     func(ctx context.Context, p *protocol.SessionConfigCompletionsParams) ([]*protocol.SessionConfigValue, error)
	holdReads  bool // that a session was read is not accepted by itself
}

type fakeChannel struct {
	kind    protocol.ChannelKind
	pending []*request
	err     error
	last    *ahpclient.Channel
	history ahpclient.History
	looked  bool // the history has the snapshot
}

// request is something that was dispatched.
type request struct {
	*ahpclient.Ticket
	settle func(ahpclient.Outcome)
}

// newFakeHost is a host with nothing in it.
func newFakeHost(now func() time.Time) *fakeHost {
	return &fakeHost{
		next: make(chan struct{}), now: now, listed: true,
		conn:   ahpclient.Connection{Phase: ahpclient.Connected, Version: protocol.V0_9_0, Host: &protocol.Implementation{Name: "test-host"}, Latency: 12 * time.Millisecond},
		root:   &protocol.RootState{Agents: []*protocol.AgentInfo{{Provider: "copilot", DisplayName: "Copilot"}, {Provider: "other", DisplayName: "Other"}}},
		states: map[protocol.URI]protocol.ChannelState{}, open: map[protocol.URI]*fakeChannel{protocol.RootChannel: {kind: protocol.RootKind}},
	}
}

// change changes the host and publishes it.
func (h *fakeHost) change(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f()
	h.publish()
}

// act reduces the host's own actions.
func (h *fakeHost) act(channel protocol.URI, actions ...protocol.Action) {
	h.actAs(ahpclient.Actor{Kind: ahpclient.ByHost}, channel, actions...)
}

// actAs reduces the actions of somebody else.
func (h *fakeHost) actAs(by ahpclient.Actor, channel protocol.URI, actions ...protocol.Action) {
	h.change(func() {
		for _, a := range actions {
			h.reduce(by, channel, a)
		}
	})
}

func (h *fakeHost) reduce(by ahpclient.Actor, channel protocol.URI, a protocol.Action) {
	before := h.states[channel]
	h.states[channel] = protocol.Reduce(h.profile(), before, a)
	x, ok := before.(*protocol.SessionState)
	y, ok2 := h.states[channel].(*protocol.SessionState)
	if c := h.open[channel]; c != nil && ok && ok2 {
		c.history, _ = c.history.Apply(x, y, a, by, h.now(), false)
	}
}

func (h *fakeHost) profile() protocol.Profile {
	return protocol.ProfileOf(h.conn.Version).At(h.now())
}

func (h *fakeHost) publish() {
	h.view = nil
	close(h.next)
	h.next = make(chan struct{})
}

// Watch makes a view of what there is.
func (h *fakeHost) Watch() (*ahpclient.View, <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.view != nil {
		return h.view, h.next
	}
	v := &ahpclient.View{
		Connection: h.conn, Root: h.root, Sessions: h.sessions, Listed: h.listed, Notices: h.notices, Auth: h.auth,
		Channels: map[protocol.URI]*ahpclient.Channel{},
	}
	for uri, c := range h.open {
		v.Channels[uri] = h.channel(uri, c)
	}
	var keys []string
	for uri, c := range v.Channels {
		if s := v.Session(uri); s != nil && c.Kind == protocol.SessionKind {
			keys = append(keys, protocol.AgeKeys(uri, s, v.Chats(s))...)
		}
	}
	h.ages = h.ages.Observe(h.now(), keys)
	v.Ages = h.ages
	h.view = v
	return v, h.next
}

func (h *fakeHost) channel(uri protocol.URI, c *fakeChannel) *ahpclient.Channel {
	if state, ok := h.states[uri].(*protocol.SessionState); ok && !c.looked {
		c.history, _ = c.history.Snapshot(state, h.now())
		c.looked = true
	}
	ch := &ahpclient.Channel{History: c.history, URI: uri, Kind: c.kind, State: h.states[uri], Confirmed: h.states[uri], Err: c.err, Stale: h.conn.Phase != ahpclient.Connected || h.late && c.kind == protocol.SessionKind}
	if c.err != nil {
		ch.State, ch.Confirmed = nil, nil
	}
	for _, r := range c.pending {
		ch.Pending = append(ch.Pending, r.Ticket)
		if ch.State != nil {
			ch.State = protocol.Reduce(protocol.ProfileOf(h.conn.Version).At(r.At), ch.State, r.Action)
		}
	}
	if last := c.last; last != nil && last.State == ch.State && (last.Err == nil) == (ch.Err == nil) && last.Stale == ch.Stale && slices.Equal(last.Pending, ch.Pending) && reflect.DeepEqual(last.History, ch.History) {
		return last
	}
	c.last = ch
	return ch
}

// Dispatch notes an action as pending.
func (h *fakeHost) Dispatch(channel protocol.URI, a protocol.Action) (*ahpclient.Ticket, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refuse != nil {
		return nil, h.refuse
	}
	r := &request{}
	r.Ticket, r.settle = ahpclient.NewTicket(channel, a, h.now())
	if read, ok := a.(*protocol.SessionIsReadChanged); ok && read.IsRead && !h.holdReads { // the program says so by itself
		h.states[channel] = protocol.Reduce(h.profile(), h.states[channel], a)
		r.settle(ahpclient.Outcome{Kind: ahpclient.Accepted})
		h.publish()
		return r.Ticket, nil
	}
	h.asked = append(h.asked, r)
	if c := h.open[channel]; c != nil {
		c.pending = append(c.pending, r)
	}
	h.publish()
	return r.Ticket, nil
}

// settle ends a request; one that is accepted is reduced.
func (h *fakeHost) settle(r *request, o ahpclient.Outcome) {
	h.change(func() {
		if c := h.open[r.Channel]; c != nil {
			c.pending = slices.DeleteFunc(slices.Clone(c.pending), func(p *request) bool { return p == r })
		}
		if o.Kind == ahpclient.Accepted {
			h.reduce(ahpclient.Actor{Kind: ahpclient.ByUs}, r.Channel, r.Action)
		}
		r.settle(o)
	})
}

// last is what was asked last.
func (h *fakeHost) last() *request {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.asked) == 0 {
		return nil
	}
	return h.asked[len(h.asked)-1]
}

func (h *fakeHost) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.asked)
}

// Open subscribes at once, if there is such a channel.
func (h *fakeHost) Open(uri protocol.URI, kind protocol.ChannelKind) {
	h.change(func() {
		h.opened = append(h.opened, uri)
		if h.open[uri] == nil {
			h.open[uri] = &fakeChannel{kind: kind}
		}
	})
}

// Close ends a subscription.
func (h *fakeHost) Close(uri protocol.URI) {
	h.change(func() {
		h.closed = append(h.closed, uri)
		delete(h.open, uri)
	})
}

// Refresh is noted.
func (h *fakeHost) Refresh(uri protocol.URI) { h.refreshed = append(h.refreshed, uri) }

// Reconnect is noted.
func (h *fakeHost) Reconnect() { h.reconnects++ }

// FetchTurns does what the test says.
func (h *fakeHost) FetchTurns(ctx context.Context, chat protocol.URI) (bool, error) {
	h.mu.Lock()
	fetch := h.fetch
	h.mu.Unlock()
	if fetch == nil {
		return false, nil
	}
	return false, fetch(ctx, chat)
}

// CreateSessionWith does what the test says.
func (h *fakeHost) CreateSessionWith(ctx context.Context, p *protocol.CreateSessionParams) (protocol.URI, error) {
	h.mu.Lock()
	h.created = p
	h.mu.Unlock()
	return h.create(ctx, p.Provider, p.WorkingDirectory)
}

// DisposeSession does what the test says.
func (h *fakeHost) DisposeSession(ctx context.Context, session protocol.URI) error {
	return h.dispose(ctx, session)
}

// CreateChat does what the test says.
func (h *fakeHost) CreateChat(ctx context.Context, p *protocol.CreateChatParams) (protocol.URI, error) {
	return h.createChat(ctx, p)
}

// ResolveSessionConfig does what the test says; the host offers nothing where it says nothing.
func (h *fakeHost) ResolveSessionConfig(ctx context.Context, p *protocol.ResolveSessionConfigParams) (*protocol.ResolveSessionConfigResult, error) {
	if h.resolve == nil {
		return &protocol.ResolveSessionConfigResult{}, nil
	}
	return h.resolve(ctx, p)
}

// SessionConfigCompletions does what the test says.
func (h *fakeHost) SessionConfigCompletions(ctx context.Context, p *protocol.SessionConfigCompletionsParams) ([]*protocol.SessionConfigValue, error) {
	return h.values(ctx, p)
}

// Completions does what the test says.
func (h *fakeHost) Completions(ctx context.Context, _ protocol.URI, text string, cursor int) ([]ahpclient.Completion, error) {
	h.mu.Lock()
	complete := h.complete
	h.mu.Unlock()
	if complete == nil {
		return nil, nil
	}
	return complete(ctx, text, cursor)
}

// drop loses the connection, restore brings it back.
func (h *fakeHost) drop(why error) {
	h.change(func() {
		h.conn.Phase, h.conn.Err, h.conn.Since = ahpclient.Reconnecting, why, h.now()
		h.conn.Retry = h.now().Add(3 * time.Second)
		h.notices = append(slices.Clone(h.notices), ahpclient.Notice{At: h.now(), Kind: ahpclient.NoticeLost, Text: why.Error()})
	})
}

func (h *fakeHost) restore() {
	h.change(func() {
		h.conn.Phase, h.conn.Err, h.conn.Retry, h.conn.Since = ahpclient.Connected, nil, time.Time{}, h.now()
		h.notices = append(slices.Clone(h.notices), ahpclient.Notice{At: h.now(), Kind: ahpclient.NoticeReconnected})
	})
}

// list adds sessions to the list.
func (h *fakeHost) list(sessions ...*protocol.SessionSummary) {
	h.change(func() { h.sessions = append(slices.Clone(h.sessions), sessions...) })
}

// remove takes a session away, with its chats.
func (h *fakeHost) remove(uri protocol.URI) {
	h.change(func() {
		h.sessions = slices.DeleteFunc(slices.Clone(h.sessions), func(s *protocol.SessionSummary) bool { return s.Resource == uri })
		if s, ok := h.states[uri].(*protocol.SessionState); ok {
			for _, c := range s.Chats {
				delete(h.open, c.Resource)
				delete(h.states, c.Resource)
			}
		}
		delete(h.open, uri)
		delete(h.states, uri)
	})
}

// ago is a time on the wire.
func ago(d time.Duration) string { return protocol.FormatTime(began.Add(-d)) }

func summary(uri protocol.URI, title string, status protocol.Status, age time.Duration) *protocol.SessionSummary {
	return &protocol.SessionSummary{Resource: uri, Provider: "copilot", Title: title, Status: status, ModifiedAt: ago(age)}
}

func ptr[T any](v T) *T { return &v }

func server(id string, state *protocol.McpServerState) *protocol.Customization {
	return &protocol.Customization{Type: protocol.TypeMcpServer, ID: "id-" + id, Name: id, URI: protocol.URI("file:///mcp/" + id), State: state}
}

// servers are one of each kind.
func serversOfAllKinds() []*protocol.Customization {
	off := server("postgres", &protocol.McpServerState{Kind: protocol.McpStopped})
	off.Enablement = []*protocol.Enablement{{Kind: protocol.ScopeSession}}
	return []*protocol.Customization{
		{Type: protocol.TypePlugin, ID: "acme", Name: "acme-tools", Load: &protocol.LoadState{Kind: "loaded"}, Children: []*protocol.Customization{
			server("notes", &protocol.McpServerState{Kind: protocol.McpReady}),
			server("clock", &protocol.McpServerState{Kind: protocol.McpStarting}),
			server("broken", &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{ErrorType: "spawn", Message: "acme-issues-mcp was not found in PATH"}}),
		}},
		server("archive", &protocol.McpServerState{Kind: protocol.McpStopped}),
		off,
	}
}

// busyHost is a host with a few sessions, the first of which is in the middle of
// a turn.
func busyHost(now func() time.Time) *fakeHost {
	h := newFakeHost(now)
	h.sessions = []*protocol.SessionSummary{
		summary(sessionA, "Fix the login bug", protocol.StatusInProgress, 20*time.Second),
		summary(sessionB, "Update the docs", protocol.StatusIdle|protocol.StatusRead, 2*time.Hour),
		summary(sessionC, "Nightly triage", protocol.StatusError, 30*time.Hour),
	}
	h.states[sessionA] = &protocol.SessionState{
		Provider: "copilot", Title: "Fix the login bug", Status: protocol.StatusInProgress, Lifecycle: protocol.LifecycleReady,
		DefaultChat: chatA, Chats: []*protocol.ChatSummary{{Resource: chatA, Title: "Chat", Status: protocol.StatusInProgress}},
		Customizations: serversOfAllKinds(),
	}
	h.states[chatA] = &protocol.ChatState{
		Resource: chatA, Title: "Chat", Status: protocol.StatusInProgress, ModifiedAt: ago(0),
		Turns: []*protocol.Turn{{
			ID: "t0", Message: protocol.UserMessage("please fix the login redirect"), StartedAt: ago(time.Minute), State: protocol.TurnComplete,
			ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartMarkdown, ID: "p0", Content: protocol.Plain("I'll look at the issue first.")}},
		}},
		ActiveTurn: &protocol.Turn{
			ID: "t1", Message: protocol.UserMessage("go on"), StartedAt: ago(10 * time.Second),
			ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartMarkdown, ID: "p1", Content: protocol.Plain("Let me write that down.")}},
		},
	}
	h.states[sessionB] = &protocol.SessionState{
		Provider: "copilot", Title: "Update the docs", Status: protocol.StatusIdle | protocol.StatusRead, Lifecycle: protocol.LifecycleReady,
		DefaultChat: chatB, Chats: []*protocol.ChatSummary{{Resource: chatB, Title: "Chat", Status: protocol.StatusIdle}},
	}
	h.states[chatB] = &protocol.ChatState{Resource: chatB, Title: "Chat", Status: protocol.StatusIdle, ModifiedAt: ago(time.Hour), Turns: []*protocol.Turn{}}
	return h
}

// ask makes the turn that runs in chat A call a tool that has to be confirmed.
func (h *fakeHost) ask(callID, input string, options ...*protocol.ConfirmationOption) {
	h.act(
		chatA,
		&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: callID, ToolName: "notes.add", DisplayName: "notes.add", Contributor: &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: "id-notes"}},
		&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: callID, InvocationMessage: protocol.Plain("Add a note"), ConfirmationTitle: protocol.Plain("Run notes.add?"), ToolInput: protocol.InputText(input), Options: options},
	)
}

// call is the tool call of an id, as the host has it.
func (h *fakeHost) call(callID string) *protocol.ToolCall {
	h.mu.Lock()
	defer h.mu.Unlock()
	chat, _ := h.states[chatA].(*protocol.ChatState)
	for _, part := range chat.ActiveTurn.ResponseParts {
		if part.ToolCall != nil && part.ToolCall.ToolCallID == callID {
			return part.ToolCall
		}
	}
	panic(fmt.Sprintf("no call %s among %v", callID, maps.Keys(h.states)))
}

// Authenticate does what the test says.
func (h *fakeHost) Authenticate(ctx context.Context, p *protocol.AuthenticateParams) error {
	if h.accept == nil {
		return nil
	}
	return h.accept(ctx, p)
}

// McpCall does what the test says.
func (h *fakeHost) McpCall(ctx context.Context, channel protocol.URI, method string, params, result any) error {
	if h.mcp == nil {
		return errors.New("not served")
	}
	return h.mcp(ctx, channel, method, params, result)
}

// errGone is why a connection is lost.
var errGone = errors.New("gone")

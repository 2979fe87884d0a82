package ahpclient

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

const (
	sessionURI protocol.URI = "test:/s"
	chatURI    protocol.URI = "test-chat:/c"
)

// testHost is a small, honest host: numbers over all channels, echoes in order,
// replay or snapshots. A test can make any of its answers its own (on), hold
// them back, or cut connections.
type testHost struct {
	t     testing.TB
	judge *testwire.Judge // of what clients send

	mu        sync.Mutex
	version   protocol.Version
	seq       int64
	states    map[protocol.URI]protocol.ChannelState
	summaries map[protocol.URI]*protocol.SessionSummary
	buffer    []*protocol.Envelope // for replays; everything after bufferFrom
	bufferAt  int64
	known     map[string]bool      // clients that may reconnect
	newest    map[string]*hostConn // a client's newest connection gets everything
	conns     []*hostConn
	frames    []string // what clients sent, in order
	on        map[string]func(*hostConn, *jsonrpc.Request)
	decide    func(string, *protocol.DispatchActionParams) verdict
	fold      func(protocol.ChannelState, protocol.Action) protocol.ChannelState // nil: as the protocol says
	dialErr   error
	queued    map[string][]func() // by client: actions that wait for their preparation
	held      []func()            // answers that are worked out and not sent
	holding   bool
}

// verdict is what a host does with an action: "" accepts it.
type verdict string

const (
	reject verdict = "reject" // echoed with a reason
	lose   verdict = "lose"   // no effect and no word
	slow   verdict = "slow"   // accepted, once it is prepared
	eat    verdict = "eat"    // accepted, with no word if it changes nothing
)

// hostConn is one connection of a client.
type hostConn struct {
	*jsonrpc.Peer
	host       *testHost
	clientID   string
	subscribed map[protocol.URI]bool
	cut        context.CancelFunc
	transport  jsonrpc.Transport // for what no peer would send
}

func newTestHost(t testing.TB) *testHost {
	h := &testHost{
		t: t, judge: testwire.NewJudge(t), version: protocol.V0_9_0, seq: 100,
		states: map[protocol.URI]protocol.ChannelState{
			protocol.RootChannel: decodeState(t, protocol.RootKind, `{"agents":[{"provider":"test","displayName":"Test","description":"","models":[]}],"activeSessions":0}`),
			sessionURI: decodeState(t, protocol.SessionKind, `{"provider":"test","title":"T","status":1,"lifecycle":"ready",
				"chats":[{"resource":"test-chat:/c","title":"","status":1,"modifiedAt":"2026-01-01T00:00:00.000Z"}],
				"customizations":[{"type":"mcpServer","id":"m","name":"m","state":{"kind":"stopped"}}]}`),
			chatURI: decodeState(t, protocol.ChatKind, `{"resource":"test-chat:/c","title":"","status":1,"modifiedAt":"2026-01-01T00:00:00.000Z","turns":[]}`),
		},
		summaries: map[protocol.URI]*protocol.SessionSummary{},
		known:     map[string]bool{}, newest: map[string]*hostConn{},
		on:     map[string]func(*hostConn, *jsonrpc.Request){},
		decide: func(string, *protocol.DispatchActionParams) verdict { return "" },
		queued: map[string][]func(){},
	}
	h.bufferAt = h.seq
	return h
}

func decodeState(t testing.TB, kind protocol.ChannelKind, text string) protocol.ChannelState {
	t.Helper()
	state, err := protocol.DecodeState(kind, protocol.Raw(text))
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// dial is an Options.Dial.
func (h *testHost) dial(context.Context) (jsonrpc.Transport, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.dialErr != nil {
		return nil, h.dialErr
	}
	ours, theirs := jsonrpc.Pipe()
	ctx, cut := context.WithCancel(context.Background())
	conn := &hostConn{host: h, subscribed: map[protocol.URI]bool{}, cut: cut, transport: ours}
	conn.Peer = jsonrpc.New(ours, conn, jsonrpc.Options{Tap: func(dir jsonrpc.Direction, msg []byte) {
		if dir == jsonrpc.Received {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.frames = append(h.frames, string(msg))
		}
	}})
	go func() {
		_ = conn.Run(ctx)
		cut()
	}()
	h.conns = append(h.conns, conn)
	return h.judge.Sent(theirs), nil
}

// Request implements jsonrpc.Handler.
func (conn *hostConn) Request(req *jsonrpc.Request) {
	conn.host.mu.Lock()
	defer conn.host.mu.Unlock()
	if on := conn.host.on[req.Method]; on != nil {
		on(conn, req)
		return
	}
	conn.answer(req)
}

// answer deals with a request as an honest host does.
func (conn *hostConn) answer(req *jsonrpc.Request) {
	h := conn.host
	switch req.Method {
	case "initialize":
		var p protocol.InitializeParams
		h.must(protocol.Unmarshal(req.Params, &p))
		conn.join(p.ClientID)
		result := protocol.InitializeResult{ProtocolVersion: h.version.String(), ServerSeq: h.seq, Snapshots: conn.subscribeAll(p.InitialSubscriptions)}
		h.reply(func() { req.Reply(result) })
	case "reconnect":
		conn.resume(req)
	case "subscribe":
		var p protocol.SubscribeParams
		h.must(protocol.Unmarshal(req.Params, &p))
		if h.states[p.Channel] == nil {
			req.Fail(&jsonrpc.Error{Code: protocol.CodeSessionNotFound, Message: "Resource not found: " + string(p.Channel)})
			return
		}
		snapshot := conn.subscribeAll([]protocol.URI{p.Channel})[0]
		h.reply(func() { req.Reply(protocol.SubscribeResult{Snapshot: snapshot}) })
	case "listSessions":
		result := protocol.ListSessionsResult{Items: slices.Collect(maps.Values(h.summaries))}
		h.reply(func() { req.Reply(result) })
	case "ping", "createSession":
		req.Reply(nil)
	default:
		req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + req.Method})
	}
}

func (h *testHost) must(err error) {
	if err != nil {
		h.t.Error(err)
	}
}

// reply sends an answer, or holds it back.
func (h *testHost) reply(send func()) {
	if h.holding {
		h.held = append(h.held, send)
		return
	}
	send()
}

// hold makes the host work answers out and keep them until release.
func (h *testHost) hold() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.holding = true
}

func (h *testHost) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, send := range h.held {
		send()
	}
	h.held, h.holding = nil, false
}

func (conn *hostConn) join(clientID string) {
	conn.clientID = clientID
	conn.host.known[clientID] = true
	conn.host.newest[clientID] = conn
}

func (conn *hostConn) subscribeAll(uris []protocol.URI) []*protocol.Snapshot {
	list := []*protocol.Snapshot{}
	for _, uri := range uris {
		state := conn.host.states[uri]
		if state == nil {
			continue
		}
		conn.subscribed[uri] = true
		raw, err := protocol.EncodeState(state)
		conn.host.must(err)
		list = append(list, &protocol.Snapshot{Resource: uri, State: raw, FromSeq: conn.host.seq})
	}
	return list
}

func (conn *hostConn) resume(req *jsonrpc.Request) {
	h := conn.host
	var p protocol.ReconnectParams
	h.must(protocol.Unmarshal(req.Params, &p))
	if !h.known[p.ClientID] {
		req.Fail(&jsonrpc.Error{Code: protocol.CodeNotFound, Message: "Reconnect client not found: " + p.ClientID})
		return
	}
	conn.join(p.ClientID)
	snapshots := conn.subscribeAll(p.Subscriptions)
	result := protocol.ReconnectResult{Type: protocol.ReconnectSnapshot, Snapshots: snapshots}
	if p.LastSeenServerSeq >= h.bufferAt {
		result = protocol.ReconnectResult{Type: protocol.ReconnectReplay}
		for _, uri := range p.Subscriptions {
			if !conn.subscribed[uri] {
				result.Missing = append(result.Missing, uri)
			}
		}
		for _, e := range h.buffer {
			if e.ServerSeq > p.LastSeenServerSeq && conn.subscribed[e.Channel] {
				result.Actions = append(result.Actions, e)
			}
		}
	}
	h.reply(func() { req.Reply(result) })
}

// Notification implements jsonrpc.Handler.
func (conn *hostConn) Notification(method string, params rawValue) {
	h := conn.host
	h.mu.Lock()
	defer h.mu.Unlock()
	switch method {
	case "unsubscribe":
		var p protocol.ChannelParams
		h.must(protocol.Unmarshal(params, &p))
		delete(conn.subscribed, p.Channel)
	case "dispatchAction":
		var p protocol.DispatchActionParams
		h.must(protocol.Unmarshal(params, &p))
		h.take(conn.clientID, &p)
	}
}

// take deals with a client's action. What waits for its preparation holds up
// what the same client sent later.
func (h *testHost) take(clientID string, p *protocol.DispatchActionParams) {
	v := h.decide(clientID, p)
	e := &protocol.Envelope{Channel: p.Channel, Action: protocol.DecodeAction(p.Action), Origin: &protocol.ActionOrigin{ClientID: clientID, ClientSeq: p.ClientSeq}}
	act := func() {
		state := h.states[p.Channel]
		switch {
		case v == lose || state == nil:
		case v == reject:
			reason := "not today"
			e.RejectionReason = &reason
			h.send(e)
		case v == eat && protocol.Reduce(protocol.ProfileOf(h.version), state, e.Action) == state:
		default:
			h.send(e)
		}
	}
	if v == slow || len(h.queued[clientID]) > 0 {
		h.queued[clientID] = append(h.queued[clientID], act)
		return
	}
	act()
}

// prepare finishes the preparation of all actions that wait for it.
func (h *testHost) prepare() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(h.queued)) {
		for _, act := range h.queued[id] {
			act()
		}
	}
	clear(h.queued)
}

// send numbers an envelope, folds it and hands it to all subscribers.
func (h *testHost) send(e *protocol.Envelope) {
	h.seq++
	e.ServerSeq = h.seq
	if e.RejectionReason == nil {
		h.states[e.Channel] = h.reduce(h.states[e.Channel], e.Action)
	}
	h.buffer = append(h.buffer, e)
	for _, id := range slices.Sorted(maps.Keys(h.newest)) {
		conn := h.newest[id]
		if conn.subscribed[e.Channel] && (e.RejectionReason == nil || e.Origin.ClientID == id) {
			_ = conn.Notify("action", e)
		}
	}
}

func (h *testHost) reduce(s protocol.ChannelState, a protocol.Action) protocol.ChannelState {
	if h.fold != nil {
		return h.fold(s, a)
	}
	return protocol.Reduce(protocol.ProfileOf(h.version).At(time.Now()), s, a)
}

// act changes a state as the host itself.
func (h *testHost) act(uri protocol.URI, action string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.states[uri] != nil {
		h.send(&protocol.Envelope{Channel: uri, Action: protocol.DecodeAction(protocol.Raw(action))})
	}
}

// tell sends a notification to every client.
func (h *testHost) tell(method string, params any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tellAll(method, params)
}

func (h *testHost) tellAll(method string, params any) {
	for _, conn := range h.newest {
		_ = conn.Notify(method, params)
	}
}

// sayRaw sends a text over the newest connection, past its peer.
func (h *testHost) sayRaw(t *testing.T, text string) {
	t.Helper()
	h.mu.Lock()
	conn := h.conns[len(h.conns)-1]
	h.mu.Unlock()
	if err := conn.transport.Write(t.Context(), []byte(text)); err != nil {
		t.Error(err)
	}
}

// cutAll breaks every connection, with what is under way on it.
func (h *testHost) cutAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, conn := range h.conns {
		conn.cut()
	}
	h.conns = nil
	clear(h.newest)
}

// forget drops what a replay would need.
func (h *testHost) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buffer, h.bufferAt = nil, h.seq+1
}

// restart is a new world: no client is known and the numbers begin anew.
func (h *testHost) restart() {
	h.cutAll()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buffer, h.seq, h.bufferAt = nil, 1, 1
	clear(h.known)
	clear(h.queued)
	h.held = nil
}

func (h *testHost) setDialErr(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dialErr = err
}

// answerWith replaces how a request is answered; nil answers honestly again.
func (h *testHost) answerWith(method string, f func(*hostConn, *jsonrpc.Request)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.on[method] = f
}

// heard are the frames that clients sent since the last call, without what is
// different each time.
func (h *testHost) heard(c *Client) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	frames := h.frames
	h.frames = nil
	for i, f := range frames {
		frames[i] = strings.ReplaceAll(f, c.store.clientID, "ME")
	}
	return frames
}

// start runs a client of the host until the test ends.
func (h *testHost) start(opts Options) *Client {
	h.t.Helper()
	c, _ := h.run(opts)
	return c
}

// run is start with the error of Run.
func (h *testHost) run(opts Options) (*Client, <-chan error) {
	h.t.Helper()
	opts.Dial = h.dial
	c := New(opts)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		ended <- c.Run(ctx)
	}()
	h.t.Cleanup(func() {
		cancel()
		<-over
		h.cutAll()
	})
	return c, ended
}

// bubble runs a test in virtual time.
func bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// sleep lets virtual time pass, and everything settle.
func sleep(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// opened is a connected client with the session and the chat open.
func (h *testHost) opened(opts Options) *Client {
	h.t.Helper()
	c := h.start(opts)
	c.Open(sessionURI, protocol.SessionKind)
	c.Open(chatURI, protocol.ChatKind)
	synctest.Wait()
	if v := c.View(); v.Connection.Phase != Connected || v.Session(sessionURI) == nil || v.Chat(chatURI) == nil {
		h.t.Fatalf("not connected: %+v", v.Connection)
	}
	return c
}

func title(v *View) string { return v.Session(sessionURI).Title }

func retitle(s string) protocol.Action { return &protocol.SessionTitleChanged{Title: s} }

func outcome(t *testing.T, ticket *Ticket) Outcome {
	t.Helper()
	o, ok := ticket.Outcome()
	if !ok {
		t.Errorf("%s has no outcome", ticket.Action.ActionType())
	}
	return o
}

func kinds(list []Notice) []NoticeKind {
	var ks []NoticeKind
	for _, n := range list {
		ks = append(ks, n.Kind)
	}
	return ks
}

var errNoRoute = errors.New("no route")

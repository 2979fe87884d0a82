package host_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"ahptui/host"
	"ahptui/host/mcpserver"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

// serverVar makes the test binary an MCP server.
const serverVar = "HOST_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(serverVar) {
	case "":
	case "silent": // a server that never becomes ready
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	default:
		serveTools()
		return
	}
	_ = os.Setenv("SHELL", "/bin/sh") // whatever the user's own one does when it starts
	goleak.VerifyTestMain(m)
}

type toolArgs struct {
	Text string `json:"text,omitempty"`
}

// serveTools has a tool that reads, one that writes, one that fails and one
// that waits until it is cancelled, which it notes in a file.
func serveTools() {
	s := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	add := func(name string, readOnly bool, f func(context.Context, string) (string, error)) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(ctx context.Context, _ *mcp.CallToolRequest, in toolArgs) (*mcp.CallToolResult, any, error) {
				out, err := f(ctx, in.Text)
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: out}}}, nil, err
			})
	}
	add("tools.read", true, func(_ context.Context, text string) (string, error) { return "read " + text, nil })
	add("tools.write", false, func(_ context.Context, text string) (string, error) { return "wrote " + text, nil })
	add("tools.fail", true, func(context.Context, string) (string, error) { return "", errors.New("it fails, as it should") })
	mcp.AddTool(s, &mcp.Tool{Name: "tools.steps", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(ctx context.Context, req *mcp.CallToolRequest, _ toolArgs) (*mcp.CallToolResult, any, error) {
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: 1, Total: 2, Message: "half way",
			})
			<-time.After(300 * time.Millisecond) // progress that comes with the result may be lost
			return &mcp.CallToolResult{Content: []mcp.Content{}}, nil, err
		})
	add("tools.wait", true, func(ctx context.Context, mark string) (string, error) {
		if err := os.WriteFile(mark+".begun", nil, 0o600); err != nil {
			return "", err
		}
		<-ctx.Done()
		return "", os.WriteFile(mark, []byte("cancelled"), 0o600)
	})
	addApp(s)
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

func stdioServer(t *testing.T, name string) mcpserver.Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcpserver.Config{Name: name, Command: exe, Env: map[string]string{serverVar: name, "GORACE": "atexit_sleep_ms=0"}}
}

const (
	sessionURI protocol.URI = "ahp-session:/s"
	chatURI    protocol.URI = "ahp-chat:/s"
	patience                = 20 * time.Second
)

// newHost returns a host with one session, whose agent is answer; nil means one
// that says "hello".
func newHost(t *testing.T, opts host.Options, answer host.AgentFunc, servers ...host.ServerSpec) *host.Host {
	t.Helper()
	if answer == nil {
		answer = func(_ context.Context, turn *host.Turn) error { return turn.Write("hello") }
	}
	h := host.New(opts)
	h.AddAgent(&protocol.AgentInfo{Provider: "test", DisplayName: "Test", Models: []*protocol.SessionModelInfo{}}, answer)
	h.AddSession(host.SessionSpec{URI: sessionURI, Chat: chatURI, Provider: "test", Title: "A session", Directory: "file:///w", Servers: servers})
	t.Cleanup(func() { closeHost(t, h) })
	return h
}

func closeHost(t *testing.T, h *host.Host) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.Close(ctx); err != nil {
		t.Errorf("close the host: %v", err)
	}
}

// A client is a bare AHP client that keeps everything it gets.
type client struct {
	t    *testing.T
	id   string
	peer *jsonrpc.Peer
	done chan struct{}

	mu      sync.Mutex
	got     []*protocol.Envelope
	notes   []note
	changed chan struct{}
	lastSeq int64
}

type note struct {
	method string
	params string
}

// connect attaches a client over memory, without a handshake.
func connect(t *testing.T, h *host.Host, id string) *client {
	t.Helper()
	ours, theirs := jsonrpc.Pipe()
	c := newClient(t, ours, id)
	attached := make(chan struct{})
	judged := judgeOf(t, h).Sent(theirs)
	go func() {
		defer close(attached)
		_ = h.Attach(judged)
	}()
	t.Cleanup(func() {
		c.close()
		<-attached
	})
	return c
}

// unjudged lets a host pass on what its test's clients make up.
func unjudged(t *testing.T, h *host.Host) {
	t.Helper()
	judges.Store(h, (*testwire.Judge)(nil))
	t.Cleanup(func() { judges.Delete(h) })
}

// judges are the judges of the hosts: what a host sends over any of its connections is judged.
var judges sync.Map

func judgeOf(t *testing.T, h *host.Host) *testwire.Judge {
	t.Helper()
	j, known := judges.LoadOrStore(h, testwire.NewJudge(t))
	if !known {
		t.Cleanup(func() { judges.Delete(h) })
	}
	judge, _ := j.(*testwire.Judge) // there is nothing else in it
	return judge
}

// dial connects over a real socket.
func dial(t *testing.T, url, id string, token secret.Value) *client {
	t.Helper()
	ws, err := jsonrpc.Dial(t.Context(), url, jsonrpc.DialOptions{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, ws, id)
	t.Cleanup(c.close)
	return c
}

func newClient(t *testing.T, transport jsonrpc.Transport, id string) *client {
	c := &client{t: t, id: id, done: make(chan struct{}), changed: make(chan struct{})}
	c.peer = jsonrpc.New(transport, c, jsonrpc.Options{})
	go func() {
		defer close(c.done)
		_ = c.peer.Run(context.Background())
	}()
	return c
}

func (c *client) close() {
	c.peer.Close()
	<-c.done
}

// Notification implements jsonrpc.Handler.
func (c *client) Notification(method string, params jsontext.Value) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if method == "action" {
		e := new(protocol.Envelope)
		if err := protocol.Unmarshal(params, e); err != nil {
			c.t.Errorf("an envelope cannot be read: %v", err)
		}
		c.got = append(c.got, e)
		c.lastSeq = e.ServerSeq
	} else {
		c.notes = append(c.notes, note{method, string(params)})
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// Request implements jsonrpc.Handler.
func (c *client) Request(req *jsonrpc.Request) {
	req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound})
}

// call makes a request that must succeed.
func (c *client) call(method string, params, result any) {
	c.t.Helper()
	if err := c.try(method, params, result); err != nil {
		c.t.Fatalf("%v", err)
	}
}

func (c *client) try(method string, params, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var raw jsontext.Value
	if err := c.peer.Call(ctx, method, params, &raw); err != nil {
		return err
	}
	if result == nil {
		return nil
	}
	return protocol.Unmarshal(raw, result)
}

// code makes a request that must fail, and returns the error.
func (c *client) refused(method string, params any) *jsonrpc.Error {
	c.t.Helper()
	err := c.try(method, params, nil)
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		c.t.Fatalf("%s: %v, want a refusal", method, err)
	}
	return e
}

// initialize makes the handshake at a version and subscribes to channels.
func (c *client) initialize(v protocol.Version, channels ...protocol.URI) *protocol.InitializeResult {
	c.t.Helper()
	r := new(protocol.InitializeResult)
	c.call("initialize", &protocol.InitializeParams{
		Channel: protocol.RootChannel, ProtocolVersions: []string{v.String()}, ClientID: c.id, InitialSubscriptions: channels,
	}, r)
	if r.ProtocolVersion != v.String() {
		c.t.Fatalf("the host speaks %s, want %s", r.ProtocolVersion, v)
	}
	return r
}

// join is a client of the one session at a version.
func join(t *testing.T, h *host.Host, id string, v protocol.Version) *client {
	t.Helper()
	c := connect(t, h, id)
	c.initialize(v, protocol.RootChannel, sessionURI, chatURI)
	return c
}

func (c *client) dispatch(channel protocol.URI, seq int64, a protocol.Action) {
	c.t.Helper()
	raw, err := protocol.EncodeAction(a)
	if err != nil {
		c.t.Fatal(err)
	}
	c.dispatchRaw(channel, seq, raw)
}

func (c *client) dispatchRaw(channel protocol.URI, seq int64, action protocol.Raw) {
	c.t.Helper()
	if err := c.peer.Notify("dispatchAction", &protocol.DispatchActionParams{Channel: channel, ClientSeq: seq, Action: action}); err != nil {
		c.t.Fatal(err)
	}
}

// until waits for an envelope and returns the first that is wanted.
func (c *client) until(what string, wanted func(*protocol.Envelope) bool) *protocol.Envelope {
	c.t.Helper()
	late := time.After(patience)
	for {
		c.mu.Lock()
		i := slices.IndexFunc(c.got, wanted)
		changed := c.changed
		if i >= 0 {
			defer c.mu.Unlock()
			return c.got[i]
		}
		c.mu.Unlock()
		select {
		case <-changed:
		case <-c.done:
			c.t.Fatalf("the connection ended before %s", what)
		case <-late:
			c.t.Fatalf("not within %v: %s; got\n%s", patience, what, c.log())
		}
	}
}

// answerTo waits for the envelope that answers a dispatch of this client.
func (c *client) answerTo(seq int64) *protocol.Envelope {
	c.t.Helper()
	return c.until(fmt.Sprintf("the answer to %d", seq), func(e *protocol.Envelope) bool {
		return e.Origin != nil && e.Origin.ClientID == c.id && e.Origin.ClientSeq == seq
	})
}

// typed waits for the first action of a type.
func (c *client) typed(typ string) *protocol.Envelope {
	c.t.Helper()
	return c.until("an action "+typ, func(e *protocol.Envelope) bool { return e.Action.ActionType() == typ && e.RejectionReason == nil })
}

// told waits for a notification that has all the texts.
func (c *client) told(method string, texts ...string) {
	c.t.Helper()
	late := time.After(patience)
	for {
		c.mu.Lock()
		ok := slices.ContainsFunc(c.notes, func(n note) bool {
			return n.method == method && !slices.ContainsFunc(texts, func(s string) bool { return !strings.Contains(n.params, s) })
		})
		changed := c.changed
		c.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			c.t.Fatalf("not within %v: %s with %q; got %v", patience, method, texts, c.notes)
		}
	}
}

// log lists what was received, for a failure.
func (c *client) log() string {
	var b strings.Builder
	for _, e := range c.got {
		raw, _ := protocol.EncodeAction(e.Action)
		fmt.Fprintf(&b, "%d %s %.300s", e.ServerSeq, e.Channel, raw)
		if e.RejectionReason != nil {
			fmt.Fprintf(&b, " rejected: %s", *e.RejectionReason)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// times waits until n actions of a type have come.
func (c *client) times(n int, typ string) {
	c.t.Helper()
	c.until(fmt.Sprintf("%d actions %s", n, typ), func(*protocol.Envelope) bool { return c.countLocked(typ) >= n })
}

// count is how many envelopes of a type were received.
func (c *client) count(typ string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.countLocked(typ)
}

func (c *client) countLocked(typ string) int {
	n := 0
	for _, e := range c.got {
		if e.Action.ActionType() == typ {
			n++
		}
	}
	return n
}

// session fetches the session's state anew.
func (c *client) session() *protocol.SessionState {
	c.t.Helper()
	return snapshot[protocol.SessionState](c, sessionURI)
}

func (c *client) chat() *protocol.ChatState {
	c.t.Helper()
	return snapshot[protocol.ChatState](c, chatURI)
}

func snapshot[S any](c *client, channel protocol.URI) *S {
	c.t.Helper()
	var r protocol.SubscribeResult
	c.call("subscribe", &protocol.SubscribeParams{Channel: channel}, &r)
	s := new(S)
	if err := protocol.Unmarshal(r.Snapshot.State, s); err != nil {
		c.t.Fatal(err)
	}
	return s
}

// serverState waits until a server has a state, as the session says.
func (c *client) serverState(id string, want protocol.McpStateKind) *protocol.Customization {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(5 * time.Millisecond) {
		server, ok := protocol.ServerByID(c.session(), id)
		if ok && server.StateKind() == want {
			return server.Customization
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("%s is %q, want %q", id, server.StateKind(), want)
		}
	}
}

// awaitFile waits until a file is there.
func awaitFile(t *testing.T, name string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(5 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: the file %s", patience, name)
		}
	}
}

func startTurn(id, text string) *protocol.ChatTurnStarted {
	return protocol.StartTurn(protocol.V0_9_0, id, text, time.Now())
}

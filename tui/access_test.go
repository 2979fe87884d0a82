package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/oauthserver"
	"ahptui/internal/testkit"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// trackerResource is what access is needed to. Nobody is there.
const trackerResource = "http://127.0.0.1:9/mcp"

// visitor is a browser and the person before it.
type visitor struct {
	mu       sync.Mutex
	decision string        // on the form; "": the person only looks
	slow     chan struct{} // until then nothing opens; nil: it does at once
	opened   int
	failure  error // why nothing opens, in the end
}

func (v *visitor) fail(why error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failure = why
}

func (v *visitor) decide(decision string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.decision = decision
}

func (v *visitor) stand(until chan struct{}) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.slow = until
}

// Open implements auth.Opener.
func (v *visitor) Open(ctx context.Context, target string) error {
	v.mu.Lock()
	v.opened++
	decision, slow, failure := v.decision, v.slow, v.failure
	v.mu.Unlock()
	if slow != nil {
		<-slow
	}
	if failure != nil {
		return failure
	}
	if decision == "" {
		return nil
	}
	_, err := testkit.AnswerForm(ctx, target, decision)
	return err
}

// signInDriver drives a model with a real broker and a real authorization
// server. Commands run; the time on the screen stands still but for wait.
type signInDriver struct {
	*driver
	server *oauthserver.Server
	broker *auth.Broker
	person *visitor
	tokens chan *protocol.AuthenticateParams // what the host was handed
	// resource is what access is needed to.
	resource string

	mu      sync.Mutex
	refusal error           // what the host says to a token
	hold    map[string]bool // paths of the authorization server that do not answer
	held    chan string     // those that were asked
	secrets []string
}

// newSignInDriver is in front of a call that waits for tracker:read. No token is
// used twice.
func newSignInDriver(t *testing.T, size viewtest.Size) *signInDriver {
	t.Helper()
	return startSignInDriver(t, size, auth.Config{}, oauthserver.Options{})
}

// newKeepingDriver is one that keeps what it got, as the program does.
func newKeepingDriver(t *testing.T, options oauthserver.Options) *signInDriver {
	t.Helper()
	return startSignInDriver(t, large, auth.Config{Store: store.Open(t.Context(), store.Options{})}, options)
}

func startSignInDriver(t *testing.T, size viewtest.Size, config auth.Config, options oauthserver.Options) *signInDriver {
	t.Helper()
	d := &signInDriver{
		driver: &driver{t: t, clock: began, answer: make(chan tea.Msg, 1000)}, person: &visitor{decision: "approve"},
		tokens: make(chan *protocol.AuthenticateParams, 10), hold: map[string]bool{}, held: make(chan string, 10),
		resource: trackerResource,
	}
	var err error
	options.Scopes, options.Intercept = map[string]string{"tracker:read": "read", "tracker:write": "write"}, d.intercept
	d.server, err = oauthserver.Start("127.0.0.1:0", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.server.Close)
	d.start(viewtest.Plain(t), size, busyHost, func() time.Time { return d.clock })
	config.Opener, config.Interactive = d.person, true
	d.broker = auth.NewBroker(config)
	t.Cleanup(d.broker.Close)
	d.m.conn.Auth, d.m.conn.Opener, d.m.conn.Store = d.broker, d.person, config.Store
	d.m.conn.Identity = auth.Host{ID: "ws://127.0.0.1:1/", Loopback: true}
	d.host.accept = d.accept
	d.host.act(sessionA, &protocol.SessionCustomizationUpdated{Customization: server("tracker", &protocol.McpServerState{Kind: protocol.McpReady})})
	d.block("c1", "tracker.list", "required", "tracker:read")
	d.look()
	d.pass(time.Second)
	return d
}

// intercept keeps endpoints from answering, and notes what has to stay secret.
func (d *signInDriver) intercept(path string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		form, _ := url.ParseQuery(string(body))
		d.mu.Lock()
		for _, name := range []string{"code", "code_verifier", "device_code", "refresh_token", "client_secret"} {
			d.secrets = append(d.secrets, form.Get(name))
		}
		hold := d.hold[path]
		d.mu.Unlock()
		if hold {
			d.held <- path
			<-r.Context().Done()
			return
		}
		next.ServeHTTP(w, r)
	})
}

// accept is the host's part: it takes the token or refuses it, and may quote it.
func (d *signInDriver) accept(_ context.Context, p *protocol.AuthenticateParams) error {
	d.mu.Lock()
	d.secrets = append(d.secrets, p.Token)
	err := d.refusal
	d.mu.Unlock()
	d.tokens <- p
	if _, ok := errors.AsType[*ahpclient.AuthRequiredError](err); ok {
		return err
	}
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &jsonrpc.Error{Code: refused.Code, Message: refused.Message + ": Bearer " + p.Token}
	}
	return err
}

func (d *signInDriver) says(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refusal = err
}

func (d *signInDriver) holds(path string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold[path] = true
}

// requirement is what the tracker needs.
func (d *signInDriver) requirement(reason string, scopes ...string) *protocol.McpAuthRequirement {
	return &protocol.McpAuthRequirement{
		Reason: reason, RequiredScopes: scopes, Description: "Issues are read with it",
		Resource: &protocol.ProtectedResourceMetadata{Resource: d.resource, AuthorizationServers: []string{d.server.Issuer()}},
	}
}

// run makes the turn call a tool of the tracker.
func (d *signInDriver) run(id, tool string) {
	d.host.act(
		chatA,
		&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: id, ToolName: tool, DisplayName: tool, Contributor: &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: "id-tracker"}},
		&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: id, InvocationMessage: protocol.Plain("Run " + tool), Confirmed: "notNeeded"},
	)
}

// block has a call stopped.
func (d *signInDriver) block(id, tool, reason string, scopes ...string) {
	d.run(id, tool)
	d.host.act(chatA, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: id, Auth: d.requirement(reason, scopes...)})
}

// resolve has it go on.
func (d *signInDriver) resolve(id string) {
	d.host.act(chatA, &protocol.ChatToolCallAuthResolved{TurnID: "t1", ToolCallID: id})
	d.look()
}

// state sets the state of the tracker itself.
func (d *signInDriver) state(kind protocol.McpStateKind) {
	state := &protocol.McpServerState{Kind: kind}
	if kind == protocol.McpAuthRequired {
		r := d.requirement("required", "tracker:read")
		state.Reason, state.Resource, state.RequiredScopes = r.Reason, r.Resource, r.RequiredScopes
	}
	d.host.act(sessionA, &protocol.SessionMcpServerStateChanged{ID: "id-tracker", State: state})
	d.look()
}

// key presses keys by their names.
func (d *signInDriver) key(names ...string) {
	for _, name := range names {
		d.send(keyPress(d.t, name))
	}
}

// pass lets time pass on the screen.
func (d *signInDriver) pass(by time.Duration) {
	d.clock = d.clock.Add(by)
	d.send(tickMsg{})
}

// until takes what commands bring until something is so.
func (d *signInDriver) until(what string, is func() bool) {
	d.t.Helper()
	late := time.NewTimer(20 * time.Second)
	defer late.Stop()
	for !is() {
		select {
		case msg := <-d.answer:
			d.take(msg)
			d.checkSecrets()
		case <-late.C:
			d.t.Fatalf("no %s:\n%s", what, d.screen())
		}
	}
}

// shows waits until a text is on the screen.
func (d *signInDriver) shows(texts ...string) {
	d.t.Helper()
	for _, text := range texts {
		d.until(text, func() bool { return strings.Contains(strings.Join(strings.Fields(d.screen()), " "), text) })
	}
}

// closed waits until the sign-in has no window.
func (d *signInDriver) closed() {
	d.t.Helper()
	d.until("end of the window", func() bool { return len(d.m.overlays) == 0 })
}

// consent answers the question as a person does who reads it.
func (d *signInDriver) consent() {
	d.t.Helper()
	d.shows("Grant access?")
	d.pass(reading)
	d.key("enter")
}

// handed waits until the host has a token.
func (d *signInDriver) handed() *protocol.AuthenticateParams {
	d.t.Helper()
	var p *protocol.AuthenticateParams
	d.until("token for the host", func() bool {
		select {
		case p = <-d.tokens:
		default:
		}
		return p != nil
	})
	return p
}

func (d *signInDriver) checkSecrets() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	screen := strings.Join(strings.Fields(d.screen()), "")
	for _, s := range d.secrets {
		if s != "" && strings.Contains(screen, s) {
			d.t.Errorf("a secret is on the screen:\n%s", d.screen())
		}
	}
}

// TestAccessGiveUp: the key that cancels gives up a call that waits by itself,
// and the turn where the call runs and its server waits.
func TestAccessGiveUp(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.sees("tracker.list", "[g] grant access", "[x] cancel call")
	before := d.host.count()
	d.key("x")
	gone := asks[*protocol.ChatToolCallComplete](d.driver, before)
	if gone.ToolCallID != "c1" || gone.Result.Success || gone.Result.Error == nil {
		t.Errorf("asked for %+v", gone)
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.run("c2", "tracker.read")
	d.state(protocol.McpAuthRequired)
	d.key("down", "G")
	d.m.transcript.SelectCall("t1", "c2")
	d.look()
	d.sees("[g] grant access")
	before = d.host.count()
	d.key("x")
	if turn := asks[*protocol.ChatTurnCancelled](d.driver, before); turn.TurnID != "t1" {
		t.Errorf("asked for %+v", turn)
	}
}

// TestAccessReasons: where no access can be granted, the key says why.
func TestAccessReasons(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  func(d *signInDriver)
		want string
	}{
		{"no broker", func(d *signInDriver) { d.m.conn.Auth = nil }, "signing in is not possible on this connection"},
		{"offline", func(d *signInDriver) { d.host.drop(errors.New("gone")) }, "not connected to the host"},
		{"goes on", func(d *signInDriver) { d.resolve("c1") }, "select a tool call that needs access first"},
		{"server that runs", func(d *signInDriver) { d.key("tab") }, "this server does not wait for access"},
		{"no resource", func(d *signInDriver) {
			d.resolve("c1")
			d.host.act(chatA, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c1", Auth: &protocol.McpAuthRequirement{Reason: "required"}})
		}, "the host does not say what access is needed to"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newSignInDriver(t, viewtest.Size{Width: 160, Height: 40})
			tt.set(d)
			d.look()
			d.key("g")
			d.sees(tt.want)
			if d.m.signIn != nil || len(d.m.overlays) > 0 {
				t.Error("a sign-in began")
			}
		})
	}
}

// TestAccessElsewhere: a call of a chat that is not open, of which only the
// session tells, is reached and granted.
func TestAccessElsewhere(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.resolve("c1")
	other := protocol.URI("ahp-chat:/b2")
	call := &protocol.ToolCall{
		ToolCallID: "c9", ToolName: "tracker.list", DisplayName: "tracker.list", Status: protocol.ToolAuthRequired,
		InvocationMessage: protocol.Plain("List"), Auth: d.requirement("required", "tracker:read"),
	}
	d.host.change(func() {
		s := *d.host.states[sessionB].(*protocol.SessionState)
		s.Chats = append(slices.Clone(s.Chats), &protocol.ChatSummary{Resource: other, Title: "Side", Status: protocol.StatusInputNeeded})
		s.InputNeeded = []*protocol.SessionInputRequest{{Kind: "toolAuthentication", ID: "r1", Chat: other, TurnID: "t9", ToolCall: call}}
		s.Status = protocol.StatusInputNeeded
		d.host.states[sessionB] = &s
		d.host.states[other] = &protocol.ChatState{
			Resource: other, Title: "Side", Status: protocol.StatusInputNeeded, ModifiedAt: ago(0),
			ActiveTurn: &protocol.Turn{
				ID: "t9", Message: protocol.UserMessage("go"), StartedAt: ago(time.Second),
				ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartToolCall, ToolCall: call}},
			},
		}
		d.host.sessions = []*protocol.SessionSummary{d.host.sessions[0], summary(sessionB, "Update the docs", protocol.StatusInputNeeded, time.Hour)}
	})
	d.look()
	if slices.Contains(d.host.opened, other) {
		t.Fatal("the chat is open already")
	}
	d.key("a")
	d.look()
	d.sees("[g] grant access")
	d.key("g")
	d.consent()
	d.handed()
	d.host.act(other, &protocol.ChatToolCallAuthResolved{TurnID: "t9", ToolCallID: "c9"})
	d.host.act(sessionB, &protocol.SessionInputNeededRemoved{ID: "r1"})
	d.look()
	d.closed()
	d.sees("you granted tracker:read")
}

// TestAccessRecords: what is remembered of grants is bounded, and the oldest goes.
func TestAccessRecords(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	for i := range 3 * maxGranted {
		d.m.clock.now = d.m.clock.now.Add(time.Second)
		d.m.record(target{chatA, fmt.Sprint(i)}, &auth.Grant{Scopes: []string{"a"}})
	}
	if len(d.m.granted) != maxGranted {
		t.Errorf("%d records", len(d.m.granted))
	}
	if _, ok := d.m.granted[target{chatA, fmt.Sprint(3*maxGranted - 1)}]; !ok {
		t.Error("the newest is gone")
	}
	d.m.record(target{chatA, "no scopes"}, &auth.Grant{})
	if got := d.m.grantWords(target{chatA, "no scopes"}).String(); got != "you granted access" {
		t.Errorf("said %q", got)
	}
}

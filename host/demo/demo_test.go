package demo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ahptui/ahpclient"
	"ahptui/host/demo"
	"ahptui/internal/secret"
	"ahptui/internal/testkit/testwire"
	"ahptui/protocol"
)

// serverVar makes the test binary one of the demo's MCP servers, whose name is
// its last argument.
const serverVar = "DEMO_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(serverVar) != "" {
		if err := demo.ServeMCP(context.Background(), os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

const patience = 20 * time.Second

// start runs a demo and a client of it, over a real socket with a token.
func start(t *testing.T, offer ...protocol.Version) *ahpclient.Client {
	t.Helper()
	client, _ := startDemo(t, offer...)
	return client
}

func startDemo(t *testing.T, offer ...protocol.Version) (*ahpclient.Client, *demo.Demo) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ours := t.TempDir() // a name that no other run of the test has
	d, err := demo.New(demo.Options{
		Command: []string{exe}, Env: map[string]string{serverVar: ours, "GORACE": "atexit_sleep_ms=0"},
		Pace: -1, Directory: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := d.Close(ctx); err != nil {
			t.Errorf("close the demo: %v", err)
		}
		if left := processesWith(serverVar + "=" + ours); len(left) > 0 {
			t.Errorf("the demo left the processes %v", left)
		}
	})
	token := secret.New("t0ken")
	url, err := d.Host.Listen("127.0.0.1:0", token)
	if err != nil {
		t.Fatal(err)
	}
	client := ahpclient.New(ahpclient.Options{URL: testwire.NewJudge(t).Proxy(url), Token: token, Offer: offer})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = client.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	client.Open(demo.Session, protocol.SessionKind)
	client.Open(demo.Chat, protocol.ChatKind)
	await(t, client, "the client is connected", func(v *ahpclient.View) bool { return v.Connection.Phase == ahpclient.Connected })
	return client, d
}

// processesWith returns the processes whose environment has a setting, where
// the system shows them.
func processesWith(setting string) []string {
	if runtime.GOOS != "linux" {
		return nil
	}
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range files {
		env, err := os.ReadFile(f)
		if err == nil && strings.Contains("\x00"+string(env), "\x00"+setting+"\x00") {
			found = append(found, f)
		}
	}
	return found
}

func await(t *testing.T, c *ahpclient.Client, what string, wanted func(*ahpclient.View) bool) *ahpclient.View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	v, err := c.Await(ctx, wanted)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return v
}

func states(v *ahpclient.View) map[string]protocol.McpStateKind {
	all := map[string]protocol.McpStateKind{}
	if s := v.Session(demo.Session); s != nil {
		for _, server := range protocol.Servers(s) {
			all[server.Name] = server.StateKind()
		}
	}
	return all
}

// waitsFor waits until the script stands at a tool, for an answer of a kind.
func waitsFor(t *testing.T, c *ahpclient.Client, kind protocol.BlockKind, tool string) (found protocol.Block) {
	t.Helper()
	await(t, c, "the script waits at "+tool, func(v *ahpclient.View) bool {
		blocks := v.BlockedIn(demo.Session) // a server that waits may be among them
		i := slices.IndexFunc(blocks, func(b protocol.Block) bool { return b.Kind == kind && b.ToolCall.ToolName == tool })
		if i < 0 || v.Chat(demo.Chat) == nil || !v.Chat(demo.Chat).Status.NeedsInput() {
			return false
		}
		found = blocks[i]
		return true
	})
	return found
}

// access signs in for what a block needs and scopes that are held already.
func access(t *testing.T, c *ahpclient.Client, b protocol.Block, held ...string) {
	t.Helper()
	r := b.Auth.Resource
	g := signIn(t, r.AuthorizationServers[0], r.Resource, append(held, b.Auth.RequiredScopes...)...)
	if err := c.Authenticate(t.Context(), &protocol.AuthenticateParams{
		Channel: protocol.RootChannel, Resource: r.Resource, Token: g.Token, Scopes: strings.Fields(g.Scope), ExpiresIn: &g.ExpiresIn,
	}); err != nil {
		t.Fatal(err)
	}
}

// confirms brings the script to its confirmation: past the tracker, of which
// nothing is wanted.
func confirms(t *testing.T, c *ahpclient.Client) protocol.Block {
	t.Helper()
	block := waitsFor(t, c, protocol.BlockToolAuth, "tracker.list")
	if _, err := c.Dispatch(block.Chat, protocol.CancelCall(block.TurnID, block.ToolCall)); err != nil {
		t.Fatal(err)
	}
	return waitsFor(t, c, protocol.BlockConfirmation, "notes.add")
}

// ended waits for the end of the script's turn.
func ended(t *testing.T, c *ahpclient.Client) *protocol.Turn {
	t.Helper()
	v := await(t, c, "the turn ends", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 1 })
	return v.Chat(demo.Chat).Turns[0]
}

func TestServersInTheirStates(t *testing.T) {
	t.Parallel()
	c := start(t)
	v := await(t, c, "the servers are in their states", func(v *ahpclient.View) bool {
		s := states(v)
		return s["notes"] == protocol.McpReady && s["clock"] == protocol.McpReady && s["broken"] == protocol.McpError &&
			s["archive"] == protocol.McpStopped && s["tracker"] == protocol.McpAuthRequired
	})
	for _, server := range protocol.Servers(v.Session(demo.Session)) {
		if inPlugin := server.Container != nil && server.Container.Name == "acme-tools"; inPlugin != (server.Name == "clock") {
			t.Errorf("%s is in the container %v", server.Name, server.Container)
		}
		if server.Name == "broken" && !strings.Contains(server.State.Error.Message, "acme-issues-mcp was not found in PATH") {
			t.Errorf("broken says %+v", server.State.Error)
		}
	}
	for _, server := range protocol.Servers(v.Session(demo.Session)) {
		if server.Name == "archive" {
			if _, err := c.Dispatch(demo.Session, &protocol.SessionMcpServerStartRequested{ID: server.ID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	await(t, c, "the archive starts", func(v *ahpclient.View) bool { return states(v)["archive"] == protocol.McpReady })
}

func TestSessionsToSee(t *testing.T) {
	t.Parallel()
	c := start(t)
	v := await(t, c, "the list", func(v *ahpclient.View) bool { return len(v.Sessions) == 4 && v.Sessions[0].Status.NeedsInput() })
	if first := v.Sessions[0]; first.Resource != demo.Session || first.Title != "Fix the login bug" {
		t.Errorf("the first session is %+v", first)
	}
	var words []string
	for _, s := range v.Sessions {
		words = append(words, s.Status.Word())
	}
	if got := strings.Join(words, " "); got != "inputNeeded idle error idle" {
		t.Errorf("the sessions are %s", got)
	}
}

func answers(turn *protocol.Turn) string {
	var text strings.Builder
	for _, p := range turn.ResponseParts {
		if p.Kind == protocol.PartMarkdown {
			text.WriteString(p.Content.String() + "\n")
		}
	}
	return text.String()
}

func calls(turn *protocol.Turn) []*protocol.ToolCall {
	var list []*protocol.ToolCall
	for _, p := range turn.ResponseParts {
		if p.ToolCall != nil {
			list = append(list, p.ToolCall)
		}
	}
	return list
}

// The script as a person goes through it: signs in, signs in for more, answers.
func TestScript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		offer  []protocol.Version
		answer func(string, *protocol.ToolCall) *protocol.ChatToolCallConfirmed
		says   string
		status protocol.ToolCallStatus
	}{
		{"approve", nil, protocol.Approve, "Noted.", protocol.ToolCompleted},
		{"deny", nil, protocol.Deny, "I have not written it down", protocol.ToolCancelled},
		{"approve at 0.6", []protocol.Version{protocol.V0_6_0}, protocol.Approve, "Noted.", protocol.ToolCompleted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := start(t, tt.offer...)
			list := waitsFor(t, c, protocol.BlockToolAuth, "tracker.list")
			if a := list.Auth; a.Reason != "required" || !slices.Equal(a.RequiredScopes, []string{demo.ScopeRead}) || a.Resource.ResourceName != "ACME tracker" {
				t.Errorf("tracker.list needs %+v, %+v", a, a.Resource)
			}
			access(t, c, list)
			create := waitsFor(t, c, protocol.BlockToolAuth, "tracker.create")
			if a := create.Auth; a.Reason != "insufficientScope" || !slices.Equal(a.RequiredScopes, []string{demo.ScopeWrite}) {
				t.Errorf("tracker.create needs %+v", a)
			}
			if v := c.View(); states(v)["tracker"] != protocol.McpReady {
				t.Errorf("the tracker is %s", states(v)["tracker"])
			}
			access(t, c, create, demo.ScopeRead)
			add := waitsFor(t, c, protocol.BlockConfirmation, "notes.add")
			if _, err := c.Dispatch(add.Chat, tt.answer(add.TurnID, add.ToolCall)); err != nil {
				t.Fatal(err)
			}
			turn := ended(t, c)
			if says := answers(turn); turn.State != protocol.TurnComplete || !strings.Contains(says, tt.says) || !strings.Contains(says, "The tracker says: created #118. The fix") {
				t.Errorf("the turn is %s and says %s", turn.State, says)
			}
			for i, want := range []struct {
				tool, output string
				status       protocol.ToolCallStatus
			}{
				{"notes.search", "handleCallback", protocol.ToolCompleted},
				{"tracker.list", "#112", protocol.ToolCompleted},
				{"tracker.create", "created #118", protocol.ToolCompleted},
				{"notes.add", "", tt.status},
			} {
				got := calls(turn)[i]
				if got.ToolName != want.tool || got.Status != want.status || want.output != "" && !strings.Contains(got.Content[0].Text.String(), want.output) {
					t.Errorf("call %d is %+v", i, got)
				}
			}
			await(t, c, "nothing waits", func(v *ahpclient.View) bool { return len(v.BlockedIn(demo.Session)) == 0 })
		})
	}
}

// Whoever does not want to sign in gets on without.
func TestScriptWithoutTheTracker(t *testing.T) {
	t.Parallel()
	giveUp := func(t *testing.T, c *ahpclient.Client, b protocol.Block) {
		t.Helper()
		if _, err := c.Dispatch(b.Chat, protocol.CancelCall(b.TurnID, b.ToolCall)); err != nil {
			t.Fatal(err)
		}
	}
	stop := func(t *testing.T, c *ahpclient.Client, b protocol.Block) {
		t.Helper()
		if _, err := c.Dispatch(demo.Session, &protocol.SessionMcpServerStopRequested{ID: b.ToolCall.Contributor.CustomizationID}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name, at, says string
		act            func(*testing.T, *ahpclient.Client, protocol.Block)
	}{
		{"list given up", "tracker.list", "I could not look into the tracker (nobody signed in: the call was given up), so I go on without it.", giveUp},
		{"stopped at list", "tracker.list", "I could not look into the tracker (the server tracker is stopped), so I go on without it.", stop},
		{"create given up", "tracker.create", "I could not open an issue (nobody signed in: the call was given up), so I leave that to you.", giveUp},
		{"stopped at create", "tracker.create", "I could not open an issue (the server tracker is stopped), so I leave that to you.", stop},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := start(t)
			block := waitsFor(t, c, protocol.BlockToolAuth, "tracker.list")
			if tt.at == "tracker.create" {
				access(t, c, block)
				block = waitsFor(t, c, protocol.BlockToolAuth, tt.at)
			}
			tt.act(t, c, block)
			add := waitsFor(t, c, protocol.BlockConfirmation, "notes.add")
			if _, err := c.Dispatch(add.Chat, protocol.Approve(add.TurnID, add.ToolCall)); err != nil {
				t.Fatal(err)
			}
			turn := ended(t, c)
			if says := answers(turn); !strings.Contains(says, tt.says) || !strings.Contains(says, "Noted.") {
				t.Errorf("the agent says %s", says)
			}
			if got := calls(turn); len(got) != map[string]int{"tracker.list": 3, "tracker.create": 4}[tt.at] {
				t.Errorf("the calls are %+v", got)
			}
		})
	}
}

// A token that is revoked, or has expired, while the agent works: the next call
// waits, and its server with it.
func TestTokenEndsBetweenCalls(t *testing.T) {
	t.Parallel()
	c, d := startDemo(t)
	access(t, c, waitsFor(t, c, protocol.BlockToolAuth, "tracker.list"))
	create := waitsFor(t, c, protocol.BlockToolAuth, "tracker.create")
	access(t, c, create, demo.ScopeRead)
	add := waitsFor(t, c, protocol.BlockConfirmation, "notes.add")
	d.Issuer().Revoke()
	if _, err := c.Dispatch(add.Chat, protocol.Deny(add.TurnID, add.ToolCall)); err != nil {
		t.Fatal(err)
	}
	ended(t, c)
	if _, err := c.Dispatch(demo.Chat, protocol.StartTurn(protocol.V0_9_0, "again", "/call tracker.list {}", time.Now())); err != nil {
		t.Fatal(err)
	}
	list := waitsFor(t, c, protocol.BlockToolAuth, "tracker.list")
	if v := c.View(); list.Auth.Reason != "expired" || states(v)["tracker"] != protocol.McpAuthRequired {
		t.Errorf("the call needs %+v, the tracker is %s", list.Auth, states(v)["tracker"])
	}
	access(t, c, list)
	await(t, c, "the call is made", func(v *ahpclient.View) bool {
		turns := v.Chat(demo.Chat).Turns
		return len(turns) == 2 && strings.Contains(answers(turns[1]), "Done.") && states(v)["tracker"] == protocol.McpReady
	})
}

// send sends a message and returns the turn that answers it.
func send(t *testing.T, c *ahpclient.Client, message string) *protocol.Turn {
	t.Helper()
	id := "turn-" + message
	v := c.View()
	if _, err := c.Dispatch(demo.Chat, protocol.StartTurn(v.Connection.Version, id, message, time.Now())); err != nil {
		t.Fatal(err)
	}
	v = await(t, c, "an answer to "+message, func(v *ahpclient.View) bool {
		turns := v.Chat(demo.Chat).Turns
		return len(turns) > 0 && turns[len(turns)-1].ID == id
	})
	turns := v.Chat(demo.Chat).Turns
	return turns[len(turns)-1]
}

func TestMessages(t *testing.T) {
	t.Parallel()
	c := start(t)
	block := confirms(t, c)
	if _, err := c.Dispatch(block.Chat, protocol.Deny(block.TurnID, block.ToolCall)); err != nil {
		t.Fatal(err)
	}
	await(t, c, "the script ends", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 1 })

	for _, tt := range []struct{ message, says, output string }{
		{"hello", "You can try", ""},
		{"hello again", "- `/call tracker.list {\"state\":\"open\"}`, which waits until you have signed in", ""},
		{`/call notes.add {"text":"remember the milk"}`, "Done.", "Added note 6: remember the milk"},
		{`/call notes.search {"query":"milk"}`, "Done.", "6. remember the milk"},
		{`/call clock.now {"zone":"Europe/Berlin"}`, "Done.", "T"},
		{`/call clock.now {"zone":"Nowhere/Else"}`, "reports a failure", `there is no time zone "Nowhere/Else"`},
		{`/call archive.get {"id":"ACME-114"}`, "the server archive is stopped", ""},
		{`/call nothing.here {}`, "No server of this session has a tool `nothing.here`", ""},
		{`/call notes.add {"text"`, "A call is written", ""},
		{"/call", "A call is written", ""},
	} {
		turn := send(t, c, tt.message)
		if !strings.Contains(answers(turn), tt.says) {
			t.Errorf("%s: says %s", tt.message, answers(turn))
		}
		for _, p := range turn.ResponseParts {
			if tt.output != "" && p.ToolCall != nil && !strings.Contains(p.ToolCall.Content[0].Text.String(), tt.output) {
				t.Errorf("%s: gave %s", tt.message, p.ToolCall.Content[0].Text.String())
			}
		}
	}
}

// The agent copes with a server that somebody has stopped under it.
func TestStopUnderTheScript(t *testing.T) {
	t.Parallel()
	c := start(t)
	block := confirms(t, c)
	ticket, err := c.Dispatch(demo.Session, &protocol.SessionMcpServerStopRequested{ID: block.ToolCall.Contributor.CustomizationID})
	if err != nil {
		t.Fatal(err)
	}
	<-ticket.Done()
	if _, err := c.Dispatch(block.Chat, protocol.Approve(block.TurnID, block.ToolCall)); err != nil {
		t.Fatal(err)
	}
	if got := answers(ended(t, c)); !strings.Contains(got, "The note could not be written") {
		t.Errorf("the agent says %s", got)
	}
}

func TestCancelLongCall(t *testing.T) {
	t.Parallel()
	c := start(t)
	block := confirms(t, c)
	cancel := func(id string) {
		t.Helper()
		if _, err := c.Dispatch(demo.Chat, protocol.CancelTurn(protocol.V0_9_0, id, time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	cancel(block.TurnID)
	await(t, c, "the script is cancelled", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 1 })
	await(t, c, "the clock is ready", func(v *ahpclient.View) bool { return states(v)["clock"] == protocol.McpReady })
	if _, err := c.Dispatch(demo.Chat, protocol.StartTurn(protocol.V0_9_0, "long", `/call clock.wait {"seconds":600}`, time.Now())); err != nil {
		t.Fatal(err)
	}
	await(t, c, "the call runs", func(v *ahpclient.View) bool {
		turn := v.Chat(demo.Chat).ActiveTurn
		return turn != nil && len(turn.ResponseParts) == 1 && turn.ResponseParts[0].ToolCall != nil && turn.ResponseParts[0].ToolCall.Status == protocol.ToolRunning
	})
	cancel("long")
	await(t, c, "it is cancelled", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 2 })
}

func TestServeMCPKnowsItsNames(t *testing.T) {
	t.Parallel()
	err := demo.ServeMCP(t.Context(), "nothing")
	if err == nil || !strings.Contains(err.Error(), "archive, clock, notes") {
		t.Errorf("an unknown server: %v", err)
	}
}

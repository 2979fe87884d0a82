package demo_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ahptui/ahpclient"
	"ahptui/host/demo"
	"ahptui/internal/secret"
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
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d, err := demo.New(demo.Options{
		Command: []string{exe}, Env: map[string]string{serverVar: t.Name(), "GORACE": "atexit_sleep_ms=0"},
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
		if left := processesWith(serverVar + "=" + t.Name()); len(left) > 0 {
			t.Errorf("the demo left the processes %v", left)
		}
	})
	token := secret.New("t0ken")
	url, err := d.Host.Listen("127.0.0.1:0", token)
	if err != nil {
		t.Fatal(err)
	}
	client := ahpclient.New(ahpclient.Options{URL: url, Token: token, Offer: offer})
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
	return client
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

// waits waits until the scripted agent waits for its confirmation.
func waits(t *testing.T, c *ahpclient.Client) protocol.Block {
	t.Helper()
	v := await(t, c, "the agent asks", func(v *ahpclient.View) bool {
		return len(v.BlockedIn(demo.Session)) == 1 && v.Chat(demo.Chat) != nil && v.Chat(demo.Chat).Status.NeedsInput()
	})
	return v.BlockedIn(demo.Session)[0]
}

func TestServersInTheirStates(t *testing.T) {
	t.Parallel()
	c := start(t)
	v := await(t, c, "the servers are in their states", func(v *ahpclient.View) bool {
		s := states(v)
		return s["notes"] == protocol.McpReady && s["clock"] == protocol.McpReady && s["broken"] == protocol.McpError && s["archive"] == protocol.McpStopped
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
			block := waits(t, c)
			if block.Kind != protocol.BlockConfirmation || block.ToolCall.ToolName != "notes.add" {
				t.Fatalf("the agent waits for %+v", block)
			}
			if _, err := c.Dispatch(block.Chat, tt.answer(block.TurnID, block.ToolCall)); err != nil {
				t.Fatal(err)
			}
			v := await(t, c, "the turn ends", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 1 })
			turn := v.Chat(demo.Chat).Turns[0]
			if turn.State != protocol.TurnComplete || !strings.Contains(answers(turn), tt.says) {
				t.Errorf("the turn is %s and says %s", turn.State, answers(turn))
			}
			var calls []*protocol.ToolCall
			for _, p := range turn.ResponseParts {
				if p.ToolCall != nil {
					calls = append(calls, p.ToolCall)
				}
			}
			if len(calls) != 2 || calls[0].ToolName != "notes.search" || !strings.Contains(calls[0].Content[0].Text.String(), "handleCallback") || calls[1].Status != tt.status {
				t.Errorf("the calls are %+v", calls)
			}
			if len(v.BlockedIn(demo.Session)) != 0 {
				t.Errorf("still blocked: %+v", v.BlockedIn(demo.Session))
			}
		})
	}
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
	block := waits(t, c)
	if _, err := c.Dispatch(block.Chat, protocol.Deny(block.TurnID, block.ToolCall)); err != nil {
		t.Fatal(err)
	}
	await(t, c, "the script ends", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 1 })

	for _, tt := range []struct{ message, says, output string }{
		{"hello", "You can try", ""},
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
	block := waits(t, c)
	ticket, err := c.Dispatch(demo.Session, &protocol.SessionMcpServerStopRequested{ID: block.ToolCall.Contributor.CustomizationID})
	if err != nil {
		t.Fatal(err)
	}
	<-ticket.Done()
	if _, err := c.Dispatch(block.Chat, protocol.Approve(block.TurnID, block.ToolCall)); err != nil {
		t.Fatal(err)
	}
	v := await(t, c, "the turn ends", func(v *ahpclient.View) bool { return len(v.Chat(demo.Chat).Turns) == 1 })
	if got := answers(v.Chat(demo.Chat).Turns[0]); !strings.Contains(got, "The note could not be written") {
		t.Errorf("the agent says %s", got)
	}
}

func TestCancelLongCall(t *testing.T) {
	t.Parallel()
	c := start(t)
	block := waits(t, c)
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

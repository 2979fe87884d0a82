package tui

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/ahpclient"
	"ahptui/internal/testkit"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// startProgram runs the program in a process of its own on a real
// pseudo-terminal.
func startProgram(t *testing.T, mode string) (*testkit.Command, *exec.Cmd) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = testkit.Environ(t, childMode+"="+mode)
	c := testkit.StartCommand(t, testkit.Size{Cols: 100, Rows: 30}, cmd)
	c.WaitFor(t, testkit.Patience, "Fix the login bug")
	return c, cmd
}

// TestProgram: the program on a terminal, from its first screen to its last.
func TestProgram(t *testing.T) {
	t.Parallel()
	c, _ := startProgram(t, "asking")
	c.WaitFor(t, testkit.Patience, "[y] approve", "1 blocked")
	if !c.AltScreen() {
		t.Error("it is not on the alternate screen")
	}
	if c.Title() != "ahptui (1 blocked)" || !strings.Contains(c.ProgramStatus(), "blocked") {
		t.Errorf("the title is %q, the status %q", c.Title(), c.ProgramStatus())
	}
	c.Paste("y\nyyy")
	c.WaitFor(t, testkit.Patience, "pasted text goes into the composer")
	c.Resize(t, testkit.Size{Cols: 40, Rows: 12})
	c.WaitUntil(t, testkit.Patience, "it is drawn anew", func(screen string) bool {
		lines := strings.Split(screen, "\n")
		return len(lines) == 12 && strings.HasPrefix(lines[11], "└") && strings.HasSuffix(lines[11], "┘")
	})
	c.Resize(t, testkit.Size{Cols: 1, Rows: 1})
	c.Resize(t, testkit.Size{Cols: 100, Rows: 30})
	c.WaitFor(t, testkit.Patience, "MCP servers", "[y] approve")
	c.Type("i")
	c.Paste("two\nlines")
	c.WaitFor(t, testkit.Patience, "two", "lines")
	if _, _, visible := c.Cursor(); !visible {
		t.Error("the composer has no cursor")
	}
	c.Key(t, "esc")
	c.WaitFor(t, testkit.Patience, "details")
	c.Type("q")
	c.WaitFor(t, testkit.Patience, "did not send")
	c.Type("y")
	if code := c.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.CheckRestored(t)
	c.WaitFor(t, testkit.Patience, "closed: true, asked: 0, error: <nil>")
	if c.AltScreen() || c.Title() != "" || c.ProgramStatus() != "state=clear" {
		t.Errorf("left behind: alternate screen %v, title %q, status %q", c.AltScreen(), c.Title(), c.ProgramStatus())
	}
}

// TestEnds: whatever ends the program, the terminal is as it was, the connection
// is closed, and the person is told.
func TestEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, mode string
		end        func(t *testing.T, c *testkit.Command, cmd *exec.Cmd)
		code       int
		says       []string
	}{
		{"ctrl+c", "plain", func(t *testing.T, c *testkit.Command, _ *exec.Cmd) { c.Key(t, "ctrl+c") }, 0, []string{"closed: true", "error: <nil>"}},
		{"SIGTERM", "plain", func(t *testing.T, _ *testkit.Command, cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGTERM) }, 3, []string{"closed: true", "context canceled"}},
		{"SIGHUP", "plain", func(t *testing.T, _ *testkit.Command, cmd *exec.Cmd) { _ = cmd.Process.Signal(syscall.SIGHUP) }, 3, []string{"closed: true", "context canceled"}},
		{"a panic in Update", "bad update", func(_ *testing.T, c *testkit.Command, _ *exec.Cmd) { c.Type("P") }, 1, []string{"closed: true", "panic"}},
		{"a panic in a goroutine", "bad host", func(*testing.T, *testkit.Command, *exec.Cmd) {}, 1, []string{"closed: true", "which is a bug: a bug with an", "badHost).Watch:"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, cmd := startProgram(t, tt.mode)
			c.Key(t, "tab")
			tt.end(t, c, cmd)
			if code := c.ExitCode(t, testkit.Patience); code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			c.CheckRestored(t)
			if c.AltScreen() {
				t.Error("the alternate screen is left behind")
			}
			output := string(c.Output())
			_, last, _ := cutLast(output, "\x1b[?1049l")
			for _, want := range tt.says {
				if !strings.Contains(last, want) {
					t.Errorf("it does not say %q but %q", want, last)
				}
			}
			if strings.Contains(output, "\x1b]52") {
				t.Error("the clipboard was written to")
			}
		})
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// TestIdle: a program in which nothing happens writes nothing.
func TestIdle(t *testing.T) {
	t.Parallel()
	d := &driver{t: t}
	host := newFakeHost(time.Now)
	host.sessions = []*protocol.SessionSummary{{Resource: "x:/1", Title: "quiet", Status: protocol.StatusIdle}}
	p := d.program(t, host)
	p.WaitFor(t, testkit.Patience, "quiet")
	p.WaitQuiet(t, testkit.Patience, 300*time.Millisecond)
	before := len(p.Output())
	p.WaitQuiet(t, testkit.Patience, 1500*time.Millisecond)
	if n := len(p.Output()) - before; n != 0 {
		t.Errorf("%d bytes were written in a second and a half of nothing", n)
	}
}

// program runs a model in the test's own process, on a virtual terminal.
func (d *driver) program(t *testing.T, host *fakeHost) *testkit.Program {
	t.Helper()
	d.host = host
	d.start(viewtest.Colour(t), viewtest.Size{Width: 100, Height: 30}, nil, time.Now)
	d.m.overlays = nil
	p := testkit.StartModel(t, testkit.Size{Cols: 100, Rows: 30}, d.m)
	d.m.link.send = p.Send
	conn := &Connection{Host: host, Name: "test"}
	start := &startScreen{}
	start.attempt = &attempt{cancel: func() {}}
	p.Send(connectedMsg{start: start, attempt: start.attempt, conn: conn})
	return p
}

// hostile puts a text into every field that a peer fills.
func hostile(s string) *fakeHost {
	h := busyHost(time.Now)
	h.conn.Host = &protocol.Implementation{Name: s, Version: s}
	h.root = &protocol.RootState{Agents: []*protocol.AgentInfo{{Provider: "p", DisplayName: s, Description: s}, {Provider: s, DisplayName: s}}}
	h.sessions = []*protocol.SessionSummary{
		{Resource: sessionA, Title: s, Provider: s, ActivityText: s, Status: protocol.StatusInProgress, ModifiedAt: s},
		{Resource: protocol.URI("x:/" + s), Title: s, Provider: s, ActivityText: s, ModifiedAt: ago(0)},
	}
	srv := func(id string, kind protocol.McpStateKind) *protocol.Customization {
		return &protocol.Customization{Type: protocol.TypeMcpServer, ID: id, Name: s, URI: protocol.URI(s), Enablement: []*protocol.Enablement{{Kind: s, Enabled: true}}, State: &protocol.McpServerState{
			Kind: kind, Error: &protocol.ErrorInfo{ErrorType: s, Message: s}, Reason: s, Description: s, RequiredScopes: []string{s},
			Resource: &protocol.ProtectedResourceMetadata{Resource: s},
		}}
	}
	h.states[sessionA] = &protocol.SessionState{
		Provider: s, Title: s, ActivityText: s, Status: protocol.StatusInProgress, DefaultChat: chatA,
		Chats: []*protocol.ChatSummary{{Resource: chatA, Title: s}, {Resource: "ahp-chat:/2", Title: s}},
		Customizations: []*protocol.Customization{
			{Type: protocol.TypePlugin, ID: "p", Name: s, Load: &protocol.LoadState{Kind: "degraded", Message: s}, Children: []*protocol.Customization{srv("a", protocol.McpError), srv("b", protocol.McpAuthRequired)}},
			{Type: protocol.TypePlugin, ID: "q", Name: s},
			srv("c", protocol.McpStateKind(s)),
		},
	}
	call := func(status protocol.ToolCallStatus) *protocol.ResponsePart {
		return &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{
			Status: status, ToolCallID: "c-" + string(status), ToolName: s, DisplayName: s, Intention: s, InvocationMessage: protocol.Markdown(s), ConfirmationTitle: protocol.Plain(s),
			ToolInput: protocol.InputText(s), Options: []*protocol.ConfirmationOption{{ID: "o", Label: s, Kind: "approve"}}, PastTenseMessage: protocol.Markdown(s),
			Content: []*protocol.ToolResultContent{protocol.TextContent(s)}, Error: &protocol.ToolError{Message: s, Code: s}, ReasonMessage: protocol.Plain(s),
			Auth: &protocol.McpAuthRequirement{Reason: s, Description: s, RequiredScopes: []string{s}},
		}}
	}
	h.states[chatA] = &protocol.ChatState{
		Resource: chatA, Title: s, ActivityText: s, Turns: []*protocol.Turn{},
		QueuedMessages: []*protocol.PendingMessage{{ID: "q", Message: protocol.UserMessage(s)}},
		ActiveTurn: &protocol.Turn{ID: "t1", Message: protocol.UserMessage(s), ResponseParts: []*protocol.ResponsePart{
			{Kind: protocol.PartMarkdown, ID: "m", Content: protocol.Markdown(s)},
			{Kind: protocol.PartReasoning, ID: "r", Content: protocol.Plain(s)},
			call(protocol.ToolCompleted), call(protocol.ToolAuthRequired), call(protocol.ToolPendingConfirmation),
			{Kind: protocol.PartError, ID: "e", Error: &protocol.ErrorInfo{ErrorType: s, Message: s}},
			{Kind: protocol.PartInputRequest, ID: "i", Request: &protocol.ChatInputRequest{ID: "q", Message: s, Questions: []*protocol.ChatInputQuestion{{Kind: "text", ID: "x", Title: s, Message: s}}}},
		}},
	}
	return h
}

// TestHostile: whatever a peer writes, wherever it writes it, nothing of it is
// more than text to the terminal.
func TestHostile(t *testing.T) {
	t.Parallel()
	for i, s := range viewtest.Hostile() {
		if i%3 == 0 { // each takes a second
			t.Run("", func(t *testing.T) {
				t.Parallel()
				testHostile(t, s)
			})
		}
	}
	for _, s := range viewtest.Hostile() {
		d := newDriver(t, viewtest.Colour(t), viewtest.Size{Width: 100, Height: 30}, func(func() time.Time) *fakeHost { return hostile(s) })
		abuse(d, s, func() { viewtest.Check(t, d.frame.Content, 100, 30) })
	}
}

// abuse makes the program show everything, and calls check after each screen.
func abuse(d *driver, s string, check func()) {
	for _, keys := range []string{"tab", "home down enter down enter down enter end", "tab", "enter", "esc down S", "n", "esc ?", "esc", "A", "esc :", "esc C", "esc F", "esc T", "esc tab c", "esc D", "esc"} {
		d.key(strings.Fields(keys)...)
		check()
	}
	if r := d.host.last(); r != nil {
		d.host.settle(r, ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: s})
		d.look()
		check()
	}
	d.host.drop(errors.New(s))
	d.look()
	check()
	d.host.remove(sessionA)
	d.look()
	check()
}

func testHostile(t *testing.T, s string) {
	t.Helper()
	d := &driver{t: t}
	p := d.program(t, hostile(s))
	p.WaitFor(t, testkit.Patience, "MCP servers", "blocked")
	for _, keys := range []string{"tab", "home", "down", "enter", "tab", "enter", "esc", "S", "n", "esc"} {
		p.Key(t, keys)
	}
	p.WaitQuiet(t, testkit.Patience, 200*time.Millisecond)
	if r := d.host.last(); r != nil {
		d.host.settle(r, ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: s})
	}
	d.host.drop(errors.New(s))
	p.WaitFor(t, testkit.Patience, "reconnecting")
	p.WaitQuiet(t, testkit.Patience, 100*time.Millisecond)
	p.Key(t, "ctrl+c")
	if _, err := p.Wait(t, testkit.Patience); err != nil {
		t.Error(err)
	}
	p.CheckRestored(t)
	checkOutput(t, p.Output())
}

// checkOutput goes through everything that was written to the terminal: text,
// styles, moves, modes, our own title and status; nothing else.
func checkOutput(t *testing.T, output []byte) {
	t.Helper()
	parser := ansi.NewParser()
	parser.SetDataSize(1 << 16)
	var state byte
	for len(output) > 0 {
		seq, width, n, next := ansi.DecodeSequence(output, state, parser)
		state, output = next, output[n:]
		switch {
		case width > 0:
			for _, r := range string(seq) {
				if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' {
					t.Fatalf("%U in the text %q", r, seq)
				}
			}
		case bytes.HasPrefix(seq, []byte("\x1b[")), bytes.Equal(seq, []byte("\r")), bytes.Equal(seq, []byte("\n")), bytes.Equal(seq, []byte("\b")), bytes.Equal(seq, []byte("\t")):
			if last := seq[len(seq)-1]; bytes.HasPrefix(seq, []byte("\x1b[")) && strings.IndexByte("ABCDGHJKLMPSTXdfhlmrugnpqtb@`\\", last) < 0 {
				t.Fatalf("the sequence %q", seq)
			}
		case bytes.HasPrefix(seq, []byte("\x1b]2;ahptui")), bytes.HasPrefix(seq, []byte("\x1b]2;\x07")), bytes.HasPrefix(seq, []byte("\x1b]7501;")):
		case bytes.Equal(seq, []byte("\x1bM")):
		default:
			t.Fatalf("the sequence %q", seq)
		}
	}
}

// TestStream: however much a host sends, the program sees a view for each frame
// at most, and ends with the last.
func TestStream(t *testing.T) {
	t.Parallel()
	d := &driver{t: t}
	host := busyHost(time.Now)
	p := d.program(t, host)
	p.WaitFor(t, testkit.Patience, "Let me write that down.")
	began, n := time.Now(), d.m.feed
	for range 5000 {
		host.act(chatA, &protocol.ChatDelta{TurnID: "t1", PartID: "p1", Content: protocol.NewText("x")})
	}
	host.act(chatA, &protocol.ChatDelta{TurnID: "t1", PartID: "p1", Content: protocol.NewText(" the end")})
	p.WaitFor(t, testkit.Patience, "the end")
	most := uint64(time.Since(began)/frameTime) + 20
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.n > most {
		t.Errorf("%d views in %v", n.n, time.Since(began))
	}
}

var _ tea.Model = (*Model)(nil)

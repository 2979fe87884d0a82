package host_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"ahptui/host"
	"ahptui/host/terminal"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const termURI protocol.URI = "ahp-terminal:/1"

// terminalHost has terminals, and a session in a directory that is there.
func terminalHost(t *testing.T, answer host.AgentFunc) *host.Host {
	t.Helper()
	if !terminal.Supported {
		t.Skip("there are no terminals on " + runtime.GOOS)
	}
	h := host.New(host.Options{Terminals: true})
	if answer == nil {
		answer = echo
	}
	h.AddAgent(&protocol.AgentInfo{Provider: "test", Models: []*protocol.SessionModelInfo{}}, answer)
	h.AddSession(host.SessionSpec{URI: sessionURI, Chat: chatURI, Provider: "test", Title: "T", Directory: host.FileURI(t.TempDir())})
	t.Cleanup(func() { closeHost(t, h) })
	return h
}

func (c *client) terminal() *protocol.TerminalState {
	c.t.Helper()
	return snapshot[protocol.TerminalState](c, termURI)
}

// screen is all that a terminal shows.
func screen(s *protocol.TerminalState) string {
	var b strings.Builder
	for _, p := range s.Content {
		b.WriteString(p.Text().String())
	}
	return b.String()
}

// shows waits until the terminal's output has a text.
func (c *client) shows(text string) {
	c.t.Helper()
	c.terminal() // subscribes
	var b strings.Builder
	c.until("the terminal shows "+text, func(e *protocol.Envelope) bool {
		if a, ok := e.Action.(*protocol.TerminalData); ok {
			b.WriteString(a.Data.String())
		}
		return strings.Contains(b.String(), text)
	})
}

func (c *client) createTerminal(extra map[string]any) error {
	p := map[string]any{"channel": termURI, "claim": map[string]any{"kind": "client", "clientId": c.id}}
	for k, v := range extra {
		p[k] = v
	}
	return c.try("createTerminal", p, nil)
}

func input(text string) *protocol.TerminalInput {
	return &protocol.TerminalInput{Data: protocol.NewText(text)}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	if err := c.createTerminal(map[string]any{"name": "work", "cols": 90, "rows": 20}); err != nil {
		t.Fatal(err)
	}
	if list := c.typed("root/terminalsChanged").Action.(*protocol.RootTerminalsChanged).Terminals; len(list) != 1 || list[0].Resource != termURI || list[0].Title != "work" || list[0].Claim.ClientID != "c" {
		t.Errorf("the catalogue is %+v", list)
	}
	s := c.terminal()
	if *s.Cols != 90 || *s.Rows != 20 || s.Lifecycle.Status != protocol.TerminalRunning || s.IsPty == nil {
		t.Errorf("the terminal is %+v", s)
	}
	c.dispatch(termURI, 1, input("printf '\\033]2;%s\\007' new-title; stty size; echo ma''rk\n"))
	c.shows("20 90")
	c.shows("mark")
	if a := c.typed("terminal/titleChanged").Action.(*protocol.TerminalTitleChanged); a.Title != "new-title" {
		t.Errorf("the title is %q", a.Title)
	}
	c.until("the catalogue has the title", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.RootTerminalsChanged)
		return ok && a.Terminals[0].Title == "new-title"
	})
	c.dispatch(termURI, 2, &protocol.TerminalResized{Cols: 70, Rows: 10})
	c.answerTo(2)
	c.dispatch(termURI, 3, input("stty size\n"))
	c.shows("10 70")
	c.dispatch(termURI, 4, &protocol.TerminalCleared{})
	c.answerTo(4)
	c.dispatch(termURI, 5, input("exit 4\n"))
	if a := c.typed("terminal/exited").Action.(*protocol.TerminalExited); a.ExitCode == nil || *a.ExitCode != 4 {
		t.Errorf("the program ended with %v", a.ExitCode)
	}
	c.dispatch(termURI, 6, input("x"))
	if e := c.answerTo(6); e.RejectionReason == nil || !contains(*e.RejectionReason, "has ended") {
		t.Errorf("input for a program that has ended: %v", e.RejectionReason)
	}
	c.call("disposeTerminal", &protocol.ChannelParams{Channel: termURI}, nil)
	c.until("the catalogue is empty", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.RootTerminalsChanged)
		return ok && len(a.Terminals) == 0
	})
	if e := c.refused("subscribe", &protocol.ChannelParams{Channel: termURI}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("a terminal that is gone: %v", e)
	}
}

// A client that has a terminal is not disturbed by others, as long as it is there.
func TestClaims(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c, other := join(t, h, "c", protocol.V0_9_0), join(t, h, "other", protocol.V0_9_0)
	if err := c.createTerminal(nil); err != nil {
		t.Fatal(err)
	}
	c.terminal()
	other.terminal()
	for i, a := range []protocol.Action{
		input("x"), &protocol.TerminalResized{Cols: 10, Rows: 10}, &protocol.TerminalCleared{},
		&protocol.TerminalClaimed{Claim: &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: "other"}},
	} {
		other.dispatch(termURI, int64(i), a)
		if e := other.answerTo(int64(i)); e.RejectionReason == nil || !contains(*e.RejectionReason, "another client has") {
			t.Errorf("%s: %v", a.ActionType(), e.RejectionReason)
		}
	}
	if e := other.refused("disposeTerminal", &protocol.ChannelParams{Channel: termURI}); e.Code != protocol.CodePermissionDenied {
		t.Errorf("another client ends it: %v", e)
	}
	c.dispatch(termURI, 1, &protocol.TerminalClaimed{Claim: &protocol.TerminalClaim{Kind: protocol.ClaimSession, Session: sessionURI}})
	if a := c.answerTo(1).Action.(*protocol.TerminalClaimed); a.Claim.Chat != chatURI {
		t.Errorf("the host fills in %+v", a.Claim)
	}
	for i, claim := range []*protocol.TerminalClaim{
		nil,
		{Kind: "nobody"},
		{Kind: protocol.ClaimClient, ClientID: "c"},
		{Kind: protocol.ClaimSession, Session: "ahp-session:/none"},
		{Kind: protocol.ClaimSession, Session: sessionURI, Chat: "ahp-chat:/none"},
	} {
		other.dispatch(termURI, int64(10+i), &protocol.TerminalClaimed{Claim: claim})
		if e := other.answerTo(int64(10 + i)); e.RejectionReason == nil {
			t.Errorf("the claim %+v is taken", claim)
		}
	}
	other.dispatch(termURI, 20, &protocol.TerminalClaimed{Claim: &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: "other"}})
	if e := other.answerTo(20); e.RejectionReason != nil {
		t.Errorf("what the session has cannot be claimed: %s", *e.RejectionReason)
	}

	// What somebody types is seen by nobody else.
	other.dispatch(termURI, 21, input("sec''ret\n"))
	other.answerTo(21)
	other.shows("sec")
	c.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	if c.count("terminal/input") > 1 { // its own
		t.Error("the input went to another client")
	}
}

func TestTerminalRefusals(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	for name, tt := range map[string]struct {
		extra map[string]any
		code  int
	}{
		"no claim":                 {map[string]any{"claim": nil}, jsonrpc.CodeInvalidParams},
		"another's claim":          {map[string]any{"claim": map[string]any{"kind": "client", "clientId": "x"}}, jsonrpc.CodeInvalidParams},
		"no URI":                   {map[string]any{"channel": ""}, jsonrpc.CodeInvalidParams},
		"a URI that is taken":      {map[string]any{"channel": chatURI}, jsonrpc.CodeInvalidParams},
		"too many columns":         {map[string]any{"cols": 100_000}, jsonrpc.CodeInvalidParams},
		"no columns":               {map[string]any{"cols": 0}, jsonrpc.CodeInvalidParams},
		"a directory elsewhere":    {map[string]any{"cwd": "https://x.example/"}, jsonrpc.CodeInvalidParams},
		"a directory that is none": {map[string]any{"cwd": "file:///no/such/dir"}, jsonrpc.CodeInternalError},
		"a long name":              {map[string]any{"name": strings.Repeat("x", 1000)}, jsonrpc.CodeInvalidParams},
	} {
		err := c.createTerminal(tt.extra)
		if e, ok := errors.AsType[*jsonrpc.Error](err); !ok || e.Code != tt.code {
			t.Errorf("%s: %v, want code %d", name, err, tt.code)
		}
	}
	if err := c.createTerminal(nil); err != nil {
		t.Fatal(err)
	}
	c.terminal()
	for i, tt := range []struct {
		a      protocol.Action
		reason string
	}{
		{&protocol.TerminalResized{Cols: 0, Rows: 10}, "1 to 1000"},
		{&protocol.TerminalResized{Cols: 10, Rows: 1001}, "1 to 1000"},
		{&protocol.TerminalTitleChanged{}, "the title must have"},
		{input(strings.Repeat("x", 100_000)), "too large"},
		{&protocol.TerminalData{Data: protocol.NewText("x")}, "clients may not dispatch"},
		{&protocol.ChatDraftChanged{}, "no action of this channel"},
	} {
		c.dispatch(termURI, int64(i), tt.a)
		if e := c.answerTo(int64(i)); e.RejectionReason == nil || !contains(*e.RejectionReason, tt.reason) {
			t.Errorf("%s: %v, want %q", tt.a.ActionType(), e.RejectionReason, tt.reason)
		}
	}
}

// Too many terminals are refused; those that have ended make room.
func TestTerminalsAreBounded(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	n := 0
	for ; n < 100; n++ {
		if c.createTerminal(map[string]any{"channel": fmt.Sprint("ahp-terminal:/", n)}) != nil {
			break
		}
	}
	if n < 8 || n == 100 {
		t.Fatalf("%d terminals were made", n)
	}
	c.terminal()
	c.dispatch(termURI, 1, input("exit\n"))
	c.typed("terminal/exited")
	if err := c.createTerminal(map[string]any{"channel": "ahp-terminal:/more"}); err != nil {
		t.Errorf("one more: %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", `!i=0; while [ $i -lt 20000 ]; do echo "line $i of many lines, all of which are long"; i=$((i+1)); done`))
	done := c.typed("chat/toolCallComplete").Action.(*protocol.ChatToolCallComplete)
	s := snapshot[protocol.TerminalState](c, done.Result.Content[0].Resource)
	text := screen(s)
	if len(text) > 256<<10 || len(text) < 100<<10 || !strings.HasPrefix(text, "line ") || !strings.HasSuffix(strings.TrimSpace(text), "line 19999 of many lines, all of which are long") {
		t.Errorf("%d bytes are kept, from %.30q", len(text), text)
	}
}

func TestShellMessage(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := connect(t, h, "c")
	if r := c.initialize(protocol.V0_9_0, protocol.RootChannel, sessionURI, chatURI); r.TerminalCommandPrefix != "!" {
		t.Errorf("the prefix is %q", r.TerminalCommandPrefix)
	}
	if tools := c.session().ServerTools; len(tools) != 1 || tools[0].Name != "shell" {
		t.Errorf("the host's tools are %+v", tools)
	}
	c.dispatch(chatURI, 1, startTurn("t1", "! printf '\\033[1mhällo\\033[m\\n'; exit 3"))
	shown := c.typed("chat/toolCallContentChanged").Action.(*protocol.ChatToolCallContentChanged)
	if shown.Content[0].Type != "terminal" || shown.Content[0].Resource == "" {
		t.Errorf("the running call shows %+v", shown.Content[0])
	}
	c.typed("chat/turnComplete")
	call := theCall(t, c.chat().Turns[0])
	content := call.Content[0]
	if content.Result == nil {
		t.Fatalf("the result is %s", encode(t, content))
	}
	if call.ToolName != "shell" || call.Contributor != nil || call.Confirmed != "not-needed" || *call.Success ||
		!*content.IsPty || content.Result.Preview.String() != "hällo" || *content.Result.ExitCode != 3 {
		t.Errorf("the call is %s", encode(t, call))
	}
	s := snapshot[protocol.TerminalState](c, call.Content[0].Resource)
	if code, ended := s.Exited(); !ended || *code != 3 || s.Claim.TurnID != "t1" || s.Claim.ToolCallID != call.ToolCallID || s.Claim.Chat != chatURI {
		t.Errorf("the terminal is %s", encode(t, s))
	}
	c.dispatch(chatURI, 2, startTurn("t2", "!"))
	c.times(2, "chat/turnComplete")
	if got := lastText(c.chat().Turns[1]); got != "you said !" {
		t.Errorf("the agent says %q", got)
	}
}

func TestCommandsAreToldApart(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	if err := c.createTerminal(nil); err != nil {
		t.Fatal(err)
	}
	c.terminal()
	c.dispatch(termURI, 1, input(`printf '\033]633;E;ls;\007\033]633;C\007out\033]633;D;2\007\033]7;file:///tmp\007'`+"\n"))
	ran := c.typed("terminal/commandExecuted").Action.(*protocol.TerminalCommandExecuted)
	ended := c.typed("terminal/commandFinished").Action.(*protocol.TerminalCommandFinished)
	if ran.CommandLine.String() != "ls" || ran.CommandID != ended.CommandID || *ended.ExitCode != 2 || *ended.DurationMs < 0 || *ran.Timestamp < 1e12 {
		t.Errorf("the command is %+v, its end %+v", ran, ended)
	}
	if a := c.typed("terminal/cwdChanged").Action.(*protocol.TerminalCwdChanged); a.Cwd != "file:///tmp" {
		t.Errorf("the directory is %s", a.Cwd)
	}
	s := c.terminal()
	i := 0
	for i < len(s.Content) && s.Content[i].Type != protocol.TerminalCommand {
		i++
	}
	if i == len(s.Content) || !contains(s.Content[i].Output.String(), "out") || !*s.Content[i].IsComplete || !*s.SupportsCommandDetection {
		t.Errorf("the terminal is %s", encode(t, s))
	}
}

func TestCommandOfAnAgent(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, func(ctx context.Context, turn *host.Turn) error {
		out, err := turn.Run(ctx, host.Command{Line: "echo from the agent", Why: "try it"})
		switch {
		case err != nil:
			return err
		case out.Denied:
			return turn.Write("denied")
		}
		return turn.Write(fmt.Sprint(out.Output, " ", *out.ExitCode))
	})
	c := join(t, h, "c", protocol.V0_9_0)
	waits := func(turn string) *protocol.ToolCall {
		t.Helper()
		c.dispatch(chatURI, int64(len(turn)), startTurn(turn, "go"))
		e := c.until("the command waits", func(e *protocol.Envelope) bool {
			a, ok := e.Action.(*protocol.SessionInputNeededSet)
			return ok && a.Request.TurnID == turn
		})
		return e.Action.(*protocol.SessionInputNeededSet).Request.ToolCall
	}
	says := func(n int, want string) {
		t.Helper()
		c.times(n, "chat/turnComplete")
		if got := lastText(c.chat().Turns[n-1]); got != want {
			t.Errorf("the agent says %q, want %q", got, want)
		}
	}
	c.dispatch(chatURI, 101, protocol.Deny("t", waits("t")))
	says(1, "denied")
	edited := protocol.Approve("tt", waits("tt"))
	input := `{"command":"echo something else"}`
	edited.EditedToolInput = &input
	c.dispatch(chatURI, 102, edited)
	says(2, "something else 0")
	call := waits("ttt")
	c.dispatch(chatURI, 103, protocol.Choose("ttt", call, call.Options[1]))
	says(3, "from the agent 0")
	c.dispatch(chatURI, 104, startTurn("tttt", "go"))
	says(4, "from the agent 0")
}

// The end of a turn is the end of the command that it waits for.
func TestCancelEndsTheCommand(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatch(chatURI, 1, startTurn("t1", "!echo begun; exec sleep 600"))
	shown := c.typed("chat/toolCallContentChanged").Action.(*protocol.ChatToolCallContentChanged)
	c.dispatch(chatURI, 2, protocol.CancelTurn(protocol.V0_9_0, "t1", time.Second))
	c.answerTo(2)
	snapshot[protocol.TerminalState](c, shown.Content[0].Resource)
	c.until("the terminal has ended", func(e *protocol.Envelope) bool {
		a, ok := e.Action.(*protocol.RootTerminalsChanged)
		if !ok {
			return false
		}
		_, ended := a.Terminals[0].Exited()
		return ended
	})
}

func TestCommandInTheBackground(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V1_0_0)
	c.dispatch(chatURI, 1, startTurn("t1", "!sleep 600 &"))
	c.typed("chat/turnComplete")
	work := c.chat().BackgroundWork
	if len(work) != 1 || work[0].Kind != "shell" || work[0].Label != "sleep 600" || work[0].Command != "sleep 600" || work[0].Terminal == "" || work[0].StartedAt == "" {
		t.Fatalf("in the background is %s", encode(t, work))
	}
	call := theCall(t, c.chat().Turns[0])
	if call.Status != protocol.ToolCompleted || call.Content[0].Type != "terminal" {
		t.Errorf("the call is %s", encode(t, call))
	}
	c.call("disposeTerminal", &protocol.ChannelParams{Channel: call.Content[0].Resource}, nil)
	c.typed("chat/backgroundWorkRemoved")
	if work := c.chat().BackgroundWork; len(work) != 0 {
		t.Errorf("left in the background: %s", encode(t, work))
	}
}

// The person sees the result first, where the agent asks for that.
func TestResultIsConfirmed(t *testing.T) {
	t.Parallel()
	for _, approve := range []bool{true, false} {
		t.Run(fmt.Sprint(approve), func(t *testing.T) {
			t.Parallel()
			h := newHost(t, host.Options{}, caller(host.Call{Server: "tools", Tool: "tools.read", ShowResult: true}), tools(t))
			c := join(t, h, "c", protocol.V0_9_0)
			c.serverState("tools", protocol.McpReady)
			c.dispatch(chatURI, 1, startTurn("t1", "go"))
			call := c.typed("session/inputNeededSet").Action.(*protocol.SessionInputNeededSet).Request.ToolCall
			if call.Status != protocol.ToolPendingResultConfirmation || len(call.Content) != 1 {
				t.Fatalf("what waits is %s", encode(t, call))
			}
			c.dispatch(chatURI, 2, &protocol.ChatToolCallResultConfirmed{TurnID: "t1", ToolCallID: call.ToolCallID, Approved: approve})
			if e := c.answerTo(2); e.RejectionReason != nil {
				t.Fatalf("refused: %s", *e.RejectionReason)
			}
			c.typed("chat/turnComplete")
			turn := c.chat().Turns[0]
			want, status := "result: read ", protocol.ToolCompleted
			if !approve {
				want, status = "denied", protocol.ToolCancelled
			}
			if got := theCall(t, turn); lastText(turn) != want || got.Status != status {
				t.Errorf("the agent says %q, the call is %s", lastText(turn), got.Status)
			}
		})
	}
}

// A session that goes takes its terminals along.
func TestTerminalsEndWithTheirSession(t *testing.T) {
	t.Parallel()
	h := terminalHost(t, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	if err := c.createTerminal(map[string]any{"claim": map[string]any{"kind": "session", "session": sessionURI}}); err != nil {
		t.Fatal(err)
	}
	c.call("disposeSession", &protocol.ChannelParams{Channel: sessionURI}, nil)
	if e := c.refused("subscribe", &protocol.ChannelParams{Channel: termURI}); e.Code != protocol.CodeSessionNotFound {
		t.Errorf("the terminal: %v", e)
	}
}

func TestNoTerminals(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, func(ctx context.Context, turn *host.Turn) error {
		out, err := turn.Run(ctx, host.Command{Line: "echo x", Consented: true})
		if err != nil {
			return err
		}
		return turn.Write(fmt.Sprint(out.Err))
	})
	c := connect(t, h, "c")
	if r := c.initialize(protocol.V0_9_0, sessionURI, chatURI); r.TerminalCommandPrefix != "" {
		t.Errorf("the prefix is %q", r.TerminalCommandPrefix)
	}
	c.dispatch(chatURI, 1, startTurn("t1", "!echo x"))
	c.typed("chat/turnComplete")
	if turn := c.chat().Turns[0]; lastText(turn) != "this host gives nobody a terminal" || theCall(t, turn).Status != protocol.ToolCompleted {
		t.Errorf("the turn is %s", encode(t, turn))
	}
}

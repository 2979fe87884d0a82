package host

import (
	"context"
	"errors"
	"strings"

	"ahptui/host/terminal"
	"ahptui/protocol"
)

// Command is a line that an agent wants the user's shell to carry out, on a
// terminal that everybody can watch.
type Command struct {
	Line string
	Why  string // what the agent intends; may be empty
	// Consented: the person has asked for this very command. Otherwise it waits for a
	// confirmation.
	Consented bool
	// Background: the turn does not wait for the end.
	Background bool
	// ShowResult: see [Call].
	ShowResult bool
}

// CommandOutcome is what became of a [Command].
type CommandOutcome struct {
	Output   string // the end of it, as plain text; empty in the background
	ExitCode *int   // nil where the command was ended by a signal, or has not ended
	Denied   bool   // the person said no, to the command or to its result
	Err      error  // the command could not be run
}

// errNoTerminals is why a command cannot be run.
var errNoTerminals = errors.New("this host gives nobody a terminal")

// Run runs a command through the whole life of a tool call. It fails only with the
// turn; everything else is an outcome.
func (t *Turn) Run(ctx context.Context, c Command) (CommandOutcome, error) {
	r := &commandRun{call: call{Turn: t, id: newID(), name: "shell", title: "Shell"}, Command: c}
	approved, err := r.clear(ctx)
	if err != nil || !approved {
		return CommandOutcome{Denied: err == nil}, err
	}
	if err := r.start(); err != nil {
		if overErr := r.do(func() {}); overErr != nil {
			return CommandOutcome{}, overErr
		}
		_, overErr := r.finish(ctx, r.failedResult(err), false)
		return CommandOutcome{Err: err}, overErr
	}
	if c.Background {
		return CommandOutcome{}, r.leave(ctx)
	}
	return r.await(ctx)
}

// shellTool is how a session lists what runs commands.
func shellTool() *protocol.ToolDefinition {
	return &protocol.ToolDefinition{
		Name: "shell", Title: "Shell", Description: "Run a command on a terminal that everybody in the session can watch",
		InputSchema: protocol.Raw(`{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`),
	}
}

// commandRun is a command on its way.
type commandRun struct {
	call
	Command
	console *console
}

type commandInput struct {
	Command string `json:"command"`
}

// clear opens the call and makes it ready.
func (r *commandRun) clear(ctx context.Context) (approved bool, err error) {
	const key = "shell"
	raw, err := protocol.Marshal(commandInput{r.Line})
	if err != nil {
		return false, err
	}
	confirmed := ""
	err = r.do(func() {
		switch {
		case r.Consented:
			confirmed = "not-needed"
		case r.chat.session.allowed[key], r.chat.session.configured(configConfirm) == confirmNever:
			confirmed = "setting"
		}
		r.begin(nil, r.Why, nil, string(raw))
		r.ready(string(raw), confirmed, "Run this command?")
	})
	if err != nil || confirmed != "" {
		return err == nil, err
	}
	a, err := r.wait(ctx)
	if said, ok := a.(*protocol.ChatToolCallConfirmed); !ok || !said.Approved {
		return false, err
	}
	return true, r.do(func() {
		var in commandInput
		if protocol.Unmarshal([]byte(r.approved(key)), &in) == nil { // it may have been edited
			r.Line = in.Command
		}
	})
}

// start starts the command on a terminal of its own, and shows it in the call.
func (r *commandRun) start() error {
	failure := errNoTerminals
	var dir string
	err := r.do(func() {
		if !r.host.opts.Terminals {
			return
		}
		var cwd protocol.URI
		if dirs := r.chat.session.state.WorkingDirectories; len(dirs) > 0 {
			cwd = dirs[0]
			dir, _ = filePath(cwd) // "" where it is none of this machine: then that of the host
		}
		claim := &protocol.TerminalClaim{
			Kind: protocol.ClaimSession, Session: r.chat.session.uri, Chat: r.chat.uri, TurnID: r.run.turnID, ToolCallID: r.id,
		}
		if r.Line == "" {
			failure = errors.New("the command is empty")
			return
		}
		r.console, failure = r.host.newConsole(protocol.URI("ahp-terminal:/"+newID()), firstLine(r.Line, 60), cwd, claim, 0, 0)
	})
	if err == nil {
		err = failure
	}
	if err == nil {
		err = r.host.launch(r.console, terminal.Config{Line: r.Line, Dir: dir})
	}
	if err != nil {
		return err
	}
	return r.do(func() {
		r.apply(&protocol.ChatToolCallContentChanged{TurnID: r.run.turnID, ToolCallID: r.id, Content: r.content(nil)})
	})
}

// content is the call's content: the terminal, with the result once there is one.
func (r *commandRun) content(result *protocol.TerminalCommandResult) []*protocol.ToolResultContent {
	return []*protocol.ToolResultContent{{
		Type: protocol.ContentTerminal, Resource: r.console.uri, Title: firstLine(r.Line, 60), IsPty: new(true), Result: result,
	}}
}

// await waits for the end of the command. If the turn ends first, so does the
// command.
func (r *commandRun) await(ctx context.Context) (CommandOutcome, error) {
	select {
	case <-r.console.ended:
	case <-ctx.Done():
		_ = r.console.term.Close(r.host.background()) // which ends: it is not bounded by a context
		return CommandOutcome{}, context.Cause(ctx)
	}
	var out CommandOutcome
	result := new(protocol.TerminalCommandResult)
	if err := r.do(func() {
		text, truncated := preview(r.console.state.Content)
		result.Preview, result.Truncated = protocol.NewText(text), &truncated
		result.ExitCode, _ = r.console.state.Exited()
		out = CommandOutcome{Output: text, ExitCode: result.ExitCode}
	}); err != nil {
		return CommandOutcome{}, err
	}
	success := result.ExitCode != nil && *result.ExitCode == 0
	done := &protocol.ToolResult{Success: success, PastTenseMessage: protocol.Plain("Ran " + r.title), Content: r.content(result)}
	if !success {
		done.PastTenseMessage = protocol.Plain(r.title + " failed")
		done.Error = &protocol.ToolError{Message: "the command failed", Code: "command-failed"}
	}
	allowed, err := r.finish(ctx, done, r.ShowResult)
	if err != nil || !allowed {
		return CommandOutcome{Denied: err == nil}, err
	}
	return out, nil
}

// leave lets the command go on while the turn does. As long as it runs the chat
// lists it as work in the background.
func (r *commandRun) leave(ctx context.Context) error {
	work := &protocol.BackgroundWork{
		Kind: protocol.WorkShell, ID: r.id, Label: firstLine(r.Line, 60), StartedAt: now(), Command: r.Line, Terminal: r.console.uri,
	}
	err := r.do(func() {
		r.apply(&protocol.ChatBackgroundWorkSet{Work: work})
		r.host.work.Go(func() { r.host.awaitBackground(r.chat, r.console, work.ID) })
	})
	if err != nil {
		return err
	}
	_, err = r.finish(ctx, &protocol.ToolResult{
		Success: true, PastTenseMessage: protocol.Plain("Started in the background"), Content: r.content(nil),
	}, false)
	return err
}

// awaitBackground takes work off a chat's list when its terminal has ended. It
// takes the lock itself.
func (h *Host) awaitBackground(c *chat, t *console, id string) {
	<-t.ended // a terminal that is closed ends, too
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.channels[c.uri] == c && !h.closed {
		h.apply(c.uri, &protocol.ChatBackgroundWorkRemoved{ID: id}, nil)
	}
}

// shellPrefix is what a message begins with that is a line for the shell.
const shellPrefix = "!"

// shellLine is the line for the shell that a message is, if it is one.
func (h *Host) shellLine(m *protocol.Message) (line string, ok bool) {
	line, ok = strings.CutPrefix(m.Text.String(), shellPrefix)
	line = strings.TrimSpace(line)
	return line, ok && line != "" && h.opts.Terminals && terminal.Supported
}

// shell is the agent of messages that are lines for the shell. One that ends with
// an ampersand is run in the background.
func shell(line string) Agent {
	return AgentFunc(func(ctx context.Context, t *Turn) error {
		rest, background := strings.CutSuffix(line, "&")
		if background = background && !strings.HasSuffix(rest, "&"); background {
			line = strings.TrimSpace(rest)
		}
		out, err := t.Run(ctx, Command{Line: line, Consented: true, Background: background})
		if err == nil && out.Err != nil {
			err = t.Write("That did not work: " + out.Err.Error() + ".")
		}
		return err
	})
}

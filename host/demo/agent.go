package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/host/mcpserver"
)

// task is the message with which the demo's own turn begins.
const task = "After signing in, people land on the start page instead of where they came from. Please fix the redirect."

// agent follows a script.
type agent struct {
	pace time.Duration
}

// Answer implements [host.Agent].
func (a *agent) Answer(ctx context.Context, t *host.Turn) error {
	message := strings.TrimSpace(t.Message())
	switch {
	case message == task:
		return a.fixLogin(ctx, t)
	case message == "/call" || strings.HasPrefix(message, "/call "):
		return a.call(ctx, t, strings.TrimSpace(strings.TrimPrefix(message, "/call")))
	}
	return a.say(ctx, t, help(t.Servers()))
}

// say streams a text word by word.
func (a *agent) say(ctx context.Context, t *host.Turn, text string) error {
	for _, word := range strings.SplitAfter(text, " ") {
		if err := t.Write(word); err != nil {
			return err
		}
		if a.pace > 0 {
			if err := pause(ctx, a.pace); err != nil {
				return err
			}
		}
	}
	return nil
}

// echo is an agent of its own.
func (a *agent) echo(ctx context.Context, t *host.Turn) error { return a.say(ctx, t, t.Message()) }

// fixLogin is the script: look the matter up, report, ask to write a note.
func (a *agent) fixLogin(ctx context.Context, t *host.Turn) error {
	if err := a.say(ctx, t, "I'll look at what is known about the login redirect first."); err != nil {
		return err
	}
	if err := awaitServer(ctx, t, "notes"); err != nil {
		return err
	}
	found, err := a.tool(ctx, t, "notes.search", `{"query":"login"}`, "find what is known about the login")
	if err != nil {
		return err
	}
	if found.Result == nil || found.Result.Failed {
		return a.say(ctx, t, "The notes cannot be searched right now, so I stop here. Start the server `notes` and ask again.")
	}
	report := "The notes name the cause: `handleCallback` drops the query string, and with it the place to return to. " +
		"The fix is to carry `return_to` in the state parameter. I'd like to write that down for whoever reviews it."
	if err := a.say(ctx, t, report); err != nil {
		return err
	}
	added, err := a.tool(ctx, t, "notes.add", `{"text":"Login redirect: carry return_to in the state parameter; handleCallback drops the query string."}`, "leave a note for the review")
	if err != nil {
		return err
	}
	switch {
	case added.Denied:
		return a.say(ctx, t, "All right, I have not written it down. The fix itself is ready for review.")
	case added.Result == nil || added.Result.Failed:
		return a.say(ctx, t, "The note could not be written. The fix itself is ready for review.")
	}
	return a.say(ctx, t, "Noted. The fix is ready for review: the redirect keeps `return_to` through the sign-in. "+
		"Type a message to see what else can be tried here.")
}

// tool calls a tool of one of the session's servers.
func (a *agent) tool(ctx context.Context, t *host.Turn, name, args, why string) (host.Outcome, error) {
	server, ok := owner(t.Servers(), name)
	if !ok {
		return host.Outcome{Err: errors.New("no server has this tool")}, nil
	}
	return t.Call(ctx, host.Call{Server: server.ID, Tool: name, Args: jsontext.Value(args), Why: why})
}

// call runs the tool that a person has asked for.
func (a *agent) call(ctx context.Context, t *host.Turn, request string) error {
	name, args, _ := strings.Cut(request, " ")
	if args = strings.TrimSpace(args); args == "" {
		args = "{}"
	}
	input := jsontext.Value(args)
	if name == "" || !input.IsValid() || input.Kind() != '{' {
		return a.say(ctx, t, "A call is written `/call TOOL {\"argument\":\"value\"}`, and this one is not.\n\n"+help(t.Servers()))
	}
	server, ok := owner(t.Servers(), name)
	if !ok {
		return a.say(ctx, t, fmt.Sprintf("No server of this session has a tool `%s`.\n\n%s", strings.ReplaceAll(name, "`", "'"), help(t.Servers())))
	}
	out, err := t.Call(ctx, host.Call{Server: server.ID, Tool: name, Args: input, Consented: true})
	switch {
	case err != nil:
		return err
	case out.Err != nil:
		return a.say(ctx, t, "That did not work: "+out.Err.Error()+".")
	case out.Result.Failed:
		return a.say(ctx, t, "The tool reports a failure; its words are above.")
	}
	return a.say(ctx, t, "Done.")
}

// owner finds the server that has a tool, or whose name the tool's begins with.
func owner(list []host.Server, tool string) (host.Server, bool) {
	for _, s := range list {
		for _, have := range s.Tools {
			if have.Name == tool {
				return s, true
			}
		}
	}
	for _, s := range list {
		if strings.HasPrefix(tool, s.Name+".") {
			return s, true
		}
	}
	return host.Server{}, false
}

// awaitServer waits while a server is starting, as an agent would before its
// first turn.
func awaitServer(ctx context.Context, t *host.Turn, name string) error {
	const look, patience = 20 * time.Millisecond, 10 * time.Second
	for waited := time.Duration(0); waited < patience; waited += look {
		starting := false
		for _, s := range t.Servers() {
			starting = starting || s.Name == name && s.State.Kind == mcpserver.Starting
		}
		if !starting {
			return nil
		}
		if err := pause(ctx, look); err != nil {
			return err
		}
	}
	return nil
}

// help says what can be tried with the servers as they are.
func help(list []host.Server) string {
	var b strings.Builder
	b.WriteString("I am a script, but the tools are real. You can try:\n\n")
	examples := 0
	for _, s := range list {
		for _, tool := range s.Tools {
			fmt.Fprintf(&b, "- `/call %s %s`\n", tool.Name, example(tool.Name))
			examples++
		}
	}
	if examples == 0 {
		b.WriteString("- start one of the session's MCP servers, and ask me again\n")
		b.WriteString("- or make a session in a directory whose `.mcp.json` names some\n")
	}
	b.WriteString("\nStop, start or disable a server, and call its tools again.")
	return b.String()
}

// example is the input to show for a tool.
func example(tool string) string {
	switch tool {
	case "notes.search":
		return `{"query":"login"}`
	case "notes.add":
		return `{"text":"remember the milk"}`
	case "clock.now":
		return `{"zone":"Europe/Berlin"}`
	case "clock.until":
		return `{"time":"2038-01-19T03:14:07Z"}`
	case "clock.wait":
		return `{"seconds":30}`
	case "archive.get":
		return `{"id":"ACME-114"}`
	}
	return "{}"
}

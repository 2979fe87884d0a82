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
	if known, err := a.trick(ctx, t, message); known {
		return err
	}
	text := help(t.Servers())
	if rules, ok := t.Instructions(); ok {
		text = "I am to keep to this: " + strings.ReplaceAll(strings.TrimSpace(rules), "\n", " ") + "\n\n" + text
	}
	return a.say(ctx, t, text)
}

// say streams a text word by word, and heeds what is said to it meanwhile.
func (a *agent) say(ctx context.Context, t *host.Turn, text string) error {
	for _, word := range strings.SplitAfter(text, " ") {
		if err := a.heed(t); err != nil {
			return err
		}
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

// heed takes what somebody says while the agent is at work.
func (a *agent) heed(t *host.Turn) error {
	select {
	case <-t.Steered():
	default:
		return nil
	}
	if _, ok := t.Steering(); !ok {
		return nil
	}
	return t.Write("I'll keep that in mind. ")
}

// echo is an agent of its own.
func (a *agent) echo(ctx context.Context, t *host.Turn) error { return a.say(ctx, t, t.Message()) }

// fixLogin is the script: look the matter up in the notes and in the tracker,
// report it, ask to write a note.
func (a *agent) fixLogin(ctx context.Context, t *host.Turn) error {
	if err := a.say(ctx, t, "I'll look at what is known about the login redirect first."); err != nil {
		return err
	}
	if err := awaitServer(ctx, t, "notes"); err != nil {
		return err
	}
	found, err := a.tool(ctx, t, host.Call{Tool: "notes.search", Args: jsontext.Value(`{"query":"login"}`), Why: "find what is known about the login"})
	if err != nil {
		return err
	}
	if found.Result == nil || found.Result.Failed {
		return a.say(ctx, t, "The notes cannot be searched right now, so I stop here. Start the server `notes` and ask again.")
	}
	if err := a.say(ctx, t, "The notes name the cause: `handleCallback` drops the query string, and with it the place to return to. "+
		"Let me see whether the tracker has an issue for it."); err != nil {
		return err
	}
	if err := a.report(ctx, t); err != nil {
		return err
	}
	return a.writeDown(ctx, t)
}

// report is the part of the script that takes sign-ins: one to see the issues,
// another one to make one.
func (a *agent) report(ctx context.Context, t *host.Turn) error {
	if err := awaitServer(ctx, t, "tracker"); err != nil {
		return err
	}
	listed, err := a.tool(ctx, t, host.Call{Tool: toolList, Args: jsontext.Value(`{"state":"open"}`), Why: "see whether there is an issue"})
	if err != nil {
		return err
	}
	if listed.Result == nil || listed.Result.Failed {
		return a.say(ctx, t, "I could not look into the tracker ("+because(listed)+"), so I go on without it. ")
	}
	if err := a.say(ctx, t, "There is #112 for the symptom, but none for the cause. I'll open one."); err != nil {
		return err
	}
	created, err := a.tool(ctx, t, host.Call{
		Tool: toolCreate, Args: jsontext.Value(`{"title":"handleCallback drops the query string, and return_to with it"}`), Why: "open an issue for the cause",
		Consented: true, // whoever signs in for more says yes to what it is for
	})
	if err != nil {
		return err
	}
	if created.Result == nil || created.Result.Failed {
		return a.say(ctx, t, "I could not open an issue ("+because(created)+"), so I leave that to you. ")
	}
	return a.say(ctx, t, "The tracker says: "+created.Result.Text()+". ")
}

// because is why a call gave nothing.
func because(out host.Outcome) string {
	switch {
	case out.Err != nil:
		return out.Err.Error()
	case out.Denied:
		return "you said no"
	}
	return "the tool reports a failure"
}

// writeDown ends the script with a note.
func (a *agent) writeDown(ctx context.Context, t *host.Turn) error {
	if err := a.say(ctx, t, "The fix is to carry `return_to` in the state parameter. I'd like to write that down for whoever reviews it."); err != nil {
		return err
	}
	added, err := a.tool(ctx, t, host.Call{
		Tool: "notes.add", Why: "leave a note for the review",
		Args: jsontext.Value(`{"text":"Login redirect: carry return_to in the state parameter; handleCallback drops the query string."}`),
	})
	switch {
	case err != nil:
		return err
	case added.Denied:
		return a.say(ctx, t, "All right, I have not written it down. The fix itself is ready for review.")
	case added.Result == nil || added.Result.Failed:
		return a.say(ctx, t, "The note could not be written. The fix itself is ready for review.")
	}
	return a.say(ctx, t, "Noted. The fix is ready for review: the redirect keeps `return_to` through the sign-in. "+
		"Type a message to see what else can be tried here.")
}

// tool calls a tool of whichever of the session's servers has it.
func (a *agent) tool(ctx context.Context, t *host.Turn, c host.Call) (host.Outcome, error) {
	server, ok := owner(t.Servers(), c.Tool)
	if !ok {
		return host.Outcome{Err: errors.New("no server has this tool")}, nil
	}
	c.Server = server.ID
	return t.Call(ctx, c)
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
		if s.State.Kind == mcpserver.AuthRequired && s.Name == "tracker" {
			fmt.Fprintf(&b, "- `/call %s %s`, which waits until you have signed in\n", toolList, example(toolList))
			examples++
		}
	}
	if examples == 0 {
		b.WriteString("- start one of the session's MCP servers, and ask me again\n")
		b.WriteString("- or make a session in a directory whose `.mcp.json` names some\n")
	}
	b.WriteString("\nStop, start or disable a server, or sign in to one, and call its tools again.\n")
	b.WriteString(moreHelp)
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
	case toolList:
		return `{"state":"open"}`
	case toolCreate:
		return `{"title":"Safari keeps the old session cookie"}`
	case "archive.get":
		return `{"id":"ACME-114"}`
	}
	return "{}"
}

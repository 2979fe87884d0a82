package demo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host"
	"ahptui/protocol"
)

// tricks are what the agent can be told to do besides calling tools of servers.
func (a *agent) trick(ctx context.Context, t *host.Turn, message string) (known bool, err error) {
	word, rest, _ := strings.Cut(message, " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "/ask":
		return true, a.ask(ctx, t, rest)
	case "/run":
		return true, a.run(ctx, t, rest)
	case "/client":
		return true, a.client(ctx, t, rest)
	case "/break":
		return true, a.breakDown(ctx, t)
	}
	return false, nil
}

// moreHelp says what else can be tried.
const moreHelp = "\nBesides, `/ask` makes me ask you something, `/ask all` something of every kind, `/ask link` to look at a page, `/run date` run a command, `/client` call a tool of your program's, " +
	"and `/break` fail, so that you can have me go on."

// ask asks one question of each common kind, of every kind, or to look at a page.
func (a *agent) ask(ctx context.Context, t *host.Turn, what string) error {
	switch what {
	case "all":
		return a.askAll(ctx, t)
	case "link":
		return a.askLink(ctx, t)
	}
	reply, err := t.Ask(ctx, &protocol.ChatInputRequest{
		Message: "Before I go on:",
		Questions: []*protocol.ChatInputQuestion{
			{Kind: protocol.QuestionText, ID: "branch", Message: "What shall the branch be called?", Required: new(true), Min: new(1.0), Max: new(60.0)},
			{Kind: protocol.QuestionSingleSelect, ID: "base", Message: "Where does it begin?", Options: []*protocol.ChatInputOption{
				{ID: "main", Label: "main", Recommended: new(true)}, {ID: "release", Label: "release-2.4"},
			}},
			{Kind: protocol.QuestionBoolean, ID: "push", Message: "Shall I push it?"},
		},
	})
	if err != nil {
		return err
	}
	if reply.Response != protocol.ResponseAccept {
		return a.say(ctx, t, "All right, never mind.")
	}
	name := ""
	if answer := reply.Answers["branch"]; answer != nil {
		name, _ = answer.Given().Text()
	}
	return a.say(ctx, t, fmt.Sprintf("Thank you. It would be called `%s`, if I were more than a script.", strings.ReplaceAll(name, "`", "'")))
}

// run runs a command, once it was confirmed.
func (a *agent) run(ctx context.Context, t *host.Turn, line string) error {
	if line == "" {
		return a.say(ctx, t, "A command is written `/run COMMAND`.")
	}
	out, err := t.Run(ctx, host.Command{Line: line, Why: "because you said so"})
	switch {
	case err != nil:
		return err
	case out.Denied:
		return a.say(ctx, t, "All right, I have not run it.")
	case out.Err != nil:
		return a.say(ctx, t, "That did not work: "+out.Err.Error()+".")
	case out.ExitCode == nil:
		return a.say(ctx, t, "The command was ended.")
	}
	return a.say(ctx, t, fmt.Sprintf("The command ended with the code %d.", *out.ExitCode))
}

// client calls a tool that a client has brought: the one that is named, or the first.
func (a *agent) client(ctx context.Context, t *host.Turn, request string) error {
	name, args, _ := strings.Cut(request, " ")
	for _, tool := range t.ClientTools() {
		if name != "" && tool.Tool.Name != name {
			continue
		}
		input := jsontext.Value(strings.TrimSpace(args))
		if !input.IsValid() || input.Kind() != '{' {
			input = jsontext.Value("{}")
		}
		out, err := t.Call(ctx, host.Call{Client: tool.Client, Tool: tool.Tool.Name, Args: input, Why: "because you said so"})
		switch {
		case err != nil:
			return err
		case out.Denied:
			return a.say(ctx, t, "All right, I leave it.")
		case out.Err != nil:
			return a.say(ctx, t, "That did not work: "+out.Err.Error()+".")
		}
		return a.say(ctx, t, "Your program says: "+out.Result.Text())
	}
	return a.say(ctx, t, "No program in this session has brought such a tool.")
}

// breakDown fails the first time, and goes on when the turn is taken up again.
func (a *agent) breakDown(ctx context.Context, t *host.Turn) error {
	if t.Resumed() {
		return a.say(ctx, t, "where was I? Ah, yes: that was all.")
	}
	if err := a.say(ctx, t, "I was about to say "); err != nil {
		return err
	}
	return &host.ResumableError{Err: errors.New("the model does not answer; it may in a moment")}
}

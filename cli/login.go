package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/protocol"
)

// hostPatience is how long a host may say nothing after it took a token.
const hostPatience = 15 * time.Second

// loginFlags are the flags of the command mcp login.
type loginFlags struct {
	session            string
	browser, noBrowser bool
	yes                bool
}

func (a *app) loginCommand() *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use: "login NAME", Short: "Sign in to a server that asks for it, or for a call that waits for access", Args: cobra.ExactArgs(1),
		Long: `login gets a token for the resource that a server, or a tool call of it, waits for,
and hands it to the host. It ends when the server is ready or the call went on.

The address to open is always printed. A token goes to a host only after consent
for that host and resource: --yes gives it beforehand, a terminal asks.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(cmd.Context(), func(ctx context.Context, c *ahpclient.Client) error {
				return a.login(ctx, c, args[0], f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "the session's URI, where several have a server of this name")
	flags.BoolVar(&f.browser, "browser", false, "open the browser (as it does where there is one)")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "only print the address to open")
	flags.BoolVar(&f.yes, "yes", false, "let this host have a token for this resource, without asking")
	cmd.MarkFlagsMutuallyExclusive("browser", "no-browser")
	return cmd
}

// loginEvent is what login prints, a line each.
type loginEvent struct {
	Event    string   `json:"event"`
	URL      string   `json:"url,omitzero"`
	Scopes   []string `json:"scopes,omitzero"`
	Issuer   string   `json:"issuer,omitzero"`
	Resource string   `json:"resource,omitzero"`
	Step     string   `json:"step,omitzero"`
	Error    string   `json:"error,omitzero"`
	Remedy   string   `json:"remedy,omitzero"`
}

// login is a sign-in by command.
type login struct {
	*app
	client *ahpclient.Client
	flags  loginFlags
	wait   authWait
}

func (a *app) login(ctx context.Context, client *ahpclient.Client, name string, f loginFlags) error {
	view, uris, err := a.openSessions(ctx, client, f.session)
	if err != nil {
		return err
	}
	target, err := pick(serversIn(view, uris), name)
	if err != nil {
		return err
	}
	l := &login{app: a, client: client, flags: f}
	wait, ok := waitOf(view, target)
	if !ok {
		if target.StateKind() == protocol.McpReady {
			return l.print(loginEvent{Event: "ready"})
		}
		return fail(exitFailed, "its state is "+string(target.StateKind()), "%s does not wait for a sign-in", name)
	}
	l.wait = wait
	host, err := auth.ParseHost(withoutToken(a.url))
	if err != nil {
		return usageError(err)
	}
	challenge, err := auth.NewChallenge(host, wait.source, wait.requirement)
	if err != nil {
		return l.failed(err)
	}
	return l.run(ctx, challenge)
}

// run follows the flow to its end and hands the token to the host.
func (l *login) run(ctx context.Context, challenge auth.Challenge) error {
	var config auth.Config
	if !l.flags.noBrowser {
		config.Opener = auth.NewBrowser()
	}
	broker := auth.NewBroker(config)
	defer broker.Close()
	flow := broker.Start(ctx, challenge)
	for event := range flow.Events(ctx) {
		switch e := event.(type) {
		case auth.NeedConsent:
			if err := l.consent(ctx, flow, e); err != nil {
				return err
			}
		case auth.NeedReach:
			if err := l.reach(ctx, flow, e); err != nil {
				return err
			}
		case auth.Done:
			return l.handOver(ctx, e.Grant)
		case auth.Failed:
			return l.failed(e.Failure)
		default:
			if err := l.progress(event); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// progress prints the events that only tell.
func (l *login) progress(event auth.Event) error {
	switch e := event.(type) {
	case auth.OpenURL:
		return l.print(loginEvent{Event: "open_url", URL: e.URL})
	case auth.Waiting:
		return l.print(loginEvent{Event: "waiting"})
	case auth.Exchanging:
		return l.print(loginEvent{Event: "exchanging", Issuer: e.Issuer})
	}
	return nil
}

// consent asks whether the host may have the token, unless that was said
// beforehand. Without an answer the command ends: a person must decide.
func (l *login) consent(ctx context.Context, flow *auth.Flow, e auth.NeedConsent) error {
	if err := l.print(loginEvent{Event: "consent", Scopes: e.Scopes.Request, Issuer: e.Issuer, Resource: e.Resource}); err != nil {
		return err
	}
	yes := l.flags.yes
	if !yes {
		question := fmt.Sprintf("Let %s have a token for %s, issued by %s?", e.Host.ID, e.Resource, e.Issuer)
		var err error
		if yes, err = l.ask(ctx, question); err != nil {
			return err
		}
	}
	flow.Answer(e.Question, auth.Answer{Yes: yes})
	if !yes {
		return reported(exitSignIn)
	}
	return nil
}

// reach asks whether a server in a private network may be contacted; --yes is no
// answer to that.
func (l *login) reach(ctx context.Context, flow *auth.Flow, e auth.NeedReach) error {
	yes, err := l.ask(ctx, fmt.Sprintf("Contact the authorization server %s at the private address %s?", e.Issuer, e.Address))
	if err != nil {
		return err
	}
	flow.Answer(e.Question, auth.Answer{Yes: yes})
	if !yes {
		return reported(exitSignIn)
	}
	return nil
}

// ask puts a question to whoever sits at the terminal.
func (l *login) ask(ctx context.Context, question string) (bool, error) {
	if l.json || !term.IsTerminal(int(l.In.Fd())) {
		return false, fail(exitSignIn, "run it in a terminal, or with --yes", "a person must consent first")
	}
	if _, err := fmt.Fprintf(l.Out, "%s [y/N] ", line(question)); err != nil {
		return false, err
	}
	answer := make(chan string, 1)
	go func() { // ends with the line, or with the process: a read of a terminal cannot be stopped
		text, _ := bufio.NewReader(l.In).ReadString('\n')
		answer <- text
	}()
	select {
	case text := <-answer:
		return strings.EqualFold(strings.TrimSpace(text), "y"), nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// handOver gives the token to the host and waits for what it does with it.
func (l *login) handOver(ctx context.Context, grant auth.Grant) error {
	if err := l.client.Authenticate(ctx, grant.Params(time.Now())); err != nil {
		return l.failed(&auth.Failure{Step: "authenticate", Err: err, Remedy: "The host did not take the token: see its log."})
	}
	if err := l.print(loginEvent{Event: "authenticated", Scopes: grant.Scopes, Resource: grant.Resource}); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, hostPatience)
	defer cancel()
	var end waitEnd
	_, err := l.client.Await(waiting, func(v *ahpclient.View) bool {
		end = l.wait.look(v)
		return end != stillWaits
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && end == wentOn:
		return l.print(loginEvent{Event: "ready"})
	case err == nil:
		return l.failed(&auth.Failure{Step: "host", Err: errors.New("the host asks again"), Remedy: "Look at what it asks for now: ahptui mcp ls"})
	case errors.Is(err, context.DeadlineExceeded):
		return l.failed(&auth.Failure{Step: "host", Err: errors.New("the host took the token and has done nothing with it"), Remedy: "Restart the server: ahptui mcp restart NAME"})
	}
	return err
}

// failed prints why there is no token.
func (l *login) failed(err error) error {
	event := loginEvent{Event: "failed", Error: err.Error()}
	if f, ok := errors.AsType[*auth.Failure](err); ok {
		event.Step, event.Error, event.Remedy = string(f.Step), f.Err.Error(), f.Remedy
	}
	if printErr := l.print(event); printErr != nil {
		return printErr
	}
	return reported(exitFailed)
}

func (l *login) print(e loginEvent) error {
	if l.json {
		return printJSON(l.Out, e)
	}
	_, err := fmt.Fprintln(l.Out, line(e.words()))
	return err
}

// words is the event for a person. The address stands alone in its line, so
// that it can be copied.
func (e loginEvent) words() string {
	switch e.Event {
	case "consent":
		return fmt.Sprintf("%s wants %s from %s", e.Resource, strings.Join(e.Scopes, " "), e.Issuer)
	case "open_url":
		return e.URL
	case "waiting":
		return "open the address above in a browser; waiting for the answer"
	case "exchanging":
		return "signed in, fetching the token"
	case "authenticated":
		return "the host has the token: " + strings.Join(e.Scopes, " ")
	case "failed":
		return strings.TrimSpace(fmt.Sprintf("failed at %s: %s. %s", e.Step, e.Error, e.Remedy))
	}
	return e.Event
}

package cli

import (
	"bufio"
	"cmp"
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
	session                           string
	browser, noBrowser, device, paste bool
	accessTokenFile                   string
	yes                               bool
}

func (a *app) loginCommand() *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use: "login NAME", Short: "Sign in to a server that asks for it, or for a call that waits for access", Args: cobra.ExactArgs(1),
		Long: `login gets a token for the resource that a server, or a tool call of it, waits for,
and hands it to the host. It ends when the server is ready or the call went on.

The way is a browser of this machine; over SSH and without a screen it is a code
to type in a browser anywhere, where the server has that (--device), else an
address to paste (--paste). What to open is always printed. --access-token-file
hands over a token that you have got elsewhere.

A token goes to a host only after consent
for that host and resource: --yes gives it beforehand, a terminal asks.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(cmd.Context(), func(ctx context.Context, c *ahpclient.Client) error {
				return a.login(ctx, c, args[0], f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "the session's URI, where several have a server of this name")
	flags.BoolVar(&f.browser, "browser", false, "sign in by a browser of this machine")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "do so, but only print the address to open")
	flags.BoolVar(&f.device, "device", false, "sign in by a code that is typed in a browser anywhere")
	flags.BoolVar(&f.paste, "paste", false, "sign in by a browser anywhere, and read the address at which it ends from standard input")
	flags.StringVar(&f.accessTokenFile, "access-token-file", "", "hand over the access token in this file, which only you can read")
	flags.BoolVar(&f.yes, "yes", false, "let this host have a token for this resource, without asking")
	cmd.MarkFlagsMutuallyExclusive("browser", "no-browser", "device", "paste", "access-token-file")
	return cmd
}

// method is the way that was asked for; empty leaves the choice.
func (f loginFlags) method() auth.Method {
	switch {
	case f.browser, f.noBrowser:
		return auth.ByBrowser
	case f.device:
		return auth.ByDevice
	case f.paste:
		return auth.ByPaste
	case f.accessTokenFile != "":
		return auth.ByToken
	}
	return ""
}

// config is what the flow stands on, beside what the flags say.
func (f loginFlags) config(c auth.Config, resource string) auth.Config {
	if f.noBrowser {
		c.Opener = nil
	}
	if f.accessTokenFile != "" {
		c.Supplies = map[string]auth.Supply{resource: auth.FromFile(f.accessTokenFile)}
	}
	return c
}

// login is a sign-in by command.
type login struct {
	*app
	client *ahpclient.Client
	flags  loginFlags
	wait   authWait
	method auth.Method   // by which the flow goes on
	input  <-chan string // the lines of standard input; nil until somebody reads them
	pasted <-chan string // the same while an address is waited for, else nil
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
	config, err := l.authConfig(ctx)
	if err != nil {
		return err
	}
	broker := auth.NewBroker(l.flags.config(config, challenge.Resource))
	defer broker.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	flow := broker.StartBy(ctx, l.flags.method(), challenge)
	events := make(chan auth.Event)
	go func() { // ends with the flow or with ctx
		defer close(events)
		for event := range flow.Events(ctx) {
			select {
			case events <- event:
			case <-ctx.Done():
			}
		}
	}()
	for {
		select {
		case event, ok := <-events:
			if !ok {
				return ctx.Err()
			}
			if over, err := l.follow(ctx, flow, event); over || err != nil {
				return err
			}
		case text, ok := <-l.pasted:
			if err := l.paste(flow, text, ok); err != nil {
				return err
			}
		}
	}
}

// follow does what an event asks for, and reports whether it was the last.
func (l *login) follow(ctx context.Context, flow *auth.Flow, event auth.Event) (over bool, err error) {
	switch e := event.(type) {
	case auth.NeedConsent:
		return false, l.consent(ctx, flow, e)
	case auth.NeedReach:
		return false, l.reach(ctx, flow, e)
	case auth.Done:
		return true, l.handOver(ctx, e.Grant)
	case auth.Failed:
		return true, l.failed(e.Failure)
	}
	return false, l.progress(event)
}

// progress prints the events that only tell.
func (l *login) progress(event auth.Event) error {
	switch e := event.(type) {
	case auth.Chosen:
		l.method = e.Method
	case auth.OpenURL:
		return l.print(loginEvent{Event: "open_url", URL: e.URL})
	case auth.Waiting:
		if l.method == auth.ByPaste {
			l.pasted = l.lines()
		}
		return l.print(loginEvent{Event: "waiting", RedirectURI: e.RedirectURI, Tunnel: e.Tunnel, method: l.method})
	case auth.UserCode:
		return l.print(loginEvent{
			Event: "user_code", UserCode: e.UserCode, VerificationURI: e.VerificationURI,
			VerificationURIComplete: e.VerificationURIComplete, ExpiresIn: int64(e.ExpiresIn / time.Second),
		})
	case auth.Supplying:
		return l.print(loginEvent{Event: "supplying", From: e.From})
	case auth.Exchanging:
		l.pasted = nil
		return l.print(loginEvent{Event: "exchanging", Issuer: e.Issuer})
	}
	return nil
}

// paste gives the flow a line that was pasted. When no more can come, a person
// is missing.
func (l *login) paste(flow *auth.Flow, text string, ok bool) error {
	if !ok {
		return fail(exitSignIn, "run it in a terminal, or write the address to its standard input", "nobody pasted the address at which the browser ended")
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if err := flow.Paste(text); err != nil {
		return l.print(loginEvent{Event: "paste_refused", Error: err.Error()})
	}
	l.pasted = nil
	return nil
}

// lines are those of standard input, read by one goroutine from the first call
// on. It ends with the input, or with the process: a read of a terminal cannot be
// stopped.
func (l *login) lines() <-chan string {
	if l.input == nil {
		input := make(chan string)
		go func() {
			defer close(input)
			scanner := bufio.NewScanner(l.In)
			for scanner.Scan() {
				input <- scanner.Text()
			}
		}()
		l.input = input
	}
	return l.input
}

// consent asks whether the host may have the token, unless that was said
// beforehand. Without an answer the command ends: a person must decide.
func (l *login) consent(ctx context.Context, flow *auth.Flow, e auth.NeedConsent) error {
	if err := l.print(loginEvent{Event: "consent", Scopes: e.Scopes.Request, Issuer: e.Issuer, Resource: e.Resource, From: e.Supply}); err != nil {
		return err
	}
	yes := l.flags.yes
	if !yes {
		question := fmt.Sprintf("Let %s have a token for %s, from %s?", e.Host.ID, e.Resource, cmp.Or(e.Supply, e.Issuer))
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
	select {
	case text := <-l.lines(): // none: no
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
	for _, text := range e.words() {
		if _, err := fmt.Fprintln(l.Out, line(text)); err != nil {
			return err
		}
	}
	return nil
}

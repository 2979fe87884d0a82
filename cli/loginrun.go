package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/jsonrpc"
)

// login is a sign-in by command.
type login struct {
	*app
	out    io.Writer // for its events
	client *ahpclient.Client
	flags  loginFlags
	method auth.Method // by which the flow goes on
	person bool        // the flow got beyond what is held already
	asked  chan struct{}
	input  <-chan string // the lines of standard input; nil until somebody reads them
	pasted <-chan string // the same while an address is waited for, else nil
}

// config is what the flows stand on, beside what the flags say.
func (l *login) config(ctx context.Context, resource string) (auth.Config, error) {
	c, err := l.authConfig(ctx)
	if err != nil {
		return c, err
	}
	c.Interactive = true
	if l.flags.noBrowser {
		c.Opener = nil
	}
	switch file := l.flags.accessTokenFile; {
	case file == "-" && l.asks(): // a person types it
		c.Supplies = nil
	case file == "-":
		c.Supplies = map[string]auth.Supply{resource: auth.FromReader("standard input", l.In)}
	case file != "":
		c.Supplies = map[string]auth.Supply{resource: auth.FromFile(file)}
	}
	return c, nil
}

// run gets tokens for what waits and hands them to the host, until that goes on
// or a person's sign-in did not help.
func (l *login) run(ctx context.Context, wait authWait) error {
	challenge, err := wait.challenge(withoutToken(l.url))
	if err != nil {
		return l.failed(err)
	}
	config, err := l.config(ctx, challenge.Resource)
	if err != nil {
		return err
	}
	broker := auth.NewBroker(config)
	defer broker.Close()
	for {
		grant, err := l.token(ctx, broker, challenge)
		if err != nil {
			return err
		}
		end, err := l.handOver(ctx, broker, wait, grant)
		switch {
		case err != nil:
			return err
		case end == wentOn:
			broker.Settle(challenge)
			if wait.look == nil {
				return nil
			}
			return l.print(loginEvent{Event: "ready"})
		}
		// What was held did not do. The next flow knows, and comes to a person in the end.
		var ok bool
		if wait, ok = wait.anew(l.client.View()); !ok {
			return l.failed(&auth.Failure{Step: stepHost, Err: errors.New("what waited for the token has not gone on, and asks for none any more"), Remedy: "Look at its state: ahptui mcp ls"})
		}
		next, err := wait.challenge(withoutToken(l.url))
		if err != nil {
			return l.failed(err)
		}
		if l.person {
			if next.Reason != auth.InsufficientScope {
				_ = broker.Refused(ctx, *grant) // where it cannot be noted, the host refuses it once more
			}
			return l.failed(&auth.Failure{Step: stepHost, Err: errors.New("the host asks again"), Remedy: "Look at what it asks for now: ahptui mcp ls"})
		}
		broker.Again(challenge)
		challenge = next
	}
}

// The steps that are the host's part.
const (
	stepAuthenticate auth.Step = "authenticate"
	stepHost         auth.Step = "host"
)

// token follows a flow to its end.
func (l *login) token(ctx context.Context, broker *auth.Broker, challenge auth.Challenge) (*auth.Grant, error) {
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
				return nil, ctx.Err()
			}
			if done, ok := event.(auth.Done); ok {
				return &done.Grant, nil
			}
			if err := l.follow(ctx, flow, event); err != nil {
				return nil, err
			}
		case text, ok := <-l.pasted:
			if err := l.paste(flow, text, ok); err != nil {
				return nil, err
			}
		}
	}
}

// follow does what an event asks for.
func (l *login) follow(ctx context.Context, flow *auth.Flow, event auth.Event) error {
	switch e := event.(type) {
	case auth.Discovering:
		l.person = true
	case auth.NeedConsent:
		return l.consent(ctx, flow, e)
	case auth.NeedReach:
		return l.reach(ctx, flow, e)
	case auth.NeedClient:
		return l.needClient(ctx, flow, e)
	case auth.NeedToken:
		return l.needToken(ctx, flow, e)
	case auth.Failed:
		return l.failed(e.Failure)
	}
	return l.progress(event)
}

// progress prints the events that only tell.
func (l *login) progress(event auth.Event) error {
	switch e := event.(type) {
	case auth.Chosen:
		l.method = e.Method
	case auth.Waiting:
		if l.method == auth.ByPaste {
			l.pasted = l.lines()
		}
		return l.print(loginEvent{Event: "waiting", RedirectURI: e.RedirectURI, Tunnel: e.Tunnel, method: l.method})
	case auth.Exchanging:
		l.pasted = nil
		return l.print(loginEvent{Event: "exchanging", Issuer: e.Issuer})
	default:
		if told, ok := eventOf(event); ok {
			return l.print(told)
		}
	}
	return nil
}

// handOver gives the token to the host and waits for what it does with it.
func (l *login) handOver(ctx context.Context, broker *auth.Broker, wait authWait, grant *auth.Grant) (waitEnd, error) {
	if err := l.client.Authenticate(ctx, grant.Params(time.Now())); err != nil {
		if _, refused := errors.AsType[*jsonrpc.Error](err); !refused {
			return stillWaits, err
		}
		_ = broker.Refused(ctx, *grant) // where it cannot be noted, the host refuses it once more
		return stillWaits, l.failed(&auth.Failure{Step: stepAuthenticate, Err: err, Remedy: "The host did not take the token: see its log."})
	}
	if err := l.print(loginEvent{Event: "authenticated", Scopes: grant.Scopes, Resource: grant.Resource, Audience: grant.OtherAudiences}); err != nil {
		return stillWaits, err
	}
	if err := l.tellKept(ctx); err != nil || wait.look == nil {
		return wentOn, err
	}
	waiting, cancel := context.WithTimeout(ctx, auth.HostPatience)
	defer cancel()
	var end waitEnd
	_, err := l.client.Await(waiting, func(v *ahpclient.View) bool {
		end = wait.look(v)
		return end != stillWaits
	})
	switch {
	case ctx.Err() != nil:
		return stillWaits, ctx.Err()
	case errors.Is(err, context.DeadlineExceeded):
		return stillWaits, l.failed(&auth.Failure{Step: stepHost, Err: errors.New("the host took the token and has done nothing with it"), Remedy: "Restart the server: ahptui mcp restart NAME"})
	}
	return end, err
}

// tellKept says, to a person who has not chosen yet, that the token ends with this
// command.
func (l *login) tellKept(ctx context.Context) error {
	if l.json || !l.person || !l.account.tokens(ctx).Status().Ask {
		return nil
	}
	_, err := fmt.Fprintln(l.out, "the token is not kept here. To keep sign-ins: ahptui auth store file; not to be told: ahptui auth store session")
	return err
}

// failed prints why there is no token. Where somebody should have signed in and
// did not, a person is missing.
func (l *login) failed(err error) error {
	event, code := loginEvent{Event: "failed", Error: err.Error()}, exitFailed
	if f, ok := errors.AsType[*auth.Failure](err); ok {
		event.Step, event.Error, event.Remedy = string(f.Step), f.Err.Error(), f.Remedy
		event.Expected, event.Received, event.Said = f.Expected, f.Received, f.Said
		if errors.Is(err, auth.ErrAbandoned) && f.Step != auth.StepSupply {
			code = exitSignIn
		}
	}
	if printErr := l.print(event); printErr != nil {
		return printErr
	}
	return reported(code)
}

func (l *login) print(e loginEvent) error {
	if l.json {
		return printJSON(l.out, e)
	}
	for _, text := range e.words() {
		if _, err := fmt.Fprintln(l.out, line(text)); err != nil {
			return err
		}
	}
	return nil
}

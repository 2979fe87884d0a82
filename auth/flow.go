package auth

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"sync"

	"ahptui/internal/guard"
)

// Flow is one way from a challenge to a token. It is started by [Broker.Start], told about by its events, and over when
// the last of them, [Done] or [Failed], is there: then no port is open and nothing runs any more.
type Flow struct {
	broker    *Broker
	challenge Challenge
	cancel    context.CancelCauseFunc
	log       *eventLog
	over      chan struct{}

	mu       sync.Mutex
	question int // the number of the open one, or -1
	answers  chan Answer
}

// Answer is what a person says to [NeedReach] and [NeedConsent].
type Answer struct {
	Yes bool
	// Issuer chooses another one of [NeedConsent.Issuers]; the flow then asks about that. Empty means the one shown.
	Issuer string
}

func newFlow(b *Broker, c Challenge, cancel context.CancelCauseFunc) *Flow {
	return &Flow{broker: b, challenge: c, cancel: cancel, log: newEventLog(), over: make(chan struct{}), question: -1}
}

// Challenge returns what the flow is about.
func (f *Flow) Challenge() Challenge { return f.challenge }

// Event returns the event of number n, counted from 0, and waits until there is one. It reports false when the flow has
// ended before, or ctx has.
func (f *Flow) Event(ctx context.Context, n int) (Event, bool) { return f.log.event(ctx, n) }

// Events returns all events from the first to the last, which is [Done] or [Failed], as they come. It ends early when ctx
// does. Every reader gets all of them.
func (f *Flow) Events(ctx context.Context) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for n := 0; ; n++ {
			e, ok := f.log.event(ctx, n)
			if !ok || !yield(e) {
				return
			}
		}
	}
}

// Answer answers a question by its number. It reports false when that question is not open: an answer counts for what
// the person saw, and once.
func (f *Flow) Answer(question int, a Answer) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if question < 0 || question != f.question {
		return false
	}
	f.question = -1
	f.answers <- a
	return true
}

// Cancel gives the flow up. It does not wait: the last event, or [Flow.Wait], says when all is undone.
func (f *Flow) Cancel() { f.cancel(ErrCancelled) }

// Wait waits until the flow is over.
func (f *Flow) Wait() { <-f.over }

func (f *Flow) emit(e Event) { f.log.add(func(int) Event { return e }) }

// ask puts a question, made from its number, and waits for the answer.
func (f *Flow) ask(ctx context.Context, question func(n int) Event) (Answer, error) {
	answers := make(chan Answer, 1)
	f.mu.Lock()
	f.answers = answers
	f.question = f.log.add(question)
	f.mu.Unlock()
	select {
	case a := <-answers:
		return a, nil
	case <-ctx.Done():
		f.mu.Lock()
		f.question = -1
		f.mu.Unlock()
		return Answer{}, ended(ctx, StepConsent)
	}
}

// run is the flow's goroutine.
func (f *Flow) run(ctx context.Context) {
	grant, err := f.grant(ctx)
	f.finish(grant, err)
}

func (f *Flow) finish(grant *Grant, err error) {
	defer f.cancel(nil)
	defer close(f.over)
	f.broker.ended(f)
	if err != nil {
		f.log.end(Failed{fail(StepChallenge, err, "")})
		return
	}
	f.log.end(Done{*grant})
}

// plan is what a flow has found out and the person has agreed to.
type plan struct {
	metadata *serverMetadata
	client   *guard.Client // for the authorization server
	policy   guard.Policy
	scopes   Scopes
}

func (f *Flow) grant(ctx context.Context) (*Grant, error) {
	c := f.challenge
	if c.Reason == InsufficientScope && f.broker.stepUps(c) >= maxStepUps {
		return nil, fail(StepChallenge,
			fmt.Errorf("more access was granted %d times, and each time it asked for more", maxStepUps),
			"The server does not accept what it asks for: tell its operator. Cancel the call, or restart the program to try again.")
	}
	p, err := f.prepare(ctx)
	if err != nil {
		return nil, err
	}
	t, err := f.authorize(ctx, p)
	if err != nil {
		return nil, err
	}
	f.broker.granted(c, holding{issuer: p.metadata.Issuer, requested: p.scopes.Request, granted: t.scopes})
	return &Grant{
		Host: c.Host, Resource: c.Resource, Issuer: p.metadata.Issuer,
		Token: t.access, Scopes: t.scopes, Expires: t.expires,
		Missing: missing(p.scopes.Request, t.scopes),
	}, nil
}

// prepare finds out what can be found out and has it agreed to. Nothing but public documents is fetched before that.
func (f *Flow) prepare(ctx context.Context) (*plan, error) {
	c := f.challenge
	previous := f.broker.consented(c.Key())
	issuer := preferred(c.Issuers, previous.issuer)
	f.emit(Discovering{Resource: c.Resource, Issuer: issuer})
	client := guard.New(f.broker.policy(c.Host, c.Resource), f.broker.config.Network)
	found := askResource(ctx, client, c.Resource)
	if ctx.Err() != nil {
		return nil, ended(ctx, StepResource)
	}
	issuers, err := f.issuers(found)
	if err != nil {
		return nil, err
	}
	issuer = preferred(issuers, previous.issuer)
	for {
		p, answer, err := f.consider(ctx, issuer, issuers, previous, found)
		if err != nil {
			return nil, err
		}
		if answer.Issuer == "" || answer.Issuer == issuer {
			return p, nil
		}
		issuer = answer.Issuer
		f.emit(Discovering{Resource: c.Resource, Issuer: issuer})
	}
}

// preferred is the issuer that was agreed to before, where that is still one of them, else the first.
func preferred(issuers []string, previous string) string {
	switch {
	case slices.Contains(issuers, previous):
		return previous
	case len(issuers) > 0:
		return issuers[0]
	}
	return ""
}

// issuers are those that the host names. Where it names none the resource's own word is taken; but a secret that a host
// hands out is only for servers that the same host names.
func (f *Flow) issuers(found testimony) ([]string, error) {
	c := f.challenge
	if len(c.Issuers) > 0 {
		return c.Issuers, nil
	}
	none := errors.New("the host names no authorization server for the resource")
	switch {
	case found.document == nil:
		return nil, fail(StepResource, fmt.Errorf("%w, and the resource could not be asked: %w", none, found.why), askHost)
	case found.document.Resource != c.Resource || len(found.document.Issuers) == 0 || len(found.document.Issuers) > maxIssuers:
		return nil, fail(StepResource, fmt.Errorf("%w, nor does the resource", none), askHost)
	case c.Client != nil && !c.Client.Secret.IsZero():
		return nil, fail(StepResource, fmt.Errorf("%w, but a client's secret to send there", none), askHost)
	}
	return found.document.Issuers, nil
}

const askHost = "Ask the operator of the host or of the server."

// consider looks at one issuer and asks for consent where there is none yet.
func (f *Flow) consider(ctx context.Context, issuer string, issuers []string, previous consent, found testimony) (*plan, Answer, error) {
	c := f.challenge
	agreement, err := found.verify(c.Resource, issuer)
	if err != nil {
		return nil, Answer{}, fail(StepResource, err, "One of the two is wrong or lies: nothing is sent. "+askHost)
	}
	p, err := f.discover(ctx, issuer)
	if err != nil {
		return nil, Answer{}, err
	}
	origin, err := f.clientOrigin(p.metadata)
	if err != nil {
		return nil, Answer{}, err
	}
	before := f.broker.before(c.Key(), issuer)
	p.scopes = Scopes{Required: c.RequiredScopes, Held: before.granted, Request: wanted(c, before)}
	origins := p.metadata.otherOrigins()
	if previous.covers(issuer, origins) {
		return p, Answer{}, nil
	}
	need := NeedConsent{
		Host: c.Host, Source: c.Source, Reason: c.Reason,
		Resource: c.Resource, ResourceName: c.ResourceName, Description: c.Description,
		Issuer: issuer, Issuers: issuers, OtherOrigins: origins,
		Scopes: p.scopes, Client: origin, Agreement: agreement,
	}
	if previous.issuer != issuer {
		need.PreviousIssuer = previous.issuer
	}
	answer, err := f.ask(ctx, func(n int) Event { need.Question = n; return need })
	switch {
	case err != nil:
		return nil, Answer{}, err
	case !answer.Yes, answer.Issuer != "" && !slices.Contains(issuers, answer.Issuer):
		return nil, Answer{}, fail(StepConsent, ErrDeclined, "")
	case answer.Issuer == "" || answer.Issuer == issuer:
		f.broker.consent(c.Key(), consent{issuer, origins})
	}
	return p, answer, nil
}

// discover finds the metadata of an issuer, and asks first where that is in a network that a host may not lead into.
func (f *Flow) discover(ctx context.Context, issuer string) (*plan, error) {
	c := f.challenge
	for {
		policy := f.broker.policy(c.Host, issuer)
		client := guard.New(policy, f.broker.config.Network)
		metadata, err := discover(ctx, client, policy, issuer)
		if err == nil {
			return &plan{metadata: metadata, client: client, policy: policy}, nil
		}
		if ctx.Err() != nil {
			return nil, ended(ctx, StepDiscovery)
		}
		address, ok := errors.AsType[*guard.AddressError](err)
		if !ok || !askable(address, policy) {
			return nil, fail(StepDiscovery, err, "")
		}
		answer, err := f.ask(ctx, func(n int) Event {
			return NeedReach{
				Question: n, Host: c.Host, Resource: c.Resource, Issuer: issuer,
				Address: subject(address), Private: address.Class == guard.Private,
			}
		})
		switch {
		case err != nil:
			return nil, err
		case !answer.Yes:
			return nil, fail(StepConsent, ErrDeclined, "")
		}
		f.broker.allowReach(c.Host, issuer, address.Class)
	}
}

// askable reports whether a person's yes would change anything.
func askable(e *guard.AddressError, p guard.Policy) bool {
	return e.Class == guard.Private && !p.Private || e.Class == guard.Loopback && !p.Loopback
}

// clientOrigin says how this program will be known to the server.
func (f *Flow) clientOrigin(m *serverMetadata) (ClientOrigin, error) {
	switch {
	case f.challenge.Client != nil:
		_, err := hostsClient(f.challenge.Client, m)
		if err != nil {
			return "", fail(StepDiscovery, err, askHost)
		}
		return ClientOfHost, nil
	case f.broker.registration(m.Issuer).client.id != "":
		return ClientRegistered, nil
	case m.RegistrationEndpoint == "":
		return "", fail(StepDiscovery,
			errors.New("the authorization server knows no client of the host's, and lets none register itself"),
			"Ask the host's operator to name an OAuth client for the server.")
	}
	return ClientToRegister, nil
}

func isLoopback(rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && guard.IsLoopback(u)
}

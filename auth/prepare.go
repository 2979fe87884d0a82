package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"ahptui/internal/guard"
)

// plan is what a flow has found out and the person has agreed to.
type plan struct {
	issuer     string          // as it was named; empty for a token from elsewhere, when nobody named one
	metadata   *serverMetadata // nil for a token from elsewhere
	exceptions []Exception
	client     *guard.Client // for the authorization server
	policy     guard.Policy
	scopes     Scopes
	method     Method
	methods    []Method
}

// prepare finds out what can be found out and has it agreed to. Nothing but public documents is fetched before that.
func (f *Flow) prepare(ctx context.Context) (*plan, error) {
	c := f.Challenge()
	previous := f.broker.consented(c.Key())
	issuer := preferred(c.Issuers, previous.issuer)
	f.emit(Discovering{Resource: c.Resource, Issuer: issuer})
	client := guard.New(f.broker.policy(c.Host, c.Resource), f.broker.config.Network)
	found := askResource(ctx, client, c.Resource)
	if ctx.Err() != nil {
		return nil, ended(ctx, StepResource)
	}
	issuers, err := f.issuers(c, found)
	if err != nil && f.method(nil) != ByToken {
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
func (f *Flow) issuers(c Challenge, found testimony) ([]string, error) {
	if len(c.Issuers) > 0 {
		return c.Issuers, nil
	}
	none := errors.New("the host names no authorization server for the resource")
	remedy := askHost + " A token that you have got elsewhere can be used as well."
	switch {
	case found.document == nil:
		return nil, fail(StepResource, fmt.Errorf("%w, and the resource could not be asked: %w", none, found.why), remedy)
	case found.document.Resource != c.Resource || len(found.document.Issuers) == 0 || len(found.document.Issuers) > maxIssuers:
		return nil, fail(StepResource, fmt.Errorf("%w, nor does the resource", none), remedy)
	case c.Client != nil && !c.Client.Secret.IsZero():
		return nil, fail(StepResource, fmt.Errorf("%w, but a client's secret to send there", none), askHost)
	}
	return found.document.Issuers, nil
}

const askHost = "Ask the operator of the host or of the server."

// method is the one to take: what the person asked for, a token that is configured for the resource, or what suits the
// place. It is empty when nothing was asked for and nothing is offered.
func (f *Flow) method(offered []Method) Method {
	wanted := f.wanted
	if wanted == "" {
		wanted = f.broker.config.Method
	}
	switch {
	case wanted == ByToken, wanted == "" && f.broker.supply(f.Challenge().Resource) != nil:
		return ByToken
	case slices.Contains(offered, wanted):
		return wanted
	}
	return DefaultMethod(f.broker.config.Place, offered)
}

// consider looks at one issuer and asks for consent where there is none yet.
func (f *Flow) consider(ctx context.Context, issuer string, issuers []string, previous consent, found testimony) (*plan, Answer, error) {
	c := f.Challenge()
	agreement, err := found.verify(c.Resource, issuer)
	if err != nil {
		return nil, Answer{}, err
	}
	p, origin, err := f.explore(ctx, issuer)
	if err != nil {
		return nil, Answer{}, err
	}
	before := f.broker.before(c.Key(), issuer)
	p.scopes = Scopes{Required: c.RequiredScopes, Held: before.granted, Request: wanted(c, before)}
	var origins []string
	if p.metadata != nil {
		origins = p.metadata.otherOrigins()
	} else {
		p.scopes.Request = nil // a token from elsewhere is as it is
	}
	if previous.covers(issuer, origins) {
		return p, Answer{}, nil
	}
	need := NeedConsent{
		Host: c.Host, Source: c.Source, Reason: c.Reason,
		Resource: c.Resource, ResourceName: c.ResourceName, Description: c.Description,
		Issuer: issuer, Issuers: issuers, OtherOrigins: origins,
		Scopes: p.scopes, Client: origin, Agreement: agreement, Exceptions: p.exceptions,
		Method: p.method, Methods: p.methods,
	}
	if p.method == ByToken {
		need.Supply = f.supplyName()
	}
	if previous.issuer != issuer {
		need.PreviousIssuer = previous.issuer
	}
	answer, err := f.ask(ctx, StepConsent, func(n int) Event { need.Question = n; return need })
	switch {
	case err != nil:
		return nil, Answer{}, err
	case !answer.Yes, answer.Issuer != "" && !slices.Contains(issuers, answer.Issuer):
		return nil, Answer{}, fail(StepConsent, ErrDeclined, "")
	case answer.Issuer != "" && answer.Issuer != issuer:
		return p, answer, nil
	}
	if err := p.apply(answer); err != nil {
		return nil, Answer{}, err
	}
	if answer.Register {
		f.broker.forget(issuer)
	}
	f.broker.consent(c.Key(), consent{given: true, issuer: issuer, origins: origins})
	return p, answer, nil
}

// apply takes over what the person chose within what was shown.
func (p *plan) apply(a Answer) error {
	if a.Method != "" {
		if !slices.Contains(p.methods, a.Method) {
			return fail(StepConsent, fmt.Errorf("%q is none of the ways that were offered", a.Method), "")
		}
		p.method = a.Method
	}
	if a.Scopes != nil {
		if more := missing(a.Scopes, p.scopes.Request); len(more) > 0 {
			return fail(StepConsent, fmt.Errorf("the scope %q was not among those that were shown", more[0]), "")
		}
		p.scopes.Request = union(a.Scopes)
	}
	return nil
}

// explore finds out how a token of an issuer can be got. For one from elsewhere there is nothing to find out.
func (f *Flow) explore(ctx context.Context, issuer string) (*plan, ClientOrigin, error) {
	if f.method(nil) == ByToken {
		return &plan{issuer: issuer, method: ByToken, methods: []Method{ByToken}}, "", nil
	}
	p, err := f.discover(ctx, issuer)
	if err != nil {
		return nil, "", err
	}
	p.methods = f.offered(p.metadata)
	p.method = f.method(p.methods)
	origin, err := f.clientOrigin(p.metadata)
	return p, origin, err
}

// discover finds the metadata of an issuer, and asks first where that is in a network that a host may not lead into.
func (f *Flow) discover(ctx context.Context, issuer string) (*plan, error) {
	c := f.Challenge()
	for {
		policy := f.broker.policy(c.Host, issuer)
		client := guard.New(policy, f.broker.config.Network)
		metadata, exceptions, err := discover(ctx, client, policy, issuer, f.broker.settings(issuer))
		if err == nil {
			if len(exceptions) > 0 {
				f.emit(Excepted{Issuer: issuer, Exceptions: exceptions})
			}
			return &plan{issuer: issuer, metadata: metadata, exceptions: exceptions, client: client, policy: policy}, nil
		}
		if ctx.Err() != nil {
			return nil, ended(ctx, StepDiscovery)
		}
		address, ok := errors.AsType[*guard.AddressError](err)
		if !ok || !askable(address, policy) {
			return nil, fail(StepDiscovery, err, "")
		}
		answer, err := f.ask(ctx, StepConsent, func(n int) Event {
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

func isLoopback(rawURL string) bool {
	u, err := url.Parse(rawURL)
	return err == nil && guard.IsLoopback(u)
}

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
	known      oauthClient   // how this program will be known there; the id is empty while it is not known
	agreement  Agreement
	policy     guard.Policy
	scopes     Scopes
	method     Method
	methods    []Method
}

// prepare finds out what can be found out and has it agreed to. Nothing but public documents is fetched before that.
func (f *Flow) prepare(ctx context.Context) (*plan, error) {
	c := f.Challenge()
	previous := f.broker.consented(ctx, c.Key())
	issuer := preferred(c.Issuers, previous.issuer())
	f.emit(Discovering{Resource: c.Resource, Issuer: issuer})
	client := guard.New(f.broker.policy(ctx, c.Host, c.Resource), f.broker.config.Network)
	found := askResource(ctx, client, c.Resource)
	if ctx.Err() != nil {
		return nil, ended(ctx, StepResource)
	}
	issuers, err := f.issuers(c, found)
	if err != nil && f.method(nil) != ByToken {
		return nil, err
	}
	issuer = preferred(issuers, previous.issuer())
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
	case found.document.Resource != c.Resource:
		_, err := found.verify(c.Resource, "")
		return nil, err
	case len(found.document.Issuers) == 0 || len(found.document.Issuers) > maxIssuers:
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
	agreement, err := found.verify(f.Challenge().Resource, issuer)
	if err != nil {
		return nil, Answer{}, err
	}
	p, err := f.explore(ctx, issuer)
	if err != nil {
		return nil, Answer{}, err
	}
	p.agreement = agreement
	if previous.covers(issuer, p.origins()) {
		p.scopes = f.scopes(ctx, f.fix(), p)
		return p, Answer{}, nil
	}
	for {
		c := f.Challenge()
		p.scopes = f.scopes(ctx, c, p)
		need := f.need(ctx, c, p, issuers, previous)
		answer, err := f.askUnless(ctx, StepConsent, f.wider, func(n int) Event { need.Question = n; return need })
		if errors.Is(err, errWider) {
			continue
		}
		if err == nil {
			err = f.decided(ctx, p, issuers, answer)
		}
		return p, answer, err
	}
}

// scopes are what a plan is about. A token from elsewhere is as it is: nothing is asked for.
func (f *Flow) scopes(ctx context.Context, c Challenge, p *plan) Scopes {
	before := f.broker.before(ctx, c.Key(), p.issuer)
	s := Scopes{Required: c.RequiredScopes, Held: before.granted}
	if p.metadata == nil {
		return s
	}
	s.Request = wanted(c, before)
	switch listed := slices.Contains(p.metadata.ScopesSupported, offlineAccess); {
	case listed && len(s.Request) > 0:
		s.Request = union(s.Request, []string{offlineAccess})
	case !listed && !slices.Contains(c.RequiredScopes, offlineAccess): // it is the server's to offer, not the resource's
		s.Request = missing(s.Request, []string{offlineAccess})
	}
	return s
}

// origins are where the plan leads beside the issuer's own.
func (p *plan) origins() []string {
	if p.metadata == nil {
		return nil
	}
	return p.metadata.otherOrigins()
}

// explore finds out how a token of an issuer can be got. For one from elsewhere there is nothing to find out.
func (f *Flow) explore(ctx context.Context, issuer string) (*plan, error) {
	if f.method(nil) == ByToken {
		return &plan{issuer: issuer, method: ByToken, methods: []Method{ByToken}}, nil
	}
	p, err := f.discover(ctx, issuer)
	if err != nil {
		return nil, err
	}
	p.methods = f.offered(p.metadata)
	p.method = f.method(p.methods)
	p.known, err = f.expectedClient(ctx, p.metadata)
	return p, err
}

// discover finds the metadata of an issuer, and asks first where that is in a network that a host may not lead into.
func (f *Flow) discover(ctx context.Context, issuer string) (*plan, error) {
	c := f.Challenge()
	for {
		policy := f.broker.policy(ctx, c.Host, issuer)
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
			return nil, f.declined(ctx, answer)
		}
		f.told(f.broker.allowReach(ctx, c.Host, issuer, address.Class))
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

package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ahptui/internal/secret"
)

// authorize gets a token by way of the browser. A client of ours that the server no longer knows is registered anew,
// once.
func (f *Flow) authorize(ctx context.Context, p *plan) (token, error) {
	t, err := f.attempt(ctx, p)
	if refused, ok := errors.AsType[*OAuthError](err); ok && refused.Code == "invalid_client" && f.challenge.Client == nil {
		return f.attempt(ctx, p)
	}
	return t, err
}

// attempt opens the port, makes a client, opens the browser, waits, and exchanges the code for a token.
func (f *Flow) attempt(ctx context.Context, p *plan) (token, error) {
	issuer := p.metadata.Issuer
	known := f.broker.registration(issuer)
	preferred := 0
	if f.challenge.Client == nil {
		preferred = known.port // a registration is for one redirect URI
	}
	l, err := listen(ctx, preferred)
	if err != nil {
		return token{}, fail(StepListener, err, "Look whether something on this machine keeps programs from opening ports.")
	}
	defer l.close()
	client, err := f.client(ctx, p, known, l.redirectURI())
	if err != nil {
		return token{}, err
	}
	r := newRequest(p.metadata, client, f.challenge.Resource, p.scopes.Request, l.redirectURI())
	t, err := f.redeem(ctx, p, l, r)
	switch {
	case !client.ours:
	case err != nil:
		// Whether the server still knows the client is seen by the person at best: its page says so, and nobody comes back.
		f.broker.forget(issuer)
	default:
		f.broker.registered(issuer, registration{client: client, redirectURI: l.redirectURI(), port: l.port()})
	}
	return t, err
}

// client is the one to use for a redirect URI: the host's, the one that was registered for it, or a new one.
func (f *Flow) client(ctx context.Context, p *plan, known registration, redirectURI string) (oauthClient, error) {
	if named := f.challenge.Client; named != nil {
		client, err := hostsClient(named, p.metadata)
		if err != nil {
			return oauthClient{}, fail(StepRegistration, err, askHost)
		}
		return client, nil
	}
	if known.client.id != "" && known.redirectURI == redirectURI {
		return known.client, nil
	}
	if p.metadata.RegistrationEndpoint == "" {
		return oauthClient{}, fail(StepRegistration, errors.New("the authorization server lets no client register itself"), askHost)
	}
	f.emit(Registering{Issuer: p.metadata.Issuer})
	client, err := register(ctx, p.client, p.metadata, redirectURI)
	if ctx.Err() != nil {
		return oauthClient{}, ended(ctx, StepRegistration)
	}
	if err != nil {
		return oauthClient{}, fail(StepRegistration, fmt.Errorf("register this program: %w", err),
			"Ask the operator of the authorization server, or the host's to name an OAuth client.")
	}
	return client, nil
}

// redeem sends the person to the browser and turns what comes back into a token.
func (f *Flow) redeem(ctx context.Context, p *plan, l *listener, r *request) (token, error) {
	code, err := f.visit(ctx, p, l, r)
	if err != nil {
		return token{}, err
	}
	l.close()
	f.emit(Exchanging{Issuer: r.issuer})
	t, err := exchange(ctx, p.client, r, code)
	if ctx.Err() != nil {
		return token{}, ended(ctx, StepExchange)
	}
	if err != nil {
		return token{}, fail(StepExchange, err, "Try again; if it stays so, tell the operator of the authorization server.")
	}
	return t, nil
}

// visit has the URL opened and waits for the browser to come back with a code.
func (f *Flow) visit(ctx context.Context, p *plan, l *listener, r *request) (secret.Value, error) {
	target := r.url(p.metadata.AuthorizationEndpoint)
	if _, err := p.policy.CheckURL(target); err != nil {
		return secret.Value{}, fail(StepAuthorization, err, askHost)
	}
	var code secret.Value
	l.serve(func(rawQuery string) (err error) {
		code, err = r.judge(rawQuery)
		return err
	})
	until := time.Now().Add(f.broker.callbackTime)
	timer := time.NewTimer(f.broker.callbackTime)
	defer timer.Stop()
	f.emit(OpenURL{URL: target})
	f.emit(Waiting{RedirectURI: l.redirectURI(), Until: until})

	opened, stop := f.open(ctx, target)
	defer stop()
	for {
		select {
		case err := <-opened:
			if err != nil {
				f.emit(NotOpened{Err: err})
			}
			opened = nil
		case err := <-l.answers:
			return code, err
		case <-timer.C:
			failure := fail(StepAuthorization, fmt.Errorf("nobody came back from the browser within %v", f.broker.callbackTime), "Try again, and sign in on the page that opens.")
			failure.Retryable = true
			return secret.Value{}, failure
		case <-ctx.Done():
			return secret.Value{}, ended(ctx, StepAuthorization)
		}
	}
}

// open has the URL shown, without waiting for it. stop ends that and waits.
func (f *Flow) open(ctx context.Context, target string) (opened <-chan error, stop func()) {
	if f.broker.config.Opener == nil {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	result := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		result <- f.broker.config.Opener.Open(ctx, target)
	}()
	return result, func() { cancel(); <-done }
}

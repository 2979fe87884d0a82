package auth

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"time"

	"ahptui/internal/secret"
)

// authorize gets a token by the chosen method, and by another one when the person switches. A client of ours that the
// server no longer knows is registered anew, once.
func (f *Flow) authorize(ctx context.Context, p *plan) (token, error) {
	renewed := false
	for {
		f.emit(Chosen{Method: p.method, Methods: p.methods})
		t, client, err := f.try(ctx, p)
		if err == nil {
			return t, nil
		}
		refused, ok := errors.AsType[*OAuthError](err)
		unknown := ok && (refused.Code == "invalid_client" || refused.Code == "unauthorized_client")
		if c, ok := errors.AsType[*change](err); ok {
			if c.register {
				f.broker.forget(p.issuer)
			}
			if c.method != "" {
				p.method = c.method
			}
			continue
		}
		if unknown || client.ours() && unanswered(err) {
			// Whether the server still knows the client is seen by the person at best: its page says so, and nobody comes
			// back.
			f.broker.forget(p.issuer)
		}
		if !unknown || refused.Code != "invalid_client" || !client.ours() || renewed {
			return token{}, err
		}
		renewed = true
	}
}

// unanswered reports that the server gave no sign of knowing the client.
func unanswered(err error) bool {
	failed, ok := errors.AsType[*Failure](err)
	return ok && failed.Step == StepAuthorization && (errors.Is(err, ErrAbandoned) || errors.Is(err, ErrCancelled))
}

// try makes one attempt. Where the person changed something in the middle of it, the error is a [*change].
func (f *Flow) try(parent context.Context, p *plan) (t token, client oauthClient, err error) {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	f.setAttempt(attempt{cancel: cancel, methods: p.methods})
	defer f.setAttempt(attempt{})
	switch p.method {
	case ByDevice:
		t, client, err = f.byDevice(ctx, p)
	case ByToken:
		t, err = f.bySupply(ctx)
	default:
		t, client, err = f.byRedirect(ctx, p)
	}
	if c, ok := errors.AsType[*change](context.Cause(ctx)); ok && err != nil && parent.Err() == nil {
		return token{}, client, c
	}
	return t, client, err
}

func (f *Flow) setAttempt(a attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attempt = a
}

// await says that a pasted address may be the answer as well.
func (f *Flow) await(g *gate, redirectURI string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.attempt.gate, f.attempt.redirectURI = g, redirectURI
}

// byRedirect gets a token by way of a browser that is sent back here. A server that takes no redirect to an address is
// tried with a name, once.
func (f *Flow) byRedirect(ctx context.Context, p *plan) (token, oauthClient, error) {
	redirect := f.redirect(p)
	t, client, err := f.redirectTo(ctx, p, redirect, redirect == (Redirect{}))
	if errors.Is(err, errMove) {
		return f.redirectTo(ctx, p, Redirect{Host: localhost}, false)
	}
	return t, client, err
}

// redirect is where the browser is to come back to: as it is configured, or as the server took it before. A client that
// is known by a document is published with an address.
func (f *Flow) redirect(p *plan) Redirect {
	r := f.broker.config.Redirect
	if known, err := f.knownClient(p.metadata); err == nil && known.origin == ClientDocument {
		r.Host = ""
	}
	if before := f.broker.registration(p.issuer, false); r == (Redirect{}) && before.redirect.Host == localhost {
		r.Host = localhost
	}
	return r
}

// redirectTo opens the port, makes a client, opens the browser, waits, and exchanges the code for a token.
func (f *Flow) redirectTo(ctx context.Context, p *plan, redirect Redirect, mayMove bool) (token, oauthClient, error) {
	preferred := f.broker.registration(p.issuer, false).redirect.Port // a registration is for one redirect URI
	l, err := f.broker.listen(ctx, redirect, preferred)
	use := clientUse{redirect: redirect, mayMove: mayMove}
	switch {
	case err == nil:
		defer l.close()
		use.redirectURI, use.redirect.Port = l.redirectURI(), l.port()
	case p.method == ByPaste && redirect.Port == 0: // nothing has to listen
		use.redirect.Port = 49152 + rand.IntN(16384)
		use.redirectURI = "http://" + net.JoinHostPort(redirect.host(), strconv.Itoa(use.redirect.Port)) + callbackPath
	default:
		return token{}, oauthClient{}, fail(StepListener, err, "Look whether something on this machine keeps programs from opening ports. A pasted address needs none.")
	}
	client, err := f.client(ctx, p, use)
	if err != nil {
		return token{}, oauthClient{}, err
	}
	r := newRequest(p.metadata, client, f.Challenge().Resource, p.scopes.Request, use.redirectURI)
	t, err := f.redeem(ctx, p, l, r)
	return t, client, err
}

// redeem sends the person to the browser and turns what comes back into a token. Without a listener only what is pasted
// comes back.
func (f *Flow) redeem(ctx context.Context, p *plan, l *listener, r *request) (token, error) {
	code, err := f.visit(ctx, p, l, r)
	if err != nil {
		return token{}, err
	}
	if l != nil {
		l.close()
	}
	f.emit(Exchanging{Issuer: p.issuer})
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
	g := newGate(func(rawQuery string) (err error) {
		code, err = r.judge(rawQuery)
		return err
	})
	if l != nil {
		l.serve(g)
	}
	until := time.Now().Add(f.broker.callbackTime)
	timer := time.NewTimer(f.broker.callbackTime)
	defer timer.Stop()
	f.await(g, r.redirectURI)
	f.emit(OpenURL{URL: target})
	f.emit(Waiting{RedirectURI: r.redirectURI, Until: until, Tunnel: f.broker.config.Place.Tunnel(r.redirectURI)})

	opened, stop := f.open(ctx, p.method, target)
	defer stop()
	for {
		select {
		case err := <-opened:
			if err != nil {
				f.emit(NotOpened{Err: err})
			}
			opened = nil
		case err := <-g.answers:
			return code, err
		case <-timer.C:
			return secret.Value{}, &Failure{
				Step: StepAuthorization, Err: fmt.Errorf("%w: nobody came back from the browser within %v", ErrAbandoned, f.broker.callbackTime),
				Remedy: "Try again, and sign in on the page that opens.", Retryable: true,
			}
		case <-ctx.Done():
			return secret.Value{}, ended(ctx, StepAuthorization)
		}
	}
}

// open has the URL shown, where the method is this machine's browser, without waiting for it. stop ends that and waits.
func (f *Flow) open(ctx context.Context, method Method, target string) (opened <-chan error, stop func()) {
	if f.broker.config.Opener == nil || method != ByBrowser {
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

package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"ahptui/auth/store"
	"ahptui/internal/guard"
)

// refresh gets a newer edition of a token than the one that was seen, by its refresh token. What the person's settings made
// pass on the way is told.
func (b *Broker) refresh(ctx context.Context, host Host, seen store.Ref) (store.Token, []Exception, error) {
	var exceptions []Exception
	t, err := b.store.Refresh(ctx, seen, func(ctx context.Context, old store.Token) (fresh store.Token, err error) {
		fresh, exceptions, err = b.exchangeOld(ctx, host, old)
		return fresh, err
	})
	switch {
	case errors.Is(err, store.ErrSignedOut):
		_ = b.revoke(context.WithoutCancel(ctx), host, t) // it is stored nowhere, and ends by itself at last
		return store.Token{}, exceptions, fail(StepRefresh, err, "")
	case err != nil && !errors.Is(err, store.ErrNotKept):
		return store.Token{}, exceptions, refreshFailure(err)
	}
	return t, exceptions, err
}

// refreshFailure says what a person can do about it.
func refreshFailure(err error) error {
	f := fail(StepRefresh, err, "Sign in again.")
	if errors.Is(err, store.ErrBusy) {
		f.Retryable, f.Remedy = true, "It may pass: try again in a moment."
	}
	return f
}

// exchangeOld asks the authorization server for new tokens in exchange for a refresh token (RFC 6749, section 6). The
// resource goes with it (RFC 8707), and no scope, which keeps what was granted. The client is the one that the token was
// got with.
func (b *Broker) exchangeOld(ctx context.Context, host Host, old store.Token) (store.Token, []Exception, error) {
	s, err := b.reach(ctx, host, old.Key)
	if err != nil {
		return store.Token{}, nil, fmt.Errorf("%w: %w", store.ErrUnused, err)
	}
	t, err := requestToken(ctx, s.client, s.metadata.TokenEndpoint, clientOf(old), url.Values{
		"grant_type":    {grantRefresh},
		"refresh_token": {old.Refresh.Reveal()},
		"resource":      {old.Key.Resource},
	})
	if err != nil {
		return store.Token{}, s.exceptions, b.judgeRefresh(ctx, old, err)
	}
	b.measured(old.Key.Issuer, t.skew)
	granted := t.granted
	if granted == nil { // as it was
		granted = old.Granted
	}
	return store.Token{
		Access: t.access, Refresh: t.refresh, Granted: granted, Obtained: t.obtained, Expires: t.expires, Skew: t.skew,
	}, s.exceptions, nil
}

// judgeRefresh says what an error means for the refresh token.
func (b *Broker) judgeRefresh(ctx context.Context, old store.Token, err error) error {
	refused, ok := errors.AsType[*OAuthError](err)
	_, address := errors.AsType[*guard.AddressError](err)
	switch {
	case ok && refused.Code == "invalid_grant":
		return fmt.Errorf("%w: %w", store.ErrInvalidGrant, err)
	case ok && refused.Code == "invalid_client":
		_ = b.store.Unregister(ctx, old.Key.Issuer, old.Key.Client) // one that stays is refused again
		return fmt.Errorf("%w: %w", store.ErrUnused, err)
	case ok && refused.Status >= http.StatusBadRequest, address, errors.Is(err, guard.ErrUnreachable), errors.Is(err, guard.ErrUntrusted):
		return fmt.Errorf("%w: %w", store.ErrUnused, err)
	}
	return err // nobody knows
}

// clientOf is the client that a token was got with.
func clientOf(t store.Token) oauthClient {
	return oauthClient{id: t.Key.Client, secret: t.ClientSecret, method: authMethod(t.ClientMethod)}
}

// server is an authorization server that was found anew, for a token that it gave.
type server struct {
	metadata   *serverMetadata
	exceptions []Exception
	client     *guard.Client
}

// errElsewhere says that a server leads elsewhere than the person agreed to.
var errElsewhere = errors.New("the authorization server leads elsewhere by now than you agreed to")

// reach finds the authorization server of a token, as far as the person agreed to where that leads.
func (b *Broker) reach(ctx context.Context, host Host, key store.Key) (server, error) {
	policy := b.policy(ctx, host, key.Issuer)
	client := guard.New(policy, b.config.Network)
	metadata, exceptions, err := discover(ctx, client, policy, key.Issuer, b.settings(key.Issuer))
	if err != nil {
		return server{}, err
	}
	if !b.consented(ctx, Key{key.Host, key.Resource}).covers(key.Issuer, metadata.otherOrigins()) {
		return server{}, errElsewhere
	}
	return server{metadata, exceptions, client}, nil
}

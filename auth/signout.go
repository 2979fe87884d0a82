package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"ahptui/auth/store"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// revokeTime is how long all the servers together may take to revoke tokens.
const revokeTime = 10 * time.Second

// SignedOut is what came of signing out.
type SignedOut struct {
	// Tokens are those that were removed.
	Tokens []Revocation
	// Subjects are the hosts and resources that were signed out of. Their hosts are to be sent an empty token: [Emptied].
	Subjects []store.Subject
	// Unread are files of tokens that could not be read, so that what is in them cannot be revoked.
	Unread []string
}

// Revocation is what became of a token at its authorization server.
type Revocation struct {
	Key store.Key
	// Err is why it was not revoked; nil when it was. It is gone from here all the same.
	Err error
}

// ErrNoRevocation says that there is nobody to revoke a token: its server does not offer it, or nobody knows which server
// gave it.
var ErrNoRevocation = errors.New("its authorization server offers no revocation")

// SignOut removes tokens, revokes them where their server offers that (RFC 7009), and remembers it: nothing of it is
// handed to a host again until the person asks. That the servers answer is not waited for long. hosts are those whose
// places are known; others are taken to be elsewhere.
func (b *Broker) SignOut(ctx context.Context, which store.Which, hosts ...Host) (SignedOut, error) {
	removed, err := b.store.SignOut(ctx, which)
	out := SignedOut{Unread: removed.Unread, Subjects: b.forgetHanded(which)}
	ctx, cancel := context.WithTimeout(ctx, revokeTime)
	defer cancel()
	for _, t := range removed.Tokens {
		if subject := t.Key.Subject(); !slices.Contains(out.Subjects, subject) {
			out.Subjects = append(out.Subjects, subject)
		}
		host := Host{ID: t.Key.Host}
		if i := slices.IndexFunc(hosts, func(h Host) bool { return h.ID == t.Key.Host }); i >= 0 {
			host = hosts[i]
		}
		out.Tokens = append(out.Tokens, Revocation{t.Key, b.revoke(ctx, host, t)})
	}
	return out, err
}

// forgetHanded drops what is known of tokens that were signed out of, and returns what hosts were given.
func (b *Broker) forgetHanded(which store.Which) []store.Subject {
	b.mu.Lock()
	defer b.mu.Unlock()
	var subjects []store.Subject
	for key := range b.held {
		if which.Host != "" && which.Host != key.Host || which.Resource != "" && which.Resource != key.Resource {
			continue
		}
		delete(b.held, key)
		if _, ok := b.handed.Holds(holder(key.Host), key.Resource); ok {
			subjects = append(subjects, key.subject())
			b.handed.Emptied(holder(key.Host), key.Resource)
		}
	}
	return subjects
}

// Emptied is the request that takes a token from a host: one that is empty.
func Emptied(resource string) *protocol.AuthenticateParams {
	return &protocol.AuthenticateParams{Channel: protocol.RootChannel, Resource: resource}
}

// revoke has an authorization server end a token: the refresh token first, with which most servers end the other one.
func (b *Broker) revoke(ctx context.Context, host Host, t store.Token) error {
	if t.Key.Issuer == "" {
		return ErrNoRevocation
	}
	s, err := b.reach(ctx, host, t.Key)
	switch {
	case err != nil:
		return fail(StepRevocation, err, "")
	case s.metadata.RevocationEndpoint == "":
		return ErrNoRevocation
	}
	for _, part := range []struct {
		hint  string
		value secret.Value
	}{{"refresh_token", t.Refresh}, {"access_token", t.Access}} {
		if part.value.IsZero() {
			continue
		}
		why := revokeOne(ctx, s, clientOf(t), part.hint, part.value)
		if err == nil || why != nil && why.Error() != err.Error() { // said once: mostly both fail for one reason
			err = errors.Join(err, why)
		}
	}
	if err != nil {
		return fail(StepRevocation, err, "")
	}
	return nil
}

func revokeOne(ctx context.Context, s server, c oauthClient, hint string, value secret.Value) error {
	response, err := postForm(ctx, s.client, s.metadata.RevocationEndpoint, c, url.Values{"token": {value.Reveal()}, "token_type_hint": {hint}})
	if err != nil {
		return err
	}
	if response.Status == http.StatusOK {
		return nil
	}
	answer, _ := parseDocument[tokenResponse](response.Body) // without a document there is no code to tell
	return refusal(response.Status, answer.Error)
}

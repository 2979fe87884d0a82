package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ahptui/internal/secret"
)

// What a store holds at most. Honest ones are far below.
const (
	maxTokens        = 256
	maxRegistrations = 64
	maxTextBytes     = 2 << 10  // of a host, a resource, an issuer, a client
	maxSecretBytes   = 64 << 10 // signed web tokens have some kilobytes
	maxScopesBytes   = 16 << 10
)

// maxRefusals is how often a token may be refused before it is sent to nobody any more.
const maxRefusals = 2

// Key is what tokens are for. Tokens of different keys are never mixed up.
type Key struct {
	Host     string `json:"host"`     // identity of the agent host: scheme, host, port and path of its URL
	Resource string `json:"resource"` // the resource indicator as the host spells it (RFC 8707)
	// Issuer is the authorization server's, byte for byte, and Client the id of the OAuth client. Both are empty for a
	// token that a person got elsewhere and handed over.
	Issuer string `json:"issuer,omitzero"`
	Client string `json:"client,omitzero"`
	// Scopes are those that were asked for, sorted, with spaces between. What was granted may differ: see [Token].
	Scopes string `json:"scopes,omitzero"`
}

// NewKey makes a key. The scopes may come in any order, and several times.
func NewKey(host, resource, issuer, client string, scopes []string) Key {
	sorted := slices.Compact(slices.Sorted(slices.Values(scopes)))
	return Key{Host: host, Resource: resource, Issuer: issuer, Client: client, Scopes: strings.Join(sorted, " ")}
}

// ScopeList returns the scopes one by one.
func (k Key) ScopeList() []string { return strings.Fields(k.Scopes) }

// Subject returns whom and what the key is about.
func (k Key) Subject() Subject { return Subject{k.Host, k.Resource} }

// covers reports whether tokens of k do for what tokens of other were asked for.
func (k Key) covers(other Key) bool {
	sameGrant := k.Subject() == other.Subject() && k.Issuer == other.Issuer && k.Client == other.Client
	return sameGrant && subset(other.ScopeList(), k.ScopeList())
}

// Subject is an agent host and a resource: what a person is asked about.
type Subject struct {
	Host     string `json:"host"`
	Resource string `json:"resource"`
}

// Ref is one edition of the tokens of a key.
type Ref struct {
	Key        Key    `json:"key"`
	Generation uint64 `json:"generation"` // given by the store, another one each time the tokens change
}

// Token is what an authorization server gave at one time: an access token, and mostly one to refresh it with.
type Token struct {
	Ref
	Access  secret.Value `json:"access"`
	Refresh secret.Value `json:"refresh,omitzero"` // none: it cannot be refreshed
	// ClientSecret and ClientMethod are how the client proved itself at the token endpoint (RFC 7591, section 2:
	// token_endpoint_auth_method). Refreshing and revoking take the same.
	ClientSecret secret.Value `json:"client_secret,omitzero"`
	ClientMethod string       `json:"client_method,omitzero"`
	// Granted are the scopes that the server said it granted; nil when nobody knows.
	Granted  []string  `json:"granted,omitzero"`
	Obtained time.Time `json:"obtained"`         // by this machine's clock
	Expires  time.Time `json:"expires,omitzero"` // by this machine's clock at that time; zero when the server does not say
	Skew     Skew      `json:"skew,omitzero"`    // of the authorization server's clock at that time
	// Refused counts how often hosts refused it since one last took it. See [Store.Refuse].
	Refused int `json:"refused,omitzero"`
	// Attempted says that its refresh token was sent, or was about to be, and the answer has not been seen: either that
	// goes on just now, or who did it has died. See [ErrInterrupted].
	Attempted bool `json:"attempted,omitzero"`
}

// Scopes are what the token is good for as far as anybody knows: what was granted, or else what was asked for.
func (t Token) Scopes() []string {
	if t.Granted != nil {
		return t.Granted
	}
	return t.Key.ScopeList()
}

// Quarantined reports that the token was refused too often to be sent once more.
func (t Token) Quarantined() bool { return t.Refused >= maxRefusals }

// check refuses what cannot be kept. No error holds any of it.
func (t Token) check() error {
	if err := t.Key.check(); err != nil {
		return err
	}
	switch {
	case t.Access.IsZero():
		return errors.New("there is no access token in it")
	case longest(t.Access.Reveal(), t.Refresh.Reveal(), t.ClientSecret.Reveal()) > maxSecretBytes:
		return fmt.Errorf("one of its secrets is larger than %d bytes", maxSecretBytes)
	case len(t.ClientMethod) > maxTextBytes, len(strings.Join(t.Granted, " ")) > maxScopesBytes:
		return errors.New("what the server granted is too long")
	}
	return checkText(append([]string{t.ClientMethod, t.Access.Reveal(), t.Refresh.Reveal(), t.ClientSecret.Reveal()}, t.Granted...)...)
}

func (k Key) check() error {
	switch {
	case k.Host == "" || k.Resource == "":
		return errors.New("it is not said which host or which resource it is for")
	case longest(k.Host, k.Resource, k.Issuer, k.Client) > maxTextBytes:
		return fmt.Errorf("what it is for takes more than %d bytes to say", maxTextBytes)
	case len(k.Scopes) > maxScopesBytes:
		return fmt.Errorf("its scopes take more than %d bytes", maxScopesBytes)
	}
	return checkText(k.Host, k.Resource, k.Issuer, k.Client, k.Scopes)
}

// checkText refuses what would not come back from a file as it was.
func checkText(texts ...string) error {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return errors.New("something in it is not UTF-8")
		}
	}
	return nil
}

func longest(texts ...string) int {
	n := 0
	for _, text := range texts {
		n = max(n, len(text))
	}
	return n
}

// subset reports whether every one of few is in many.
func subset(few, many []string) bool {
	return !slices.ContainsFunc(few, func(s string) bool { return !slices.Contains(many, s) })
}

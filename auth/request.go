package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ahptui/internal/secret"
)

// request is one authorization request: all that its answer is judged by, kept together from before the browser opens.
// It is for one answer.
type request struct {
	issuer        string
	sendsIssuer   bool // the server has announced the iss parameter
	client        oauthClient
	resource      string
	scopes        []string
	redirectURI   string
	tokenEndpoint string
	state         string
	verifier      secret.Value
}

// newRequest returns a request with a state and a verifier of its own.
func newRequest(m *serverMetadata, client oauthClient, resource string, scopes []string, redirectURI string) *request {
	return &request{
		issuer: m.Issuer, sendsIssuer: m.SendsIssuer, client: client, resource: resource, scopes: scopes,
		redirectURI: redirectURI, tokenEndpoint: m.TokenEndpoint,
		state: random(), verifier: secret.New(random()),
	}
}

// random returns 256 bits in letters that no server encodes twice: 43 of A-Z, a-z, 0-9, minus and underscore. That is
// the shortest verifier that PKCE allows (RFC 7636, section 4.1).
func random() string {
	var bits [32]byte
	_, _ = rand.Read(bits[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(bits[:])
}

// url is what the browser opens (RFC 6749, section 4.1.1; RFC 7636, section 4.3; RFC 8707, section 2.1).
func (r *request) url(endpoint string) string {
	challenge := sha256.Sum256([]byte(r.verifier.Reveal()))
	parameters := [][2]string{
		{"response_type", "code"},
		{"client_id", r.client.id},
		{"redirect_uri", r.redirectURI},
		{"scope", strings.Join(r.scopes, " ")},
		{"state", r.state},
		{"code_challenge", base64.RawURLEncoding.EncodeToString(challenge[:])},
		{"code_challenge_method", "S256"},
		{"resource", r.resource},
	}
	var b strings.Builder
	b.WriteString(endpoint)
	separator := "?"
	if strings.Contains(endpoint, "?") {
		separator = "&"
	}
	for _, p := range parameters {
		if p[0] == "scope" && p[1] == "" {
			continue // none are asked for: the parameter is left out, not empty
		}
		// %20 is understood by servers that take a plus for itself.
		b.WriteString(separator + p[0] + "=" + strings.ReplaceAll(url.QueryEscape(p[1]), "+", "%20"))
		separator = "&"
	}
	return b.String()
}

// ownParameters are the parameters that an authorization endpoint must leave to the client.
var ownParameters = []string{
	"client_id", "code_challenge", "code_challenge_method", "redirect_uri", "resource", "response_type", "scope", "state",
}

// checkQuery refuses an endpoint that brings along a parameter of ours: a server that wants to sign somebody in as another
// client would do that.
func checkQuery(endpoint string) error {
	_, query, _ := strings.Cut(endpoint, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		return errors.New("has a query that cannot be read")
	}
	for _, name := range ownParameters {
		if values.Has(name) {
			return fmt.Errorf("sets %s, which is not its to set", name)
		}
	}
	return nil
}

// errForeign says that a callback is not the answer to this request; the answer may still come.
var errForeign = errors.New("not the answer that is waited for")

// judge reads the query of a callback, in an order that keeps a forged one from having any effect: the state, then the
// issuer (RFC 9207), and only then what the answer says. Any error but errForeign ends the request.
func (r *request) judge(rawQuery string) (code secret.Value, err error) {
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return secret.Value{}, errForeign
	}
	state := values["state"]
	if len(state) != 1 || subtle.ConstantTimeCompare([]byte(state[0]), []byte(r.state)) != 1 {
		return secret.Value{}, errForeign
	}
	if err := r.checkIssuer(values["iss"]); err != nil {
		f := &Failure{
			Step: StepAuthorization, Err: err, Expected: r.issuer,
			Remedy: "Nothing was accepted. Tell the operator of the authorization server, and look twice at the page that you signed in on.",
		}
		if len(values["iss"]) == 1 {
			f.Received = bounded(values.Get("iss"))
		}
		return secret.Value{}, f
	}
	for _, name := range []string{"code", "error"} {
		if len(values[name]) > 1 {
			return secret.Value{}, fail(StepAuthorization, fmt.Errorf("the answer holds %s twice", name), "Try again.")
		}
	}
	switch {
	case values.Has("error"):
		return secret.Value{}, r.denied(values)
	case values.Get("code") == "":
		return secret.Value{}, fail(StepAuthorization, errors.New("the answer holds neither a code nor an error"), "Try again.")
	}
	return secret.New(values.Get("code")), nil
}

// checkIssuer compares the iss parameter with the issuer that was asked. A server that announced it must send it; one
// that did not may.
func (r *request) checkIssuer(iss []string) error {
	switch {
	case len(iss) > 1:
		return errors.New("the answer names its issuer twice")
	case len(iss) == 1 && iss[0] != r.issuer:
		return fmt.Errorf("the answer comes from %q, but %q was asked", bounded(iss[0]), r.issuer)
	case len(iss) == 0 && r.sendsIssuer:
		return errors.New("the answer does not say which authorization server it comes from, though that has announced it (RFC 9207)")
	}
	return nil
}

// denied makes a failure of an error that the server sent by way of the browser.
func (r *request) denied(values url.Values) *Failure {
	refused := &OAuthError{Code: errorCode(values.Get("error"))}
	f := &Failure{Step: StepAuthorization, Err: refused}
	switch refused.Code {
	case "":
		f.Err = errors.New("the authorization server refused, for a reason that it does not name properly")
	case "access_denied":
		f.Remedy = "Sign in again and agree, or cancel the call."
	case "invalid_scope":
		f.Remedy = "The host asks for scopes that the authorization server does not know: tell the host's operator."
	case "temporarily_unavailable", "server_error":
		f.Retryable, f.Remedy = true, "It may pass: try again in a moment."
	}
	var redactor secret.Redactor
	redactor.Add(r.verifier, secret.New(r.state), r.client.secret)
	f.Said = bounded(redactor.String(values.Get("error_description")))
	return f
}

// bounded cuts a peer's text to a length for a screen.
func bounded(text string) string {
	const maxSaid = 300
	runes := []rune(text)
	if len(runes) <= maxSaid {
		return text
	}
	return string(slices.Concat(runes[:maxSaid], []rune("…")))
}

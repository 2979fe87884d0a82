package auth

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"

	"ahptui/internal/secret"
)

// ClientOrigin is how this program is known to an authorization server.
type ClientOrigin string

// The ways, the preferred one first.
const (
	ClientOfHost     ClientOrigin = "host"       // the host named a client that somebody registered
	ClientConfigured ClientOrigin = "configured" // the person's configuration names one
	ClientDocument   ClientOrigin = "document"   // its id is the address of a document about it
	ClientRegistered ClientOrigin = "registered" // this program has registered itself before
	ClientToRegister ClientOrigin = "register"   // this program is going to register itself (RFC 7591)
	ClientToAsk      ClientOrigin = "ask"        // none of these: the person will be asked for a client id
	ClientAsked      ClientOrigin = "asked"      // the person gave the client id before
)

// authMethod is how a client proves at the token endpoint that it is itself (RFC 7591, section 2).
type authMethod string

const (
	authNone  authMethod = "none"
	authBasic authMethod = "client_secret_basic"
	authPost  authMethod = "client_secret_post"
)

// oauthClient is a client that requests can be made with.
type oauthClient struct {
	id     string
	secret secret.Value
	method authMethod
	origin ClientOrigin
}

// ours reports that the client was registered by this program, which may do so again.
func (c oauthClient) ours() bool { return c.origin == ClientRegistered }

// newClient is a client that somebody registered, with a way to prove itself that the server takes.
func newClient(named Client, origin ClientOrigin, m *serverMetadata) (oauthClient, error) {
	method, err := m.authMethod(named.Secret)
	if err != nil {
		return oauthClient{}, err
	}
	return oauthClient{id: named.ID, secret: named.Secret, method: method, origin: origin}, nil
}

// authMethod chooses from what the server supports. Without a secret there is nothing to choose, and a server that does
// not say takes the Authorization header (RFC 8414, section 2).
func (m *serverMetadata) authMethod(clientSecret secret.Value) (authMethod, error) {
	supports := func(method authMethod) bool { return slices.Contains(m.TokenAuthMethods, string(method)) }
	switch {
	case clientSecret.IsZero():
		return authNone, nil
	case len(m.TokenAuthMethods) == 0 || supports(authBasic):
		return authBasic, nil
	case supports(authPost):
		return authPost, nil
	}
	return "", fmt.Errorf("the authorization server takes a client's secret in none of the ways known here, only by %s", bounded(fmt.Sprintf("%q", m.TokenAuthMethods)))
}

// authenticate adds the client to a request: to its form, or as the value of the Authorization header.
func (c oauthClient) authenticate(form url.Values) (authorization secret.Value) {
	if c.method == authBasic {
		// Both parts are form-encoded first (RFC 6749, section 2.3.1), or a colon in the id would end it.
		pair := url.QueryEscape(c.id) + ":" + url.QueryEscape(c.secret.Reveal())
		return secret.New("Basic " + base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	form.Set("client_id", c.id)
	if c.method == authPost {
		form.Set("client_secret", c.secret.Reveal())
	}
	return secret.Value{}
}

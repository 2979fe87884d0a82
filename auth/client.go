package auth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json"

	"ahptui/internal/guard"
	"ahptui/internal/secret"
)

// ClientOrigin is how this program is known to an authorization server.
type ClientOrigin string

// The ways, the preferred one first.
const (
	ClientOfHost     ClientOrigin = "host"       // the host named a client that somebody registered
	ClientRegistered ClientOrigin = "registered" // this program has registered itself before
	ClientToRegister ClientOrigin = "register"   // this program is going to register itself (RFC 7591)
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
	ours   bool // it was registered by this program, which may do so again
}

// hostsClient is the client that a host names, with a way that the server takes.
func hostsClient(named *Client, m *serverMetadata) (oauthClient, error) {
	method, err := m.authMethod(named.Secret)
	if err != nil {
		return oauthClient{}, err
	}
	return oauthClient{id: named.ID, secret: named.Secret, method: method}, nil
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

// authenticate adds the client to a token request: to its form, or as the value of the Authorization header.
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

// registrationRequest is what this program says of itself (RFC 7591, section 2; OpenID Connect Registration 1.0 for the
// application type, without which a server takes a program for a web site and refuses loopback redirects).
type registrationRequest struct {
	ClientName      string     `json:"client_name"`
	RedirectURIs    []string   `json:"redirect_uris"`
	GrantTypes      []string   `json:"grant_types"`
	ResponseTypes   []string   `json:"response_types"`
	TokenAuthMethod authMethod `json:"token_endpoint_auth_method"`
	ApplicationType string     `json:"application_type"`
}

// registrationResponse is the answer (RFC 7591, section 3.2).
type registrationResponse struct {
	ClientID        string     `json:"client_id"`
	ClientSecret    secretText `json:"client_secret"`
	TokenAuthMethod authMethod `json:"token_endpoint_auth_method"`
	Error           string     `json:"error"`
}

// register makes this program known to the server, for exactly this redirect URI.
func register(ctx context.Context, client *guard.Client, m *serverMetadata, redirectURI string) (oauthClient, error) {
	method, err := m.registrationMethod()
	if err != nil {
		return oauthClient{}, err
	}
	body, err := json.Marshal(registrationRequest{
		ClientName:      "ahptui",
		RedirectURIs:    []string{redirectURI},
		GrantTypes:      []string{"authorization_code", "refresh_token"},
		ResponseTypes:   []string{"code"},
		TokenAuthMethod: method,
		ApplicationType: "native",
	})
	if err != nil {
		return oauthClient{}, fmt.Errorf("encode the registration: %w", err)
	}
	response, err := client.Post(ctx, m.RegistrationEndpoint, mediaJSON, guard.Body{ContentType: mediaJSON, Data: body})
	if err != nil {
		return oauthClient{}, err
	}
	answer, err := parseDocument[registrationResponse](response.Body)
	if response.Status != http.StatusCreated && response.Status != http.StatusOK {
		return oauthClient{}, refusal(response.Status, answer.Error)
	}
	if err != nil {
		return oauthClient{}, fmt.Errorf("the answer to the registration: %w", err)
	}
	return answer.client(m)
}

// registrationMethod is none, as befits a program that cannot keep a secret, unless the server wants one.
func (m *serverMetadata) registrationMethod() (authMethod, error) {
	if len(m.TokenAuthMethods) == 0 || slices.Contains(m.TokenAuthMethods, string(authNone)) {
		return authNone, nil
	}
	return m.authMethod(secret.New("one that the server will give"))
}

// client makes a client of the server's answer, which may differ from what was asked for.
func (r registrationResponse) client(m *serverMetadata) (oauthClient, error) {
	if r.ClientID == "" || len(r.ClientID) > maxClientBytes {
		return oauthClient{}, errors.New("the answer to the registration holds no usable client_id")
	}
	c := oauthClient{id: r.ClientID, ours: true}
	switch r.TokenAuthMethod {
	case authNone:
		c.method = authNone
		return c, nil
	case authBasic, authPost:
		if r.ClientSecret.IsZero() {
			return oauthClient{}, errors.New("the answer to the registration wants a secret, but holds none")
		}
		c.secret, c.method = r.ClientSecret.Value, r.TokenAuthMethod
		return c, nil
	}
	var err error
	c.secret = r.ClientSecret.Value
	c.method, err = m.authMethod(c.secret)
	return c, err
}

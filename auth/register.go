package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/guard"
	"ahptui/internal/secret"
)

// clientName is what this program is called on consent pages.
const clientName = "ahptui"

// The grants (RFC 6749, sections 4.1 and 6; RFC 8628, section 3.4).
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// clientMetadata is what this program says of itself (RFC 7591, section 2; OpenID Connect Registration 1.0 for the
// application type, without which a server takes a program for a web site and refuses loopback redirects).
type clientMetadata struct {
	ClientID        string     `json:"client_id,omitzero"` // of a document that is the client's id
	ClientName      string     `json:"client_name"`
	RedirectURIs    []string   `json:"redirect_uris"`
	GrantTypes      []string   `json:"grant_types"`
	ResponseTypes   []string   `json:"response_types"`
	TokenAuthMethod authMethod `json:"token_endpoint_auth_method"`
	ApplicationType string     `json:"application_type"`
}

func newClientMetadata(method authMethod, redirectURIs, grants []string) clientMetadata {
	return clientMetadata{
		ClientName: clientName, RedirectURIs: redirectURIs, GrantTypes: grants,
		ResponseTypes: []string{"code"}, TokenAuthMethod: method, ApplicationType: "native",
	}
}

// clientDocument is what a client says of itself at the address that is its id. A port that is not configured is left out:
// for an address of this machine servers take any (RFC 8252, section 7.3).
func clientDocument(clientID string, r Redirect) ([]byte, error) {
	redirectURIs := []string{deviceRedirectURI}
	if r.Port != 0 {
		redirectURIs = append(redirectURIs, fmt.Sprintf("http://%s:%d%s", ipv4, r.Port, callbackPath))
	}
	m := newClientMetadata(authNone, redirectURIs, []string{grantCode, grantRefresh, grantDevice})
	m.ClientID = clientID
	document, err := json.Marshal(m, jsontext.WithIndent("  "))
	if err != nil {
		return nil, fmt.Errorf("encode the document: %w", err)
	}
	return append(document, '\n'), nil
}

// registrationResponse is the answer (RFC 7591, section 3.2).
type registrationResponse struct {
	ClientID        string     `json:"client_id"`
	ClientSecret    secretText `json:"client_secret"`
	TokenAuthMethod authMethod `json:"token_endpoint_auth_method"`
	Error           string     `json:"error"`
}

// register makes this program known to the server, for exactly this redirect URI and these grants.
func register(ctx context.Context, to poster, m *serverMetadata, redirectURI string, grants []string) (oauthClient, error) {
	method, err := m.registrationMethod()
	if err != nil {
		return oauthClient{}, err
	}
	body, err := json.Marshal(newClientMetadata(method, []string{redirectURI}, grants))
	if err != nil {
		return oauthClient{}, fmt.Errorf("encode the registration: %w", err)
	}
	response, err := to.Post(ctx, m.RegistrationEndpoint, mediaJSON, guard.Body{ContentType: mediaJSON, Data: body})
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
	c := oauthClient{id: r.ClientID, origin: ClientRegistered}
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
	secretWays := slices.Contains(m.TokenAuthMethods, string(authBasic)) || slices.Contains(m.TokenAuthMethods, string(authPost))
	if slices.Contains(m.TokenAuthMethods, string(authNone)) && !secretWays { // it has no use for the secret that it gives
		c.method = authNone
		return c, nil
	}
	var err error
	c.secret = r.ClientSecret.Value
	c.method, err = m.authMethod(c.secret)
	return c, err
}

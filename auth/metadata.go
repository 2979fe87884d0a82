package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ahptui/internal/guard"
)

// serverMetadata is the part of an authorization server's metadata that matters here (RFC 8414, section 2; RFC 9207,
// section 3). What only OpenID Connect demands is not asked for.
type serverMetadata struct {
	Issuer                string   `json:"issuer"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint"`
	DeviceEndpoint        string   `json:"device_authorization_endpoint"` // RFC 8628, section 4
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported"`
	TokenAuthMethods      []string `json:"token_endpoint_auth_methods_supported"`
	ScopesSupported       []string `json:"scopes_supported"`
	SendsIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported"`

	named string // the issuer as the host named it: what consents, clients and tokens are bound to
}

// errServer says that a server failed by its own account.
var errServer = errors.New("the server has failed")

// IssuerError says that an authorization server calls itself otherwise than it was named. Its metadata must not be used
// then (RFC 8414, section 3.3): it may be somebody else's.
type IssuerError struct{ Named, Calls string }

// Error implements error.
func (e *IssuerError) Error() string {
	return fmt.Sprintf("the authorization server was named %q, but calls itself %q", e.Named, bounded(e.Calls))
}

// discover finds the metadata of an authorization server and checks it. There are no guesses: a server without metadata
// cannot be used. What the person's settings made pass is told.
func discover(ctx context.Context, client *guard.Client, policy guard.Policy, issuer string, own IssuerSettings) (*serverMetadata, []Exception, error) {
	if _, err := policy.CheckURL(issuer); err != nil {
		return nil, nil, fmt.Errorf("the authorization server %q: %w", issuer, err)
	}
	if strings.Contains(issuer, "?") {
		return nil, nil, fmt.Errorf("the authorization server %q: an issuer holds no query", issuer)
	}
	var foreign *IssuerError
	var reasons []error
	for _, at := range metadataURLs(issuer) {
		metadata, err := fetchMetadata(ctx, client, at)
		switch {
		case err != nil && final(err):
			return nil, nil, err
		case err != nil:
			reasons = append(reasons, err)
		case metadata.Issuer == issuer, metadata.Issuer == own.MetadataIssuer:
			metadata.named = issuer
			exceptions, err := metadata.check(policy, own)
			return metadata, exceptions, err
		case foreign == nil:
			foreign = &IssuerError{Named: issuer, Calls: metadata.Issuer}
		}
	}
	if foreign != nil {
		return nil, nil, otherIssuer(foreign)
	}
	return nil, nil, &Failure{
		Step:   StepDiscovery,
		Err:    fmt.Errorf("no metadata of the authorization server was found: %w", errors.Join(reasons...)),
		Remedy: "Ask its operator whether it supports OAuth for MCP (RFC 8414).",
	}
}

// otherIssuer says what differs, who is to put it right, and how a person can have it pass.
func otherIssuer(err *IssuerError) *Failure {
	f := &Failure{
		Step: StepDiscovery, Err: err, Expected: err.Named, Received: bounded(err.Calls),
		Remedy: "Ask the operator of the resource to name its authorization server exactly as that names itself.",
	}
	if strings.TrimSuffix(err.Named, "/") == strings.TrimSuffix(err.Calls, "/") {
		f.Remedy = "Only a slash at the end differs: the metadata of the resource is at fault. " + f.Remedy
	}
	f.Remedy += fmt.Sprintf(" If you know that both are the same server: [[auth.issuer]] with issuer = %q and metadata_issuer = %q in the configuration file.", err.Named, bounded(err.Calls))
	return f
}

// metadataURLs are where the metadata of an issuer may lie, in the order to try (RFC 8414, section 3.1; OpenID Connect
// Discovery 1.0, section 4). Bytes are moved, never spelled anew.
func metadataURLs(issuer string) []string {
	origin, path := splitOrigin(issuer)
	path = strings.TrimSuffix(path, "/")
	urls := []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + "/.well-known/openid-configuration" + path,
	}
	if path != "" {
		urls = append(urls, origin+path+"/.well-known/openid-configuration")
	}
	return urls
}

// fetchMetadata fetches one document.
func fetchMetadata(ctx context.Context, client *guard.Client, at string) (*serverMetadata, error) {
	response, err := client.Get(ctx, at, mediaJSON)
	switch {
	case err != nil:
		return nil, err
	case response.Status >= http.StatusInternalServerError:
		return nil, fmt.Errorf("%s: %w (%d)", guard.Shown(at), errServer, response.Status)
	case response.Status != http.StatusOK:
		return nil, fmt.Errorf("%s: the answer is %d", guard.Shown(at), response.Status)
	}
	metadata, err := parseDocument[serverMetadata](response.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", guard.Shown(at), err)
	}
	if metadata.Issuer == "" {
		return nil, fmt.Errorf("%s: it names no issuer", guard.Shown(at))
	}
	return &metadata, nil
}

// final reports errors that end a discovery. That a URL has no document, only a page or a redirect to one, or a broken
// document, is none: many servers answer so where they have nothing.
func final(err error) bool { return errors.Is(err, errServer) || unreachable(err) }

const askServer = "Ask the operator of the authorization server."

// check refuses metadata that no safe flow can be made of. Without an authorization endpoint there are devices still.
func (m *serverMetadata) check(policy guard.Policy, own IssuerSettings) ([]Exception, error) {
	var exceptions []Exception
	if m.Issuer != m.named {
		exceptions = append(exceptions, Exception{ExceptMetadataIssuer, m.named, m.Issuer})
	}
	switch s256 := slices.Contains(m.ChallengeMethods, "S256"); {
	case m.AuthorizationEndpoint == "" && m.DeviceEndpoint == "":
		return nil, fail(StepDiscovery, errors.New("the authorization server names no authorization_endpoint"), askServer)
	case m.AuthorizationEndpoint == "" || s256:
	case own.AssumeS256:
		exceptions = append(exceptions, Exception{Rule: ExceptS256, Named: m.named})
	default:
		return nil, fail(StepDiscovery, errors.New("the authorization server does not say that it supports PKCE with S256 (code_challenge_methods_supported)"),
			askServer+fmt.Sprintf(" If you know that it does: [[auth.issuer]] with issuer = %q and assume_pkce_s256 = true in the configuration file.", m.named))
	}
	if m.TokenEndpoint == "" {
		return nil, fail(StepDiscovery, errors.New("the authorization server names no token_endpoint"), askServer)
	}
	for _, e := range m.endpoints() {
		if _, err := policy.CheckURL(e.url); err != nil {
			return nil, fail(StepDiscovery, fmt.Errorf("its %s: %w", e.name, err), askServer)
		}
	}
	if err := checkQuery(m.AuthorizationEndpoint); err != nil {
		return nil, fail(StepDiscovery, fmt.Errorf("its authorization_endpoint %w", err), askServer)
	}
	return exceptions, nil
}

type endpoint struct{ name, url string }

// endpoints are where a flow may lead.
func (m *serverMetadata) endpoints() []endpoint {
	all := []endpoint{
		{"authorization_endpoint", m.AuthorizationEndpoint},
		{"token_endpoint", m.TokenEndpoint},
		{"registration_endpoint", m.RegistrationEndpoint},
		{"device_authorization_endpoint", m.DeviceEndpoint},
		{"revocation_endpoint", m.RevocationEndpoint},
	}
	return slices.DeleteFunc(all, func(e endpoint) bool { return e.url == "" })
}

// otherOrigins lists where else than to the issuer's own origin a flow leads.
func (m *serverMetadata) otherOrigins() []string {
	own := ""
	if u, err := url.Parse(m.named); err == nil {
		own = siteOf(u)
	}
	var others []string
	for _, e := range m.endpoints() {
		u, err := url.Parse(e.url)
		if err != nil {
			continue // check has refused it
		}
		if origin := siteOf(u); origin != own && !slices.Contains(others, origin) {
			others = append(others, origin)
		}
	}
	return others
}

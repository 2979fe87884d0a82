package auth

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"ahptui/internal/guard"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// What a challenge may hold at most. Honest ones are far below.
const (
	maxIssuers       = 8
	maxScopes        = 64
	maxScopeBytes    = 256
	maxResourceBytes = 2 << 10
	maxClientBytes   = 2 << 10
)

// Host is the agent host that asks, and that a token would go to.
type Host struct {
	// ID is what tokens and consents are bound to: scheme, host, port and path of its URL, so that another program on
	// another port is another host.
	ID string
	// Loopback reports that it runs on this machine. It may then name an authorization server on this machine, too.
	Loopback bool
}

// ParseHost takes the identity of a host from the URL of its connection. The query, which may hold a connection token,
// has no part in it.
func ParseHost(rawURL string) (Host, error) {
	rawURL, _, _ = strings.Cut(rawURL, "?")
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" {
		return Host{}, errors.New("the host's URL is not valid")
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"ws": "80", "http": "80", "wss": "443", "https": "443"}[scheme]
	}
	name := strings.ToLower(u.Hostname())
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return Host{ID: scheme + "://" + name + ":" + port + path, Loopback: guard.IsLoopback(u)}, nil
}

// Reason is why a host asks. A word that is not known here is treated like [Required].
type Reason string

// The reasons of the protocol.
const (
	Required          Reason = "required"          // there is no token yet
	Expired           Reason = "expired"           // the token is no longer valid
	InsufficientScope Reason = "insufficientScope" // the token is valid, but not for this
)

// Source is what of a host's is stopped: a server, one of its tools in a call, an agent, or a command.
type Source struct {
	Server  string // the server's name or id
	Tool    string // empty when the server itself is stopped
	Agent   string // the agent's provider
	Command string // the protocol's method that was refused
}

// Client is an OAuth client that somebody registered beforehand.
type Client struct {
	ID     string
	Secret secret.Value // none for a public client
}

// Key is what a sign-in is for. Equal keys share one flow.
type Key struct{ Host, Resource string }

// Challenge is what a host says that it needs. It is made by [NewChallenge], which checks and bounds all of it.
type Challenge struct {
	Host   Host
	Source Source
	Also   []Source // others that wait for the same: see [Merge]
	Reason Reason
	// Resource is the resource indicator (RFC 8707) as the host spells it. It is sent and compared byte for byte.
	Resource     string
	ResourceName string // a peer's text, may be empty
	// Issuers are the authorization servers that the host names for the resource.
	Issuers []string
	// RequiredScopes are what the next request must be for; nil when the host does not know.
	RequiredScopes []string
	// SupportedScopes are what the resource knows of; nil when it does not say, or says too much.
	SupportedScopes []string
	Description     string  // a peer's text, may be empty
	Client          *Client // nil when the host names none
}

// Key returns what the challenge is about.
func (c Challenge) Key() Key { return Key{c.Host.ID, c.Resource} }

// NewChallenge makes a challenge of what a host said. The error is a [*Failure]: what the host said cannot lead to a
// token, whoever asks for one.
func NewChallenge(host Host, source Source, requirement *protocol.McpAuthRequirement) (Challenge, error) {
	c, err := newChallenge(host, source, requirement)
	if err != nil {
		return Challenge{}, fail(StepChallenge, err, "It cannot be authorized from here: the host's operator has to look into it.")
	}
	return c, nil
}

func newChallenge(host Host, source Source, requirement *protocol.McpAuthRequirement) (Challenge, error) {
	if requirement == nil || requirement.Resource == nil {
		return Challenge{}, errors.New("the host does not say what access is needed to")
	}
	resource := requirement.Resource
	c := Challenge{
		Host: host, Source: source, Reason: Reason(requirement.Reason),
		Resource: resource.Resource, ResourceName: resource.ResourceName,
		Issuers: resource.AuthorizationServers, RequiredScopes: requirement.RequiredScopes,
		Description: requirement.Description,
	}
	if err := checkResource(c.Resource); err != nil {
		return Challenge{}, err
	}
	if len(c.Issuers) > maxIssuers {
		return Challenge{}, fmt.Errorf("the host names %d authorization servers, more than %d", len(c.Issuers), maxIssuers)
	}
	if slices.ContainsFunc(c.Issuers, func(issuer string) bool { return len(issuer) > maxResourceBytes }) {
		return Challenge{}, fmt.Errorf("the name of an authorization server is longer than %d bytes", maxResourceBytes)
	}
	if err := checkScopes(c.RequiredScopes); err != nil {
		return Challenge{}, fmt.Errorf("the scopes that the host requires: %w", err)
	}
	if checkScopes(resource.ScopesSupported) == nil {
		c.SupportedScopes = resource.ScopesSupported
	}
	if client := requirement.OAuthClient; client != nil {
		if client.ClientID == "" || len(client.ClientID)+len(client.ClientSecret) > maxClientBytes {
			return Challenge{}, errors.New("the host names an OAuth client, but not a usable client id")
		}
		c.Client = &Client{ID: client.ClientID, Secret: secret.New(client.ClientSecret)}
	}
	return c, nil
}

// checkResource refuses what is no resource indicator (RFC 8707, section 2): some hosts put a text for display there.
func checkResource(resource string) error {
	u, err := url.Parse(resource)
	switch {
	case len(resource) > maxResourceBytes:
		return fmt.Errorf("the resource's identifier is longer than %d bytes", maxResourceBytes)
	case err != nil, u.Host == "", u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the resource's identifier is not an absolute URL")
	case strings.Contains(resource, "#"):
		return errors.New("the resource's identifier holds a fragment (#)")
	case u.User != nil:
		return errors.New("the resource's identifier holds a user or a password")
	case strings.ContainsFunc(resource, func(r rune) bool { return r <= ' ' }):
		return errors.New("the resource's identifier holds white space")
	}
	return nil
}

package mcpserver

import (
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"ahptui/internal/secret"
)

// The reasons of a requirement, as the protocol has them.
const (
	ReasonRequired          = "required"          // there was no token
	ReasonExpired           = "expired"           // the token is no longer valid, or never was
	ReasonInsufficientScope = "insufficientScope" // the token is valid, but not for this
)

// The limits of what a challenge may say.
const (
	maxScopes     = 64
	maxScopeBytes = 256
)

// A challenge is a server's refusal of a request for want of a token, or of a
// scope of it (RFC 6750 section 3).
type challenge struct {
	status      int
	reason      string
	scopes      []string     // nil where the server does not say
	metadataURL string       // RFC 9728 section 5.1; may be empty
	description string       // the server's words; may be empty
	token       secret.Value // the one that was refused
}

// Error implements error.
func (c *challenge) Error() string {
	if c.reason == ReasonInsufficientScope {
		return "the server asks for more access than the sign-in gives"
	}
	return "the server asks for a sign-in"
}

// newChallenge reads a 401 or a 403. It returns nil where no token would help: a
// 403 that does not speak of scopes.
func newChallenge(req *http.Request, resp *http.Response) *challenge {
	params := bearerParams(resp.Header)
	c := &challenge{
		status:      resp.StatusCode,
		scopes:      scopesOf(params["scope"]),
		metadataURL: params["resource_metadata"],
		description: params["error_description"],
	}
	if sent, ok := strings.CutPrefix(req.Header.Get("Authorization"), "Bearer "); ok {
		c.token = secret.New(sent)
	}
	switch {
	case params["error"] == "insufficient_scope":
		c.reason = ReasonInsufficientScope
	case resp.StatusCode == http.StatusForbidden:
		return nil
	case req.Header.Get("Authorization") == "":
		c.reason = ReasonRequired
	default:
		c.reason = ReasonExpired
	}
	return c
}

// bearerParams are the parameters of the first challenge of the scheme Bearer;
// none where there is no such challenge or it cannot be read.
func bearerParams(h http.Header) map[string]string {
	for _, line := range h.Values("WWW-Authenticate") {
		challenges, err := oauthex.ParseWWWAuthenticate([]string{line})
		if err != nil {
			continue
		}
		for _, c := range challenges {
			if c.Scheme == "bearer" {
				return c.Params
			}
		}
	}
	return nil
}

// scopesOf splits a list of scopes (RFC 6749 section 3.3). A list with what is no
// scope, or with too many, says nothing.
func scopesOf(list string) []string {
	scopes := strings.Fields(list)
	if len(scopes) == 0 || !validScopes(scopes) {
		return nil
	}
	return scopes
}

func validScopes(scopes []string) bool {
	if len(scopes) > maxScopes {
		return false
	}
	for _, s := range scopes {
		if s == "" || len(s) > maxScopeBytes || strings.ContainsFunc(s, notInScope) {
			return false
		}
	}
	return true
}

func notInScope(r rune) bool { return r <= ' ' || r == '"' || r == '\\' || r > '~' }

package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"ahptui/internal/guard"
	"ahptui/internal/secret"
)

// OAuthError is an error code of an authorization server (RFC 6749, sections 4.1.2.1 and 5.2). Its description is left
// out: servers put into it what they were sent.
type OAuthError struct {
	Code   string // such as invalid_grant; empty when the server gave none that can be shown
	Status int    // of the HTTP answer; 0 when the answer came by way of the browser
}

// Error implements error.
func (e *OAuthError) Error() string {
	switch e.Code {
	case "":
		return fmt.Sprintf("the authorization server refused, with status %d and without a reason", e.Status)
	case "access_denied":
		return "access was denied at the authorization server (access_denied)"
	default:
		return fmt.Sprintf("the authorization server refused: %s", e.Code)
	}
}

// refusal makes an error of an answer that is no success.
func refusal(status int, code string) error {
	if status >= http.StatusInternalServerError {
		return fmt.Errorf("%w (%d)", errServer, status)
	}
	return &OAuthError{Code: errorCode(code), Status: status}
}

// errorCode returns a code that looks like those of the standards, and nothing for what may be anything.
func errorCode(code string) string {
	const maxCodeBytes = 48
	if len(code) > maxCodeBytes || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return ""
	}
	return code
}

// tokenResponse is the answer of a token endpoint (RFC 6749, sections 5.1 and 5.2; RFC 8628, section 3.5).
type tokenResponse struct {
	AccessToken  secretText `json:"access_token"`
	RefreshToken secretText `json:"refresh_token"`
	TokenType    string     `json:"token_type"`
	ExpiresIn    *int64     `json:"expires_in"`
	Scope        *string    `json:"scope"`
	Error        string     `json:"error"`
	Interval     *int64     `json:"interval"` // of some servers, with slow_down
}

// token is what a token endpoint gave.
type token struct {
	access  secret.Value
	refresh secret.Value // none: it cannot be refreshed
	scopes  []string     // nil when nobody knows
	expires time.Time    // zero when the server does not say
}

// poster is the part of a [guard.Client] that sends forms.
type poster interface {
	Post(ctx context.Context, rawURL, accept string, body guard.Body) (*guard.Response, error)
}

// postForm sends a form for a client (RFC 6749, section 2.3).
func postForm(ctx context.Context, to poster, endpoint string, c oauthClient, form url.Values) (*guard.Response, error) {
	authorization := c.authenticate(form)
	return to.Post(ctx, endpoint, mediaJSON, guard.Body{
		ContentType:   "application/x-www-form-urlencoded",
		Data:          []byte(form.Encode()),
		Authorization: authorization,
	})
}

// requestToken asks a token endpoint. requested are the scopes that count where the answer does not say.
func requestToken(ctx context.Context, to poster, endpoint string, c oauthClient, form url.Values, requested []string) (token, error) {
	response, err := postForm(ctx, to, endpoint, c, form)
	if err != nil {
		return token{}, err
	}
	answer, err := readToken(response)
	if err != nil {
		return token{}, err
	}
	return answer.token(requested, time.Now())
}

// readToken reads the answer of a token endpoint; one that is no success is an error.
func readToken(response *guard.Response) (tokenResponse, error) {
	answer, err := parseDocument[tokenResponse](response.Body)
	if response.Status != http.StatusOK || err == nil && answer.Error != "" {
		return answer, refusal(response.Status, answer.Error)
	}
	if err != nil {
		return tokenResponse{}, fmt.Errorf("the token response: %w", err)
	}
	return answer, nil
}

// exchange turns the code from the browser into a token (RFC 6749, section 4.1.3; RFC 7636, section 4.5; RFC 8707).
func exchange(ctx context.Context, to poster, r *request, code secret.Value) (token, error) {
	return requestToken(ctx, to, r.tokenEndpoint, r.client, url.Values{
		"grant_type":    {grantCode},
		"code":          {code.Reveal()},
		"redirect_uri":  {r.redirectURI},
		"code_verifier": {r.verifier.Reveal()},
		"resource":      {r.resource},
	}, r.scopes)
}

// maxLifeSeconds bounds how long a token can be said to live. It is a hundred years, which a Duration can hold.
const maxLifeSeconds = 100 * 365 * 24 * 60 * 60

// token checks a successful answer. A token that is not for the Authorization header, or has ended already, is none.
func (t tokenResponse) token(requested []string, now time.Time) (token, error) {
	switch {
	case t.AccessToken.IsZero():
		return token{}, errors.New("the token response holds no access_token")
	case strings.ContainsFunc(t.AccessToken.Reveal(), notInToken):
		return token{}, errors.New("the token response holds an access_token that fits into no header")
	case !strings.EqualFold(t.TokenType, "Bearer"):
		return token{}, errors.New("the token response's token_type is not Bearer")
	}
	out := token{access: t.AccessToken.Value, refresh: t.RefreshToken.Value, scopes: requested}
	if t.ExpiresIn != nil {
		seconds := *t.ExpiresIn
		switch {
		case seconds < 0:
			return token{}, errors.New("the token response's expires_in is negative")
		case seconds == 0:
			return token{}, errors.New("the token that was given has expired already (expires_in is 0)")
		}
		out.expires = now.Add(time.Duration(min(seconds, maxLifeSeconds)) * time.Second)
	}
	if t.Scope != nil {
		out.scopes = strings.Fields(*t.Scope)
		if err := checkScopes(out.scopes); err != nil {
			return token{}, fmt.Errorf("the token response's scope: %w", err)
		}
	}
	return out, nil
}

// notInToken reports what no token can hold that goes into a header (RFC 6750, section 2.1, taken widely).
func notInToken(r rune) bool { return r <= ' ' || r > '~' }

package jsonrpc

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"ahptui/internal/secret"
)

// tokenParameter is the query parameter that carries the connection token of an agent host.
const tokenParameter = "tkn"

// SplitToken takes the connection token out of the URL of a host, so that the rest can be shown, logged and stored. It refuses
// what [Dial] would refuse. No error holds anything of the query.
func SplitToken(rawURL string) (clean string, token secret.Value, err error) {
	u, token, err := splitToken(rawURL)
	if err != nil {
		return "", secret.Value{}, err
	}
	return u.String(), token, nil
}

func splitToken(rawURL string) (*url.URL, secret.Value, error) {
	base, query, _ := strings.Cut(rawURL, "?")
	base, _, hasFragment := strings.Cut(base, "#")
	query, _, queryFragment := strings.Cut(query, "#")
	u, err := url.Parse(base)
	if err != nil {
		if urlErr, ok := errors.AsType[*url.Error](err); ok {
			err = urlErr.Err // it would repeat the URL
		}
		return nil, secret.Value{}, fmt.Errorf("the host's URL is not valid: %w", err)
	}
	switch {
	case u.Scheme != "ws" && u.Scheme != "wss":
		return nil, secret.Value{}, errors.New("the host's URL must begin with ws:// or wss://")
	case u.Host == "":
		return nil, secret.Value{}, errors.New("the host's URL names no host")
	case u.User != nil:
		return nil, secret.Value{}, errors.New("the host's URL must not hold a user or a password")
	case hasFragment || queryFragment:
		return nil, secret.Value{}, errors.New("the host's URL must not hold a #")
	}
	if strings.ContainsFunc(query, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, secret.Value{}, errors.New("the host's URL must not hold control characters")
	}
	query, token, err := cutToken(query)
	if err != nil {
		return nil, secret.Value{}, err
	}
	u.RawQuery = query
	return u, token, nil
}

// cutToken takes the token out of a query and leaves the rest as it is spelled.
func cutToken(query string) (rest string, token secret.Value, err error) {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		if unescaped, err := url.QueryUnescape(name); err == nil {
			name = unescaped
		}
		if name != tokenParameter {
			kept = append(kept, part)
			continue
		}
		text, err := url.QueryUnescape(value)
		switch {
		case err != nil:
			return "", secret.Value{}, errors.New("the token in the host's URL is not properly escaped")
		case !token.IsZero():
			return "", secret.Value{}, errors.New("the host's URL holds more than one token")
		}
		token = secret.New(text)
	}
	return strings.Join(kept, "&"), token, nil
}

// withToken returns the URL to dial. Nothing but the dialer may see it.
func withToken(u *url.URL, token secret.Value) string {
	if token.IsZero() {
		return u.String()
	}
	dialed := *u
	if dialed.RawQuery != "" {
		dialed.RawQuery += "&"
	}
	dialed.RawQuery += tokenParameter + "=" + url.QueryEscape(token.Reveal())
	return dialed.String()
}

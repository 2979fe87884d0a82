package oauthserver

import (
	"context"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

const maxRedirects = 8 // redirect URIs of a client

// Client is a registered client. A client without a secret is public.
type Client struct {
	ID           string
	Name         string
	Secret       string
	RedirectURIs []string
	GrantTypes   []string // nil means every one that the server has
}

// may tells whether a client may use a grant.
func (c Client) may(grant string) bool {
	return c.GrantTypes == nil || slices.Contains(c.GrantTypes, grant)
}

// lookup finds a client by its id: one that is registered, or one that its id
// leads to (draft-ietf-oauth-client-id-metadata-document).
func (s *Server) lookup(ctx context.Context, id string) (Client, bool) {
	s.mu.Lock()
	c, ok := s.clients[id]
	s.mu.Unlock()
	if ok || s.opts.Document == nil || !isDocumentURL(id) {
		return c, ok
	}
	data, err := s.opts.Document(ctx, id)
	if err != nil || len(data) > maxBody {
		return Client{}, false
	}
	var m clientMetadata
	if json.Unmarshal(data, &m) != nil || m.ClientID != id || m.TokenEndpointAuthMethod != "none" || m.check() != nil {
		return Client{}, false
	}
	return m.client(id), true
}

// isDocumentURL tells whether a client id can be the address of its metadata:
// https, with a path, and nothing that makes two addresses of one.
func isDocumentURL(id string) bool {
	u, err := url.Parse(id)
	return err == nil && len(id) <= maxField && u.Scheme == "https" && u.Host != "" && len(u.Path) > 1 &&
		u.User == nil && !strings.Contains(id, "#") && !strings.Contains(u.Path, "/.")
}

// authenticate finds the client that makes a request (RFC 6749 section 2.3).
func (s *Server) authenticate(r *http.Request, form url.Values) (Client, bool) {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	if user, pass, ok := r.BasicAuth(); ok {
		if form.Has("client_secret") {
			return Client{}, false // two ways at once
		}
		var errID, errSecret error
		id, errID = url.QueryUnescape(user)
		secret, errSecret = url.QueryUnescape(pass)
		if errID != nil || errSecret != nil {
			return Client{}, false
		}
	}
	c, ok := s.lookup(r.Context(), id)
	return c, ok && subtle.ConstantTimeCompare([]byte(c.Secret), []byte(secret)) == 1
}

// allows tells whether a client may be sent to a redirect URI: one that it
// registered, to the letter, except for the port of a loopback IP address (RFC
// 8252 section 7.3).
func (c Client) allows(uri string) bool {
	for _, have := range c.RedirectURIs {
		if have == uri || samePortless(have, uri) {
			return true
		}
	}
	return false
}

func samePortless(a, b string) bool {
	ua, errA := url.Parse(a)
	ub, errB := url.Parse(b)
	if errA != nil || errB != nil || ua.Scheme != "http" || ub.Scheme != "http" {
		return false
	}
	addr, err := netip.ParseAddr(ua.Hostname())
	if err != nil || !addr.IsLoopback() || ua.Hostname() != ub.Hostname() {
		return false
	}
	ua.Host, ub.Host = ua.Hostname(), ub.Hostname()
	return ua.String() == ub.String()
}

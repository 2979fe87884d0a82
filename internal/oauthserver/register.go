package oauthserver

import (
	"net/http"
	"net/netip"
	"net/url"

	"github.com/go-json-experiment/json"
)

// registration is a client's request to be known (RFC 7591 section 2).
type registration struct {
	ClientName              string   `json:"client_name"`
	ApplicationType         string   `json:"application_type"`
	RedirectURIs            []string `json:"redirect_uris"`
	GrantTypes              []string `json:"grant_types"`
	ResponseTypes           []string `json:"response_types"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var in registration
	if err := json.UnmarshalRead(r.Body, &in); err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_client_metadata", "the body is not a JSON object of client metadata")
		return
	}
	if len(in.RedirectURIs) == 0 || len(in.RedirectURIs) > maxRedirects {
		oauthError(w, http.StatusBadRequest, "invalid_redirect_uri", "between one and eight redirect URIs are needed")
		return
	}
	for _, uri := range in.RedirectURIs {
		if !registrable(uri, in.ApplicationType == "native") {
			oauthError(w, http.StatusBadRequest, "invalid_redirect_uri", "a redirect URI is https, or for a native client http on a loopback address")
			return
		}
	}
	if m := in.TokenEndpointAuthMethod; m != "none" {
		oauthError(w, http.StatusBadRequest, "invalid_client_metadata", "only public clients can register: token_endpoint_auth_method must be none")
		return
	}
	c := Client{ID: random(), Name: in.ClientName, RedirectURIs: in.RedirectURIs}
	s.mu.Lock()
	makeRoom(s.clients, func(c Client) bool { return c.Secret == "" })
	s.clients[c.ID] = c
	s.mu.Unlock()
	writeJSON(w, http.StatusCreated, map[string]any{
		"client_id": c.ID, "client_name": c.Name, "redirect_uris": c.RedirectURIs, "application_type": in.ApplicationType,
		"grant_types": []string{"authorization_code"}, "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
}

// registrable tells whether a redirect URI may be registered: application_type
// web, which is the default, excludes loopback (OpenID registration section 2).
func registrable(uri string, native bool) bool {
	u, err := url.Parse(uri)
	if err != nil || len(uri) > maxField || u.Fragment != "" || u.User != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "https" || native && u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
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

package oauthserver

import (
	"net/http"
	"net/netip"
	"net/url"

	"github.com/go-json-experiment/json"
)

// clientMetadata is what a client says of itself: in a request to be known (RFC
// 7591 section 2), or in the document that its id leads to.
type clientMetadata struct {
	ClientID                string   `json:"client_id"`
	ClientName              string   `json:"client_name"`
	ApplicationType         string   `json:"application_type"`
	RedirectURIs            []string `json:"redirect_uris"`
	GrantTypes              []string `json:"grant_types"`
	ResponseTypes           []string `json:"response_types"`
	TokenEndpointAuthMethod string   `json:"token_endpoint_auth_method"`
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var in clientMetadata
	if err := json.UnmarshalRead(r.Body, &in); err != nil {
		oauthError(w, http.StatusBadRequest, refusal{"invalid_client_metadata", "the body is not a JSON object of client metadata"})
		return
	}
	if no := in.check(); no != nil {
		oauthError(w, http.StatusBadRequest, *no)
		return
	}
	c := in.client(random())
	s.mu.Lock()
	makeRoom(s.clients, func(c Client) bool { return c.Secret == "" })
	s.clients[c.ID] = c
	s.mu.Unlock()
	writeJSON(w, http.StatusCreated, map[string]any{
		"client_id": c.ID, "client_name": c.Name, "redirect_uris": c.RedirectURIs, "application_type": in.ApplicationType,
		"grant_types": c.GrantTypes, "response_types": []string{"code"}, "token_endpoint_auth_method": "none",
	})
}

// check tells what is wrong with a client.
func (m clientMetadata) check() *refusal {
	if len(m.RedirectURIs) == 0 || len(m.RedirectURIs) > maxRedirects {
		return &refusal{"invalid_redirect_uri", "between one and eight redirect URIs are needed"}
	}
	for _, uri := range m.RedirectURIs {
		if !registrable(uri, m.ApplicationType == "native") {
			return &refusal{"invalid_redirect_uri", "a redirect URI is https, or for a native client http on a loopback address"}
		}
	}
	if m.TokenEndpointAuthMethod != "none" {
		return &refusal{"invalid_client_metadata", "only public clients can register: token_endpoint_auth_method must be none"}
	}
	return nil
}

// client is the client that the metadata is of. Without a word about grants it has
// that of codes alone (RFC 7591 section 2).
func (m clientMetadata) client(id string) Client {
	c := Client{ID: id, Name: m.ClientName, RedirectURIs: m.RedirectURIs, GrantTypes: m.GrantTypes}
	if len(c.GrantTypes) == 0 {
		c.GrantTypes = []string{GrantCode}
	}
	return c
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

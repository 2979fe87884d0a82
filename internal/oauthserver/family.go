package oauthserver

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Grant is what a token allows.
type Grant struct {
	ClientID string
	Resource string
	Scopes   []string
	Expires  time.Time
}

// family is what a person agreed to once: the tokens that come of it follow one
// another, and end together.
type family struct {
	clientID, resource string
	scopes             []string
	access             []string
	refresh            string    // the one that is good; "" when there is none any more
	expires            time.Time // of that
}

// newFamily makes the family of an authorization, of the scopes that are granted.
func (s *Server) newFamily(a authorization) *family {
	f := &family{clientID: a.clientID, resource: a.resource, scopes: a.scopes}
	if s.opts.Narrow != nil {
		f.scopes = s.opts.Narrow(f.scopes)
	}
	return f
}

// issue gives the next tokens of a family (RFC 6749 section 5.1). Its refresh
// token, if the client may use one, is a new one each time.
func (s *Server) issue(client Client, f *family, scopes []string) map[string]any {
	now := s.opts.Now()
	token := random() + random()
	makeRoom(s.tokens, func(g Grant) bool { return now.After(g.Expires) })
	s.tokens[token] = Grant{ClientID: f.clientID, Resource: f.resource, Scopes: scopes, Expires: now.Add(s.opts.Lifetime)}
	f.access = slices.DeleteFunc(f.access, func(old string) bool { _, ok := s.tokens[old]; return !ok })
	f.access = append(f.access, token)
	answer := map[string]any{
		"access_token": token, "token_type": "Bearer", "expires_in": int(s.opts.Lifetime.Seconds()),
		"scope": strings.Join(scopes, " "),
	}
	if s.supports(GrantRefresh) && client.may(GrantRefresh) {
		f.refresh, f.expires = random()+random(), now.Add(s.opts.RefreshLifetime)
		makeRoom(s.refresh, func(f *family) bool { return now.After(f.expires) })
		s.refresh[f.refresh] = f
		answer["refresh_token"] = f.refresh
	}
	return answer
}

// end revokes every token of a family.
func (s *Server) end(f *family) {
	for _, token := range f.access {
		delete(s.tokens, token)
	}
	f.access, f.refresh = nil, ""
}

// rotate gives new tokens for a refresh token (RFC 6749 section 6). One that comes
// twice was stolen by somebody: nothing of its family is good any more (RFC 9700
// section 4.14.2).
func (s *Server) rotate(client Client, form url.Values) (map[string]any, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := form.Get("refresh_token")
	f := s.refresh[token]
	if f == nil || f.clientID != client.ID {
		return nil, &refusal{"invalid_grant", "the refresh token is not known"}
	}
	scopes := f.scopes
	if form.Has("scope") {
		scopes = fields(form)
	}
	switch {
	case f.refresh != token:
		s.end(f)
		return nil, &refusal{"invalid_grant", "the refresh token was used before, or was revoked"}
	case s.opts.Now().After(f.expires):
		s.end(f)
		return nil, &refusal{"invalid_grant", "the refresh token has expired"}
	case form.Get("resource") != f.resource:
		return nil, &refusal{"invalid_target", "the resource is not the one of the authorization request"}
	case slices.ContainsFunc(scopes, func(scope string) bool { return !slices.Contains(f.scopes, scope) }):
		return nil, &refusal{"invalid_scope", "a scope was not granted"}
	}
	return s.issue(client, f, scopes), nil
}

// revoke ends a token, and with a refresh token all that came of the same consent
// (RFC 7009). A token that is not known is as good as ended.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	client, form, ok := s.clientRequest(w, r)
	if !ok {
		return
	}
	if !form.Has("token") {
		oauthError(w, http.StatusBadRequest, refusal{"invalid_request", "the token is missing"})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	token := form.Get("token")
	if f := s.refresh[token]; f != nil && f.clientID == client.ID {
		s.end(f)
	}
	if s.tokens[token].ClientID == client.ID {
		delete(s.tokens, token)
	}
	w.WriteHeader(http.StatusOK)
}

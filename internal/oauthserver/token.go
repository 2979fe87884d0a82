package oauthserver

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
)

// token exchanges a code for a token (RFC 6749 section 4.1.3, RFC 7636 section
// 4.5, RFC 8707 section 2.2).
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		oauthError(w, http.StatusBadRequest, "invalid_request", "the form cannot be read")
		return
	}
	form := r.PostForm
	for name, values := range form {
		if len(values) != 1 || len(values[0]) > maxField {
			oauthError(w, http.StatusBadRequest, "invalid_request", "the parameter "+name+" is given twice, or is too long")
			return
		}
	}
	client, ok := s.authenticate(r, form)
	if !ok {
		w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
		oauthError(w, http.StatusUnauthorized, "invalid_client", "the client is not known or did not authenticate")
		return
	}
	if form.Get("grant_type") != "authorization_code" {
		oauthError(w, http.StatusBadRequest, "unsupported_grant_type", "only authorization_code is supported")
		return
	}
	a, ok := s.redeem(form.Get("code"), client)
	switch {
	case !ok:
		oauthError(w, http.StatusBadRequest, "invalid_grant", "the code is not known, was used, or has expired")
	case a.redirectURI != form.Get("redirect_uri"):
		oauthError(w, http.StatusBadRequest, "invalid_grant", "the redirect URI is not the one of the authorization request")
	case !proves(form.Get("code_verifier"), a.challenge):
		oauthError(w, http.StatusBadRequest, "invalid_grant", "the verifier does not match the challenge")
	case form.Get("resource") != a.resource:
		oauthError(w, http.StatusBadRequest, "invalid_target", "the resource is not the one of the authorization request")
	default:
		s.issue(w, form.Get("code"), a)
	}
}

// authenticate finds the client that makes a token request (RFC 6749 section 2.3).
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
	s.mu.Lock()
	c, ok := s.clients[id]
	s.mu.Unlock()
	return c, ok && subtle.ConstantTimeCompare([]byte(c.Secret), []byte(secret)) == 1
}

// redeem takes a code. One that comes twice was stolen by somebody: the tokens
// of its first use end (RFC 6749 section 4.1.2).
func (s *Server) redeem(code string, c Client) (authorization, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, token := range s.used[code] {
		delete(s.tokens, token)
	}
	a, ok := s.codes[code]
	if !ok || a.clientID != c.ID {
		return authorization{}, false
	}
	delete(s.codes, code)
	return a, !s.opts.Now().After(a.expires)
}

func proves(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	got := base64.RawURLEncoding.EncodeToString(sum[:])
	return len(verifier) >= 43 && len(verifier) <= 128 && subtle.ConstantTimeCompare([]byte(got), []byte(challenge)) == 1
}

func (s *Server) issue(w http.ResponseWriter, code string, a authorization) {
	token := random() + random()
	s.mu.Lock()
	now := s.opts.Now()
	makeRoom(s.tokens, func(g Grant) bool { return now.After(g.Expires) })
	makeRoom(s.used, func([]string) bool { return false })
	s.tokens[token] = Grant{ClientID: a.clientID, Resource: a.resource, Scopes: a.scopes, Expires: now.Add(s.opts.Lifetime)}
	s.used[code] = append(s.used[code], token)
	s.mu.Unlock()
	writeJSON(w, http.StatusOK, map[string]any{
		"access_token": token, "token_type": "Bearer", "expires_in": int(s.opts.Lifetime.Seconds()),
		"scope": strings.Join(a.scopes, " "),
	})
}

// oauthError answers as RFC 6749 section 5.2 and RFC 7591 section 3.2.2 do.
func oauthError(w http.ResponseWriter, status int, code, description string) {
	writeJSON(w, status, map[string]any{"error": code, "error_description": description})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, v, json.Deterministic(true)) // a client that has gone needs no answer
}

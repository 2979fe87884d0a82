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

// refusal is an error of the protocol (RFC 6749 section 5.2).
type refusal struct{ code, description string }

// token gives tokens for what stands for a grant.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	client, form, ok := s.clientRequest(w, r)
	if !ok {
		return
	}
	grant := form.Get("grant_type")
	answer, no := s.grant(grant, client, form)
	if no != nil {
		oauthError(w, http.StatusBadRequest, *no)
		return
	}
	if s.opts.Alter.Token != nil {
		s.opts.Alter.Token(grant, answer)
	}
	writeJSON(w, http.StatusOK, answer)
}

// clientRequest reads the form of a client that is known; otherwise it has
// answered.
func (s *Server) clientRequest(w http.ResponseWriter, r *http.Request) (Client, url.Values, bool) {
	if err := r.ParseForm(); err != nil {
		oauthError(w, http.StatusBadRequest, refusal{"invalid_request", "the form cannot be read"})
		return Client{}, nil, false
	}
	if no := checkForm(r.PostForm); no != nil {
		oauthError(w, http.StatusBadRequest, *no)
		return Client{}, nil, false
	}
	client, ok := s.authenticate(r, r.PostForm)
	if !ok {
		w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
		oauthError(w, http.StatusUnauthorized, refusal{"invalid_client", "the client is not known or did not authenticate"})
	}
	return client, r.PostForm, ok
}

// checkForm refuses parameters that come twice or without end.
func checkForm(form url.Values) *refusal {
	for name, values := range form {
		if len(values) != 1 || len(values[0]) > maxField {
			return &refusal{"invalid_request", "the parameter " + name + " is given twice, or is too long"}
		}
	}
	return nil
}

func (s *Server) grant(grant string, client Client, form url.Values) (map[string]any, *refusal) {
	switch {
	case !s.supports(grant):
		return nil, &refusal{"unsupported_grant_type", "there is no such grant here"}
	case !client.may(grant):
		return nil, &refusal{"unauthorized_client", "the client has not registered for this grant"}
	case grant == GrantDevice:
		return s.poll(client, form)
	case grant == GrantRefresh:
		return s.rotate(client, form)
	}
	return s.exchange(client, form)
}

// exchange gives tokens for a code (RFC 6749 section 4.1.3, RFC 7636 section 4.5,
// RFC 8707 section 2.2).
func (s *Server) exchange(client Client, form url.Values) (map[string]any, *refusal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.redeem(form.Get("code"), client)
	switch {
	case !ok:
		return nil, &refusal{"invalid_grant", "the code is not known, was used, or has expired"}
	case a.redirectURI != form.Get("redirect_uri"):
		return nil, &refusal{"invalid_grant", "the redirect URI is not the one of the authorization request"}
	case !proves(form.Get("code_verifier"), a.challenge):
		return nil, &refusal{"invalid_grant", "the verifier does not match the challenge"}
	case form.Get("resource") != a.resource:
		return nil, &refusal{"invalid_target", "the resource is not the one of the authorization request"}
	}
	f := s.newFamily(a)
	makeRoom(s.used, func(*family) bool { return false })
	s.used[form.Get("code")] = f
	return s.issue(client, f, f.scopes), nil
}

// redeem takes a code. One that comes twice was stolen by somebody: the tokens
// of its first use end (RFC 6749 section 4.1.2).
func (s *Server) redeem(code string, c Client) (authorization, bool) {
	if f := s.used[code]; f != nil {
		s.end(f)
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

// oauthError answers as RFC 6749 section 5.2 and RFC 7591 section 3.2.2 do.
func oauthError(w http.ResponseWriter, status int, no refusal) {
	writeJSON(w, status, map[string]any{"error": no.code, "error_description": no.description})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, v, json.Deterministic(true)) // a client that has gone needs no answer
}

// fields are the scopes of a parameter.
func fields(form url.Values) []string { return strings.Fields(form.Get("scope")) }

package oauthserver

import (
	"net/http"
	"net/url"
	"slices"
)

// authorize shows the consent page (RFC 6749 section 4.1.1). A request whose
// client or redirect URI is in doubt is answered here and goes nowhere.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		s.refuse(w, "the query cannot be read")
		return
	}
	client, known := s.lookup(r.Context(), q.Get("client_id"))
	switch {
	case !known:
		s.refuse(w, "the client is not known here")
		return
	case !client.allows(q.Get("redirect_uri")):
		s.refuse(w, "the redirect URI is not one that the client registered")
		return
	}
	a := authorization{
		clientID: client.ID, redirectURI: q.Get("redirect_uri"), state: q.Get("state"),
		challenge: q.Get("code_challenge"), resource: q.Get("resource"), scopes: fields(q),
	}
	if no := s.checkRequest(q, a); no != nil {
		s.sendBack(w, r, a, url.Values{"error": {no.code}, "error_description": {no.description}})
		return
	}
	s.consent(w, client, a, "")
}

// checkRequest tells what is wrong with an authorization request.
func (s *Server) checkRequest(q url.Values, a authorization) *refusal {
	if no := checkForm(q); no != nil {
		return no
	}
	switch {
	case q.Get("response_type") != "code":
		return &refusal{"unsupported_response_type", "only the response type code is supported"}
	case a.challenge == "" || q.Get("code_challenge_method") != "S256":
		return &refusal{"invalid_request", "PKCE with the method S256 is required"}
	}
	return s.checkTarget(a)
}

// checkTarget tells what is wrong with what is asked for.
func (s *Server) checkTarget(a authorization) *refusal {
	switch {
	case a.resource == "":
		return &refusal{"invalid_target", "the resource indicator is missing"}
	case s.opts.Resources != nil && !slices.Contains(s.opts.Resources, a.resource):
		return &refusal{"invalid_target", "the resource is not known here"}
	}
	for _, scope := range a.scopes {
		if _, ok := s.opts.Scopes[scope]; !ok {
			return &refusal{"invalid_scope", "a scope is not known here"}
		}
	}
	return nil
}

// decide takes the person's decision.
func (s *Server) decide(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		s.refuse(w, "the form cannot be read")
		return
	}
	id := r.PostForm.Get("request")
	s.mu.Lock()
	a, ok := s.pages[id]
	delete(s.pages, id)
	expired := ok && s.opts.Now().After(a.expires)
	s.mu.Unlock()
	approved := r.PostForm.Get("decision") == "approve"
	switch {
	case !ok || expired, a.device != "" && !s.decideDevice(a, approved):
		s.refuse(w, "this page has been used or is too old: start again")
	case a.device != "":
		secureHeaders(w, "")
		writePage(w, http.StatusOK, page{Server: s.name(), Note: "Done. Go back to the program that showed you the code."})
	case !approved:
		s.sendBack(w, r, a, url.Values{"error": {"access_denied"}, "error_description": {"the person said no"}})
	default:
		s.sendBack(w, r, a, url.Values{"code": {s.newCode(a)}})
	}
}

func (s *Server) newCode(a authorization) string {
	code := random()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.opts.Now()
	makeRoom(s.codes, func(a authorization) bool { return now.After(a.expires) })
	a.expires = now.Add(codeLifetime)
	s.codes[code] = a
	return code
}

// sendBack returns to the client, with the state and the issuer (RFC 9207).
func (s *Server) sendBack(w http.ResponseWriter, r *http.Request, a authorization, answer url.Values) {
	u, err := url.Parse(a.redirectURI)
	if err != nil {
		s.refuse(w, "the redirect URI cannot be read")
		return
	}
	if a.state != "" {
		answer.Set("state", a.state)
	}
	answer.Set("iss", s.issuer)
	if s.opts.Alter.Callback != nil {
		s.opts.Alter.Callback(answer)
	}
	q := u.Query()
	for name, values := range answer {
		q[name] = values
	}
	u.RawQuery = q.Encode()
	secureHeaders(w, "")
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}

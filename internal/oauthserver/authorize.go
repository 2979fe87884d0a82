package oauthserver

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// authorize shows the consent page (RFC 6749 section 4.1.1). A request whose
// client or redirect URI is in doubt is answered here and goes nowhere.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		s.refuse(w, "the query cannot be read")
		return
	}
	s.mu.Lock()
	client, known := s.clients[q.Get("client_id")]
	s.mu.Unlock()
	switch {
	case !known:
		s.refuse(w, "the client is not known here")
		return
	case !client.allows(q.Get("redirect_uri")):
		s.refuse(w, "the redirect URI is not one that the client registered")
		return
	}
	a, code, why := s.request(q)
	a.clientID, a.redirectURI, a.state = client.ID, q.Get("redirect_uri"), q.Get("state")
	if code != "" {
		s.sendBack(w, r, a, url.Values{"error": {code}, "error_description": {why}})
		return
	}
	id := random()
	s.mu.Lock()
	now := s.opts.Now()
	makeRoom(s.pages, func(a authorization) bool { return now.After(a.expires) })
	a.expires = now.Add(pageLifetime)
	s.pages[id] = a
	s.mu.Unlock()
	s.consent(w, id, client, a)
}

// request reads what is asked for; code is the OAuth error if it cannot be had.
func (s *Server) request(q url.Values) (a authorization, code, why string) {
	for name, values := range q {
		if len(values) != 1 || len(values[0]) > maxField {
			return a, "invalid_request", "the parameter " + name + " is given twice, or is too long"
		}
	}
	a.scopes = strings.Fields(q.Get("scope"))
	a.challenge, a.resource = q.Get("code_challenge"), q.Get("resource")
	switch {
	case q.Get("response_type") != "code":
		return a, "unsupported_response_type", "only the response type code is supported"
	case a.challenge == "" || q.Get("code_challenge_method") != "S256":
		return a, "invalid_request", "PKCE with the method S256 is required"
	case a.resource == "":
		return a, "invalid_target", "the resource indicator is missing"
	case s.opts.Resources != nil && !slices.Contains(s.opts.Resources, a.resource):
		return a, "invalid_target", "the resource is not known here"
	}
	for _, scope := range a.scopes {
		if _, ok := s.opts.Scopes[scope]; !ok {
			return a, "invalid_scope", "a scope is not known here"
		}
	}
	return a, "", ""
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
	if !ok || expired {
		s.refuse(w, "this page has been used or is too old: start again")
		return
	}
	if r.PostForm.Get("decision") != "approve" {
		s.sendBack(w, r, a, url.Values{"error": {"access_denied"}, "error_description": {"the person said no"}})
		return
	}
	code := random()
	s.mu.Lock()
	now := s.opts.Now()
	makeRoom(s.codes, func(a authorization) bool { return now.After(a.expires) })
	a.expires = now.Add(codeLifetime)
	s.codes[code] = a
	s.mu.Unlock()
	s.sendBack(w, r, a, url.Values{"code": {code}})
}

// sendBack returns to the client, with the state and the issuer (RFC 9207).
func (s *Server) sendBack(w http.ResponseWriter, r *http.Request, a authorization, answer url.Values) {
	u, err := url.Parse(a.redirectURI)
	if err != nil {
		s.refuse(w, "the redirect URI cannot be read")
		return
	}
	q := u.Query()
	for name, values := range answer {
		q[name] = values
	}
	if a.state != "" {
		q.Set("state", a.state)
	}
	q.Set("iss", s.issuer)
	u.RawQuery = q.Encode()
	secureHeaders(w, "")
	http.Redirect(w, r, u.String(), http.StatusSeeOther)
}

// page is what the consent page shows.
type page struct {
	Server, Client, Resource, Request, Action string
	Scopes                                    []scopeLine
	Refusal                                   string
}

type scopeLine struct{ Name, Means string }

func (s *Server) consent(w http.ResponseWriter, id string, c Client, a authorization) {
	p := page{Server: s.name(), Client: c.Name, Resource: a.resource, Request: id, Action: DecidePath}
	for _, scope := range a.scopes {
		p.Scopes = append(p.Scopes, scopeLine{scope, s.opts.Scopes[scope]})
	}
	secureHeaders(w, a.redirectURI)
	writePage(w, http.StatusOK, p)
}

// refuse says on a page why a request leads nowhere.
func (s *Server) refuse(w http.ResponseWriter, why string) {
	secureHeaders(w, "")
	writePage(w, http.StatusBadRequest, page{Server: s.name(), Refusal: why})
}

func (s *Server) name() string {
	if s.opts.Name == "" {
		return s.issuer
	}
	return s.opts.Name
}

// secureHeaders keep the page out of frames, caches and referrers, and let its
// form lead only here and back to the client.
func secureHeaders(w http.ResponseWriter, redirectURI string) {
	target := ""
	if u, err := url.Parse(redirectURI); err == nil && u.Host != "" {
		target = " " + u.Scheme + "://" + u.Host
	}
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'"+target+"; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
}

func writePage(w http.ResponseWriter, status int, p page) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = consentPage().Execute(w, p) // a browser that has gone needs no page
}

func consentPage() *template.Template {
	return template.Must(template.New("consent").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Server}}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
code { background: #8882; padding: 0 .2em; }
button { font: inherit; padding: .4em 1.2em; margin-right: .6em; }
</style>
</head>
<body>
<h1>{{.Server}}</h1>
{{if .Refusal}}<p>This cannot go on: {{.Refusal}}.</p>
{{else}}<p><strong>{{.Client}}</strong> asks for access to <code>{{.Resource}}</code>{{if .Scopes}}:{{else}}.{{end}}</p>
{{if .Scopes}}<ul>
{{range .Scopes}}<li><code>{{.Name}}</code>{{if .Means}} – {{.Means}}{{end}}</li>
{{end}}</ul>
{{end}}<form method="post" action="{{.Action}}">
<input type="hidden" name="request" value="{{.Request}}">
<button type="submit" name="decision" value="approve">Approve</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>
{{end}}</body>
</html>
`))
}

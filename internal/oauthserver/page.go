package oauthserver

import (
	"html/template"
	"net/http"
	"net/url"
)

// page is what a page shows.
type page struct {
	Server, Client, Resource, Request, Action string
	Scopes                                    []scopeLine
	UserCode                                  string // to be compared with the device's
	AskCode                                   string // where a code that is typed goes
	Note                                      string
	Refusal                                   string
}

type scopeLine struct{ Name, Means string }

// consent shows the page on which a person decides about an authorization.
func (s *Server) consent(w http.ResponseWriter, c Client, a authorization, userCode string) {
	id := random()
	s.mu.Lock()
	now := s.opts.Now()
	makeRoom(s.pages, func(a authorization) bool { return now.After(a.expires) })
	a.expires = now.Add(pageLifetime)
	s.pages[id] = a
	s.mu.Unlock()
	p := page{Server: s.name(), Client: c.Name, Resource: a.resource, Request: id, Action: DecidePath, UserCode: userCode}
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
	_ = pageTemplate().Execute(w, p) // a browser that has gone needs no page
}

func pageTemplate() *template.Template {
	return template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{{.Server}}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
code { background: #8882; padding: 0 .2em; }
input, button { font: inherit; padding: .4em 1.2em; margin-right: .6em; }
</style>
</head>
<body>
<h1>{{.Server}}</h1>
{{with .Refusal}}<p>This cannot go on: {{.}}.</p>
{{end}}{{with .Note}}<p>{{.}}</p>
{{end}}{{with .AskCode}}<form method="get" action="{{.}}">
<label>The code that your program shows: <input name="user_code" autocomplete="off" autofocus></label>
<button type="submit">Go on</button>
</form>
{{end}}{{if .Request}}<p><strong>{{.Client}}</strong> asks for access to <code>{{.Resource}}</code>{{if .Scopes}}:{{else}}.{{end}}</p>
{{if .Scopes}}<ul>
{{range .Scopes}}<li><code>{{.Name}}</code>{{if .Means}} – {{.Means}}{{end}}</li>
{{end}}</ul>
{{end}}{{with .UserCode}}<p>Go on only if your program shows the code <code>{{.}}</code>.</p>
{{end}}<form method="post" action="{{.Action}}">
<input type="hidden" name="request" value="{{.Request}}">
<button type="submit" name="decision" value="approve">Approve</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>
{{end}}</body>
</html>
`))
}

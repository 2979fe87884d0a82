package host

import (
	"slices"
	"strings"
	"time"

	"ahptui/host/mcpserver"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// The limits of a sign-in.
const (
	maxTokenBytes   = 32 << 10
	maxGrantScopes  = 256
	maxScopeBytes   = 1 << 10
	maxExpiresInSec = 10 * 365 * 24 * 60 * 60
)

// authenticateParams are [protocol.AuthenticateParams] as a host needs them: a
// token that is not there is another thing than an empty one.
type authenticateParams struct {
	Resource  string   `json:"resource"`
	Token     *string  `json:"token"`
	Scopes    []string `json:"scopes"`
	ExpiresIn *int64   `json:"expiresIn"`
}

// grant checks the parameters. No error quotes the token.
func (p *authenticateParams) grant(now time.Time) (*grant, *jsonrpc.Error) {
	switch {
	case p.Resource == "" || len(p.Resource) > maxURIBytes:
		return nil, invalid("authenticate needs a resource of 1 to %d bytes", maxURIBytes)
	case p.Token == nil:
		return nil, invalid("authenticate needs a token; an empty one takes the sign-in back")
	case len(*p.Token) > maxTokenBytes:
		return nil, invalid("the token is longer than %d bytes", maxTokenBytes)
	case strings.ContainsFunc(*p.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return nil, invalid("the token holds characters that no bearer token may hold")
	case len(p.Scopes) > maxGrantScopes || slices.ContainsFunc(p.Scopes, func(s string) bool { return s == "" || len(s) > maxScopeBytes }):
		return nil, invalid("scopes must be at most %d of 1 to %d bytes", maxGrantScopes, maxScopeBytes)
	case p.ExpiresIn != nil && *p.ExpiresIn < 1:
		return nil, invalid("expiresIn must be at least one second")
	}
	g := &grant{token: secret.New(*p.Token), scopes: p.Scopes}
	if p.ExpiresIn != nil {
		g.expires = now.Add(time.Duration(min(*p.ExpiresIn, maxExpiresInSec)) * time.Second)
	}
	return g, nil
}

// What follows runs under the host's lock.

// authenticate takes a token for everything that waits for it, in all sessions,
// and remembers it for what asks later.
func (h *Host) authenticate(_ *conn, p *authenticateParams) (any, *jsonrpc.Error) {
	g, failure := p.grant(time.Now())
	switch {
	case failure != nil:
		return nil, failure
	case !h.knowsResource(p.Resource):
		return nil, h.refuseSignIn("nothing here waits for a sign-in to "+firstLine(p.Resource, 200), p.Resource)
	case g.token.IsZero():
		h.signOut(p.Resource)
		return empty{}, nil
	}
	servers, calls, missing := h.waitingFor(p.Resource, g)
	if len(servers)+len(calls) == 0 && missing != nil {
		return nil, h.refuseSignIn("the token does not have all the scopes that are needed: "+strings.Join(missing, " "), p.Resource)
	}
	h.tokens.put(p.Resource, g, time.Now())
	for _, srv := range servers {
		srv.give(g.token)
		h.reconcile(srv)
	}
	for _, w := range calls {
		if srv := w.call.server; !slices.Contains(servers, srv) {
			srv.give(g.token)
			servers = append(servers, srv)
			h.reconcile(srv)
		}
		h.resume(w)
	}
	return empty{}, nil
}

// waitingFor lists what waits for a resource and is satisfied by a grant. If
// something is not, missing are the scopes that it needs.
func (h *Host) waitingFor(resource string, g *grant) (servers []*server, calls []*waiter, missing []string) {
	fits := func(need *protocol.McpAuthRequirement) bool {
		if g.satisfies(need.RequiredScopes) {
			return true
		}
		missing = need.RequiredScopes
		return false
	}
	for _, srv := range h.allServers() {
		st := srv.State()
		if st.Kind == mcpserver.AuthRequired && st.Auth.Resource.Resource == resource && fits(st.Auth) {
			servers = append(servers, srv)
		}
	}
	for _, s := range h.sorted() {
		for _, w := range s.waiters() {
			if w.resource() == resource && fits(w.need.Requirement) {
				calls = append(calls, w)
			}
		}
	}
	return servers, calls, missing
}

// allServers lists the servers of all sessions, in the order of the lists that
// clients see.
func (h *Host) allServers() []*server {
	var list []*server
	for _, s := range h.sorted() {
		for _, entry := range protocol.Servers(s.state) {
			if srv := s.servers[entry.ID]; srv != nil {
				list = append(list, srv)
			}
		}
	}
	return list
}

func (h *Host) knowsResource(resource string) bool {
	return h.tokens[resource] != nil || slices.ContainsFunc(h.allServers(), func(srv *server) bool {
		return srv.resource != nil && srv.resource.Resource == resource
	})
}

// signOut takes a token away from all who have it. Servers that run with it start
// anew without it.
func (h *Host) signOut(resource string) {
	delete(h.tokens, resource)
	for _, srv := range h.allServers() {
		if srv.resource == nil || srv.resource.Resource != resource || srv.token.IsZero() {
			continue
		}
		srv.give(secret.Value{})
		if srv.State().Kind == mcpserver.Ready {
			srv.Start()
		}
		h.reconcile(srv)
	}
}

// refuseSignIn is the answer to a token that nobody takes. Its data describe the
// resource in question, or else all that wait.
func (h *Host) refuseSignIn(message, resource string) *jsonrpc.Error {
	data := protocol.AuthRequiredData{Resources: []*protocol.ProtectedResourceMetadata{}}
	for _, known := range h.waitingResources() {
		if known.Resource == resource {
			data.Resources = []*protocol.ProtectedResourceMetadata{known}
			break
		}
		data.Resources = append(data.Resources, known)
	}
	raw, err := protocol.Marshal(data)
	if err != nil {
		raw = nil // what came as JSON encodes
	}
	return &jsonrpc.Error{Code: protocol.CodeAuthRequired, Message: message, Data: raw}
}

// waitingResources are the resources that something waits for, each once.
func (h *Host) waitingResources() []*protocol.ProtectedResourceMetadata {
	var list []*protocol.ProtectedResourceMetadata
	add := func(r *protocol.ProtectedResourceMetadata) {
		if !slices.ContainsFunc(list, func(have *protocol.ProtectedResourceMetadata) bool { return have.Resource == r.Resource }) {
			list = append(list, r)
		}
	}
	for _, srv := range h.allServers() {
		if st := srv.State(); st.Kind == mcpserver.AuthRequired {
			add(st.Auth.Resource)
		}
	}
	for _, s := range h.sorted() {
		for _, w := range s.waiters() {
			add(w.need.Requirement.Resource)
		}
	}
	return list
}

// useRemembered gives a server a token that somebody has signed in with before,
// if there is one that may help; one that was refused is forgotten.
func (h *Host) useRemembered(srv *server, need *protocol.McpAuthRequirement) bool {
	srv.resource = need.Resource
	if need.Reason == mcpserver.ReasonExpired {
		h.tokens.refused(need.Resource.Resource, srv.token)
	}
	g := h.tokens.get(need.Resource.Resource, time.Now())
	if g == nil || !g.satisfies(need.RequiredScopes) || g.token.Equal(srv.token) {
		return false
	}
	srv.give(g.token)
	return true
}

// give gives the server a token, or takes it away.
func (srv *server) give(token secret.Value) {
	srv.token = token
	srv.SetToken(token)
}

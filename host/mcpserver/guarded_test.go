package mcpserver

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const metadataPath = "/.well-known/oauth-protected-resource"

// guarded is an endpoint that asks for tokens.
type guarded struct {
	*httptest.Server
	t    *testing.T
	opts *mcp.StreamableHTTPOptions

	mu       sync.Mutex
	tokens   map[string][]string             // scopes by token
	public   func(rpc) bool                  // what needs no token
	needs    func(rpc) string                // the scope that a request needs
	metadata func(w http.ResponseWriter)     // nil: an honest document
	extra    func(token string) (add string) // more parameters of a challenge
	began    []string                        // the tokens that initialize was sent with
	served   []string                        // the tokens of requests that got through
}

// rpc is what a policy can look at.
type rpc struct {
	http   string
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// protected starts an endpoint that lets the token t-read read and t-write write,
// where writing is to call test.env.
func protected(t *testing.T, change func(*guarded)) *guarded {
	t.Helper()
	g := &guarded{
		t:      t,
		tokens: map[string][]string{"t-read": {"read"}, "t-write": {"read", "write"}},
		public: func(rpc) bool { return false },
		needs: func(r rpc) string {
			if r.Params.Name == "test.env" {
				return "write"
			}
			return "read"
		},
		extra: func(string) string { return "" },
	}
	if change != nil {
		change(g)
	}
	g.Server = endpointWith(t, g.opts, func(next http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("GET "+metadataPath+"/mcp", g.describe)
		mux.Handle("/mcp", g.protect(next))
		return mux
	})
	return g
}

// config is the configuration of a server at the endpoint.
func (g *guarded) config() Config { return Config{Name: "guarded", URL: g.URL + "/mcp"} }

// set changes the endpoint while it runs.
func (g *guarded) set(change func(*guarded)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(g)
}

func (g *guarded) revoke(token string) { g.set(func(g *guarded) { delete(g.tokens, token) }) }

// starts are the tokens with which the handshake began, one a time.
func (g *guarded) starts() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.began)
}

func (g *guarded) describe(w http.ResponseWriter, _ *http.Request) {
	g.mu.Lock()
	metadata := g.metadata
	g.mu.Unlock()
	if metadata != nil {
		metadata(w)
		return
	}
	_, _ = fmt.Fprintf(w, `{"resource":%q,"resource_name":"The guarded one","authorization_servers":["https://login.example"],"scopes_supported":["read","write"]}`, g.URL+"/mcp")
}

func (g *guarded) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		req := rpc{http: r.Method}
		_ = json.Unmarshal(body, &req) // a GET has none
		if status, scope, code := g.decide(req, r.Header.Get("Authorization")); status != 0 {
			g.challenge(w, r, status, scope, code)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *guarded) decide(req rpc, header string) (status int, scope, code string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	token := strings.TrimPrefix(header, "Bearer ")
	if req.Method == "initialize" {
		g.began = append(g.began, token)
	}
	scopes, known := g.tokens[token]
	need := g.needs(req)
	switch {
	case g.public(req):
	case header == "":
		return http.StatusUnauthorized, "read", ""
	case !known:
		return http.StatusUnauthorized, "read", "invalid_token"
	case !slices.Contains(scopes, need):
		return http.StatusForbidden, need, "insufficient_scope"
	}
	g.served = append(g.served, token)
	return 0, "", ""
}

func (g *guarded) challenge(w http.ResponseWriter, r *http.Request, status int, scope, code string) {
	value := fmt.Sprintf(`Bearer resource_metadata="%s%s/mcp", scope="%s"`, g.URL, metadataPath, scope)
	if code != "" {
		value += fmt.Sprintf(`, error="%s"`, code)
	}
	g.mu.Lock()
	value += g.extra(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	g.mu.Unlock()
	w.Header().Set("WWW-Authenticate", value)
	http.Error(w, http.StatusText(status), status)
}

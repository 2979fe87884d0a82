package interop

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// resource is an MCP server that takes tokens of an authorization server of somebody else's, and asks that server about
// them (RFC 7662).
type resource struct {
	http   *httptest.Server
	issuer string
}

func (r *resource) url() string { return r.http.URL + "/mcp" }

// newResource starts the resource. Its issuer is set before anybody asks for it.
func newResource(t *testing.T) *resource {
	t.Helper()
	r := &resource{}
	server := mcp.NewServer(&mcp.Implementation{Name: "files", Version: "1"}, nil)
	answer := func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
	}
	mcp.AddTool(server, &mcp.Tool{Name: "read", Description: "Read"}, answer)
	mcp.AddTool(server, &mcp.Tool{Name: "write", Description: "Write"}, answer)
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.MarshalWrite(w, map[string]any{"resource": r.url(), "authorization_servers": []string{r.issuer}})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, q *http.Request) {
		needed := "files:read"
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"tools/call"`)) && bytes.Contains(body, []byte(`"write"`)) {
			needed = "files:write"
		}
		scopes, ok := r.introspect(q)
		challenge := `Bearer scope="` + needed + `", resource_metadata="` + r.http.URL + `/.well-known/oauth-protected-resource/mcp"`
		switch {
		case !ok:
			w.Header().Set("WWW-Authenticate", challenge+`, error="invalid_token"`)
			w.WriteHeader(http.StatusUnauthorized)
		case !slices.Contains(scopes, needed):
			w.Header().Set("WWW-Authenticate", challenge+`, error="insufficient_scope"`)
			w.WriteHeader(http.StatusForbidden)
		default:
			streamable.ServeHTTP(w, q)
		}
	})
	r.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		r.http.CloseClientConnections()
		r.http.Close()
		for session := range server.Sessions() { // those whose client had no token to end them with
			_ = session.Close()
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return r
}

// introspect asks the authorization server what a token is good for here.
func (r *resource) introspect(q *http.Request) (scopes []string, ok bool) {
	token, found := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	if !found {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(q.Context(), 10*time.Second)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodPost, r.issuer+"/token/introspection", strings.NewReader(url.Values{"token": {token}}.Encode()))
	if err != nil {
		return nil, false
	}
	ask.SetBasicAuth("resource", url.QueryEscape("the resource's own secret"))
	ask.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(ask)
	if err != nil {
		return nil, false
	}
	defer func() { _ = response.Body.Close() }()
	var said struct {
		Active   bool   `json:"active"`
		Scope    string `json:"scope"`
		Audience string `json:"aud"`
	}
	if err := json.UnmarshalRead(response.Body, &said); err != nil || !said.Active || said.Audience != r.url() {
		return nil, false
	}
	return strings.Fields(said.Scope), true
}

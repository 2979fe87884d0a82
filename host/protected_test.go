package host_test

import (
	"bytes"
	"context"
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

	"ahptui/host"
	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// The tokens of the protected server. All begin alike, so that one can look for
// any of them.
const (
	canary     = "canary-9e1d"
	tokenRead  = canary + "-read"
	tokenWrite = canary + "-write"
	tokenBad   = canary + "-bad"
)

// protected is an MCP server that takes a token for everything, and one with the
// scope write for issues.create.
type protected struct {
	*httptest.Server

	mu     sync.Mutex
	tokens map[string][]string // scopes by token
	began  int                 // handshakes
	calls  []string            // that got through
}

func startProtected(t *testing.T) *protected {
	t.Helper()
	p := &protected{tokens: map[string][]string{tokenRead: {"read"}, tokenWrite: {"read", "write"}}}
	s := mcp.NewServer(&mcp.Implementation{Name: "issues", Version: "1"}, nil)
	add := func(name string, readOnly bool) {
		mcp.AddTool(s, &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(context.Context, *mcp.CallToolRequest, toolArgs) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done " + name}}}, nil, nil
			})
	}
	add("issues.list", true)
	add("issues.create", true) // as far as confirmations go
	add("issues.close", false)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", p.describe)
	mux.Handle("/mcp", p.protect(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)))
	p.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		p.CloseClientConnections()
		p.Close()
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
	return p
}

func (p *protected) resource() string { return p.URL + "/mcp" }

// spec is a server of a session at the endpoint.
func (p *protected) spec() host.ServerSpec {
	return host.ServerSpec{ID: "issues", URI: "file:///servers", Config: mcpserver.Config{Name: "issues", URL: p.URL + "/mcp"}}
}

// set changes which tokens are good.
func (p *protected) set(token string, scopes ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if delete(p.tokens, token); scopes != nil {
		p.tokens[token] = scopes
	}
}

func (p *protected) handshakes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began
}

func (p *protected) called() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}

func (p *protected) describe(w http.ResponseWriter, _ *http.Request) {
	_, _ = fmt.Fprintf(w, `{"resource":%q,"resource_name":"Issues","authorization_servers":["https://login.example"],"scopes_supported":["read","write"]}`, p.resource())
}

func (p *protected) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		var call struct {
			Method string `json:"method"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		_ = json.Unmarshal(body, &call) // a GET has none
		status, scope, code := p.decide(call.Method, call.Params.Name, r.Header.Get("Authorization"))
		if status == 0 {
			next.ServeHTTP(w, r)
			return
		}
		value := fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp", scope="%s"`, p.URL, scope)
		if code != "" {
			value += fmt.Sprintf(`, error="%s", error_description="the sign-in does not do"`, code)
		}
		w.Header().Set("WWW-Authenticate", value)
		w.WriteHeader(status)
	})
}

func (p *protected) decide(method, tool, header string) (status int, scope, code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if method == "initialize" {
		p.began++
	}
	scopes, known := p.tokens[strings.TrimPrefix(header, "Bearer ")]
	switch {
	case header == "":
		return http.StatusUnauthorized, "read", ""
	case !known:
		return http.StatusUnauthorized, "read", "invalid_token"
	case tool == "issues.create" && !slices.Contains(scopes, "write"):
		return http.StatusForbidden, "write", "insufficient_scope"
	}
	if method == "tools/call" {
		p.calls = append(p.calls, tool)
	}
	return 0, "", ""
}

// signIn makes the request authenticate; nil scopes are not known.
func (c *client) signIn(resource, token string, scopes ...string) error {
	c.t.Helper()
	return c.try("authenticate", &protocol.AuthenticateParams{Channel: protocol.RootChannel, Resource: resource, Token: token, Scopes: scopes}, nil)
}

// mustSignIn is signIn with a token that must be taken.
func (c *client) mustSignIn(resource, token string, scopes ...string) {
	c.t.Helper()
	if err := c.signIn(resource, token, scopes...); err != nil {
		c.t.Fatalf("authenticate: %v", err)
	}
}

// await waits until the session and its chat, fetched anew, are as wanted.
func (c *client) await(what string, wanted func(*protocol.SessionState, *protocol.ChatState) bool) (*protocol.SessionState, *protocol.ChatState) {
	c.t.Helper()
	return c.awaitIn(sessionURI, chatURI, what, wanted)
}

func (c *client) awaitIn(session, chat protocol.URI, what string, wanted func(*protocol.SessionState, *protocol.ChatState) bool) (*protocol.SessionState, *protocol.ChatState) {
	c.t.Helper()
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		ch := snapshot[protocol.ChatState](c, chat) // first: the session follows from it
		s := snapshot[protocol.SessionState](c, session)
		if wanted(s, ch) {
			return s, ch
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		select {
		case <-changed:
			cancel()
		case <-ctx.Done():
			cancel()
			c.t.Fatalf("not within %v: %s; got\n%s", patience, what, c.log())
		}
	}
}

// stateOf is the runtime state of the one server.
func stateOf(s *protocol.SessionState) *protocol.McpServerState {
	server, ok := protocol.ServerByID(s, "issues")
	if !ok {
		return &protocol.McpServerState{}
	}
	return server.State
}

// waitingCall is the call that waits for a sign-in, or nil.
func waitingCall(ch *protocol.ChatState) *protocol.ToolCall {
	if ch.ActiveTurn == nil {
		return nil
	}
	for _, p := range ch.ActiveTurn.ResponseParts {
		if p.ToolCall != nil && p.ToolCall.Status == protocol.ToolAuthRequired {
			return p.ToolCall
		}
	}
	return nil
}

// blocked waits until a call waits for a sign-in, and checks that everything says so.
func (c *client) blocked() (*protocol.SessionState, *protocol.ToolCall) {
	c.t.Helper()
	s, ch := c.await("a call waits", func(s *protocol.SessionState, ch *protocol.ChatState) bool {
		return waitingCall(ch) != nil && len(s.InputNeeded) == 1
	})
	call, entry := waitingCall(ch), s.InputNeeded[0]
	if entry.Kind != protocol.InputAuthentication || entry.ToolCall.ToolCallID != call.ToolCallID || entry.Chat != chatURI || entry.TurnID != ch.ActiveTurn.ID {
		c.t.Errorf("the session waits for %+v", entry)
	}
	if !ch.Status.NeedsInput() || !s.Status.NeedsInput() || !s.Chats[0].Status.NeedsInput() || s.Activity() != protocol.StatusInputNeeded {
		c.t.Errorf("the statuses are %v, %v, %v", ch.Status, s.Status, s.Chats[0].Status)
	}
	return s, call
}

// free waits until the turn is over and nothing waits any more.
func (c *client) free() *protocol.Turn {
	c.t.Helper()
	s, ch := c.await("the turn ends", func(_ *protocol.SessionState, ch *protocol.ChatState) bool { return len(ch.Turns) == 1 })
	if len(s.InputNeeded) != 0 || s.Status.NeedsInput() || ch.Status.NeedsInput() || s.Activity() != protocol.StatusIdle {
		c.t.Errorf("after the turn wait %+v, the statuses are %v and %v", s.InputNeeded, s.Status, ch.Status)
	}
	return ch.Turns[0]
}

// types are those of the actions that were received, one after the other.
func (c *client) types() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for _, e := range c.got {
		list = append(list, e.Action.ActionType())
	}
	return list
}

// checkNoToken looks for tokens in everything that the client got.
func (c *client) checkNoToken() {
	c.t.Helper()
	c.mu.Lock()
	all := c.log()
	for _, n := range c.notes {
		all += n.method + n.params
	}
	for _, e := range c.got {
		raw, _ := protocol.Marshal(e)
		all += string(raw)
	}
	c.mu.Unlock()
	for _, channel := range []protocol.URI{protocol.RootChannel, sessionURI, chatURI} {
		var raw protocol.Raw
		c.call("subscribe", &protocol.SubscribeParams{Channel: channel}, &raw)
		all += string(raw)
	}
	if i := strings.Index(all, canary); i >= 0 {
		c.t.Errorf("a token is shown: …%s…", all[max(0, i-200):min(len(all), i+100)])
	}
}

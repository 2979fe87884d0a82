package demo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/internal/oauthserver"
)

// The scopes of the tracker.
const (
	ScopeRead  = "tracker:read"
	ScopeWrite = "tracker:write"
)

// The tracker's tools. One needs more than the other.
const (
	toolList   = "tracker.list"
	toolCreate = "tracker.create"
)

const (
	trackerPath     = "/mcp"
	metadataPath    = "/.well-known/oauth-protected-resource" + trackerPath // RFC 9728 section 3.1
	maxTrackerBody  = 1 << 20
	maxIssues       = 1000
	trackerLifetime = 10 * time.Minute
	anyPort         = "127.0.0.1:0"
)

// A tracker is an issue tracker as an MCP server over streamable HTTP that
// serves nobody without a token of its authorization server: 401 to everything
// else (RFC 6750 section 3), 403 to a call that needs a scope the token lacks.
type tracker struct {
	url    string // also the resource indicator (RFC 8707)
	issuer *oauthserver.Server
	http   *http.Server
	server *mcp.Server
	ended  chan struct{}

	mu     sync.Mutex
	issues []issue
}

type issue struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	State  string `json:"state"`
}

type (
	listArgs struct {
		State string `json:"state,omitempty" jsonschema:"open or closed; all when absent"`
	}
	createArgs struct {
		Title string `json:"title" jsonschema:"what the issue is about, in a line"`
	}
	issueList struct {
		Issues []issue `json:"issues"`
	}
)

// startTracker starts the tracker and its authorization server, each at a
// loopback address, by default one with a port that is free. The clock of the
// authorization server may be nil.
func startTracker(listen, issuerListen string, now func() time.Time) (*tracker, error) {
	listen, issuerListen = cmp.Or(listen, anyPort), cmp.Or(issuerListen, anyPort)
	ln, err := new(net.ListenConfig).Listen(context.Background(), "tcp", listen)
	if err != nil {
		return nil, fmt.Errorf("listen for the tracker on %s: %w", listen, err)
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); !ok || !tcp.IP.IsLoopback() {
		_ = ln.Close() // nothing was served
		return nil, fmt.Errorf("the tracker takes tokens over plain http, so it listens on a loopback address only, not %s", listen)
	}
	t := &tracker{url: "http://" + ln.Addr().String() + trackerPath, ended: make(chan struct{}), issues: seedIssues()}
	t.issuer, err = oauthserver.Start(issuerListen, oauthserver.Options{
		Name:      "ACME accounts (demo)",
		Scopes:    map[string]string{ScopeRead: "see issues", ScopeWrite: "create issues"},
		Resources: []string{t.url},
		Lifetime:  trackerLifetime,
		Now:       now,
		// Nobody else asks, so a person need not wait for it.
		DeviceInterval: time.Second,
	})
	if err != nil {
		_ = ln.Close() // nothing was served
		return nil, err
	}
	t.server = t.newServer()
	streamable := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return t.server }, &mcp.StreamableHTTPOptions{SessionTimeout: sessionTimeout})
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+metadataPath, t.metadata)
	mux.Handle(trackerPath, t.protect(streamable))
	t.http = &http.Server{Handler: http.NewCrossOriginProtection().Handler(mux), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(t.ended)
		_ = t.http.Serve(ln) // ends with close
	}()
	return t, nil
}

func seedIssues() []issue {
	return []issue{
		{112, "Login ends on the start page instead of where one came from", "open"},
		{114, "Session cookie lacks SameSite", "open"},
		{97, "Redirect loop after password reset", "closed"},
	}
}

func (t *tracker) newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tracker", Title: "Issue tracker", Version: "1.0.0"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: toolList, Description: "List issues.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in listArgs) (*mcp.CallToolResult, issueList, error) {
			found := t.list(in.State)
			lines := make([]string, 0, len(found))
			for _, i := range found {
				lines = append(lines, fmt.Sprintf("#%d %s (%s)", i.Number, i.Title, i.State))
			}
			return text(strings.Join(lines, "\n")), issueList{found}, nil
		})
	no := false
	mcp.AddTool(s, &mcp.Tool{Name: toolCreate, Description: "Create an issue.", Annotations: &mcp.ToolAnnotations{DestructiveHint: &no}},
		func(_ context.Context, _ *mcp.CallToolRequest, in createArgs) (*mcp.CallToolResult, issue, error) {
			made, err := t.create(in.Title)
			if err != nil {
				return nil, issue{}, err
			}
			return text(fmt.Sprintf("created #%d", made.Number)), made, nil
		})
	return s
}

func (t *tracker) list(state string) []issue {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(t.issues), func(i issue) bool { return state != "" && i.State != state })
}

func (t *tracker) create(title string) (issue, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case strings.TrimSpace(title) == "":
		return issue{}, errors.New("an issue needs a title")
	case len(t.issues) >= maxIssues:
		return issue{}, errors.New("the tracker is full")
	}
	made := issue{Number: 115 + len(t.issues), Title: title, State: "open"}
	t.issues = append(t.issues, made)
	return made, nil
}

// metadata describes the resource (RFC 9728 section 2).
func (t *tracker) metadata(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	doc := map[string]any{
		"resource": t.url, "resource_name": "ACME tracker", "authorization_servers": []string{t.issuer.Issuer()},
		"scopes_supported": []string{ScopeRead, ScopeWrite}, "bearer_methods_supported": []string{"header"},
	}
	_ = json.MarshalWrite(w, doc, json.Deterministic(true)) // a client that has gone needs no answer
}

// protect lets requests through that have a token, and what its scopes allow.
func (t *tracker) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			t.challenge(w, http.StatusUnauthorized, "", ScopeRead)
			return
		}
		grant, err := t.issuer.Verify(token, t.url)
		if err != nil || !slices.Contains(grant.Scopes, ScopeRead) && !slices.Contains(grant.Scopes, ScopeWrite) {
			t.challenge(w, http.StatusUnauthorized, "invalid_token", ScopeRead)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxTrackerBody))
		if err != nil {
			http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
			return
		}
		need, err := scopeOf(body)
		switch {
		case err != nil: // what is read differently behind here must not get there
			http.Error(w, "the body is not one JSON-RPC message", http.StatusBadRequest)
			return
		case need != "" && !slices.Contains(grant.Scopes, need):
			t.challenge(w, http.StatusForbidden, "insufficient_scope", need)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// scopeOf is the scope that a JSON-RPC message needs, "" if any token will do.
func scopeOf(body []byte) (string, error) {
	if len(body) == 0 { // a GET or a DELETE
		return "", nil
	}
	var call struct {
		Method string `json:"method"`
		Params struct {
			Name string `json:"name"`
		} `json:"params"`
	}
	if err := json.Unmarshal(body, &call); err != nil {
		return "", err
	}
	if call.Method == "tools/call" && call.Params.Name == toolCreate {
		return ScopeWrite, nil
	}
	return "", nil
}

// challenge refuses a request and says what would help.
func (t *tracker) challenge(w http.ResponseWriter, status int, code, scope string) {
	value := fmt.Sprintf(`Bearer resource_metadata="%s%s", scope="%s"`, strings.TrimSuffix(t.url, trackerPath), metadataPath, scope)
	if code != "" {
		value += fmt.Sprintf(`, error="%s"`, code)
	}
	w.Header().Set("WWW-Authenticate", value)
	http.Error(w, http.StatusText(status), status)
}

// close ends the tracker, its sessions and its authorization server at once.
func (t *tracker) close(ctx context.Context) error {
	err := t.http.Close()
	for s := range t.server.Sessions() {
		_ = s.Close() // its client is gone
	}
	t.issuer.Close()
	select {
	case <-t.ended:
	case <-ctx.Done():
		err = errors.Join(err, ctx.Err())
	}
	return err
}

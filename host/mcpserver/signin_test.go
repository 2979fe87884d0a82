package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// signedIn is a server that is ready with a token.
func signedIn(t *testing.T, cfg Config, token string) (*Server, <-chan State) {
	t.Helper()
	s, states := launch(t, cfg)
	s.SetToken(secret.New(token))
	ready(t, s)
	return s, states
}

func echo(t *testing.T, s *Server) error {
	t.Helper()
	_, err := s.CallTool(t.Context(), "test.echo", jsontext.Value(`{"text":"x"}`), nil)
	return err
}

// wantAuth calls a tool that must be refused for want of a sign-in.
func wantAuth(t *testing.T, s *Server, tool string) *AuthError {
	t.Helper()
	_, err := s.CallTool(t.Context(), tool, jsontext.Value(`{"text":"HOME"}`), nil)
	var auth *AuthError
	if !errors.As(err, &auth) {
		t.Fatalf("%s: %v, want an AuthError", tool, err)
	}
	return auth
}

func TestStartThatTakesASignIn(t *testing.T) {
	t.Parallel()
	g := protected(t, nil)
	s, states := launch(t, g.config())
	settle(t, s.Start())
	st := await(t, states, AuthRequired)
	want := &protocol.McpAuthRequirement{
		Reason: ReasonRequired, RequiredScopes: []string{"read"},
		Resource: &protocol.ProtectedResourceMetadata{
			Resource: g.URL + "/mcp", ResourceName: "The guarded one",
			AuthorizationServers: []string{"https://login.example"}, ScopesSupported: []string{"read", "write"},
		},
	}
	if diff := cmp.Diff(want, st.Auth); diff != "" {
		t.Errorf("the requirement (-want +got):\n%s", diff)
	}
	if n := len(g.starts()); n != 1 {
		t.Errorf("the handshake began %d times", n)
	}
	if auth := wantAuth(t, s, "test.echo"); !auth.Server || auth.Requirement != s.State().Auth {
		t.Errorf("a call says %+v", auth)
	}
	s.SetToken(secret.New("t-read"))
	await(t, states, Ready)
	if err := echo(t, s); err != nil {
		t.Errorf("a call after the sign-in: %v", err)
	}
	settle(t, s.Stop())
	wantKind(t, s, Stopped)
	ready(t, s) // the token is kept
}

func TestBadToken(t *testing.T) {
	t.Parallel()
	g := protected(t, nil)
	s, states := launch(t, g.config())
	settle(t, s.Start())
	await(t, states, AuthRequired)
	s.SetToken(secret.New("t-bad"))
	await(t, states, Starting)
	if st := await(t, states, AuthRequired); st.Auth.Reason != ReasonExpired {
		t.Errorf("the reason is %s", st.Auth.Reason)
	}
	s.SetToken(secret.Value{})
	await(t, states, Starting)
	if st := await(t, states, AuthRequired); st.Auth.Reason != ReasonRequired {
		t.Errorf("without a token the reason is %s", st.Auth.Reason)
	}
}

func TestStepUpLeavesTheServerReady(t *testing.T) {
	t.Parallel()
	g := protected(t, nil)
	s, _ := signedIn(t, g.config(), "t-read")
	auth := wantAuth(t, s, "test.env")
	if auth.Server || auth.Requirement.Reason != ReasonInsufficientScope || !reflect.DeepEqual(auth.Requirement.RequiredScopes, []string{"write"}) {
		t.Errorf("the call says %+v, %+v", auth, auth.Requirement)
	}
	if !auth.Token.Equal(secret.New("t-read")) {
		t.Error("the call does not know its token")
	}
	wantKind(t, s, Ready)
	if err := echo(t, s); err != nil {
		t.Errorf("another call after the refusal: %v", err)
	}
	s.SetToken(secret.New("t-write"))
	wantKind(t, s, Ready)
	if _, err := s.CallTool(t.Context(), "test.env", jsontext.Value(`{"text":"HOME"}`), nil); err != nil {
		t.Errorf("the call with more access: %v", err)
	}
	if got := g.starts(); !reflect.DeepEqual(got, []string{"t-read"}) {
		t.Errorf("the server was started with %q", got)
	}
}

// A token that expires stops the server, and not what it is doing already.
func TestExpiryInACall(t *testing.T) {
	t.Parallel()
	g := protected(t, nil)
	s, states := signedIn(t, g.config(), "t-read")
	ctx, cancel := context.WithCancel(t.Context())
	mark := filepath.Join(t.TempDir(), "mark")
	long := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, "test.wait", jsontext.Value(fmt.Sprintf(`{"text":%q}`, mark)), nil)
		long <- err
	}()
	eventually(t, "the long call is accepted", func() bool { return g.servedCalls() > 0 })

	g.revoke("t-read")
	if auth := wantAuth(t, s, "test.echo"); !auth.Server || auth.Requirement.Reason != ReasonExpired {
		t.Errorf("the call says %+v, %+v", auth, auth.Requirement)
	}
	if st := s.State(); st.Kind != AuthRequired || st.Auth.Reason != ReasonExpired || len(s.Tools()) != 0 {
		t.Errorf("the server is %v, %+v", st.Kind, st.Auth)
	}
	await(t, states, AuthRequired)
	g.set(func(g *guarded) { g.tokens["t-new"] = []string{"read"} })
	s.SetToken(secret.New("t-new"))
	await(t, states, Ready)
	if err := echo(t, s); err != nil {
		t.Errorf("a call with the new token: %v", err)
	}
	if got := g.starts(); !reflect.DeepEqual(got, []string{"t-read"}) {
		t.Errorf("the server was started with %q", got)
	}
	select {
	case err := <-long:
		t.Fatalf("the long call ended with %v", err)
	default:
	}
	cancel()
	if err := <-long; !errors.Is(err, context.Canceled) {
		t.Errorf("the long call ends with %v", err)
	}
	eventually(t, "the server is told", func() bool {
		_, err := os.Stat(mark)
		return err == nil
	})
}

// servedCalls counts what got through after the handshake and the list of tools.
func (g *guarded) servedCalls() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.served) - 4 // initialize, initialized, the stream, tools/list
}

// A sign-in during the restart of a server that waits does not use the old
// connection when the server has forgotten it.
func TestSessionThatIsGone(t *testing.T) {
	t.Parallel()
	g := protected(t, nil)
	s, states := signedIn(t, g.config(), "t-read")
	g.revoke("t-read")
	wantAuth(t, s, "test.echo")
	await(t, states, AuthRequired)
	var gone atomic.Bool
	g.set(func(g *guarded) {
		g.tokens["t-new"] = []string{"read"}
		g.needs = func(r rpc) string {
			if r.Method == "ping" && !gone.Swap(true) {
				return "never"
			}
			return "read"
		}
	})
	s.SetToken(secret.New("t-new"))
	await(t, states, Ready)
	if got := g.starts(); !reflect.DeepEqual(got, []string{"t-read", "t-new"}) {
		t.Errorf("the server was started with %q", got)
	}
}

func TestExpiryIsSeenWithoutACall(t *testing.T) {
	t.Parallel()
	g := protected(t, nil)
	cfg := g.config()
	cfg.keepAlive = 600 * time.Millisecond // half of it is how long a ping may take
	_, states := signedIn(t, cfg, "t-read")
	g.revoke("t-read")
	if st := await(t, states, AuthRequired); st.Auth.Reason != ReasonExpired {
		t.Errorf("the reason is %s", st.Auth.Reason)
	}
	select {
	case st := <-states:
		t.Errorf("then it is %v", st.Kind)
	case <-time.After(2500 * time.Millisecond): // longer than the SDK tolerates failures
	}
}

// A server that serves some tools to everybody goes on serving them.
func TestRefusalOfOneTool(t *testing.T) {
	t.Parallel()
	g := protected(t, func(g *guarded) { g.public = func(r rpc) bool { return r.Params.Name != "test.env" } })
	s, _ := launch(t, g.config())
	ready(t, s)
	if auth := wantAuth(t, s, "test.env"); auth.Server || auth.Requirement.Reason != ReasonRequired || !auth.Token.IsZero() {
		t.Errorf("the call says %+v, %+v", auth, auth.Requirement)
	}
	wantKind(t, s, Ready)
	if err := echo(t, s); err != nil {
		t.Errorf("the tool for everybody: %v", err)
	}
}

// A call that was refused with a token which has been replaced since is made
// again by itself.
func TestReplacedTokenInACall(t *testing.T) {
	t.Parallel()
	g := protected(t, nil)
	s, _ := signedIn(t, g.config(), "t-read")
	var once atomic.Bool
	g.set(func(g *guarded) {
		g.extra = func(string) string {
			if !once.Swap(true) {
				s.SetToken(secret.New("t-write"))
			}
			return ""
		}
	})
	if _, err := s.CallTool(t.Context(), "test.env", jsontext.Value(`{"text":"HOME"}`), nil); err != nil {
		t.Errorf("the call: %v", err)
	}
}

func TestForbiddenCall(t *testing.T) {
	t.Parallel()
	srv := endpoint(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			if strings.Contains(string(body), "test.env") {
				w.Header().Set("WWW-Authenticate", `Bearer realm="x"`)
				w.WriteHeader(http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	s, _ := launch(t, Config{Name: "web", URL: srv.URL})
	ready(t, s)
	_, err := s.CallTool(t.Context(), "test.env", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "forbids it (HTTP 403)") {
		t.Errorf("the call: %v", err)
	}
	if err := echo(t, s); err != nil {
		t.Errorf("another call: %v", err)
	}
}

// A stream that is cut and refused when it is asked for again is a token that
// has expired, not a server that has died.
func TestExpiryIsSeenByTheStream(t *testing.T) {
	t.Parallel()
	var streams atomic.Int32
	cut := make(chan struct{})
	g := protected(t, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && streams.Add(1) == 1 {
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			_ = http.NewResponseController(w).Flush()
			select {
			case <-cut:
			case <-r.Context().Done():
			}
			return
		}
		g.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	_, states := signedIn(t, Config{Name: "web", URL: srv.URL + "/mcp"}, "t-read")
	g.revoke("t-read")
	close(cut)
	if st := await(t, states, AuthRequired); st.Auth.Reason != ReasonExpired {
		t.Errorf("the reason is %s", st.Auth.Reason)
	}
}

func TestStopWhileMetadataIsFetched(t *testing.T) {
	t.Parallel()
	asked, end := make(chan struct{}), make(chan struct{})
	g := protected(t, func(g *guarded) {
		g.metadata = func(http.ResponseWriter) {
			close(asked)
			<-end
		}
	})
	t.Cleanup(func() { close(end) })
	s, _ := launch(t, g.config())
	s.Start()
	<-asked
	begin := time.Now()
	settle(t, s.Stop())
	wantKind(t, s, Stopped)
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("stop took %v", took)
	}
}

// A redirect does not carry the token to another origin.
func TestTokenStaysWithItsOrigin(t *testing.T) {
	t.Parallel()
	var stolen atomic.Value
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { stolen.Store(r.Header.Get("Authorization")) }))
	t.Cleanup(thief.Close)
	srv := httptest.NewServer(http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	t.Cleanup(srv.Close)
	s, _ := launch(t, Config{Name: "web", URL: srv.URL})
	s.SetToken(secret.New("canary-token"))
	settle(t, s.Start())
	wantKind(t, s, Failed)
	if stolen.Load() != nil {
		t.Errorf("the other origin got %q", stolen.Load())
	}
}

// A token stands above a configured header, which comes back when it is gone.
func TestTokenAndConfiguredHeader(t *testing.T) {
	t.Parallel()
	g := protected(t, func(g *guarded) { g.tokens["configured"] = []string{"read"} })
	cfg := g.config()
	cfg.Header = http.Header{"authorization": {"Bearer configured"}}
	s, _ := launch(t, cfg)
	ready(t, s)
	s.SetToken(secret.New("t-read"))
	ready(t, s)
	s.SetToken(secret.Value{})
	ready(t, s)
	if got := g.starts(); !reflect.DeepEqual(got, []string{"configured", "t-read", "configured"}) {
		t.Errorf("the server was started with %q", got)
	}
}

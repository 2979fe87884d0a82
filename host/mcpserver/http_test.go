package mcpserver

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// endpoint serves the test server over streamable HTTP; wrap may be nil.
func endpoint(t *testing.T, wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	return endpointWith(t, nil, wrap)
}

func endpointWith(t *testing.T, opts *mcp.StreamableHTTPOptions, wrap func(http.Handler) http.Handler) *httptest.Server {
	t.Helper()
	server := testServer()
	var h http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, opts)
	if wrap != nil {
		h = wrap(h)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		for session := range server.Sessions() { // those whose client has not ended them
			_ = session.Close()
		}
	})
	return srv
}

// hang waits until the client gives up, which is seen once the body is read.
func hang(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func TestLifeOverHTTP(t *testing.T) {
	t.Parallel()
	var ended atomic.Int32
	var key atomic.Value
	srv := endpoint(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key.Store(r.Header.Get("X-Api-Key"))
			if r.Method == http.MethodDelete {
				ended.Add(1)
			}
			h.ServeHTTP(w, r)
		})
	})
	s, _ := launch(t, Config{Name: "web", URL: srv.URL, Header: http.Header{"x-api-key": {"k1"}}})
	ready(t, s)
	res, err := s.CallTool(t.Context(), "test.echo", jsontext.Value(`{"text":"over http"}`), nil)
	if err != nil || res.Text() != "over http" {
		t.Fatalf("call: %v, %v", res, err)
	}
	if _, err := s.CallTool(t.Context(), "test.grow", jsontext.Value(`{"text":""}`), nil); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the new tool is listed", func() bool {
		tools := s.Tools()
		for _, tool := range tools {
			if tool.Name == "test.new" {
				return true
			}
		}
		return false
	})
	settle(t, s.Stop())
	wantKind(t, s, Stopped)
	if key.Load() != "k1" {
		t.Errorf("the header was sent as %v", key.Load())
	}
	if ended.Load() != 1 {
		t.Errorf("the session was ended %d times", ended.Load())
	}
	ready(t, s)
}

func TestHTTPStartErrors(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + ln.Addr().String() + "/?key=canary"
	_ = ln.Close()
	answer := func(f http.HandlerFunc) string {
		srv := httptest.NewServer(f)
		t.Cleanup(func() {
			srv.CloseClientConnections()
			srv.Close()
		})
		return srv.URL + "/?key=canary"
	}
	var stolen atomic.Value
	thief := answer(func(_ http.ResponseWriter, r *http.Request) { stolen.Store(r.Header.Get("X-Api-Key")) })
	huge := strings.Repeat(" ", maxMessageBytes+1)
	for _, tt := range []struct{ name, url, typ, want string }{
		{"nobody listens", closed, ErrUnreachable, "does not answer: "},
		{"not found", answer(http.NotFound), ErrHandshake, "does not answer as an MCP server: "},
		{"a web page", answer(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }), ErrHandshake, "does not answer as an MCP server: "},
		{"forbidden", answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }), ErrForbidden, "forbids access (HTTP 403)"},
		{"another origin", answer(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, thief, http.StatusTemporaryRedirect) }), ErrHandshake, "redirects to another origin"},
		{"silence", answer(func(_ http.ResponseWriter, r *http.Request) { hang(r) }), ErrTimeout, "not ready within 1s"},
		{"too much", answer(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(huge))
		}), ErrHandshake, "longer than"},
		{"no url", "notaurl", ErrConfig, "http or https url"},
		{"not http", "file:///etc/passwd?key=canary", ErrConfig, "http or https url"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := Config{Name: "web", URL: tt.url, Header: http.Header{"X-Api-Key": {"k1"}}}
			if tt.typ == ErrTimeout {
				cfg.StartTimeout = time.Second
			}
			s, _ := launch(t, cfg)
			settle(t, s.Start())
			wantKind(t, s, Failed)
			e := s.State().Err
			if e.Type != tt.typ || !strings.Contains(e.Message, tt.want) {
				t.Errorf("error is %q %q, want %q with %q", e.Type, e.Message, tt.typ, tt.want)
			}
			if strings.Contains(e.Message, "canary") {
				t.Errorf("the error shows the query: %q", e.Message)
			}
		})
	}
	if stolen.Load() != nil {
		t.Error("a redirect to another origin was followed")
	}
}

// Some servers answer the request for a stream only when they have something
// to say on it; a start must not wait for that.
func TestStreamWithoutAnswer(t *testing.T) {
	t.Parallel()
	srv := endpoint(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				hang(r)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	s, _ := launch(t, Config{Name: "web", URL: srv.URL})
	ready(t, s)
}

func TestStopDoesNotWaitForAHungServer(t *testing.T) {
	t.Parallel()
	var hung atomic.Bool
	srv := endpoint(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if hung.Load() {
				hang(r)
				return
			}
			h.ServeHTTP(w, r)
		})
	})
	s, _ := launch(t, Config{Name: "web", URL: srv.URL})
	ready(t, s)
	hung.Store(true)
	called := make(chan error, 1)
	go func() {
		_, err := s.CallTool(t.Context(), "test.echo", nil, nil)
		called <- err
	}()
	begin := time.Now()
	settle(t, s.Stop())
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("stop took %v", took)
	}
	select {
	case err := <-called:
		if err == nil {
			t.Error("a call survived the stop")
		}
	case <-time.After(5 * time.Second):
		t.Error("a call outlives the stop by 5 s")
	}
}

func TestHTTPServerDies(t *testing.T) {
	t.Parallel()
	srv := endpoint(t, nil)
	s, states := launch(t, Config{Name: "web", URL: srv.URL, keepAlive: 50 * time.Millisecond})
	ready(t, s)
	srv.CloseClientConnections()
	srv.Listener.Close()
	st := await(t, states, Failed)
	if st.Err.Type != ErrClosed {
		t.Errorf("error is %q %q", st.Err.Type, st.Err.Message)
	}
	if _, err := s.CallTool(t.Context(), "test.echo", nil, nil); !errors.Is(err, ErrNotReady) {
		t.Errorf("call to a dead server: %v", err)
	}
}

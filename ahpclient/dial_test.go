package ahpclient

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// serveWebSocket puts a host behind a real socket.
func serveWebSocket(t testing.TB, h *testHost, token string) (url string) {
	t.Helper()
	upgrader := &jsonrpc.Upgrader{Token: secret.New(token)}
	var conns sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(rw, r)
		if err != nil {
			return
		}
		conns.Add(1)
		defer conns.Done()
		conn := &hostConn{host: h, subscribed: map[protocol.URI]bool{}, cut: func() { _ = ws.Close() }}
		conn.Peer = jsonrpc.New(ws, conn, jsonrpc.Options{MaxQueuedMessages: 1 << 30})
		h.mu.Lock()
		h.conns = append(h.conns, conn)
		h.mu.Unlock()
		_ = conn.Run(ctx)
	}))
	t.Cleanup(func() {
		cancel()
		conns.Wait()
		server.Close()
	})
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

func TestWebSocket(t *testing.T) {
	t.Parallel()
	h := newTestHost(t)
	url := serveWebSocket(t, h, "sesame")
	c := New(Options{URL: url, Token: secret.New("sesame"), Retry: true})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- c.Run(ctx) }()
	c.Open(sessionURI, protocol.SessionKind)
	await := func(what string, wanted func(*View) bool) {
		t.Helper()
		patience, done := context.WithTimeout(ctx, 20*time.Second)
		defer done()
		if v, err := c.Await(patience, wanted); err != nil {
			t.Fatalf("%s: %v, %+v", what, err, v.Connection)
		}
	}
	await("connect", func(v *View) bool { return v.Connection.Phase == Connected && v.Session(sessionURI) != nil })
	ticket, err := c.Dispatch(sessionURI, retitle("x"))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := ticket.Wait(ctx); err != nil || o.Kind != Accepted {
		t.Errorf("%+v, %v", o, err)
	}
	h.cutAll()
	await("notice the cut", func(v *View) bool { return v.Connection.Phase == Reconnecting })
	await("reconnect", func(v *View) bool {
		return v.Connection.Phase == Connected && !v.Channels[sessionURI].Stale && title(v) == "x"
	})
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestDialErrors: without Retry the first failure ends Run, in a way that tells
// what to do; and no error shows the token.
func TestDialErrors(t *testing.T) {
	t.Parallel()
	h := newTestHost(t)
	guarded, open := serveWebSocket(t, h, "sesame"), serveWebSocket(t, h, "")
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "ws://" + listener.Addr().String()
	_ = listener.Close()
	for _, test := range []struct {
		name, url, token string
		want             error
	}{
		{"no token", guarded, "", jsonrpc.ErrTokenWanted},
		{"wrong token", guarded, "hunter2", jsonrpc.ErrTokenRefused},
		{"wrong token in the address", guarded + "/?tkn=hunter2", "", jsonrpc.ErrTokenRefused},
		{"web server", "ws" + strings.TrimPrefix(web.URL, "http"), "hunter2", jsonrpc.ErrNotAHP},
		{"nobody", nobody, "hunter2", jsonrpc.ErrUnreachable},
		{"tls to none", "wss" + strings.TrimPrefix(open, "ws"), "hunter2", jsonrpc.ErrNotAHP},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := New(Options{URL: test.url, Token: secret.New(test.token)})
			err := c.Run(t.Context())
			if !errors.Is(err, test.want) {
				t.Errorf("Run: %v", err)
			}
			if v := c.View(); v.Connection.Phase != Failed || !errors.Is(v.Connection.Err, test.want) {
				t.Errorf("%+v", v.Connection)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows the token: %v", err)
			}
		})
	}
}

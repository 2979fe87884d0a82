package jsonrpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"ahptui/internal/secret"
)

const canary = "canary/5f1c&=?+%"

// mustBeSilent fails the test if the token is in an error, whatever way it is printed.
func mustBeSilent(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	seen := []error{err}
	for i := 0; i < len(seen); i++ {
		switch e := seen[i].(type) { //nolint:errorlint // this walks the tree itself
		case interface{ Unwrap() error }:
			if inner := e.Unwrap(); inner != nil {
				seen = append(seen, inner)
			}
		case interface{ Unwrap() []error }:
			seen = append(seen, e.Unwrap()...)
		}
	}
	for _, e := range seen {
		for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
			if text := fmt.Sprintf(verb, e); strings.Contains(text, "canary") {
				t.Errorf("the token is in the error: %s", text)
			}
		}
	}
}

// listen runs a server that is not HTTP: answer gets every connection.
func listen(t *testing.T, answer func(c net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serving := make(chan struct{})
	go func() {
		defer close(serving)
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			answer(c)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-serving
	})
	return "ws://" + listener.Addr().String()
}

// readRequest reads a request up to the empty line.
func readRequest(c net.Conn) string {
	var request []byte
	buf := make([]byte, 4096)
	for !strings.HasSuffix(string(request), "\r\n\r\n") {
		n, err := c.Read(buf)
		if err != nil {
			break
		}
		request = append(request, buf[:n]...)
	}
	return string(request)
}

func TestDialFailures(t *testing.T) {
	t.Parallel()
	status := func(code int) func(t *testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				rw.Header().Set("Location", "http://127.0.0.1:1/?tkn="+canary)
				http.Error(rw, r.URL.String()+" \x1b[2J", code)
			}))
			t.Cleanup(server.Close)
			return "ws" + strings.TrimPrefix(server.URL, "http") + "/path"
		}
	}
	says := func(text string) func(t *testing.T) string {
		return func(t *testing.T) string {
			t.Helper()
			return listen(t, func(c net.Conn) {
				_ = readRequest(c)
				_, _ = io.WriteString(c, text)
			})
		}
	}
	for name, tt := range map[string]struct {
		url  func(t *testing.T) string
		want error
		text string
	}{
		"403":          {status(403), ErrTokenRefused, "403 Forbidden"},
		"401":          {status(401), ErrTokenRefused, "401 Unauthorized"},
		"426":          {status(426), ErrNotAHP, "426 Upgrade Required"},
		"404":          {status(404), ErrNotAHP, "404 Not Found"},
		"200":          {status(200), ErrNotAHP, "200 OK"},
		"redirect":     {status(302), ErrNotAHP, "302 Found"},
		"503":          {status(503), ErrUnreachable, "503 Service Unavailable"},
		"429":          {status(429), ErrUnreachable, "429 Too Many Requests"},
		"odd status":   {says("HTTP/1.1 599 \x1b[2J\r\n\r\n"), ErrUnreachable, "answered 599"},
		"no status":    {says("HTTP/1.1 407\r\n\r\n"), ErrNotAHP, "407"},
		"no HTTP":      {says("SSH-2.0-OpenSSH_9.6 \x1b[2J\r\n\r\n"), ErrNotAHP, "malformed HTTP"},
		"token echoed": {says("tkn=" + canary + " canary%2F5f1c%26%3D%3F%2B%25\r\n\r\n"), ErrNotAHP, "malformed HTTP"},
		"cut off":      {says(""), ErrUnreachable, "EOF"},
		"wrong accept": {says("HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"), ErrNotAHP, "bad handshake"},
		"long headers": {says("HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", maxHandshakeBytes/6+1000)), ErrNotAHP, "too large"},
		"refused": {func(t *testing.T) string {
			t.Helper()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			return "ws://" + listener.Addr().String()
		}, ErrUnreachable, "refused"},
		"TLS not spoken": {func(t *testing.T) string {
			t.Helper()
			return "wss" + strings.TrimPrefix(status(200)(t), "ws")
		}, ErrNotAHP, "TLS"},
		"unknown certificate": {func(t *testing.T) string {
			t.Helper()
			server := httptest.NewUnstartedServer(http.NotFoundHandler())
			server.Config.ErrorLog = log.New(io.Discard, "", 0) // it tells of the client that hangs up
			server.StartTLS()
			t.Cleanup(server.Close)
			return "wss" + strings.TrimPrefix(server.URL, "https")
		}, ErrUntrusted, "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := tt.url(t)
			w, err := Dial(t.Context(), url, DialOptions{Token: secret.New(canary)})
			if err == nil {
				_ = w.Close()
				t.Fatal("no error")
			}
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || !strings.Contains(err.Error(), url) {
				t.Errorf("err = %v\nwant %v with %q and the URL", err, tt.want, tt.text)
			}
			if strings.ContainsAny(err.Error(), "\x1b\n") {
				t.Errorf("the error has the host's control characters: %q", err)
			}
			mustBeSilent(t, err)
		})
	}
}

func TestDialWithoutToken(t *testing.T) {
	t.Parallel()
	wsURL, _ := serve(t, &Upgrader{Token: secret.New(canary)})
	_, err := Dial(t.Context(), wsURL, DialOptions{})
	if !errors.Is(err, ErrTokenWanted) || errors.Is(err, ErrTokenRefused) {
		t.Errorf("err = %v, want ErrTokenWanted", err)
	}
	mustBeSilent(t, err)
}

func TestDialTakesTheTokenOutOfTheURL(t *testing.T) {
	t.Parallel()
	requests := make(chan string, 1)
	wsURL := listen(t, func(c net.Conn) {
		line, _, _ := strings.Cut(readRequest(c), "\r\n")
		requests <- line
	}) + "/p?a=%20b&tkn=canary-in-url"
	for want, token := range map[string]string{
		"GET /p?a=%20b&tkn=canary-in-url HTTP/1.1":                "",
		"GET /p?a=%20b&tkn=canary%2F5f1c%26%3D%3F%2B%25 HTTP/1.1": canary,
	} {
		_, err := Dial(t.Context(), wsURL, DialOptions{Token: secret.New(token)})
		if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "/p?a=%20b:") {
			t.Errorf("err = %v", err)
		}
		mustBeSilent(t, err)
		if got := <-requests; got != want {
			t.Errorf("request %q, want %q", got, want)
		}
	}
}

func TestDialUnknownName(t *testing.T) {
	t.Parallel()
	noName := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid", IsNotFound: true}}
	}
	_, err := Dial(t.Context(), "ws://nowhere.invalid/", DialOptions{NetDial: noName, Token: secret.New(canary)})
	if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), "no such host") {
		t.Errorf("err = %v, want ErrUnreachable", err)
	}
	mustBeSilent(t, err)
}

// A host that accepts connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	return listen(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
}

func TestDialTimeout(t *testing.T) {
	t.Parallel()
	start := time.Now()
	_, err := Dial(t.Context(), silent(t), DialOptions{HandshakeTimeout: 50 * time.Millisecond, Token: secret.New(canary)})
	if !errors.Is(err, ErrUnreachable) || time.Since(start) > 5*time.Second {
		t.Errorf("err = %v after %v, want ErrUnreachable", err, time.Since(start))
	}
	mustBeSilent(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = Dial(ctx, silent(t), DialOptions{Token: secret.New(canary)})
	if !errors.Is(err, ErrUnreachable) {
		t.Errorf("with a deadline: err = %v, want ErrUnreachable", err)
	}
	mustBeSilent(t, err)
}

func TestDialEndsWithItsContext(t *testing.T) {
	t.Parallel()
	wsURL := silent(t)
	for name, scheme := range map[string]string{"http": "ws", "tls": "wss"} {
		ctx, cancel := context.WithCancel(t.Context())
		dialed := make(chan error, 1)
		connected := make(chan struct{})
		go func() {
			_, err := Dial(ctx, scheme+strings.TrimPrefix(wsURL, "ws"), DialOptions{
				Token: secret.New(canary),
				NetDial: func(ctx context.Context, network, addr string) (net.Conn, error) {
					defer close(connected)
					return new(net.Dialer).DialContext(ctx, network, addr)
				},
			})
			dialed <- err
		}()
		<-connected
		cancel()
		select {
		case err := <-dialed:
			if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnreachable) {
				t.Errorf("%s: err = %v, want the context's", name, err)
			}
			mustBeSilent(t, err)
		case <-time.After(5 * time.Second):
			t.Fatalf("%s: Dial does not heed its context", name)
		}
		if _, err := Dial(ctx, wsURL, DialOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: with an ended context: %v", name, err)
		}
	}
}

// The library would inflate what a host compresses though nobody offered it.
func TestDialRefusesCompression(t *testing.T) {
	t.Parallel()
	for _, extension := range []string{
		"permessage-deflate; server_no_context_takeover; client_no_context_takeover", "permessage-deflate", "other",
	} {
		wsURL := listen(t, func(c net.Conn) {
			request := readRequest(c)
			if strings.Contains(strings.ToLower(request), "extensions") {
				t.Errorf("an extension was offered: %s", request)
			}
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Extensions: "+
				extension+"\r\nSec-WebSocket-Accept: "+acceptKey(request)+"\r\n\r\n")
			_, _ = io.Copy(io.Discard, c)
		})
		if _, err := Dial(t.Context(), wsURL, DialOptions{}); !errors.Is(err, ErrNotAHP) {
			t.Errorf("%s: err = %v, want ErrNotAHP", extension, err)
		}
	}
}

func TestSplitToken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, clean, token, wantErr string }{
		{in: "ws://h:1", clean: "ws://h:1"},
		{in: "ws://h:1/?tkn=abc", clean: "ws://h:1/", token: "abc"},
		{in: "wss://h/p?a=1;2&tkn=a%2Fb+c&b=%41", clean: "wss://h/p?a=1;2&b=%41", token: "a/b c"},
		{in: "ws://[::1]:1/?t%6bn=abc", clean: "ws://[::1]:1/", token: "abc"},
		{in: "WS://h/?TKN=abc", clean: "ws://h/?TKN=abc"},
		{in: "ws://h/?tkn=", clean: "ws://h/"},
		{in: "ws://h/?tkn", clean: "ws://h/"},
		{in: "ws://h/?tkn=canary&tkn=canary2", wantErr: "more than one token"},
		{in: "ws://h/?tkn=canary%zz", wantErr: "not properly escaped"},
		{in: "ws://h:canary/?tkn=canary", wantErr: "invalid port"},
		{in: "ws://u:canary@h/", wantErr: "must not hold a user"},
		{in: "ws://h/?tkn=canary#canary", wantErr: "must not hold a #"},
		{in: "ws://h/#?tkn=canary", wantErr: "must not hold a #"},
		{in: "http://h/?tkn=canary", wantErr: "must begin with ws://"},
		{in: "h:1?tkn=canary", wantErr: "must begin with ws://"},
		{in: "127.0.0.1:1?tkn=canary", wantErr: "first path segment"},
		{in: "ws:///?tkn=canary", wantErr: "names no host"},
		{in: "ws://h h/?tkn=canary", wantErr: "not valid"},
		{in: "", wantErr: "must begin with ws://"},
		{in: "ws://h/?tkn=canary\r\nX: y", wantErr: "control characters"},
		{in: "ws://h/\x00?tkn=canary", wantErr: "control character"},
	} {
		clean, token, err := SplitToken(tt.in)
		if tt.wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("SplitToken(%q): err = %v, want %q", tt.in, err, tt.wantErr)
			}
			if err != nil && strings.Contains(err.Error(), "canary") && !strings.Contains(tt.in, ":canary/") {
				t.Errorf("SplitToken(%q) shows the token: %v", tt.in, err)
			}
			if _, dialErr := Dial(t.Context(), tt.in, DialOptions{}); fmt.Sprint(dialErr) != fmt.Sprint(err) {
				t.Errorf("Dial(%q) = %v, want %v", tt.in, dialErr, err)
			}
			continue
		}
		if err != nil || clean != tt.clean || token.Reveal() != tt.token {
			t.Errorf("SplitToken(%q) = %q, %q, %v; want %q, %q", tt.in, clean, token.Reveal(), err, tt.clean, tt.token)
		}
	}
}

// FuzzSplitToken: whatever the URL, the token is in nothing but the token, and what is left can be put together again.
func FuzzSplitToken(f *testing.F) {
	for _, seed := range []string{
		"ws://h:1/?tkn=s3cr3t", "wss://[::1]:1/p?a=1&t%6bn=a%2Fb+c&b=%41#", "ws://h/?tkn=x&tkn=y", "ws://u:p@h/", "http://h", "", "ws://h/?tkn=%zz", "ws://h?&&tkn&=",
		"ws://\x00/?tkn=x", "WS://é/?tkn=\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		clean, token, err := SplitToken(text)
		if err != nil {
			if clean != "" || !token.IsZero() {
				t.Fatalf("an error and a result: %q, %v", clean, err)
			}
			return
		}
		again, none, err := SplitToken(clean)
		if err != nil || again != clean || !none.IsZero() {
			t.Fatalf("%q is split into %q, which is split into %q, %v", text, clean, again, err)
		}
		if u, err := url.Parse(clean); err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Query().Has(tokenParameter) || u.User != nil || u.Host == "" {
			t.Fatalf("%q is no address to show: %v", clean, err)
		}
		u, _, err := splitToken(clean)
		if err != nil {
			t.Fatal(err)
		}
		if whole, found, err := SplitToken(withToken(u, token)); err != nil || whole != clean || found.Reveal() != token.Reveal() {
			t.Fatalf("put together again it is %q: %v", whole, err)
		}
	})
}

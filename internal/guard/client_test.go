package guard

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ahptui/internal/secret"
)

const canary = "canary-9d2e"

var local = Policy{Loopback: true}

func serve(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s
}

// serveTLS serves https for example.com and 127.0.0.1.
func serveTLS(t *testing.T, handler http.HandlerFunc) (*httptest.Server, Options) {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s, Options{RootCAs: pool}
}

func port(t *testing.T, s *httptest.Server) string {
	t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Port()
}

// wantError checks the kind of an error and that it is safe to show.
func wantError(t *testing.T, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("err = %v, want %v", err, kind)
	}
	if _, ok := errors.AsType[*Error](err); !ok {
		t.Errorf("err is a %T, want *Error", err)
	}
	if err != nil && (strings.Contains(err.Error(), canary) || strings.Contains(fmt.Sprintf("%+v %#v", err, err), canary)) {
		t.Errorf("the error shows what it must not: %v", err)
	}
}

func wantClass(t *testing.T, err error, want Class) {
	t.Helper()
	address, ok := errors.AsType[*AddressError](err)
	if !ok || address.Class != want {
		t.Errorf("err = %v, want an address %v", err, want)
	}
}

func TestGetSendsNothingMore(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:1")
	t.Setenv("HTTPS_PROXY", "http://192.0.2.1:1")
	t.Setenv("ALL_PROXY", "http://192.0.2.1:1")
	got := make(chan http.Header, 2)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header
		http.SetCookie(w, &http.Cookie{Name: "c", Value: "v"})
		if r.URL.Path == "/" {
			http.Redirect(w, r, "/next", http.StatusFound)
		}
	})
	if _, err := New(local, Options{}).Get(t.Context(), s.URL+"/?q=1", "application/json"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		header := <-got
		for name := range header {
			switch name {
			case "User-Agent", "Accept", "Accept-Encoding", "Connection":
			default:
				t.Errorf("sent %s: %s", name, header[name])
			}
		}
		if header.Get("Accept") != "application/json" || header.Get("User-Agent") != "ahptui" {
			t.Errorf("headers: %v", header)
		}
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body)
	})
	c := New(local, Options{})
	body := Body{ContentType: "a/b", Data: []byte("x=" + canary), Authorization: secret.New("Basic " + canary)}
	got, err := c.Post(t.Context(), s.URL, "application/json", body)
	if want := "POST Basic " + canary + " a/b x=" + canary; err != nil || got.Status != http.StatusBadRequest || string(got.Body) != want {
		t.Errorf("Post = %+v, %v; want %q", got, err, want)
	}
	calls.Store(0)
	_, err = c.Post(t.Context(), s.URL+"/moved", "application/json", body)
	wantError(t, err, ErrRedirect)
	if calls.Load() != 1 {
		t.Errorf("the redirect of a POST was followed")
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "other") })
	var secure *httptest.Server
	handler := func(w http.ResponseWriter, r *http.Request) {
		if hops := len(strings.Trim(r.URL.Path, "/")); strings.HasPrefix(r.URL.Path, "/n") && hops > 1 {
			http.Redirect(w, r, r.URL.Path[:hops], http.StatusMovedPermanently)
			return
		}
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
			return
		}
		if r.URL.Path == "/nowhere" {
			w.WriteHeader(http.StatusSeeOther)
			return
		}
		fmt.Fprint(w, "end")
	}
	plain := serve(t, handler)
	secure, options := serveTLS(t, handler)
	c := New(local, options)
	get := func(base, to string) (*Response, error) {
		return c.Get(t.Context(), base+"/?to="+url.QueryEscape(to), "*/*")
	}

	for path, ok := range map[string]bool{"/n": true, "/nn": true, "/nnnn": true, "/nnnnn": false} {
		got, err := c.Get(t.Context(), plain.URL+path, "*/*")
		if ok && (err != nil || string(got.Body) != "end") {
			t.Errorf("%s: %v, %v", path, got, err)
		}
		if !ok {
			wantError(t, err, ErrRedirect)
		}
	}
	if got, err := get(plain.URL, other.URL+"/x"); err != nil || string(got.Body) != "other" {
		t.Errorf("to another server of this machine: %v, %v", got, err)
	}
	for _, tt := range []struct{ from, to string }{
		{secure.URL, plain.URL},
		{plain.URL, secure.URL},
		{plain.URL, "http://login.example/" + canary},
		{plain.URL, "https://login.example/"},
		{plain.URL, "file:///etc/passwd"},
		{plain.URL, plain.URL + "/#" + canary},
		{plain.URL, "http://user:" + canary + "@" + plain.Listener.Addr().String()},
		{plain.URL, "http://[::1"},
		{secure.URL, "https://0x7f.1:" + port(t, secure)},
	} {
		_, err := get(tt.from, tt.to)
		wantError(t, err, ErrRedirect)
	}
	_, err := c.Get(t.Context(), plain.URL+"/nowhere", "*/*")
	wantError(t, err, ErrRedirect)
	for to, class := range map[string]Class{"https://10.0.0.1/": Private, "https://169.254.169.254/": Forbidden, "https://[::ffff:a9fe:a9fe]/": Forbidden} {
		_, err := get(secure.URL, to)
		wantError(t, err, ErrRedirect)
		wantClass(t, err, class)
	}
}

func TestAddressIsCheckedWhenDialled(t *testing.T) {
	t.Parallel()
	s, options := serveTLS(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "in") })
	names := newNames(t, map[string][]string{
		"example.com":       {"127.0.0.1"},
		"private.example":   {"10.0.0.1"},
		"metadata.example":  {"169.254.169.254"},
		"mapped.example":    {"::ffff:169.254.169.254"},
		"nat64.example":     {"64:ff9b::a9fe:a9fe"},
		"ula.example":       {"fd12::1"},
		"any.example":       {"0.0.0.0"},
		"carrier.example":   {"100.64.0.1"},
		"several.example":   {"10.0.0.1", "192.168.0.1"},
		"mixed.example.com": {"169.254.169.254", "127.0.0.1"},
	})
	options.Resolver = names.resolver()
	at := func(policy Policy, name string) (*Response, error) {
		return New(policy, options).Get(t.Context(), "https://"+name+":"+port(t, s)+"/", "*/*")
	}
	if got, err := at(local, "example.com"); err != nil || string(got.Body) != "in" {
		t.Errorf("allowed: %v, %v", got, err)
	}
	for name, want := range map[string]Class{
		"example.com": Loopback, "private.example": Private, "metadata.example": Forbidden, "mapped.example": Forbidden,
		"nat64.example": Forbidden, "ula.example": Private, "any.example": Forbidden, "carrier.example": Forbidden, "several.example": Private,
	} {
		_, err := at(Policy{}, name)
		wantClass(t, err, want)
		if want == Forbidden {
			_, err = at(Policy{Loopback: true, Private: true}, name)
			wantClass(t, err, Forbidden)
		}
	}
	// Of several addresses the one that is allowed is dialled.
	if got, err := at(local, "mixed.example.com"); err != nil || string(got.Body) != "in" {
		t.Errorf("one of two allowed: %v, %v", got, err)
	}
	_, err := at(Policy{}, "mixed.example.com")
	if _, ok := errors.AsType[*AddressError](err); !ok {
		t.Errorf("none of two allowed: %v", err)
	}
	// A name that nobody knows.
	_, err = at(Policy{}, "missing.example")
	wantError(t, err, ErrUnreachable)
}

func TestRebinding(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	s, options := serveTLS(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	for _, inside := range []string{"10.0.0.1", "169.254.169.254"} {
		names := newNames(t, map[string][]string{"example.com": {"127.0.0.1"}})
		options.Resolver = names.resolver()
		c := New(local, options)
		target := "https://example.com:" + port(t, s) + "/"
		if _, err := c.Get(t.Context(), target, "*/*"); err != nil {
			t.Fatal(err)
		}
		names.set("example.com", inside)
		before := calls.Load()
		_, err := c.Get(t.Context(), target, "*/*")
		if _, ok := errors.AsType[*AddressError](err); !ok || calls.Load() != before {
			t.Errorf("after the name flipped to %s: %v, %d calls", inside, err, calls.Load()-before)
		}
	}
}

// The name localhost is whatever a name service says: plain http stays on this machine even so. That no public address
// is dialled in a test is because the check comes first.
func TestPlainHTTPStaysHere(t *testing.T) {
	t.Parallel()
	for _, policy := range []Policy{{Loopback: true}, {Loopback: true, Private: true}} {
		for _, addr := range []string{"8.8.8.8:80", "10.0.0.1:80", "[2606:4700::1111]:80"} {
			dialler := New(policy, Options{}).http.DialContext
			_, err := dialler(t.Context(), "tcp", addr)
			if _, ok := errors.AsType[*AddressError](err); !ok {
				t.Errorf("%+v: dial %s for plain http: %v, want an AddressError", policy, addr, err)
			}
		}
	}
}

func TestBodyIsBounded(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	if _, err := io.CopyN(z, zeros{}, 10<<20); err != nil {
		t.Fatal(err)
	}
	z.Close()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/limit":
			_, _ = io.CopyN(w, zeros{}, 256<<10)
		case "/over":
			_, _ = io.CopyN(w, zeros{}, 256<<10+1)
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb.Bytes())
		case "/not-gzip":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, canary)
		case "/header":
			w.Header().Set("X", strings.Repeat("x", 80<<10))
		}
	})
	c := New(local, Options{})
	if got, err := c.Get(t.Context(), s.URL+"/limit", "*/*"); err != nil || len(got.Body) != 256<<10 {
		t.Errorf("at the limit: %v", err)
	}
	for path, want := range map[string]error{"/over": ErrTooLarge, "/bomb": ErrTooLarge, "/not-gzip": ErrBroken, "/header": ErrBroken} {
		_, err := c.Get(t.Context(), s.URL+path, "*/*")
		wantError(t, err, want)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// raw serves connections by hand.
func raw(t *testing.T, handle func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			handle(conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String()
}

// readRequest reads one request: package log is told of an answer that comes before it.
func readRequest(conn net.Conn) { _, _ = http.ReadRequest(bufio.NewReader(conn)) }

// drain reads until the other side hangs up.
func drain(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

func TestTimesAreBounded(t *testing.T) {
	t.Parallel()
	drip := func(head string) func(net.Conn) {
		return func(conn net.Conn) {
			readRequest(conn)
			fmt.Fprint(conn, head)
			ticker := time.NewTicker(5 * time.Millisecond)
			defer ticker.Stop()
			for range ticker.C {
				if _, err := fmt.Fprint(conn, "x"); err != nil {
					return
				}
			}
		}
	}
	short := defaultLimits
	short.header, short.whole, short.handshake = 100*time.Millisecond, 300*time.Millisecond, 100*time.Millisecond
	for name, handle := range map[string]func(net.Conn){
		"silence":       drain,
		"body by drops": drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
		"head by drops": drip("HTTP/1.1 200 OK\r\nX: "),
		"body that hangs": func(conn net.Conn) {
			readRequest(conn)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1")
			drain(conn)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newClient(local, Options{}, short).Get(t.Context(), raw(t, handle), "*/*")
			wantError(t, err, ErrTimeout)
		})
	}
	t.Run("handshake", func(t *testing.T) {
		t.Parallel()
		at := "https" + strings.TrimPrefix(raw(t, drain), "http")
		_, err := newClient(local, Options{}, short).Get(t.Context(), at, "*/*")
		wantError(t, err, ErrTimeout)
	})
}

func TestErrorsHoldNothingOfThePeer(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]error{
		canary + "\r\n\r\n":                                                       ErrBroken,
		"HTTP/1.1 2" + canary + " OK\r\n\r\n":                                     ErrBroken,
		"HTTP/1.1 200 OK\r\n" + canary + "\r\n\r\n":                               ErrBroken,
		"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n" + canary:                  ErrBroken,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + canary + "\r\n": ErrBroken,
		"HTTP/1.1 302 Found\r\nLocation: http://[" + canary + "\r\n\r\n":          ErrRedirect,
		"HTTP/1.1 302 Found\r\nLocation: https://" + canary + ".example\r\n\r\n":  ErrRedirect,
		"": ErrBroken,
	} {
		at := raw(t, func(conn net.Conn) {
			readRequest(conn)
			fmt.Fprint(conn, answer)
		})
		_, err := New(local, Options{}).Get(t.Context(), at+"/p?code="+canary, "*/*")
		wantError(t, err, want)
		if err != nil && !strings.HasPrefix(err.Error(), "GET "+at+"/p: ") {
			t.Errorf("the error does not say what was tried: %v", err)
		}
	}
	for _, refused := range []string{"https://u:" + canary + "@x.example", "ftp://x.example/?" + canary, canary, "https://x.example/#" + canary} {
		_, err := New(local, Options{}).Get(t.Context(), refused, "*/*")
		if verdict(err) != "refused" {
			t.Errorf("%s: %v", refused, err)
		}
		_, err = New(local, Options{}).Post(t.Context(), refused, "*/*", Body{})
		if verdict(err) != "refused" || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", refused, err)
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := "http://" + l.Addr().String()
	l.Close()
	_, err = New(local, Options{}).Get(t.Context(), at, "*/*")
	wantError(t, err, ErrUnreachable)

	s, options := serveTLS(t, func(http.ResponseWriter, *http.Request) {})
	_, err = New(local, Options{}).Get(t.Context(), s.URL, "*/*")
	wantError(t, err, ErrUntrusted)
	options.Resolver = newNames(t, map[string][]string{"other.example": {"127.0.0.1"}}).resolver()
	_, err = New(local, options).Get(t.Context(), "https://other.example:"+port(t, s), "*/*")
	wantError(t, err, ErrUntrusted)
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err = New(local, options).Get(t.Context(), "https"+strings.TrimPrefix(plain.URL, "http"), "*/*")
	wantError(t, err, ErrUntrusted)
}

// A caller that gives up is let go at once, whatever the request waits for, and nothing goes on behind its back: the
// leak check of this package would see it.
func TestCancel(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{}, 10)
	hang := func(conn net.Conn) { entered <- struct{}{}; drain(conn) }
	secureHang := "https" + strings.TrimPrefix(raw(t, hang), "http")
	for name, tt := range map[string]struct {
		url     string
		options Options
	}{
		"resolving": {"https://slow.example/", Options{Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			entered <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}}}},
		"handshake": {secureHang, Options{}},
		"header":    {raw(t, hang), Options{}},
		"body": {raw(t, func(conn net.Conn) {
			readRequest(conn)
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n1")
			hang(conn)
		}), Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cause := errors.New("the person pressed Esc")
			result := make(chan error, 1)
			go func() {
				_, err := New(local, tt.options).Get(ctx, tt.url, "*/*")
				result <- err
			}()
			<-entered
			start := time.Now()
			cancel(cause)
			wantError(t, <-result, cause)
			if took := time.Since(start); took > 100*time.Millisecond {
				t.Errorf("took %v to give up", took)
			}
		})
	}
}

package auth

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// heard is a listener that takes the query "yes" for the answer and "no" for a failed one.
func heard(t *testing.T) *listener {
	t.Helper()
	l, err := listen(t.Context(), Redirect{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	l.serve(newGate(func(rawQuery string) error {
		switch rawQuery {
		case "yes":
			return nil
		case "no":
			return errDenied
		}
		return errForeign
	}))
	return l
}

var errDenied = errors.New("denied")

// send writes a request as it is and returns the answer.
func send(t *testing.T, l *listener, request string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", l.authority)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	response, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("%.60q: %v", request, err)
	}
	response.Body = io.NopCloser(strings.NewReader(string(body)))
	return response
}

// B31: it listens on 127.0.0.1 and nowhere else.
func TestListenerAddress(t *testing.T) {
	t.Parallel()
	l := heard(t)
	addr := netip.MustParseAddrPort(l.tcp[0].Addr().String())
	if addr.Addr() != netip.AddrFrom4([4]byte{127, 0, 0, 1}) {
		t.Errorf("listens on %v", addr)
	}
	if want := fmt.Sprintf("http://127.0.0.1:%d/callback", addr.Port()); l.redirectURI() != want || l.port() != int(addr.Port()) {
		t.Errorf("redirect URI %s, port %d, want %s", l.redirectURI(), l.port(), want)
	}
	for _, other := range []string{"::1", "127.0.0.2"} {
		if conn, err := net.Dial("tcp", net.JoinHostPort(other, fmt.Sprint(addr.Port()))); err == nil {
			conn.Close()
			t.Errorf("answers on %s", other)
		}
	}
}

func TestListenerTakesOnlyCallbacks(t *testing.T) {
	t.Parallel()
	l := heard(t)
	host := "Host: " + l.authority + "\r\n\r\n"
	for request, want := range map[string]int{
		"GET / HTTP/1.1\r\n" + host:                                                                404,
		"GET /favicon.ico HTTP/1.1\r\n" + host:                                                     404,
		"GET /callback/?yes HTTP/1.1\r\n" + host:                                                   404,
		"GET /Callback?yes HTTP/1.1\r\n" + host:                                                    404,
		"GET /call%62ack?yes HTTP/1.1\r\n" + host:                                                  404,
		"GET //callback?yes HTTP/1.1\r\n" + host:                                                   404,
		"GET /x/../callback?yes HTTP/1.1\r\n" + host:                                               404,
		"OPTIONS * HTTP/1.1\r\n" + host:                                                            404,
		"POST /callback?yes HTTP/1.1\r\nContent-Length: 0\r\n" + host:                              405,
		"HEAD /callback?yes HTTP/1.1\r\n" + host:                                                   405,
		"GET /callback?yes HTTP/1.1\r\nHost: localhost:" + fmt.Sprint(l.port()) + "\r\n\r\n":       400,
		"GET /callback?yes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n":                                    400,
		"GET /callback?yes HTTP/1.1\r\nHost: rebound.example:" + fmt.Sprint(l.port()) + "\r\n\r\n": 400,
		"GET /callback?yes HTTP/1.0\r\n\r\n":                                                       400,
		"GET http://rebound.example/callback?yes HTTP/1.1\r\n" + host:                              400,
		"GET /callback?maybe HTTP/1.1\r\n" + host:                                                  400,
		"GET /callback HTTP/1.1\r\n" + host:                                                        400,
		"GET /callback?" + strings.Repeat("x", 16<<10) + " HTTP/1.1\r\n" + host:                    431,
		"nonsense\r\n\r\n": 400,
	} {
		if got := send(t, l, request); got.StatusCode != want {
			t.Errorf("%.60q: %s, want %d", request, got.Status, want)
		}
	}
	select {
	case err := <-l.gate.answers:
		t.Fatalf("one of them was taken for the answer: %v", err)
	default:
	}
	if got := send(t, l, "GET /callback?yes HTTP/1.1\r\n"+host); got.StatusCode != 200 {
		t.Errorf("the answer: %s", got.Status)
	}
	if err := <-l.gate.answers; err != nil {
		t.Errorf("the answer: %v", err)
	}
}

// B27: what is shown is constant, and no browser makes anything else of it.
func TestListenerPages(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{"yes": pageDone, "no": pageFailed, "error_description=<script>alert(1)</script>": pageForeign} {
		l := heard(t)
		response := send(t, l, "GET /callback?"+query+" HTTP/1.1\r\nHost: "+l.authority+"\r\n\r\n")
		if body, _ := io.ReadAll(response.Body); string(body) != want {
			t.Errorf("%s: %q", query, body)
		}
		for name, value := range map[string]string{
			"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store",
			"Referrer-Policy": "no-referrer", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got := response.Header.Get(name); got != value {
				t.Errorf("%s: %s: %q, want %q", query, name, got, value)
			}
		}
		if !response.Close {
			t.Errorf("%s: the connection stays open", query)
		}
	}
}

// T15: only the first answer counts, and there is no end of tries.
func TestListenerEnds(t *testing.T) {
	t.Parallel()
	l := heard(t)
	get := func(query string) int {
		return send(t, l, "GET /callback?"+query+" HTTP/1.1\r\nHost: "+l.authority+"\r\n\r\n").StatusCode
	}
	if a, b, c := get("no"), get("yes"), get("x"); a != 400 || b != 410 || c != 410 {
		t.Errorf("statuses %d, %d, %d", a, b, c)
	}
	if err := <-l.gate.answers; !errors.Is(err, errDenied) {
		t.Errorf("answer: %v", err)
	}

	l = heard(t)
	for n := range maxForeign {
		if got := get("x"); got != 400 {
			t.Fatalf("try %d: %d", n, got)
		}
	}
	if got := get("yes"); got != 410 {
		t.Errorf("the answer after %d tries: %d", maxForeign, got)
	}
	if err := <-l.gate.answers; err == nil || !strings.Contains(err.Error(), "20 requests") {
		t.Errorf("after the tries: %v", err)
	}
}

// T16: connections that only hang keep nobody out, and go when the port does.
func TestListenerIsNotCrowdedOut(t *testing.T) {
	t.Parallel()
	l := heard(t)
	for range 50 {
		conn, err := net.Dial("tcp", l.authority)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "GET /call") // its end may come at any time
	}
	start := time.Now()
	if got := send(t, l, "GET /callback?yes HTTP/1.1\r\nHost: "+l.authority+"\r\n\r\n"); got.StatusCode != 200 {
		t.Errorf("the answer: %s", got.Status)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("the answer waited %v", took)
	}
	l.mu.Lock()
	open := len(l.conns)
	l.mu.Unlock()
	if open > maxConns {
		t.Errorf("%d connections are open", open)
	}
	start = time.Now()
	l.close()
	if took := time.Since(start); took > 100*time.Millisecond {
		t.Errorf("closing took %v", took)
	}
	free(t, l.redirectURI())
}

// A port that never served is closed as well, and closing twice is nothing.
func TestListenerCloses(t *testing.T) {
	t.Parallel()
	l, err := listen(t.Context(), Redirect{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	l.close()
	free(t, l.redirectURI())
	l.close()
	l = heard(t)
	l.close()
	l.close()
	free(t, l.redirectURI())
}

package jsonrpc

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"ahptui/internal/secret"
)

// acceptKey answers the key of an upgrade request (RFC 6455, section 1.3).
func acceptKey(request string) string {
	key := regexp.MustCompile(`(?i)Sec-WebSocket-Key: *(\S+)`).FindStringSubmatch(request)
	if key == nil {
		return ""
	}
	sum := sha1.Sum([]byte(key[1] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func TestUpgraderChecks(t *testing.T) {
	t.Parallel()
	open := &Upgrader{AllowOrigins: []string{"vscode-file://vscode-app"}, AllowHosts: []string{"Devbox"}}
	closed := &Upgrader{Token: secret.New(canary)}
	escaped := url.QueryEscape(canary)
	for name, tt := range map[string]struct {
		upgrader *Upgrader
		query    string
		header   http.Header
		want     int
	}{
		"no token wanted":              {open, "", nil, 101},
		"a token nobody wants":         {open, "?tkn=x", nil, 101},
		"the token":                    {closed, "?tkn=" + escaped, nil, 101},
		"the token among others":       {closed, "?a=b&tkn=" + escaped + "&c", nil, 101},
		"no token":                     {closed, "", nil, 403},
		"an empty token":               {closed, "?tkn=", nil, 403},
		"a wrong token":                {closed, "?tkn=" + escaped + "x", nil, 403},
		"a prefix of the token":        {closed, "?tkn=canary", nil, 403},
		"the token twice":              {closed, "?tkn=" + escaped + "&tkn=" + escaped, nil, 403},
		"the token in a header":        {closed, "", http.Header{"Authorization": {"Bearer " + canary}}, 403},
		"a malformed query":            {closed, "?tkn=%zz", nil, 400},
		"a web page":                   {open, "", http.Header{"Origin": {"https://evil.example"}}, 403},
		"a web page of the same host":  {open, "", http.Header{"Origin": {"http://127.0.0.1"}}, 403},
		"a page without origin":        {open, "", http.Header{"Origin": {"null"}}, 403},
		"a page with the token":        {closed, "?tkn=" + escaped, http.Header{"Origin": {"https://evil.example"}}, 403},
		"an allowed origin":            {open, "", http.Header{"Origin": {"vscode-file://vscode-app"}}, 101},
		"two origins":                  {open, "", http.Header{"Origin": {"vscode-file://vscode-app", "https://evil.example"}}, 403},
		"localhost":                    {open, "", http.Header{"Host": {"localhost:1234"}}, 101},
		"localhost without a port":     {open, "", http.Header{"Host": {"LOCALHOST."}}, 101},
		"loopback, IPv6":               {open, "", http.Header{"Host": {"[::1]:1"}}, 101},
		"loopback, IPv6, without port": {open, "", http.Header{"Host": {"[::1]"}}, 101},
		"another loopback address":     {open, "", http.Header{"Host": {"127.9.9.9"}}, 101},
		"an allowed name":              {open, "", http.Header{"Host": {"devbox:80"}}, 101},
		"a rebound name":               {open, "", http.Header{"Host": {"evil.example:80"}}, 403},
		"a name that begins well":      {open, "", http.Header{"Host": {"localhost.evil.example"}}, 403},
		"another address":              {open, "", http.Header{"Host": {"10.0.0.1"}}, 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed := make(chan error, 1)
			server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				w, err := tt.upgrader.Upgrade(rw, r)
				failed <- err
				if err == nil {
					_ = w.Close()
				}
			}))
			defer server.Close()
			c, answer, err := websocket.DefaultDialer.DialContext(t.Context(), "ws"+strings.TrimPrefix(server.URL, "http")+"/"+tt.query, tt.header)
			if answer == nil {
				t.Fatal(err)
			}
			if c != nil {
				_ = c.Close()
			}
			if answer.StatusCode != tt.want {
				t.Errorf("answered %d, want %d", answer.StatusCode, tt.want)
			}
			err = <-failed
			if (err == nil) != (tt.want == 101) {
				t.Errorf("Upgrade = %v", err)
			}
			mustBeSilent(t, err)
		})
	}
}

func TestUpgraderRefusesPlainRequests(t *testing.T) {
	t.Parallel()
	wsURL, _ := serve(t, &Upgrader{Token: secret.New(canary)})
	httpURL := "http" + strings.TrimPrefix(wsURL, "ws")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, httpURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := new(http.Transport).RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusUpgradeRequired || answer.Header.Get("Upgrade") != "websocket" {
		t.Errorf("answered %s with Upgrade %q", answer.Status, answer.Header.Get("Upgrade"))
	}
	if strings.Contains(string(body), "canary") {
		t.Errorf("the body shows the token: %s", body)
	}
}

// Names are not checked where a web page cannot have pointed them: at other addresses, and at a unix socket.
func TestUpgraderChecksNamesOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		local net.Addr
		want  bool
	}{
		"loopback": {&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, false},
		"IPv6":     {&net.TCPAddr{IP: net.IPv6loopback}, false},
		"network":  {&net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, true},
		"unix":     {&net.UnixAddr{Name: "/s", Net: "unix"}, true},
		"unknown":  {nil, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://agent-host/", nil)
		if tt.local != nil {
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, tt.local))
		}
		if got := new(Upgrader).hostAllowed(r); got != tt.want {
			t.Errorf("%s: hostAllowed = %v, want %v", name, got, tt.want)
		}
	}
}

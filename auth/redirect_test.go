package auth

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// B30: a host that is not this machine is refused where it is configured.
func TestRedirectCheck(t *testing.T) {
	t.Parallel()
	for r, good := range map[Redirect]bool{
		{}: true, {Host: "127.0.0.1"}: true, {Host: "localhost", Port: 8080}: true,
		{Host: "0.0.0.0"}: false, {Host: "::1"}: false, {Host: "LOCALHOST"}: false, {Host: "example.com"}: false,
		{Port: -1}: false, {Port: 65536}: false,
	} {
		if err := r.Check(); (err == nil) != good {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// R31, B30: where the redirect is to the name, both addresses that it may mean are ours, and no others.
func TestListenerOnLocalhost(t *testing.T) {
	t.Parallel()
	if !hasAddress(ipv6) {
		t.Skip("this machine has no ::1")
	}
	l, err := listen(t.Context(), Redirect{Host: "localhost"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.close)
	l.serve(newGate(func(string) error { return errForeign }))
	if want := fmt.Sprintf("http://localhost:%d/callback", l.port()); l.redirectURI() != want {
		t.Errorf("redirect URI %s, want %s", l.redirectURI(), want)
	}
	var got []netip.AddrPort
	for _, tcp := range l.tcp {
		got = append(got, netip.MustParseAddrPort(tcp.Addr().String()))
	}
	port := uint16(l.port())
	want := []netip.AddrPort{netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), port), netip.AddrPortFrom(netip.MustParseAddr("::1"), port)}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("listens on %v, want %v", got, want)
	}
	for _, address := range []string{"127.0.0.1", "::1"} {
		conn, err := net.Dial("tcp", net.JoinHostPort(address, fmt.Sprint(port)))
		if err != nil {
			t.Errorf("nobody at %s: %v", address, err)
			continue
		}
		conn.Close()
	}
	if got := send(t, l, "GET /callback?x HTTP/1.1\r\nHost: 127.0.0.1:"+fmt.Sprint(port)+"\r\n\r\n"); got.StatusCode != 400 {
		t.Errorf("by the address: %s", got.Status)
	}
	l.close()
	free(t, fmt.Sprintf("http://127.0.0.1:%d/", port))
}

// R31, B33: a configured port that is busy is an error that names it; there is no sliding to another.
func TestConfiguredPort(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"127.0.0.1", "localhost"} {
		for _, busyAt := range []string{"127.0.0.1", "::1"} {
			if busyAt == "::1" && (host != "localhost" || !hasAddress(ipv6)) {
				continue
			}
			taken, err := net.Listen("tcp", net.JoinHostPort(busyAt, "0"))
			if err != nil {
				t.Fatal(err)
			}
			r := Redirect{Host: host, Port: portOf(taken)}
			l, err := listen(t.Context(), r, 0)
			failed, ok := errors.AsType[*Failure](err)
			if !ok || failed.Step != StepListener || !strings.Contains(failed.Error(), fmt.Sprint(r.Port)) || failed.Remedy == "" {
				t.Errorf("%s, busy at %s: %v, %v", host, busyAt, l, err)
			}
			taken.Close()
			if l, err = listen(t.Context(), r, 0); err != nil {
				t.Errorf("%s, free again: %v", host, err)
				continue
			}
			if l.port() != r.Port {
				t.Errorf("port %d, want %d", l.port(), r.Port)
			}
			l.close()
		}
	}
}

// R30: only a whole address is taken, however the terminal broke it.
func TestPastedQuery(t *testing.T) {
	t.Parallel()
	const back = "http://127.0.0.1:41234/callback"
	for pasted, want := range map[string]string{
		back + "?code=c&state=s":                       "code=c&state=s",
		"  " + back + "?code=c&state=s\n":              "code=c&state=s",
		back + "?code=c\r\n&sta\n te=s":                "code=c&state=s",
		"127.0.0.1:41234/callback?code=c&state=s":      "code=c&state=s",
		back + "?code=c&state=s#":                      "code=c&state=s",
		back + "?code=c&iss=https://login.example/a?b": "code=c&iss=https://login.example/a?b",
		"":                                    "error: a code alone",
		"SplxlOBeZQQYbYS6WxSbIA":              "error: a code alone",
		"code=SplxlOBeZQQYbYS6WxSbIA&state=s": "error: a code alone",
		back:                                  "error: cut off",
		"http://127.0.0.1:41235/callback?code=c&state=s":             "error: another address",
		"http://localhost:41234/callback?code=c&state=s":             "error: another address",
		"https://127.0.0.1:41234/callback?code=c&state=s":            "error: another address",
		"http://127.0.0.1:41234/callback/?code=c&state=s":            "error: another address",
		"http://evil.example/127.0.0.1:41234/callback?code=c":        "error: another address",
		back + "?code=" + strings.Repeat("x", 17<<10):                "error: longer than any address",
		"https://login.example/authorize?client_id=c&redirect_uri=x": "error: another address",
	} {
		got, err := pastedQuery(pasted, back)
		if err != nil {
			got = "error: " + err.Error()
		}
		why, wrong := strings.CutPrefix(want, "error: ")
		if !wrong && got != want || wrong && (err == nil || !strings.Contains(got, why)) {
			t.Errorf("%.60q: %q, want %q", pasted, got, want)
		}
	}
	// Wherever a server puts the code: what is wrong is told without it.
	for _, pasted := range []string{
		"http://127.0.0.1:1/callback#code=" + canaryCode, "http://127.0.0.1:1/callback?code=" + canaryCode, back + "#code=" + canaryCode,
		"http://" + canaryCode + "@127.0.0.1:1/callback", "http://127.0.0.1:1\x7f/#" + canaryCode, canaryCode, "code=" + canaryCode,
	} {
		if _, err := pastedQuery(pasted, back); err == nil || strings.Contains(err.Error(), canaryCode) {
			t.Errorf("%q: %v", pasted, err)
		}
	}
}

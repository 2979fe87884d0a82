package cli_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		says string
	}{
		"unknown flag":          {[]string{"--nope"}, "nope"},
		"unknown command":       {[]string{"frobnicate"}, "frobnicate"},
		"unknown subcommand":    {[]string{"mcp", "frobnicate"}, "frobnicate"},
		"group alone":           {[]string{"sessions"}, "which command"},
		"missing name":          {[]string{"mcp", "start"}, "arg"},
		"no host":               {[]string{"sessions", "ls"}, "no host was named"},
		"no terminal":           {[]string{"--url", "ws://127.0.0.1:1"}, "needs a terminal"},
		"bad wait":              {[]string{"mcp", "stop", "x", "--wait", "soon"}, "soon"},
		"token file is missing": {[]string{"mcp", "ls", "--url", "ws://127.0.0.1:1", "--token-file", "/nonexistent/token"}, "token"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, nil, tt.args...)
			if got.code != 2 || !strings.Contains(got.err, tt.says) || got.out != "" {
				t.Errorf("exit %d, stdout %q, stderr %q; want exit 2 and %q on stderr", got.code, got.out, got.err, tt.says)
			}
			got = run(t, nil, append(tt.args, "--json")...)
			if e := decode[jsonError](t, got.err); e.Code != 2 || !strings.Contains(e.Error, tt.says) {
				t.Errorf("with --json: %+v, want code 2 and %q", e, tt.says)
			}
		})
	}
}

// TestUnreachable: an address where nobody is, one where somebody else is, and
// one that wants another token are three sentences.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "ws://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	picky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(picky.Close)

	const token = "tok-canary-0123456789"
	tests := map[string]struct {
		url, token, says string
	}{
		"nobody":    {nobody, "", "cannot be reached"},
		"not AHP":   {"ws" + strings.TrimPrefix(web.URL, "http"), "", "not an agent host"},
		"no token":  {"ws" + strings.TrimPrefix(picky.URL, "http"), "", "wants a connection token"},
		"bad token": {"ws" + strings.TrimPrefix(picky.URL, "http"), token, "refused this token"},
		"in url":    {"ws" + strings.TrimPrefix(picky.URL, "http") + "/?tkn=" + token, "", "refused this token"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, []string{"AHP_TOKEN=" + tt.token}, "mcp", "ls", "--url", tt.url, "--json")
			e := decode[jsonError](t, got.err)
			if got.code != 5 || e.Code != 5 || !strings.Contains(e.Error, tt.says) || e.Hint == "" {
				t.Errorf("exit %d, %+v; want 5 and %q", got.code, e, tt.says)
			}
			if strings.Contains(got.err+got.out, token) {
				t.Errorf("the token is in the output: %s", got.err)
			}
		})
	}
}

// TestInsecureHost: what is not plainly this machine is not connected to without
// TLS, unless the person said so for that host.
func TestInsecureHost(t *testing.T) {
	t.Parallel()
	const url = "ws://0.0.0.0:1/ahp"
	file := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(file, []byte("[[host]]\nurl = \"ws://0.0.0.0:1/ahp\"\ninsecure = true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const says = "ws:// to another machine can be read and changed by everybody on the way, tokens too: " + url
	for name, tt := range map[string]struct {
		url   string
		args  []string
		code  int
		error string
	}{
		"refused":              {url, nil, 2, says},
		"with a token":         {url + "?tkn=canary-4711", nil, 2, says},
		"by the flag":          {url, []string{"--insecure-host"}, 5, "cannot be reached"},
		"by the file":          {url, []string{"--config", file}, 5, "cannot be reached"},
		"the file on another":  {"ws://0.0.0.0:2/ahp", []string{"--config", file}, 2, "0.0.0.0:2"},
		"a file that is wrong": {url, []string{"--config", file + "x"}, 2, "config.tomlx: there is no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, nil, append(tt.args, "sessions", "ls", "--json", "--url", tt.url)...)
			e := decode[jsonError](t, got.err)
			if got.code != tt.code || !strings.Contains(e.Error, tt.error) || e.Hint == "" {
				t.Errorf("exit %d, %+v; want %d and %q", got.code, e, tt.code, tt.error)
			}
			if strings.Contains(got.err, "canary") {
				t.Errorf("the token is in the output: %s", got.err)
			}
		})
	}
}

func TestTokenFile(t *testing.T) {
	t.Parallel()
	exposed := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(exposed, []byte("tok-canary\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	got := run(t, nil, "mcp", "ls", "--url", "ws://127.0.0.1:1", "--token-file", exposed)
	if got.code != 2 || !strings.Contains(got.err, "chmod 600") || strings.Contains(got.err, "canary") {
		t.Errorf("exit %d, stderr %q; want 2 and what to do about a file that others can read", got.code, got.err)
	}
}

func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	if got := run(t, nil, "--version"); got.code != 0 || !strings.Contains(got.out, "ahptui") {
		t.Errorf("--version: exit %d, %q", got.code, got.out)
	}
	got := run(t, nil, "--help")
	for _, word := range []string{"demo", "serve", "sessions", "mcp", "auth"} {
		if !strings.Contains(got.out, word) {
			t.Errorf("--help lacks %s:\n%s", word, got.out)
		}
	}
	if strings.Contains(got.out, "mcp-server") {
		t.Errorf("--help shows the hidden command:\n%s", got.out)
	}
}

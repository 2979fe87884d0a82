package cli_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ahptui/internal/testkit"
)

// TestRealHost drives VS Code's agent host, which nobody here wrote: by the
// commands, and then in the terminal. Its model cannot be reached; servers start
// all the same.
func TestRealHost(t *testing.T) {
	real := testkit.RealHost(t)
	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(real.Token), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &served{URL: real.URL, Token: real.Token, tokenFile: tokenFile}

	got := run(t, []string{"AHP_TOKEN=wrong-canary"}, "sessions", "ls", "--url", s.URL, "--json")
	if e := decode[jsonError](t, got.err); got.code != 5 || !strings.Contains(e.Error, "token") || strings.Contains(got.err, "canary") {
		t.Errorf("a wrong token: exit %d, %s", got.code, got.err)
	}

	config := fmt.Sprintf(`{"mcpServers":{"notes":{"type":"stdio","command":%q,"args":["mcp-server","notes"]},"absent":{"type":"stdio","command":"no-such-program-xyz"}}}`, built(t))
	t.Run("commands", func(t *testing.T) { realHostCommands(t, s, realSession(t, s, config)) })
	t.Run("terminal", func(t *testing.T) {
		realSession(t, s, config)
		realHostTerminal(t, s)
	})
	t.Run("sign in", func(t *testing.T) { realHostSignIn(t, s) })
}

// realHostSignIn names the demo's protected server to the real host: it asks for
// a sign-in, gets one by the real flow, and serves.
func realHostSignIn(t *testing.T, s *served) {
	tracker := freeAddress(t)
	serve(t, "--demo", "--tracker-listen", tracker, "--issuer-listen", freeAddress(t))
	uri := realSession(t, s, fmt.Sprintf(`{"mcpServers":{"tracker":{"type":"http","url":"http://%s/mcp"}}}`, tracker))
	awaitRealStates(t, s, uri, "tracker", "authRequired")
	events, code := login(t, s, "approve", "--yes", "--session", uri)
	if code != 0 || events[len(events)-1].Event != "ready" {
		t.Errorf("exit %d, %+v", code, events)
	}
	awaitRealStates(t, s, uri, "tracker", "ready")
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// realSession makes a session in a workspace that names servers, and sends it the
// message that makes the host start them.
func realSession(t *testing.T, s *served, config string) string {
	t.Helper()
	workspace := t.TempDir()
	if err := os.WriteFile(filepath.Join(workspace, ".mcp.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	got := s.run(t, "sessions", "new", "--dir", workspace, "--message", "hello from a test")
	if got.code != 0 {
		t.Fatalf("sessions new: exit %d, %s", got.code, got.err)
	}
	return decode[sessionRow](t, got.out).URI
}

// realHostCommands ends with a server that was switched off and on: this host does
// not start it again after that, whoever asks.
func realHostCommands(t *testing.T, s *served, uri string) {
	awaitRealStates(t, s, uri, "notes", "ready")
	awaitRealStates(t, s, uri, "absent", "error")
	for _, v := range []struct{ verb, state string }{
		{"stop", "stopped"}, {"start", "ready"}, {"restart", "ready"}, {"disable", ""}, {"enable", ""},
	} {
		got := s.run(t, "mcp", v.verb, "notes", "--session", uri, "--wait", "30s")
		r := decode[result](t, got.out)
		if got.code != 0 || r.Outcome != "accepted" || v.state != "" && r.State != v.state {
			t.Errorf("%s: exit %d, %+v, %s", v.verb, got.code, r, got.err)
		}
	}
}

func awaitRealStates(t *testing.T, s *served, uri, name, state string) {
	t.Helper()
	var rows []serverRow
	for deadline := time.Now().Add(2 * testkit.Patience); time.Now().Before(deadline); {
		rows = decode[[]serverRow](t, s.run(t, "mcp", "ls", "--session", uri).out)
		for _, r := range rows {
			if r.Name == name && r.State == state {
				return
			}
		}
	}
	t.Fatalf("%s is not %s: %+v", name, state, rows)
}

func realHostTerminal(t *testing.T, s *served) {
	cmd := exec.Command(built(t), "--url", s.URL, "--token-file", s.tokenFile)
	term := testkit.StartCommand(t, testkit.Size{Cols: 120, Rows: 36}, cmd)
	term.WaitFor(t, testkit.Patience, "hello from a test", "notes", "absent", "ready", "error")
	selectServer(t, term, "notes", "notes")
	term.Type("S")
	waitServer(t, term, "notes", "stopped")
	term.Type("s")
	waitServer(t, term, "notes", "ready")
	term.Type("e")
	term.WaitFor(t, testkit.Patience, "Disable notes?")
	term.Type("1")
	waitServer(t, term, "notes", "off")
	term.Type("e")
	term.WaitFor(t, testkit.Patience, "Enable notes?")
	term.Type("1")
	term.WaitUntil(t, testkit.Patience, "notes is on again", func(screen string) bool { return !strings.Contains(serverLine(screen, "notes"), "off") })
	term.Key(t, "ctrl+c")
	if code := term.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("the program ended with %d", code)
	}
	term.CheckRestored(t)
}

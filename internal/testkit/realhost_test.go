package testkit_test

import (
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"ahptui/internal/testkit"
)

// standIn is a script that says what it was given and is ready at once.
const standIn = `#!/bin/sh
echo "$@" > "$1/args"
echo "$FAKE_MODEL_URL" > "$1/model"
trap 'echo stopped > "$1/end"; exit 143' TERM
echo installing
echo READY
while :; do sleep 0.05; done
`

// realHostAt prepares a scripted stand-in for the real host and gives the folder it is installed in.
func realHostAt(t *testing.T, script string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a POSIX shell")
	}
	path := filepath.Join(t.TempDir(), "start.sh")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	t.Setenv("AHPTUI_REALHOST", "1")
	t.Setenv("AHPTUI_REALHOST_SCRIPT", path)
	t.Setenv("XDG_CACHE_HOME", cache)
	return filepath.Join(cache, "ahptui-checks", "realhost")
}

func contentOf(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func TestRealHostScript(t *testing.T) {
	dir := realHostAt(t, standIn)
	t.Run("one test", func(t *testing.T) {
		host := testkit.RealHost(t, "FAKE_MODEL_URL=http://127.0.0.1:1")
		port := strings.TrimPrefix(host.URL, "ws://127.0.0.1:")
		if got, want := contentOf(t, dir, "args"), dir+" "+port+" "+host.Token; got != want {
			t.Errorf("the script got %q, want %q", got, want)
		}
		if len(host.Token) < 20 {
			t.Errorf("the token is %d characters long", len(host.Token))
		}
		if got := contentOf(t, dir, "model"); got != "http://127.0.0.1:1" {
			t.Errorf("the script has FAKE_MODEL_URL=%q", got)
		}
	})
	if got := contentOf(t, dir, "end"); got != "stopped" {
		t.Errorf("the script ended with %q", got)
	}
	t.Run("the next one", func(t *testing.T) { testkit.RealHost(t) })
}

func TestRealHostThatFails(t *testing.T) {
	realHostAt(t, "#!/bin/sh\necho no such platform >&2\nexit 2\n")
	failures := failuresOf(t, func(tb testing.TB) { testkit.RealHost(tb) })
	if len(failures) != 1 || !strings.Contains(failures[0], "no such platform") || !strings.Contains(failures[0], "exit status 2") {
		t.Errorf("RealHost failed with %q", failures)
	}
}

func TestRealHostIsOptIn(t *testing.T) {
	for _, tt := range []struct{ name, on, script string }{
		{"not asked for", "", "/"},
		{"no script", "1", filepath.Join("no", "such", "script")},
	} {
		t.Setenv("AHPTUI_REALHOST", tt.on)
		t.Setenv("AHPTUI_REALHOST_SCRIPT", tt.script)
		skipped := false
		t.Run(tt.name, func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			testkit.RealHost(t)
		})
		if !skipped {
			t.Errorf("%s: the test was not skipped", tt.name)
		}
	}
}

// TestRealHost meets the real host: it refuses a wrong token and takes its own.
func TestRealHost(t *testing.T) {
	host := testkit.RealHost(t)
	for _, tt := range []struct {
		token  string
		status int
	}{
		{"wrong", http.StatusForbidden},
		{host.Token, http.StatusSwitchingProtocols},
	} {
		conn, answer, err := websocket.DefaultDialer.DialContext(t.Context(), host.URL+"/?tkn="+tt.token, nil)
		if answer == nil {
			t.Fatalf("no answer: %v", err)
		}
		if answer.StatusCode != tt.status {
			t.Errorf("the host answers %d, want %d", answer.StatusCode, tt.status)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
}

package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ahptui/internal/testkit"
)

// TestDraftOutlivesKill: what was typed is there again after the program was killed, in the chat that it was typed in, and
// only the person can read it; leaving then asks for nothing, and what is sent is forgotten.
func TestDraftOutlivesKill(t *testing.T) {
	t.Parallel()
	host := serve(t, "--demo")
	state := t.TempDir()
	file := filepath.Join(state, "ahptui", "drafts.json")
	start := func() (*testkit.Command, func() error) {
		cmd := command(t, []string{"XDG_STATE_HOME=" + state}, "--url", host.URL, "--token-file", host.tokenFile)
		term := testkit.StartCommand(t, testkit.Size{Cols: 100, Rows: 30}, cmd)
		term.WaitFor(t, testkit.Patience, "MCP servers", "clock")
		return term, cmd.Process.Kill
	}
	holds := func(want bool) {
		t.Helper()
		testkit.Eventually(t, testkit.Patience, "the file is as it should be", func() bool {
			data, err := os.ReadFile(file)
			return want == (err == nil && bytes.Contains(data, []byte("half a thought")))
		})
	}

	term, kill := start()
	term.Type("i")
	term.WaitFor(t, testkit.Patience, "esc back")
	term.Type("half a thought")
	holds(true)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	if err := kill(); err != nil {
		t.Fatal(err)
	}
	term.ExitCode(t, testkit.Patience)

	term, _ = start()
	term.WaitFor(t, testkit.Patience, "› half a thought")
	term.Type("q")
	if code := term.ExitCode(t, testkit.Patience); code != 0 || strings.Contains(term.Screen(), "Leave?") {
		t.Errorf("leaving ends with %d:\n%s", code, term.Screen())
	}

	term, _ = start()
	term.WaitFor(t, testkit.Patience, "› half a thought")
	term.Type("i")
	term.WaitFor(t, testkit.Patience, "esc back")
	term.Key(t, "enter")
	term.WaitUntil(t, testkit.Patience, "it was sent", func(screen string) bool { return !strings.Contains(screen, "› half a thought") })
	holds(false)
	term.Key(t, "ctrl+c")
	term.ExitCode(t, testkit.Patience)
}

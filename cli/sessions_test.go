package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ahptui/internal/testkit"
)

type sessionRow struct {
	URI      string   `json:"uri"`
	Title    string   `json:"title"`
	Provider string   `json:"provider"`
	Status   []string `json:"status"`
	Chats    int      `json:"chats"`
	Blocked  int      `json:"blocked"`
}

func itoa(n int) string { return strconv.Itoa(n) }

func sessions(t *testing.T, s *served) []sessionRow {
	t.Helper()
	got := s.run(t, "sessions", "ls")
	if got.code != 0 {
		t.Fatalf("sessions ls: exit %d, %s", got.code, got.err)
	}
	return decode[[]sessionRow](t, got.out)
}

// TestSessions: the demo's sessions are listed, the one in which the agent asks
// is blocked, and a new one takes its servers from its directory.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	waits := func(r sessionRow) bool {
		return r.Blocked == 1 && r.Chats == 1 && slices.Contains(r.Status, "inputNeeded")
	}
	for deadline := time.Now().Add(testkit.Patience); ; {
		rows := sessions(t, s)
		if slices.ContainsFunc(rows, waits) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no session waits for one thing: %+v", rows)
		}
	}

	dir := t.TempDir()
	config := `{"mcpServers":{"absent":{"command":"no-such-program-xyz"}}}`
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	got := s.run(t, "sessions", "new", "--dir", dir, "--message", "hello")
	if got.code != 0 {
		t.Fatalf("sessions new: exit %d, %s", got.code, got.err)
	}
	uri := decode[struct {
		URI string `json:"uri"`
	}](t, got.out).URI
	if !slices.ContainsFunc(sessions(t, s), func(r sessionRow) bool { return r.URI == uri }) {
		t.Errorf("%s is not listed", uri)
	}
	rows := decode[[]serverRow](t, s.run(t, "mcp", "ls", "--session", uri).out)
	if len(rows) != 1 || rows[0].Name != "absent" || rows[0].State != "stopped" {
		t.Errorf("the new session's servers are %+v; want absent, stopped", rows)
	}
	got = s.run(t, "sessions", "new", "--provider", "nobody")
	if got.code != 3 || !strings.Contains(decode[jsonError](t, got.err).Error, "nobody") {
		t.Errorf("an unknown provider: exit %d, %s; want 3 and its name", got.code, got.err)
	}
}

// TestTable: without --json there is a table for people.
func TestTable(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo", "--no-token")
	got := run(t, nil, "mcp", "ls", "--url", s.URL)
	if got.code != 0 || !strings.HasPrefix(got.out, "NAME") || !strings.Contains(got.out, "archive") {
		t.Errorf("exit %d:\n%s%s", got.code, got.out, got.err)
	}
}

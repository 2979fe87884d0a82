package cli_test

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"ahptui/internal/testkit"
)

type serverRow struct {
	Session   string `json:"session"`
	ID        string `json:"id"`
	Name      string `json:"name"`
	Container string `json:"container"`
	Enabled   bool   `json:"enabled"`
	Effective bool   `json:"effective"`
	State     string `json:"state"`
	Error     string `json:"error"`
}

type result struct {
	Outcome string `json:"outcome"`
	Reason  string `json:"reason"`
	State   string `json:"state"`
}

func servers(t *testing.T, s *served) map[string]serverRow {
	t.Helper()
	got := s.run(t, "mcp", "ls")
	if got.code != 0 {
		t.Fatalf("mcp ls: exit %d, %s", got.code, got.err)
	}
	rows := map[string]serverRow{}
	for _, r := range decode[[]serverRow](t, got.out) {
		if _, twice := rows[r.Name]; twice {
			t.Errorf("two servers are named %s", r.Name)
		}
		rows[r.Name] = r
	}
	return rows
}

// awaitStates asks until the servers are in the states; the host starts them as
// the test begins.
func awaitStates(t *testing.T, s *served, want map[string]string) map[string]serverRow {
	t.Helper()
	for deadline := time.Now().Add(testkit.Patience); ; {
		rows := servers(t, s)
		have := map[string]string{}
		for name := range want {
			have[name] = rows[name].State
		}
		if maps.Equal(have, want) {
			return rows
		}
		if time.Now().After(deadline) {
			t.Fatalf("the servers are %v, want %v", have, want)
		}
	}
}

// TestServersByCommand: every protocol version the host speaks shows the same
// servers and lets them be started, stopped and switched for real.
func TestServersByCommand(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0.9.0", "0.6.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "--demo", "--protocol", version)
			if !slices.Equal(s.ProtocolVersions, []string{version}) {
				t.Errorf("the host says it speaks %v", s.ProtocolVersions)
			}
			rows := awaitStates(t, s, map[string]string{"notes": "ready", "clock": "ready", "broken": "error", "archive": "stopped"})
			if rows["clock"].Container == "" || rows["notes"].Container != "" {
				t.Errorf("clock is in container %q and notes in %q; want a plugin and none", rows["clock"].Container, rows["notes"].Container)
			}
			if rows["broken"].Error == "" {
				t.Error("broken has no error message")
			}
			verbs := []struct {
				verb, state string
				on          bool
			}{
				{"stop", "stopped", true},
				{"start", "ready", true},
				{"restart", "ready", true},
				{"disable", "", false},
				{"enable", "", true},
			}
			for _, v := range verbs {
				got := s.run(t, "mcp", v.verb, "notes", "--wait", "20s")
				r := decode[result](t, got.out)
				if got.code != 0 || r.Outcome != "accepted" || v.state != "" && r.State != v.state {
					t.Fatalf("%s: exit %d, %+v, %s", v.verb, got.code, r, got.err)
				}
				if row := servers(t, s)["notes"]; row.Effective != v.on {
					t.Errorf("after %s notes is effective=%v", v.verb, row.Effective)
				}
			}
		})
	}
}

// TestStopLeavesNoProcess: a stopped stdio server is gone from the system.
func TestStopLeavesNoProcess(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("pgrep"); err != nil {
		t.Skip("needs pgrep to look at processes")
	}
	s := serve(t, "--demo")
	awaitStates(t, s, map[string]string{"notes": "ready"})
	if !running(t, s) {
		t.Fatal("no notes process runs below the host although it is ready")
	}
	if got := s.run(t, "mcp", "stop", "notes", "--wait", "20s"); got.code != 0 {
		t.Fatalf("stop: exit %d, %s", got.code, got.err)
	}
	if running(t, s) {
		t.Error("the stopped server left its process")
	}
}

func running(t *testing.T, s *served) bool {
	t.Helper()
	out, err := exec.Command("pgrep", "-f", "-P", itoa(s.cmd.Process.Pid), "mcp-server notes").Output()
	return err == nil && strings.TrimSpace(string(out)) != ""
}

func TestVerbsThatCannotWork(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	awaitStates(t, s, map[string]string{"notes": "ready", "broken": "error"})

	if got := s.run(t, "mcp", "stop", "nosuchserver"); got.code != 1 || !strings.Contains(decode[jsonError](t, got.err).Hint, "notes") {
		t.Errorf("an unknown name: exit %d, %s; want 1 and the names there are", got.code, got.err)
	}
	got := s.run(t, "mcp", "start", "broken", "--wait", "20s")
	if r := decode[result](t, got.out); got.code != 1 || r.State != "error" || r.Reason == "" {
		t.Errorf("start broken: exit %d, %+v; want 1 and why", got.code, r)
	}
	if got := s.run(t, "mcp", "disable", "notes", "--wait", "20s"); got.code != 0 {
		t.Fatalf("disable: exit %d, %s", got.code, got.err)
	}
	if got := s.run(t, "mcp", "start", "notes"); got.code != 1 || !strings.Contains(got.err, "enable") {
		t.Errorf("start of a disabled server: exit %d, %s; want 1 and to enable it", got.code, got.err)
	}
	if got := s.run(t, "mcp", "ls", "--session", "ahp-session:/nowhere"); got.code != 1 {
		t.Errorf("an unknown session: exit %d, %s; want 1", got.code, got.err)
	}
}

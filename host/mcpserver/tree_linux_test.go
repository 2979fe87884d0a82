package mcpserver

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// withVariable returns the running processes whose environment has the setting.
func withVariable(setting string) []string {
	var found []string
	for _, p := range census() {
		pid := strconv.Itoa(p.pid)
		env, err := os.ReadFile("/proc/" + pid + "/environ")
		if err == nil && !p.zombie && strings.Contains("\x00"+string(env), "\x00"+setting+"\x00") {
			found = append(found, pid)
		}
	}
	return found
}

func TestStopLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode      string
		processes int
	}{
		{"plain", 1},
		{"parent", 2},
		{"stubborn", 4},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			cfg := self(t, tt.mode)
			cfg.Env["FAMILY"] = t.Name()
			s, _ := launch(t, cfg)
			ready(t, s)
			family := "FAMILY=" + t.Name()
			eventually(t, "the whole family runs", func() bool { return len(withVariable(family)) == tt.processes })
			settle(t, s.Stop())
			if left := withVariable(family); len(left) > 0 {
				t.Errorf("stop left the processes %v", left)
			}
		})
	}
}

func TestCloseLeavesNoProcess(t *testing.T) {
	t.Parallel()
	cfg := self(t, "stubborn")
	cfg.Env["FAMILY"] = t.Name()
	s, _ := launch(t, cfg)
	ready(t, s)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := withVariable("FAMILY=" + t.Name()); len(left) > 0 {
		t.Errorf("close left the processes %v", left)
	}
	select {
	case <-s.Start():
	default:
		t.Error("a start after the close is not settled at once")
	}
	wantKind(t, s, Stopped)
}

// A program that ends while one of its children holds the pipes is an end.
func TestDeathWithAChildLeft(t *testing.T) {
	t.Parallel()
	cfg := self(t, "parent")
	cfg.Env["FAMILY"] = t.Name()
	s, states := launch(t, cfg)
	ready(t, s)
	if err := s.conn.proc.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, states, Failed)
	eventually(t, "the child is gone", func() bool { return len(withVariable("FAMILY="+t.Name())) == 0 })
}

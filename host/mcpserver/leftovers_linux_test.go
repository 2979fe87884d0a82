package mcpserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// withVariable returns the running processes whose environment has the setting.
func withVariable(setting string) []string {
	var found []string
	dirs, _ := filepath.Glob("/proc/[1-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(dir + "/environ") // a zombie has none
		if err == nil && strings.Contains("\x00"+string(env), "\x00"+setting+"\x00") {
			found = append(found, filepath.Base(dir))
		}
	}
	return found
}

func TestStopLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode      string
		processes int
		within    time.Duration
	}{
		{"plain", 1, graceStdin},
		{"parent", 2, 3 * time.Second},
		{"stubborn", 4, 3 * time.Second},
	} {
		t.Run(tt.mode, func(t *testing.T) {
			t.Parallel()
			cfg := self(t, tt.mode)
			cfg.Env["FAMILY"] = t.Name()
			s, _ := launch(t, cfg)
			ready(t, s)
			family := "FAMILY=" + t.Name()
			eventually(t, "the whole family runs", func() bool { return len(withVariable(family)) == tt.processes })
			begin := time.Now()
			settle(t, s.Stop())
			if took := time.Since(begin); took > tt.within {
				t.Errorf("stop took %v", took)
			}
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

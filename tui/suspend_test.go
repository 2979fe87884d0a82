//go:build unix

package tui

import (
	"strings"
	"syscall"
	"testing"

	"ahptui/internal/testkit"
)

// TestSuspend: while the program is suspended, the terminal is the shell's; then it is drawn anew.
func TestSuspend(t *testing.T) {
	t.Parallel()
	c, cmd := startProgram(t, "plain")
	c.Key(t, "ctrl+z")
	c.WaitUntil(t, testkit.Patience, "the shell has its screen back", func(string) bool { return !c.AltScreen() })
	c.CheckReleased(t)
	if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	c.WaitUntil(t, testkit.Patience, "the program is back", func(screen string) bool {
		return c.AltScreen() && strings.Contains(screen, "Fix the login bug")
	})
	c.Key(t, "ctrl+c")
	if code := c.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.CheckRestored(t)
}

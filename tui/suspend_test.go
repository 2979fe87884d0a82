//go:build unix

package tui

import (
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ahptui/internal/testkit"
)

// TestSuspend: while the program is suspended, the terminal is the shell's; then it is drawn anew.
func TestSuspend(t *testing.T) {
	t.Parallel()
	c, cmd := startProgram(t, "plain")
	c.Key(t, "ctrl+z")
	c.WaitUntil(t, testkit.Patience, "the shell has its screen back", func(string) bool { return !c.AltScreen() })
	c.CheckReleased(t)
	back := keepOn(cmd.Process)
	defer back()
	c.WaitUntil(t, testkit.Patience, "the program is back", func(screen string) bool {
		return c.AltScreen() && strings.Contains(screen, "Fix the login bug")
	})
	back()
	c.Key(t, "ctrl+c")
	if code := c.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	c.CheckRestored(t)
}

// keepOn tells a process to go on until it is told to stop that: the one that comes before the process listens is lost.
func keepOn(p *os.Process) (stop func()) {
	again, done := time.NewTicker(50*time.Millisecond), make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			_ = p.Signal(syscall.SIGCONT)
			select {
			case <-again.C:
			case <-done:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		again.Stop()
		close(done)
		work.Wait()
	})
}

package testkit

import (
	"os/exec"
	"testing"
	"time"
)

// Command is a program in a process of its own, on a virtual terminal.
type Command struct {
	*Terminal
	cmd *exec.Cmd
	pty *pseudoTerminal
}

// StartCommand starts cmd on a pseudo-terminal of the given size, as the leader of its session. A nil cmd.Env is
// replaced by [Environ]. When the test ends and the program has not, its processes are hung up, then killed, and
// waited for; a test that failed logs the last screen.
//
// There is no pseudo-terminal on Windows: the test is skipped there.
func StartCommand(tb testing.TB, size Size, cmd *exec.Cmd) *Command {
	tb.Helper()
	if cmd.Env == nil {
		cmd.Env = Environ(tb)
	}
	pty, err := openPseudoTerminal(size)
	if err != nil {
		if !havePseudoTerminals {
			tb.Skipf("needs a pseudo-terminal: %v", err)
		}
		tb.Fatalf("open a pseudo-terminal: %v", err)
	}
	if err := pty.start(cmd); err != nil {
		pty.close()
		tb.Fatalf("start %s: %v", cmd.Path, err)
	}
	c := &Command{Terminal: newTerminal(size, ""), cmd: cmd, pty: pty}
	go c.run()
	tb.Cleanup(func() { c.stop(tb) })
	return c
}

// Resize changes the size of the terminal; the program gets a SIGWINCH.
func (c *Command) Resize(tb testing.TB, size Size) {
	tb.Helper()
	c.resize(size)
	if err := c.pty.resize(size); err != nil {
		tb.Fatalf("resize the pseudo-terminal: %v", err)
	}
}

// ExitCode waits for the program to end and says how: its exit code, or -1 when a signal ended it.
func (c *Command) ExitCode(tb testing.TB, timeout time.Duration) int {
	tb.Helper()
	c.waitEnd(tb, timeout)
	return c.cmd.ProcessState.ExitCode()
}

// stopGrace is how long a program that was hung up has for its last words.
const stopGrace = 3 * time.Second

// stop makes sure that the program is gone.
func (c *Command) stop(tb testing.TB) {
	if tb.Failed() {
		tb.Logf("the last screen:\n%s", frame(c.Screen()))
	}
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	if !c.hasEnded() {
		c.pty.hangUp(c.cmd)
		select {
		case <-c.ended:
		case <-grace.C:
			c.pty.kill(c.cmd)
		}
	}
	<-c.ended
}

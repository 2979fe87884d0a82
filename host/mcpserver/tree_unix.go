//go:build unix

package mcpserver

import (
	"errors"
	"os/exec"
	"syscall"
)

// A tree is a process with its descendants. The process leads a session of its
// own, so that one signal reaches the whole process group and nothing in it can
// read from the terminal. Descendants that have left the group are found by
// their parents where the system lets us see them (see census).
type tree struct {
	leader int
	strays []proc // descendants outside the group, seen so far
}

func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func startTree(cmd *exec.Cmd) (*tree, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &tree{leader: cmd.Process.Pid}, nil
}

func (t *tree) terminate() { t.signal(syscall.SIGTERM) }
func (t *tree) kill()      { t.signal(syscall.SIGKILL) }
func (t *tree) release()   {}

func (t *tree) signal(sig syscall.Signal) {
	t.strays = strays(t.leader, t.strays)
	_ = syscall.Kill(-t.leader, sig) // fails only when nothing is left of the group
	for _, s := range t.strays {
		if s.alive() {
			_ = syscall.Kill(s.pid, sig)
		}
	}
}

// alive reports whether anything is left of the tree.
func (t *tree) alive() bool {
	t.strays = strays(t.leader, t.strays)
	for _, s := range t.strays {
		if s.alive() {
			return true
		}
	}
	return groupAlive(t.leader)
}

// groupExists reports whether the group has a member, be it a zombie.
func groupExists(leader int) bool {
	return !errors.Is(syscall.Kill(-leader, 0), syscall.ESRCH)
}

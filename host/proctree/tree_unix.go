//go:build unix

package proctree

import (
	"errors"
	"os/exec"
	"syscall"
)

// A Tree is a process with its descendants. The process leads a session of its
// own, so that one signal reaches the whole process group and nothing in it can
// read from the terminal. Descendants that have left the group are found by
// their parents where the system lets us see them (see census).
type Tree struct {
	leader int
	strays []proc // descendants outside the group, seen so far
}

// Detach makes cmd, which is not started yet, lead a session of its own.
func Detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

// Start starts cmd, which was detached. The caller waits for it.
func Start(cmd *exec.Cmd) (*Tree, error) {
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Tree{leader: cmd.Process.Pid}, nil
}

// Terminate asks all processes of the tree to end, where the system can ask.
func (t *Tree) Terminate() { t.signal(syscall.SIGTERM) }

// Kill ends all processes of the tree.
func (t *Tree) Kill() { t.signal(syscall.SIGKILL) }

// Release frees what holds the tree together. Call it last.
func (t *Tree) Release() {}

func (t *Tree) signal(sig syscall.Signal) {
	t.strays = strays(t.leader, t.strays)
	_ = syscall.Kill(-t.leader, sig) // fails only when nothing is left of the group
	for _, s := range t.strays {
		if s.alive() {
			_ = syscall.Kill(s.pid, sig)
		}
	}
}

// Alive reports whether anything is left of the tree.
func (t *Tree) Alive() bool {
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

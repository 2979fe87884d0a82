//go:build unix

package testkit

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes the process that cmd starts the leader of a group of its own.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a process to end.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }

// killGroup ends a process that [ownGroup] was called for, and all of its children that stayed in its group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

//go:build unix

package auth

import (
	"os/exec"
	"syscall"
)

// killGroup has a program that is told to end take with it what it has started. In a group of its own it can also not
// read the terminal away from this program.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

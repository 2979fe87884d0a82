//go:build !unix

package testkit

import (
	"os"
	"os/exec"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// terminate ends a process: there is no way to ask.
func terminate(p *os.Process) error { return p.Kill() }

// killGroup ends a process.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

//go:build !unix

package cli

import (
	"errors"
	"os"
	"os/exec"
)

// relaunch runs the same program anew, in another environment, and ends as it does.
func relaunch(program string, args, env []string) error {
	cmd := exec.Command(program, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return reported(ended.ExitCode())
	}
	if err == nil {
		return errRelaunched
	}
	return err
}

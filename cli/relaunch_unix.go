//go:build unix

package cli

import "syscall"

// relaunch makes this process the same program anew, in another environment. It only returns an error.
func relaunch(program string, args, env []string) error {
	return syscall.Exec(program, append([]string{program}, args...), env) //nolint:gosec // the same program, with what the person has given it
}

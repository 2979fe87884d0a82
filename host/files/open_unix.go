//go:build unix

package files

import "syscall"

// doNotWait keeps the opening of a named pipe from waiting for its writer.
const doNotWait = syscall.O_NONBLOCK

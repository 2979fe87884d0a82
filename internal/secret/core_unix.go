//go:build unix

package secret

import (
	"fmt"
	"syscall"
)

// NoCoreDumps has the system write no image of this program's memory, secrets included, to a disk when it crashes. Programs
// that it starts inherit that, and may raise the limit again. It is called once, when the program begins.
func NoCoreDumps() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil {
		return fmt.Errorf("read the limit of core dumps: %w", err)
	}
	limit.Cur = 0
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &limit); err != nil {
		return fmt.Errorf("switch core dumps off: %w", err)
	}
	return nil
}

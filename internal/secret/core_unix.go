//go:build unix

package secret

import (
	"fmt"
	"syscall"
)

// KeepOutOfCoreDumps has the system write no memory of this process to disk when it crashes: there are secrets in it.
func KeepOutOfCoreDumps() error {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit)
	if err == nil {
		limit.Cur = 0 // what this process starts may want its own
		err = syscall.Setrlimit(syscall.RLIMIT_CORE, &limit)
	}
	if err != nil {
		return fmt.Errorf("keep secrets out of core dumps: %w", err)
	}
	return nil
}

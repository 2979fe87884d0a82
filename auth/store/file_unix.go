//go:build unix

package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"ahptui/internal/secret"
)

// plainFiles reports whether the system tells who can read a file.
const plainFiles = true

// noFollow makes opening a symbolic link an error.
const noFollow = syscall.O_NOFOLLOW

// openPrivate opens a file for reading, but neither through a symbolic link nor, waiting for its writer, a named pipe.
func openPrivate(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow|syscall.O_NONBLOCK, 0)
	// Which of the two it is differs between systems.
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) {
		return nil, ErrLink
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, pathErr.Err // the caller names the path
	}
	return f, err
}

// checkOwner refuses what other users can read or change, and what is another user's.
func checkOwner(info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int64(stat.Uid) != int64(os.Geteuid()) {
		return ErrNotOurs
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		return fmt.Errorf("%w (mode %04o)", secret.ErrExposed, perm)
	}
	return nil
}

// syncDirectory makes the names in a directory last.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

func rename(from, to string) error { return os.Rename(from, to) }

//go:build !unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// plainFiles reports whether the system tells who can read a file. Windows does so in a way of its own; it always has a
// keyring, so that a plain file is needed by nobody.
const plainFiles = false

// noFollow has no counterpart here; openPrivate looks before.
const noFollow = 0

// openPrivate opens a file for reading, but not through a symbolic link.
func openPrivate(path string) (*os.File, error) {
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Type() == fs.ModeSymlink {
		return nil, ErrLink
	}
	var f *os.File
	if err == nil {
		f, err = os.Open(path)
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, pathErr.Err // the caller names the path
	}
	return f, err
}

// checkOwner has nothing to check: the directory of the person's own data is closed to others by what it inherits, and
// what is in the file is encrypted.
func checkOwner(fs.FileInfo) error { return nil }

// syncDirectory has no counterpart here: the file system keeps a journal of names.
func syncDirectory(string) error { return nil }

// rename is refused for as long as somebody has the old file open, which readers have for a moment.
func rename(from, to string) error {
	const attempts, pause = 50, 10 * time.Millisecond
	err := os.Rename(from, to)
	for range attempts {
		if err == nil || !errors.Is(err, fs.ErrPermission) {
			break
		}
		<-time.After(pause)
		err = os.Rename(from, to)
	}
	return err
}

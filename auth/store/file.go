package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"ahptui/internal/secret"
)

// maxFileBytes bounds a file of the store. A full one of ordinary tokens has some hundred kilobytes.
const maxFileBytes = 4 << 20

// The steps of writing, between which a process may die. Tests have it die there.
const (
	stepCreated = "created"
	stepHalf    = "half written"
	stepWritten = "written"
	stepSynced  = "synced"
	stepRenamed = "renamed"
	stepDone    = "directory synced"
)

// makePrivate creates a directory for its owner alone, with what is missing above it, or checks the one that is there.
func makePrivate(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("directory %s: it is not an absolute path", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err // it names the path
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode().Type() == fs.ModeSymlink:
		return fmt.Errorf("directory %s: %w", dir, ErrLink)
	case !info.IsDir():
		return fmt.Errorf("directory %s: it is none", dir)
	}
	if err := checkOwner(info); err != nil {
		return fmt.Errorf("directory %s: %w", dir, explained(err, "700", dir))
	}
	return nil
}

// readPrivate reads a file that nobody but its owner can read or change. The error wraps fs.ErrNotExist where there is
// none.
func readPrivate(path string) ([]byte, error) {
	f, err := openPrivate(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	if err := checkOwner(info); err != nil {
		return nil, explained(err, "600", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFileBytes {
		return nil, fmt.Errorf("%w: it is larger than %d bytes", errDamaged, maxFileBytes)
	}
	return data, nil
}

// explained adds how a file that is open to others is closed.
func explained(err error, mode, path string) error {
	if errors.Is(err, secret.ErrExposed) {
		return fmt.Errorf("%w; run: chmod %s %s", err, mode, path)
	}
	return err
}

// replaceFile puts a file with this content in the place of what is there, at once and for good: whoever looks, after
// whatever happened, finds the old content or the new. The caller holds the lock of the file, so that what an earlier
// attempt left behind is nobody's.
func replaceFile(path string, data []byte, step func(string)) error {
	if len(data) > maxFileBytes {
		return ErrFull
	}
	scratch := path + ".new"
	if err := os.Remove(scratch); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeScratch(scratch, data, step); err != nil {
		_ = os.Remove(scratch) // there is a better error to report
		return err
	}
	if err := rename(scratch, path); err != nil {
		_ = os.Remove(scratch)
		return err
	}
	step(stepRenamed)
	if err := syncDirectory(filepath.Dir(path)); err != nil {
		return err
	}
	step(stepDone)
	return nil
}

func writeScratch(path string, data []byte, step func(string)) (err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	step(stepCreated)
	half := len(data) / 2
	if _, err := f.Write(data[:half]); err != nil {
		return err
	}
	step(stepHalf)
	if _, err := f.Write(data[half:]); err != nil {
		return err
	}
	step(stepWritten)
	if err := f.Sync(); err != nil {
		return err
	}
	step(stepSynced)
	return nil
}

// removeFile removes a file and what an attempt to replace it left behind.
func removeFile(path string) error {
	for _, name := range []string{path + ".new", path} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return syncDirectory(filepath.Dir(path))
}

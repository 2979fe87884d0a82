package config

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"
)

// lockPatience bounds how long another process may hold a file.
const lockPatience = 2 * time.Second

// ErrNewer says that a file was written by a newer program. It is left as it is.
var ErrNewer = errors.New("it was written by a newer ahptui and is left alone")

// errDamaged says that there is no sense in a file.
var errDamaged = errors.New("it is damaged")

// readKept reads a file of the program's own; nil if there is none. One that is larger than most bytes is damaged.
func readKept(path string, most int) ([]byte, error) {
	info, err := os.Stat(path) // opening a named pipe waits for its writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > most:
		return nil, errDamaged
	}
	return data, nil
}

// checkVersion looks at the version of a JSON file before anything else: what a newer one has may make no sense here.
func checkVersion(data []byte, known int) error {
	var head struct {
		Version int `json:"version"`
	}
	switch err := json.Unmarshal(data, &head); {
	case err != nil || head.Version < 1:
		return errDamaged
	case head.Version > known:
		return ErrNewer
	}
	return nil
}

// replace puts data into a new file, which only the person can read, and that in the place of the old one: whenever the
// machine stops, there is one of the two.
func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+"-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error is the one to tell
	}
	return err
}

// lock takes the lock that a file stands for, among all goroutines of all processes. The system gives it back when the
// process dies that holds it.
func lock(path string) (release func(), err error) {
	const poll = 5 * time.Millisecond
	ctx, cancel := context.WithTimeoutCause(context.Background(), lockPatience, errors.New("another program holds it"))
	defer cancel()
	l := flock.New(path)
	if _, err := l.TryLockContext(ctx, poll); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	return func() { _ = l.Unlock() }, nil // closing the file unlocks it, too
}

package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// WriteMode says which part of a file is written.
type WriteMode int

// The ways to write.
const (
	Replace WriteMode = iota // the whole content
	Append                   // at the end, or Position bytes before it
	Insert                   // Position bytes from the beginning
)

// WriteOptions say how a file is written.
type WriteOptions struct {
	Mode       WriteMode
	Position   int64
	CreateOnly bool   // the file must not be there
	IfMatch    string // the etag that the file must have; "" for any
}

// Write writes a file whose directory is there. Where it fails the file is as it
// was, except when the system fails in the middle of it.
func (p Place) Write(data []byte, opts WriteOptions) error {
	if len(data) > MaxFileBytes {
		return ErrTooLarge
	}
	return p.in(func(root *os.Root) error {
		if opts.CreateOnly {
			return create(root, p.rel, data)
		}
		old, info, err := readFile(root, p.rel)
		switch {
		case errors.Is(err, fs.ErrNotExist) && opts.IfMatch == "":
			return create(root, p.rel, data)
		case errors.Is(err, ErrTooLarge) && opts.Mode == Replace && opts.IfMatch == "":
		case err != nil:
			return err
		case opts.IfMatch != "" && opts.IfMatch != info.Etag():
			return ErrChanged
		}
		if data = opts.applied(old, data); len(data) > MaxFileBytes {
			return ErrTooLarge
		}
		return root.WriteFile(p.rel, data, 0o600) // which keeps the mode that the file has
	})
}

// applied is the content after the write.
func (o WriteOptions) applied(old, data []byte) []byte {
	at := min(max(o.Position, 0), int64(len(old)))
	switch o.Mode {
	case Append:
		at = int64(len(old)) - at
	case Insert:
	default:
		return data
	}
	return slices.Concat(old[:at], data, old[at:])
}

func create(root *os.Root, rel string, data []byte) error {
	f, err := root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Mkdir makes a directory and those above it, up to the one that everything is in.
// One that is there is no error.
func (p Place) Mkdir() error {
	return p.in(func(root *os.Root) error {
		err := root.MkdirAll(p.rel, 0o755)
		if st, statErr := root.Stat(p.rel); statErr == nil && !st.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: p.rel, Err: fs.ErrExist}
		}
		return err
	})
}

// Remove removes a file, a symbolic link, or a directory, which must be empty
// unless recursive is set.
func (p Place) Remove(recursive bool) error {
	if p.isRoot() {
		return ErrRoot
	}
	return p.in(func(root *os.Root) error {
		if _, err := root.Lstat(p.rel); err != nil {
			return err
		}
		if recursive {
			return root.RemoveAll(p.rel)
		}
		return root.Remove(p.rel)
	})
}

// Move moves a file or directory. What is at the destination is replaced, a
// directory only if it is empty, unless failIfExists is set.
func Move(from, to Place, failIfExists bool) error {
	if from.isRoot() || to.isRoot() {
		return ErrRoot
	}
	if err := mayReplace(to, failIfExists); err != nil {
		return err
	}
	if from.dir == to.dir {
		return from.in(func(root *os.Root) error { return root.Rename(from.rel, to.rel) })
	}
	if err := Copy(from, to, failIfExists); err != nil {
		return err
	}
	return from.Remove(true)
}

func mayReplace(to Place, failIfExists bool) error {
	if !failIfExists {
		return nil
	}
	if _, err := to.Stat(false); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, &fs.PathError{Op: "replace", Path: to.rel, Err: fs.ErrExist})
	}
	return nil
}

// Copy copies a file, or a directory with what is in it. Files at the destination
// are replaced unless failIfExists is set. Symbolic links in a directory are left
// out.
func Copy(from, to Place, failIfExists bool) error {
	if to.isRoot() {
		return ErrRoot
	}
	if err := mayReplace(to, failIfExists); err != nil {
		return err
	}
	if below, err := filepath.Rel(from.Path(), to.Path()); err == nil && filepath.IsLocal(below) {
		return errors.New("what is copied cannot hold its copy")
	}
	return from.in(func(source *os.Root) error {
		return to.in(func(target *os.Root) error {
			c := copier{source: source, target: target}
			return c.copy(from.rel, to.rel)
		})
	})
}

type copier struct {
	source, target *os.Root
	files          int
	bytes          int64
}

func (c *copier) copy(from, to string) error {
	if c.files++; c.files > maxEntries {
		return ErrTooMany
	}
	st, err := c.source.Stat(from)
	switch {
	case err != nil:
		return err
	case st.Mode().IsRegular():
		return c.copyFile(from, to, st.Mode().Perm())
	case !st.IsDir():
		return ErrNotFile
	}
	entries, err := readDir(c.source, from)
	if err == nil {
		err = c.target.MkdirAll(to, 0o755)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			continue
		}
		if err := c.copy(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (c *copier) copyFile(from, to string, mode fs.FileMode) error {
	in, err := c.source.OpenFile(from, os.O_RDONLY|doNotWait, 0)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // nothing was written
	out, err := c.target.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, maxCopyBytes-c.bytes+1))
	if c.bytes += n; err == nil && c.bytes > maxCopyBytes {
		err = ErrTooLarge
	}
	return errors.Join(err, out.Close())
}

func sortEntries(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}

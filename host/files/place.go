// Package files gives access to the files below some directories, and to nothing
// outside of them: whatever a path or a symbolic link in it says, the system keeps
// to the directory (see [os.Root]). It also tells when something there changes.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// The limits of what is done at once.
const (
	MaxFileBytes = 8 << 20 // that are read or written of a file
	maxEntries   = 10_000  // of a directory, or of what is copied
	maxCopyBytes = 256 << 20
	maxLinks     = 40
)

// The errors of this package, besides those of [fs] and of the system.
var (
	ErrTooLarge = fmt.Errorf("there is more than %d bytes of it", MaxFileBytes)
	ErrTooMany  = fmt.Errorf("there are more than %d files", maxEntries)
	ErrChanged  = errors.New("it has changed meanwhile")
	ErrNotFile  = errors.New("it is no regular file")
	ErrRoot     = errors.New("the directory itself stays as it is")
)

// A Place is a path below a directory.
type Place struct {
	dir string // absolute
	rel string // below it, in the system's form; "." is the directory itself
}

// Find finds the place of an absolute path in the innermost of some directories
// that it is below, as the path is written.
func Find(dirs []string, name string) (p Place, ok bool) {
	name = filepath.Clean(name)
	for _, dir := range dirs {
		dir = filepath.Clean(dir)
		rel, err := filepath.Rel(dir, name)
		if err != nil || !filepath.IsAbs(dir) || !filepath.IsLocal(rel) || len(dir) <= len(p.dir) {
			continue
		}
		p, ok = Place{dir, rel}, true
	}
	return p, ok
}

// Path is the absolute path.
func (p Place) Path() string { return filepath.Join(p.dir, p.rel) }

func (p Place) isRoot() bool { return p.rel == "." }

// in gives f the directory that the place is in.
func (p Place) in(f func(*os.Root) error) error {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // nothing was written to it
	return f(root)
}

// Info is what is known of a file or directory.
type Info struct {
	Path    string // with no symbolic link at its end, if they were followed
	Mode    fs.FileMode
	Size    int64
	ModTime time.Time
}

// Etag changes when the content does, as far as size and time tell.
func (i Info) Etag() string {
	return strconv.FormatInt(i.ModTime.UnixNano(), 36) + "-" + strconv.FormatInt(i.Size, 36)
}

func infoOf(name string, st fs.FileInfo) Info {
	return Info{Path: name, Mode: st.Mode(), Size: st.Size(), ModTime: st.ModTime()}
}

// Stat says what is at the place, or at the end of the symbolic links there.
func (p Place) Stat(follow bool) (info Info, err error) {
	err = p.in(func(root *os.Root) error {
		rel := p.rel
		for range maxLinks {
			st, err := root.Lstat(rel)
			if err != nil {
				return err
			}
			if !follow || st.Mode()&fs.ModeSymlink == 0 {
				info = infoOf(filepath.Join(p.dir, rel), st)
				return nil
			}
			target, err := root.Readlink(rel)
			if err != nil {
				return err
			}
			if rel = filepath.Join(filepath.Dir(rel), target); filepath.IsAbs(target) || !filepath.IsLocal(rel) {
				return &fs.PathError{Op: "stat", Path: p.rel, Err: fs.ErrPermission}
			}
		}
		return &fs.PathError{Op: "stat", Path: p.rel, Err: errors.New("there are too many symbolic links")}
	})
	return info, err
}

// Read reads a regular file.
func (p Place) Read() (data []byte, info Info, err error) {
	err = p.in(func(root *os.Root) error {
		data, info, err = readFile(root, p.rel)
		return err
	})
	info.Path = p.Path()
	return data, info, err
}

func readFile(root *os.Root, rel string) ([]byte, Info, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|doNotWait, 0)
	if err != nil {
		return nil, Info{}, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, Info{}, err
	case !st.Mode().IsRegular():
		return nil, Info{}, ErrNotFile
	case st.Size() > MaxFileBytes:
		return nil, Info{}, ErrTooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err == nil && len(data) > MaxFileBytes {
		err = ErrTooLarge
	}
	return data, infoOf(rel, st), err
}

// An Entry is a file or directory in a directory.
type Entry struct {
	Name string
	Dir  bool // also at the end of a symbolic link
}

// List lists a directory in the order of the names.
func (p Place) List() (list []Entry, err error) {
	err = p.in(func(root *os.Root) error {
		entries, err := readDir(root, p.rel)
		for _, e := range entries {
			dir := e.IsDir()
			if e.Type()&fs.ModeSymlink != 0 {
				st, err := root.Stat(filepath.Join(p.rel, e.Name()))
				dir = err == nil && st.IsDir()
			}
			if utf8.ValidString(e.Name()) {
				list = append(list, Entry{e.Name(), dir})
			}
		}
		return err
	})
	return list, err
}

func readDir(root *os.Root, rel string) ([]fs.DirEntry, error) {
	f, err := root.OpenFile(rel, os.O_RDONLY|doNotWait, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	entries, err := f.ReadDir(maxEntries + 1)
	switch {
	case errors.Is(err, io.EOF): // an empty one
		return nil, nil
	case err != nil:
		return nil, err
	case len(entries) > maxEntries:
		return nil, ErrTooMany
	}
	sortEntries(entries)
	return entries, nil
}

// ContentType is the media type of a file by its name, or else by its content where
// that is given; "" where neither tells.
func ContentType(name string, data []byte) string {
	t := mime.TypeByExtension(path.Ext(filepath.ToSlash(name)))
	if t == "" && data != nil {
		t = http.DetectContentType(data)
	}
	return t
}

// IsText reports whether data can be sent as it is.
func IsText(data []byte) bool {
	return utf8.Valid(data) && !strings.Contains(string(data[:min(len(data), 8<<10)]), "\x00")
}

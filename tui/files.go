package tui

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ahptui/protocol"
)

// The bounds of what goes with a message. A file of this machine goes along as a
// whole: the host may be on another one, and see no such file.
const (
	maxFiles     = 50
	maxFileBytes = 4 << 20
	maxAllBytes  = 8 << 20
)

// readFile reads a file that is to go with a message.
func readFile(path string) (attachment, error) {
	info, err := os.Stat(path) // opening a named pipe waits for its writer
	if err != nil {
		return attachment{}, unreadable(err)
	}
	if err := mayAttach(info); err != nil {
		return attachment{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return attachment{}, unreadable(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err = f.Stat(); err == nil {
		err = mayAttach(info)
	}
	if err != nil {
		return attachment{}, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	switch {
	case err != nil:
		return attachment{}, unreadable(err)
	case len(data) > maxFileBytes:
		return attachment{}, tooLarge(maxFileBytes)
	}
	kind := http.DetectContentType(data)
	a := &protocol.MessageAttachment{
		Type: protocol.AttachmentEmbedded, Label: filepath.Base(path), DisplayKind: "document",
		ContentType: kind, Data: base64.StdEncoding.EncodeToString(data),
	}
	if strings.HasPrefix(kind, "image/") {
		a.DisplayKind = "image"
	}
	return attachment{MessageAttachment: a, path: path, size: len(data)}, nil
}

// mayAttach refuses what is no file, or is too large.
func mayAttach(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("it is a directory: attach the files in it that matter")
	case !info.Mode().IsRegular():
		return errors.New("it is a device or a pipe, not a file")
	case info.Size() > maxFileBytes:
		return tooLarge(maxFileBytes)
	}
	return nil
}

func tooLarge(most int) error {
	return fmt.Errorf("it is too large: up to %s can go with a message", sizeOf(most))
}

// unreadable is an error without the path, which is named already.
func unreadable(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathErr.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no such file: %w", err)
	}
	return fmt.Errorf("it cannot be read: %w", err)
}

// sizeOf words a number of bytes.
func sizeOf(n int) string {
	const kib, mib = 1 << 10, 1 << 20
	switch {
	case n < kib:
		return fmt.Sprintf("%d B", n)
	case n < 100*kib:
		return fmt.Sprintf("%.1f KiB", float64(n)/kib)
	case n < mib:
		return fmt.Sprintf("%d KiB", n/kib)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/mib)
}

// located is the path of a file that was named: ~/ is the person's home directory,
// and what is not absolute counts from the directory that the program was started
// in.
func located(name, directory string) string {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, below)
		}
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(directory, name)
}

const (
	maxListed = 5000 // entries of a directory that are looked at
	maxPaths  = 50   // and that are offered
)

// pathsLike lists the paths that what is typed may become, in the form in which it
// is typed. Directories end with a slash.
func pathsLike(typed, directory string) ([]string, error) {
	i := strings.LastIndexByte(filepath.ToSlash(typed), '/') + 1
	dir, start := typed[:i], typed[i:]
	d, err := os.Open(located(dir, directory))
	if err != nil {
		return nil, unreadable(err)
	}
	defer func() { _ = d.Close() }() // nothing was written
	entries, err := d.ReadDir(maxListed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, unreadable(err)
	}
	var paths []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, start) || start == "" && strings.HasPrefix(name, ".") {
			continue
		}
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDirectory(filepath.Join(d.Name(), name)) {
			name += "/"
		}
		paths = append(paths, dir+name)
	}
	slices.Sort(paths)
	return paths[:min(len(paths), maxPaths)], nil
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// common is the longest beginning that all of a few strings have.
func common(list []string) string {
	first, last := slices.Min(list), slices.Max(list)
	n := 0
	for n < min(len(first), len(last)) && first[n] == last[n] {
		n++
	}
	return strings.ToValidUTF8(first[:n], "")
}

package secret

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxFileBytes bounds a token file. The largest tokens in use are signed web tokens of some kilobytes.
const maxFileBytes = 64 << 10

// ErrExposed says that a file with a secret in it is open to other users of the machine.
var ErrExposed = errors.New("other users of this machine can read or change it")

// FromFile reads a secret from a file that holds it and nothing else but white space around it.
//
// On unix a file that group or others can read or write is refused with an error that wraps [ErrExposed]. An empty file,
// one above 64 KiB, one with several lines and anything that is not a regular file are refused as well. No error holds
// any of the content.
func FromFile(path string) (Value, error) {
	v, err := fromFile(path)
	if err != nil {
		return Value{}, fmt.Errorf("token file %s: %w", path, err)
	}
	return v, nil
}

func fromFile(path string) (Value, error) {
	// Opening a named pipe waits for its writer, so look before.
	if info, err := os.Stat(path); err != nil {
		return Value{}, withoutPath(err)
	} else if !info.Mode().IsRegular() {
		return Value{}, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return Value{}, withoutPath(err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return Value{}, withoutPath(err)
	}
	if perm := info.Mode().Perm(); runtime.GOOS != "windows" && perm&0o077 != 0 {
		return Value{}, fmt.Errorf("%w (mode %04o); run: chmod 600 %s", ErrExposed, perm, path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return Value{}, withoutPath(err)
	}
	if len(data) > maxFileBytes {
		return Value{}, fmt.Errorf("it is larger than %d bytes, which no token is", maxFileBytes)
	}
	return parseFile(string(data))
}

func parseFile(text string) (Value, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return Value{}, errors.New("it is empty")
	case strings.ContainsAny(text, "\r\n"):
		return Value{}, errors.New("it has several lines; it must hold one token and nothing else")
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return Value{}, errors.New("it is not plain text; save it as UTF-8 with one token in it")
	}
	return New(strings.TrimPrefix(text, "\uFEFF")), nil // the byte order mark of a Windows editor
}

// withoutPath drops the path from an error of package os: the caller names it already.
func withoutPath(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

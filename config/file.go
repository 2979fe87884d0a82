package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// fileVersion is the version of the file that this program knows.
const fileVersion = 1

// maxFileBytes bounds the file, which nobody types that much of.
const maxFileBytes = 1 << 20

// File is what the person's configuration file says, with defaults for what it leaves out. No secret is in it, only where
// secrets are.
type File struct {
	// Path is where it was read from; empty when there is none.
	Path    string `toml:"-"`
	Version int    `toml:"version"`
	Screen
	Auth  Auth   `toml:"auth"`
	Hosts []Host `toml:"host"`

	doc document
}

// Says reports whether a key, such as auth.method, stands in the file.
func (f *File) Says(key string) bool { return f.doc.lines[key] > 0 }

// Auth is about signing in.
type Auth struct {
	// Method is the way to sign in where there is a choice: browser, device, paste or token. Empty leaves the choice.
	Method string `toml:"method"`
	// ClientDocument is the address of the document that describes this program to authorization servers.
	ClientDocument string `toml:"client_document"`
	// RedirectHost is what this machine is called where a browser comes back to: 127.0.0.1 or localhost. RedirectPort is
	// the port; 0 means any that is free.
	RedirectHost string   `toml:"redirect_host"`
	RedirectPort int      `toml:"redirect_port"`
	Issuers      []Issuer `toml:"issuer"`
	Tokens       []Token  `toml:"token"`
}

// Issuer is what holds for one authorization server.
type Issuer struct {
	Issuer string `toml:"issuer"` // as hosts and resources name it, byte for byte
	// MetadataIssuer and AssumeS256 are exceptions to rules that otherwise hold for everybody.
	MetadataIssuer string `toml:"metadata_issuer"`
	AssumeS256     bool   `toml:"assume_pkce_s256"`
	// ClientID is a client that somebody has registered there, ClientSecretFile the file with its secret, where it has one.
	ClientID         string `toml:"client_id"`
	ClientSecretFile string `toml:"client_secret_file"`
}

// Token is where a token for one resource comes from that somebody got elsewhere: a file or a command, not both.
type Token struct {
	Resource string   `toml:"resource"` // as the host names it, byte for byte
	File     string   `toml:"file"`
	Command  []string `toml:"command"` // a program and its arguments; no shell has a part in it
}

// Host is what holds for one agent host.
type Host struct {
	URL string `toml:"url"` // ws://HOST:PORT/PATH or wss://…
	// Insecure lets it be connected to without TLS although it is on another machine.
	Insecure bool `toml:"insecure"`
}

// Load reads the file that the person named, or where path is empty the one at [FilePath], which need not exist. Any error
// is an [*Error].
func Load(path string) (File, error) {
	if path != "" {
		return load(path)
	}
	usual, err := FilePath()
	if err != nil {
		usual = "" // there is no place where one could be
	}
	// A file that lies where a directory should makes the place one where nothing is.
	if _, err := os.Stat(usual); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return parse("", nil)
	}
	return load(usual)
}

func load(path string) (File, error) {
	data, err := read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, &Error{Path: path, Err: errors.New("there is no such file"), Remedy: "name one that exists with --config"}
	case err != nil:
		return File{}, err
	}
	return parse(path, data)
}

// read reads a file that nobody but the person and those whom they trust can have written: it names programs to run.
func read(path string) ([]byte, error) {
	wrong := func(remedy, format string, args ...any) error {
		return &Error{Path: path, Err: fmt.Errorf(format, args...), Remedy: remedy}
	}
	// Opening a named pipe waits for its writer, so look before.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, wrong("", "it cannot be read: %w", withoutPath(err))
	case !info.Mode().IsRegular():
		return nil, wrong("", "it is not a regular file")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0:
		return nil, wrong("run: chmod o-w "+path, "everybody on this machine can change it, and it names programs to run")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, wrong("", "it cannot be read: %w", withoutPath(err))
	}
	defer func() { _ = f.Close() }() // nothing was written
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	switch {
	case err != nil:
		return nil, wrong("", "it cannot be read: %w", withoutPath(err))
	case len(data) > maxFileBytes:
		return nil, wrong("", "it is larger than %d bytes", maxFileBytes)
	}
	return data, nil
}

// withoutPath drops the path from an error of package os: it is named already.
func withoutPath(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

// resolve makes a path of the file absolute: it counts from the file's own directory, and ~/ is the home directory.
func (f *File) resolve(path string) (string, error) {
	if below, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("it begins with ~, and there is no home directory")
		}
		return filepath.Join(home, below), nil
	}
	if path == "" || filepath.IsAbs(path) {
		return path, nil
	}
	return filepath.Abs(filepath.Join(filepath.Dir(f.Path), path))
}

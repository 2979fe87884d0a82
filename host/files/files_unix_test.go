//go:build unix

package files

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe holds nobody up.
func TestNamedPipe(t *testing.T) {
	t.Parallel()
	dir, _ := tree(t, "a")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skip(err)
	}
	p := at(dir, "pipe")
	if _, _, err := p.Read(); err == nil {
		t.Error("a pipe can be read")
	}
	if err := p.Write([]byte("x"), WriteOptions{}); err == nil {
		t.Error("a pipe can be written")
	}
	if err := Copy(p, at(dir, "copy"), false); err == nil {
		t.Error("a pipe can be copied")
	}
	if _, err := p.List(); err == nil {
		t.Error("a pipe can be listed")
	}
}

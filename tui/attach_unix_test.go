//go:build unix

package tui

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAttachDevices: what may never end is not read.
func TestAttachDevices(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/null"} {
		if _, err := readFile(path); err == nil || !strings.Contains(err.Error(), "a device or a pipe") {
			t.Errorf("%s: error %v", path, err)
		}
	}
}

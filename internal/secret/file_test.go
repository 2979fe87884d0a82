package secret_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ahptui/internal/secret"
)

func writeFile(t *testing.T, content string, mode fs.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFromFile(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ content, want, wantErr string }{
		"plain":            {content: canary, want: canary},
		"newline":          {content: canary + "\n", want: canary},
		"windows newline":  {content: canary + "\r\n", want: canary},
		"byte order mark":  {content: "\uFEFF" + canary + "\r\n", want: canary},
		"spaces":           {content: " \n" + canary + "\n\n", want: canary},
		"empty":            {content: "", wantErr: "it is empty"},
		"only white space": {content: " \n\t\n", wantErr: "it is empty"},
		"two lines":        {content: canary + "\nsecond", wantErr: "several lines"},
		"control bytes":    {content: canary + "\x00", wantErr: "not plain text"},
		"UTF-16":           {content: "\xff\xfec\x00a\x00n\x00a\x00r\x00y\x00", wantErr: "not plain text"},
		"largest":          {content: strings.Repeat("x", 64<<10), want: strings.Repeat("x", 64<<10)},
		"too large":        {content: strings.Repeat("x", 64<<10+1), wantErr: "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := writeFile(t, tt.content, 0o600)
			got, err := secret.FromFile(path)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) || !strings.Contains(err.Error(), path) {
					t.Fatalf("err = %v, want %q and the path in it", err, tt.wantErr)
				}
				if strings.Contains(err.Error(), canary) || !got.IsZero() {
					t.Errorf("a refused file gives its content away: %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Reveal() != tt.want {
				t.Errorf("got %q, want %q", got.Reveal(), tt.want)
			}
		})
	}
}

func TestFromFileRefusesExposed(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no mode bits for group and others")
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o644, 0o620, 0o602, 0o777} {
		path := writeFile(t, canary, mode)
		_, err := secret.FromFile(path)
		if !errors.Is(err, secret.ErrExposed) || !strings.Contains(err.Error(), "chmod 600 "+path) {
			t.Errorf("mode %o: err = %v, want ErrExposed and the remedy", mode, err)
		}
	}
	for _, mode := range []fs.FileMode{0o400, 0o600, 0o700} {
		if _, err := secret.FromFile(writeFile(t, canary, mode)); err != nil {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
}

func TestFromFileRefusesOtherThanFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := secret.FromFile(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("directory: err = %v", err)
	}
	missing := filepath.Join(dir, "missing")
	_, err := secret.FromFile(missing)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: err = %v, want fs.ErrNotExist", err)
	}
	if n := strings.Count(err.Error(), missing); n != 1 {
		t.Errorf("missing file: the path is there %d times: %v", n, err)
	}
}

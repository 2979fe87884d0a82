package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/config"
)

func draft(host, chat, text string) config.Draft {
	return config.Draft{DraftKey: config.DraftKey{Host: host, Chat: chat}, Text: text, At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
}

// change changes the file, and fails the test if that fails.
func change(t *testing.T, d *config.Drafts, set []config.Draft, gone ...config.DraftKey) {
	t.Helper()
	if dropped, err := d.Change(set, gone); err != nil || dropped > 0 {
		t.Fatalf("dropped %d, error %v", dropped, err)
	}
}

func load(t *testing.T, d *config.Drafts, host string) []config.Draft {
	t.Helper()
	list, err := d.Load(host)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestDrafts: what is kept is there again, for its host, until it is forgotten; then nothing of it is left.
func TestDrafts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state", "ahptui")
	d := config.DraftsIn(dir)
	if got := load(t, d, "h"); len(got) != 0 {
		t.Fatalf("there is %v where nothing was kept", got)
	}
	a, b, other := draft("h", "a", "to a\n\x1b[31m"), draft("h", "b", "to b"), draft("elsewhere", "a", "for another")
	a.Session, a.Rest = "s", jsontext.Value(`{"files":[{"path":"/x"}]}`)
	change(t, d, []config.Draft{a, b, other})
	if diff := cmp.Diff([]config.Draft{a, b}, load(t, d, "h")); diff != "" {
		t.Error(diff)
	}
	path := filepath.Join(dir, "drafts.json")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
	a.Text = "changed \xff"
	change(t, d, []config.Draft{a}, b.DraftKey)
	a.Text = "changed \ufffd"
	if diff := cmp.Diff([]config.Draft{a}, load(t, d, "h")); diff != "" {
		t.Error(diff)
	}
	change(t, d, nil, a.DraftKey, other.DraftKey)
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty file is left: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestDraftsNewer: what a newer program wrote stays as it is.
func TestDraftsNewer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "drafts.json")
	const text = `{"version":2,"drafts":{"in":"another form"}}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d := config.DraftsIn(dir)
	_, err := d.Load("h")
	_, err2 := d.Change([]config.Draft{draft("h", "a", "x")}, nil)
	for _, err := range []error{err, err2} {
		if !errors.Is(err, config.ErrNewer) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Errorf("the file has %q, %v", got, err)
	}
}

// TestDraftsDamaged: what makes no sense is set aside, not overwritten.
func TestDraftsDamaged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", "[]", `{"version":0}`, `{"version":1,"drafts":7}`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "drafts.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d := config.DraftsIn(dir)
		if _, err := d.Load("h"); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%q: error %v", text, err)
		}
		change(t, d, []config.Draft{draft("h", "a", "x")})
		if got := load(t, d, "h"); len(got) != 1 {
			t.Errorf("%q: there is %v", text, got)
		}
		if got, err := os.ReadFile(path + ".damaged"); err != nil || string(got) != text {
			t.Errorf("set aside is %q, %v", got, err)
		}
	}
}

// TestDraftsBounds: there is an end to how many there are and how large they are; the oldest go, and that is said.
func TestDraftsBounds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ n, size, left int }{{510, 10, 500}, {20, 1 << 20, 15}} {
		d := config.DraftsIn(t.TempDir())
		var set []config.Draft
		for i := range tt.n {
			set = append(set, draft("h", fmt.Sprint(i), strings.Repeat("x", tt.size)))
		}
		dropped, err := d.Change(set, nil)
		got := load(t, d, "h")
		if err != nil || dropped != tt.n-tt.left || len(got) != tt.left || got[len(got)-1].Chat != fmt.Sprint(tt.n-1) {
			t.Errorf("dropped %d of %d, %d left, %v", dropped, tt.n, len(got), err)
		}
	}
}

// TestDraftsShared: processes that write at the same time keep each other's.
func TestDraftsShared(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			d := config.DraftsIn(dir)
			for j := range 5 {
				if _, err := d.Change([]config.Draft{draft("h", fmt.Sprint(i), fmt.Sprint(j))}, nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	got := load(t, config.DraftsIn(dir), "h")
	if len(got) != 8 {
		t.Fatalf("there are %d", len(got))
	}
	for _, x := range got {
		if x.Text != "4" {
			t.Errorf("%s has %s", x.Chat, x.Text)
		}
	}
}

// TestDraftsCannotBeWritten: where there is no place for it, that is an error.
func TestDraftsCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := config.DraftsIn(filepath.Join(file, "below")).Change([]config.Draft{draft("h", "a", "x")}, nil); err == nil {
		t.Error("no error")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "drafts.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := config.DraftsIn(dir).Load("h"); err == nil || !strings.Contains(err.Error(), "regular file") {
		t.Errorf("error %v", err)
	}
}

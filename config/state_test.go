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

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ahptui/config"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

func TestStateThereAndBack(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "not", "yet")
	memory := config.MemoryIn(dir)
	if got, err := memory.Load(); err != nil || got.Hosts != nil {
		t.Errorf("before anything: %+v, %v", got, err)
	}
	want := config.State{
		Sessions: 0.25, Servers: 0.3, Light: true,
		Listing: config.Listing{Filter: "!done", Sort: "title", Group: "provider", Archived: true},
	}
	want.SetSession("ws:a:1", "ahp:/s/1", noon)
	want.SetSession("ws:b:1", "ahp:/s/2", noon.Add(time.Hour))
	if err := memory.Change(func(s *config.State) { *s = want }); err != nil {
		t.Fatal(err)
	}
	got, err := memory.Load()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got.Session("ws:a:1") != "ahp:/s/1" || got.Session("ws:c:1") != "" {
		t.Errorf("the sessions are %+v", got.Hosts)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is open to others: %v %v", e.Name(), info.Mode(), err)
		}
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

// TestStateOfOthers: a file of a newer program is left as it is, one that is damaged is set aside when there is something to
// write.
func TestStateOfOthers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text  string
		newer bool
	}{
		"newer":      {`{"version": 2, "sessions": {"width": "wide"}}`, true},
		"no JSON":    {`{"version": 1, "sess`, false},
		"no version": {`{"sessions": 0.5}`, false},
		"other kind": {`{"version": 1, "sessions": "wide"}`, false},
		"empty":      {"", false},
		"large":      {`{"version": 1, "x": "` + strings.Repeat("x", 1<<20) + `"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "state.json")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			memory := config.MemoryIn(dir)
			got, err := memory.Load()
			if err == nil || errors.Is(err, config.ErrNewer) != tt.newer || !cmp.Equal(got, config.State{}) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %+v, %v", got, err)
			}
			err = memory.Change(func(s *config.State) { s.Sessions = 0.5 })
			if tt.newer {
				if data, _ := os.ReadFile(path); !errors.Is(err, config.ErrNewer) || string(data) != tt.text {
					t.Errorf("%v; the file is now %q", err, data)
				}
				return
			}
			aside, _ := os.ReadFile(path + ".damaged")
			if got, loadErr := memory.Load(); err != nil || loadErr != nil || got.Sessions != 0.5 || string(aside) != tt.text {
				t.Errorf("%v, %v; got %+v, set aside %d bytes", err, loadErr, got, len(aside))
			}
		})
	}
}

// TestStateOfManyPrograms: whatever programs change at the same time, each finds its own afterwards.
func TestStateOfManyPrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const programs, changes = 8, 5
	var all sync.WaitGroup
	for program := range programs {
		all.Go(func() {
			memory := config.MemoryIn(dir)
			for n := range changes {
				err := memory.Change(func(s *config.State) {
					s.SetSession(fmt.Sprint("host", program), fmt.Sprint("ahp:/", n), noon.Add(time.Duration(n)*time.Second))
				})
				if err != nil {
					t.Error(err)
				}
				if _, err := memory.Load(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := config.MemoryIn(dir).Load()
	if err != nil || len(got.Hosts) != programs {
		t.Fatalf("%d hosts, %v", len(got.Hosts), err)
	}
	for program := range programs {
		if session := got.Session(fmt.Sprint("host", program)); session != fmt.Sprint("ahp:/", changes-1) {
			t.Errorf("the session of %d is %q", program, session)
		}
	}
}

// TestStateProperties: whatever is remembered, the file can be read again, holds the hosts that were used last, and is
// bounded.
func TestStateProperties(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	memory := config.MemoryIn(dir)
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "\xff\xfe", "\xed\xa0\xbd", strings.Repeat("x", 4<<10), strings.Repeat("x", 5<<10), "ahp:/a\x1b[2J"}))
	rapid.Check(t, func(rt *rapid.T) {
		hosts := rapid.IntRange(0, 400).Draw(rt, "hosts")
		session := text.Draw(rt, "session")
		filter := text.Draw(rt, "filter")
		err := memory.Change(func(s *config.State) {
			*s = config.State{Sessions: rapid.Float64Range(-2, 2).Draw(rt, "part"), Listing: config.Listing{Filter: filter}}
			for i := range hosts {
				s.SetSession(fmt.Sprint("host", i), session, noon.Add(time.Duration(i)*time.Second))
			}
		})
		if err != nil {
			rt.Fatal(err)
		}
		got, err := memory.Load()
		if err != nil {
			rt.Fatal(err)
		}
		if got.Sessions < 0 || got.Sessions > 1 || len(got.Hosts) > 200 {
			rt.Fatalf("got %v, %d hosts", got.Sessions, len(got.Hosts))
		}
		remembers := hosts > 0 && session != "" && len(session) <= 4<<10
		if last := fmt.Sprint("host", hosts-1); (got.Session(last) != "") != remembers {
			rt.Fatalf("the session of the last host, %d bytes, is %q", len(session), got.Session(last))
		}
		if info, err := os.Stat(filepath.Join(dir, "state.json")); err != nil || info.Size() > 1<<20 {
			rt.Fatalf("the file: %v, %v", info.Size(), err)
		}
	})
}

func FuzzState(f *testing.F) {
	f.Add(`{"version": 1, "sessions": 0.5, "hosts": [{"host": "a", "session": "b", "at": "2026-01-02T12:00:00Z"}]}`)
	f.Add(`{"version": 1, "sessions": -1, "listing": {"filter": 7}}`)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		memory := config.MemoryIn(dir)
		_, err := memory.Load()
		if changed := memory.Change(func(*config.State) {}); (changed != nil) != errors.Is(err, config.ErrNewer) {
			t.Errorf("Load: %v, Change: %v", err, changed)
		}
	})
}

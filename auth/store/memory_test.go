package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What one store is told, another one of the same directory knows, and so does the next run.
func TestMemory(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	ctx := t.Context()
	a, b := Open(ctx, Options{Dir: dir}).Memory(), Open(ctx, Options{Dir: dir}).Memory()
	if err := errors.Join(a.Err(), b.Err()); err != nil {
		t.Fatal(err)
	}
	files, other := Subject{"h", "files"}, Subject{"h", "other"}
	about := func(m *Memory, s Subject) Remembered {
		t.Helper()
		r, err := m.About(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := about(a, files); r.Consent != nil || r.Never || r.SignedOut || r.Subject != files {
		t.Errorf("at first: %+v", r)
	}
	origins := []string{"https://login.example"}
	if err := a.Agree(ctx, files, Consent{Issuer: "https://as.example", Origins: origins, At: noon()}); err != nil {
		t.Fatal(err)
	}
	origins[0] = "changed by the caller"
	if r := about(b, files); r.Consent == nil || r.Consent.Issuer != "https://as.example" || !slices.Equal(r.Consent.Origins, []string{"https://login.example"}) || !r.Consent.At.Equal(noon()) {
		t.Errorf("after a yes: %+v", r)
	}
	if err := b.Never(ctx, files); err != nil {
		t.Fatal(err)
	}
	if r := about(a, files); r.Consent != nil || !r.Never {
		t.Errorf("after never: %+v", r)
	}
	if err := a.Ask(ctx, files); err != nil {
		t.Fatal(err)
	}
	if r := about(b, files); r.Never || r.Consent != nil {
		t.Errorf("after having asked: %+v", r)
	}
	if err := errors.Join(a.Never(ctx, other), a.Agree(ctx, other, Consent{Issuer: "i"})); err != nil {
		t.Fatal(err)
	}
	if r := about(b, other); r.Never || r.Consent == nil {
		t.Errorf("a yes after never: %+v", r)
	}
	if err := b.Forget(ctx, other); err != nil {
		t.Fatal(err)
	}
	if r := about(a, other); r.Never || r.Consent != nil {
		t.Errorf("after it was forgotten: %+v", r)
	}
	if all, err := b.All(ctx); err != nil || len(all) != 2 || all[0].Subject != other {
		t.Errorf("all is %+v (%v)", all, err)
	}

	for _, r := range []Reach{{Loopback: true}, {Private: true}, {}} {
		if err := a.AllowReach(ctx, "h", "i", r); err != nil {
			t.Fatal(err)
		}
	}
	if r, err := b.Reach(ctx, "h", "i"); err != nil || r != (Reach{true, true}) {
		t.Errorf("the reach is %+v (%v)", r, err)
	}
	for _, of := range [][2]string{{"h2", "i"}, {"h", "i2"}} {
		if r, err := b.Reach(ctx, of[0], of[1]); err != nil || r != (Reach{}) {
			t.Errorf("the reach of %v is %+v (%v)", of, r, err)
		}
	}
	if err := a.Never(ctx, Subject{"h", "\xff"}); err == nil {
		t.Error("what cannot be written was kept")
	}
	if r := about(a, files); r.Never {
		t.Error("and something else lost")
	}
}

// However often a person signs out and asks, of whatever: nothing is to be pushed exactly when the last word about it was
// to sign out.
func TestSignedOutUntilAsked(t *testing.T) {
	t.Parallel()
	hosts, resources := []string{"h1", "h2"}, []string{"r1", "r2"}
	rapid.Check(t, func(t *rapid.T) {
		ctx := t.Context()
		s := Open(ctx, Options{})
		m := s.Memory()
		quiet := map[Subject]bool{}
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			subject := Subject{rapid.SampledFrom(hosts).Draw(t, "host"), rapid.SampledFrom(resources).Draw(t, "resource")}
			w := Which{}
			switch rapid.SampledFrom([]string{"server", "host", "all", "ask", "agree", "put"}).Draw(t, "what") {
			case "server":
				w = Which(subject)
			case "host":
				w.Host = subject.Host
			case "all":
			case "ask":
				if err := m.Ask(ctx, subject); err != nil {
					t.Fatal(err)
				}
				delete(quiet, subject)
				continue
			case "agree":
				if err := m.Agree(ctx, subject, Consent{Issuer: "i"}); err != nil {
					t.Fatal(err)
				}
				delete(quiet, subject)
				continue
			case "put":
				if _, err := s.Put(ctx, anyToken(NewKey(subject.Host, subject.Resource, "i", "c", nil), "a", "")); err != nil {
					t.Fatal(err)
				}
				delete(quiet, subject)
				continue
			}
			if _, err := s.SignOut(ctx, w); err != nil {
				t.Fatal(err)
			}
			for _, h := range hosts {
				for _, r := range resources {
					if w.matches(Subject{h, r}) {
						quiet[Subject{h, r}] = true
					}
				}
			}
		}
		for _, h := range hosts {
			for _, r := range resources {
				about, err := m.About(ctx, Subject{h, r})
				if err != nil || about.SignedOut != quiet[Subject{h, r}] {
					t.Errorf("%s %s: signed out %v (%v), want %v", h, r, about.SignedOut, err, quiet[Subject{h, r}])
				}
			}
		}
	})
}

// The oldest memories give way, so that no host can fill the disk.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	m := Open(t.Context(), Options{}).Memory()
	for n := range maxSubjects + 3 {
		if err := m.Never(t.Context(), Subject{"h", fmt.Sprint(n)}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := m.All(t.Context())
	if err != nil || len(all) != maxSubjects || all[len(all)-1].Resource != "3" {
		t.Errorf("there are %d, the oldest is %v (%v)", len(all), all[len(all)-1], err)
	}
}

// A memory that cannot be read agrees to nothing, and is left alone or set aside like any other file.
func TestMemoryOnDisk(t *testing.T) {
	t.Parallel()
	if !plainFiles {
		t.Skip("modes mean nothing here")
	}
	dir, files := newDir(t), Subject{"h", "files"}
	first := Open(t.Context(), Options{Dir: dir}).Memory()
	if err := first.Agree(t.Context(), files, Consent{Issuer: "i"}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, memoryName)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		data      string
		mode      os.FileMode
		leftAlone bool
	}{
		"newer":          {strings.Replace(string(good), `"version":1`, `"version":2`, 1), 0o600, true},
		"open to others": {string(good), 0o666, true},
		"damaged":        {string(good[:len(good)-5]), 0o600, false},
	} {
		if err := errors.Join(os.WriteFile(path, []byte(tt.data), 0o600), os.Chmod(path, tt.mode)); err != nil {
			t.Fatal(err)
		}
		if r, err := first.About(t.Context(), files); err == nil || r.Consent != nil || !r.SignedOut {
			t.Errorf("%s: an open one says %+v (%v)", name, r, err)
		}
		m := Open(t.Context(), Options{Dir: dir}).Memory()
		if (m.Err() != nil) != tt.leftAlone {
			t.Errorf("%s: %v", name, m.Err())
		}
		if err := m.Never(t.Context(), Subject{"h", "other"}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if r, err := m.About(t.Context(), files); err != nil || r.Consent != nil {
			t.Errorf("%s: it says %+v (%v)", name, r, err)
		}
		if now, err := os.ReadFile(path); err != nil || (string(now) == tt.data) != tt.leftAlone {
			t.Errorf("%s: left alone %v (%v)", name, string(now) == tt.data, err)
		}
	}
}

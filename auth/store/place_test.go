package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Without a keyring the person is asked once, and what they said holds for all runs after that.
func TestChoice(t *testing.T) {
	t.Parallel()
	if !plainFiles {
		t.Skip("there is nothing to choose")
	}
	dir := newDir(t)
	s := Open(t.Context(), Options{Dir: dir})
	if status := s.Status(); status.Place != InSession || !status.Ask || status.Path != "" {
		t.Errorf("at first: %+v", status)
	}
	put(t, s, anyToken(anyKey(), "access", ""))
	if err := s.Use(t.Context(), InSession); err != nil {
		t.Fatal(err)
	}
	if status := s.Status(); status.Ask {
		t.Error("it asks again")
	}
	s = Open(t.Context(), Options{Dir: dir})
	if status := s.Status(); status.Place != InSession || status.Ask {
		t.Errorf("after that: %+v", status)
	}
	if _, err := s.Get(t.Context(), anyKey()); !errors.Is(err, ErrNoToken) {
		t.Errorf("a token outlived its session: %v", err)
	}

	put(t, s, anyToken(anyKey(), "access", ""))
	if err := s.Use(t.Context(), InFile); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), anyKey()); err != nil || got.Access.Reveal() != "access" {
		t.Errorf("the token did not move: %v", err)
	}
	s = Open(t.Context(), Options{Dir: dir})
	if status := s.Status(); status.Place != InFile || status.Ask || status.Reason == nil {
		t.Errorf("after choosing the file: %+v", status)
	}
	if _, err := s.Get(t.Context(), anyKey()); err != nil {
		t.Error(err)
	}
	// With a keyring, that is what is used; the file is left, and shown.
	s = openIn(t, InKeyring, dir, newRing())
	if status := s.Status(); len(status.Elsewhere) != 1 || filepath.Base(status.Elsewhere[0]) != plainName || status.Reason != nil {
		t.Errorf("with a keyring: %+v", status)
	}
}

// Tokens move from place to place, and are then in that place alone. Of two for the same the later one stays.
func TestUse(t *testing.T) {
	t.Parallel()
	dir, keys := newDir(t), newRing()
	s := openIn(t, InKeyring, dir, keys)
	put(t, s, anyToken(anyKey("a"), "sealed", "r"))
	early := anyToken(anyKey("b"), "sealed too, but early", "r")
	early.Obtained = early.Obtained.Add(-time.Hour)
	put(t, s, early)
	if err := s.Register(t.Context(), Registration{Issuer: "i", Client: "c", Method: "none"}); err != nil {
		t.Fatal(err)
	}
	plain := openIn(t, InFile, dir, nil)
	put(t, plain, anyToken(anyKey("b"), "plain", "r"))
	late := anyToken(anyKey("a"), "plain too, but late", "r")
	late.Obtained = late.Obtained.Add(-2 * time.Hour)
	put(t, plain, late)

	for _, place := range []Place{InFile, InSession, InKeyring, InFile, InKeyring, InKeyring} {
		before := s.Status()
		if err := s.Use(t.Context(), place); err != nil {
			t.Fatalf("to %s: %v", place, err)
		}
		if got := s.Status().Place; got != place {
			t.Fatalf("it is in %q", got)
		}
		for scopes, want := range map[string]string{"a": "sealed", "b": "plain"} {
			if got, err := s.Get(t.Context(), anyKey(scopes)); err != nil || got.Access.Reveal() != want {
				t.Errorf("in %s: %q, %v, want %q", place, got.Access.Reveal(), err, want)
			}
		}
		if all, err := s.Registrations(t.Context(), "i"); err != nil || len(all) != 1 {
			t.Errorf("in %s: %d registrations, %v", place, len(all), err)
		}
		if before.Place == InFile && place != InFile {
			if _, err := os.Lstat(before.Path); !errors.Is(err, os.ErrNotExist) || len(s.Status().Elsewhere) > 0 {
				t.Errorf("what moved out of the file is still in it (%v)", err)
			}
		}
	}
	if err := s.Use(t.Context(), "cloud"); err == nil {
		t.Error("there is a place that there is not")
	}
	if err := openIn(t, InFile, newDir(t), nil).Use(t.Context(), InKeyring); !errors.Is(err, ErrNoKeyring) {
		t.Errorf("without a keyring: %v", err)
	}
}

func TestNoDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"none": "", "relative": "auth", "below a file": filepath.Join(file, "auth"), "a file": file} {
		s := Open(t.Context(), Options{Dir: dir, Keyring: newRing()})
		if status := s.Status(); status.Place != InSession || status.Reason == nil || status.Ask || len(status.Elsewhere) > 0 {
			t.Errorf("%s: %+v", name, status)
		}
		put(t, s, anyToken(anyKey(), "access", ""))
		if s.Memory().Err() == nil {
			t.Errorf("%s: it does not say that nothing is remembered", name)
		}
		if err := s.Use(t.Context(), InFile); err == nil {
			t.Errorf("%s: tokens moved to nowhere", name)
		}
		if out, err := s.SignOut(t.Context(), Which{}); err != nil || len(out.Tokens) != 1 {
			t.Errorf("%s: signed out of %d, %v", name, len(out.Tokens), err)
		}
	}
	if _, err := os.Lstat("auth"); err == nil {
		t.Error("a relative directory was made")
	}
}

func TestStatusIsASentence(t *testing.T) {
	t.Parallel()
	dir, keys := newDir(t), newRing()
	for place, want := range map[Place]string{
		InKeyring: "encrypted in " + filepath.Join(dir, sealedName) + ", the key is in the system's keyring",
		InFile:    "not encrypted, readable by you alone, in " + filepath.Join(dir, plainName),
		InSession: "in this program until it ends",
	} {
		if place == InFile && !plainFiles {
			continue
		}
		s := Open(t.Context(), Options{Dir: dir, Keyring: keys})
		if err := s.Use(t.Context(), place); err != nil {
			t.Fatal(err)
		}
		if got := s.Status().String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRegistrations(t *testing.T) {
	t.Parallel()
	dir, keys := newDir(t), newRing()
	s := openIn(t, InKeyring, dir, keys)
	for _, r := range []Registration{
		{Issuer: "https://a", Client: "1", Method: "none", RedirectURIs: []string{"http://127.0.0.1:1/callback"}},
		{Issuer: "https://b", Client: "1", Method: "none"},
		{Issuer: "https://a", Client: "2", Method: "none"},
		{Issuer: "https://a", Client: "1", Method: "client_secret_basic"},
	} {
		if err := s.Register(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	s = openIn(t, InKeyring, dir, keys)
	all, err := s.Registrations(t.Context(), "https://a")
	if err != nil || len(all) != 2 || all[0].Client != "1" || all[0].Method != "client_secret_basic" || all[1].Client != "2" {
		t.Errorf("there are %+v (%v)", all, err)
	}
	if err := errors.Join(s.Unregister(t.Context(), "https://a", "1"), s.Unregister(t.Context(), "https://a", "none")); err != nil {
		t.Fatal(err)
	}
	if all, err := s.Registrations(t.Context(), "https://a"); err != nil || len(all) != 1 {
		t.Errorf("after one was dropped: %+v (%v)", all, err)
	}
	if err := s.Register(t.Context(), Registration{Client: "1"}); err == nil {
		t.Error("one without an issuer was kept")
	}
	if err := s.Register(t.Context(), Registration{Issuer: "i", Client: strings.Repeat("x", maxTextBytes+1)}); err == nil {
		t.Error("a large one was kept")
	}
}

// Signed web tokens are larger than what a keyring takes.
func TestLargeTokens(t *testing.T) {
	t.Parallel()
	dir, keys := newDir(t), newRing()
	large := strings.Repeat("eyJ.", maxSecretBytes/4)
	put(t, openIn(t, InKeyring, dir, keys), anyToken(anyKey(), large, large))
	got, err := openIn(t, InKeyring, dir, keys).Get(t.Context(), anyKey())
	if err != nil || got.Access.Reveal() != large || got.Refresh.Reveal() != large {
		t.Errorf("it did not come back: %v", err)
	}
	for account, v := range keys.secrets {
		if len(v.Reveal()) > 100 || len(account) > 100 {
			t.Errorf("the keyring holds %d bytes under a name of %d", len(v.Reveal()), len(account))
		}
	}
}

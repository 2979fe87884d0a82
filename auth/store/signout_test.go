package store

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// signedIn puts tokens for two hosts and three resources, each named after what it is for.
func signedIn(t *testing.T, s *Store) {
	t.Helper()
	for _, name := range []string{"h1 r1", "h1 r2", "h2 r1"} {
		host, resource, _ := strings.Cut(name, " ")
		put(t, s, anyToken(NewKey(host, resource, "i", "c", nil), name, "refresh "+name))
	}
}

func names(tokens []Token) []string {
	var all []string
	for _, t := range tokens {
		all = append(all, t.Access.Reveal())
	}
	slices.Sort(all)
	return all
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		which     Which
		wantOut   []string
		wantQuiet []string // what nothing is pushed for any more
	}{
		"a server":         {Which{"h1", "r1"}, []string{"h1 r1"}, []string{"h1 r1"}},
		"a host":           {Which{Host: "h1"}, []string{"h1 r1", "h1 r2"}, []string{"h1 new", "h1 r1", "h1 r2"}},
		"everything":       {Which{}, []string{"h1 r1", "h1 r2", "h2 r1"}, []string{"h1 new", "h1 r1", "h1 r2", "h2 r1"}},
		"nothing there":    {Which{"h3", "r1"}, nil, nil},
		"one that is none": {Which{"h1", "new"}, nil, []string{"h1 new"}},
	} {
		for _, place := range []Place{InKeyring, InFile, InSession} {
			t.Run(name+" "+string(place), func(t *testing.T) {
				t.Parallel()
				s := Open(t.Context(), Options{Dir: newDir(t), Keyring: newRing()})
				if err := s.Use(t.Context(), place); err != nil {
					t.Fatal(err)
				}
				signedIn(t, s)
				want := tt.wantOut
				for range 2 { // once more is no error
					out, err := s.SignOut(t.Context(), tt.which)
					if err != nil || !slices.Equal(names(out.Tokens), want) || len(out.Unread) > 0 {
						t.Errorf("signed out of %q, %q (%v), want %q", names(out.Tokens), out.Unread, err, want)
					}
					want = nil
				}
				var quiet []string
				for _, subject := range []Subject{{"h1", "new"}, {"h1", "r1"}, {"h1", "r2"}, {"h2", "r1"}} {
					about, err := s.Memory().About(t.Context(), subject)
					if err != nil {
						t.Fatal(err)
					}
					if about.SignedOut {
						quiet = append(quiet, subject.Host+" "+subject.Resource)
					}
					_, err = s.Find(t.Context(), Want{Subject: subject}, At(noon()))
					if found := err == nil; found == (about.SignedOut || subject.Resource == "new") {
						t.Errorf("%v: found %v, signed out %v", subject, found, about.SignedOut)
					}
				}
				if !slices.Equal(quiet, tt.wantQuiet) {
					t.Errorf("nothing is pushed for %q, want %q", quiet, tt.wantQuiet)
				}
			})
		}
	}
	s := Open(t.Context(), Options{})
	if _, err := s.SignOut(t.Context(), Which{Resource: "r1"}); err == nil {
		t.Error("signed out of a resource of no host")
	}
}

// Signing out of everything leaves nothing in any place: not in the one that is not in use, not in one that cannot be
// read, and not in what was set aside.
func TestSignOutEverywhere(t *testing.T) {
	t.Parallel()
	dir, keys := newDir(t), newRing()
	sealed := openIn(t, InKeyring, dir, keys)
	put(t, sealed, anyToken(NewKey("h1", "r1", "i", "c", nil), "sealed", ""))
	if err := sealed.Register(t.Context(), Registration{Issuer: "i", Client: "c"}); err != nil {
		t.Fatal(err)
	}
	plain := openIn(t, InFile, dir, nil)
	put(t, plain, anyToken(NewKey("h1", "r1", "i", "c", nil), "plain", ""))
	damaged := plain.Status().Path + asideMark + "once"
	if err := os.WriteFile(damaged, []byte("{ canary"), 0o600); err != nil {
		t.Fatal(err)
	}

	// With a keyring both can be read.
	out, err := sealed.SignOut(t.Context(), Which{"h1", "r1"})
	if err != nil || !slices.Equal(names(out.Tokens), []string{"plain", "sealed"}) {
		t.Errorf("with a keyring: %q (%v)", names(out.Tokens), err)
	}
	if all, err := sealed.Registrations(t.Context(), "i"); err != nil || len(all) != 1 {
		t.Errorf("registrations after signing out of a server: %d (%v)", len(all), err)
	}

	// Without one, what is sealed is named, and removed only where it is all that is meant.
	put(t, sealed, anyToken(NewKey("h1", "r1", "i", "c", nil), "sealed", ""))
	put(t, plain, anyToken(NewKey("h1", "r1", "i", "c", nil), "plain", ""))
	out, err = plain.SignOut(t.Context(), Which{"h1", "r1"})
	if err != nil || !slices.Equal(names(out.Tokens), []string{"plain"}) || !slices.Equal(out.Unread, []string{sealed.Status().Path}) {
		t.Errorf("without a keyring: %q, %q (%v)", names(out.Tokens), out.Unread, err)
	}
	if _, err := os.Lstat(sealed.Status().Path); err != nil {
		t.Errorf("the sealed file: %v", err)
	}
	if _, err := os.Lstat(damaged); err != nil {
		t.Errorf("the damaged file: %v", err)
	}
	out, err = plain.SignOut(t.Context(), Which{})
	if err != nil || !slices.Equal(out.Unread, []string{sealed.Status().Path}) {
		t.Errorf("of everything: %q (%v)", out.Unread, err)
	}
	for _, path := range []string{sealed.Status().Path, damaged} {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	if all, err := plain.All(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("there are %d tokens (%v)", len(all), err)
	}
	if all, err := sealed.Registrations(t.Context(), "i"); err != nil || len(all) != 0 {
		t.Errorf("there are %d registrations (%v)", len(all), err)
	}
}

// A file of a newer version is not ours to remove, and one that is open to others is removed all the same.
func TestSignOutOfFilesThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	if !plainFiles {
		t.Skip("there are no plain files")
	}
	for name, tt := range map[string]struct {
		data     string
		mode     os.FileMode
		wantGone bool
	}{
		"newer":          {`{"format":"ahptui tokens","version":99}`, 0o600, false},
		"open to others": {`{"format":"ahptui tokens","version":1,"content":{}}`, 0o644, true},
	} {
		s := Open(t.Context(), Options{Dir: newDir(t)})
		path := s.file(InFile).path
		if err := errors.Join(os.WriteFile(path, []byte(tt.data), 0o600), os.Chmod(path, tt.mode)); err != nil {
			t.Fatal(err)
		}
		out, err := s.SignOut(t.Context(), Which{})
		if err != nil || !slices.Equal(out.Unread, []string{path}) {
			t.Errorf("%s: %q (%v)", name, out.Unread, err)
		}
		if _, err := os.Lstat(path); (err != nil) != tt.wantGone {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package store

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Which says what to sign out of. The zero value is everything; a host alone is all of that host's.
type Which struct {
	Host     string
	Resource string // only with a host
}

func (w Which) matches(s Subject) bool {
	return (w.Host == "" || w.Host == s.Host) && (w.Resource == "" || w.Resource == s.Resource)
}

// SignedOut is what is left to do after tokens were removed.
type SignedOut struct {
	// Tokens were removed. They are to be revoked where there is an issuer and its server offers that (RFC 7009), the
	// refresh token before the access token.
	Tokens []Token
	// Unread are files that could not be read, so that what is in them cannot be revoked. When all was signed out of, the
	// files are gone, but for those of a newer version; else they are still there.
	Unread []string
}

// SignOut removes tokens from wherever they lie, and remembers it: until a person asks, nothing of it is to be pushed
// again ([Remembered.SignedOut]). Signing out of everything removes the clients that were registered, too. It is no error
// when there is nothing to remove.
//
// That it is remembered comes first, so that it may be interrupted at any time and done again.
func (s *Store) SignOut(ctx context.Context, w Which) (SignedOut, error) {
	var out SignedOut
	if err := s.memory.signOut(ctx, w); err != nil {
		return out, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var failures []error
	if !s.shelf.onDisk() {
		removed, err := take(ctx, s.shelf.tokens, w)
		out.Tokens = append(out.Tokens, removed...)
		failures = append(failures, err)
	}
	if s.dirErr != nil {
		return out, errors.Join(failures...)
	}
	for _, place := range []Place{InKeyring, InFile} {
		file := s.file(place)
		if !file.exists() {
			continue
		}
		removed, err := take(ctx, file, w)
		out.Tokens = append(out.Tokens, removed...)
		switch {
		case err == nil:
			continue
		case w == (Which{}) && !errors.Is(err, ErrNewer):
			err = removeFile(file.path)
		case place != s.shelf.place:
			err = nil // it is not in use, and named
		}
		out.Unread = append(out.Unread, file.path)
		failures = append(failures, err)
	}
	if w == (Which{}) {
		failures = append(failures, s.removeAsides())
	}
	return out, errors.Join(failures...)
}

// removeAsides removes damaged files of tokens: there may be whole ones in them.
func (s *Store) removeAsides() error {
	entries, err := os.ReadDir(s.dir)
	failures := []error{err}
	for _, entry := range entries {
		for _, name := range []string{sealedName, plainName} {
			if strings.HasPrefix(entry.Name(), name+asideMark) {
				failures = append(failures, os.Remove(filepath.Join(s.dir, entry.Name())))
			}
		}
	}
	return errors.Join(failures...)
}

// take removes what matches from one place.
func take(ctx context.Context, from document[content], w Which) (removed []Token, err error) {
	err = from.update(ctx, func(c *content) (bool, error) {
		removed = c.remove(func(t Token) bool { return w.matches(t.Key.Subject()) })
		changed := len(removed) > 0
		if w == (Which{}) {
			changed = changed || len(c.Registrations) > 0
			c.Registrations = nil
		}
		return changed, nil
	})
	if err != nil {
		return nil, err
	}
	return removed, nil
}

func compareKeys(a, b Key) int {
	return cmp.Or(
		cmp.Compare(a.Host, b.Host), cmp.Compare(a.Resource, b.Resource),
		cmp.Compare(a.Issuer, b.Issuer), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Scopes, b.Scopes),
	)
}

package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// Place is where tokens lie.
type Place string

// The places, the best one first.
const (
	InKeyring Place = "keyring" // in an encrypted file, the key to which is in the system's keyring
	InFile    Place = "file"    // in a file that is not encrypted and that only its owner can read
	InSession Place = "session" // in this process
)

// The names of the files in the directory of a store.
const (
	sealedName = "tokens.sealed"
	plainName  = "tokens.json"
	memoryName = "memory.json"
)

// shelf is a place that has been opened.
type shelf struct {
	place  Place
	tokens document[content]
	path   string // empty in this process
}

// onDisk reports whether other processes share it.
func (s shelf) onDisk() bool { return s.path != "" }

func newSession() shelf {
	return shelf{place: InSession, tokens: &memoryDocument[content]{clone: content.clone}}
}

func (s *Store) file(place Place) *fileDocument[content] {
	name, keys := plainName, (*keyhole)(nil)
	if place == InKeyring {
		name, keys = sealedName, s.keys
	}
	return &fileDocument[content]{
		path: filepath.Join(s.dir, name), format: tokenFormat(), keys: keys,
		wait: s.fileWait, step: s.step, setAside: s.wasSetAside, empty: content.empty,
	}
}

// open opens a place. What is wrong with it shows here: the file is read under its lock, and set aside when damaged.
func (s *Store) open(ctx context.Context, place Place) (shelf, error) {
	switch {
	case place == InSession:
		return newSession(), nil
	case s.dirErr != nil:
		return shelf{}, s.dirErr
	case place == InFile && !plainFiles:
		return shelf{}, ErrNoPlainFile
	case place != InFile && place != InKeyring:
		return shelf{}, fmt.Errorf("there is no place %q", place)
	}
	if place == InKeyring {
		if _, err := s.keys.sealer(ctx); err != nil {
			return shelf{}, err
		}
	}
	file := s.file(place)
	if err := file.update(ctx, func(*content) (bool, error) { return false, nil }); err != nil {
		return shelf{}, err
	}
	return shelf{place: place, tokens: file, path: file.path}, nil
}

// choose opens the best place there is. Without a keyring that is what the person chose, and this process as long as
// nobody did.
func (s *Store) choose(ctx context.Context) (chosen shelf, status Status) {
	sealed, err := s.open(ctx, InKeyring)
	if err == nil {
		return sealed, Status{}
	}
	status.Reason = err
	if !errors.Is(err, ErrNoKeyring) {
		return newSession(), status
	}
	choice, err := s.memory.choice(ctx)
	switch {
	case err != nil:
		status.Reason = err
	case choice == "":
		status.Ask = plainFiles
	case choice == InFile:
		plain, err := s.open(ctx, InFile)
		if err == nil {
			return plain, status
		}
		status.Reason = err
	}
	return newSession(), status
}

// Status says where the tokens lie, for a person to know at any time.
type Status struct {
	Place Place
	Path  string // of the file; empty for tokens in this process
	// Reason is why it is not the keyring; nil when it is.
	Reason error
	// Ask reports that there is no keyring, and that nobody has said yet what to do then: see [Store.Use].
	Ask bool
	// Elsewhere are files with tokens in other places. They are not used.
	Elsewhere []string
	// SetAside are damaged files that were moved out of the way since the store was opened.
	SetAside []string
}

// String says it in a sentence.
func (s Status) String() string {
	switch s.Place {
	case InKeyring:
		return "encrypted in " + s.Path + ", the key is in the system's keyring"
	case InFile:
		return "not encrypted, readable by you alone, in " + s.Path
	default:
		return "in this program until it ends"
	}
}

// Status returns where the tokens lie now. It looks at the directory, so it is not for every frame of a screen.
func (s *Store) Status() Status {
	s.mu.RLock()
	defer s.mu.RUnlock()
	status := s.status
	status.Place, status.Path = s.shelf.place, s.shelf.path
	status.SetAside = s.aside.list()
	if s.dirErr == nil {
		for _, place := range []Place{InKeyring, InFile} {
			if file := s.file(place); place != s.shelf.place && file.exists() {
				status.Elsewhere = append(status.Elsewhere, file.path)
			}
		}
	}
	return status
}

// Use moves the tokens to another place, and remembers the choice for when there is no keyring. What both places hold
// for the same is kept in the latest edition. Using the keyring asks it anew, as it may have been locked before.
//
// Tokens in this process alone are in no file any more.
func (s *Store) Use(ctx context.Context, place Place) error {
	to, err := s.open(ctx, place)
	if err != nil {
		return err
	}
	release, err := s.allTurns(ctx)
	if err != nil {
		return err
	}
	defer release()
	s.mu.Lock()
	defer s.mu.Unlock()
	if to.place != s.shelf.place {
		if err := move(ctx, s.shelf.tokens, to.tokens); err != nil {
			return err
		}
		s.shelf = to
	}
	s.status.Ask = false
	if place == InKeyring {
		s.status.Reason = nil
		place = ""
	}
	return s.memory.choose(ctx, place)
}

// move puts what one place holds into another. It is in both until it is surely in the other.
func move(ctx context.Context, from, to document[content]) error {
	moved, err := from.load(ctx)
	if err != nil {
		return err
	}
	err = to.update(ctx, func(c *content) (bool, error) {
		for _, t := range moved.Tokens {
			if old := c.token(t.Key); old != nil && old.Obtained.After(t.Obtained) {
				continue
			}
			if _, err := c.put(t); err != nil {
				return false, err
			}
		}
		for _, r := range moved.Registrations {
			c.Registrations = append(c.others(r.Issuer, r.Client), r)
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return from.update(ctx, func(c *content) (bool, error) {
		c.Tokens, c.Registrations = nil, nil
		return true, nil
	})
}

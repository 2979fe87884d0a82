package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Request asks an authorization server for a new token in exchange for old's refresh token. It must end when ctx does.
//
// Of what it returns the secrets, the granted scopes and the times count; a missing refresh token means that the old one
// stays good (RFC 6749, section 6). Its error decides what becomes of the old one:
//   - with [ErrInvalidGrant] it is at an end: the refresh token is dropped, and the access token with it unless that
//     should still work;
//   - with [ErrUnused] nothing has happened to it;
//   - with any other, nobody knows whether the server has used it up. See [ErrInterrupted].
type Request func(ctx context.Context, old Token) (fresh Token, err error)

// Refresh gets a newer edition of a token than the one that was seen, which has ended, is about to, or was refused (see
// [Store.Refuse]). Whoever asks, and in however many processes: one request is made, and all get what it gave. Who comes
// late, and has seen an edition that is no longer the present one, gets the present one at once.
//
// The old token stays where it is until the new one is safely on disk. A request that has begun is not given up when ctx
// ends, but for two seconds more waited for: its answer may be all that there is left.
//
// A token is returned besides an error with [ErrInterrupted], [ErrSignedOut] and [ErrNotKept].
func (s *Store) Refresh(ctx context.Context, seen Ref, request Request) (Token, error) {
	if t, newer, err := s.newer(ctx, seen); err != nil || newer {
		return t, err
	}
	release, err := s.turn(ctx, turnOf(seen.Key))
	if err != nil {
		return Token{}, fmt.Errorf("wait for the turn to refresh: %w", err)
	}
	defer release()
	old, newer, err := s.begin(ctx, seen)
	if err != nil || newer {
		return old, err
	}
	s.step(stepBegun)
	asking, cancel := patient(ctx)
	fresh, err := request(asking, old)
	cancel()
	s.step(stepAnswered)
	// What the server did is to be kept, whether or not somebody still waits for it.
	ctx = context.WithoutCancel(ctx)
	if err != nil {
		return Token{}, s.failed(ctx, old, err)
	}
	return s.keep(ctx, old, fresh)
}

// The steps of refreshing, between which a process may die.
const (
	stepBegun    = "begun"
	stepAnswered = "answered"
)

// newer returns the present edition, and whether it is another than the one that was seen.
func (s *Store) newer(ctx context.Context, seen Ref) (Token, bool, error) {
	t, err := s.Get(ctx, seen.Key)
	return t, err == nil && t.Generation != seen.Generation, err
}

// begin notes that the refresh token is about to be used. Where that cannot be written, the new one could not be either.
func (s *Store) begin(ctx context.Context, seen Ref) (old Token, newer bool, err error) {
	err = s.update(ctx, func(c *content) (bool, error) {
		t := c.token(seen.Key)
		if t == nil {
			return false, ErrNoToken
		}
		old, newer = *t, t.Generation != seen.Generation
		switch {
		case newer:
			return false, nil
		case t.Refresh.IsZero():
			return false, ErrNoRefresh
		case t.Attempted && t.works():
			return false, ErrInterrupted
		}
		changed := !t.Attempted
		t.Attempted = true
		return changed, nil
	})
	if err != nil && !errors.Is(err, ErrInterrupted) {
		old = Token{}
	}
	return old, newer, err
}

// works reports whether there is no reason to think that the access token is of no use.
func (t Token) works() bool { return t.Refused == 0 && !t.Ended(At(time.Now())) }

// failed does to the old token what the error of a request says.
func (s *Store) failed(ctx context.Context, old Token, why error) error {
	var err error
	switch {
	case errors.Is(why, ErrInvalidGrant) && !old.works():
		err = s.Remove(ctx, old.Ref)
	case errors.Is(why, ErrInvalidGrant):
		_, err = s.change(ctx, old.Ref, func(t *Token) bool {
			t.Refresh, t.Attempted = Token{}.Refresh, false
			return true
		})
	case errors.Is(why, ErrUnused):
		_, err = s.change(ctx, old.Ref, func(t *Token) bool {
			t.Attempted = false
			return true
		})
	}
	if errors.Is(err, ErrNoToken) {
		err = nil // signed out in the meantime: that is as good
	}
	return errors.Join(why, err)
}

// keep writes what the server gave in exchange for the old token.
func (s *Store) keep(ctx context.Context, old, fresh Token) (Token, error) {
	fresh.Ref = old.Ref
	fresh.ClientSecret, fresh.ClientMethod = old.ClientSecret, old.ClientMethod
	fresh.Refused, fresh.Attempted = old.Refused, false
	if fresh.Refresh.IsZero() {
		fresh.Refresh = old.Refresh
	}
	var kept Token
	err := s.update(ctx, func(c *content) (bool, error) {
		t := c.token(old.Key)
		switch {
		case t == nil:
			return false, ErrSignedOut
		case t.Generation != old.Generation:
			kept = *t // somebody signed in anew, which counts for more
			return false, nil
		}
		if err := fresh.check(); err != nil {
			return false, err
		}
		fresh.Generation = c.next()
		*t, kept = fresh, fresh
		return true, nil
	})
	switch {
	case errors.Is(err, ErrSignedOut):
		return fresh, err
	case err != nil:
		return fresh, fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	return kept, nil
}

// patient returns a context for a request that ctx asks for, and that lasts a little longer when that ends.
func patient(ctx context.Context) (context.Context, context.CancelFunc) {
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTime)
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(requestGrace):
			cancel()
		case <-asking.Done():
		}
	})
	return asking, func() { stop(); cancel() }
}

// lockTurn keeps other processes from refreshing the keys of that turn.
func (s *Store) lockTurn(ctx context.Context, number int) (release func(), err error) {
	s.mu.RLock()
	shared := s.shelf.onDisk()
	s.mu.RUnlock()
	if !shared {
		return func() {}, nil
	}
	path := filepath.Join(s.dir, fmt.Sprintf("refresh-%02d.lock", number))
	return lock(ctx, path, s.turnWait, longPoll)
}

// allTurns keeps anybody from refreshing anything.
func (s *Store) allTurns(ctx context.Context) (release func(), err error) {
	var releases []func()
	release = func() {
		for _, r := range releases {
			r()
		}
	}
	for number := range turns {
		r, err := s.turn(ctx, number)
		if err != nil {
			release()
			return nil, fmt.Errorf("wait for what is being refreshed: %w", err)
		}
		releases = append(releases, r)
	}
	return release, nil
}

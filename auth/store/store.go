package store

import (
	"context"
	"errors"
	"hash/fnv"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Options say where a store may lie.
type Options struct {
	// Dir is the directory of its files, an absolute path. It is made where it is missing, for its owner alone. Empty
	// means that nothing outlives this process.
	Dir string
	// Keyring keeps the key to the tokens: [SystemKeyring], or nil for none.
	Keyring Keyring
}

// How long things may take.
const (
	fileWait     = 10 * time.Second // for a file that others are at: they need milliseconds
	turnWait     = 75 * time.Second // for one's turn to refresh, longer than a request and the answer's way to disk
	requestTime  = 30 * time.Second // for a request to refresh
	requestGrace = 2 * time.Second  // for the answer to one that nobody waits for any more
)

// turns is how many keys can be refreshed at the same time. Two that share a turn only wait for each other.
const turns = 16

// Store holds tokens. It is safe for concurrent use, in this process and with others.
type Store struct {
	dir      string
	dirErr   error // why nothing can be on disk; nil when it can
	keys     *keyhole
	memory   *Memory
	turns    [turns]chan struct{} // each holds a value while somebody has that turn
	aside    asides
	step     func(string)
	fileWait time.Duration
	turnWait time.Duration

	mu     sync.RWMutex
	shelf  shelf
	status Status
}

// Open opens the store in the best place there is. It always succeeds: where nothing else works, tokens are kept in this
// process, and [Store.Status] says why. It takes three seconds at most for the keyring and is not for a goroutine that
// draws.
func Open(ctx context.Context, o Options) *Store {
	return open(ctx, o, func(string) {}, keyringPatience)
}

func open(ctx context.Context, o Options, step func(string), patience time.Duration) *Store {
	s := &Store{dir: o.Dir, step: step, fileWait: fileWait, turnWait: turnWait}
	for i := range s.turns {
		s.turns[i] = make(chan struct{}, 1)
	}
	if o.Dir == "" {
		s.dirErr = errors.New("there is no directory for it")
	} else {
		s.dirErr = makePrivate(o.Dir)
	}
	s.keys = newKeyhole(o.Keyring, filepath.Join(o.Dir, sealedName), patience)
	s.memory = s.openMemory(ctx)
	s.shelf, s.status = s.choose(ctx)
	return s
}

// Memory is what was agreed to and refused.
func (s *Store) Memory() *Memory { return s.memory }

// content reads what the store holds.
func (s *Store) content(ctx context.Context) (content, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.shelf.tokens.load(ctx)
}

// update changes what the store holds.
func (s *Store) update(ctx context.Context, change func(*content) (bool, error)) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.shelf.tokens.update(ctx, change)
}

// All returns all tokens, those of a host together.
func (s *Store) All(ctx context.Context) ([]Token, error) {
	c, err := s.content(ctx)
	slices.SortFunc(c.Tokens, func(a, b Token) int { return compareKeys(a.Key, b.Key) })
	return c.Tokens, err
}

// Get returns the tokens of a key, or [ErrNoToken].
func (s *Store) Get(ctx context.Context, key Key) (Token, error) {
	c, err := s.content(ctx)
	if err != nil {
		return Token{}, err
	}
	if t := c.token(key); t != nil {
		return *t, nil
	}
	return Token{}, ErrNoToken
}

// Find returns the best token for what is wanted, or [ErrNoToken]. It may have to be refreshed first: see [Token.Ended].
// One that hosts have refused twice is not found.
func (s *Store) Find(ctx context.Context, w Want, clock Clock) (Token, error) {
	c, err := s.content(ctx)
	if err != nil {
		return Token{}, err
	}
	if t, ok := c.find(w, clock); ok {
		return t, nil
	}
	return Token{}, ErrNoToken
}

// Put keeps what a sign-in gave, and returns it with its generation. It takes the place of what was there for the same
// key, and of tokens of the same grant that do for less. A sign-in is what a person asked for, so it ends a sign-out.
//
// When it cannot be written the error says so; the token that the caller has is good all the same.
func (s *Store) Put(ctx context.Context, t Token) (Token, error) {
	t.Refused, t.Attempted = 0, false
	var put Token
	err := s.update(ctx, func(c *content) (_ bool, err error) {
		put, err = c.put(t)
		return true, err
	})
	if err != nil {
		return t, err
	}
	return put, s.memory.Ask(ctx, t.Key.Subject())
}

// Refuse says that a host did not take this edition of a token. The second time in a row the token is quarantined: it is
// found by nobody until a person signs in again. A refreshed token inherits the count. It returns the token as it is
// then, or a newer edition that is there already.
func (s *Store) Refuse(ctx context.Context, r Ref) (Token, error) {
	return s.change(ctx, r, func(t *Token) bool {
		t.Refused++
		return true
	})
}

// Accept says that a host took this edition of a token and went on with it.
func (s *Store) Accept(ctx context.Context, r Ref) error {
	_, err := s.change(ctx, r, func(t *Token) bool {
		changed := t.Refused > 0
		t.Refused = 0
		return changed
	})
	return err
}

// Remove removes this edition of a token, and no other.
func (s *Store) Remove(ctx context.Context, r Ref) error {
	return s.update(ctx, func(c *content) (bool, error) {
		removed := c.remove(func(t Token) bool { return t.Ref == r })
		return len(removed) > 0, nil
	})
}

// change changes one edition of a token in place.
func (s *Store) change(ctx context.Context, r Ref, change func(*Token) bool) (Token, error) {
	var now Token
	err := s.update(ctx, func(c *content) (bool, error) {
		t := c.token(r.Key)
		if t == nil {
			return false, ErrNoToken
		}
		changed := t.Generation == r.Generation && change(t)
		now = *t
		return changed, nil
	})
	return now, err
}

// turn waits for the turn to refresh tokens of a key: first within this process, then among all of them.
func (s *Store) turn(ctx context.Context, number int) (release func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.turnWait, ErrBusy)
	defer cancel()
	mine := s.turns[number]
	select {
	case mine <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	unlock, err := s.lockTurn(ctx, number)
	if err != nil {
		<-mine
		return nil, err
	}
	return func() { unlock(); <-mine }, nil
}

func turnOf(k Key) int {
	h := fnv.New32a()
	for _, part := range []string{k.Host, k.Resource, k.Issuer, k.Client, k.Scopes} {
		_, _ = h.Write([]byte(part + "\x00")) // never fails
	}
	return int(h.Sum32() % turns)
}

// asides lists files that were set aside.
type asides struct {
	mu    sync.Mutex
	paths []string
}

func (a *asides) list() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.paths)
}

func (s *Store) wasSetAside(path string) {
	s.aside.mu.Lock()
	defer s.aside.mu.Unlock()
	s.aside.paths = append(s.aside.paths, path)
}

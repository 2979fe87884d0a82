package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"ahptui/internal/secret"
)

// Keyring keeps small secrets for a person. Its calls may take for ever.
type Keyring interface {
	// Get returns a secret. The error wraps [ErrNoSecret] when there is none.
	Get(service, account string) (secret.Value, error)
	// Set keeps a secret in place of what was there.
	Set(service, account string, value secret.Value) error
}

// ErrNoSecret says that a keyring works and has no such secret.
var ErrNoSecret = errors.New("the keyring has no such secret")

// service is the name under which a keyring shows what is ours.
const service = "ahptui"

// keyringPatience is how long a keyring may take. Without a desktop some never answer.
const keyringPatience = 3 * time.Second

// keyhole gets the key of a token file out of the keyring, once, and puts one there first where there is none.
type keyhole struct {
	ring     Keyring // nil: there is none
	account  string
	lockPath string
	patience time.Duration

	mu   sync.Mutex
	held *sealer
}

// newKeyhole is for the file at this path: every one has a key of its own.
func newKeyhole(ring Keyring, path string, patience time.Duration) *keyhole {
	hash := sha256.Sum256([]byte(path))
	return &keyhole{
		ring: ring, account: "token file " + hex.EncodeToString(hash[:8]),
		lockPath: path + ".key.lock", patience: patience,
	}
}

// sealer returns the key.
func (k *keyhole) sealer(ctx context.Context) (*sealer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held != nil {
		return k.held, nil
	}
	return k.renew(ctx)
}

// sealerFor returns the key of that name. Another process may have made a new one since; when nobody has it any more,
// what it sealed is lost.
func (k *keyhole) sealerFor(ctx context.Context, id string) (*sealer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held != nil && k.held.id == id {
		return k.held, nil
	}
	s, err := k.renew(ctx)
	switch {
	case err != nil:
		return nil, err
	case s.id != id:
		return nil, fmt.Errorf("%w: the keyring no longer has the key that it was sealed with", errDamaged)
	}
	return s, nil
}

// renew asks the keyring. The caller holds the lock.
func (k *keyhole) renew(ctx context.Context) (*sealer, error) {
	if k.ring == nil {
		return nil, fmt.Errorf("%w: it is switched off", ErrNoKeyring)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, k.patience, fmt.Errorf("%w: it did not answer within %v; is it locked?", ErrNoKeyring, k.patience))
	defer cancel()
	key, err := k.get(ctx)
	if errors.Is(err, ErrNoSecret) {
		key, err = k.create(ctx)
	}
	if err != nil {
		return nil, err
	}
	s, err := newSealer(key)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoKeyring, err)
	}
	k.held = s
	return s, nil
}

// create makes a key unless another process is faster, and trusts only what the keyring gives back.
func (k *keyhole) create(ctx context.Context) (secret.Value, error) {
	release, err := lock(ctx, k.lockPath, k.patience, shortPoll)
	if err != nil {
		return secret.Value{}, err
	}
	defer release()
	if key, err := k.get(ctx); !errors.Is(err, ErrNoSecret) {
		return key, err
	}
	if _, err := patiently(ctx, func() (struct{}, error) {
		return struct{}{}, k.ring.Set(service, k.account, newKey())
	}); err != nil {
		return secret.Value{}, err
	}
	return k.get(ctx)
}

func (k *keyhole) get(ctx context.Context) (secret.Value, error) {
	return patiently(ctx, func() (secret.Value, error) { return k.ring.Get(service, k.account) })
}

// patiently calls a keyring and waits no longer than ctx lasts. A call cannot be taken back: it goes on in a goroutine
// until the keyring answers, and nobody hears of it.
func patiently[T any](ctx context.Context, call func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := call()
		answers <- answer{value, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil && !errors.Is(a.err, ErrNoSecret) {
			a.err = fmt.Errorf("%w: %w", ErrNoKeyring, a.err)
		}
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

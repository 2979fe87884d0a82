package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ahptui/auth/store"
)

// Silent does for a challenge what can be done without a person: it hands out a token that is held, or refreshes it first.
// The grant is nil when there is nothing to hand over; what is to be done then is the decision. A grant is for its host at
// once: where the host does not take it, that is to be said by [Broker.Refused].
//
// It never asks, opens nothing, and goes against nothing that the person said.
func (b *Broker) Silent(ctx context.Context, c Challenge) (*Grant, Decision) {
	if b.config.Store == nil {
		return nil, Decision{Act: ActAsk, Scopes: wanted(c, holding{}), Why: ErrNoToken}
	}
	return b.silent(ctx, c, func(Event) {})
}

func (b *Broker) silent(ctx context.Context, c Challenge, emit func(Event)) (*Grant, Decision) {
	release, err := b.alone(ctx, c.Key())
	if err != nil {
		return nil, Decision{Act: ActWait, Why: err}
	}
	defer release()
	held, t := b.look(ctx, c)
	d := Decide(c, held)
	var exceptions []Exception
	switch d.Act {
	case ActPush:
	case ActRefresh:
		emit(Refreshing{Issuer: t.Key.Issuer})
		b.try(c, func(t *tries) { t.refreshed++ })
		fresh, excepted, err := b.renew(ctx, c, held, t)
		if err != nil && !errors.Is(err, store.ErrNotKept) {
			held.Refreshed++
			return nil, Decision{Act: ActAsk, Scopes: Decide(c, held).Scopes, Why: err}
		}
		if d.Why = err; len(excepted) > 0 {
			emit(Excepted{Issuer: t.Key.Issuer, Exceptions: excepted})
		}
		t, exceptions = fresh, excepted
	default:
		return nil, d
	}
	b.try(c, func(t *tries) { t.pushed, t.pushedAt = t.pushed+1, time.Now() })
	g := grantOf(c.Host, t)
	g.Exceptions = exceptions
	b.hand(g, t)
	return g, d
}

// Foresee says what [Broker.Silent] would do for a challenge, and with the token of which key, without doing it. The key is
// the zero one when there is no token.
func (b *Broker) Foresee(ctx context.Context, c Challenge) (store.Key, Decision) {
	held, t := b.look(ctx, c)
	return t.Key, Decide(c, held)
}

// renew gets a newer edition of a token, which its host says is no good, or whose end has come.
func (b *Broker) renew(ctx context.Context, c Challenge, held Held, t store.Token) (store.Token, []Exception, error) {
	if supply := b.supply(c.Resource); supply != nil {
		fresh, err := b.supplyAnew(ctx, c, supply, t)
		return fresh, nil, err
	}
	if held.Handed {
		now, err := b.store.Refuse(ctx, t.Ref)
		switch {
		case err != nil:
			return store.Token{}, nil, fail(StepRefresh, err, "")
		case now.Ref != t.Ref: // another process was there first
			return now, nil, nil
		case now.Quarantined():
			return store.Token{}, nil, ErrQuarantined
		}
	}
	return b.refresh(ctx, c.Host, t.Ref)
}

// supplyAnew gets a token from where it was got before. The one that the host has refused is none.
func (b *Broker) supplyAnew(ctx context.Context, c Challenge, supply Supply, old store.Token) (store.Token, error) {
	t, err := fetchSupply(ctx, supply)
	if err != nil {
		return store.Token{}, err
	}
	if !old.Access.IsZero() && t.access.Equal(old.Access) {
		_, _ = b.store.Refuse(ctx, old.Ref) // where it cannot be noted, the host refuses it once more
		return store.Token{}, fail(StepSupply, fmt.Errorf("%s gives the token that the host has refused", supply), "Get a new one there.")
	}
	return b.keep(ctx, store.NewKey(c.Host.ID, c.Resource, "", "", nil), oauthClient{}, t)
}

// keep stores a token. Where that fails, the token is good all the same, and the error is [store.ErrNotKept].
func (b *Broker) keep(ctx context.Context, key store.Key, client oauthClient, t token) (store.Token, error) {
	b.measured(key.Issuer, t.skew)
	kept, err := b.store.Put(ctx, store.Token{
		Ref: store.Ref{Key: key}, Access: t.access, Refresh: t.refresh, ClientSecret: client.secret, ClientMethod: string(client.method),
		Granted: t.granted, Obtained: t.obtained, Expires: t.expires, Skew: t.skew,
	})
	if err != nil {
		return kept, fmt.Errorf("%w: %w", store.ErrNotKept, err)
	}
	return kept, nil
}

// alone waits until nothing else is done without a person for the same key: who asks the same at the same time is answered
// by what the first one got.
func (b *Broker) alone(ctx context.Context, key Key) (release func(), err error) {
	for {
		b.mu.Lock()
		busy := b.busy[key]
		if busy == nil {
			mine := make(chan struct{})
			b.busy[key] = mine
			b.mu.Unlock()
			return func() {
				b.mu.Lock()
				delete(b.busy, key)
				b.mu.Unlock()
				close(mine)
			}, nil
		}
		b.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

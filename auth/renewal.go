package auth

import (
	"errors"
	"math/rand/v2"
	"sync"

	"ahptui/auth/store"
)

// renewal refreshes tokens ahead of their end, for the hosts that have got them.
type renewal struct {
	broker   *Broker
	schedule *store.Schedule

	mu      sync.Mutex
	watched map[store.Key]watched
}

// watched is a token that is refreshed when it is due.
type watched struct {
	host     Host
	edition  store.Ref
	failures int // in a row
}

func newRenewal(b *Broker) *renewal {
	r := &renewal{broker: b, watched: map[store.Key]watched{}}
	r.schedule = store.NewSchedule(func(key store.Key) { b.running.Go(func() { r.renew(key) }) })
	return r
}

// close ends the schedule. What it has begun goes on as long as the broker lets it.
func (r *renewal) close() { r.schedule.Close() }

// watch has a token refreshed when it is due.
func (r *renewal) watch(host Host, t store.Token) {
	due, ok := t.Due(r.broker.clock(t.Key.Issuer), rand.Float64())
	r.mu.Lock()
	if ok {
		makeRoom(r.watched)
		r.watched[t.Key] = watched{host: host, edition: t.Ref}
	} else {
		delete(r.watched, t.Key)
	}
	r.mu.Unlock()
	if ok {
		r.schedule.Set(t.Key, due)
	} else {
		r.schedule.Drop(t.Key)
	}
}

// renew refreshes a token that is due, as long as its host has it, and has the new one handed over.
func (r *renewal) renew(key store.Key) {
	r.mu.Lock()
	w, ok := r.watched[key]
	r.mu.Unlock()
	b := r.broker
	b.mu.Lock()
	edition, held := b.handed.Holds(holder(w.host.ID), key.Resource)
	b.mu.Unlock()
	if !ok || !held || edition.Key != key { // it was signed out of, or the host is gone, or has another one
		return
	}
	t, exceptions, err := b.refresh(b.life, w.host, edition)
	if err != nil && !errors.Is(err, store.ErrNotKept) {
		r.failed(key, err)
		return
	}
	g := grantOf(w.host, t)
	g.Exceptions = exceptions
	b.hand(g, t)
	b.config.Renewed(*g)
}

// failed tries again later, unless the grant has ended: then the host will say so, and a person is asked.
func (r *renewal) failed(key store.Key, err error) {
	if errors.Is(err, store.ErrInvalidGrant) || errors.Is(err, store.ErrNoToken) || errors.Is(err, store.ErrSignedOut) {
		return
	}
	t, errGet := r.broker.store.Get(r.broker.life, key)
	if errGet != nil {
		return
	}
	r.mu.Lock()
	w := r.watched[key]
	w.failures++
	r.watched[key] = w
	r.mu.Unlock()
	if at, ok := t.Retry(r.broker.clock(key.Issuer), w.failures); ok {
		r.schedule.Set(key, at)
	}
}

package auth

import (
	"context"
	"slices"
	"time"

	"ahptui/auth/store"
)

// HostPatience is how long a host may do nothing with a token that it took.
const HostPatience = 15 * time.Second

// declineTime is how long nobody is asked again by itself for what they said no to.
const declineTime = 10 * time.Minute

// maxRemembered bounds what is remembered of challenges, which a host makes as many of as it likes.
const maxRemembered = 1024

// operation is what the caps count by.
type operation struct {
	key    Key
	source Source
}

// tries is what was done for an operation since it last went on.
type tries struct {
	stepUps, pushed, refreshed int
	pushedAt                   time.Time
}

// makeRoom lets the entries of a map not grow without end. Which one goes is of no importance: no honest host comes near.
func makeRoom[K comparable, V any](m map[K]V) {
	for k := range m {
		if len(m) < maxRemembered {
			return
		}
		delete(m, k)
	}
}

// try notes something that was done for a challenge.
func (b *Broker) try(c Challenge, note func(*tries)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range c.sources() {
		makeRoom(b.tried)
		t := b.tried[operation{c.Key(), s}]
		note(&t)
		b.tried[operation{c.Key(), s}] = t
	}
}

// triedFor is what was done for a challenge: the most that was for any that wait for it.
func (b *Broker) triedFor(c Challenge) tries {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all tries
	for _, s := range c.sources() {
		t := b.tried[operation{c.Key(), s}]
		all.stepUps, all.pushed, all.refreshed = max(all.stepUps, t.stepUps), max(all.pushed, t.pushed), max(all.refreshed, t.refreshed)
		if t.pushedAt.After(all.pushedAt) {
			all.pushedAt = t.pushedAt
		}
	}
	return all
}

// Settle says that what the challenge stopped went on: its host has made use of what it was given, and its server or its
// call may ask again.
func (b *Broker) Settle(c Challenge) {
	b.mu.Lock()
	for _, s := range c.sources() {
		delete(b.tried, operation{c.Key(), s})
	}
	edition, ok := b.handed.Holds(holder(c.Host.ID), c.Resource)
	b.mu.Unlock()
	if ok {
		_ = b.store.Accept(b.life, edition) // one that is gone, or cannot be written, is refused once more at worst
	}
}

// Refused says that the host did not take a grant. What it refuses twice in a row is not handed over any more.
func (b *Broker) Refused(ctx context.Context, g Grant) error {
	b.mu.Lock()
	b.handed.Emptied(holder(g.Host.ID), g.Resource)
	for op, t := range b.tried {
		if op.key == g.key() {
			t.pushedAt = time.Time{}
			b.tried[op] = t
		}
	}
	b.mu.Unlock()
	if g.edition.Generation == 0 { // it is stored nowhere
		return nil
	}
	_, err := b.store.Refuse(ctx, g.edition)
	return err
}

// Again says that the host has done something with what it was given for a challenge, and asks anew all the same: nothing
// is waited for any more.
func (b *Broker) Again(c Challenge) { b.try(c, func(t *tries) { t.pushedAt = time.Time{} }) }

// Gone says that the connection to a host has ended: tokens count for one connection.
func (b *Broker) Gone(hostID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handed.Gone(holder(hostID))
	for op := range b.tried {
		if op.key.Host == hostID {
			delete(b.tried, op)
		}
	}
}

// holder is the connection of this program to a host, of which there is one at a time.
func holder(hostID string) store.Holder { return store.Holder{Host: hostID} }

// grantOf makes a grant of a token that is stored, or would be.
func grantOf(host Host, t store.Token) *Grant {
	return &Grant{
		Host: host, Resource: t.Key.Resource, Issuer: t.Key.Issuer,
		Token: t.Access, Scopes: scopesOf(t), Expires: t.Expires, edition: t.Ref,
		OtherAudiences: otherAudiences(t.Access, t.Key.Resource),
	}
}

// hand notes that a host is given a token.
func (b *Broker) hand(g *Grant, t store.Token) {
	b.mu.Lock()
	b.handed.Pushed(holder(g.Host.ID), t.Ref)
	makeRoom(b.held)
	held := b.holdingOf(t)
	held.granted = g.Scopes
	b.held[g.key()] = held
	renewal := b.renewal
	b.mu.Unlock()
	if renewal != nil && t.Generation != 0 {
		renewal.watch(g.Host, t)
	}
}

// look is what is known for a challenge, and the token if there is one.
func (b *Broker) look(ctx context.Context, c Challenge) (Held, store.Token) {
	about, err := b.store.Memory().About(ctx, c.Key().subject())
	h := Held{Never: about.Never, SignedOut: about.SignedOut || err != nil}
	done := b.triedFor(c)
	h.StepUps, h.Pushed, h.Refreshed = done.stepUps, done.pushed, done.refreshed
	h.Pending = !done.pushedAt.IsZero() && time.Since(done.pushedAt) < HostPatience
	b.mu.Lock()
	h.Declined = time.Since(b.declined[c.Key()]) < declineTime
	b.mu.Unlock()
	t, ok := b.find(ctx, c)
	supplied := b.supply(c.Resource) != nil
	if !ok && !supplied {
		return h, store.Token{}
	}
	h.Consented = about.Consent != nil && (t.Key.Issuer == "" || t.Key.Issuer == about.Consent.Issuer)
	h.Token, h.Refresh = true, supplied || !t.Refresh.IsZero()
	if !ok { // it is got when it is needed
		h.Ended = true
		return h, store.Token{}
	}
	h.Scopes, h.Requested = scopesOf(t), t.Key.ScopeList()
	h.Ended, h.Quarantined = t.Ended(b.clock(t.Key.Issuer)), t.Quarantined()
	b.mu.Lock()
	edition, handed := b.handed.Holds(holder(c.Host.ID), c.Resource)
	makeRoom(b.held)
	b.held[c.Key()] = b.holdingOf(t)
	b.mu.Unlock()
	h.Handed = handed && edition == t.Ref
	return h, t
}

// find is the token for a challenge: the best one for all that is required, else the best one, else the last one, which
// may be of no use any more.
func (b *Broker) find(ctx context.Context, c Challenge) (store.Token, bool) {
	fits := func(t store.Token) bool {
		return len(c.Issuers) == 0 || slices.Contains(c.Issuers, t.Key.Issuer) || t.Key.Issuer == ""
	}
	if b.supply(c.Resource) != nil {
		fits = func(t store.Token) bool { return t.Key.Issuer == "" }
		return b.latest(ctx, c.Key(), fits)
	}
	want := store.Want{Subject: c.Key().subject(), Issuers: c.Issuers}
	if len(want.Issuers) == 0 {
		want.Issuers = nil
	}
	clock := store.At(time.Now())
	for _, scopes := range [][]string{c.RequiredScopes, nil} {
		want.Scopes = scopes
		if t, err := b.store.Find(ctx, want, clock); err == nil {
			return t, true
		}
	}
	return b.latest(ctx, c.Key(), fits)
}

// clock is the time by which the tokens of an issuer are judged.
func (b *Broker) clock(issuer string) store.Clock {
	return store.Clock{Now: time.Now(), Skew: b.Skew(issuer)}
}

// Skew is how far an authorization server's clock is ahead of this machine's, as it was last seen in the life of this
// broker.
func (b *Broker) Skew(issuer string) store.Skew {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.skews[issuer]
}

func (b *Broker) measured(issuer string, s store.Skew) {
	if !s.Known {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	makeRoom(b.skews)
	b.skews[issuer] = s
}

package store

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// content is what a token file holds. The zero value holds nothing.
type content struct {
	// Generation is the last one that was given. It begins anywhere, so that what one file gave is not taken for what its
	// successor gave.
	Generation    uint64         `json:"generation"`
	Tokens        []Token        `json:"tokens,omitzero"`
	Registrations []Registration `json:"registrations,omitzero"`
}

func tokenFormat() format { return format{name: "ahptui tokens"} }

func (c content) clone() content {
	c.Tokens, c.Registrations = slices.Clone(c.Tokens), slices.Clone(c.Registrations)
	return c
}

func (c content) empty() bool { return len(c.Tokens) == 0 && len(c.Registrations) == 0 }

// next gives a generation.
func (c *content) next() uint64 {
	if c.Generation == 0 {
		c.Generation = uint64(rand.Uint32())
	}
	c.Generation++
	return c.Generation
}

// token returns the one of a key, to be looked at or changed in place; nil when there is none.
func (c *content) token(key Key) *Token {
	i := slices.IndexFunc(c.Tokens, func(t Token) bool { return t.Key == key })
	if i < 0 {
		return nil
	}
	return &c.Tokens[i]
}

// put adds a token and gives it a generation. What it replaces goes; where there is no room, what is of no use goes, too.
func (c *content) put(t Token) (Token, error) {
	if err := t.check(); err != nil {
		return Token{}, err
	}
	c.remove(t.replaces)
	if len(c.Tokens) >= maxTokens {
		c.remove(func(old Token) bool { return old.useless(At(t.Obtained)) })
	}
	if len(c.Tokens) >= maxTokens {
		return Token{}, ErrFull
	}
	t.Generation = c.next()
	c.Tokens = append(c.Tokens, t)
	return t, nil
}

// replaces reports whether nobody needs old any more: it is for the same, or for less of the same grant.
func (t Token) replaces(old Token) bool {
	return t.Key == old.Key || t.Key.covers(old.Key) && subset(old.Scopes(), t.Scopes())
}

// useless reports that a token can be neither used nor refreshed.
func (t Token) useless(clock Clock) bool { return t.Ended(clock) && t.Refresh.IsZero() }

// remove takes out what matches, and returns it.
func (c *content) remove(match func(Token) bool) []Token {
	var removed []Token
	c.Tokens = slices.DeleteFunc(c.Tokens, func(t Token) bool {
		if match(t) {
			removed = append(removed, t)
			return true
		}
		return false
	})
	return removed
}

// Want says which token is looked for.
type Want struct {
	Subject
	Issuers []string // any of these, and tokens that a person handed over; nil means any
	Scopes  []string // all of these at least
}

func (w Want) fits(t Token) bool {
	issuer := w.Issuers == nil || t.Key.Issuer == "" || slices.Contains(w.Issuers, t.Key.Issuer)
	return t.Key.Subject() == w.Subject && issuer && subset(w.Scopes, t.Scopes()) && !t.Quarantined()
}

// find returns the best token for what is wanted: one that works before one that has to be refreshed, and the latest of
// these. One that can be neither used nor refreshed is none.
func (c *content) find(w Want, clock Clock) (Token, bool) {
	fitting := slices.DeleteFunc(slices.Clone(c.Tokens), func(t Token) bool {
		return !w.fits(t) || t.useless(clock)
	})
	if len(fitting) == 0 {
		return Token{}, false
	}
	rank := func(t Token) int {
		if t.Ended(clock) {
			return 0
		}
		return 1
	}
	return slices.MaxFunc(fitting, func(a, b Token) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Generation, b.Generation))
	}), true
}

package host

import (
	"slices"
	"time"

	"ahptui/internal/secret"
)

// maxTokens is how many resources a host remembers a token for.
const maxTokens = 256

// A grant is a token that a client has signed in with.
type grant struct {
	token   secret.Value
	scopes  []string  // nil: nobody knows
	expires time.Time // zero: nobody knows
}

// satisfies reports whether the grant covers scopes, as far as is known.
func (g *grant) satisfies(scopes []string) bool {
	return g.scopes == nil || !slices.ContainsFunc(scopes, func(s string) bool { return !slices.Contains(g.scopes, s) })
}

func (g *grant) expired(now time.Time) bool { return !g.expires.IsZero() && !now.Before(g.expires) }

// tokens remembers the last grant for each resource until it expires, for what
// asks for it later. It is nowhere but in memory.
type tokens map[string]*grant

func (t tokens) put(resource string, g *grant, now time.Time) {
	t.forget(now)
	if t[resource] == nil && len(t) >= maxTokens {
		for other := range t { // any: whoever misses it is asked again
			delete(t, other)
			break
		}
	}
	t[resource] = g
}

// get returns a grant that has not expired, or nil.
func (t tokens) get(resource string, now time.Time) *grant {
	g := t[resource]
	if g == nil || g.expired(now) {
		return nil
	}
	return g
}

// refused forgets a token that its resource does not accept.
func (t tokens) refused(resource string, token secret.Value) {
	if g := t[resource]; g != nil && g.token.Equal(token) {
		delete(t, resource)
	}
}

// forget drops what has expired.
func (t tokens) forget(now time.Time) {
	for resource, g := range t {
		if g.expired(now) {
			delete(t, resource)
		}
	}
}

package ahpclient

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"ahptui/protocol"
)

// Auth is a protected resource of the host, and where its token stands. Tokens
// count for one connection; hosts may keep them for longer.
type Auth struct {
	Resource *protocol.ProtectedResourceMetadata
	// Agents are the providers that say they need it; none where only the host
	// asked for it. Required is false where they can do without.
	Agents   []string
	Required bool
	// Asked is when the host last said that it wants a token, and Reason why
	// ("required", "expired"); zero if it did not on this connection, or has got one.
	Asked  time.Time
	Reason string
	// Handed is when the host took a token from here on this connection, Before
	// tells whether it did on an earlier one.
	Handed time.Time
	Before bool
}

// authFact is what happened to a resource.
type authFact struct {
	resource *protocol.ProtectedResourceMetadata // as the host named it when it asked
	asked    time.Time
	reason   string
	handed   time.Time
	before   bool
}

// authState is what is known of tokens, and what was made of it for the views.
type authState struct {
	facts map[string]*authFact
	shown []Auth
	root  *protocol.RootState // that shown was made with
	stale bool
}

// Authenticate hands a token to the host, in the form of the negotiated version.
// That the host took it does not mean that what waits for it goes on: its state
// tells.
func (c *Client) Authenticate(ctx context.Context, p *protocol.AuthenticateParams) error {
	if _, err := call[protocol.EmptyResult](ctx, c, "authenticate", p); err != nil {
		return err
	}
	c.update(func(s *store) {
		f := s.authFact(p.Resource)
		f.asked, f.reason, f.handed = time.Time{}, "", time.Now()
		if p.Token == "" { // revoked
			f.handed, f.before = time.Time{}, false
		}
	})
	return nil
}

// authRequired notes that the host wants a token; bytes is how long it took to
// say so.
func (s *store) authRequired(p *protocol.AuthRequiredParams, bytes int, now time.Time) {
	resource := p.Resource.ProtectedResourceMetadata
	s.notice(Notice{At: now, Kind: NoticeAuth, Channel: p.Channel, Text: resource.Resource})
	if bytes > maxMetadata {
		return
	}
	f := s.authFact(resource.Resource)
	f.asked, f.reason, f.resource = now, cut(p.Reason, maxText), &resource
}

// authFact is what is known of a resource. Too many make the least recent go.
func (s *store) authFact(resource string) *authFact {
	a := &s.auth
	a.stale = true
	s.touch()
	if f := a.facts[resource]; f != nil {
		return f
	}
	if a.facts == nil {
		a.facts = map[string]*authFact{}
	}
	if len(a.facts) >= maxResources {
		delete(a.facts, slices.MinFunc(slices.Collect(maps.Keys(a.facts)), func(x, y string) int {
			return cmp.Or(a.facts[x].latest().Compare(a.facts[y].latest()), cmp.Compare(x, y))
		}))
	}
	f := &authFact{resource: &protocol.ProtectedResourceMetadata{Resource: resource}}
	a.facts[resource] = f
	return f
}

func (f *authFact) latest() time.Time {
	if f.asked.After(f.handed) {
		return f.asked
	}
	return f.handed
}

// forgetAuth notes that a new connection begins: what was said on the one before
// is not said again, and tokens do not count for it.
func (s *store) forgetAuth() {
	for resource, f := range s.auth.facts {
		f.before = f.before || !f.handed.IsZero()
		f.asked, f.reason, f.handed = time.Time{}, "", time.Time{}
		if !f.before {
			delete(s.auth.facts, resource)
		}
		s.auth.stale = true
	}
}

// authShown is what is known of the host's protected resources: those that its
// agents name, those that it asked for, and those it was given a token for.
func (s *store) authShown(root *protocol.RootState) []Auth {
	a := &s.auth
	if root == a.root && !a.stale {
		return a.shown
	}
	byResource := map[string]*Auth{}
	if root != nil {
		for _, agent := range root.Agents {
			for _, r := range agent.ProtectedResources {
				x := byResource[r.Resource]
				if x == nil {
					x = &Auth{Resource: r}
					byResource[r.Resource] = x
				}
				x.Agents = append(x.Agents, agent.Provider)
				x.Required = x.Required || r.Required == nil || *r.Required
			}
		}
	}
	for resource, f := range a.facts {
		x := byResource[resource]
		if x == nil {
			x = &Auth{Resource: f.resource, Required: true}
			byResource[resource] = x
		}
		x.Asked, x.Reason, x.Handed, x.Before = f.asked, f.reason, f.handed, f.before
	}
	a.shown = nil
	for _, resource := range slices.Sorted(maps.Keys(byResource)) {
		a.shown = append(a.shown, *byResource[resource])
	}
	a.root, a.stale = root, false
	return a.shown
}

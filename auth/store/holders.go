package store

import (
	"cmp"
	"slices"
)

// Holder is a connection to an agent host that tokens were pushed over. A host knows a token for as long as that lasts.
type Holder struct {
	Host       string // identity of the host
	Connection string // tells connections to the same host apart
}

// Holders knows which connection was given which edition of which token. The zero value knows none. Its owner guards it:
// it is not safe for concurrent use.
type Holders struct {
	held map[Holder]map[string]Ref // by resource
}

// Pushed notes that a host has taken a token. One that is for another host is not noted, and false returned: that must
// not have been sent.
func (h *Holders) Pushed(to Holder, r Ref) bool {
	if r.Key.Host != to.Host {
		return false
	}
	if h.held == nil {
		h.held = map[Holder]map[string]Ref{}
	}
	if h.held[to] == nil {
		h.held[to] = map[string]Ref{}
	}
	h.held[to][r.Key.Resource] = r
	return true
}

// Emptied notes that a host was sent an empty token for a resource.
func (h *Holders) Emptied(at Holder, resource string) { delete(h.held[at], resource) }

// Gone notes that a connection has ended.
func (h *Holders) Gone(gone Holder) { delete(h.held, gone) }

// Holds returns what a connection was given for a resource last. That is the edition to refresh when its host says that
// the token has expired.
func (h *Holders) Holds(at Holder, resource string) (Ref, bool) {
	r, ok := h.held[at][resource]
	return r, ok
}

// Behind returns the connections that hold an older edition of a token, or one of the same grant that it does for as
// well. They are to be given this one.
func (h *Holders) Behind(present Ref) []Holder {
	return h.where(func(r Ref) bool { return r != present && present.Key.covers(r.Key) })
}

// Of returns the connections that hold anything of what is signed out of. They are to be sent an empty token.
func (h *Holders) Of(w Which) []Holder {
	return h.where(func(r Ref) bool { return w.matches(r.Key.Subject()) })
}

// where returns the connections that hold something that matches, in a fixed order.
func (h *Holders) where(match func(Ref) bool) []Holder {
	var found []Holder
	for holder, held := range h.held {
		for _, r := range held {
			if match(r) {
				found = append(found, holder)
				break
			}
		}
	}
	slices.SortFunc(found, func(a, b Holder) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Connection, b.Connection))
	})
	return found
}

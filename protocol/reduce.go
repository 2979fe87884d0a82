package protocol

import (
	"bytes"
	"maps"
	"slices"
)

// changed returns a copy of *v that f has changed. The copy shares everything
// that v points to, so f replaces members and never writes through them.
func changed[T any](v *T, f func(*T)) *T {
	c := *v
	f(&c)
	return &c
}

// replaced is list with item at i, in fresh memory.
func replaced[T any](list []T, i int, item T) []T {
	fresh := slices.Clone(list)
	fresh[i] = item
	return fresh
}

// appended is list with item at its end, in fresh memory.
func appended[T any](list []T, item T) []T {
	return append(list[:len(list):len(list)], item)
}

// upserted replaces the first element that matches, or appends.
func upserted[T any](list []T, item T, match func(T) bool) []T {
	if i := slices.IndexFunc(list, match); i >= 0 {
		return replaced(list, i, item)
	}
	return appended(list, item)
}

// without is list less the elements that match; ok is false if none does.
func without[T any](list []T, match func(T) bool) (rest []T, ok bool) {
	if !slices.ContainsFunc(list, match) {
		return list, false
	}
	rest = make([]T, 0, len(list)-1)
	for _, item := range list {
		if !match(item) {
			rest = append(rest, item)
		}
	}
	return rest, true
}

// nilIfEmpty makes an emptied list absent, where the protocol drops the key.
func nilIfEmpty[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// configured merges values into a configuration, or replaces all its values. A
// configuration that is absent, or has these values already, stays as it is.
func configured(c *Config, values map[string]Raw, replace *bool) *Config {
	if c == nil {
		return nil
	}
	merged := make(map[string]Raw, len(c.Values)+len(values))
	if replace == nil || !*replace {
		maps.Copy(merged, c.Values)
	}
	maps.Copy(merged, values)
	if maps.EqualFunc(merged, c.Values, sameRaw) {
		return c
	}
	return changed(c, func(c *Config) { c.Values = merged })
}

func sameRaw(a, b Raw) bool { return bytes.Equal(a, b) }

// equal reports whether two optional values are both absent or the same.
func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// merge lays the members of changes over those of v, except the kept ones. It
// returns v itself when nothing changes or changes cannot be read.
func merge[T any](v *T, changes Raw, kept ...string) *T {
	before, err := Marshal(v)
	if err != nil {
		return v
	}
	var members, over map[string]Raw
	if Unmarshal(before, &members) != nil || Unmarshal(changes, &over) != nil {
		return v
	}
	for name, val := range over {
		if !slices.Contains(kept, name) {
			members[name] = val
		}
	}
	after, err := Marshal(members)
	if err != nil {
		return v
	}
	fresh := new(T)
	if Unmarshal(after, fresh) != nil {
		return v
	}
	if again, err := Marshal(fresh); err == nil && bytes.Equal(again, before) {
		return v
	}
	return fresh
}

// MergeSummary lays the changes of a root/sessionSummaryChanged notification
// over a summary. Identity and creation time never change.
func MergeSummary(s *SessionSummary, changes Raw) *SessionSummary {
	return merge(s, changes, "resource", "provider", "createdAt")
}

// ReduceRoot folds an action into the root state.
func ReduceRoot(_ Profile, s *RootState, a Action) *RootState {
	switch a := a.(type) {
	case *RootAgentsChanged:
		return changed(s, func(s *RootState) { s.Agents = a.Agents })
	case *RootActiveSessionsChanged:
		if equal(s.ActiveSessions, &a.ActiveSessions) {
			return s
		}
		return changed(s, func(s *RootState) { s.ActiveSessions = &a.ActiveSessions })
	case *RootTerminalsChanged:
		terminals := present(a.Terminals)
		if sameList(terminals, s.Terminals) {
			return s
		}
		return changed(s, func(s *RootState) { s.Terminals = terminals })
	case *RootConfigChanged:
		config := configured(s.Config, a.Config, a.Replace)
		if config == s.Config {
			return s
		}
		return changed(s, func(s *RootState) { s.Config = config })
	}
	return s
}

// mapped applies f to every element. A nil list stays nil, and a list in which
// nothing changes stays the list it is.
func mapped[T comparable](list []T, f func(T) T) []T {
	var fresh []T
	for i, item := range list {
		other := f(item)
		if other != item && fresh == nil {
			fresh = append(make([]T, 0, len(list)), list[:i]...)
		}
		if fresh != nil {
			fresh = append(fresh, other)
		}
	}
	if fresh == nil {
		return list
	}
	return fresh
}

package protocol

import (
	"bytes"
	"maps"
	"reflect"
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

// merge lays the members of changes over those of v, except the kept ones; the
// others keep their pointers. It returns v itself when nothing changes or changes
// cannot be read.
func merge[T any](v *T, changes Raw, kept ...string) *T {
	var over map[string]Raw
	given := new(T)
	if Unmarshal(changes, &over) != nil || Unmarshal(changes, given) != nil {
		return v
	}
	for _, name := range kept {
		delete(over, name)
	}
	fresh := *v
	from, to := reflect.ValueOf(given).Elem(), reflect.ValueOf(&fresh).Elem()
	for i := range to.NumField() {
		if _, ok := over[memberName(to.Type().Field(i))]; ok {
			to.Field(i).Set(from.Field(i))
		}
	}
	extra := to.FieldByName("Extra")
	extra.SetBytes(extraOver(extra.Bytes(), from.FieldByName("Extra").Bytes(), over))
	before, err1 := Marshal(v)
	after, err2 := Marshal(&fresh)
	if err1 != nil || err2 != nil || bytes.Equal(before, after) {
		return v
	}
	return &fresh
}

// extraOver are the unknown members of old, less those that are given anew, and
// those that are unknown among the given.
func extraOver(old, given Raw, over map[string]Raw) Raw {
	members, unknown := map[string]Raw{}, map[string]Raw{}
	if old != nil && Unmarshal(old, &members) != nil || given != nil && Unmarshal(given, &unknown) != nil {
		return old
	}
	for name := range over {
		delete(members, name)
		if value, ok := unknown[name]; ok {
			members[name] = value
		}
	}
	if len(members) == 0 {
		return nil
	}
	raw, err := Marshal(members)
	if err != nil {
		return old
	}
	return raw
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
		if reflect.DeepEqual(s.Agents, a.Agents) {
			return s
		}
		return changed(s, func(s *RootState) { s.Agents = a.Agents })
	case *RootActiveSessionsChanged:
		if equal(s.ActiveSessions, &a.ActiveSessions) {
			return s
		}
		return changed(s, func(s *RootState) { s.ActiveSessions = &a.ActiveSessions })
	case *RootTerminalsChanged:
		terminals := present(a.Terminals)
		if reflect.DeepEqual(terminals, s.Terminals) {
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

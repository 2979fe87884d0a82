package keymap

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Problem is something that is wrong with what a person changed.
type Problem struct {
	ID      ID
	Applied bool   // the change counts all the same
	Text    string // what is wrong and what can be done, in a sentence
}

// String returns the problem with the ID that it is about.
func (p Problem) String() string { return fmt.Sprintf("keys: %s: %s", p.ID, p.Text) }

// New returns the map of a preset with a person's changes: for an ID the keys
// that do it from now on, none to unbind it. A change that cannot be is reported
// and left out, and the keys stay what they were, so that there is always a map
// that works.
func New(preset Preset, changes map[string][]string) (*Map, []Problem) {
	o := overlay{bindings: preset.bindings(), preset: preset, changed: map[ID]bool{}}
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		o.change(ID(name), changes[name])
	}
	o.settle()
	return newMap(o.bindings), o.problems
}

// overlay is a map that is being changed.
type overlay struct {
	bindings []Binding
	preset   Preset
	changed  map[ID]bool
	problems []Problem
}

// report adds a problem.
func (o *overlay) report(id ID, applied bool, format string, args ...any) {
	o.problems = append(o.problems, Problem{ID: id, Applied: applied, Text: fmt.Sprintf(format, args...)})
}

// change gives an ID other keys.
func (o *overlay) change(id ID, keys []string) {
	i := slices.IndexFunc(o.bindings, func(b Binding) bool { return b.ID == id })
	if i < 0 {
		o.report(id, false, "nothing has this name; did you mean %s?", strings.Join(similar(id), " or "))
		return
	}
	b := &o.bindings[i]
	if b.fixed {
		o.report(id, false, "it cannot be changed: it is the way out that always works")
		return
	}
	parsed, ok := o.parse(*b, keys)
	if !ok {
		return
	}
	if b.kept && len(parsed) == 0 {
		o.report(id, false, "it needs a key: it is the only way out there")
		return
	}
	b.Keys = parsed
	o.changed[id] = true
}

// parse returns the keys of a change as Bubble Tea spells them.
func (o *overlay) parse(b Binding, keys []string) (parsed []string, ok bool) {
	parsed = make([]string, 0, len(keys))
	for _, s := range keys {
		key, err := parseKey(s)
		if err != nil {
			o.report(b.ID, false, "%v", err)
			return nil, false
		}
		err = reachable(key)
		switch {
		case errors.Is(err, errSome):
			o.report(b.ID, true, "%s %v", key, err)
		case err != nil:
			o.report(b.ID, false, "%s cannot be bound: %v", key, err)
			return nil, false
		}
		if !b.active(key, Everywhere) {
			o.report(b.ID, false, "%s is text where this counts; choose a key with ctrl or alt, or a function key", key)
			return nil, false
		}
		if !slices.Contains(parsed, key) {
			parsed = append(parsed, key)
		}
	}
	return parsed, true
}

// settle takes changes back until no key does two things in one place. The
// presets have no conflicts, so it ends.
func (o *overlay) settle() {
	for {
		a, b, key, found := o.conflict()
		if !found {
			return
		}
		loser, other := b, a
		if !o.changed[b.ID] {
			loser, other = a, b
		}
		o.report(loser.ID, false, "%s is %s already (%s); change that too, or choose another key", key, other.ID, other.Long)
		o.restore(loser.ID)
	}
}

// restore gives an ID its own keys again.
func (o *overlay) restore(id ID) {
	for i, b := range o.preset.bindings() {
		if b.ID == id {
			o.bindings[i].Keys = b.Keys
		}
	}
	delete(o.changed, id)
}

// conflict finds a key that does two things in one place.
func (o *overlay) conflict() (a, b Binding, key string, found bool) {
	for i, a := range o.bindings {
		for _, b := range o.bindings[i+1:] {
			for _, key := range a.Keys {
				if slices.Contains(b.Keys, key) && a.active(key, b.In) {
					return a, b, key, true
				}
			}
		}
	}
	return Binding{}, Binding{}, "", false
}

// similar returns the IDs that a person may have meant: those that are called most
// alike, of those that end alike if there are any.
func similar(id ID) []string {
	const few = 2
	_, verb, _ := strings.Cut(string(id), ".")
	var same, all []string
	for _, b := range defaults() {
		_, other, _ := strings.Cut(string(b.ID), ".")
		if verb != "" && other == verb {
			same = append(same, string(b.ID))
		}
		all = append(all, string(b.ID))
	}
	if len(same) > 0 {
		all = same
	}
	slices.SortStableFunc(all, func(a, b string) int {
		return distance(a, string(id)) - distance(b, string(id))
	})
	best := distance(all[0], string(id))
	return slices.DeleteFunc(all[:min(few, len(all))], func(s string) bool { return distance(s, string(id)) > best+1 })
}

// distance is the number of letters to change, add or leave out to get from a
// to b (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, before+1, row[j]+1)
		}
	}
	return row[len(b)]
}

package keymap

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Map is a set of bindings without conflicts. It is not changed after it was
// made.
type Map struct {
	bindings []Binding
	lookup   map[press]int // into bindings
}

// press is a key in one place.
type press struct {
	in  Context
	key string
}

// Default returns the map that nobody changed anything in.
func Default() *Map { return newMap(defaults()) }

// newMap makes a map of bindings that have no conflicts.
func newMap(bindings []Binding) *Map {
	m := &Map{bindings: bindings, lookup: map[press]int{}}
	for i, b := range bindings {
		for _, key := range b.Keys {
			for _, in := range places() {
				if b.active(key, in) {
					m.lookup[press{in, key}] = i
				}
			}
		}
	}
	return m
}

// places returns the single contexts.
func places() []Context {
	return []Context{Sessions, Transcript, Servers, Composer, Overlay, Form, Changes, Terminals, TerminalInput}
}

// Match returns what a key does in the place that has the keyboard. While text
// is typed (Composer, Form, TerminalInput), a printable key does nothing.
func (m *Map) Match(msg tea.KeyPressMsg, in Context) (ID, bool) {
	i, ok := m.lookup[press{in, spell(msg)}]
	if !ok {
		return "", false
	}
	return m.bindings[i].ID, true
}

// Index returns which of its keys was pressed for an ID, from 0 on, or -1 if it
// was none of them. It is the number of a CallOption.
func (m *Map) Index(msg tea.KeyPressMsg, id ID) int {
	return slices.Index(m.Binding(id).Keys, spell(msg))
}

// Binding returns the binding of an ID; it is empty for one that there is not.
func (m *Map) Binding(id ID) Binding {
	for _, b := range m.bindings {
		if b.ID == id {
			return b
		}
	}
	return Binding{}
}

// Hints returns what the footer names in a place, the most useful first.
// Unbound ones are left out.
func (m *Map) Hints(in Context) []Binding {
	var hints []Binding
	for _, b := range m.bindings {
		if b.Hint&in != 0 && b.Bound() {
			hints = append(hints, b)
		}
	}
	return hints
}

// Section is a part of the help.
type Section struct {
	Group    Group
	Bindings []Binding
}

// Help returns everything that can be done in the contexts, by group. Unbound
// ones are in it, so that a person sees that they can be bound. A key that
// works in the composer only when it is not printable counts as working there.
func (m *Map) Help(in Context) []Section {
	var help []Section
	for _, group := range Groups() {
		var bindings []Binding
		for _, b := range m.bindings {
			if b.Group == group && b.In&in != 0 {
				bindings = append(bindings, b)
			}
		}
		if len(bindings) > 0 {
			help = append(help, Section{group, bindings})
		}
	}
	return help
}

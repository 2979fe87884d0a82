package keymap

import (
	"slices"
	"testing"
)

// A preset has no conflicts, no key that a terminal cannot send, and everything that
// there is to do.
func TestPresetsAreInOrder(t *testing.T) {
	t.Parallel()
	for _, preset := range Presets() {
		o := overlay{bindings: preset.bindings(), changed: map[ID]bool{}}
		if a, b, key, found := o.conflict(); found {
			t.Errorf("%s: %s does both %s and %s", preset, key, a.ID, b.ID)
		}
		if len(o.bindings) != len(defaults()) {
			t.Errorf("%s: %d of %d are there", preset, len(o.bindings), len(defaults()))
		}
		for _, b := range o.bindings {
			if !b.Bound() {
				t.Errorf("%s: %s has no key", preset, b.ID)
			}
			for i, key := range b.Keys {
				if spelled, err := parseKey(key); err != nil || spelled != key || slices.Contains(b.Keys[:i], key) {
					t.Errorf("%s: %s has %q: %v", preset, b.ID, key, err)
				}
				if err := reachable(key); err != nil && i == 0 {
					t.Errorf("%s: the first key of %s, %s: %v", preset, b.ID, key, err)
				}
			}
		}
	}
}

// In the plain preset nothing that moves is a letter.
func TestPlainMovesWithoutLetters(t *testing.T) {
	t.Parallel()
	m, problems := New(Plain, nil)
	if len(problems) > 0 {
		t.Error(problems)
	}
	for _, b := range m.bindings {
		if b.Group == GroupMove && slices.ContainsFunc(b.Keys, letter) {
			t.Errorf("%s is %q", b.ID, b.Keys)
		}
	}
	for key, want := range map[string]ID{"\x1b[A": MoveUp, "\x1b[1;5F": MoveBottom, "\x1bOQ": BlockNext, "\x0e": SessionNew, "k": ""} {
		if got, _ := m.Match(typed(t, key), Sessions); got != want {
			t.Errorf("%q does %q, want %q", key, got, want)
		}
	}
}

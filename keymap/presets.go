package keymap

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// Preset names a set of bindings that a person's own changes are made to.
type Preset string

// The presets.
const (
	Vim   Preset = "vim"   // letters move, as in vi, and other keys too
	Plain Preset = "plain" // nothing that moves is a letter; function keys do what is done often
)

// Presets returns them, the default first.
func Presets() []Preset { return []Preset{Vim, Plain} }

// bindings is the table of the preset; one that there is not is the default.
func (p Preset) bindings() []Binding {
	all := defaults()
	if p == Plain {
		for i := range all {
			all[i].plain()
		}
	}
	return all
}

// plain makes a binding one of the plain preset.
func (b *Binding) plain() {
	first := plainKeys()[b.ID]
	usual := slices.DeleteFunc(slices.Clone(b.Keys), func(key string) bool { return slices.Contains(first, key) })
	if b.Group == GroupMove || b.ID == OverlayClose {
		usual = slices.DeleteFunc(usual, letter)
	}
	b.Keys = slices.Concat(first, usual)
}

// letter reports whether a key is a letter without anything held down but shift.
func letter(key string) bool {
	r, size := utf8.DecodeRuneInString(key)
	return size == len(key) && unicode.IsLetter(r)
}

// plainKeys are those that come before the usual ones.
func plainKeys() map[ID][]string {
	return map[ID][]string{
		AppHelp:       {"f1"},
		BlockNext:     {"f2"},
		Palette:       {"f3"},
		ComposerFocus: {"f4"},
		HostRefresh:   {"f5"},
		SessionNew:    {"ctrl+n"},
		AppQuit:       {"ctrl+q", "f10"},
		HalfUp:        {"ctrl+up"},
		HalfDown:      {"ctrl+down"},
		MoveTop:       {"ctrl+home"},
		MoveBottom:    {"ctrl+end"},
	}
}

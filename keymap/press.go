package keymap

import (
	"slices"
	"strconv"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// Press returns the press of a key by its name, as a binding or a label has it:
// what a person points at is pressed like what they type. It is an error if the
// name is no key's.
func Press(name string) (tea.KeyPressMsg, error) {
	for key, sign := range signs {
		if name == sign {
			name = key
		}
	}
	spelled, err := parseKey(name)
	if err != nil {
		return tea.KeyPressMsg{}, err
	}
	mods, base, err := splitKey(spelled)
	if err != nil {
		return tea.KeyPressMsg{}, err
	}
	key := tea.Key{Code: codeOf(base)}
	for _, mod := range mods {
		key.Mod |= masks[slices.Index(modifiers, mod)]
	}
	switch {
	case len(mods) > 0:
	case base == "space":
		key.Text = " "
	case utf8.RuneCountInString(base) == 1:
		key.Text = base
	}
	return tea.KeyPressMsg(key), nil
}

// masks are the modifiers in the order of their names.
var masks = []tea.KeyMod{tea.ModCtrl, tea.ModAlt, tea.ModShift, tea.ModMeta, tea.ModHyper, tea.ModSuper}

// codeOf is the code of a key without modifiers.
func codeOf(base string) rune {
	if utf8.RuneCountInString(base) == 1 {
		r, _ := utf8.DecodeRuneInString(base)
		return r
	}
	if functionKey(base) {
		n, _ := strconv.Atoi(base[1:])
		return tea.KeyF1 + rune(n-1)
	}
	codes := []rune{
		tea.KeyEnter, tea.KeyTab, tea.KeyBackspace, tea.KeyEscape, tea.KeySpace, tea.KeyUp, tea.KeyDown, tea.KeyLeft, tea.KeyRight,
		tea.KeyInsert, tea.KeyDelete, tea.KeyHome, tea.KeyEnd, tea.KeyPgUp, tea.KeyPgDown,
	}
	return codes[slices.Index(named, base)]
}

package keymap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// spell returns the name of a pressed key as bindings have it. On a keyboard
// without Latin letters the key is known by its place, if the terminal tells.
func spell(msg tea.KeyPressMsg) string {
	r, size := utf8.DecodeRuneInString(msg.Text)
	if size == 0 || r < utf8.RuneSelf || msg.BaseCode == 0 {
		return msg.String()
	}
	if msg.Mod.Contains(tea.ModShift) {
		return string(unicode.ToUpper(msg.BaseCode))
	}
	return string(msg.BaseCode)
}

// printable reports whether a key is text when text is typed.
func printable(key string) bool {
	return key == "space" || utf8.RuneCountInString(key) == 1
}

// modifiers in the order in which Bubble Tea names them.
var modifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// named are the keys that have names, apart from the function keys.
var named = []string{
	"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right",
	"insert", "delete", "home", "end", "pgup", "pgdown",
}

// otherNames are names that people use for keys and what they are called here.
var otherNames = map[string]string{
	"escape": "esc", "return": "enter", "cr": "enter", "del": "delete", "ins": "insert",
	"pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown", "spacebar": "space", " ": "space",
	"bs": "backspace", "control": "ctrl", "option": "alt", "opt": "alt", "cmd": "super",
}

// parseKey returns a key as Bubble Tea spells it.
func parseKey(s string) (string, error) {
	mods, base, err := splitKey(s)
	if err != nil {
		return "", err
	}
	if utf8.RuneCountInString(base) == 1 && len(mods) > 0 {
		if slices.Equal(mods, []string{"shift"}) {
			return shifted(s, base)
		}
		base = strings.ToLower(base)
	}
	if slices.Equal(mods, []string{"ctrl"}) && base == "@" {
		base = "space"
	}
	slices.SortFunc(mods, func(a, b string) int { return slices.Index(modifiers, a) - slices.Index(modifiers, b) })
	return strings.Join(append(slices.Compact(mods), base), "+"), nil
}

// shifted returns the letter that shift makes of another. What it makes of
// other keys depends on the keyboard.
func shifted(s, base string) (string, error) {
	r, _ := utf8.DecodeRuneInString(base)
	if !unicode.IsLetter(r) {
		return "", fmt.Errorf("%q depends on the keyboard: name the character that it types", s)
	}
	return string(unicode.ToUpper(r)), nil
}

// splitKey takes a key apart and gives the parts their names.
func splitKey(s string) (mods []string, base string, err error) {
	rest := s
	for {
		i := strings.IndexByte(rest, '+')
		if i <= 0 || i == len(rest)-1 {
			break
		}
		mod := strings.ToLower(strings.TrimSpace(rest[:i]))
		if name, ok := otherNames[mod]; ok {
			mod = name
		}
		if !slices.Contains(modifiers, mod) {
			return nil, "", fmt.Errorf("%q: %q is no modifier; there are %s", s, rest[:i], strings.Join(modifiers, ", "))
		}
		mods = append(mods, mod)
		rest = rest[i+1:]
	}
	if rest != " " {
		rest = strings.TrimSpace(rest)
	}
	if utf8.RuneCountInString(rest) == 1 && rest != " " {
		r, _ := utf8.DecodeRuneInString(rest)
		if !unicode.IsPrint(r) {
			return nil, "", fmt.Errorf("%q is no key", s)
		}
		return mods, rest, nil
	}
	name := strings.ToLower(rest)
	if other, ok := otherNames[name]; ok {
		name = other
	}
	if !slices.Contains(named, name) && !functionKey(name) {
		return nil, "", fmt.Errorf("%q is no key", s)
	}
	return mods, name, nil
}

// functionKey reports whether name is f1 to f20.
func functionKey(name string) bool {
	for i := 1; i <= 20; i++ {
		if name == fmt.Sprintf("f%d", i) {
			return true
		}
	}
	return false
}

// errSome marks a key that works, but not on every terminal.
var errSome = errors.New("works only on terminals with the Kitty keyboard protocol")

// reachable returns why a key cannot be bound, or errSome, or nil. A terminal
// sends most control keys as one of 32 bytes, and some of them are other keys'.
// (ECMA-48; XTerm control sequences, "PC-Style Function Keys"; Kitty keyboard
// protocol, "Legacy text keys".)
func reachable(key string) error {
	switch key {
	case "ctrl+i":
		return errors.New("a terminal sends the same byte for ctrl+i and tab")
	case "ctrl+m":
		return errors.New("a terminal sends the same byte for ctrl+m and enter")
	case "ctrl+[":
		return errors.New("a terminal sends the same byte for ctrl+[ and esc")
	case "ctrl+h":
		return errors.New("many terminals send ctrl+h for backspace")
	case "ctrl+?":
		return errors.New("a terminal sends the same byte for ctrl+? and backspace")
	case "alt+[", "alt+]", "alt+^", "alt+_", "alt+shift+o", "alt+shift+p", "alt+shift+x":
		return errors.New("it begins the sequences that a terminal sends for other keys")
	}
	mods, base, err := splitKey(key)
	if err != nil {
		return err
	}
	return reachableWith(mods, base)
}

// reachableWith is reachable for a key with modifiers.
func reachableWith(mods []string, base string) error {
	has := func(mod string) bool { return slices.Contains(mods, mod) }
	if has("meta") || has("hyper") || has("super") {
		return errSome
	}
	switch base {
	case "enter", "esc", "backspace":
		if has("shift") || has("ctrl") {
			return errSome
		}
	case "tab":
		if has("ctrl") || has("alt") {
			return errSome
		}
	case "space":
		if has("shift") {
			return errSome
		}
	}
	if utf8.RuneCountInString(base) > 1 || !has("ctrl") {
		return nil
	}
	if has("shift") || !strings.ContainsAny(base, "abcdefghijklmnopqrstuvwxyz\\]^_") {
		return errSome
	}
	return nil
}

// label is a key as it is shown.
func label(key string, ascii bool) string {
	if ascii {
		return key
	}
	if sign, ok := signs[key]; ok {
		return sign
	}
	return key
}

// signs are the keys that have a sign, where there are others than ASCII.
var signs = map[string]string{"enter": "⏎", "up": "↑", "down": "↓", "left": "←", "right": "→"}

package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Screen is how the terminal interface looks and behaves.
type Screen struct {
	// Theme is the name of a theme, one that there is or one of a person's own (see [LoadTheme]).
	Theme string `toml:"theme"`
	// ASCII draws frames and signs with ASCII only. [File.Says] tells whether the person has said so: if not, it
	// depends on the terminal.
	ASCII bool `toml:"ascii"`
	// AmbiguousWidth is how many columns the terminal takes for characters of which Unicode does not say it, 1 or 2
	// (UAX #11, East Asian Ambiguous).
	AmbiguousWidth int `toml:"ambiguous_width"`
	// Mouse lets the mouse be used. Then the terminal selects text only with a key held down, mostly shift.
	Mouse bool `toml:"mouse"`
	// Bell rings, and Notify shows a notification of the desktop (off, osc9 or osc777), when something begins to wait.
	Bell   bool   `toml:"bell"`
	Notify string `toml:"notify"`
	// KeysPreset is the set of keys that Keys changes: vim or plain.
	KeysPreset string `toml:"keys_preset"`
	// KeyTable is the keys as they were written. Keys is what they mean: the keys by the name of what they do, none to
	// unbind it.
	KeyTable map[string]any      `toml:"keys"`
	Keys     map[string][]string `toml:"-"`
}

func defaultScreen() Screen {
	return Screen{Theme: "default", AmbiguousWidth: 1, Mouse: true, Notify: "off", KeysPreset: "vim"}
}

func (f *File) checkScreen() error {
	for _, choice := range []struct {
		key, value string
		of         []string
	}{
		{"notify", f.Notify, []string{"off", "osc9", "osc777"}},
		{"keys_preset", f.KeysPreset, []string{"vim", "plain"}},
	} {
		if !slices.Contains(choice.of, choice.value) {
			return f.Wrong(choice.key, fmt.Errorf("there is no %q", choice.value), "write one of "+strings.Join(choice.of, ", "))
		}
	}
	if f.AmbiguousWidth != 1 && f.AmbiguousWidth != 2 {
		return f.Wrong("ambiguous_width", fmt.Errorf("no terminal takes %d columns for a character", f.AmbiguousWidth), "write 1 or 2")
	}
	if err := checkThemeName(f.Theme); err != nil {
		return f.Wrong("theme", err, "write the name of a theme, such as dark")
	}
	f.Keys = map[string][]string{}
	return f.addKeys("", f.KeyTable)
}

// addKeys takes the keys of a table. A name with a dot in it may stand there without quotes, and is a table in a table then.
func (f *File) addKeys(prefix string, table map[string]any) error {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		id := prefix + name
		if inner, ok := table[name].(map[string]any); ok {
			if err := f.addKeys(id+".", inner); err != nil {
				return err
			}
			continue
		}
		keys, ok := keyList(table[name])
		if !ok {
			return f.Wrong("keys."+id, errors.New("its value is no key"), `write "x", or ["x", "y"] for several, or [] for none`)
		}
		f.Keys[id] = keys
	}
	return nil
}

// keyList is the keys of a value: a text, or a list of them.
func keyList(value any) ([]string, bool) {
	if key, ok := value.(string); ok {
		return []string{key}, true
	}
	list, ok := value.([]any)
	keys := make([]string, 0, len(list))
	for _, v := range list {
		key, isText := v.(string)
		ok = ok && isText
		keys = append(keys, key)
	}
	return keys, ok
}

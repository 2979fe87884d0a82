package testkit

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The classic encoding of keys, as xterm sends them without any keyboard extension.
// See https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h2-PC-Style-Function-Keys.

const (
	modShift = 1 << iota
	modAlt
	modCtrl
)

// cursorKey is the final byte of a key that is sent as CSI A, and with modifiers as CSI 1 ; m A. The arrows among them
// are sent as SS3 A in application mode, the function keys always.
func cursorKey(name string) (final byte, arrow, function bool) {
	switch name {
	case "up":
		return 'A', true, false
	case "down":
		return 'B', true, false
	case "right":
		return 'C', true, false
	case "left":
		return 'D', true, false
	case "home":
		return 'H', true, false
	case "end":
		return 'F', true, false
	case "f1":
		return 'P', false, true
	case "f2":
		return 'Q', false, true
	case "f3":
		return 'R', false, true
	case "f4":
		return 'S', false, true
	}
	return 0, false, false
}

// tildeKey is the number of a key that is sent as CSI n ~.
func tildeKey(name string) int {
	switch name {
	case "insert":
		return 2
	case "delete":
		return 3
	case "pgup":
		return 5
	case "pgdown":
		return 6
	case "f5":
		return 15
	case "f6":
		return 17
	case "f7":
		return 18
	case "f8":
		return 19
	case "f9":
		return 20
	case "f10":
		return 21
	case "f11":
		return 23
	case "f12":
		return 24
	}
	return 0
}

// plainKey is a key that is sent as one character.
func plainKey(name string) string {
	switch name {
	case "enter":
		return "\r"
	case "tab":
		return "\t"
	case "esc":
		return "\x1b"
	case "space":
		return " "
	case "backspace":
		return "\x7f"
	}
	if utf8.RuneCountInString(name) == 1 {
		return name
	}
	return ""
}

// encodeKey gives the bytes of a key by its name. application is the mode of the cursor keys (DECCKM).
func encodeKey(name string, application bool) (string, error) {
	key, mods := cutMods(name)
	if final, arrow, function := cursorKey(key); final != 0 {
		switch {
		case mods != 0:
			return fmt.Sprintf("\x1b[1;%d%c", mods+1, final), nil
		case function || arrow && application:
			return "\x1bO" + string(final), nil
		}
		return "\x1b[" + string(final), nil
	}
	if number := tildeKey(key); number != 0 {
		if mods != 0 {
			return fmt.Sprintf("\x1b[%d;%d~", number, mods+1), nil
		}
		return fmt.Sprintf("\x1b[%d~", number), nil
	}
	seq := plainKey(key)
	if seq == "" {
		return "", fmt.Errorf("%q is no key", name)
	}
	if key == "tab" && mods == modShift {
		return "\x1b[Z", nil
	}
	if mods&modShift != 0 {
		return "", fmt.Errorf("%q: a terminal sends no shift with this key; name the character it makes", name)
	}
	if mods&modCtrl != 0 {
		c, ok := control(seq[0])
		if len(seq) != 1 || !ok {
			return "", fmt.Errorf("%q: a terminal sends no ctrl with this key", name)
		}
		seq = string(rune(c))
	}
	if mods&modAlt != 0 {
		seq = "\x1b" + seq
	}
	return seq, nil
}

// cutMods takes the modifiers off a name. The last part is always the key, so that "+" and "ctrl++" are keys.
func cutMods(name string) (key string, mods int) {
	for {
		mod, rest, found := strings.Cut(name, "+")
		if !found || rest == "" {
			return name, mods
		}
		switch mod {
		case "shift":
			mods |= modShift
		case "alt":
			mods |= modAlt
		case "ctrl":
			mods |= modCtrl
		default:
			return name, mods
		}
		name = rest
	}
}

// control is the control character of a key, where there is one of its own.
func control(key byte) (byte, bool) {
	switch {
	case key == ' ' || key == '@':
		return 0, true
	case key >= 'a' && key <= 'z':
		return key & 0x1f, true
	case key >= '[' && key <= '_':
		return key & 0x1f, true
	}
	return 0, false
}

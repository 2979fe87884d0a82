package terminal

import (
	"strconv"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// encode is what a terminal sends for a key (XTerm control sequences, "PC-Style
// Function Keys"), "" where there is nothing for it. With cursorKeys arrows have
// their application form (DECCKM).
func encode(key tea.Key, cursorKeys bool) string {
	mod := key.Mod & (tea.ModShift | tea.ModAlt | tea.ModCtrl | tea.ModMeta)
	if mod.Contains(tea.ModMeta) {
		mod = mod&^tea.ModMeta | tea.ModAlt
	}
	if final, ok := cursorFinal(key.Code); ok {
		switch {
		case mod != 0:
			return "\x1b[1;" + modifier(mod) + string(final)
		case cursorKeys:
			return "\x1bO" + string(final)
		}
		return "\x1b[" + string(final)
	}
	if final, ok := functionFinal(key.Code); ok {
		if mod != 0 {
			return "\x1b[1;" + modifier(mod) + string(final)
		}
		return "\x1bO" + string(final)
	}
	if number, ok := editingNumber(key.Code); ok {
		if mod != 0 {
			return "\x1b[" + strconv.Itoa(number) + ";" + modifier(mod) + "~"
		}
		return "\x1b[" + strconv.Itoa(number) + "~"
	}
	s := typed(key, mod)
	if s != "" && mod.Contains(tea.ModAlt) {
		return "\x1b" + s
	}
	return s
}

// modifier is how the modifiers of a key are sent: one more than their bits.
func modifier(mod tea.KeyMod) string {
	n := 1
	for i, m := range []tea.KeyMod{tea.ModShift, tea.ModAlt, tea.ModCtrl} {
		if mod.Contains(m) {
			n += 1 << i
		}
	}
	return strconv.Itoa(n)
}

func cursorFinal(code rune) (rune, bool) {
	switch code {
	case tea.KeyUp, tea.KeyKpUp:
		return 'A', true
	case tea.KeyDown, tea.KeyKpDown:
		return 'B', true
	case tea.KeyRight, tea.KeyKpRight:
		return 'C', true
	case tea.KeyLeft, tea.KeyKpLeft:
		return 'D', true
	case tea.KeyHome, tea.KeyKpHome:
		return 'H', true
	case tea.KeyEnd, tea.KeyKpEnd:
		return 'F', true
	}
	return 0, false
}

func functionFinal(code rune) (rune, bool) {
	if code >= tea.KeyF1 && code <= tea.KeyF4 {
		return 'P' + code - tea.KeyF1, true
	}
	return 0, false
}

func editingNumber(code rune) (int, bool) {
	switch code {
	case tea.KeyInsert, tea.KeyKpInsert:
		return 2, true
	case tea.KeyDelete, tea.KeyKpDelete:
		return 3, true
	case tea.KeyPgUp, tea.KeyKpPgUp:
		return 5, true
	case tea.KeyPgDown, tea.KeyKpPgDown:
		return 6, true
	}
	if code >= tea.KeyF5 && code <= tea.KeyF12 {
		return []int{15, 17, 18, 19, 20, 21, 23, 24}[code-tea.KeyF5], true
	}
	return 0, false
}

// typed is what is sent for the keys that are characters.
func typed(key tea.Key, mod tea.KeyMod) string {
	switch key.Code {
	case tea.KeyEnter, tea.KeyKpEnter:
		return "\r"
	case tea.KeyTab:
		if mod.Contains(tea.ModShift) {
			return "\x1b[Z"
		}
		return "\t"
	case tea.KeyEscape:
		return "\x1b"
	case tea.KeyBackspace:
		if mod.Contains(tea.ModCtrl) {
			return "\b"
		}
		return "\x7f"
	}
	if mod.Contains(tea.ModCtrl) {
		return control(key.Code)
	}
	if key.Text != "" {
		return strings.Map(noControl, key.Text)
	}
	if key.Code > unicode.MaxRune || !unicode.IsPrint(key.Code) {
		return ""
	}
	if mod.Contains(tea.ModShift) {
		return string(unicode.ToUpper(key.Code))
	}
	return string(key.Code)
}

func noControl(r rune) rune {
	if unicode.IsControl(r) {
		return -1
	}
	return r
}

// control is the control character of a key (ECMA-48, and what keyboards made of
// the digits).
func control(code rune) string {
	switch {
	case code >= 'a' && code <= 'z', code >= '@' && code <= '_':
		return string(code & 0x1f)
	case code == ' ' || code == '2':
		return "\x00"
	case code >= '3' && code <= '7':
		return string(code - '3' + 0x1b)
	case code == '8' || code == '?':
		return "\x7f"
	case code == '/' || code == '-':
		return "\x1f"
	}
	return ""
}

// pasted is what is sent for text that is pasted: line ends are the key that ends a
// line, and there are no other control characters, so that nothing in it is a key.
// With marks the program is told where it begins and ends (bracketed paste).
func pasted(text string, marks bool) string {
	text = strings.NewReplacer("\r\n", "\r", "\n", "\r").Replace(text)
	text = strings.Map(func(r rune) rune {
		if r == '\r' || r == '\t' {
			return r
		}
		return noControl(r)
	}, text)
	if marks {
		return "\x1b[200~" + text + "\x1b[201~"
	}
	return text
}

// Package editor is the text field of the composer and the forms.
//
// What is typed or pasted is kept as it is, but for control characters; what is
// drawn of it is cleaned, a grapheme cluster at a time, so that the cursor
// stands where it seems to. It reads and writes no clipboard: a terminal pastes
// by itself.
package editor

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// MaxBytes bounds the text of a field.
const MaxBytes = 256 << 10

// Model is a text field. The zero Model is an empty field of one line.
type Model struct {
	// Multiline fields wrap and may hold line ends; others scroll sideways.
	Multiline bool

	width, height int
	text          string
	at            int // the cursor: an offset in text, between clusters
	focused       bool
	refused       bool

	goal   int // the column that moving up and down keeps to, -1 for none
	top    int // the first row that is seen
	left   int // the first column that is seen, on one line
	rows   []row
	layout layout // what rows were made for
}

// SetSize sets the size of the field, in cells.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Value is what is typed.
func (m *Model) Value() string { return m.text }

// SetValue replaces what is typed and puts the cursor behind it. What is too
// long for a field is cut.
func (m *Model) SetValue(s string) {
	s = m.admit(s)
	if len(s) > MaxBytes {
		s = strings.ToValidUTF8(s[:MaxBytes], "")
	}
	m.text, m.at, m.goal, m.refused = s, len(s), -1, false
}

// Focus lets keys into the field.
func (m *Model) Focus() { m.focused = true }

// Blur keeps keys out. What is typed stays.
func (m *Model) Blur() { m.focused = false }

// Focused reports whether keys get into the field.
func (m *Model) Focused() bool { return m.focused }

// Refused reports whether the last thing put in was too long and was left out.
func (m *Model) Refused() bool { return m.refused }

// Insert puts text in at the cursor. What is too long for the field is left out
// as a whole.
func (m *Model) Insert(s string) {
	s = m.admit(s)
	if m.refused = len(m.text)+len(s) > MaxBytes; m.refused {
		return
	}
	m.replace(m.at, m.at, s)
}

// admit is what may be in the field of s: valid UTF-8 without control
// characters, with line feeds for line ends if there may be any.
func (m *Model) admit(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !m.Multiline {
		s = strings.TrimRight(s, "\r\n")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r':
			if m.Multiline {
				return '\n'
			}
			return ' '
		case r == '\t' && m.Multiline:
			return r
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// replace puts s in the place of text[from:to] and the cursor behind it.
func (m *Model) replace(from, to int, s string) {
	m.text = m.text[:from] + s + m.text[to:]
	m.at, m.goal = from+len(s), -1
}

// Update takes a key press or a paste, if the field has the focus. Enter is not
// text: whoever owns the field decides what it means.
func (m *Model) Update(msg tea.Msg) {
	if !m.focused {
		return
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		m.Insert(msg.Content)
	case tea.KeyPressMsg:
		m.refused = false
		if !m.command(msg.String()) && msg.Text != "" {
			m.Insert(msg.Text)
		}
	}
}

// command does what a key that is not text does, by the customs of terminals.
func (m *Model) command(key string) bool {
	switch key {
	case "left", "ctrl+b":
		m.move(m.before(m.at))
	case "right", "ctrl+f":
		m.move(m.after(m.at))
	case "alt+left", "ctrl+left", "alt+b":
		m.move(m.wordBefore(m.at))
	case "alt+right", "ctrl+right", "alt+f":
		m.move(m.wordAfter(m.at))
	case "home", "ctrl+a":
		m.move(m.lineStart(m.at))
	case "end", "ctrl+e":
		m.move(m.lineEnd(m.at))
	case "ctrl+home", "alt+<":
		m.move(0)
	case "ctrl+end", "alt+>":
		m.move(len(m.text))
	case "up", "ctrl+p":
		m.vertical(-1)
	case "down", "ctrl+n":
		m.vertical(1)
	default:
		return m.remove(key)
	}
	return true
}

// remove does what a key that deletes does.
func (m *Model) remove(key string) bool {
	switch key {
	case "backspace", "ctrl+h", "shift+backspace":
		m.replace(m.before(m.at), m.at, "")
	case "delete", "ctrl+d":
		m.replace(m.at, m.after(m.at), "")
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		m.replace(m.wordBefore(m.at), m.at, "")
	case "alt+d", "ctrl+delete", "alt+delete":
		m.replace(m.at, m.wordAfter(m.at), "")
	case "ctrl+u":
		m.replace(m.lineStart(m.at), m.at, "")
	case "ctrl+k":
		m.replace(m.at, m.lineEnd(m.at), "")
	default:
		return false
	}
	return true
}

func (m *Model) move(to int) { m.at, m.goal = to, -1 }

func (m *Model) lineStart(at int) int { return strings.LastIndexByte(m.text[:at], '\n') + 1 }

func (m *Model) lineEnd(at int) int {
	if i := strings.IndexByte(m.text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(m.text)
}

// before is where the cluster before at begins. Clusters are counted from the
// beginning of the line: where one begins cannot be told from its end.
func (m *Model) before(at int) int {
	if at == 0 {
		return 0
	}
	i := m.lineStart(at)
	if i == at {
		return at - 1
	}
	for {
		j := i + clusterLen(m.text[i:])
		if j >= at {
			return i
		}
		i = j
	}
}

// after is where the cluster at at ends.
func (m *Model) after(at int) int { return at + clusterLen(m.text[at:]) }

func (m *Model) wordBefore(at int) int {
	s := strings.TrimRightFunc(m.text[:at], unicode.IsSpace)
	return strings.LastIndexFunc(s, unicode.IsSpace) + 1
}

func (m *Model) wordAfter(at int) int {
	rest := strings.TrimLeftFunc(m.text[at:], unicode.IsSpace)
	if i := strings.IndexFunc(rest, unicode.IsSpace); i >= 0 {
		rest = rest[i:]
	} else {
		rest = ""
	}
	return len(m.text) - len(rest)
}

// Package help is the overlay that lists the keys, and the line of hints at the
// bottom of the screen.
package help

import (
	"strings"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Input is what the overlay lists.
type Input struct {
	Groups []Group
	Close  safetext.Text // the name of the key that closes the overlay
}

// Group is the keys of one context.
type Group struct {
	Title   safetext.Text
	Entries []Entry
}

// Entry is a key and what it does.
type Entry struct {
	Key  safetext.Text // such as "ctrl+g"
	Does safetext.Text // such as "next blocked"
	Off  safetext.Text // why it does nothing now, if so
}

// Groups are the keys of a map that count in a context. Off says why one does
// nothing now, or "" if it does; it may be nil.
func Groups(keys *keymap.Map, in keymap.Context, ascii bool, off func(keymap.ID) safetext.Text) []Group {
	var groups []Group
	for _, section := range keys.Help(in) {
		g := Group{Title: frame.Own(string(section.Group))}
		for _, b := range section.Bindings {
			e := entry(b, b.Labels(ascii), b.Long, off)
			if !b.Bound() {
				e.Key = safetext.Const("(no key)")
			}
			g.Entries = append(g.Entries, e)
		}
		groups = append(groups, g)
	}
	return groups
}

// Hints are the keys of a map that the footer names in a context.
func Hints(keys *keymap.Map, in keymap.Context, ascii bool, off func(keymap.ID) safetext.Text) []Entry {
	var entries []Entry
	for _, b := range keys.Hints(in) {
		entries = append(entries, entry(b, b.Label(ascii), b.Short, off))
	}
	return entries
}

func entry(b keymap.Binding, key, does string, off func(keymap.ID) safetext.Text) Entry {
	e := Entry{Key: frame.Own(key), Does: frame.Own(does)}
	if off != nil {
		e.Off = off(b.ID)
	}
	return e
}

// Footer draws hints in one line of exactly width columns, and says where each
// stands. Those that do not fit are left out from the end, so the most important
// come first.
func Footer(theme themes.Theme, hints []Entry, width int) (drawn string, spots []frame.Spot) {
	var line frame.Line
	column := 0
	for _, h := range hints {
		key, does := theme.Key, theme.KeyText
		if !h.Off.Empty() {
			key, does = theme.KeyOff, theme.KeyOff
		}
		hint := frame.Line{}.Add(key, h.Key).Gap(1).Add(does, h.Does)
		if column > 0 {
			column += 2
		}
		if column+hint.Width() > width {
			break
		}
		if column > 0 {
			line = line.Gap(2)
		}
		line = append(line, hint...)
		spots = append(spots, frame.Spot{From: column, To: column + hint.Width(), Key: h.Key})
		column += hint.Width()
	}
	return line.Fit(width, theme.Text), spots
}

// The size of the overlay: at most so wide, the keys in a column of their own.
const (
	maxBox    = 78
	keyColumn = 16
)

// Model is the overlay's own state: where it is scrolled to.
type Model struct {
	theme         themes.Theme
	width, height int // of the screen
	top           int
	lines         int // of the last View
}

// New returns the overlay at its beginning.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetSize sets the size of the whole screen, in cells; the overlay takes as
// much of it as it needs.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// View draws the overlay, a box with its border that is to be laid over the
// screen with frame.Overlay.
func (m *Model) View(in Input) string {
	inside := max(1, min(m.width, maxBox)-4)
	lines := m.list(in, inside)
	m.lines = len(lines)
	m.scroll(0)
	rows := min(len(lines), m.rows())
	padded := make([]string, 0, rows)
	for _, line := range lines[m.top : m.top+rows] {
		padded = append(padded, " "+line)
	}
	return frame.Box(m.theme, safetext.Const("Keys"), m.footer(in, rows), strings.Join(padded, "\n"), min(m.width, maxBox), min(m.height, rows+2))
}

// rows is how many lines there is room for.
func (m *Model) rows() int { return max(0, m.height-2) }

// footer says how the overlay is closed and where there is more.
func (m *Model) footer(in Input, rows int) safetext.Text {
	var words []string
	if !in.Close.Empty() {
		words = append(words, in.Close.String()+" close")
	}
	if m.top > 0 {
		words = append(words, m.theme.Signs.Above+" more")
	}
	if m.top+rows < m.lines {
		words = append(words, m.theme.Signs.Below+" more")
	}
	return frame.Own(strings.Join(words, "  "))
}

// list is all lines of the overlay.
func (m *Model) list(in Input, width int) []string {
	var lines []string
	for i, g := range in.Groups {
		if i > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, frame.Line{}.Add(m.theme.HeadingFocus, g.Title).Fit(width, m.theme.Text))
		for _, e := range g.Entries {
			lines = append(lines, m.entry(e, width)...)
		}
	}
	return lines
}

// entry is a key with what it does beside it, or below it where that is too
// narrow.
func (m *Model) entry(e Entry, width int) []string {
	style, does := m.theme.Key, e.Does
	if !e.Off.Empty() {
		style = m.theme.KeyOff
		does = safetext.Concat(e.Does, safetext.Const(" ("), e.Off, safetext.Const(")"))
	}
	beside := width - keyColumn
	if beside < 16 {
		lines := []string{frame.Line{}.Add(style, e.Key).Fit(width, m.theme.Text)}
		for _, t := range does.Wrap(width - 2) {
			lines = append(lines, frame.Line{}.Gap(2).Add(m.theme.KeyText, t).Fit(width, m.theme.Text))
		}
		return lines
	}
	var lines []string
	for i, t := range does.Wrap(beside) {
		key := frame.Line{}
		if i == 0 {
			key = key.Add(style, e.Key)
		}
		lines = append(lines, key.Fit(keyColumn-1, m.theme.Text)+" "+frame.Line{}.Add(m.theme.KeyText, t).Fit(beside, m.theme.Text))
	}
	return lines
}

func (m *Model) scroll(by int) { m.top = max(0, min(m.top+by, m.lines-m.rows())) }

// Up scrolls up one line.
func (m *Model) Up() { m.scroll(-1) }

// Down scrolls down one line.
func (m *Model) Down() { m.scroll(1) }

// PageUp scrolls up by a page.
func (m *Model) PageUp() { m.scroll(-max(1, m.rows()-1)) }

// PageDown scrolls down by a page.
func (m *Model) PageDown() { m.scroll(max(1, m.rows()-1)) }

// HalfUp scrolls up by half a page.
func (m *Model) HalfUp() { m.scroll(-max(1, m.rows()/2)) }

// HalfDown scrolls down by half a page.
func (m *Model) HalfDown() { m.scroll(max(1, m.rows()/2)) }

// Home goes to the beginning.
func (m *Model) Home() { m.top = 0 }

// End goes to the end.
func (m *Model) End() { m.scroll(m.lines) }

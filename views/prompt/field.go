package prompt

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/themes"
	"ahptui/views/glyph"
)

// MaxField bounds what is typed into a field, in bytes: a path or a URL.
const MaxField = 8 << 10

// field is a text input that holds stand-ins for what is not ASCII.
type field struct {
	input  textinput.Model
	glyphs glyph.Table
	masked bool // what is typed is not shown
}

// newField returns a field with a text in it and the cursor behind that.
func newField(theme themes.Theme, text string) field {
	input := textinput.New()
	input.Prompt = ""
	input.SetVirtualCursor(false)
	plain := textinput.StyleState{Text: theme.Text}
	input.SetStyles(textinput.Styles{Focused: plain, Blurred: plain})
	input.KeyMap.Paste = key.NewBinding() // the clipboard is the terminal's
	f := field{input: input}
	f.insert(text)
	return f
}

// set replaces the text.
func (f *field) set(s string) {
	f.input.SetValue("")
	f.glyphs.Reset()
	f.insert(s)
}

// insert puts text in at the cursor; what is too long is left out as a whole.
func (f *field) insert(s string) {
	s = glyph.Typed(s, false)
	held, at := []rune(f.input.Value()), f.input.Position()
	before := f.glyphs.Joined(string(held[:at]), s)
	if len(f.value())+len(s) > MaxField {
		return
	}
	in, n := f.glyphs.In(before + s)
	if n < len(before+s) {
		return
	}
	head := held[:at]
	if before != "" {
		head = head[:at-1]
	}
	text := string(head) + in
	f.input.SetValue(text + string(held[at:]))
	f.input.SetCursor(utf8.RuneCountInString(text))
}

// update takes a key press or a paste, if the field has the focus.
func (f *field) update(msg tea.Msg) {
	if !f.focused() {
		return
	}
	switch msg := msg.(type) {
	case tea.PasteMsg:
		f.insert(msg.Content)
	case tea.KeyPressMsg:
		if msg.Text != "" {
			f.insert(msg.Text)
		} else {
			f.press(msg)
		}
	}
}

// press does what a key that is not text does.
func (f *field) press(msg tea.KeyPressMsg) {
	last := f.input.Position() == utf8.RuneCountInString(f.input.Value())-1
	if last && key.Matches(msg, f.input.KeyMap.DeleteWordForward) {
		msg = tea.KeyPressMsg{Code: tea.KeyDelete} // a text input panics when the word is its last character
	}
	f.input, _ = f.input.Update(msg) // its commands are the clipboard's and the virtual cursor's
}

func (f *field) value() string { return f.glyphs.Out(f.input.Value()) }
func (f *field) focus()        { _ = f.input.Focus() } // there is no virtual cursor that would blink
func (f *field) blur()         { f.input.Blur() }
func (f *field) focused() bool { return f.input.Focused() }

// view draws the part of the field around the cursor that fits into so many
// columns, and says in which of them the cursor is.
//
// A text input can scroll by itself, but its cursor does not go with it, and
// counts code points where there are columns.
func (f *field) view(width int) (line string, x int) {
	width = max(1, width)
	if f.masked {
		typed, at := utf8.RuneCountInString(f.input.Value()), f.input.Position()
		left := max(0, at-width+1)
		return strings.Repeat("*", min(typed-left, width)), at - left
	}
	at := 0 // the column of the cursor
	for _, r := range []rune(f.input.Value())[:f.input.Position()] {
		at += glyph.Width(r)
	}
	left := 0
	if at >= width {
		left = f.from(at - width + 1)
	}
	return ansi.Cut(f.glyphs.Show(f.input.View()), left, left+width), at - left
}

// from is the first column from col on in which a glyph begins.
func (f *field) from(col int) int {
	at := 0
	for _, r := range f.input.Value() {
		if at >= col {
			break
		}
		at += glyph.Width(r)
	}
	return at
}

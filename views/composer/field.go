package composer

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"

	"ahptui/themes"
	"ahptui/views/glyph"
)

// The bounds of what is typed.
const (
	MaxBytes = 256 << 10
	maxLines = 10_000 // what a text area of Bubbles takes
)

// Fits reports whether [Model.SetValue] takes all of a text.
func Fits(s string) bool { return len(s) <= MaxBytes && strings.Count(s, "\n") < maxLines }

// field is a text area that holds stand-ins for what is not ASCII. It is as
// high as its text, up to MaxLines, and scrolls beyond.
type field struct {
	area    textarea.Model
	glyphs  glyph.Table
	typed   string // what the area holds, as it was typed
	refused bool   // the last thing put in was too long and was left out

	drawn []string // the lines of the area as they are, nil if they have changed
	moved bool     // the area has not scrolled to the cursor since
}

func newField(theme themes.Theme) field {
	area := textarea.New()
	area.Prompt, area.ShowLineNumbers = "", false
	area.DynamicHeight, area.MaxHeight, area.MaxWidth = true, MaxLines, 0
	area.SetVirtualCursor(false)
	plain := textarea.StyleState{Text: theme.Text, CursorLine: theme.Text}
	area.SetStyles(textarea.Styles{Focused: plain, Blurred: plain, Cursor: textarea.CursorStyle{Blink: true}})
	area.KeyMap = keys(area.KeyMap)
	area.SetWidth(1) // it has a height of its own until its width changes
	return field{area: area}
}

// keys are the keys of a text area without those that are not its business:
// Enter and the paging keys are the owner's, and the clipboard is the
// terminal's. Without it, there is nothing to select for.
func keys(k textarea.KeyMap) textarea.KeyMap {
	none := key.NewBinding()
	k.InsertNewline, k.PageUp, k.PageDown = none, none, none
	k.Paste, k.CopySelection, k.SelectAll = none, none, none
	k.SelectCharacterForward, k.SelectCharacterBackward = none, none
	k.SelectWordForward, k.SelectWordBackward = none, none
	k.SelectLineUp, k.SelectLineDown = none, none
	return k
}

// widen sets the width of the area.
func (f *field) widen(width int) {
	if width = max(1, width); width != f.area.Width() {
		f.area.SetWidth(width)
		f.drawn, f.moved = nil, true
	}
}

// grow sets how many lines the area grows to.
func (f *field) grow(lines int) {
	if lines = max(1, lines); lines != f.area.MaxHeight {
		f.area.MaxHeight = lines
		f.area.SetHeight(lines)
		f.drawn, f.moved = nil, true
	}
}

// count is how many lines the text takes in so many columns, up to MaxLines.
func (f *field) count(width int) int {
	before := f.area.Width()
	f.widen(width)
	defer f.widen(before)
	return f.area.Height()
}

// view is the lines of the area, and the cursor in them, nil without focus.
func (f *field) view() (lines []string, cursor *tea.Cursor) {
	if f.moved {
		_ = f.area.View()                 // the area scrolls in what it has drawn
		f.area.SetHeight(f.area.Height()) // to the cursor
		f.moved = false
	}
	if f.drawn == nil {
		f.drawn = strings.Split(f.glyphs.Show(f.area.View()), "\n")
	}
	if cursor = f.area.Cursor(); cursor != nil {
		cursor.X = min(cursor.X, f.area.Width()-1)
	}
	return f.drawn, cursor
}

// set replaces the text.
func (f *field) set(s string) {
	s = glyph.Typed(s, true)
	if len(s) > MaxBytes {
		s = strings.ToValidUTF8(s[:MaxBytes], "")
	}
	if lines := strings.SplitAfterN(s, "\n", maxLines+1); len(lines) > maxLines {
		s = strings.TrimSuffix(s[:len(s)-len(lines[maxLines])], "\n")
	}
	f.glyphs.Reset()
	held, _ := f.glyphs.In(s)
	f.area.SetValue(held)
	f.refused, f.moved = false, true
	f.changed()
}

// insert puts text in at the cursor, or leaves it out as a whole.
func (f *field) insert(s string) {
	s = glyph.Typed(s, true)
	f.refused = len(f.typed)+len(s) > MaxBytes || f.area.LineCount()+strings.Count(s, "\n") > maxLines
	if f.refused {
		return
	}
	before := f.glyphs.Joined(f.before(s), s)
	held, n := f.glyphs.In(before + s)
	if f.refused = n < len(before+s); f.refused {
		return
	}
	if before != "" {
		f.area, _ = f.area.Update(tea.KeyPressMsg{Code: tea.KeyBackspace})
	}
	f.area, _ = f.area.Update(tea.PasteMsg{Content: held})
	f.changed()
}

// head is what is typed before the cursor.
func (f *field) head() string {
	lines := strings.SplitAfterN(f.area.Value(), "\n", f.area.Line()+2)
	line := []rune(lines[f.area.Line()])
	return f.glyphs.Out(strings.Join(lines[:f.area.Line()], "") + string(line[:min(f.area.Column(), len(line))]))
}

// replace puts text in the place of what is typed from start to end, with the
// cursor behind it, or leaves all as it is.
func (f *field) replace(start, end int, text string) bool {
	start = max(0, min(start, len(f.typed)))
	head, tail := f.typed[:start]+glyph.Typed(text, true), f.typed[max(start, min(end, len(f.typed))):]
	if !Fits(head + tail) {
		return false
	}
	f.set(head)
	line, column := f.area.Line(), f.area.Column()
	f.set(head + tail)
	for f.area.Line() > line {
		f.area.CursorUp()
	}
	f.area.SetCursorColumn(column)
	f.moved = true
	return true
}

// before is what the area holds of the line before the cursor, if it can matter
// to what is put in there.
func (f *field) before(s string) string {
	if s == "" || s[0] < utf8.RuneSelf {
		return ""
	}
	line := []rune(strings.Split(f.area.Value(), "\n")[f.area.Line()])
	return string(line[:f.area.Column()])
}

// press does what a key that is not text does.
func (f *field) press(msg tea.KeyPressMsg) {
	switch at := f.area.LineInfo(); {
	case key.Matches(msg, f.area.KeyMap.LinePrevious) && f.area.Line() == 0 && at.RowOffset == 0:
		f.area.MoveToBegin()
	case key.Matches(msg, f.area.KeyMap.LineNext) && f.area.Line() == f.area.LineCount()-1 && at.RowOffset == at.Height-1:
		f.area.MoveToEnd()
	default:
		f.area, _ = f.area.Update(msg) // its commands are the clipboard's and the virtual cursor's
	}
	f.changed()
}

// changed notes that the text or the cursor may be others.
func (f *field) changed() {
	f.typed = f.glyphs.Out(f.area.Value())
	f.drawn = nil
}

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

// field is a text area that holds stand-ins for what is not ASCII.
type field struct {
	area    textarea.Model
	glyphs  glyph.Table
	typed   string // what the area holds, as it was typed
	refused bool   // the last thing put in was too long and was left out

	lines      int // that the text takes in linesWidth columns, up to MaxLines
	linesWidth int
	drawn      []string // the lines of the area as they are, nil if they have changed
}

func newField(theme themes.Theme) field {
	area := textarea.New()
	area.Prompt, area.ShowLineNumbers = "", false
	area.DynamicHeight, area.MaxWidth = true, 0
	area.SetVirtualCursor(false)
	plain := textarea.StyleState{Text: theme.Text, CursorLine: theme.Text}
	area.SetStyles(textarea.Styles{Focused: plain, Blurred: plain, Cursor: textarea.CursorStyle{Blink: true}})
	area.KeyMap = keys(area.KeyMap)
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

// size sets the size in which the area is drawn. It takes no more lines than it
// needs.
func (f *field) size(width, height int) {
	width, height = max(1, width), max(1, height)
	if f.area.Width() == width && f.area.MaxHeight == height {
		return
	}
	f.area.MaxHeight = height
	f.area.SetWidth(width)
	f.drawn = nil
}

// count is how many lines the text takes in so many columns, up to MaxLines.
func (f *field) count(width int) int {
	width = max(1, width)
	if f.lines == 0 || f.linesWidth != width {
		before, height := f.area.Width(), f.area.MaxHeight
		f.size(width, MaxLines)
		f.lines, f.linesWidth = f.area.Height(), width
		f.size(before, height)
	}
	return f.lines
}

// view is the lines of the area, and the place of the cursor in them.
func (f *field) view() (lines []string, x, y int) {
	if f.drawn == nil {
		_ = f.area.View()                 // the area scrolls in what it has drawn
		f.area.SetHeight(f.area.Height()) // to the cursor
		f.drawn = strings.Split(f.glyphs.Show(f.area.View()), "\n")
	}
	if c := f.area.Cursor(); c != nil {
		x, y = min(c.X, f.area.Width()-1), c.Y
	}
	return f.drawn, x, y
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
	f.refused = false
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
	f.lines, f.drawn = 0, nil
}

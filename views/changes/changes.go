package changes

import (
	"strconv"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// Model is the panel's own state: which file is selected, whether its diff is open,
// and how far that is scrolled.
type Model struct {
	theme         themes.Theme
	width, height int
	cursor        list.Cursor[string]
	in            Input
	open          bool // the diff is
	above, top    int  // the rows above the files, and the first file that is seen
	sheet         sheet
}

// New returns a panel with nothing selected.
func New(theme themes.Theme) *Model { return &Model{theme: theme, sheet: sheet{theme: theme}} }

// SetTheme draws in another theme from now on.
func (m *Model) SetTheme(theme themes.Theme) { m.theme, m.sheet.theme = theme, theme }

// SetSize sets the size of the panel's inside, in cells.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Sync takes the input without drawing it. View does it too.
func (m *Model) Sync(in Input) {
	m.in = in
	m.SyncFiles(in.Files)
	if in.Files.Len == 0 {
		m.open = false
	}
	m.sheet.sync(in, max(1, m.width), m.rows())
}

// SyncFiles takes the files alone, for who wants to know which one is selected
// before there is what has changed in it.
func (m *Model) SyncFiles(f Files) { m.cursor.Sync(f.Len, f.ID) }

// Selected is the id of the selected file; ok is false if there is none.
func (m *Model) Selected() (id string, ok bool) {
	if m.cursor.Index() < 0 {
		return "", false
	}
	return m.cursor.Selected()
}

// Index is the place of the selected file, -1 where there is none.
func (m *Model) Index() int { return m.cursor.Index() }

// DiffOpen reports whether what has changed in the selected file is shown.
func (m *Model) DiffOpen() bool { return m.open }

// OpenDiff shows what has changed in the selected file.
func (m *Model) OpenDiff() {
	if m.cursor.Index() >= 0 {
		m.open = true
	}
}

// CloseDiff shows the files again; it reports whether it did not before.
func (m *Model) CloseDiff() bool {
	was := m.open
	m.open = false
	return was
}

// NextFile selects the next file, PreviousFile the one before.
func (m *Model) NextFile() { m.cursor.Move(1) }

// PreviousFile selects the file before.
func (m *Model) PreviousFile() { m.cursor.Move(-1) }

// NextChange goes to the next change in the file, PreviousChange to the one before.
// They report false where there is none.
func (m *Model) NextChange() bool { return m.open && m.sheet.change(1) }

// PreviousChange goes to the change before.
func (m *Model) PreviousChange() bool { return m.open && m.sheet.change(-1) }

// Seen is the first and the last line, of the file as it is now, of the change that
// is at the top of what is seen; ok is false where there is none.
func (m *Model) Seen() (first, last int, ok bool) {
	if !m.open {
		return 0, 0, false
	}
	return m.sheet.seen()
}

// rows are what is left below the line at the top.
func (m *Model) rows() int { return max(0, m.height-1) }

// View draws the panel.
func (m *Model) View(in Input, focused bool) string {
	m.Sync(in)
	lines := []string{m.head()}
	switch {
	case m.open:
		lines = append(lines, m.sheet.view()...)
	case in.Files.Len == 0:
		text := in.Empty
		if !in.Problem.Empty() {
			text = in.Problem
		}
		lines = append(lines, frame.Paragraph(m.theme.Empty, text, m.width)...)
	default:
		rows := m.rows()
		if !in.Problem.Empty() {
			problem := frame.Paragraph(m.theme.Error, in.Problem, m.width)
			problem = problem[:min(len(problem), m.height/3)]
			lines = append(lines, problem...)
			rows -= len(problem)
		}
		m.above, m.top = len(lines), m.cursor.Top(rows)
		for i := m.top; i < min(m.top+rows, in.Files.Len); i++ {
			lines = append(lines, m.row(in.Files.At(i), i == m.cursor.Index(), focused))
		}
	}
	return frame.Fit(lines, m.width, m.height)
}

// head is the line at the top: about all files, or about the one whose diff is open.
func (m *Model) head() string {
	if m.open {
		return m.fileHead()
	}
	in := m.in
	left := frame.Line{}.Gap(1).Add(m.theme.Strong, in.Label)
	if in.Stale {
		mark := m.theme.Badge(themes.MarkStale)
		left = left.Gap(1).Own(mark.Style, mark.Glyph+" "+mark.Word)
	} else if !in.State.Empty() {
		left = left.Gap(1).Add(m.theme.Dim, in.State)
	}
	if in.Files.Len == 0 {
		return left.Fit(m.width, m.theme.Text)
	}
	right := m.counts(in.Totals.Added, in.Totals.Removed)
	files := strconv.Itoa(in.Files.Len) + " files"
	if in.Files.Len == 1 {
		files = "1 file"
	}
	for _, words := range []string{strconv.Itoa(in.Totals.Reviewed) + " of " + files + " reviewed", files} {
		if longer := append(frame.Line{}.Own(m.theme.Dim, words).Gap(2), right...); left.Width()+longer.Width() < m.width {
			right = longer
			break
		}
	}
	return frame.Ends(left, right, m.width, m.theme.Text)
}

// fileHead is the line about the file whose diff is open.
func (m *Model) fileHead() string {
	i := m.cursor.Index()
	if i < 0 {
		return frame.Line{}.Fit(m.width, m.theme.Text)
	}
	f := m.in.Files.At(i)
	right := m.marks(f)
	right = append(right, frame.Line{}.Gap(2).Own(m.theme.Dim, strconv.Itoa(i+1)+"/"+strconv.Itoa(m.in.Files.Len))...)
	left := frame.Line{}.Gap(1).Own(m.changeStyle(f.Change), f.Change.letter()).Gap(1)
	path := f.Path
	if !f.From.Empty() {
		path = safetext.Concat(f.From, safetext.Const(" → "), f.Path)
	}
	word := frame.Line{}.Gap(1).Own(m.theme.Dim, f.Change.word())
	room := m.width - left.Width() - right.Width() - 1
	if room-word.Width() >= path.Width() {
		room -= word.Width()
	} else {
		word = nil
	}
	left = append(left.Add(m.theme.Strong, tail(path, max(8, room))), word...)
	return frame.Ends(left, right, m.width, m.theme.Text)
}

// row is the line of a file.
func (m *Model) row(f File, chosen, focused bool) string {
	const wordy = 50 // columns from which the change is a word too
	style := m.theme.Text
	switch {
	case m.in.Stale:
		style = m.theme.Stale
	case f.Reviewed:
		style = m.theme.Dim
	}
	change := m.changeStyle(f.Change)
	left := frame.Line{}.Gap(1).Own(change, f.Change.letter()).Gap(1)
	if m.width >= wordy {
		left = left.Add(change, frame.Own(f.Change.word()).Fit(8))
	}
	right := m.marks(f)
	path := f.Path
	if !f.From.Empty() {
		path = safetext.Concat(f.From, safetext.Const(" → "), f.Path)
	}
	left = left.Add(style, tail(path, max(8, m.width-left.Width()-right.Width()-1)))
	fill := m.theme.Text
	if chosen {
		fill = m.theme.SelectionDim
		if focused {
			fill = m.theme.Selection
		}
		left, right = left.In(fill), right.In(fill)
	}
	return frame.Ends(left, right, m.width, fill)
}

// marks are what stands at the right of a file: its notes, its lines, whether it was
// reviewed.
func (m *Model) marks(f File) frame.Line {
	var line frame.Line
	if f.Notes > 0 {
		words := " notes"
		if f.Notes == 1 {
			words = " note"
		}
		line = line.Own(m.theme.Warning, strconv.Itoa(f.Notes)+words).Gap(2)
	}
	line = append(line, m.counts(f.Added, f.Removed)...)
	if mark := m.theme.Badge(themes.MarkPending); f.Pending {
		line = line.Gap(1).Own(mark.Style, mark.Glyph)
	}
	if done := m.theme.Badge(themes.ToolCompleted); f.Reviewed {
		line = line.Gap(1).Own(done.Style, done.Glyph)
		const wordy = 48
		if m.width >= wordy {
			line = line.Gap(1).Own(done.Style, "reviewed")
		}
	}
	return line
}

// counts are numbers of lines.
func (m *Model) counts(added, removed int) frame.Line {
	if added < 0 && removed < 0 {
		return nil
	}
	return frame.Line{}.Own(m.theme.OK, "+"+strconv.Itoa(max(0, added))).Gap(1).Own(m.theme.Error, "-"+strconv.Itoa(max(0, removed)))
}

func (m *Model) changeStyle(c Change) lipgloss.Style {
	switch c {
	case Created:
		return m.theme.OK
	case Deleted:
		return m.theme.Error
	case Modified, Moved:
	}
	return m.theme.Warning
}

// tail is the end of a path that fits into so many columns: its name says more than
// where it is.
func tail(path safetext.Text, cols int) safetext.Text {
	if path.Width() <= cols {
		return path
	}
	runes := []rune(path.String())
	for from := max(1, len(runes)-cols); from < len(runes); from++ {
		if end := safetext.Clean(string(runes[from:]), 2*cols); end.Width() < cols {
			return safetext.Concat(safetext.Const("…"), end)
		}
	}
	return safetext.Const("…")
}

// Click selects the file in a row of the panel. It reports whether that was
// selected already.
func (m *Model) Click(row int) (again bool) {
	if m.open || m.in.Files.Len == 0 {
		return false
	}
	i := m.top + row - m.above
	if row < m.above || i >= m.in.Files.Len {
		return false
	}
	again = i == m.cursor.Index()
	m.cursor.Select(m.in.Files.ID(i))
	return again
}

// Wheel scrolls by so many rows, down if by is positive, and leaves the selection
// where it is.
func (m *Model) Wheel(by int) {
	if m.open {
		m.sheet.scroll(by)
		return
	}
	m.cursor.Scroll(by)
}

// Up selects the file above, or scrolls up.
func (m *Model) Up() { m.move(-1) }

// Down selects the file below, or scrolls down.
func (m *Model) Down() { m.move(1) }

// PageUp goes up by a page.
func (m *Model) PageUp() { m.move(-m.page()) }

// PageDown goes down by a page.
func (m *Model) PageDown() { m.move(m.page()) }

// HalfUp goes up by half a page.
func (m *Model) HalfUp() { m.move(-max(1, m.page()/2)) }

// HalfDown goes down by half a page.
func (m *Model) HalfDown() { m.move(max(1, m.page()/2)) }

// Home goes to the beginning.
func (m *Model) Home() {
	if m.open {
		m.sheet.home()
		return
	}
	m.cursor.Home()
}

// End goes to the end.
func (m *Model) End() {
	if m.open {
		m.sheet.end()
		return
	}
	m.cursor.End()
}

func (m *Model) page() int { return max(1, m.rows()-1) }

func (m *Model) move(by int) {
	if m.open {
		m.sheet.scroll(by)
		return
	}
	m.cursor.Move(by)
}

package servers

import (
	"slices"
	"strings"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// Model is the panel's own state: what is selected and where it is scrolled to.
type Model struct {
	theme         themes.Theme
	width, height int
	cursor        list.Cursor[Ref]
	top           int
	rows          []Ref // what each line of the last View is about, from the top
}

// New returns a panel with nothing selected.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetTheme draws in another theme from now on.
func (m *Model) SetTheme(theme themes.Theme) { m.theme = theme }

// SetSize sets the size of the panel's inside, in cells.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Sync takes the input without drawing it, so that moves act on what is there.
// View does it too.
func (m *Model) Sync(in Input) {
	var refs []Ref
	for _, g := range in.Groups {
		for _, r := range g.Rows {
			refs = append(refs, Ref{g.ID, r.ID})
		}
	}
	m.cursor.Sync(len(refs), func(i int) Ref { return refs[i] })
}

// View draws the panel: the servers, and below them, where there is room, all
// that is known about the selected one.
func (m *Model) View(in Input, focused bool) string {
	m.Sync(in)
	m.rows = m.rows[:0]
	if len(in.Groups) == 0 {
		return frame.Fit(frame.Paragraph(m.theme.Empty, in.empty(), m.width), m.width, m.height)
	}
	p := painter{theme: m.theme, width: m.width, focused: focused, stale: in.Stale}
	p.selected, p.some = m.cursor.Selected()
	above := p.age(in)
	if m.height <= minList {
		above = nil
	}
	height := m.height - len(above)
	lines, about := p.list(in, true)
	if len(lines) > height {
		lines, about = p.list(in, false)
	}
	detail := m.detail(in, p, height, len(lines))
	rows := height - len(detail)
	m.scroll(about, rows)
	end := min(m.top+max(0, rows), len(lines))
	m.rows = append(append(m.rows, make([]Ref, len(above))...), about[m.top:end]...)
	seen := slices.Concat(above, lines[m.top:end])
	for len(seen) < rows+len(above) {
		seen = append(seen, "")
	}
	return frame.Fit(append(seen, detail...), m.width, m.height)
}

// minList is the height from which on there is room for more than the list.
const minList = 2

// scroll keeps the selected server in sight, unless it was scrolled away from.
func (m *Model) scroll(about []Ref, rows int) {
	first, last := 0, 1
	if ref, ok := m.cursor.Selected(); ok && !m.cursor.Loose() {
		first = max(0, slices.Index(about, ref))
		for last = first + 1; last < len(about) && about[last] == ref; {
			last++
		}
	}
	if !m.cursor.Loose() {
		m.top = list.Scroll(m.top, len(about), rows, first, last)
	}
	m.top = max(0, min(m.top, len(about)-rows, len(about)))
}

// The room for the details of the selected server: what the list leaves over,
// at least a third of the panel, and nothing where that is less than minDetail.
const minDetail = 5

// detail is the block about the selected server, as much of it as there is room
// for below a list of so many lines.
func (m *Model) detail(in Input, p painter, height, lines int) []string {
	room := max(height-lines, height/3)
	row, ok := in.row(p.selected)
	if room < minDetail || !ok {
		return nil
	}
	detail := p.detail(row)
	if len(detail) > room {
		detail = append(detail[:room-1], frame.Line{}.Own(m.theme.Dim, safetext.Ellipsis()).Fit(m.width, m.theme.Dim))
	}
	return detail
}

// Up selects the server above.
func (m *Model) Up() { m.cursor.Move(-1) }

// Down selects the server below.
func (m *Model) Down() { m.cursor.Move(1) }

// PageUp goes up by a page.
func (m *Model) PageUp() { m.cursor.Move(-max(1, m.height-1)) }

// PageDown goes down by a page.
func (m *Model) PageDown() { m.cursor.Move(max(1, m.height-1)) }

// HalfUp goes up by half a page.
func (m *Model) HalfUp() { m.cursor.Move(-max(1, m.height/2)) }

// HalfDown goes down by half a page.
func (m *Model) HalfDown() { m.cursor.Move(max(1, m.height/2)) }

// Home selects the first server.
func (m *Model) Home() { m.cursor.Home() }

// End selects the last server.
func (m *Model) End() { m.cursor.End() }

// Select selects a server, also one that the next input brings.
func (m *Model) Select(ref Ref) { m.cursor.Select(ref) }

// Selected is the selected server; ok is false if there is none.
func (m *Model) Selected() (ref Ref, ok bool) { return m.cursor.Selected() }

// Click selects the server in a row of the panel. It reports whether that was
// selected already; it is not if there is none.
func (m *Model) Click(row int) (again bool) {
	if row < 0 || row >= len(m.rows) || m.rows[row] == (Ref{}) {
		return false
	}
	ref, _ := m.cursor.Selected()
	m.cursor.Select(m.rows[row])
	return ref == m.rows[row]
}

// Wheel scrolls by so many rows, down if by is positive, and leaves the selection
// where it is.
func (m *Model) Wheel(by int) {
	m.cursor.Scroll(by)
	m.top += by
}

// painter draws the parts of one screen.
type painter struct {
	theme    themes.Theme
	width    int
	focused  bool
	stale    bool
	selected Ref
	some     bool
}

// rule is a line across the panel with a word in it.
func (p painter) rule(word frame.Line) string {
	f := p.theme.Frame.Horizontal
	left := frame.Line{}.Own(p.theme.Border, f).Gap(1)
	left = append(left, word...).Gap(1)
	return left.Own(p.theme.Border, strings.Repeat(f, max(0, p.width-left.Width()))).Fit(p.width, p.theme.Border)
}

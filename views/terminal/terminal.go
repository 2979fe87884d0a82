package terminal

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// Model is the panel's own state: which terminal is selected, its screen, and how
// far that is scrolled back. The screen is the program's own: a virtual terminal
// draws the output into cells, and only the characters of those, cleaned, and their
// colours are drawn (see filter). Nothing that the output asks of a terminal is done
// or answered.
type Model struct {
	theme         themes.Theme
	width, height int
	cursor        list.Cursor[protocol.URI]
	follower      follower
	in            Input
	back          int    // lines scrolled back from the end
	pushed        uint64 // lines in the history of the screen at the last Sync
	drawn         drawn
}

// drawn is the screen as it was drawn last, and what it depends on.
type drawn struct {
	screen              *screen
	version             uint64
	back, width, height int
	typing              bool
	lines               string
}

// New returns a panel with nothing selected.
func New(theme themes.Theme) *Model {
	return &Model{theme: theme, follower: follower{painter: cellPainter{colourless: theme.Name == themes.Monochrome}}}
}

// SetTheme draws in another theme from now on; one with colours stays one with colours.
func (m *Model) SetTheme(theme themes.Theme) { m.theme = theme }

// SetSize sets the size of the panel's inside, in cells.
func (m *Model) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Sync takes the input without drawing it. View does it too.
func (m *Model) Sync(in Input) {
	m.in = in
	m.SyncRows(in.Rows)
	before := m.follower.screen
	if in.Content == nil {
		m.follower.screen, m.back = nil, 0
		return
	}
	m.follower.follow(*in.Content)
	s := m.follower.screen
	switch {
	case s != before:
		m.back = 0
	case m.back > 0: // what is read stays where it is
		m.back += int(min(s.pushed-m.pushed, maxHistory))
	}
	m.pushed = s.pushed
	m.back = min(m.back, m.most())
}

// SyncRows takes the terminals alone, for who wants to know which one is selected
// before there is its content.
func (m *Model) SyncRows(rows []Row) {
	m.cursor.Sync(len(rows), func(i int) protocol.URI { return rows[i].ID })
}

// Selected is the selected terminal; ok is false if there is none.
func (m *Model) Selected() (id protocol.URI, ok bool) { return m.cursor.Selected() }

// Select selects a terminal, also one that the next input brings.
func (m *Model) Select(id protocol.URI) { m.cursor.Select(id) }

// The parts of the panel from the top: the list, a line about the selected
// terminal, its screen.
type parts struct{ list, info, screen int }

func (m *Model) parts() parts {
	const roomy = 6 // lines, from which the line stands beside the list
	p := parts{list: min(max(1, len(m.in.Rows)), max(1, m.height/5)), info: 1}
	switch {
	case m.height < roomy && m.in.Typing:
		p.list = 0
	case m.height < roomy:
		p.info = 0
	}
	if m.height < 2 {
		return parts{list: min(p.list, m.height), info: min(p.info, m.height)}
	}
	p.screen = m.height - p.list - p.info
	return p
}

// Screen is the size in cells that the panel has for the screen of a terminal.
func (m *Model) Screen() (cols, rows int) { return m.width, m.parts().screen }

// View draws the panel.
func (m *Model) View(in Input, focused bool) string {
	m.Sync(in)
	if len(in.Rows) == 0 {
		lines := frame.Paragraph(m.theme.Empty, in.Empty, m.width)
		if in.Typing {
			lines = append([]string{m.info()}, lines...)
		}
		return frame.Fit(lines, m.width, m.height)
	}
	p := m.parts()
	lines := m.list(p.list, focused)
	if p.info > 0 {
		lines = append(lines, m.info())
	}
	if in.Content == nil {
		lines = append(lines, frame.Paragraph(m.theme.Empty, in.Empty, m.width)...)
		return frame.Fit(lines, m.width, m.height)
	}
	if p.screen > 0 {
		lines = append(lines, m.screen(p.screen))
	}
	return frame.Fit(strings.Split(strings.Join(lines, "\n"), "\n"), m.width, m.height)
}

// list draws so many of the terminals.
func (m *Model) list(rows int, focused bool) []string {
	top := m.cursor.Top(rows)
	var lines []string
	for i := top; i < min(top+rows, len(m.in.Rows)); i++ {
		lines = append(lines, m.row(m.in.Rows[i], i == m.cursor.Index(), focused))
	}
	return lines
}

// row is the line of a terminal.
func (m *Model) row(r Row, chosen, focused bool) string {
	badge := m.theme.Badge(themes.ToolRunning)
	word := safetext.Const("running")
	if r.Ended {
		badge, word = m.theme.Badge(themes.ServerStopped), r.Exit
	}
	style := m.theme.Text
	if m.in.Stale {
		style = m.theme.Stale
	}
	title := r.Title
	if title.Empty() {
		title = safetext.Const("(no title)")
	}
	left := frame.Line{}.Gap(1).Own(badge.Style, badge.Glyph).Gap(1).Add(style, title)
	right := frame.Line{}.Add(badge.Style, word)
	const least = 12 // columns that a title keeps beside its owner
	if whose := append(frame.Line{}.Add(m.theme.Dim, r.Owner).Gap(2), right...); m.width >= whose.Width()+least+1 {
		right = whose
	}
	fill := m.theme.Text
	if chosen {
		fill = m.theme.SelectionDim
		if focused && !m.in.Typing {
			fill = m.theme.Selection
		}
		left, right = left.In(fill), right.In(fill)
	}
	return frame.Ends(left, right, m.width, fill)
}

// info is the line about the selected terminal: while keys go to it, how that ends.
func (m *Model) info() string {
	if m.in.Typing {
		left := frame.Line{}.Gap(1).Own(m.theme.Prompt, "keys go to the terminal")
		right := frame.Line{}.Add(m.theme.Key, m.in.Leave).Gap(1).Own(m.theme.Prompt, "leaves it")
		if left.Width()+right.Width() >= m.width {
			return append(frame.Line{}.Gap(1), right...).Fit(m.width, m.theme.Text)
		}
		return frame.Ends(left, right, m.width, m.theme.Text)
	}
	left := frame.Line{}.Gap(1).Add(m.theme.Dim, m.in.Hint)
	return frame.Ends(left, m.about(m.width-left.Width()-1), m.width, m.theme.Text)
}

// about is what there is to know of the selected terminal, as much of it as there is
// room for.
func (m *Model) about(room int) frame.Line {
	c, i := m.in.Content, m.cursor.Index()
	if c == nil || i < 0 {
		return nil
	}
	if m.back > 0 {
		return frame.Line{}.Own(m.theme.Warning, m.theme.Signs.Below+" "+strconv.Itoa(m.back)+" lines below")
	}
	line := frame.Line{}.Own(m.theme.Dim, strconv.Itoa(c.Cols)+"x"+strconv.Itoa(c.Rows))
	if mark := m.theme.Badge(themes.MarkPending); c.Pending {
		line = append(frame.Line{}.Own(mark.Style, mark.Glyph).Gap(1), line...)
	}
	for _, text := range []safetext.Text{m.in.Rows[i].Owner, c.Cwd} {
		if longer := append(frame.Line{}.Add(m.theme.Dim, text).Gap(2), line...); !text.Empty() && longer.Width() <= room {
			line = longer
		}
	}
	return line
}

// window is which lines of the history and the screen are seen in so many rows.
// The end of the screen is where the program writes, if that is further up.
func (m *Model) window(rows int) (from, to int) {
	s := m.follower.screen
	past := s.past()
	_, y, _ := s.cursor()
	end := past + s.rows
	if s.rows > rows {
		end = past + min(s.rows, max(rows, y+1))
	}
	end -= m.back
	return max(0, end-rows), max(end, 0)
}

// most is how far one can scroll back.
func (m *Model) most() int {
	s := m.follower.screen
	if s == nil {
		return 0
	}
	rows := m.parts().screen
	back := m.back
	m.back = 0
	_, end := m.window(rows)
	m.back = back
	return max(0, end-rows)
}

// shift is how many columns of the screen are left of the panel, so that where the
// program writes is seen while one types.
func (m *Model) shift() int {
	s := m.follower.screen
	if x, _, _ := s.cursor(); m.in.Typing && m.back == 0 && x >= m.width {
		return x - m.width + 1
	}
	return 0
}

// screen draws the screen of the selected terminal, if it looks other than before.
func (m *Model) screen(rows int) string {
	s := m.follower.screen
	d := drawn{screen: s, version: s.version, back: m.back, width: m.width, height: rows, typing: m.in.Typing}
	now := m.drawn
	now.lines = ""
	if now == d {
		return m.drawn.lines
	}
	from, to := m.window(rows)
	left := m.shift()
	lines := make([]string, 0, rows)
	for i := from; i < min(to, s.past()+s.rows); i++ {
		line := s.line(i)
		if left > 0 {
			line = ansi.Cut(line, left, left+m.width)
		}
		lines = append(lines, line)
	}
	d.lines = frame.Fit(lines, m.width, rows)
	m.drawn = d
	return d.lines
}

// Cursor is where the program writes, in the panel, while keys go to it; nil where
// that is not seen.
func (m *Model) Cursor() *tea.Cursor {
	s, p := m.follower.screen, m.parts()
	if s == nil || !m.in.Typing || m.back > 0 || m.in.Content == nil {
		return nil
	}
	x, y, shown := s.cursor()
	from, _ := m.window(p.screen)
	x, y = x-m.shift(), s.past()+y-from
	if !shown || x < 0 || x >= m.width || y < 0 || y >= p.screen {
		return nil
	}
	return tea.NewCursor(x, p.list+p.info+y)
}

// Key is what the selected terminal is sent for a key, "" for nothing. The end of
// its screen is shown then.
func (m *Model) Key(key tea.Key) string {
	m.back = 0
	return encode(key, m.follower.screen != nil && m.follower.screen.modes.cursorKeys)
}

// Paste is what it is sent for text that is pasted, and whether the program is told
// that it is: else each line end does what the key does.
func (m *Model) Paste(text string) (sent string, marked bool) {
	m.back = 0
	marked = m.follower.screen != nil && m.follower.screen.modes.paste
	return pasted(text, marked), marked
}

// Click selects the terminal in a row of the panel. It reports whether that was
// selected already, or the row is one of its screen.
func (m *Model) Click(row int) (again bool) {
	p := m.parts()
	if row < 0 || row >= p.list {
		return row >= p.list+p.info
	}
	i := m.cursor.Top(p.list) + row
	if i >= len(m.in.Rows) {
		return false
	}
	again = i == m.cursor.Index()
	m.cursor.Select(m.in.Rows[i].ID)
	return again
}

// Wheel scrolls by so many lines, down if by is positive.
func (m *Model) Wheel(by int) { m.scroll(-by) }

// Up selects the terminal above.
func (m *Model) Up() { m.cursor.Move(-1) }

// Down selects the terminal below.
func (m *Model) Down() { m.cursor.Move(1) }

func (m *Model) scroll(by int) { m.back = max(0, min(m.back+by, m.most())) }

// PageUp scrolls back by a page.
func (m *Model) PageUp() { m.scroll(max(1, m.parts().screen-1)) }

// PageDown scrolls on by a page.
func (m *Model) PageDown() { m.scroll(-max(1, m.parts().screen-1)) }

// HalfUp scrolls back by half a page.
func (m *Model) HalfUp() { m.scroll(max(1, m.parts().screen/2)) }

// HalfDown scrolls on by half a page.
func (m *Model) HalfDown() { m.scroll(-max(1, m.parts().screen/2)) }

// Home scrolls back to the beginning of what is kept.
func (m *Model) Home() { m.back = m.most() }

// End scrolls to the end.
func (m *Model) End() { m.back = 0 }

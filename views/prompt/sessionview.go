package prompt

import (
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// maxOptions is how many options are shown at a time.
const maxOptions = 6

// sheet is the lines of the form as they are put together, and what they are about.
type sheet struct {
	lines       []string
	about       []spot
	first, last int // the lines of the field that has the keys
	x, y        int // of the cursor, y < 0 if there is none
}

func (s *sheet) add(about spot, line string) {
	s.lines = append(s.lines, line)
	s.about = append(s.about, about)
}

// View draws the form, a box with its border that is to be laid over the screen
// with frame.Overlay.
func (m *Session) View(in SessionInput) string {
	s := sheet{y: -1}
	for _, f := range m.settle(in) {
		from := len(s.lines)
		m.field(&s, f)
		if f.ID == m.at {
			s.first, s.last = from, len(s.lines)
		}
	}
	below := m.below(in)
	const borders = 2
	room := max(1, m.height-borders-len(below))
	rows := min(room, len(s.lines))
	m.top = list.Scroll(m.top, len(s.lines), rows, s.first, s.last)
	if s.y >= m.top+rows { // the field is higher than the room
		m.top = s.y - rows + 1
	}
	m.drawn = s.about[m.top : m.top+rows]
	m.cursor = nil
	if at := s.y - m.top; s.y >= 0 && at >= 0 && at < rows {
		m.cursor = tea.NewCursor(s.x+2, at+1) // the border, the blank column
	}
	more := ""
	if m.top > 0 {
		more += m.theme.Signs.Above
	}
	if m.top+rows < len(s.lines) {
		more += m.theme.Signs.Below
	}
	footer := hints(
		hint{m.keys.label(keymap.OverlayAccept), "create"}, hint{m.keys.label(keymap.OverlayNext), "next field"},
		hint{m.keys.label(keymap.OverlayClose), "cancel"}, hint{more, "more"},
	)
	return m.draw(safetext.Const("New session"), footer, append(s.lines[m.top:m.top+rows:m.top+rows], below...))
}

// below is what stands below the fields.
func (m *Session) below(in SessionInput) []string {
	t := m.theme
	switch {
	case in.Busy:
		return []string{m.words(frame.Line{}.Own(t.Pending, "asking the host"))}
	case !in.Failure.Empty():
		return m.paragraph(t.Error, in.Failure)
	}
	return m.paragraph(t.Dim, in.Notice)
}

func (m *Session) paragraph(style lipgloss.Style, text safetext.Text) []string {
	if text.Empty() {
		return nil
	}
	var lines []string
	for _, line := range text.Wrap(m.inside()) {
		lines = append(lines, m.words(frame.Line{}.Add(style, line)))
	}
	return lines
}

// field draws a field: its name, its value, and, where it has the keys, what it is for and what there is to choose from.
func (m *Session) field(s *sheet, f SessionField) {
	t, here := m.theme, spot{field: f.ID}
	style := t.Heading
	if f.ID == m.at {
		style = t.HeadingFocus
	}
	label := frame.Line{}.Add(style, f.Label)
	if f.ID == m.at && !f.Note.Empty() {
		label = label.Gap(2).Add(t.Dim, f.Note)
	}
	s.add(here, m.words(label))
	switch {
	case f.Typed:
		m.typed(s, f)
	case f.ID == m.at || f.ID == providerField:
		m.options(s, f)
	default:
		s.add(here, m.option(f, max(0, f.option(m.value(f)))))
	}
	if !f.Wrong.Empty() {
		for _, line := range m.paragraph(t.Error, f.Wrong) {
			s.add(here, line)
		}
	}
}

// typed draws a text, and below it what is suggested.
func (m *Session) typed(s *sheet, f SessionField) {
	t := m.theme
	const sign = 2
	room := m.inside() - sign
	if room <= 0 {
		return
	}
	line, x := m.fields[f.ID].view(room)
	if f.ID == m.at {
		s.x, s.y = x+sign, len(s.lines)
	}
	s.add(spot{field: f.ID}, frame.Line{}.Own(t.Composer, t.Signs.Composer).Gap(1).Fit(sign, t.Text)+frame.Fit([]string{line}, room, 1))
	if f.ID == m.at && len(f.Options) > 0 {
		m.options(s, f)
	}
}

// options draws what there is to choose from, as much as there is room for, with what is chosen in sight.
func (m *Session) options(s *sheet, f SessionField) {
	if len(f.Options) == 0 {
		s.add(spot{field: f.ID}, m.words(frame.Line{}.Own(m.theme.Warning, "the host offers nothing to make a session with")))
		return
	}
	chosen := f.option(m.value(f))
	rows := min(len(f.Options), maxOptions, max(1, m.height-maxOptions))
	top := list.Scroll(max(0, chosen-rows/2), len(f.Options), rows, max(0, chosen), max(0, chosen)+1)
	for i := top; i < top+rows; i++ {
		s.add(spot{f.ID, f.Options[i].ID, true}, m.option(f, i))
	}
}

func (m *Session) option(f SessionField, i int) string {
	t := m.theme
	if len(f.Options) == 0 {
		return m.words(nil)
	}
	o := f.Options[i]
	line := frame.Line{}.Gap(2).Add(t.Text, o.Name)
	if !o.Note.Empty() {
		line = line.Gap(2).Add(t.Dim, o.Note)
	}
	if i == f.option(m.value(f)) {
		style := t.SelectionDim
		if f.ID == m.at {
			style = t.Selection
		}
		line = append(frame.Line{}.Own(style, t.Signs.Folded).Gap(1), line[1:]...).In(style)
	}
	return m.words(line)
}

package prompt

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// Bounds of what is drawn of a request, in lines.
const (
	messageLines = 12 // of its message, and of that of a question
	optionLines  = 3  // of the option that has the keys
)

// page collects the lines of the form, and where the keys are in them.
type page struct {
	lines    []string
	from, to int // the lines to be seen
	x, y     int // the cursor; y < 0: there is none
	about    []place
}

// place is what a line is about: a question, or atLink, and one of its rows, -1 for
// none.
type place struct {
	id  string
	row int
}

// note says what the lines are about that were added since it was said last.
func (p *page) note(id string, row int) {
	for len(p.about) < len(p.lines) {
		p.about = append(p.about, place{id, row})
	}
}

// View draws the form, a box with its border that is to be laid over the screen
// with frame.Overlay.
func (m *Request) View(in RequestInput) string {
	m.settle(in)
	p := page{y: -1}
	if !in.Notice.Empty() {
		style := m.theme.Warning
		if in.Alarming {
			style = m.theme.Error
		}
		m.add(&p, style, in.Notice.Wrap(m.inside()), messageLines)
	}
	m.add(&p, m.theme.Text, in.Message.Wrap(m.inside()), messageLines)
	p.note("", -1)
	m.addLink(&p, in)
	p.note(atLink, -1)
	for i := range in.Questions {
		m.addQuestion(&p, in, i)
	}
	const borders = 2
	rows := max(1, min(len(p.lines), m.height-borders))
	m.top = list.Scroll(m.top, len(p.lines), rows, p.from, max(p.to, p.from+1))
	if p.y >= 0 { // whatever does not fit, the cursor does
		m.top = list.Scroll(m.top, len(p.lines), rows, p.y, p.y+1)
	}
	m.cursor = nil
	if p.y >= m.top && p.y < m.top+rows {
		m.cursor = tea.NewCursor(p.x+2, p.y-m.top+1) // the border and the blank column
	}
	m.seen = p.about[m.top:min(m.top+rows, len(p.about))]
	return m.draw(in.Title, m.footer(in, m.top > 0, m.top+rows < len(p.lines)), p.lines[m.top:min(m.top+rows, len(p.lines))])
}

// add adds text in at most so many lines.
func (m *Request) add(p *page, style lipgloss.Style, text []safetext.Text, most int) {
	if len(text) == 1 && text[0].Empty() {
		return
	}
	for i, t := range text {
		if i+1 == most && len(text) > most {
			t = safetext.Concat(t, safetext.Const(" "), text[most])
		}
		if i == most {
			return
		}
		p.lines = append(p.lines, m.words(frame.Line{}.Add(style, t)))
	}
}

// addLink adds the whole address, which is what a person has to judge.
func (m *Request) addLink(p *page, in RequestInput) {
	if in.Link.Text().Empty() {
		return
	}
	focused := m.at == atLink
	if focused {
		p.from = len(p.lines)
	}
	sign := frame.Line{}.Own(m.theme.Dim, "  ")
	if focused {
		sign = frame.Line{}.Own(m.theme.Prompt, m.theme.Signs.Folded+" ")
	}
	for _, line := range frame.Link(m.theme.Link, m.theme.Strong, in.Link, m.inside()-2) {
		p.lines = append(p.lines, m.words(append(sign, line...)))
		sign = frame.Line{}.Gap(2)
	}
	for _, word := range in.Link.Warn.Words() {
		m.add(p, m.theme.Warning, word.Wrap(m.inside()), 2)
	}
	if focused {
		p.to = len(p.lines)
	}
}

// addQuestion adds a question with what was answered so far.
func (m *Request) addQuestion(p *page, in RequestInput, i int) {
	q := &in.Questions[i]
	focused, e := q.ID == m.at, m.entry(q.ID)
	if len(p.lines) > 0 && m.height > 16 {
		p.lines = append(p.lines, m.words(nil))
	}
	p.note("", -1)
	start := len(p.lines)
	m.addHeading(p, in, i, focused)
	m.add(p, m.theme.Dim, q.Hint.Wrap(m.inside()), 2)
	row := len(p.lines)
	switch q.Asked {
	case AskedTyped:
		m.addField(p, e, "", focused)
	case AskedOne, AskedMany:
		row = m.addOptions(p, q, e, focused)
	case AskedUnknown:
		m.add(p, m.theme.Warning, safetext.Const("this kind of question is not known here: it cannot be answered from this program").Wrap(m.inside()), 2)
	}
	if !q.Wrong.Empty() {
		badge := m.theme.Badge(themes.ToolFailed)
		m.add(p, m.theme.Error, safetext.Concat(frame.Own(badge.Glyph+" "), q.Wrong).Wrap(m.inside()), 3)
	}
	m.add(p, m.theme.Pending, q.Note.Wrap(m.inside()), 3)
	p.note(q.ID, -1)
	if focused {
		p.from, p.to = start, len(p.lines)
		if rows := m.height - 2; p.to-p.from > rows { // what is done is more to the point than what is asked
			p.from, p.to = row, row+1
		}
	}
}

func (m *Request) addHeading(p *page, in RequestInput, i int, focused bool) {
	q, style := &in.Questions[i], m.theme.Heading
	if focused {
		style = m.theme.HeadingFocus
	}
	var mark safetext.Text
	if len(in.Questions) > 1 {
		mark = frame.Own(fmt.Sprintf("%d/%d ", i+1, len(in.Questions)))
	}
	if q.Required {
		mark = safetext.Concat(mark, safetext.Const("(required) "))
	}
	heading, body := q.Title, q.Message.Wrap(m.inside())
	if heading.Empty() && len(body) > 0 {
		first := safetext.Concat(mark, safetext.Clean(q.Message.String(), messageLines*maxBox))
		m.add(p, style, first.Wrap(m.inside()), messageLines)
		return
	}
	m.add(p, style, safetext.Concat(mark, heading).Wrap(m.inside()), 3)
	m.add(p, m.theme.Text, body, messageLines)
}

// addField adds the field of a question, behind a label.
func (m *Request) addField(p *page, e *entry, label string, focused bool) {
	sign := frame.Line{}.Own(m.theme.Dim, m.theme.Signs.Composer+" ")
	if focused && e.field.focused() {
		sign = frame.Line{}.Own(m.theme.Composer, m.theme.Signs.Composer+" ")
	}
	sign = sign.Own(m.theme.Text, label)
	room := max(1, m.inside()-sign.Width())
	typed, x := e.field.view(room)
	if focused && e.field.focused() {
		p.x, p.y = min(sign.Width()+x, max(0, m.inside()-1)), len(p.lines)
	}
	p.lines = append(p.lines, sign.Fit(min(sign.Width(), m.inside()), m.theme.Text)+frame.Fit([]string{typed}, max(0, m.inside()-sign.Width()), 1))
}

// addOptions adds the options, as many as there is room for, and the field for
// something else. It returns the line that has the keys.
func (m *Request) addOptions(p *page, q *Question, e *entry, focused bool) int {
	const around = 8 // the heading, the field, a note, the borders
	rows := min(len(q.Options), max(3, m.height-around))
	at := min(e.row, max(0, len(q.Options)-1))
	e.top = list.Scroll(e.top, len(q.Options), rows, at, at+1)
	row := len(p.lines)
	for i := e.top; i < e.top+rows; i++ {
		here := focused && i == e.row
		if here {
			row = len(p.lines)
		}
		p.note(q.ID, -1)
		m.addOption(p, q, e, i, here)
		p.note(q.ID, i)
	}
	if rows < len(q.Options) {
		m.add(p, m.theme.Dim, []safetext.Text{frame.Own(fmt.Sprintf("  %d to %d of %d", e.top+1, e.top+rows, len(q.Options)))}, 1)
	}
	if q.Freeform {
		if focused && e.row >= len(q.Options) {
			row = len(p.lines)
		}
		p.note(q.ID, -1)
		m.addField(p, e, m.mark(q, e.other || q.Asked == AskedMany && e.field.value() != "")+" other: ", focused)
		p.note(q.ID, len(q.Options))
	}
	return row
}

func (m *Request) addOption(p *page, q *Question, e *entry, i int, here bool) {
	o := q.Options[i]
	number := "  "
	if i < 9 {
		number = fmt.Sprintf("%d ", i+1)
	}
	sign := "  "
	if here {
		sign = m.theme.Signs.Folded + " "
	}
	head := frame.Line{}.Own(m.theme.Prompt, sign).Own(m.theme.Key, number).Own(m.theme.Text, m.mark(q, slices.Contains(e.chosen, o.ID))+" ")
	label := o.Label
	if label.Empty() {
		label = safetext.Clean(o.ID, maxBox)
	}
	if o.Recommended {
		label = safetext.Concat(label, safetext.Const(" (recommended)"))
	}
	if !here {
		p.lines = append(p.lines, m.words(head.Add(m.theme.Text, label).Gap(2).Add(m.theme.Dim, o.Description)))
		return
	}
	if !o.Description.Empty() {
		label = safetext.Concat(label, safetext.Const(": "), o.Description)
	}
	indent := head.Width()
	for n, t := range label.Wrap(max(1, m.inside()-indent)) {
		if n == optionLines {
			break
		}
		p.lines = append(p.lines, m.words(head.Add(m.theme.Selection, t)))
		head = frame.Line{}.Gap(indent)
	}
}

// mark shows whether something is chosen.
func (m *Request) mark(q *Question, chosen bool) string {
	switch {
	case q.Asked == AskedOne && chosen:
		return "(x)"
	case q.Asked == AskedOne:
		return "( )"
	case chosen:
		return "[x]"
	}
	return "[ ]"
}

// footer names the keys that work where they are.
func (m *Request) footer(in RequestInput, above, below bool) safetext.Text {
	var list []hint
	if above || below {
		more := ""
		if above {
			more += m.theme.Signs.Above
		}
		if below {
			more += m.theme.Signs.Below
		}
		list = append(list, hint{more, "more"})
	}
	q := m.question(in)
	last := len(in.Questions) == 0 || in.Questions[len(in.Questions)-1].ID == m.at
	enter := "next"
	if last {
		enter = "send"
	}
	if q != nil && !q.typing(m.entry(q.ID)) && q.Asked != AskedUnknown {
		list = append(list, hint{"space", "choose"})
		if e := m.entry(q.ID); q.Asked == AskedOne && e.row < len(q.Options) && !slices.Contains(e.chosen, q.Options[e.row].ID) {
			enter = "choose"
		}
	}
	if q == nil && len(in.Questions) == 0 {
		enter = "done"
	}
	if !in.Closed {
		list = append(list, hint{m.name(keymap.OverlayAccept), enter})
		if enter != "send" && enter != "done" {
			list = append(list, hint{m.name(keymap.OverlaySend), "send"})
		}
	}
	if q == nil && !in.Link.Text().Empty() {
		if in.CanOpen {
			list = append(list, hint{m.name(keymap.AccessOpen), "open"})
		}
		list = append(list, hint{m.name(keymap.AccessCopy), "copy"})
	}
	if in.CanSwap {
		list = append(list, hint{m.name(keymap.AnswerSwap), "the other answer"})
	}
	if len(in.Questions) > 1 {
		list = append(list, hint{m.name(keymap.OverlayNext), "next"})
	}
	return hints(append(list, hint{m.name(keymap.OverlayClose), "close"})...)
}

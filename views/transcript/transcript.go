package transcript

import (
	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/markdown"
)

// Model is the panel's own state: where it is scrolled to, what is selected and
// unfolded, and what was drawn already.
type Model struct {
	theme         themes.Theme
	markdown      *markdown.Renderer
	width, height int // of what is shown of the chat
	full          int // height of the panel
	focused       bool
	in            Input

	follow   bool // sticks to the end
	top      place
	anchor   string // the id of the turn that top is in
	reveal   bool   // the selected item is to be scrolled to
	selected item
	folds    folds
	search   *search // nil: none
	seen     mark    // the end as it was when it was last on the screen

	slots   map[spot]*slot
	frame   uint64 // counts what was drawn
	renders int
}

// New returns a panel that follows the end of the chat.
func New(theme themes.Theme) *Model {
	return &Model{
		theme: theme, markdown: markdown.New(theme), follow: true,
		folds: newFolds(), slots: map[spot]*slot{},
	}
}

// SetTheme draws in another theme from now on.
func (m *Model) SetTheme(theme themes.Theme) {
	m.theme, m.markdown = theme, markdown.New(theme)
	clear(m.slots)
}

// SetSize sets the size of the panel's inside, in cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.full = max(0, width), max(0, height)
	m.layOut()
}

// layOut leaves a line for the search.
func (m *Model) layOut() {
	m.height = m.full
	if m.search != nil && m.full > 1 {
		m.height--
	}
}

// Sync takes the input without drawing it, so that moves act on what is there.
// View does it too.
func (m *Model) Sync(in Input) {
	before := m.in.Chat
	m.in = in
	switch {
	case in.Chat == nil:
		m.forget()
	case before == nil || before.Resource != in.Chat.Resource:
		m.forget()
		m.seen = markOf(in.Chat)
	case before != in.Chat:
		m.resume()
		if m.search != nil {
			m.search.moved(before, in.Chat)
		}
		m.selected = m.find(m.selected)
	}
}

// forget begins anew, as for another chat.
func (m *Model) forget() {
	m.follow, m.top, m.anchor, m.reveal, m.selected = true, place{}, "", false, item{}
	clear(m.slots)
	m.folds, m.search = newFolds(), nil
	m.layOut()
}

// resume finds the turn again that was at the top: others may have come before
// it.
func (m *Model) resume() {
	if m.follow || m.anchor == m.topTurn() {
		return
	}
	if section, ok := m.findTurn(m.anchor); ok {
		m.top.section = section
	}
}

// topTurn is the id of the turn that is at the top, or of the first one where what
// is above all turns is.
func (m *Model) topTurn() string { return m.turnID(max(1, m.top.section)) }

// View draws the panel. Only what is seen of the chat is looked at.
func (m *Model) View(in Input, focused bool) string {
	m.focused = focused
	m.Sync(in)
	m.frame++
	if !m.ready() {
		return m.withSearch(frame.Paragraph(m.theme.Empty, m.empty(), m.width))
	}
	m.settle()
	lines, places := m.window()
	m.highlight(lines, places)
	if m.atEnd() {
		m.seen = markOf(in.Chat)
	} else if m.seen != markOf(in.Chat) {
		lines[len(lines)-1] = m.newer()
	}
	m.evict()
	return m.withSearch(lines)
}

// ready reports whether there is anything to show of the chat, and room for it.
func (m *Model) ready() bool {
	if m.in.Chat == nil || m.width == 0 || m.height == 0 {
		return false
	}
	_, ok := m.first()
	return ok
}

func (m *Model) empty() safetext.Text {
	if m.in.Empty.Empty() {
		return safetext.Const("nothing was said yet")
	}
	return m.in.Empty
}

// AtBeginning reports whether the beginning of what is there of the chat is on the
// screen.
func (m *Model) AtBeginning() bool {
	if !m.ready() {
		return false
	}
	m.settle()
	first, _ := m.first()
	return m.top == place{spot: first}
}

// Rendered is how many pieces were drawn since the panel was made. What has not
// changed is not drawn again.
func (m *Model) Rendered() int { return m.renders }

// Following reports whether the panel sticks to the end of the chat.
func (m *Model) Following() bool { return m.follow }

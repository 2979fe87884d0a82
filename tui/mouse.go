package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
	"ahptui/views/help"
	"ahptui/views/status"
)

// mouse is what there is to point at, and what keeps a click from doing what was
// not meant: one that only brings the window to the front, and one on something
// that has just come under the pointer.
type mouse struct {
	back time.Time  // when the window came to the front
	away bool       // it is not in front
	drag int        // the border between panels that is held; 0: none
	box  box        // the window that was drawn last
	keys []shownKey // what a click presses now
}

// box is where a window is on the screen.
type box struct {
	x, y  int
	spots []frame.Spot // the keys in its border
}

// shownKey is a key whose name stands on the screen.
type shownKey struct {
	frame.Spot
	about string // what it acts on
	since time.Time
}

// clicker is a window that knows what stands in it. The cell is counted from its
// upper left one.
type clicker interface {
	click(m *Model, x, y int) tea.Cmd
}

// wheeler is a window that the wheel scrolls otherwise than keys that move do.
type wheeler interface{ wheel(by int) }

// spotted is a window that names keys elsewhere than in its border.
type spotted interface{ spots() []frame.Spot }

// noteBox notes where a window was drawn.
func (p *mouse) noteBox(x, y int, drawn string) { p.box = box{x, y, frame.FooterSpots(drawn)} }

// look notes what keys are named on the screen that was just drawn, and since
// when each stands where it stands.
func (p *mouse) look(m *Model) {
	before := p.keys
	p.keys = nil
	add := func(spots []frame.Spot, x, y int, about string) {
		for _, s := range spots {
			s.Row, s.From, s.To = s.Row+y, s.From+x, s.To+x
			key := shownKey{s, about, m.clock.now}
			for _, old := range before {
				if old.Spot == s && old.about == about {
					key.since = old.since
				}
			}
			p.keys = append(p.keys, key)
		}
	}
	switch o := m.top(); {
	case !m.opts.Mouse:
	case o != nil:
		add(p.box.spots, p.box.x, p.box.y, "")
		if s, ok := o.(spotted); ok {
			add(s.spots(), p.box.x, p.box.y, "")
		}
	case m.conn != nil:
		about := m.selectedID()
		add(m.scene.keys, margin, m.height-1, about)
		for _, area := range m.areas() {
			if area.place == keymap.Transcript && m.focus == keymap.Transcript {
				add(m.transcript.Spots(), area.x, area.y, about)
			}
		}
	}
}

// selectedID tells what the keys of the chat act on, and in what state that is.
func (m *Model) selectedID() string {
	sel := m.transcript.Selected()
	if sel.Call == nil {
		return sel.ID
	}
	return sel.TurnID + " " + sel.ID + " " + string(sel.Call.Status)
}

// area is where the inside of a panel is on the screen. The row above it is its
// title.
type area struct {
	place               keymap.Context
	x, y, width, height int
}

func (a area) has(x, y int) bool {
	return a.x <= x && x < a.x+a.width && a.y-1 <= y && y < a.y+a.height
}

// areas are the panels that are shown, and the composer.
func (m *Model) areas() []area {
	s := m.scene.size
	if s.bare {
		place := m.focus
		if place&(keymap.Sessions|keymap.Servers|keymap.Composer) == 0 {
			place = m.middle.shown
		}
		return []area{{place, 0, statusLines, m.width, s.height}}
	}
	const border = 1
	var list []area
	x := border
	for _, p := range []struct {
		place keymap.Context
		width int
	}{{keymap.Sessions, s.sessions}, {m.middle.shown, s.middle()}, {keymap.Servers, s.servers}} {
		if p.width > 0 {
			list = append(list, area{p.place, x, statusLines + border, p.width, s.height})
			x += p.width + border
		}
	}
	below := statusLines + border + s.height + border
	return append(list, area{keymap.Composer, border, below, m.width - 2*border, s.composer})
}

// pointed takes what the mouse does, and whether the window is in front.
func (m *Model) pointed(msg tea.Msg) tea.Cmd {
	if !m.opts.Mouse {
		return nil
	}
	switch msg := msg.(type) {
	case tea.FocusMsg:
		m.mouse.away, m.mouse.back = false, m.clock.now
	case tea.BlurMsg:
		m.mouse.away, m.mouse.drag = true, 0
	case tea.MouseClickMsg:
		return m.click(msg.Mouse())
	case tea.MouseReleaseMsg:
		m.mouse.drag = 0
	case tea.MouseMotionMsg:
		m.dragTo(msg.X)
	case tea.MouseWheelMsg:
		return m.wheel(msg.Mouse())
	}
	return nil
}

// click takes a click, but for one that may have been meant to bring the window
// to the front.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if m.mouse.away { // and the terminal is late to tell that it is not any more
		m.mouse.away, m.mouse.back = false, m.clock.now
	}
	if at.Button != tea.MouseLeft || at.Mod.Contains(tea.ModShift) || m.clock.now.Sub(m.mouse.back) < reading {
		return nil
	}
	m.touched = true
	for _, key := range m.mouse.keys {
		if key.Row == at.Y && key.From <= at.X && at.X < key.To {
			return m.clickKey(key)
		}
	}
	if o := m.top(); o != nil {
		if c, ok := o.(clicker); ok {
			return c.click(m, at.X-m.mouse.box.x, at.Y-m.mouse.box.y)
		}
		return nil
	}
	m.goal, m.onward = nil, false
	m.notices.dropHints()
	if at.Y < statusLines {
		return m.clickStatus(at.X)
	}
	if m.mouse.drag = m.border(at.X, at.Y); m.mouse.drag > 0 {
		return nil
	}
	for _, a := range m.areas() {
		if a.has(at.X, at.Y) {
			return m.clickIn(a.place, at.Y-a.y)
		}
	}
	return nil
}

// clickKey presses a key by its name. One that lets something go on, and every
// one in a window, must have stood there for long enough to be read.
func (m *Model) clickKey(key shownKey) tea.Cmd {
	press, err := keymap.Press(key.Key.String())
	if err != nil { // it is no key
		return nil
	}
	id, _ := m.keys.Match(press, m.place())
	if (answers(id) || m.top() != nil) && m.clock.now.Sub(key.since) < reading {
		if m.top() == nil {
			m.notices.hint(m.clock.now, safetext.Const("this has only just appeared or moved: look, then click"))
		}
		return nil
	}
	return m.press(press)
}

// clickStatus goes to what waits, or shows the help.
func (m *Model) clickStatus(x int) tea.Cmd {
	id := keymap.AppHelp
	switch m.status.At(m.scene.status, x) {
	case status.Blocked:
		id = keymap.BlockNext
	case status.Help:
	case status.Servers:
		m.goToAiling()
		return nil
	default:
		return nil
	}
	return m.run(id)
}

// clickIn selects a panel and what stands in a row of it. What was selected
// already is opened.
func (m *Model) clickIn(place keymap.Context, row int) tea.Cmd {
	if place == keymap.Composer {
		m.write()
		return nil
	}
	if place == keymap.Terminals && m.focus == keymap.TerminalInput {
		return nil // the keys stay where they are
	}
	here := m.focus == place
	m.settle()
	if m.setFocus(place); !here {
		m.openChat() // what was written to may be gone
	}
	var again bool
	switch place {
	case keymap.Sessions:
		again = m.sessions.Click(row)
		m.show(m.sessions.Selected())
	case keymap.Servers:
		again = m.servers.Click(row)
	case keymap.Changes:
		again = m.middle.changes.view.Click(row)
	case keymap.Terminals:
		again = m.middle.terminals.view.Click(row)
	default:
		again = m.transcript.Click(row)
	}
	if !here || !again {
		return nil
	}
	enter := tea.KeyPressMsg{Code: tea.KeyEnter}
	if id, bound := m.keys.Match(enter, m.focus); !bound || answers(id) {
		return nil
	}
	return m.press(enter)
}

// border is which border between panels is in a cell, counted from 1; 0 if none
// is.
func (m *Model) border(x, y int) int {
	s := m.scene.size
	if !s.beside() || s.bare || y < statusLines || y > statusLines+s.height+1 {
		return 0
	}
	switch x {
	case s.sessions + 1:
		return 1
	case s.sessions + s.middle() + 2:
		return 2
	}
	return 0
}

// dragTo moves the border that is held to a column.
func (m *Model) dragTo(x int) {
	room := m.width - borders
	switch {
	case !m.scene.size.beside():
	case m.mouse.drag == 1:
		m.shares.Sessions = share(x-1, room)
	case m.mouse.drag == 2:
		m.shares.Servers = share(m.width-2-x, room)
	}
}

// turning is how many lines a turn of the wheel scrolls.
const turning = 3

// wheel scrolls what is under the pointer; the focus and the selection stay
// where they are. In a window it moves like the keys.
func (m *Model) wheel(at tea.Mouse) tea.Cmd {
	by := turning
	switch at.Button {
	case tea.MouseWheelUp:
		by = -turning
	case tea.MouseWheelDown:
	default:
		return nil
	}
	m.touched = true
	if o := m.top(); o != nil {
		return m.wheelIn(o, by)
	}
	for _, a := range m.areas() {
		if !a.has(at.X, at.Y) {
			continue
		}
		switch a.place {
		case keymap.Sessions:
			m.sessions.Wheel(by)
		case keymap.Servers:
			m.servers.Wheel(by)
		default: // the composer belongs to what is above it
			m.scrollMiddle(by)
		}
	}
	return nil
}

// wheelIn moves in a window without fields, where keys that move are no text.
func (m *Model) wheelIn(o overlay, by int) tea.Cmd {
	if w, ok := o.(wheeler); ok {
		w.wheel(by)
		return nil
	}
	id := keymap.MoveDown
	if by < 0 {
		id = keymap.MoveUp
	}
	b := m.keys.Binding(id)
	if o.context() != keymap.Overlay || !b.Bound() {
		return nil
	}
	press, err := keymap.Press(b.Keys[0])
	if err != nil {
		return nil
	}
	var cmds []tea.Cmd
	for range turning {
		if m.top() == o {
			cmds = append(cmds, o.update(m, press))
		}
	}
	return tea.Batch(cmds...)
}

// mouseHelp says what the mouse does.
func mouseHelp() help.Group {
	return help.Group{Title: safetext.Const("Mouse"), Entries: []help.Entry{
		{Key: safetext.Const("click"), Does: safetext.Const("Select a panel and what is under the pointer; a key that is named on the screen is pressed")},
		{Key: safetext.Const("click again"), Does: safetext.Const("Open or unfold what is selected, as enter does")},
		{Key: safetext.Const("wheel"), Does: safetext.Const("Scroll what is under the pointer; the selection stays where it is")},
		{Key: safetext.Const("drag"), Does: safetext.Const("Move the border between two panels")},
		{Key: safetext.Const("shift+drag"), Does: safetext.Const("Select text as the terminal does without this program")},
	}}
}

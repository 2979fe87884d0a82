package tui

import (
	"ahptui/keymap"
	"ahptui/views/frame"
)

const (
	// threePanels is the width from which the panels stand side by side; below
	// it the one that has the focus fills the screen.
	threePanels = 76
	// statusLines is the height of the line at the top.
	statusLines = 1
	// margin is the border and the blank column at each side of the composer.
	margin = 2
	// borders is how many columns of them there are around three panels.
	borders = 4
)

// sizes is how the screen is divided.
type sizes struct {
	bare bool // there is no room for borders: what has the focus is all there is
	// The widths of the insides of the panels; 0: not shown.
	sessions, transcript, servers int
	changes, terminals            int // in the place of the transcript
	height                        int // of the insides
	composer                      int // lines
}

// inner is the number of lines that the panels and the section below them share.
func (m *Model) inner() int {
	const lines = 3 // of borders
	return m.height - statusLines - lines
}

// least is the number of lines that the panels keep when the section below them
// grows.
const least = 3

// room is how many lines of notices there is room for below a composer that
// would like to have so many lines.
func (m *Model) room(composer int) int {
	return min(m.inner()-least-min(composer, m.inner()-least), m.height/3)
}

// measure divides the screen. There are so many lines of notices, for which
// there is room, and the composer would like to have so many.
func (m *Model) measure(composer, notices int) sizes {
	if m.inner() < 2 || m.width < 2*margin+2 {
		return m.bare()
	}
	s := sizes{composer: max(1, min(composer, m.inner()-least))}
	s.height = frame.Inside(m.height-statusLines, s.composer+notices)
	if m.width < threePanels {
		inside := m.width - 2
		switch m.panel() {
		case keymap.Sessions:
			s.sessions = inside
		case keymap.Servers:
			s.servers = inside
		default:
			s.giveMiddle(m.middle.shown, inside)
		}
		return s
	}
	room := m.width - borders
	s.sessions, s.servers = m.shares.divide(room)
	s.giveMiddle(m.middle.shown, room-s.sessions-s.servers)
	return s
}

// bare gives all there is below the status line to what has the focus.
func (m *Model) bare() sizes {
	s := sizes{bare: true, height: max(0, m.height-statusLines)}
	switch m.focus {
	case keymap.Sessions:
		s.sessions = m.width
	case keymap.Servers:
		s.servers = m.width
	case keymap.Composer:
		s.composer = s.height
	default:
		s.giveMiddle(m.middle.shown, m.width)
	}
	return s
}

// middle is the width of what stands in the middle.
func (s sizes) middle() int { return s.transcript + s.changes + s.terminals }

// giveMiddle gives a width to what stands in the middle.
func (s *sizes) giveMiddle(shown keymap.Context, width int) {
	switch shown {
	case keymap.Changes:
		s.changes = width
	case keymap.Terminals:
		s.terminals = width
	default:
		s.transcript = width
	}
}

// legible reports whether there is room to show what a person has to judge.
func (s sizes) legible() bool { return s.transcript >= 16 && s.height >= 3 }

// panel is the panel that has the focus; the composer belongs to what is above it.
func (m *Model) panel() keymap.Context {
	if m.focus == keymap.Composer || m.focus == keymap.TerminalInput {
		return m.middle.shown
	}
	return m.focus
}

// resize gives every view its size.
func (m *Model) resize(s sizes) {
	m.sessions.SetSize(s.sessions, s.height)
	m.transcript.SetSize(s.transcript, s.height)
	m.servers.SetSize(s.servers, s.height)
	m.middle.resize(s)
	width := max(1, m.width-2*margin)
	if s.bare {
		width = m.width
	}
	m.composer.SetSize(width, s.composer)
	m.status.SetSize(m.width, min(statusLines, m.height))
}

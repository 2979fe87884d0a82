package tui

import (
	"math"

	"ahptui/internal/safetext"
	"ahptui/keymap"
)

// shares are the parts of the width that the panels at the sides take, from 0 to
// 1; 0 is as much as suits most. The chat has what is left.
type shares struct {
	Sessions, Servers float64
}

const (
	// leastSide and leastChat are the columns that the panels keep beside a panel
	// that was made wide.
	leastSide = 10
	leastChat = 20
	// widening is by how many columns a key makes a panel wider.
	widening = 4
)

// divide says how wide the panels at the sides are in a room for three.
func (s shares) divide(room int) (sessions, servers int) {
	sessions, servers = min(max(18, room/5), 40), min(max(22, room/4), 48)
	if s.Sessions > 0 {
		sessions = columns(s.Sessions, room)
	}
	if s.Servers > 0 {
		servers = columns(s.Servers, room)
	}
	sessions = min(max(leastSide, sessions), room-leastSide-leastChat)
	servers = min(max(leastSide, servers), room-sessions-leastChat)
	return sessions, servers
}

// columns is a share of so many columns.
func columns(share float64, room int) int { return int(math.Round(min(share, 1) * float64(room))) }

// share is what so many columns are of a room, as far as there is room.
func share(columns, room int) float64 {
	return float64(min(max(leastSide, columns), room-leastSide-leastChat)) / float64(room)
}

func widthCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.PanelWider:    does(func(m *Model) { m.widen(widening) }, (*Model).whyNoWidth),
		keymap.PanelNarrower: does(func(m *Model) { m.widen(-widening) }, (*Model).whyNoWidth),
		keymap.PanelReset:    does(func(m *Model) { m.shares = shares{} }, (*Model).whyNoWidth),
	}
}

// widen makes the panel that has the focus so many columns wider. What the chat
// wins or loses is shared by those beside it.
func (m *Model) widen(by int) {
	s, room := m.scene.size, m.width-borders
	switch m.focus {
	case keymap.Sessions:
		m.shares.Sessions = share(s.sessions+by, room)
	case keymap.Servers:
		m.shares.Servers = share(s.servers+by, room)
	default:
		m.shares = shares{share(s.sessions-by/2, room), share(s.servers-by/2, room)}
	}
}

// beside reports whether the panels stand side by side.
func (s sizes) beside() bool { return s.sessions > 0 && s.middle() > 0 && s.servers > 0 }

func (m *Model) whyNoWidth() safetext.Text {
	if !m.scene.size.beside() {
		return safetext.Const("one panel has all the width here: the window is too narrow for three")
	}
	return safetext.Text{}
}

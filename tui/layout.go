package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
	"ahptui/views/help"
)

const (
	// threePanels is the width from which the panels stand side by side; below
	// it the one that has the focus fills the screen.
	threePanels = 76
	// statusLines is the height of the lines at the top.
	statusLines = 1
)

// sizes are the widths of the insides of the panels; 0: not shown.
type sizes struct {
	sessions, transcript, servers int
	height                        int // of the insides
	composer                      int // lines
}

// measure divides the screen.
func (m *Model) measure() sizes {
	s := sizes{composer: m.composer.Lines(max(1, m.width-4))}
	if room := m.height - statusLines - 6; s.composer > room {
		s.composer = max(1, room)
	}
	s.height = frame.Inside(m.height-statusLines, s.composer)
	if m.width < threePanels {
		inside := max(0, m.width-2)
		switch m.panel() {
		case keymap.Sessions:
			s.sessions = inside
		case keymap.Servers:
			s.servers = inside
		default:
			s.transcript = inside
		}
		return s
	}
	room := m.width - 4 // four borders
	s.sessions = min(max(18, room/5), 40)
	s.servers = min(max(22, room/4), 48)
	s.transcript = room - s.sessions - s.servers
	return s
}

// panel is the panel that has the focus; the composer belongs to the chat.
func (m *Model) panel() keymap.Context {
	if m.focus == keymap.Composer {
		return keymap.Transcript
	}
	return m.focus
}

// layout gives every view its size.
func (m *Model) layout() {
	s := m.measure()
	m.sessions.SetSize(s.sessions, s.height)
	m.transcript.SetSize(s.transcript, s.height)
	m.servers.SetSize(s.servers, s.height)
	m.composer.SetSize(max(1, m.width-4), s.composer)
	m.status.SetSize(m.width, statusLines)
}

// View draws the screen.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle = m.title()
	if m.width == 0 || m.height == 0 {
		return v
	}
	screen, cursor := m.screen()
	if m.overlay != nil {
		screen, cursor = m.overlay.draw(m, screen)
	}
	v.SetContent(screen)
	v.Cursor = cursor
	return v
}

// screen draws the panels and all around them.
func (m *Model) screen() (string, *tea.Cursor) {
	if m.conn == nil {
		return "", nil
	}
	s := m.measure()
	w := frame.Window{
		Panels: m.panels(s),
		Below:  m.composerLine(s),
		Active: m.focus == keymap.Composer,
		Footer: help.Footer(m.theme, m.hints(), max(0, m.width-4)),
	}
	body := w.Render(m.theme, m.width, m.height-statusLines)
	var cursor *tea.Cursor
	if m.focus == keymap.Composer {
		if cursor = m.composer.Cursor(); cursor != nil {
			cursor.X += 2
			cursor.Y += m.height - 1 - s.composer
		}
	}
	return m.status.View(m.statusInput()) + "\n" + body, cursor
}

func (m *Model) panels(s sizes) []frame.Panel {
	var list []frame.Panel
	if s.sessions > 0 {
		list = append(list, frame.Panel{
			Title: safetext.Const("Sessions"), Width: s.sessions, Focused: m.focus == keymap.Sessions,
			Body: m.sessions.View(m.sessionsInput(), m.focus == keymap.Sessions),
		})
	}
	if s.transcript > 0 {
		list = append(list, frame.Panel{
			Title: m.chatTitle(), Width: s.transcript, Focused: m.focus == keymap.Transcript,
			Body: m.transcript.View(m.transcriptInput(), m.focus == keymap.Transcript),
		})
	}
	if s.servers > 0 {
		list = append(list, frame.Panel{
			Title: safetext.Const("MCP servers"), Width: s.servers, Focused: m.focus == keymap.Servers,
			Body: m.servers.View(m.serversInput(), m.focus == keymap.Servers),
		})
	}
	return list
}

func (m *Model) composerLine(s sizes) string {
	lines := strings.Split(m.composer.View(m.composerInput(), m.focus == keymap.Composer), "\n")
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return frame.Fit(lines, max(0, m.width-2), s.composer)
}

func (m *Model) chatTitle() safetext.Text {
	if chat := m.chat(); chat != nil && chat.Title != "" {
		return clean(chat.Title)
	}
	if s := m.session(); s != nil && s.Title != "" {
		return clean(s.Title)
	}
	return safetext.Const("Chat")
}

// hints are the keys that the footer names.
func (m *Model) hints() []help.Entry {
	var list []help.Entry
	for _, b := range m.keys.Hints(m.focus) {
		list = append(list, help.Entry{Key: own(b.Label(m.opts.ASCII)), Does: own(b.Short), Off: m.disabled(b.ID)})
	}
	return list
}

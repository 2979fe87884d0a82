package tui

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// middle is the panel between the sessions and the servers: the chat, or the
// changes or the terminals in its place.
type middle struct {
	shown     keymap.Context // Transcript, Changes or Terminals
	open      map[protocol.URI]protocol.ChannelKind
	terminals terminals
	changes   changesPane
}

func newMiddle(theme themes.Theme) middle {
	return middle{shown: keymap.Transcript, terminals: newTerminals(theme), changes: newChanges(theme)}
}

// focused notes what gets the keys, and shows it if it stands in the middle.
func (p *middle) focused(c keymap.Context) {
	switch c {
	case keymap.Transcript, keymap.Changes, keymap.Terminals:
		p.shown = c
	case keymap.TerminalInput:
		p.shown = keymap.Terminals
	}
}

// showMiddle shows a panel in the place of the chat, or the chat again.
func (m *Model) showMiddle(c keymap.Context) {
	m.settle()
	m.guard.moved = true
	if m.middle.shown == c {
		c = keymap.Transcript
	}
	m.setFocus(c)
}

// inMiddle is what one moves in there.
func (m *Model) inMiddle() mover {
	switch m.middle.shown {
	case keymap.Changes:
		return m.middle.changes.view
	case keymap.Terminals:
		return m.middle.terminals.view
	}
	return m.transcript
}

// scrollMiddle scrolls what stands in the middle, down if by is positive.
func (m *Model) scrollMiddle(by int) {
	switch m.middle.shown {
	case keymap.Changes:
		m.middle.changes.view.Wheel(by)
	case keymap.Terminals:
		m.middle.terminals.view.Wheel(by)
	default:
		m.tryOlderAgain()
		m.transcript.Scroll(by)
	}
}

// goBack leaves a diff for the files, and what is in the place of the chat for the
// chat.
func (m *Model) goBack() {
	m.guard.moved = true
	if m.focus == keymap.Changes && m.middle.changes.view.CloseDiff() {
		return
	}
	m.setFocus(keymap.Transcript)
}

func (p *middle) resize(s sizes) {
	p.terminals.view.SetSize(s.terminals, s.height)
	p.changes.view.SetSize(s.changes, s.height)
}

// syncMiddle brings what stands in the place of the chat in step with the scene.
func (m *Model) syncMiddle(s sizes) {
	if s.terminals > 0 {
		m.middle.terminals.input = m.terminalsInput()
		m.middle.terminals.view.Sync(m.middle.terminals.input)
	}
	if s.changes > 0 {
		m.middle.changes.input = m.changesInput()
		m.middle.changes.view.Sync(m.middle.changes.input)
	}
}

// middlePanels draws what stands in the place of the chat, if something does.
func (m *Model) middlePanels(s sizes) []frame.Panel {
	p := &m.middle
	switch {
	case s.terminals > 0:
		focused := m.focus == keymap.Terminals || m.focus == keymap.TerminalInput
		return []frame.Panel{{
			Title: safetext.Const("Terminals"), Width: s.terminals, Focused: focused, Body: p.terminals.view.View(p.terminals.input, focused),
		}}
	case s.changes > 0:
		focused := m.focus == keymap.Changes
		return []frame.Panel{{
			Title: safetext.Const("Changes"), Note: p.changes.note, Width: s.changes, Focused: focused, Body: p.changes.view.View(p.changes.input, focused),
		}}
	}
	return nil
}

// middleCursor is where one types in the middle.
func (m *Model) middleCursor() *tea.Cursor {
	if m.focus != keymap.TerminalInput {
		return nil
	}
	return m.middle.terminals.view.Cursor()
}

// followMiddle keeps the channels subscribed that are seen in the place of the
// chat, and no longer than that, and asks for what else is to be shown there.
func (m *Model) followMiddle() tea.Cmd {
	if m.conn == nil {
		return nil
	}
	wanted := map[protocol.URI]protocol.ChannelKind{}
	switch m.middle.shown {
	case keymap.Changes:
		wanted = m.changesChannels()
	case keymap.Terminals:
		if uri, ok := m.middle.terminals.view.Selected(); ok {
			wanted[uri] = protocol.TerminalKind
		}
	}
	if !maps.Equal(wanted, m.middle.open) {
		for uri := range m.middle.open {
			if _, ok := wanted[uri]; !ok {
				m.conn.Host.Close(uri)
			}
		}
		for uri, kind := range wanted {
			if _, ok := m.middle.open[uri]; !ok {
				m.conn.Host.Open(uri, kind)
			}
		}
		m.middle.open = wanted
	}
	return tea.Batch(m.fitTerminal(), m.readDiff())
}

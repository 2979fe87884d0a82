package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
	"ahptui/views/servers"
)

// serverWindow is a window about a server, in which the keys of the panel work as
// well.
type serverWindow struct {
	scroller

	ref servers.Ref
}

// about is the id of the server.
func (o *serverWindow) about() string { return o.ref.ID }

func (o *serverWindow) context() keymap.Context { return keymap.Overlay }

// press takes a key that does not close the window; done is false when it is none.
func (o *serverWindow) press(m *Model, key tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	id, _ := m.keys.Match(key, keymap.Servers)
	switch id {
	case keymap.ServerStart, keymap.ServerStop, keymap.ServerRestart, keymap.ServerToggle, keymap.ServerBackground, keymap.ServerDoctor,
		keymap.AccessGrant, keymap.SignOut:
	default:
		return nil, false
	}
	if selected, ok := m.servers.Selected(); !ok || selected != o.ref || m.focus != keymap.Servers {
		m.notices.hint(m.clock.now, safetext.Const("the server is not there any more"))
		return nil, true
	}
	m.notices.dropHints()
	if why := m.disabled(id); !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return nil, true
	}
	return m.commands[id].do(m, key), true
}

// take takes a key for the window that it is part of.
func (o *serverWindow) take(m *Model, window overlay, key tea.KeyPressMsg) tea.Cmd {
	if cmd, done := o.press(m, key); done {
		return cmd
	}
	switch id, _ := m.keys.Match(key, keymap.Overlay); id {
	case keymap.OverlayClose, keymap.OverlayAccept:
		m.remove(window)
	case keymap.AppHelp:
		m.push(newHelp(m))
	default:
		moveIn(o, id)
	}
	return nil
}

// serverDetail shows all that is known about a server, and keeps up with it.
type serverDetail struct{ serverWindow }

func newServerDetail(m *Model) *serverDetail {
	ref, _ := m.servers.Selected()
	return &serverDetail{serverWindow{ref: ref}}
}

func (o *serverDetail) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	return o.take(m, o, key)
}

func (o *serverDetail) draw(m *Model, screen string) (string, *tea.Cursor) {
	width := m.windowWidth()
	lines := frame.Paragraph(m.theme.Text, safetext.Const("the server is not there any more"), width)
	for _, g := range m.scene.servers.Groups {
		for _, row := range g.Rows {
			if (servers.Ref{Container: g.ID, ID: row.ID}) == o.ref {
				lines = servers.Detail(m.theme, row, width)
			}
		}
	}
	return o.window(m, screen, safetext.Const("MCP server"), lines)
}

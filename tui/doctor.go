package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/doctor"
	"ahptui/views/frame"
)

// doctorWindow says at which step a server is stuck, and keeps up with it.
type doctorWindow struct{ serverWindow }

// diagnose opens the diagnosis of the selected server.
func (m *Model) diagnose() {
	for _, o := range m.overlays {
		if window, ok := o.(*doctorWindow); ok {
			m.remove(window)
		}
	}
	ref, _ := m.servers.Selected()
	m.push(&doctorWindow{serverWindow{ref: ref}})
}

func (o *doctorWindow) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	if id, _ := m.keys.Match(key, keymap.Servers); id == keymap.ServerDoctor {
		m.remove(o)
		return nil
	}
	return o.take(m, o, key)
}

func (o *doctorWindow) draw(m *Model, screen string) (string, *tea.Cursor) {
	width := m.windowWidth() - 1
	lines := frame.Paragraph(m.theme.Text, safetext.Const("the server is not there any more"), width)
	if srv, ok := m.serverAt(o.ref); ok {
		lines = doctor.Lines(m.theme, m.report(srv), width)
	}
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return o.window(m, screen, safetext.Const("Diagnosis"), lines)
}

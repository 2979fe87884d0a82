package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/prompt"
)

// openPalette lists everything that can be done in the panels and in the composer, whatever has the keys now. It is made of the
// table that the help is made of.
func (m *Model) openPalette() {
	m.find(m.paletteInput, func(id string) tea.Cmd { return m.run(keymap.ID(id)) })
}

func (m *Model) paletteInput() prompt.FinderInput {
	in := prompt.FinderInput{Title: safetext.Const("Commands"), Submit: "run"}
	for _, section := range m.keys.Help(keymap.Panels | keymap.Composer) {
		for _, b := range section.Bindings {
			if m.commands[b.ID].do == nil || b.ID == keymap.Palette {
				continue
			}
			in.Items = append(in.Items, prompt.FinderItem{
				ID: string(b.ID), Name: own(b.Long), Note: own(b.Labels(m.opts.ASCII)), Off: m.disabled(b.ID),
			})
		}
	}
	return in
}

// run does what a key stands for, in the panel in which it works.
func (m *Model) run(id keymap.ID) tea.Cmd {
	if in := m.keys.Binding(id).In; in&m.focus == 0 {
		for _, place := range []keymap.Context{keymap.Transcript, keymap.Servers, keymap.Sessions, keymap.Changes, keymap.Terminals, keymap.Composer} {
			if in&place != 0 {
				m.setFocus(place)
				break
			}
		}
	}
	if why := m.disabled(id); !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return nil
	}
	return m.commands[id].do(m, tea.KeyPressMsg{})
}

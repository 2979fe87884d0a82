package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/keymap"
	"ahptui/views/prompt"
)

// finderOverlay is a list to choose from, with a field that narrows it.
type finderOverlay struct {
	view   *prompt.Finder
	input  func() prompt.FinderInput
	choose func(id string) tea.Cmd
}

// find shows a list, which is put together anew each time that it is drawn.
func (m *Model) find(input func() prompt.FinderInput, choose func(id string) tea.Cmd) {
	m.push(&finderOverlay{prompt.NewFinder(m.theme, m.keys, m.opts.ASCII), input, choose})
}

func (o *finderOverlay) context() keymap.Context { return keymap.Form }

func (o *finderOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	switch o.view.Update(o.input(), msg) {
	case prompt.Submit:
		item, _ := o.view.Selected()
		m.remove(o)
		return o.choose(item.ID)
	case prompt.Cancel:
		m.remove(o)
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Nothing:
	}
	return nil
}

func (o *finderOverlay) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(o.input()), o.view.Cursor())
}

func (o *finderOverlay) click(m *Model, _, y int) tea.Cmd {
	if !o.view.Click(y) {
		return nil
	}
	return o.update(m, tea.KeyPressMsg{Code: tea.KeyEnter})
}

func (o *finderOverlay) wheel(by int) { o.view.Wheel(by) }

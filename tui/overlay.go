package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
	"ahptui/views/help"
	"ahptui/views/prompt"
)

// overlay is a window over the panels that takes all keys and pastes.
type overlay interface {
	update(m *Model, msg tea.Msg) tea.Cmd
	draw(m *Model, screen string) (string, *tea.Cursor)
	context() keymap.Context
}

// top is the overlay that has the keys, nil if there is none.
func (m *Model) top() overlay {
	if len(m.overlays) == 0 {
		return nil
	}
	return m.overlays[len(m.overlays)-1]
}

func (m *Model) push(o overlay) { m.overlays = append(m.overlays, o) }

// remove takes an overlay away, wherever it is; it reports whether it was there.
func (m *Model) remove(o overlay) bool {
	for i, have := range m.overlays {
		if have == o {
			m.overlays = append(m.overlays[:i:i], m.overlays[i+1:]...)
			return true
		}
	}
	return false
}

// placed lays a box over the screen and moves its cursor with it.
func (m *Model) placed(screen, box string, cursor *tea.Cursor) (string, *tea.Cursor) {
	drawn, x, y := frame.Overlay(screen, box, m.width, m.height)
	m.mouse.noteBox(x, y, box)
	return drawn, moved(cursor, x, y)
}

// helpOverlay lists the keys.
type helpOverlay struct {
	view *help.Model
	in   keymap.Context // whose keys are listed
}

// newHelp lists the keys of the panels, or of the form that is open.
func newHelp(m *Model) *helpOverlay {
	o := &helpOverlay{view: help.New(m.theme), in: keymap.Everywhere}
	if m.top() != nil {
		o.in = m.place()
	}
	return o
}

func (o *helpOverlay) context() keymap.Context { return keymap.Overlay }

func (o *helpOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch id, _ := m.keys.Match(key, keymap.Overlay); id {
	case keymap.OverlayClose, keymap.OverlayAccept, keymap.AppHelp:
		m.remove(o)
	default:
		moveIn(o.view, id)
	}
	return nil
}

func (o *helpOverlay) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	groups := help.Groups(m.keys, o.in, m.opts.ASCII, m.disabled)
	if m.opts.Mouse && o.in == keymap.Everywhere {
		groups = append(groups, mouseHelp())
	}
	in := help.Input{Groups: groups, Close: m.keyName(keymap.OverlayClose)}
	return m.placed(screen, o.view.View(in), nil)
}

// pickOverlay asks which of a few things is to be done.
type pickOverlay struct {
	view   *prompt.Pick
	input  func() prompt.PickInput
	choose func(option int) tea.Cmd
}

// pick shows a question, which is put together anew each time that it is drawn.
func (m *Model) pick(input func() prompt.PickInput, choose func(option int) tea.Cmd) {
	m.push(&pickOverlay{prompt.NewPick(m.theme), input, choose})
}

func (o *pickOverlay) context() keymap.Context { return keymap.Overlay }

func (o *pickOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	option, event := o.view.Update(o.input(), msg)
	switch event {
	case prompt.Submit:
		m.remove(o)
		return o.choose(option)
	case prompt.Cancel:
		m.remove(o)
	case prompt.Nothing, prompt.Help:
	}
	return nil
}

func (o *pickOverlay) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(o.input()), nil)
}

func (o *pickOverlay) spots() []frame.Spot { return o.view.Spots() }

// leaving asks before what was written and not sent is lost, where it cannot be kept on disk.
type leaving struct{ view *prompt.Confirm }

// leave ends the program, once it is sure that nothing is lost by it.
func (m *Model) leave() tea.Cmd {
	if m.drafts.empty() && m.unsent().empty() && !m.unsentForms() {
		return m.bye()
	}
	if m.keeps() && m.keeper.err == nil && !m.unsentForms() {
		cmd := m.save()
		if !m.keeper.busy {
			return m.bye()
		}
		m.keeper.leaving = true
		return cmd
	}
	m.push(&leaving{prompt.NewConfirm(m.theme)})
	return nil
}

func (o *leaving) context() keymap.Context { return keymap.Overlay }

func (o *leaving) update(m *Model, msg tea.Msg) tea.Cmd {
	switch o.view.Update(msg) {
	case prompt.Submit:
		return m.bye()
	case prompt.Cancel:
		m.remove(o)
	case prompt.Nothing, prompt.Help:
	}
	return nil
}

func (o *leaving) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(prompt.ConfirmInput{
		Title: safetext.Const("Leave?"), Yes: safetext.Const("leave"), No: safetext.Const("stay"),
		Text: m.whatIsLost(),
	}), nil)
}

func (o *leaving) spots() []frame.Spot { return o.view.Spots() }

// whatIsLost says what is lost by leaving, and why.
func (m *Model) whatIsLost() []safetext.Text {
	text := []safetext.Text{safetext.Const("There is something that you wrote and did not send. It is lost when you leave.")}
	if err := m.keeper.err; err != nil {
		text = append(text, own("It cannot be kept on disk: "+err.Error()))
	}
	return text
}

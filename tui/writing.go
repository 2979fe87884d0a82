package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
)

// writing is what belongs to the composer beside its text.
type writing struct {
	files      []attachment
	as         *protocol.Message // see [written]
	past       past
	sent       map[protocol.URI][]written // from here, by chat, the newest last
	completing completing
	choices    *composer.Choices
	typed      time.Time // when something was typed last
	escaped    time.Time // when the key was pressed that cancels a turn if pressed twice
}

// twice is how soon a key has to be pressed again to count as pressed twice.
const twice = 600 * time.Millisecond

// writingCommands are what can be done beside writing text and sending it.
func writingCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.ComposerOlder:    {do: (*Model).recallOlder},
		keymap.ComposerNewer:    {do: (*Model).recallNewer},
		keymap.ComposerComplete: begins((*Model).complete, nil),
		keymap.ComposerSteer:    does((*Model).steer, (*Model).whyNotSteer),
		keymap.ComposerAttach:   does(func(m *Model) { m.push(newAttachForm(m)) }, nil),
		keymap.QueueTake:        does((*Model).takeBack, (*Model).whyNoWaiting),
		keymap.QueueEarlier:     does(func(m *Model) { m.reorder(-1) }, func(m *Model) safetext.Text { return m.whyNoReorder(-1) }),
		keymap.QueueLater:       does(func(m *Model) { m.reorder(1) }, func(m *Model) safetext.Text { return m.whyNoReorder(1) }),
		keymap.TurnEscape:       does((*Model).escape, nil),
	}
}

// typeKey gives a key to the field that is written in.
func (m *Model) typeKey(msg tea.KeyPressMsg) tea.Cmd {
	m.writing.typed = m.clock.now
	if msg.Code == tea.KeyBackspace && m.composer.AtStart() && m.detach() {
		return nil
	}
	before := m.composer.Value()
	m.composer.Update(msg)
	if m.composer.Value() == before {
		m.stopCompleting() // the cursor may stand in another word
		return nil
	}
	return m.suggest()
}

// endSearch ends the search, or is one of two keys that cancel the turn.
func (m *Model) endSearch() {
	if m.whyNoSearch().Empty() {
		m.transcript.EndSearch(false)
		return
	}
	m.escape()
}

// escape cancels the turn that is running if it is pressed twice. Nothing happens
// the first time, but that the person is told.
func (m *Model) escape() {
	again := m.clock.now.Sub(m.writing.escaped) <= twice
	m.writing.escaped = m.clock.now
	if !m.whyNoTurn().Empty() {
		return
	}
	if !again {
		m.notices.brief(m.clock.now, own(m.keyName(keymap.TurnEscape).String()+" again right away cancels the turn"))
		return
	}
	m.writing.escaped = time.Time{}
	m.cancelTurn()
}

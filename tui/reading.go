package tui

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/transcript"
)

// reader is what goes on in the chat that is read.
type reader struct {
	search  search
	awaited *awaited // nil: nothing
	agents  agents
	callers []protocol.URI // the chats that sub-agents were gone to from
	left    protocol.URI   // the sub-agent's chat that was left; its call is selected as soon as it is there
}

// awaited is what goes on when earlier turns have been loaded: a jump up, or a search.
type awaited struct {
	page   page
	search bool
	to     transcript.Target
}

func readingCommands() map[keymap.ID]command {
	jump := func(to transcript.Target, down bool) command {
		return does(func(m *Model) { m.jump(to, down) }, (*Model).whyNotReading)
	}
	return map[keymap.ID]command{
		keymap.TurnUp:    jump(transcript.ToTurn, false),
		keymap.TurnDown:  jump(transcript.ToTurn, true),
		keymap.CallUp:    jump(transcript.ToCall, false),
		keymap.CallDown:  jump(transcript.ToCall, true),
		keymap.ErrorUp:   jump(transcript.ToError, false),
		keymap.ErrorDown: jump(transcript.ToError, true),
		keymap.BlockUp:   jump(transcript.ToBlock, false),
		keymap.BlockDown: jump(transcript.ToBlock, true),
		keymap.FoldAll:   does(func(m *Model) { m.transcript.ToggleAll() }, (*Model).whyNotReading),
	}
}

// whyNotReading says why there is nothing to read, or "".
func (m *Model) whyNotReading() safetext.Text {
	if chat := m.chat(); chat == nil || len(chat.Turns) == 0 && chat.ActiveTurn == nil {
		return m.whyNoChat()
	}
	return safetext.Text{}
}

// jump goes to the next target. Where there is none further up and there are earlier turns, they are looked at next.
func (m *Model) jump(to transcript.Target, down bool) {
	m.guard.moved = true
	m.tryOlderAgain()
	if m.transcript.Jump(to, down) {
		return
	}
	what, where := targetWords(to), " further up"
	if down {
		where = " further down"
	}
	if chat := m.chat(); !down && chat.TurnsNextCursor != "" {
		m.reading.awaited = &awaited{page: page{m.current.chat, chat.TurnsNextCursor}, to: to}
		m.notices.hint(m.clock.now, own("no "+what+where+" in what is here: looking at earlier turns"))
		return
	}
	m.notices.hint(m.clock.now, own("there is no "+what+where))
}

func targetWords(to transcript.Target) string {
	switch to {
	case transcript.ToTurn:
		return "turn"
	case transcript.ToCall:
		return "tool call"
	case transcript.ToError:
		return "error"
	case transcript.ToBlock:
		return "question or call that waits for you"
	}
	return "such thing"
}

// readOn goes on with what waited for a newer view of the chat.
func (m *Model) readOn() tea.Cmd {
	chat, a := m.chat(), m.reading.awaited
	switch {
	case a == nil:
	case chat == nil || m.current.chat != a.page.chat:
		m.reading.awaited = nil
	case chat.TurnsNextCursor == a.page.cursor:
	case a.search:
		m.reading.awaited, m.reading.search.climb = nil, true
	default:
		m.reading.awaited = nil
		m.jumpFurther(a.to)
	}
	m.selectLeft()
	return m.searchOn()
}

// wantsOlder reports whether earlier turns of the chat on the screen are waited for.
func (m *Model) wantsOlder() bool {
	a := m.reading.awaited
	return a != nil && a.page.chat == m.current.chat
}

// jumpFurther goes on with a jump in turns that were loaded for it. They are not the last that there are: to go on is for
// the person to say.
func (m *Model) jumpFurther(to transcript.Target) {
	if !m.transcript.Jump(to, false) {
		m.notices.hint(m.clock.now, own("no "+targetWords(to)+" in these turns either"))
	}
	m.compose()
}

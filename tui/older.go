package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/status"
)

// olderPatience bounds how long a host may take to load older turns.
const olderPatience = 30 * time.Second

// older is the page of a chat that is loaded because the beginning of what is
// there has come on the screen.
type older struct {
	page page
	busy bool
	err  error // why it could not be loaded
}

// page names turns of a chat that the host has not sent yet.
type page struct {
	chat   protocol.URI
	cursor string
}

// olderMsg tells what became of a page.
type olderMsg struct {
	page page
	err  error
}

// loadOlder loads the turns before those of the chat on the screen, if they are
// what is looked for. A page that could not be loaded is left alone.
func (m *Model) loadOlder() tea.Cmd {
	chat := m.chat()
	if chat == nil || chat.TurnsNextCursor == "" || m.scene.size.transcript == 0 || m.stale() {
		return nil
	}
	next := page{m.current.chat, chat.TurnsNextCursor}
	if m.older.page == next || !m.wantsOlder() && !m.transcript.AtBeginning() {
		return nil
	}
	m.older = older{page: next, busy: true}
	m.scene.transcript.Older = m.olderWords()
	host := m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, olderPatience)
		defer cancel()
		_, err := host.FetchTurns(ctx, next.chat)
		return olderMsg{next, err}
	})
}

// olderLoaded notes what became of a page. What was loaded is in the view.
func (m *Model) olderLoaded(msg olderMsg) tea.Cmd {
	if m.older.page != msg.page {
		return nil
	}
	m.older = older{page: msg.page, err: msg.err}
	if msg.err != nil && m.wantsOlder() {
		m.reading.awaited = nil
		m.tell(status.Warning, m.olderWords().String())
	}
	return m.errandOnce(msg.page.chat, "load earlier turns", "fetchTurns", msg.err, func() tea.Cmd {
		m.older = older{} // it is looked for again
		return nil
	})
}

// tryOlderAgain lets a page that could not be loaded be tried once more, since
// the person asks for what is above.
func (m *Model) tryOlderAgain() {
	if m.older.err != nil {
		m.older = older{}
	}
}

// olderWords says what there is to know of turns that are not here.
func (m *Model) olderWords() safetext.Text {
	chat := m.chat()
	switch {
	case chat == nil || chat.TurnsNextCursor == "" || m.older.page != page{m.current.chat, chat.TurnsNextCursor}:
		return safetext.Text{}
	case m.older.busy:
		return safetext.Const("loading earlier turns")
	case m.older.err == nil: // they are about to be in the view
		return safetext.Text{}
	}
	return own("earlier turns could not be loaded: " + m.older.err.Error())
}

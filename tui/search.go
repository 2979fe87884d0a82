package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/frame"
	"ahptui/views/prompt"
	"ahptui/views/transcript"
)

const (
	// searchPause is between two slices of a search, for keys and for what the host sends.
	searchPause = time.Millisecond
	// searchAgain is how long what streams in may wait until it is searched, too.
	searchAgain = 200 * time.Millisecond
)

// search is how a search of the chat goes on.
type search struct {
	input  *searchInput  // nil: the words are not typed now
	cancel chan struct{} // nil: no slice is waited for
	climb  bool          // a match is wanted in the earlier turns that are loaded
}

// searchMsg says that another slice is to be looked through.
type searchMsg struct{}

func searchCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.SearchStart:    does((*Model).startSearch, (*Model).whyNotReading),
		keymap.SearchNext:     does(func(m *Model) { m.nextMatch(true) }, (*Model).whyNoSearch),
		keymap.SearchPrevious: does(func(m *Model) { m.nextMatch(false) }, (*Model).whyNoSearch),
		keymap.SearchEnd:      does((*Model).endSearch, nil),
	}
}

func (m *Model) whyNoSearch() safetext.Text {
	if open, _ := m.transcript.Searching(); !open {
		return own("nothing is searched for: " + m.keyName(keymap.SearchStart).String() + " begins")
	}
	return safetext.Text{}
}

// startSearch asks for the words.
func (m *Model) startSearch() {
	words := m.transcript.SearchWords()
	m.reading.search.input = &searchInput{line: prompt.NewLine(m.theme, words)}
	m.transcript.Search(words)
	m.push(m.reading.search.input)
}

// nextMatch goes to the next match. Above the first one, earlier turns are looked at before it begins again at the end.
func (m *Model) nextMatch(down bool) {
	m.guard.moved = true
	m.tryOlderAgain()
	at, n := m.transcript.Matches()
	_, more := m.transcript.Searching()
	if chat := m.chat(); chat != nil && chat.TurnsNextCursor != "" && !more && (n == 0 || !down && at == 1) {
		m.reading.awaited = &awaited{page: page{m.current.chat, chat.TurnsNextCursor}, search: true}
		m.notices.hint(m.clock.now, safetext.Const("no match further up in what is here: looking at earlier turns"))
		return
	}
	m.transcript.NextMatch(down)
}

// searchOn asks for the next slice of a search, while there is more to look through.
func (m *Model) searchOn() tea.Cmd {
	s := &m.reading.search
	open, more := m.transcript.Searching()
	if !open && s.input != nil {
		m.remove(s.input)
		s.input = nil
	}
	m.climbOn(more)
	if !more || s.cancel != nil {
		return nil
	}
	s.cancel = make(chan struct{})
	pause := searchPause
	if m.transcript.SearchingAgain() {
		pause = searchAgain
	}
	return m.link.after(pause, s.cancel, searchMsg{})
}

// climbOn goes to a match above, once there is one in the turns that were loaded for it.
func (m *Model) climbOn(more bool) {
	s := &m.reading.search
	if !s.climb {
		return
	}
	at, n := m.transcript.Matches()
	switch {
	case at > 1 || at == 0 && n > 0:
		s.climb = false
		m.transcript.NextMatch(false)
		m.compose()
	case !more:
		s.climb = false
		m.notices.hint(m.clock.now, safetext.Const("no match in these turns either"))
		m.compose()
	}
}

// searchSlice looks through one more slice.
func (m *Model) searchSlice() {
	m.reading.search.cancel = nil
	m.transcript.SearchOn()
}

// searchInput is the line in which the words are typed. It takes the keys as a window does, but stands in the panel.
type searchInput struct{ line *prompt.Line }

func (o *searchInput) context() keymap.Context { return keymap.Form }

func (o *searchInput) update(m *Model, msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok && o.command(m, key) {
		return nil
	}
	o.line.Update(msg)
	m.transcript.Search(o.line.Value())
	return nil
}

// command does what a key means that is no text.
func (o *searchInput) command(m *Model, key tea.KeyPressMsg) bool {
	id, _ := m.keys.Match(key, keymap.Form)
	switch {
	case id == keymap.OverlayClose:
		o.close(m)
		m.transcript.EndSearch(true)
	case id == keymap.OverlayAccept:
		o.close(m)
		if m.transcript.SearchWords() == "" {
			m.transcript.EndSearch(true)
		}
	case id == keymap.OverlayNext, key.Code == tea.KeyDown:
		m.nextMatch(true)
	case id == keymap.OverlayPrevious, key.Code == tea.KeyUp:
		m.nextMatch(false)
	case id == keymap.AppHelp:
		m.push(newHelp(m))
	default:
		return false
	}
	return true
}

func (o *searchInput) close(m *Model) {
	m.remove(o)
	m.reading.search.input = nil
}

// draw leaves the screen as it is: the panel has the line.
func (o *searchInput) draw(m *Model, screen string) (string, *tea.Cursor) {
	_, x := o.line.View(m.transcript.SearchRoom())
	const sign = 2
	return screen, m.inTranscript(sign+x, m.scene.size.height-1)
}

// inTranscript is a cursor in the panel of the chat.
func (m *Model) inTranscript(x, y int) *tea.Cursor {
	s := m.scene.size
	if s.bare {
		return tea.NewCursor(x, y+statusLines)
	}
	left := 1
	if s.sessions > 0 {
		left += s.sessions + 1
	}
	return tea.NewCursor(left+x, y+statusLines+1)
}

// searchLine is what the panel shows of the search besides what was found.
func (m *Model) searchLine() transcript.SearchInput {
	in := transcript.SearchInput{Next: m.keyName(keymap.SearchNext), Previous: m.keyName(keymap.SearchPrevious), End: m.keyName(keymap.SearchEnd)}
	if o := m.reading.search.input; o != nil {
		in.Typing = true
		field, _ := o.line.View(m.transcript.SearchRoom())
		in.Field = frame.Fit([]string{field}, m.transcript.SearchRoom(), 1)
	}
	return in
}

package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/help"
	"ahptui/views/prompt"
	"ahptui/views/sessions"
)

// query is a filter of the session list: words all of which have to match. One with a "!" before it must not be there.
type query []term

type term struct {
	word string // in lower case
	not  bool
}

func parseQuery(filter string) query {
	var q query
	for word := range strings.FieldsSeq(strings.ToLower(filter)) {
		word, not := strings.CutPrefix(word, "!")
		if word != "" { // else there is more to come
			q = append(q, term{word, not})
		}
	}
	return q
}

// words are what a filter looks for in, in lower case; the zero words are not known yet.
type words struct{ title, rest string }

// matches reports whether all words match. What must not be there is looked for as it is written: that its letters stand
// somewhere in a title would leave out too much.
func (q query) matches(e *entry) bool {
	if len(q) == 0 {
		return true
	}
	if e.words == (words{}) {
		e.words = wordsOf(e.row)
	}
	for _, t := range q {
		found := strings.Contains(e.words.title, t.word) || strings.Contains(e.words.rest, t.word)
		if !found && !t.not {
			found = loosely(e.words.title, t.word)
		}
		if found == t.not {
			return false
		}
	}
	return true
}

// wordsOf are the title, and in words all else that one may look for.
func wordsOf(row *sessions.Row) words {
	rest := []string{row.Provider.String(), row.Directory.String(), themes.Theme{}.Badge(row.State()).Word} // the word is the same in every theme
	if row.Unread {
		rest = append(rest, "unread")
	}
	if row.Archived {
		rest = append(rest, "archived")
	}
	return words{strings.ToLower(row.Title.String()), strings.ToLower(strings.Join(rest, "\n"))}
}

// loosely reports whether a text has the letters of a word in their order, the first one at the beginning of a word.
func loosely(text, word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	inside := false // a word
	for i, r := range text {
		if r == first && !inside && inOrder(text[i+size:], word[size:]) {
			return true
		}
		inside = unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	return false
}

// inOrder reports whether a text has these letters in their order.
func inOrder(text, letters string) bool {
	for letters != "" {
		r, size := utf8.DecodeRuneInString(letters)
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text, letters = text[i+size:], letters[size:]
	}
	return true
}

// filterInput is the line in which the filter is typed. It takes the keys as a window does, but stands in the panel.
type filterInput struct{ line *prompt.Line }

func (o *filterInput) context() keymap.Context { return keymap.Form }

// typeFilter asks for the words.
func (m *Model) typeFilter() {
	m.filtering = &filterInput{prompt.NewLine(m.theme, m.listing.Filter)}
	m.push(m.filtering)
}

func (o *filterInput) update(m *Model, msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch id, _ := m.keys.Match(key, keymap.Form); {
		case id == keymap.OverlayClose:
			o.close(m)
			return m.setFilter("")
		case id == keymap.OverlayAccept:
			o.close(m)
			m.settle()
			return nil
		case id == keymap.AppHelp:
			m.push(newHelp(m))
			return nil
		case id == keymap.OverlayNext, key.Code == tea.KeyDown:
			return m.moveBy(keymap.MoveDown)
		case id == keymap.OverlayPrevious, key.Code == tea.KeyUp:
			return m.moveBy(keymap.MoveUp)
		case id == keymap.PageUp, id == keymap.PageDown:
			return m.moveBy(id)
		}
	}
	o.line.Update(msg)
	return m.setFilter(o.line.Value())
}

// moveBy moves in the list while the filter is typed.
func (m *Model) moveBy(id keymap.ID) tea.Cmd {
	moveIn(m.sessions, id)
	return m.preview()
}

func (o *filterInput) close(m *Model) {
	m.remove(o)
	m.filtering = nil
}

// draw leaves the screen as it is: the panel has the line.
func (o *filterInput) draw(m *Model, screen string) (string, *tea.Cursor) {
	_, x := o.line.View(m.sessions.FilterRoom(m.scene.sessions))
	left, top := 1, statusLines+1
	if m.scene.size.bare {
		left, top = 0, statusLines
	}
	return screen, tea.NewCursor(left+m.sessions.FilterColumn()+x, top)
}

// filterHints are the keys that work while the filter is typed.
func (m *Model) filterHints() []help.Entry {
	return []help.Entry{
		{Key: m.keyName(keymap.OverlayAccept), Does: safetext.Const("open, keep the filter")},
		{Key: m.keyName(keymap.OverlayClose), Does: safetext.Const("show all")},
		{Key: m.keyName(keymap.OverlayNext), Does: safetext.Const("next")},
	}
}

// setFilter narrows the list, and selects the first session of those that it leaves. Without a filter what is selected
// stays so.
func (m *Model) setFilter(filter string) tea.Cmd {
	if filter == m.listing.Filter {
		return nil
	}
	m.listing.Filter = filter
	if len(parseQuery(filter)) == 0 {
		return nil
	}
	m.keep = ""
	m.compose()
	m.sessions.Home()
	return m.preview()
}

// endFilter shows all sessions again. Where there is no filter, the key is about the turn that is running, as elsewhere.
func (m *Model) endFilter() tea.Cmd {
	if m.listing.Filter == "" {
		m.escape()
		return nil
	}
	return m.setFilter("")
}

// filterLine is what the panel shows of the filter.
func (m *Model) filterLine(in sessions.Input) sessions.Filter {
	f := sessions.Filter{
		On: m.listing.Filter != "" || m.filtering != nil, Text: own(m.listing.Filter), Typing: m.filtering != nil,
		Total: m.catalogue.arranged.total, EndKey: m.keyName(keymap.SessionFilterEnd),
	}
	if !f.Typing {
		return f
	}
	in.Filter = f
	room := m.sessions.FilterRoom(in)
	field, _ := m.filtering.line.View(room)
	f.Field = frame.Fit([]string{field}, room, 1)
	return f
}

// turnArchived shows what is archived, or leaves it out.
func (m *Model) turnArchived() {
	m.listing.Archived = !m.listing.Archived
	if m.listing.Archived {
		m.notices.brief(m.clock.now, safetext.Const("archived sessions are shown"))
		return
	}
	m.keep = m.sessions.Selected()
	m.notices.brief(m.clock.now, safetext.Const("archived sessions are left out"))
}

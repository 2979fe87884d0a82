package tui

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/frame"
)

const (
	// standStill is how long a word has to stand still before its completions are
	// asked for.
	standStill = 150 * time.Millisecond
	// completionPatience bounds how long a host may take to find them.
	completionPatience = 5 * time.Second
	// maxCompletions bounds how many are offered, maxInsert what one puts in, in
	// bytes.
	maxCompletions = 100
	maxInsert      = 4 << 10
)

// completing is the completing of the word before the cursor.
type completing struct {
	n       int       // counts what was asked; an answer to anything else is stale
	cancel  func()    // ends what is under way; nil: nothing is
	pressed bool      // a key asked for it
	text    string    // of the message when it was asked
	choices []choice  // nothing is offered if there are none
	since   time.Time // they are on the screen
	moved   bool      // the person has moved in them
}

// choice is one way in which a word can go on.
type choice struct {
	ahpclient.Completion
	file string // of this machine, that goes along; "": none does
	more bool   // it is a directory of this machine
	here bool   // it was found on this machine
}

// askMsg says that a word has stood still.
type askMsg struct{ n int }

// choicesMsg brings the completions of a word.
type choicesMsg struct {
	n       int
	choices []choice
	err     error
}

// suggest follows what was typed: it looks for completions where the host wants to
// be asked, and stops where there is nothing to complete any more.
func (m *Model) suggest() tea.Cmd {
	c := &m.writing.completing
	word := lastWord(m.composer.Before())
	if m.scene.size.bare || word == "" || !m.triggers(word) && (len(c.choices) == 0 || !c.pressed) {
		m.stopCompleting()
		return nil
	}
	pressed := c.pressed && len(c.choices) > 0
	if c.cancel != nil {
		c.cancel()
	}
	c.n++
	c.pressed = pressed
	cancel := make(chan struct{})
	c.cancel = func() { close(cancel) }
	return m.link.after(standStill, cancel, askMsg{c.n})
}

// triggers reports whether the host wants to be asked about a word.
func (m *Model) triggers(word string) bool {
	greeting := m.view.Connection.Greeting
	if greeting == nil {
		return false
	}
	return slices.ContainsFunc(greeting.CompletionTriggerCharacters, func(t string) bool {
		return t != "" && (strings.HasPrefix(word, t) || strings.HasSuffix(word, t))
	})
}

// complete takes the selected completion or, where none is offered, looks for some.
func (m *Model) complete() tea.Cmd {
	if m.choosing() {
		return m.accept()
	}
	m.stopCompleting()
	m.writing.completing.n++
	m.writing.completing.pressed = true
	return m.ask(m.writing.completing.n)
}

// stopCompleting offers nothing, whatever the host may still answer.
func (m *Model) stopCompleting() {
	c := &m.writing.completing
	if c.cancel != nil {
		c.cancel()
	}
	*c = completing{n: c.n + 1}
}

// ask asks for the completions of the word before the cursor: the host, and where
// that knows none, the files of this machine.
func (m *Model) ask(n int) tea.Cmd {
	c := &m.writing.completing
	if c.n != n || m.focus != keymap.Composer {
		return nil
	}
	ctx, cancel := context.WithTimeout(m.link.ctx, completionPatience)
	before, dir := m.composer.Before(), m.opts.Directory
	c.cancel, c.text = cancel, m.composer.Value()
	text, chat, host, offline := c.text, m.current.chat, m.conn.Host, m.stale() || m.chat() == nil
	return m.link.do(func(context.Context) tea.Msg {
		defer cancel()
		msg := choicesMsg{n: n}
		if !offline {
			var list []ahpclient.Completion
			list, msg.err = host.Completions(ctx, chat, text, len(before))
			msg.choices = hostChoices(list)
		}
		if len(msg.choices) == 0 && ctx.Err() == nil {
			msg.choices = localChoices(before, dir)
		}
		return msg
	})
}

// offered shows completions, unless the person has gone on.
func (m *Model) offered(msg choicesMsg) {
	c := &m.writing.completing
	if c.n != msg.n {
		return
	}
	c.cancel = nil
	c.choices, c.since = msg.choices, m.clock.now
	list := make([]composer.Choice, len(msg.choices))
	for i, x := range msg.choices {
		list[i] = composer.Choice{Name: safetext.Clean(strings.TrimSpace(x.InsertText), maxField)}
		switch {
		case x.here:
			list[i].Note = safetext.Const("on this machine")
		case x.Attachment != nil:
			list[i].Note = clean(x.Attachment.DisplayKind)
		}
	}
	m.writing.choices.Set(list)
	switch {
	case len(list) > 0 || !c.pressed:
	case msg.err != nil:
		m.notices.hint(m.clock.now, own("no completions: "+msg.err.Error()))
	default:
		m.notices.hint(m.clock.now, safetext.Const("nothing is known that this word could become"))
	}
}

// hostChoices are the completions of a host that can be used.
func hostChoices(list []ahpclient.Completion) []choice {
	var choices []choice
	for _, x := range list {
		if x.CompletionItem != nil && x.InsertText != "" && len(x.InsertText) <= maxInsert && len(choices) < maxCompletions {
			choices = append(choices, choice{Completion: x})
		}
	}
	return choices
}

// localChoices completes a word that names a file of this machine: a path, or one
// behind an @, which goes along.
func localChoices(before, directory string) []choice {
	word := lastWord(before)
	path, mention := strings.CutPrefix(word, "@")
	if !mention && !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "./") && !strings.HasPrefix(path, "../") && !strings.HasPrefix(path, "~/") {
		return nil
	}
	paths, err := pathsLike(path, directory)
	if err != nil {
		return nil // it is no path, then
	}
	var choices []choice
	for _, p := range paths {
		x := choice{here: true, more: strings.HasSuffix(p, "/")}
		x.CompletionItem = &protocol.CompletionItem{InsertText: p}
		x.Start, x.End = len(before)-len(word), len(before)
		if mention {
			x.InsertText = "@" + p
			if !x.more {
				x.file = p
			}
		}
		choices = append(choices, x)
	}
	return choices
}

// lastWord is what stands after the last white space.
func lastWord(text string) string {
	i := strings.LastIndexFunc(text, unicode.IsSpace)
	if i < 0 {
		return text
	}
	_, size := utf8.DecodeRuneInString(text[i:])
	return text[i+size:]
}

// choosing reports whether completions are on the screen.
func (m *Model) choosing() bool {
	return m.focus == keymap.Composer && len(m.writing.completing.choices) > 0 && !m.scene.size.bare
}

// chooseBy does what a key does while completions are offered; ok is false where it
// has nothing to do with them. Enter takes one only if the person can mean that: it
// was asked for, or gone to, or has been there for a moment.
func (m *Model) chooseBy(id keymap.ID) (cmd tea.Cmd, ok bool) {
	if !m.choosing() {
		return nil, false
	}
	c := &m.writing.completing
	switch id {
	case keymap.ComposerOlder, keymap.ComposerNewer:
		by := 1
		if id == keymap.ComposerOlder {
			by = -1
		}
		c.moved = true
		m.writing.choices.Move(by)
	case keymap.ComposerComplete:
		return m.accept(), true
	case keymap.ComposerSend:
		meant := c.pressed || c.moved || m.clock.now.Sub(c.since) >= reading
		if !meant || c.text != m.composer.Value() {
			return nil, false
		}
		return m.accept(), true
	case keymap.ComposerLeave:
		m.stopCompleting()
	default:
		return nil, false
	}
	return nil, true
}

// accept puts the selected completion into the message, with what goes along.
func (m *Model) accept() tea.Cmd {
	c := m.writing.completing
	i := m.writing.choices.Selected()
	m.stopCompleting()
	switch {
	case i < 0 || i >= len(c.choices):
		return nil
	case c.text != m.composer.Value(): // it was for another word
		return m.complete()
	}
	x := c.choices[i]
	if !m.composer.Replace(x.Start, x.End, x.InsertText) {
		m.notices.hint(m.clock.now, safetext.Const("there is no room for that in the message"))
		return nil
	}
	m.drafts.changes++
	word := strings.TrimSpace(x.InsertText)
	switch {
	case x.file != "":
		return m.attach(nil, x.file, word)
	case x.more:
		m.writing.completing.pressed = true
		return m.ask(m.writing.completing.n)
	case x.Attachment != nil && x.Attachment.Raw == nil && len(m.writing.files) < maxFiles:
		file := attachment{MessageAttachment: x.Attachment, word: word, size: len(x.Attachment.Data) / 4 * 3}
		m.writing.files = slices.Concat(m.writing.files, []attachment{file})
	}
	return nil
}

// overChoices lays the completions over a screen, right above the composer, which
// takes so many lines with what is below it.
func (m *Model) overChoices(screen string, below int) string {
	if !m.choosing() {
		return screen
	}
	room := m.height - statusLines - below - 2 // the borders below and above the composer
	take, leave := m.keyName(keymap.ComposerComplete).String(), m.keyName(keymap.ComposerLeave).String()
	box := m.writing.choices.View(own(take+" takes it  "+leave+" closes"), m.width, room+1)
	if box == "" {
		return screen
	}
	return frame.OverlayAt(screen, box, 0, max(0, m.height-1-below-strings.Count(box, "\n")-1), m.width, m.height)
}

package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/markdown"
	"ahptui/views/prompt"
	"ahptui/views/status"
	"ahptui/views/transcript"
)

const (
	// maxCopied bounds what is put into a clipboard, in bytes.
	maxCopied = 4 << 20
	// maxOSC bounds what is sent through the terminal, in bytes: many terminals leave out what is longer than 100 kB in the
	// base64 of OSC 52 (XTerm control sequences).
	maxOSC = 74_000
	// clipboardPatience bounds how long the clipboard of this machine may take.
	clipboardPatience = 2 * time.Second
)

// copiedMsg brings what is to be copied, without secrets, and what became of the clipboard of this machine.
type copiedMsg struct {
	piece  piece
	native bool
	err    error
}

func copyCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.CopyItem:   begins((*Model).copyItem, (*Model).whyNotReading),
		keymap.OpenPager:  begins(func(m *Model) tea.Cmd { return m.openItem(pager) }, (*Model).whyNotReading),
		keymap.OpenEditor: begins(func(m *Model) tea.Cmd { return m.openItem(editor) }, (*Model).whyNotReading),
	}
}

// selected is what is selected in the chat; where nothing is, the newest turn.
func (m *Model) selected() transcript.Selection {
	sel := m.transcript.Selected()
	if chat := m.chat(); sel.Kind == transcript.None && chat != nil {
		sel.Turn = chat.ActiveTurn
		if n := len(chat.Turns); sel.Turn == nil && n > 0 {
			sel.Turn = chat.Turns[n-1]
		}
	}
	return sel
}

// copyItem copies what is selected. Where there is more than one thing to copy, it asks which.
func (m *Model) copyItem() tea.Cmd {
	list := pieces(markdown.New(m.theme), m.selected())
	switch len(list) {
	case 0:
		m.notices.hint(m.clock.now, safetext.Const("there is no text to copy in this"))
		return nil
	case 1:
		return m.copyPiece(list[0])
	}
	in := prompt.FinderInput{Title: safetext.Const("Copy"), Submit: "copy"}
	for i, p := range list {
		in.Items = append(in.Items, prompt.FinderItem{ID: strconv.Itoa(i), Name: own(p.name + "  " + firstLine(p.text)), Note: own(extent(p.text))})
	}
	m.find(func() prompt.FinderInput { return in }, func(id string) tea.Cmd {
		i, err := strconv.Atoi(id)
		if err != nil || i >= len(list) {
			return nil
		}
		return m.copyPiece(list[i])
	})
	return nil
}

// firstLine is the first line of a text that is not blank.
func firstLine(text string) string {
	const enough = 200
	line, _, _ := strings.Cut(strings.TrimSpace(text[:min(len(text), 8*enough)]), "\n")
	return line[:min(len(line), 4*enough)]
}

// extent tells how long a text is.
func extent(text string) string {
	if n := strings.Count(strings.TrimRight(text, "\n"), "\n") + 1; n > 1 {
		return fmt.Sprintf("%d lines", n)
	}
	return fmt.Sprintf("%d bytes", len(text))
}

// copyPiece takes the secrets out of a text and hands it to the clipboard of this machine, if there is one; that of the
// terminal comes after it, with the message.
func (m *Model) copyPiece(p piece) tea.Cmd {
	if len(p.text) > maxCopied {
		m.tell(status.Warning, fmt.Sprintf("the %s is too long for a clipboard (%d MB): %s opens it in an editor", p.name, len(p.text)>>20, m.keyName(keymap.OpenEditor)))
		return nil
	}
	conn, write := m.conn, m.opts.Clipboard
	return m.link.do(func(ctx context.Context) tea.Msg {
		p.text = conn.withoutTokens(ctx, plainText(p.text))
		msg := copiedMsg{piece: p, native: write != nil}
		if msg.native {
			msg.err = within(ctx, clipboardPatience, func() error { return write(p.text) })
		}
		return msg
	})
}

// within does something that takes no context, and leaves it alone if it does not end.
func within(ctx context.Context, patience time.Duration, do func() error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- do() }() // what it starts may hang; it ends with the program at the latest
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("it does not answer: %w", ctx.Err())
	}
}

// copied puts a text into the clipboard of the terminal and says what was copied, and by which way. Whether the terminal
// takes it is not known: it does not say.
func (m *Model) copied(msg copiedMsg) tea.Cmd {
	p, native := msg.piece, msg.native && msg.err == nil
	what := "the " + p.name + " (" + extent(p.text) + ")"
	switch {
	case len(p.text) <= maxOSC && native:
		m.tell(status.Success, "copied "+what+" to this machine's clipboard, and sent it to the terminal's")
	case len(p.text) <= maxOSC:
		m.tell(status.Success, "copied "+what+" by the terminal (OSC 52), which has to allow it")
	case native:
		m.tell(status.Success, "copied "+what+" to this machine's clipboard; it is too long for the terminal's")
		return nil
	default:
		why := ""
		if msg.err != nil {
			why = ", and this machine's failed: " + msg.err.Error()
		}
		m.tell(status.Warning, "not copied: "+what+" is too long for the terminal's clipboard"+why+". "+m.keyName(keymap.OpenEditor).String()+" opens it in an editor")
		return nil
	}
	return tea.SetClipboard(p.text)
}

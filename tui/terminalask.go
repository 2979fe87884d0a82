package tui

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// askClaim asks before a terminal is taken that somebody else has. One that a
// session has can be typed into as it is.
func (m *Model) askClaim() {
	uri, state := m.selectedTerminal()
	owner, title := m.ownerOf(state.Claim), m.titleOf(uri)
	in := prompt.PickInput{Title: own("Type into " + title + "?"), Options: []safetext.Text{own("take it from " + owner + " and type")}}
	if m.another(state.Claim) {
		in.Text = []safetext.Text{own(owner + " has this terminal. Who has it decides who types and how large it is.")}
	} else {
		in.Text = []safetext.Text{own(owner + " has this terminal: an agent may be waiting for what runs in it.")}
		in.Options = append(in.Options, safetext.Const("type, and leave it where it belongs"))
	}
	m.pick(func() prompt.PickInput { return in }, func(option int) tea.Cmd {
		if why := m.whyNotType(); !why.Empty() {
			m.notices.hint(m.clock.now, why)
			return nil
		}
		if now, _ := m.selectedTerminal(); now != uri {
			return nil
		}
		if option == 0 && !m.claim(uri, &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: m.conn.Host.ClientID()}, "take "+title) {
			return nil
		}
		m.setFocus(keymap.TerminalInput)
		return nil
	})
}

// aboutClaim marks what is asked of a terminal's claim.
const aboutClaim = "claim"

// claim hands a terminal to somebody.
func (m *Model) claim(uri protocol.URI, claim *protocol.TerminalClaim, what string) bool {
	return m.dispatch(uri, &protocol.TerminalClaimed{Claim: claim}, asked{what: what, about: aboutClaim})
}

// whyNotReturn says why the selected terminal cannot be handed to the session, or "".
func (m *Model) whyNotReturn() safetext.Text {
	if why := m.whyNoTerminal(); !why.Empty() {
		return why
	}
	switch _, state := m.selectedTerminal(); {
	case !m.holds(state.Claim):
		return safetext.Const("this terminal is not yours to hand over")
	case m.session() == nil:
		return m.whyNoSession()
	}
	return safetext.Text{}
}

// returnTerminal hands a terminal to the session on the screen.
func (m *Model) returnTerminal() {
	uri, _ := m.selectedTerminal()
	claim := &protocol.TerminalClaim{Kind: protocol.ClaimSession, Session: m.current.session, Chat: m.current.chat}
	m.claim(uri, claim, "hand "+m.titleOf(uri)+" to the session")
}

// askEndTerminal asks before a terminal is ended.
func (m *Model) askEndTerminal() {
	uri, state := m.selectedTerminal()
	title := m.titleOf(uri)
	in := prompt.PickInput{
		Title: own("End " + title + "?"), Options: []safetext.Text{own("end " + title)},
		Text: []safetext.Text{safetext.Const("What runs in it is ended with it, and its output is gone.")},
	}
	if !m.holds(state.Claim) {
		in.Text = append(in.Text, own(m.ownerOf(state.Claim)+" has this terminal."))
	}
	m.pick(func() prompt.PickInput { return in }, func(int) tea.Cmd {
		host := m.conn.Host
		return m.link.do(func(ctx context.Context) tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, terminalPatience)
			defer cancel()
			return terminalMsg{what: title + " was not ended", done: title + " has ended", err: host.DisposeTerminal(ctx, uri)}
		})
	})
}

// askPaste asks before lines are pasted that are carried out one by one.
func (m *Model) askPaste(sent string, lines int) {
	uri, _ := m.selectedTerminal()
	in := prompt.PickInput{
		Title: own("Paste " + strconv.Itoa(lines) + " lines?"), Options: []safetext.Text{own("paste " + strconv.Itoa(lines) + " lines")},
		Text: []safetext.Text{safetext.Const("The program in the terminal takes the end of each line for Enter: a shell runs them.")},
	}
	m.pick(func() prompt.PickInput { return in }, func(int) tea.Cmd {
		if now, _ := m.selectedTerminal(); now == uri && m.focus == keymap.TerminalInput && m.whyNotNow().Empty() {
			m.toTerminal(sent)
		}
		return nil
	})
}

// terminalMsg tells what became of a terminal that was to be made or ended.
type terminalMsg struct {
	made protocol.URI
	what string // to say where it failed
	done string // to say where it did not
	err  error
}

// newTerminal opens a terminal in the directory of the session on the screen.
func (m *Model) newTerminal() tea.Cmd {
	params := &protocol.CreateTerminalParams{}
	if s := m.session(); s != nil {
		if dirs := s.Directories(); len(dirs) > 0 {
			params.Cwd = dirs[0]
		}
	}
	if cols, rows := m.middle.terminals.view.Screen(); cols > 1 && rows > 0 {
		params.Cols, params.Rows = &cols, &rows
	}
	host := m.conn.Host
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, terminalPatience)
		defer cancel()
		uri, err := host.CreateTerminal(ctx, params)
		return terminalMsg{uri, "no terminal was opened", "a terminal was opened", err}
	})
}

// terminalDone selects a terminal that was made, or tells what became of one.
func (m *Model) terminalDone(msg terminalMsg) {
	if msg.err != nil {
		m.tell(status.Problem, msg.what+": "+msg.err.Error())
		return
	}
	m.tell(status.Success, msg.done)
	if msg.made != "" && m.focus != keymap.TerminalInput {
		m.middle.terminals.view.Select(msg.made)
	}
}

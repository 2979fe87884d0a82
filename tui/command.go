package tui

import (
	"maps"
	"runtime"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
)

// command is what a key does in a panel or in the composer, and why it cannot now.
type command struct {
	do  func(m *Model, msg tea.KeyPressMsg) tea.Cmd
	why func(m *Model) safetext.Text // empty: it can; nil: it always can
}

// commands is the table of everything that a key can do outside of windows. The keys, the footer, the help and the palette
// all go by it.
func commands() map[keymap.ID]command {
	all := map[keymap.ID]command{}
	for _, part := range []map[keymap.ID]command{
		generalCommands(), moveCommands(), widthCommands(), sessionCommands(), listingCommands(), sessionActionCommands(), chatCommands(), callCommands(), requestCommands(), serverCommands(), composerCommands(), writingCommands(), readingCommands(), searchCommands(), copyCommands(), agentCommands(),
		terminalCommands(), changesCommands(),
	} {
		maps.Copy(all, part)
	}
	return all
}

// does makes a command of what brings no message.
func does(f func(m *Model), why func(m *Model) safetext.Text) command {
	return command{do: func(m *Model, _ tea.KeyPressMsg) tea.Cmd {
		f(m)
		return nil
	}, why: why}
}

// begins makes a command of what may bring a message later.
func begins(f func(m *Model) tea.Cmd, why func(m *Model) safetext.Text) command {
	return command{do: func(m *Model, _ tea.KeyPressMsg) tea.Cmd { return f(m) }, why: why}
}

// disabled says why a key cannot work now, or "".
func (m *Model) disabled(id keymap.ID) safetext.Text {
	if why := m.commands[id].why; why != nil && m.conn != nil {
		return why(m)
	}
	return safetext.Text{}
}

func generalCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.AppQuit:     begins((*Model).leave, nil),
		keymap.AppHelp:     does(func(m *Model) { m.push(newHelp(m)) }, nil),
		keymap.HostRefresh: does((*Model).refresh, nil),
		keymap.BlockNext:   begins((*Model).nextBlocked, (*Model).whyNoBlock),
		keymap.BlockNewest: begins((*Model).newestBlocked, (*Model).whyNoBlock),
		keymap.AppSuspend:  begins(func(*Model) tea.Cmd { return tea.Suspend }, whyNoSuspend),
		keymap.BlockList:   does((*Model).openBlocks, nil),
		keymap.Palette:     does((*Model).openPalette, nil),
	}
}

func whyNoSuspend(*Model) safetext.Text {
	if runtime.GOOS == "windows" {
		return safetext.Const("this system has no way to suspend a program")
	}
	return safetext.Text{}
}

func moveCommands() map[keymap.ID]command {
	all := map[keymap.ID]command{
		keymap.PanelNext:     does(func(m *Model) { m.goBeside(true) }, nil),
		keymap.PanelPrevious: does(func(m *Model) { m.goBeside(false) }, nil),
	}
	for _, id := range []keymap.ID{
		keymap.MoveUp, keymap.MoveDown, keymap.HalfUp, keymap.HalfDown, keymap.PageUp, keymap.PageDown, keymap.MoveTop, keymap.MoveBottom,
	} {
		all[id] = begins(func(m *Model) tea.Cmd {
			m.guard.moved = true
			return m.move(id)
		}, nil)
	}
	return all
}

func sessionCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.SessionNew:  begins((*Model).openSessionForm, (*Model).offline),
		keymap.SessionOpen: does((*Model).write, (*Model).whyNoneSelected),
		keymap.TurnCancel:  does((*Model).cancel, (*Model).whyNoCancel),
	}
}

func callCommands() map[keymap.ID]command {
	answer := func(id keymap.ID, f func(m *Model, msg tea.KeyPressMsg)) command {
		return command{
			do:  func(m *Model, msg tea.KeyPressMsg) tea.Cmd { f(m, msg); return nil },
			why: func(m *Model) safetext.Text { return m.whyNoAnswer(id) },
		}
	}
	return map[keymap.ID]command{
		keymap.DetailToggle: does((*Model).detail, nil),
		keymap.AccessGrant:  begins((*Model).grant, (*Model).whyNoGrant),
		keymap.CallEdit:     does((*Model).editInput, (*Model).whyNoEdit),
		keymap.CallApprove:  answer(keymap.CallApprove, func(m *Model, _ tea.KeyPressMsg) { m.answer(true) }),
		keymap.CallDeny:     answer(keymap.CallDeny, func(m *Model, _ tea.KeyPressMsg) { m.answer(false) }),
		keymap.CallOption: answer(keymap.CallOption, func(m *Model, msg tea.KeyPressMsg) {
			m.choose(m.keys.Index(msg, keymap.CallOption))
		}),
	}
}

func requestCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.RequestAnswer: does((*Model).answerRequest, (*Model).whyNoRequest),
	}
}

func serverCommands() map[keymap.ID]command {
	all := map[keymap.ID]command{
		keymap.SignOut:    does((*Model).askSignOut, (*Model).whyNoSignOut),
		keymap.KeepTokens: does((*Model).askStorage, (*Model).whyNoStorage),
		keymap.ServerDetail: does(func(m *Model) { m.push(newServerDetail(m)) }, func(m *Model) safetext.Text {
			return m.whyNoServerAction(keymap.ServerDetail)
		}),
		keymap.ServerDoctor: does((*Model).diagnose, func(m *Model) safetext.Text { return m.whyNoServerAction(keymap.ServerDoctor) }),
	}
	for _, id := range []keymap.ID{keymap.ServerStart, keymap.ServerStop, keymap.ServerRestart, keymap.ServerToggle, keymap.ServerBackground} {
		all[id] = does(func(m *Model) { m.actOnServer(id) }, func(m *Model) safetext.Text { return m.whyNoServerAction(id) })
	}
	return all
}

func composerCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.ComposerFocus:   does((*Model).write, nil),
		keymap.ComposerLeave:   does((*Model).stopWriting, nil),
		keymap.ComposerNewline: does(func(m *Model) { m.composer.Newline() }, nil),
		keymap.ComposerSend:    does((*Model).send, nil),
	}
}

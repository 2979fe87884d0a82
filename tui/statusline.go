package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/status"
)

// statusInput maps the connection and what waits for a person.
func (m *Model) statusInput(blocked int) status.Input {
	c := m.view.Connection
	in := status.Input{
		Phase: phaseOf(c.Phase), Blocked: blocked, Servers: m.ailing(),
		Help: m.keyName(keymap.AppHelp), Next: m.keyName(keymap.BlockNext),
	}
	in.Host = m.hostName()
	if c.Version != (protocol.Version{}) {
		in.Version = own(c.Version.String())
	}
	if c.Phase == ahpclient.Connected && c.Latency > 0 {
		in.Latency = own(fmt.Sprintf("%d ms", max(1, c.Latency.Milliseconds())))
	}
	if c.Err != nil && c.Phase != ahpclient.Connected {
		in.Reason = clean(c.Err.Error())
	}
	if wait := c.Retry.Sub(m.clock.now); wait > 0 && (c.Phase == ahpclient.Connecting || c.Phase == ahpclient.Reconnecting) {
		left := (wait - 1).Truncate(time.Second) // the whole seconds after this one
		in.Retry = own(fmt.Sprintf("in %d s", left/time.Second+1))
		m.clock.at(c.Retry.Add(-left))
	}
	return in
}

// hostName is what the host calls itself, else what it was called.
func (m *Model) hostName() safetext.Text {
	if h := m.view.Connection.Host; h != nil && h.Name != "" {
		return clean(h.Name)
	}
	if m.conn != nil {
		return clean(m.conn.Name)
	}
	return safetext.Text{}
}

func phaseOf(p ahpclient.Phase) status.Phase {
	switch p {
	case ahpclient.Connecting:
		return status.Connecting
	case ahpclient.Connected:
		return status.Connected
	case ahpclient.Reconnecting:
		return status.Reconnecting
	case ahpclient.Failed:
		return status.Failed
	}
	return status.Offline
}

// title is the title of the terminal's window. No peer's text is in it.
func title(blocked int) string {
	if blocked > 0 {
		return fmt.Sprintf("ahptui (%d blocked)", blocked)
	}
	return "ahptui"
}

// programStatus is what the terminal is told of the program: whether somebody
// has to come and look. No peer's text is in it.
// See https://www.superlogical.com/rex/docs/build/program-status.
func (m *Model) programStatus(blocks []protocol.Block) *tea.ProgramStatus {
	if m.leaving || m.conn == nil {
		return nil
	}
	s := &tea.ProgramStatus{App: "ahptui", State: tea.ProgramStateIdle}
	switch {
	case len(blocks) > 0:
		s.State, s.Kind = tea.ProgramStateBlocked, statusKind(blocks[0].Kind)
		s.Message = fmt.Sprintf("%d blocked", len(blocks))
	case m.view.Connection.Phase == ahpclient.Failed:
		s.State, s.Message = tea.ProgramStateError, "not connected"
	case len(m.catalogue.busy) > 0:
		s.State = tea.ProgramStateWorking
	}
	return s
}

func statusKind(k protocol.BlockKind) tea.ProgramStatusKind {
	switch k {
	case protocol.BlockToolAuth, protocol.BlockServerAuth:
		return tea.ProgramStatusKindAuth
	case protocol.BlockInput:
		return tea.ProgramStatusKindQuestion
	case protocol.BlockConfirmation, protocol.BlockResult, protocol.BlockOther:
	}
	return tea.ProgramStatusKindPermission
}

// whyOffline says what is wrong with the connection and what can be done, or ""
// if nothing is.
func (m *Model) whyOffline() safetext.Text {
	c := m.view.Connection
	again := m.keyName(keymap.HostRefresh).String() + " tries again"
	why := ""
	if c.Err != nil {
		why = m.failure(c.Err) + "; "
	}
	switch {
	case c.Phase == ahpclient.Connected:
		return safetext.Text{}
	case c.Phase == ahpclient.Failed && m.conn.Retry == nil:
		return own(why + "start ahptui again when that is mended")
	case c.Phase == ahpclient.Failed:
		return own(why + again)
	case c.Phase == ahpclient.Closed:
		return safetext.Const("the connection was closed")
	case why != "":
		return own(why + again + " at once")
	}
	return safetext.Const("waiting for the host")
}

// failure words an error, with what the person can do about it.
func (m *Model) failure(err error) string {
	if m.opts.Hint != nil {
		return strings.TrimSuffix(err.Error()+"; "+m.opts.Hint(err), "; ")
	}
	return err.Error()
}

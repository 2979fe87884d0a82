package tui

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/status"
	"ahptui/views/terminal"
)

// terminalHost is what the panel of terminals asks of a host.
type terminalHost interface {
	// ClientID is what the host knows this client by.
	ClientID() string
	// CreateTerminal makes a terminal and subscribes to it, DisposeTerminal ends one.
	// They may take as long as ctx allows.
	CreateTerminal(ctx context.Context, params *protocol.CreateTerminalParams) (protocol.URI, error)
	DisposeTerminal(ctx context.Context, terminal protocol.URI) error
}

const (
	// The size that a terminal has whose host says none.
	usualCols, usualRows = 80, 24
	// maxTerminals bounds the terminals that are listed.
	maxTerminals = 500
	// resizeRest is how long the size of the panel has to stay the same before a
	// terminal gets it.
	resizeRest = 150 * time.Millisecond
	// terminalPatience bounds how long a host may take to make or end a terminal.
	terminalPatience = 30 * time.Second
	// maxInput is how much is sent to a terminal at once, maxPaste how much of a text
	// that is pasted, in bytes.
	maxInput, maxPaste = 16 << 10, 1 << 20
)

// terminals is the panel of the host's terminals.
type terminals struct {
	view  *terminal.Model
	input terminal.Input
	list  terminalList
	fit   fit
}

func newTerminals(theme themes.Theme) terminals { return terminals{view: terminal.New(theme)} }

// terminalList is the host's terminals as they are listed, and what that depends on.
type terminalList struct {
	root    *protocol.RootState
	session protocol.URI
	state   *protocol.SessionState
	infos   []*protocol.TerminalInfo // those that are listed, in the order of the rows
	rows    []terminal.Row
}

func terminalCommands() map[keymap.ID]command {
	return map[keymap.ID]command{
		keymap.TerminalsShow:  does(func(m *Model) { m.showMiddle(keymap.Terminals) }, nil),
		keymap.PanelBack:      does((*Model).goBack, nil),
		keymap.TerminalType:   does((*Model).beginTyping, (*Model).whyNotType),
		keymap.TerminalLeave:  does(func(m *Model) { m.setFocus(keymap.Terminals) }, nil),
		keymap.TerminalUp:     does(func(m *Model) { m.middle.terminals.view.PageUp() }, nil),
		keymap.TerminalDown:   does(func(m *Model) { m.middle.terminals.view.PageDown() }, nil),
		keymap.TerminalNew:    begins((*Model).newTerminal, (*Model).offline),
		keymap.TerminalEnd:    does((*Model).askEndTerminal, (*Model).whyNoTerminal),
		keymap.TerminalReturn: does((*Model).returnTerminal, (*Model).whyNotReturn),
	}
}

// listTerminals are the host's terminals: those of the session on the screen first,
// then those that clients have, then the others.
func (m *Model) listTerminals() *terminalList {
	l := &m.middle.terminals.list
	if l.root == m.view.Root && l.session == m.current.session && l.state == m.session() {
		return l
	}
	*l = terminalList{root: m.view.Root, session: m.current.session, state: m.session()}
	if l.root == nil {
		return l
	}
	l.infos = slices.Clone(l.root.Terminals[:min(len(l.root.Terminals), maxTerminals)])
	rank := func(i *protocol.TerminalInfo) int {
		switch {
		case i.Claim != nil && i.Claim.Kind == protocol.ClaimSession && i.Claim.Session == l.session:
			return 0
		case i.Claim == nil || i.Claim.Kind == protocol.ClaimClient:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(l.infos, func(a, b *protocol.TerminalInfo) int { return cmp.Compare(rank(a), rank(b)) })
	for _, i := range l.infos {
		row := terminal.Row{ID: i.Resource, Title: clean(i.Title), Owner: own(m.ownerOf(i.Claim))}
		code, ended := i.Exited()
		if row.Ended = ended; ended {
			row.Exit = exitWords(code)
		}
		l.rows = append(l.rows, row)
	}
	return l
}

// exitWords say how a program has ended.
func exitWords(code *int) safetext.Text {
	if code == nil {
		return safetext.Const("ended")
	}
	return own("exit " + strconv.Itoa(*code))
}

// ownerOf names who has a terminal.
func (m *Model) ownerOf(c *protocol.TerminalClaim) string {
	switch {
	case c == nil:
		return "nobody"
	case m.holds(c):
		return "you"
	case c.Kind == protocol.ClaimSession && c.Session == m.current.session:
		return "this session"
	case c.Kind == protocol.ClaimSession:
		return "session " + m.nameOf(c.Session)
	}
	if s := m.session(); s != nil {
		for _, client := range s.ActiveClients {
			if client.ClientID == c.ClientID && client.DisplayName != "" {
				return client.DisplayName
			}
		}
	}
	return "another client"
}

// holds reports whether a terminal is this client's.
func (m *Model) holds(c *protocol.TerminalClaim) bool {
	return c != nil && c.Kind == protocol.ClaimClient && c.ClientID == m.conn.Host.ClientID()
}

// selectedTerminal is the terminal that is selected, and its state, nil where that
// is not there.
func (m *Model) selectedTerminal() (uri protocol.URI, state *protocol.TerminalState) {
	uri, ok := m.middle.terminals.view.Selected()
	if !ok {
		return "", nil
	}
	if c := m.view.Channels[uri]; c != nil {
		state, _ = c.State.(*protocol.TerminalState)
	}
	return uri, state
}

// titleOf is what to call a terminal.
func (m *Model) titleOf(uri protocol.URI) string {
	for _, i := range m.listTerminals().infos {
		if i.Resource == uri && i.Title != "" {
			return "“" + i.Title + "”"
		}
	}
	return "the terminal"
}

// terminalsInput maps the terminals.
func (m *Model) terminalsInput() terminal.Input {
	in := terminal.Input{
		Rows: m.listTerminals().rows, Stale: m.stale(), Typing: m.focus == keymap.TerminalInput, Leave: m.keyName(keymap.TerminalLeave),
	}
	// The selection is that of these rows, so that what is drawn belongs to it.
	m.middle.terminals.view.SyncRows(in.Rows)
	uri, state := m.selectedTerminal()
	switch {
	case len(in.Rows) == 0 && m.stale():
		in.Empty = m.whyOffline()
	case len(in.Rows) == 0:
		in.Empty = own("the host has no terminals; " + m.keyName(keymap.TerminalNew).String() + " opens one")
	case state == nil:
		in.Empty = m.whyNoTerminal()
	default:
		in.Content = contentOf(uri, state)
		in.Content.Pending = m.isPending(target{uri, aboutClaim})
		in.Hint = m.terminalHint()
	}
	return in
}

func contentOf(uri protocol.URI, s *protocol.TerminalState) *terminal.Content {
	c := &terminal.Content{ID: uri, Parts: s.Content, Cols: usualCols, Rows: usualRows}
	if s.Cols != nil && s.Rows != nil {
		c.Cols, c.Rows = *s.Cols, *s.Rows
	}
	if dir, ok := strings.CutPrefix(string(s.Cwd), "file://"); ok {
		c.Cwd = clean(path.Clean(dir))
	}
	return c
}

// terminalHint says how one types, or why one cannot.
func (m *Model) terminalHint() safetext.Text {
	if why := m.whyNotType(); !why.Empty() {
		return why
	}
	return own(m.keyName(keymap.TerminalType).String() + " types into it")
}

// whyNoTerminal says why there is no terminal to act on, or "".
func (m *Model) whyNoTerminal() safetext.Text {
	uri, state := m.selectedTerminal()
	c := m.view.Channels[uri]
	switch {
	case uri == "":
		return safetext.Const("no terminal is selected")
	case state != nil:
		return m.offline()
	case c != nil && c.Err != nil:
		return own("the host does not open this terminal: " + c.Err.Error())
	case m.stale():
		return m.whyOffline()
	}
	return safetext.Const("opening the terminal")
}

// whyNotType says why nothing can be typed into the selected terminal, or "".
func (m *Model) whyNotType() safetext.Text {
	if why := m.whyNoTerminal(); !why.Empty() {
		return why
	}
	_, state := m.selectedTerminal()
	switch code, ended := state.Exited(); {
	case ended:
		return own("its program has ended (" + exitWords(code).String() + ")")
	case !protocol.ClientMay(m.version(), (&protocol.TerminalInput{}).ActionType()):
		return own("protocol version " + m.version().String() + " does not let clients type into terminals")
	}
	return safetext.Text{}
}

// beginTyping gives the keys to the terminal, if it is this client's; else it asks.
func (m *Model) beginTyping() {
	_, state := m.selectedTerminal()
	if state.Claim == nil || m.holds(state.Claim) {
		m.setFocus(keymap.TerminalInput)
		return
	}
	m.askClaim()
}

// typeInTerminal sends a key to the terminal.
func (m *Model) typeInTerminal(msg tea.KeyPressMsg) {
	m.notices.dropHints()
	if why := m.whyNotNow(); !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return
	}
	m.toTerminal(m.middle.terminals.view.Key(tea.Key(msg)))
}

// whyNotNow says why a key that was meant for the terminal does not go there.
func (m *Model) whyNotNow() safetext.Text {
	why := m.whyNotType()
	if _, state := m.selectedTerminal(); why.Empty() && m.another(state.Claim) {
		why = own(m.ownerOf(state.Claim) + " has this terminal")
	}
	if why.Empty() {
		return why
	}
	return own(why.String() + "; " + m.keyName(keymap.TerminalLeave).String() + " leaves it")
}

// another reports whether a terminal is another client's.
func (m *Model) another(c *protocol.TerminalClaim) bool {
	return c != nil && c.Kind == protocol.ClaimClient && !m.holds(c)
}

// toTerminal sends what is typed, in pieces of what a host takes.
func (m *Model) toTerminal(data string) {
	uri, _ := m.selectedTerminal()
	for data != "" {
		n := min(len(data), maxInput)
		for n < len(data) && data[n]&0xc0 == 0x80 { // within a character
			n--
		}
		if !m.dispatch(uri, &protocol.TerminalInput{Data: protocol.NewText(data[:n])}, asked{what: "type into " + m.titleOf(uri)}) {
			return
		}
		data = data[n:]
	}
}

// pasteToTerminal sends text that was pasted. Where each line of it would do what
// a key does, it asks first.
func (m *Model) pasteToTerminal(text string) {
	if why := m.whyNotNow(); !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return
	}
	if len(text) > maxPaste {
		m.tell(status.Warning, "this is too much to paste into a terminal: nothing was sent")
		return
	}
	sent, marked := m.middle.terminals.view.Paste(text)
	if lines := strings.Count(strings.TrimSuffix(sent, "\r"), "\r"); lines > 0 && !marked {
		m.askPaste(sent, lines+1)
		return
	}
	m.toTerminal(sent)
}

// fit is the size that a terminal is about to get, or has been given.
type fit struct {
	uri        protocol.URI
	cols, rows int
	cancel     chan struct{} // nil: it was asked for
}

// resizeMsg says that the size of the panel has stayed the same.
type resizeMsg struct {
	uri        protocol.URI
	cols, rows int
}

// fitTerminal gives this client's terminal the size of the panel, once that stays
// the same for a moment. What the host has not taken is not asked for again.
func (m *Model) fitTerminal() tea.Cmd {
	t := &m.middle.terminals
	uri, state := m.selectedTerminal()
	wanted := fit{uri: uri}
	wanted.cols, wanted.rows = t.view.Screen()
	if state == nil || m.scene.size.terminals == 0 || !m.holds(state.Claim) || !m.whyNotType().Empty() || wanted.cols < 2 || wanted.rows < 1 {
		return nil
	}
	if c := contentOf(uri, state); c.Cols == wanted.cols && c.Rows == wanted.rows && state.Cols != nil {
		t.fit.stop()
		t.fit = wanted
		return nil
	}
	if t.fit.uri == uri && t.fit.cols == wanted.cols && t.fit.rows == wanted.rows {
		return nil
	}
	t.fit.stop()
	wanted.cancel = make(chan struct{})
	t.fit = wanted
	return m.link.after(resizeRest, wanted.cancel, resizeMsg{uri, wanted.cols, wanted.rows})
}

func (f *fit) stop() {
	if f.cancel != nil {
		close(f.cancel)
		f.cancel = nil
	}
}

// resizeTerminal asks for the size of the panel.
func (m *Model) resizeTerminal(msg resizeMsg) {
	f := &m.middle.terminals.fit
	if f.cancel == nil || f.uri != msg.uri || f.cols != msg.cols || f.rows != msg.rows {
		return
	}
	f.cancel = nil
	if _, state := m.selectedTerminal(); state != nil && m.holds(state.Claim) && !m.stale() {
		m.dispatch(msg.uri, &protocol.TerminalResized{Cols: msg.cols, Rows: msg.rows}, asked{what: "resize " + m.titleOf(msg.uri)})
	}
}

package host

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	"ahptui/host/terminal"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// The limits of terminals.
const (
	maxTerminals     = 32
	maxCells         = 1000     // columns or rows
	maxInputBytes    = 64 << 10 // of one action
	maxTerminalBytes = 256 << 10
	maxTerminalParts = 500
	maxNameBytes     = 256
)

// A console is a terminal that clients can use.
type console struct {
	uri   protocol.URI
	state *protocol.TerminalState
	term  *terminal.Terminal // nil until it has started
	bytes int                // of the content, about
	ended chan struct{}      // closed when the program has ended
	// command is the one that runs, if the shell marks its commands.
	command string
	since   time.Time
}

func (t *console) kind() protocol.ChannelKind     { return protocol.TerminalKind }
func (t *console) current() protocol.ChannelState { return t.state }

// What follows runs under the host's lock, except where it says otherwise.

// reduce folds an action into the state, of which the oldest output is dropped
// when it becomes too much: clients that have more may keep it.
func (t *console) reduce(a protocol.Action) {
	t.state = protocol.ReduceTerminal(profile, t.state, a)
	switch a := a.(type) {
	case *protocol.TerminalData:
		t.bytes += a.Data.Len()
	case *protocol.TerminalCommandExecuted:
		t.bytes += a.CommandLine.Len()
	case *protocol.TerminalCleared:
		t.bytes = 0
	}
	if t.bytes > maxTerminalBytes || len(t.state.Content) > maxTerminalParts {
		state := *t.state
		state.Content, t.bytes = newestOutput(state.Content, maxTerminalBytes*3/4, maxTerminalParts*3/4)
		t.state = &state
	}
}

// settle keeps the catalogue of terminals in line.
func (t *console) settle(h *Host, a protocol.Action) {
	switch a.(type) {
	case *protocol.TerminalTitleChanged, *protocol.TerminalClaimed, *protocol.TerminalExited:
		h.catalogueTerminals()
	}
}

func (t *console) exited() bool {
	_, ended := t.state.Exited()
	return ended
}

// catalogueTerminals tells of the terminals if the root's list is not theirs.
func (h *Host) catalogueTerminals() {
	list := make([]*protocol.TerminalInfo, 0, len(h.terminals))
	for _, t := range h.terminals {
		list = append(list, &protocol.TerminalInfo{Resource: t.uri, Title: t.state.Title, Claim: t.state.Claim, Lifecycle: t.state.Lifecycle})
	}
	if !reflect.DeepEqual(list, h.root.state.Terminals) {
		h.apply(protocol.RootChannel, &protocol.RootTerminalsChanged{Terminals: list}, nil)
	}
}

// createTerminal gives up the lock while the shell starts.
func (h *Host) createTerminal(c *conn, p *protocol.CreateTerminalParams) (any, *jsonrpc.Error) {
	cols, rows := cells(p.Cols), cells(p.Rows)
	claim, err := h.claim(c.client, p.Claim)
	switch {
	case !h.opts.Terminals:
		return nil, &jsonrpc.Error{Code: protocol.CodePermissionDenied, Message: "this host gives nobody a terminal"}
	case err != nil:
		return nil, invalid("%v", err)
	case !canBeChannel(p.Channel) || h.channels[p.Channel] != nil:
		return nil, invalid("the terminal needs a URI of its own")
	case cols < 0 || cols > maxCells || rows < 0 || rows > maxCells:
		return nil, invalid("a terminal has 1 to %d columns and rows", maxCells)
	case len(p.Name) > maxNameBytes:
		return nil, invalid("the name is longer than %d bytes", maxNameBytes)
	}
	cwd := p.Cwd
	if s := h.sessions[claim.Session]; cwd == "" && s != nil && len(s.state.WorkingDirectories) > 0 {
		cwd = s.state.WorkingDirectories[0]
	}
	if cwd == "" {
		cwd = h.opts.DefaultDirectory
	}
	dir := ""
	if cwd != "" {
		var ok bool
		if dir, ok = filePath(cwd); !ok {
			return nil, invalid("the terminal's directory is no directory of this machine")
		}
	}
	title := p.Name
	if title == "" {
		title = "Terminal"
	}
	t, err := h.newConsole(p.Channel, title, cwd, claim, cols, rows)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	h.mu.Unlock()
	err = h.launch(t, terminal.Config{Dir: dir, Cols: cols, Rows: rows})
	h.mu.Lock()
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: firstLine(err.Error(), 300)}
	}
	return nil, nil
}

// cells is a number of columns or rows; 0 where nothing is said.
func cells(n *int) int {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return -1 // it is said, and none
	}
	return *n
}

// newConsole makes a terminal that has not started yet. Where there are too many,
// one that has ended makes room.
func (h *Host) newConsole(uri protocol.URI, title string, cwd protocol.URI, claim *protocol.TerminalClaim, cols, rows int) (*console, error) {
	if len(h.terminals) >= maxTerminals {
		i := slices.IndexFunc(h.terminals, (*console).exited)
		if i < 0 {
			return nil, errors.New("the host has too many terminals; dispose of some")
		}
		h.closeConsole(h.terminals[i])
	}
	t := &console{uri: uri, ended: make(chan struct{}), state: &protocol.TerminalState{
		Title: title, Cwd: cwd, Content: []*protocol.TerminalPart{}, Claim: claim, IsPty: new(true),
		Lifecycle: &protocol.TerminalLifecycle{Status: protocol.TerminalRunning},
	}}
	if cols > 0 && rows > 0 {
		t.state.Cols, t.state.Rows = &cols, &rows
	}
	h.terminals = append(h.terminals, t)
	h.addChannel(uri, t)
	h.catalogueTerminals()
	return t, nil
}

var errNoTerminal = errors.New("the terminal is gone")

// launch starts the program of a terminal. It takes the lock itself.
func (h *Host) launch(t *console, cfg terminal.Config) error {
	term, err := terminal.Start(cfg, func(events []terminal.Event) { h.happened(t, events) })
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case err != nil:
		h.dropConsole(t)
		return err
	case h.closed || h.channels[t.uri] != t: // in the meantime
		h.work.Go(func() { _ = term.Close(h.background()) }) // which ends: it is not bounded by a context
		return errNoTerminal
	}
	t.term = term
	return nil
}

// happened tells clients what has happened on a terminal. It is called by the
// terminal's own goroutine, without the lock.
func (h *Host) happened(t *console, events []terminal.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		if e.Kind == terminal.Exited {
			close(t.ended)
		}
		if h.channels[t.uri] != t || h.closed {
			continue
		}
		for _, a := range t.actions(e) {
			h.apply(t.uri, a, nil)
		}
	}
}

// actions are the protocol's form of an event.
func (t *console) actions(e terminal.Event) []protocol.Action {
	switch e.Kind {
	case terminal.Data:
		return []protocol.Action{&protocol.TerminalData{Data: protocol.NewText(e.Text)}}
	case terminal.Title:
		if e.Text != "" && e.Text != t.state.Title {
			return []protocol.Action{&protocol.TerminalTitleChanged{Title: e.Text}}
		}
	case terminal.Dir:
		if cwd := FileURI(e.Text); cwd != t.state.Cwd {
			return []protocol.Action{&protocol.TerminalCwdChanged{Cwd: cwd}}
		}
	case terminal.Detection:
		return []protocol.Action{&protocol.TerminalCommandDetectionAvailable{}}
	case terminal.CommandRun:
		t.command, t.since = newID(), time.Now()
		at := float64(t.since.UnixMilli())
		return []protocol.Action{&protocol.TerminalCommandExecuted{CommandID: t.command, CommandLine: protocol.NewText(e.Text), Timestamp: &at}}
	case terminal.CommandEnd:
		return []protocol.Action{t.commandFinished(e.Code)}
	case terminal.Exited:
		exit := &protocol.TerminalExited{ExitCode: e.Code}
		if t.command != "" {
			return []protocol.Action{t.commandFinished(nil), exit}
		}
		return []protocol.Action{exit}
	}
	return nil
}

func (t *console) commandFinished(code *int) protocol.Action {
	took := float64(time.Since(t.since).Milliseconds())
	a := &protocol.TerminalCommandFinished{CommandID: t.command, ExitCode: code, DurationMs: &took}
	t.command = ""
	return a
}

// disposeTerminal answers when nothing is left of the terminal.
func (h *Host) disposeTerminal(c *conn, req *jsonrpc.Request) {
	p := new(protocol.ChannelParams)
	if failure := decodeParams(req, p); failure != nil {
		req.Fail(failure)
		return
	}
	t, ok := h.channels[p.Channel].(*console)
	if !ok {
		req.Fail(notFound(p.Channel))
		return
	}
	if err := h.mayUse(c.client, t); err != nil {
		req.Fail(&jsonrpc.Error{Code: protocol.CodePermissionDenied, Message: err.Error()})
		return
	}
	h.dropConsole(t)
	h.work.Go(func() {
		if t.term != nil {
			_ = t.term.Close(h.background()) // which ends: it is not bounded by a context
		}
		req.Reply(nil)
	})
}

// dropConsole forgets a terminal. Its program is still to be ended.
func (h *Host) dropConsole(t *console) {
	if h.channels[t.uri] != t {
		return
	}
	h.removeChannel(t.uri)
	h.terminals = slices.DeleteFunc(h.terminals, func(other *console) bool { return other == t })
	h.catalogueTerminals()
}

// closeConsole forgets a terminal and ends its program by and by.
func (h *Host) closeConsole(t *console) {
	h.dropConsole(t)
	if t.term != nil {
		h.work.Go(func() { _ = t.term.Close(h.background()) }) // which ends: it is not bounded by a context
	}
}

// closeConsolesOf ends the terminals that belong to a session or a chat that is gone.
func (h *Host) closeConsolesOf(gone protocol.URI) {
	for _, t := range slices.Clone(h.terminals) {
		if c := t.state.Claim; c.Kind == protocol.ClaimSession && (c.Session == gone || c.Chat == gone) {
			h.closeConsole(t)
		}
	}
}

// closeTerminals ends all programs on terminals side by side and waits. It takes
// no lock.
func closeTerminals(ctx context.Context, list []*terminal.Terminal) error {
	errs := make(chan error, len(list))
	for _, t := range list {
		go func() { errs <- t.Close(ctx) }()
	}
	var all error
	for range list {
		all = errors.Join(all, <-errs)
	}
	return all
}

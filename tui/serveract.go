package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// actOnServer starts, stops, restarts or switches the selected server, or has
// messages not wait for it. Where a turn may suffer from it, it asks first.
func (m *Model) actOnServer(id keymap.ID) {
	srv, ok := m.selectedServer()
	if !ok {
		return
	}
	switch id {
	case keymap.ServerToggle:
		m.toggle(srv)
	case keymap.ServerBackground:
		a, ok := protocol.BackgroundServer(m.version(), srv.Customization)
		if ok {
			m.askServer(srv, a, "go on without "+srv.Name)
		}
	case keymap.ServerStart: // nothing runs that could suffer
		m.startServer(srv, "start ")
	case keymap.ServerRestart: // a start of what runs is a restart
		m.surely(srv, "Restart", func(srv protocol.Server) { m.startServer(srv, "restart ") })
	case keymap.ServerStop:
		m.surely(srv, "Stop", func(srv protocol.Server) {
			m.askServer(srv, &protocol.SessionMcpServerStopRequested{ID: srv.ID}, "stop "+srv.Name)
		})
	}
}

func (m *Model) startServer(srv protocol.Server, verb string) {
	m.started[target{m.current.session, srv.ID}] = srv.StateKind()
	m.askServer(srv, &protocol.SessionMcpServerStartRequested{ID: srv.ID}, verb+srv.Name)
}

func (m *Model) askServer(srv protocol.Server, a protocol.Action, what string) {
	m.dispatch(m.current.session, a, asked{what: what, about: srv.ID, was: string(srv.StateKind())})
}

// surely does something to a server at once, or, where calls of it run, once the
// person says that they may fail.
func (m *Model) surely(srv protocol.Server, verb string, do func(protocol.Server)) {
	uses := m.turnsWith(srv.ID)
	if uses.Running == 0 {
		do(srv)
		return
	}
	session := m.current.session
	m.pick(func() prompt.PickInput {
		return prompt.PickInput{
			Title: own(verb + " " + srv.Name + "?"), Text: []safetext.Text{own(useWarning(m.turnsWith(srv.ID)))},
			Options: []safetext.Text{own(strings.ToLower(verb) + " it all the same")},
		}
	}, func(int) tea.Cmd {
		if now, ok := m.serverAgain(session, srv.ID); ok {
			do(now)
		}
		return nil
	})
}

// serverAgain is a server after a question about it: it may have gone meanwhile, and so
// may the session.
func (m *Model) serverAgain(session protocol.URI, id string) (srv protocol.Server, ok bool) {
	state := m.session()
	if state != nil && session == m.current.session {
		srv, ok = protocol.ServerByID(state, id)
	}
	if why := m.offline(); ok && !why.Empty() {
		m.notices.hint(m.clock.now, why)
		return srv, false
	}
	if !ok {
		m.tell(status.Warning, "the server is not there any more: nothing was asked of the host")
	}
	return srv, ok
}

// useWarning says what suffers when a server goes.
func useWarning(c protocol.Calls) string {
	words := "A turn is running that has called it " + howOften(c.All) + "."
	switch {
	case c.Running == 1:
		words += " One call runs now, and may fail."
	case c.Running > 1:
		words += fmt.Sprintf(" %d calls run now, and may fail.", c.Running)
	}
	return words
}

// howOften words a number of times.
func howOften(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// toggle switches a server. It asks in which scope, where there is a choice, and
// whether it may go, where a turn that runs has used it.
func (m *Model) toggle(srv protocol.Server) {
	on := !srv.On()
	session := m.current.session
	all := protocol.Decisions(m.version(), m.session(), srv, on)
	uses := m.turnsWith(srv.ID)
	if len(all) == 1 && (on || uses.All == 0) {
		m.decide(srv, all[0])
		return
	}
	m.pick(func() prompt.PickInput {
		now := srv
		if state := m.view.Session(session); state != nil {
			if again, ok := protocol.ServerByID(state, srv.ID); ok {
				now = again
			}
		}
		return m.toggleInput(now, on, all)
	}, func(option int) tea.Cmd {
		now, ok := m.serverAgain(session, srv.ID)
		if !ok {
			return nil
		}
		// Others may have decided meanwhile, and the action carries all decisions.
		for _, d := range protocol.Decisions(m.version(), m.session(), now, on) {
			if chosen := all[option]; d.Scope == chosen.Scope && d.Workspace == chosen.Workspace && (d.On == nil) == (chosen.On == nil) {
				m.decide(now, d)
				return nil
			}
		}
		m.tell(status.Warning, "somebody else has decided about "+srv.Name+" meanwhile: nothing was asked of the host")
		return nil
	})
}

func (m *Model) decide(srv protocol.Server, d protocol.Decision) {
	verb := "disable "
	if d.Then {
		verb = "enable "
	}
	m.askServer(srv, d.Action, verb+srv.Name)
}

// toggleInput asks for the scope of a decision.
func (m *Model) toggleInput(srv protocol.Server, on bool, all []protocol.Decision) prompt.PickInput {
	verb := "Disable "
	if on {
		verb = "Enable "
	}
	in := prompt.PickInput{Title: own(verb + srv.Name + "?")}
	if uses := m.turnsWith(srv.ID); !on && uses.All > 0 {
		in.Text = append(in.Text, own(useWarning(uses)))
	}
	in.Text = append(in.Text, own("Now: "+m.decisionsOf(srv)+"."))
	if srv.Container != nil && !srv.Container.On() {
		in.Text = append(in.Text, own("It stays off as long as "+srv.Container.Name+" is off."))
	}
	for _, d := range all {
		in.Options = append(in.Options, own(m.decisionWords(d, on)))
	}
	return in
}

// decisionWords says what a decision does.
func (m *Model) decisionWords(d protocol.Decision, on bool) string {
	if d.On == nil {
		return "take back what was decided " + m.scopeWords(d.Scope, d.Workspace)
	}
	words := map[bool]string{true: "on ", false: "off "}[*d.On] + m.scopeWords(d.Scope, d.Workspace)
	if d.Then != on {
		words += " (a narrower decision keeps it " + map[bool]string{true: "on", false: "off"}[d.Then] + " here)"
	}
	return words
}

// scopeWords names a scope.
func (m *Model) scopeWords(scope string, workspace protocol.URI) string {
	switch scope {
	case protocol.ScopeSession:
		return "in this session"
	case protocol.ScopeWorkspace:
		return "in the workspace " + strings.TrimPrefix(string(workspace), "file://")
	case protocol.ScopeGlobal:
		return "everywhere"
	}
	return "in " + scope
}

// decisionsOf are the decisions that a server is on or off by, the one that counts
// first.
func (m *Model) decisionsOf(srv protocol.Server) string {
	word := map[bool]string{true: "on ", false: "off "}
	var list []string
	for _, e := range srv.Enablement[:min(len(srv.Enablement), 8)] {
		list = append(list, word[e.Enabled]+m.scopeWords(e.Kind, e.URI))
	}
	if len(list) == 0 {
		return strings.TrimSpace(word[srv.On()]) + ", nothing was decided"
	}
	return strings.Join(list, ", ")
}

// followStarts tells of a server that was started from here and turns out to need
// a sign-in. All else that becomes of a start shows at the server.
func (m *Model) followStarts() {
	for t, was := range m.started {
		state := m.view.Session(t.channel)
		if state == nil {
			delete(m.started, t)
			continue
		}
		srv, ok := protocol.ServerByID(state, t.id)
		switch {
		case ok && (srv.StateKind() == was || srv.StateKind() == protocol.McpStarting):
			m.started[t] = srv.StateKind()
			continue
		case ok && srv.StateKind() == protocol.McpAuthRequired:
			m.tell(status.Warning, srv.Name+" needs a sign-in before it starts: "+m.keyName(keymap.BlockNext).String()+" goes there")
		}
		delete(m.started, t)
	}
}

// whyNoServerAction says why a key cannot work on the selected server now.
func (m *Model) whyNoServerAction(id keymap.ID) safetext.Text {
	srv, ok := m.selectedServer()
	switch {
	case !ok:
		return safetext.Const("select an MCP server first")
	case id == keymap.ServerDetail, id == keymap.ServerDoctor:
		return safetext.Text{}
	}
	return m.whyNotOn(srv, id)
}

// whyNotOn says why a key cannot work on a server now, or "".
func (m *Model) whyNotOn(srv protocol.Server, id keymap.ID) safetext.Text {
	if id == keymap.ServerDoctor {
		return safetext.Text{}
	}
	if why := m.offline(); !why.Empty() {
		return why
	}
	version := m.view.Connection.Version
	state := srv.StateKind()
	switch {
	case id == keymap.ServerToggle:
		if !protocol.CanToggle(version, srv) {
			return own("protocol " + version.String() + " cannot switch a single server")
		}
		return safetext.Text{}
	case id == keymap.ServerBackground:
		return m.whyNoBackground(srv)
	case !protocol.ClientMay(version, (&protocol.SessionMcpServerStartRequested{}).ActionType()):
		return own("protocol " + version.String() + " cannot start or stop servers")
	case id == keymap.ServerStop:
		if state == protocol.McpStopped {
			return own(srv.Name + " is stopped already")
		}
	case !srv.On():
		return own(srv.Name + " is switched off; " + m.keyName(keymap.ServerToggle).String() + " switches it on")
	case !srv.Effective():
		return own(srv.Name + " is off because " + srv.Container.Name + " is")
	case id == keymap.ServerStart && state == protocol.McpReady:
		return own(srv.Name + " is running; " + m.keyName(keymap.ServerRestart).String() + " restarts it")
	case id == keymap.ServerStart && state == protocol.McpStarting:
		return own(srv.Name + " is starting; " + m.keyName(keymap.ServerRestart).String() + " starts it once more")
	}
	return safetext.Text{}
}

// whyNoBackground says why there is nothing to go on without, or "".
func (m *Model) whyNoBackground(srv protocol.Server) safetext.Text {
	_, ok := protocol.BackgroundServer(m.version(), srv.Customization)
	switch version := m.view.Connection.Version; {
	case ok:
		return safetext.Text{}
	case !protocol.ClientMay(version, (&protocol.SessionMcpServerBackgroundRequested{}).ActionType()):
		return own("protocol " + version.String() + " does not tell whether messages wait for a server")
	case srv.StateKind() != protocol.McpStarting:
		return own(srv.Name + " is not starting: nothing waits for it")
	}
	return own("messages do not wait for " + srv.Name)
}

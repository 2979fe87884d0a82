package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

// createPatience bounds how long a host may take to make a session.
const createPatience = 30 * time.Second

// sessionForm asks for what a new session needs.
type sessionForm struct {
	view    *prompt.Session
	busy    bool
	failure safetext.Text
}

func newSessionForm(m *Model) *sessionForm {
	o := &sessionForm{view: prompt.NewSession(m.theme, m.opts.Directory)}
	o.view.SetKeys(m.keys, m.opts.ASCII)
	return o
}

// sessionMsg tells what became of a new session.
type sessionMsg struct {
	form *sessionForm
	uri  protocol.URI
	err  error
	// again asks once more, after a sign-in; nil if it was asked twice already.
	again func() tea.Cmd
}

func (o *sessionForm) context() keymap.Context { return keymap.Form }

func (o *sessionForm) input(m *Model) prompt.SessionInput {
	return prompt.SessionInput{Providers: m.providers(), Failure: o.failure, Busy: o.busy}
}

func (o *sessionForm) update(m *Model, msg tea.Msg) tea.Cmd {
	switch o.view.Update(o.input(m), msg) {
	case prompt.Cancel:
		m.remove(o) // a session that is being made is told of when it is there
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Submit:
		return o.submit(m)
	case prompt.Nothing:
	}
	return nil
}

func (o *sessionForm) click(m *Model, _, y int) tea.Cmd {
	o.view.Click(o.input(m), y)
	return nil
}

func (o *sessionForm) submit(m *Model) tea.Cmd {
	dir, err := m.opts.FileURI(o.view.Directory())
	if err != nil {
		o.failure = own(err.Error())
		return nil
	}
	if why := m.offline(); !why.Empty() {
		o.failure = why
		return nil
	}
	return o.create(m, o.view.Provider(), dir, false)
}

// create asks the host for a session; again, after a sign-in that it wanted.
func (o *sessionForm) create(m *Model, provider string, dir protocol.URI, again bool) tea.Cmd {
	o.busy, o.failure = true, safetext.Text{}
	host := m.conn.Host
	retry := func() tea.Cmd { return o.create(m, provider, dir, true) }
	if again {
		retry = nil
	}
	return m.link.do(func(ctx context.Context) tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, createPatience)
		defer cancel()
		uri, err := host.CreateSessionWith(ctx, &protocol.CreateSessionParams{Provider: provider, WorkingDirectory: dir, WorkingDirectories: []protocol.URI{dir}})
		return sessionMsg{o, uri, err, retry}
	})
}

// sessionMade shows a new session and lets the person write to it, or says in
// the form why there is none. Who has closed the form meanwhile is only told.
func (m *Model) sessionMade(msg sessionMsg) tea.Cmd {
	msg.form.busy = false
	if msg.err != nil {
		msg.form.failure = own(msg.err.Error())
	}
	if msg.again != nil {
		if cmd, ok := m.beginErrand("make a session", "createSession", msg.err, msg.again); ok {
			msg.form.failure = signInFirst()
			return cmd
		}
	}
	shown := false
	for _, o := range m.overlays {
		shown = shown || o == overlay(msg.form)
	}
	switch {
	case msg.err != nil && !shown:
		m.tell(status.Problem, "the session was not made: "+msg.err.Error())
	case msg.err != nil:
	case !shown:
		m.tell(status.Success, "the session was made")
	default:
		m.remove(msg.form)
		m.catchUp()
		m.show(msg.uri)
		m.setFocus(keymap.Composer)
	}
	return nil
}

func (o *sessionForm) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(o.input(m)), o.view.Cursor())
}

// providers are the agents that sessions can be made with.
func (m *Model) providers() []prompt.Provider {
	if m.view.Root == nil {
		return nil
	}
	var list []prompt.Provider
	for _, a := range m.view.Root.Agents {
		list = append(list, prompt.Provider{ID: a.Provider, Name: clean(a.DisplayName), Description: clean(a.Description)})
	}
	return list
}

package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/help"
	"ahptui/views/prompt"
	"ahptui/views/status"
)

const warning = status.Warning

// placed lays a box over the screen and moves its cursor with it.
func (m *Model) placed(screen, box string, cursor *tea.Cursor) (string, *tea.Cursor) {
	drawn, x, y := frame.Overlay(screen, box, m.width, m.height)
	if cursor != nil {
		cursor.X, cursor.Y = cursor.X+x, cursor.Y+y
	}
	return drawn, cursor
}

// helpOverlay lists the keys.
type helpOverlay struct{ view *help.Model }

func newHelp(theme themes.Theme) *helpOverlay { return &helpOverlay{help.New(theme)} }

func (o *helpOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return nil
	}
	switch id, _ := m.keys.Match(key, keymap.Overlay); id {
	case keymap.OverlayClose, keymap.OverlayAccept, keymap.AppHelp:
		m.overlay = nil
	default:
		moveIn(o.view, id)
	}
	return nil
}

func (o *helpOverlay) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(m.helpInput()), nil)
}

// sessionForm asks for what a new session needs.
type sessionForm struct {
	view *prompt.Session
	in   prompt.SessionInput
}

func newSessionForm(m *Model) *sessionForm {
	return &sessionForm{view: prompt.NewSession(m.theme, m.opts.Directory), in: prompt.SessionInput{Providers: m.providers()}}
}

// sessionMsg tells what became of a new session.
type sessionMsg struct {
	form *sessionForm
	uri  protocol.URI
	err  error
}

func (o *sessionForm) update(m *Model, msg tea.Msg) tea.Cmd {
	if o.in.Busy {
		if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "esc" {
			m.overlay = nil // the session may come all the same, and is listed then
		}
		return nil
	}
	switch o.view.Update(o.in, msg) {
	case prompt.Cancel:
		m.overlay = nil
	case prompt.Submit:
		dir, err := m.opts.FileURI(o.view.Directory())
		if err != nil {
			o.in.Failure = own(err.Error())
			return nil
		}
		o.in.Busy, o.in.Failure = true, safetext.Text{}
		return m.createSession(o, o.view.Provider(), dir)
	}
	return nil
}

// createPatience bounds how long a host may take to make a session.
const createPatience = 30 * time.Second

func (m *Model) createSession(form *sessionForm, provider string, dir protocol.URI) tea.Cmd {
	host, ctx := m.conn.Host, m.ctx
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, createPatience)
		defer cancel()
		uri, err := host.CreateSession(ctx, provider, dir)
		return sessionMsg{form, uri, err}
	}
}

// sessionMade shows a new session and lets the person write to it, or says in
// the form why there is none.
func (m *Model) sessionMade(msg sessionMsg) {
	msg.form.in.Busy = false
	shown := m.overlay == overlay(msg.form)
	switch {
	case msg.err != nil && shown:
		msg.form.in.Failure = own(msg.err.Error())
	case msg.err != nil:
		m.tell(status.Problem, "the session was not made: "+msg.err.Error())
	default:
		if shown {
			m.overlay = nil
		}
		m.view, _ = m.conn.Host.Watch()
		m.show(msg.uri)
		m.setFocus(keymap.Composer)
	}
}

func (o *sessionForm) draw(m *Model, screen string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return m.placed(screen, o.view.View(o.in), o.view.Cursor())
}

// startScreen offers the demo and a field for an address.
type startScreen struct {
	view *prompt.Start
	in   prompt.StartInput
}

func newStart(theme themes.Theme, url string) *startScreen {
	return &startScreen{view: prompt.NewStart(theme, url)}
}

// connectedMsg brings a host to draw from, or why there is none.
type connectedMsg struct {
	conn *Connection
	err  error
}

func (o *startScreen) update(m *Model, msg tea.Msg) tea.Cmd {
	if !o.in.Busy.Empty() {
		return nil
	}
	switch o.view.Update(o.in, msg) {
	case prompt.Cancel:
		return m.bye()
	case prompt.Submit:
		return o.submit(m)
	}
	return nil
}

func (o *startScreen) submit(m *Model) tea.Cmd {
	o.in.Failure = safetext.Text{}
	ctx, open, url := m.ctx, m.opts.StartDemo, o.view.URL()
	o.in.Busy = safetext.Const("starting the demo")
	if o.view.Choice() == prompt.Connect {
		o.in.Busy = safetext.Const("connecting")
		open = func(ctx context.Context) (*Connection, error) { return m.opts.Connect(ctx, url) }
	}
	return func() tea.Msg {
		conn, err := open(ctx)
		return connectedMsg{conn, err}
	}
}

// connectionMade goes from the start screen to the panels.
func (m *Model) connectionMade(msg connectedMsg) tea.Cmd {
	start, ok := m.overlay.(*startScreen)
	if ok {
		start.in.Busy = safetext.Text{}
	}
	if msg.err != nil {
		if ok {
			start.in.Failure = own(msg.err.Error())
		}
		return nil
	}
	m.touched = false
	m.connect(msg.conn)
	m.opts.connected(msg.conn)
	m.follow()
	return nil
}

func (o *startScreen) draw(m *Model, _ string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return o.view.View(o.in), o.view.Cursor()
}

package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/prompt"
)

// startScreen offers the demo and a field for an address.
type startScreen struct {
	view    *prompt.Start
	in      prompt.StartInput
	attempt *attempt // under way; nil: none
}

// attempt is one try to get a host.
type attempt struct{ cancel context.CancelFunc }

func newStart(m *Model) *startScreen {
	o := &startScreen{view: prompt.NewStart(m.theme, m.opts.URL)}
	o.view.SetKeys(m.keys, m.opts.ASCII)
	return o
}

// connectedMsg brings a host to draw from, or why there is none.
type connectedMsg struct {
	start   *startScreen
	attempt *attempt
	conn    *Connection
	err     error
}

// SetTheme draws in another theme from now on.
func (o *startScreen) SetTheme(theme themes.Theme) { o.view.SetTheme(theme) }

func (o *startScreen) context() keymap.Context { return keymap.Form }

func (o *startScreen) update(m *Model, msg tea.Msg) tea.Cmd {
	switch o.view.Update(o.in, msg) {
	case prompt.Cancel:
		if o.attempt == nil {
			return m.bye()
		}
		o.attempt.cancel()
		o.attempt, o.in = nil, prompt.StartInput{}
	case prompt.Help:
		m.push(newHelp(m))
	case prompt.Submit:
		return o.submit(m)
	case prompt.Nothing:
	}
	return nil
}

func (o *startScreen) click(m *Model, _, y int) tea.Cmd {
	if o.view.Click(o.in, y) == prompt.Submit {
		return o.submit(m)
	}
	return nil
}

func (o *startScreen) submit(m *Model) tea.Cmd {
	open, url := m.opts.StartDemo, o.view.URL()
	o.in = prompt.StartInput{Busy: safetext.Const("starting the demo")}
	if o.view.Choice() == prompt.Connect {
		o.in.Busy = safetext.Const("connecting")
		open = func(ctx context.Context) (*Connection, error) { return m.opts.Connect(ctx, url) }
	}
	try := &attempt{}
	o.attempt = try
	ctx, cancel := context.WithCancel(m.link.ctx)
	try.cancel = cancel
	link := m.link
	return link.do(func(context.Context) tea.Msg {
		conn, err := open(ctx)
		if conn != nil {
			link.own(conn)
		}
		return connectedMsg{o, try, conn, err}
	})
}

// connectionMade goes from the start screen to the panels.
func (m *Model) connectionMade(msg connectedMsg) tea.Cmd {
	msg.attempt.cancel()
	switch {
	case msg.start.attempt != msg.attempt: // the person gave it up
		if msg.conn == nil {
			return nil
		}
		return m.link.do(func(context.Context) tea.Msg {
			msg.conn.Close()
			return nil
		})
	case msg.err != nil:
		msg.start.attempt = nil
		msg.start.in = prompt.StartInput{Failure: own(m.failure(msg.err))}
		return nil
	}
	m.remove(msg.start)
	m.touched = false
	m.connect(msg.conn)
	return m.begin(msg.conn)
}

func (o *startScreen) draw(m *Model, _ string) (string, *tea.Cursor) {
	o.view.SetSize(m.width, m.height)
	return o.view.View(o.in), o.view.Cursor()
}

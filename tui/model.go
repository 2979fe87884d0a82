package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/composer"
	"ahptui/views/help"
	"ahptui/views/prompt"
	"ahptui/views/servers"
	"ahptui/views/sessions"
	"ahptui/views/status"
	"ahptui/views/transcript"
)

// Model is the root model of the program.
type Model struct {
	ctx   context.Context //nolint:containedctx // the program's own life, for its commands
	opts  Options
	keys  *keymap.Map
	theme themes.Theme

	conn     *Connection // nil on the start screen
	hostName string
	view     *ahpclient.View
	now      time.Time

	width, height int
	focus         keymap.Context // the panel or composer that has the keys
	touched       bool           // the person has pressed a key

	current current
	drafts  map[protocol.URI]string // what was typed, by chat
	opened  []protocol.URI          // channels that were opened here, oldest first
	goal    *protocol.Block         // a block to select as soon as its chat is there
	asked   []asked
	refused map[protocol.URI]map[string]safetext.Text // by channel, by server or call
	notices notices
	noticed time.Time            // of the client's newest notice that was told
	began   map[string]time.Time // when turns were first seen running, by id

	sessions   *sessions.Model
	servers    *servers.Model
	transcript *transcript.Model
	composer   *composer.Model
	status     *status.Model
	overlay    overlay // nil: none

	ticking bool
	failure error // why the program ends
}

// current is what is on the screen.
type current struct {
	session protocol.URI
	chat    protocol.URI
}

// overlay is a window over the panels that takes all keys.
type overlay interface {
	update(m *Model, msg tea.Msg) tea.Cmd
	draw(m *Model, screen string) (string, *tea.Cursor)
}

func newModel(ctx context.Context, opts Options) *Model {
	m := &Model{
		ctx: ctx, opts: opts, keys: opts.Keys, theme: opts.Theme, now: time.Now(), view: &ahpclient.View{},
		focus: keymap.Sessions, drafts: map[protocol.URI]string{}, began: map[string]time.Time{},
		refused: map[protocol.URI]map[string]safetext.Text{},
	}
	m.build()
	if opts.Connection != nil {
		m.connect(opts.Connection)
	} else {
		m.overlay = newStart(m.theme, opts.URL)
	}
	return m
}

// build makes the views in the model's theme.
func (m *Model) build() {
	m.sessions, m.servers, m.transcript = sessions.New(m.theme), servers.New(m.theme), transcript.New(m.theme)
	m.composer, m.status = composer.New(m.theme), status.New(m.theme)
}

// connect takes a host to draw from.
func (m *Model) connect(c *Connection) {
	m.conn, m.hostName = c, c.Name
	m.view, _ = c.Host.Watch()
	m.overlay = nil
}

// Init starts nothing: what comes, comes by messages.
func (m *Model) Init() tea.Cmd { return nil }

// Update takes a message.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = time.Now()
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case viewMsg:
		m.take(msg.view)
	case tickMsg:
		m.ticking = false
	case sessionMsg:
		m.sessionMade(msg)
	case connectedMsg:
		cmd = m.connectionMade(msg)
	case tea.KeyPressMsg:
		m.touched = true
		cmd = m.press(msg)
	case tea.PasteMsg:
		cmd = m.paste(msg)
	}
	m.layout()
	m.sync()
	return m, tea.Batch(cmd, m.tick())
}

// viewMsg brings a newer view of the host.
type viewMsg struct{ view *ahpclient.View }

// tickMsg comes once a second while an age is on the screen.
type tickMsg struct{}

// tick asks for the next tick, if something on the screen grows older.
func (m *Model) tick() tea.Cmd {
	if m.ticking || m.conn == nil || !m.ageing() {
		return nil
	}
	m.ticking = true
	return tea.Tick(time.Second, func(time.Time) tea.Msg { return tickMsg{} })
}

// ageing reports whether anything shown changes with time alone.
func (m *Model) ageing() bool {
	return m.view.Connection.Phase != ahpclient.Connected || m.notices.newest(m.now) != nil ||
		m.session() != nil || len(m.view.Sessions) > 0
}

// take notes a newer view and what follows from it.
func (m *Model) take(v *ahpclient.View) {
	m.view = v
	m.tellNotices(v.Notices)
	m.followTickets()
	m.follow()
}

// sync brings the views in step, so that the next key acts on what is shown.
func (m *Model) sync() {
	if m.conn == nil {
		return
	}
	m.sessions.Sync(m.sessionsInput())
	m.servers.Sync(m.serversInput())
	m.transcript.Sync(m.transcriptInput())
}

func (m *Model) stale() bool { return m.view.Connection.Phase != ahpclient.Connected }

// session is the state of the session on the screen, or nil.
func (m *Model) session() *protocol.SessionState { return m.view.Session(m.current.session) }

// chat is the state of the chat on the screen, or nil.
func (m *Model) chat() *protocol.ChatState { return m.view.Chat(m.current.chat) }

func (m *Model) keyName(id keymap.ID) safetext.Text {
	return own(m.keys.Binding(id).Label(m.opts.ASCII))
}

// bye ends the program and leaves the host as it is.
func (m *Model) bye() tea.Cmd { return tea.Quit }

// helpInput lists the keys of the place that has the keyboard first.
func (m *Model) helpInput() help.Input {
	in := help.Input{Close: m.keyName(keymap.OverlayClose)}
	for _, section := range m.keys.Help(keymap.Everywhere) {
		g := help.Group{Title: own(string(section.Group))}
		for _, b := range section.Bindings {
			g.Entries = append(g.Entries, help.Entry{
				Key: own(b.Labels(m.opts.ASCII)), Does: own(b.Long), Off: m.disabled(b.ID),
			})
		}
		in.Groups = append(in.Groups, g)
	}
	return in
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

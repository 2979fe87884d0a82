package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/composer"
	"ahptui/views/servers"
	"ahptui/views/sessions"
	"ahptui/views/status"
	"ahptui/views/transcript"
)

// Model is the root model of the program.
type Model struct {
	opts     Options
	link     *bridge
	keys     *keymap.Map
	commands map[keymap.ID]command
	theme    themes.Theme
	light    bool // the background of the terminal
	wall     func() time.Time

	conn  *Connection // nil on the start screen
	feed  *feed
	view  *ahpclient.View
	shots uint64 // the number of view

	width, height int
	focus         keymap.Context // the panel, composer or terminal that has the keys
	back          keymap.Context // the panel that the composer was entered from
	touched       bool           // the person has pressed a key
	onward        bool           // the latest one answered what waits
	leaving       bool

	current current
	resting resting
	opened  []protocol.URI // channels that were opened here, the latest used last
	goal    *protocol.Block
	visited string  // the id of the block that was gone to last
	unseen  *access // what was gone to and stands in no chat that can be opened
	landed  string  // the id of the block that the program opened with

	drafts    drafts
	writing   writing
	sharing   sharing
	keeper    keeper
	asked     []asked
	refused   map[target]refusal
	guard     guard
	notices   notices
	told      time.Time // when the client's newest notice that was told is from
	times     times
	signIn    *signIn // nil: none runs or is shown
	handovers handovers
	storage   storage
	errand    *errand         // nil: no command waits for a sign-in
	errands   map[target]bool // channels and methods that a sign-in was asked for
	granted   map[target]grantRecord
	forms     map[target]*requestForm // questions of agents that were looked at
	inputs    map[target]*inputEditor // inputs of tool calls that were changed
	fetches   fetches
	stories   stories
	older     older
	reading   reader
	started   map[target]protocol.McpStateKind // servers that were started from here, as they were last seen

	listing    listing
	filtering  *filterInput            // nil: the filter of the session list is not typed now
	keep       protocol.URI            // the session that stands in the list whatever is left out of it
	titles     map[protocol.URI]string // that sessions were to get; offered again where the host refused
	disposing  disposing
	models     map[protocol.URI]string // that were chosen for new sessions
	chatComing bool                    // the host is asked for one
	catalogue  catalogue
	roster     roster
	mcp        mcpPanel
	clock      clock
	alarm      alarm
	caller     caller
	scene      scene
	mouse      mouse
	shares     shares

	sessionList sessionList
	middle      middle
	memory      memory

	sessions   *sessions.Model
	servers    *servers.Model
	transcript *transcript.Model
	composer   *composer.Model
	status     *status.Model
	overlays   []overlay // the last one is on top and has the keys
}

func newModel(opts Options, link *bridge) *Model {
	m := &Model{
		opts: opts, link: link, keys: opts.Keys, commands: commands(), theme: opts.Theme, wall: time.Now, view: &ahpclient.View{},
		focus: keymap.Sessions, back: keymap.Transcript, refused: map[target]refusal{}, times: newTimes(),
		granted: map[target]grantRecord{}, started: map[target]protocol.McpStateKind{}, errands: map[target]bool{},
		forms: map[target]*requestForm{}, inputs: map[target]*inputEditor{},
	}
	m.sessions, m.servers, m.transcript = sessions.New(m.theme), servers.New(m.theme), transcript.New(m.theme)
	m.composer, m.status = composer.New(m.theme), status.New(m.theme)
	m.writing.choices = composer.NewChoices(m.theme)
	m.middle = newMiddle(m.theme)
	m.clock.begin(m.wall())
	m.recall()
	if opts.Connection == nil {
		m.push(newStart(m))
	}
	return m
}

// connect takes a host to draw from.
func (m *Model) connect(c *Connection) {
	c.note()
	m.conn = c
	m.feed = m.link.watch(c.Host)
}

// begin waits for what a connection brings by itself.
func (m *Model) begin(c *Connection) tea.Cmd {
	m.tellProblems()
	return tea.Batch(m.handRenewed(c), m.lookAtStorage(), m.lookForDrafts())
}

// Init waits for what comes by itself; all else comes by messages.
func (m *Model) Init() tea.Cmd {
	if m.conn == nil {
		return m.askBackground()
	}
	return tea.Batch(m.askBackground(), m.begin(m.conn))
}

// Update takes a message and puts together what the screen shows next.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.clock.begin(m.wall())
	m.guard.moved = false
	cmd := tea.Batch(m.handle(msg), m.react())
	m.compose()
	return m, tea.Batch(cmd, m.settleScreen())
}

// react is what follows from a message before the screen is put together.
func (m *Model) react() tea.Cmd {
	m.markSeen()
	return tea.Batch(
		m.watchSignIn(), m.attend(), m.signInUnseen(), m.openAfterSignIn(), m.askForTools(), m.watchDraft(), m.watchWriting(),
	)
}

// settleScreen is what follows once the screen is put together: it goes by what is on it.
func (m *Model) settleScreen() tea.Cmd {
	onward := m.readOn()
	m.watchQuestion()
	return tea.Batch(
		onward, m.callOut(), m.fetchDetails(), m.remember(), m.loadOlder(), m.followMiddle(),
		m.alarm.set(m.clock.next, m.clock.now, m.link),
	)
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.BackgroundColorMsg:
		m.suit(msg.IsDark())
	case viewMsg:
		m.take(msg.snapshot)
	case tickMsg:
		m.alarm.ring(m.clock.now)
	case restMsg:
		m.rested(msg)
	case copiedMsg:
		return m.copied(msg)
	case openFileMsg:
		return m.openFile(msg)
	case closedFileMsg:
		return m.fileClosed(msg)
	case searchMsg:
		m.searchSlice()
	case flowMsg:
		return m.flowEvent(msg)
	case heldMsg:
		m.heldHanded(msg)
	case renewedMsg:
		return m.renewed(msg)
	case storageMsg:
		m.storageLookedAt(msg)
	case signedOutMsg:
		m.signedOut(msg)
	case errandMsg:
		return m.errandGoesOn(msg)
	case draftMsg:
		return m.shareInTime(msg.form)
	case fetchedMsg:
		m.fetchCame(msg)
	case linkMsg:
		m.linkOpened(msg)
	case openedMsg:
		if msg.err != nil {
			msg.signIn.notOpened(msg.err)
		}
	case handedMsg:
		m.handedOver(msg)
	case sessionMsg:
		return m.sessionMade(msg)
	case pausedMsg:
		return m.paused(msg)
	case offerMsg:
		return m.offerCame(msg)
	case suggestMsg:
		m.suggested(msg)
	case disposedMsg:
		return m.disposed(msg)
	case chatMsg:
		return m.chatMade(msg)
	case toolsMsg:
		m.toolsListed(msg)
	case rememberMsg:
		return m.rememberSome(msg)
	case rememberedMsg:
		m.tellForgotten(msg.err)
	case olderMsg:
		return m.olderLoaded(msg)
	case attachedMsg:
		m.attached(msg)
	case pathsMsg:
		msg.form.completed(msg)
	case askMsg:
		return m.ask(msg.n)
	case choicesMsg:
		m.offered(msg)
	case shareMsg:
		if msg.chat == m.current.chat {
			m.shareDraft()
		}
	case draftsMsg:
		m.draftsFound(msg)
	case saveMsg:
		return m.save()
	case savedMsg:
		return m.saveEnded(msg)
	case terminalMsg:
		m.terminalDone(msg)
	case resizeMsg:
		m.resizeTerminal(msg)
	case diffMsg:
		m.diffCame(msg)
	case operationMsg:
		m.operationDone(msg)
	case connectedMsg:
		return m.connectionMade(msg)
	case tea.KeyPressMsg:
		m.touched = true
		return m.press(msg)
	case tea.PasteMsg:
		m.touched = true
		return m.paste(msg)
	case tea.FocusMsg, tea.BlurMsg, tea.MouseMsg:
		return m.pointed(msg)
	}
	return nil
}

// viewMsg brings a newer view of the host.
type viewMsg struct{ snapshot }

// take notes a newer view and what follows from it. One that was overtaken by a
// newer one is left alone.
func (m *Model) take(s snapshot) {
	if s.n <= m.shots {
		return
	}
	m.shots, m.view = s.n, s.view
	m.catalogue.index(m.view)
	m.tellNotices(s.view.Notices)
	m.followTickets()
	m.followStarts()
	m.followForms()
	m.followInputs()
	m.followStories()
	m.watchOthers()
	m.follow()
	m.takeBackReturned()
	m.loosenStrays()
	m.times.observe(m.chat(), m.clock.now)
	m.mcp.needs.note(m.current.session, m.serversOf().list)
}

// catchUp takes the newest view at once, so that what was just asked for is on
// the very next screen.
func (m *Model) catchUp() {
	shot, _ := m.feed.latest()
	m.take(shot)
}

func (m *Model) stale() bool { return m.view.Connection.Phase != ahpclient.Connected }

// version is the one whose forms are sent.
func (m *Model) version() protocol.Version { return m.view.Connection.Version.Sent() }

// session is the state of the session on the screen, or nil.
func (m *Model) session() *protocol.SessionState { return m.view.Session(m.current.session) }

// chat is the state of the chat on the screen, or nil.
func (m *Model) chat() *protocol.ChatState { return m.view.Chat(m.current.chat) }

// bye ends the program and leaves the host as it is.
func (m *Model) bye() tea.Cmd {
	m.leaving = true
	return tea.Quit
}

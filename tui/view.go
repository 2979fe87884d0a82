package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/frame"
	"ahptui/views/help"
	"ahptui/views/servers"
	"ahptui/views/sessions"
	"ahptui/views/status"
	"ahptui/views/transcript"
)

// scene is all that the screen shows, put together once after each message.
type scene struct {
	size       sizes
	status     status.Input
	sessions   sessions.Input
	transcript transcript.Input
	servers    servers.Input
	composer   composer.Input
	chatTitle  safetext.Text
	hints      []help.Entry
	footer     string       // in the place of the hints, "" for none
	keys       []frame.Spot // in the footer, as it was drawn last
	notices    []string     // lines
	title      string
	program    *tea.ProgramStatus
	blocks     []protocol.Block // that there are
}

// compose puts the scene together and brings the views in step with it, so that
// the next key acts on what is shown. What cannot be seen is left out.
func (m *Model) compose() {
	if m.conn == nil {
		m.scene = scene{title: title(0)}
		return
	}
	blocks := m.blocks()
	s := scene{
		blocks: blocks, composer: m.composerInput(), status: m.statusInput(len(blocks)),
		chatTitle: m.chatTitle(), title: title(len(blocks)), program: m.programStatus(blocks),
	}
	lines := m.composer.Lines(s.composer, max(1, m.width-2*margin))
	s.footer, s.notices = m.noticeLines(max(1, m.width-2*margin), m.room(lines))
	s.size = m.measure(lines, len(s.notices))
	m.scene = s
	m.resize(s.size)
	if s.size.sessions > 0 {
		m.scene.sessions = m.sessionsInput(s.size.sessions, s.size.height)
		m.sessions.Sync(m.scene.sessions)
	}
	if s.size.servers > 0 {
		m.countCalls()
		m.scene.servers = m.serversInput()
		m.servers.Sync(m.scene.servers)
		m.describe(m.scene.servers)
	}
	if s.size.transcript > 0 {
		m.scene.transcript = m.transcriptInput()
		m.transcript.Sync(m.scene.transcript)
	}
	m.syncMiddle(s.size)
	m.scene.hints = help.Hints(m.keys, m.focus, m.opts.ASCII, m.disabled)
	if m.filtering != nil {
		m.scene.hints = m.filterHints()
	}
}

// View draws the scene.
func (m *Model) View() tea.View {
	v := tea.NewView("")
	v.AltScreen = true
	v.WindowTitle, v.ProgramStatus = m.scene.title, m.scene.program
	if m.opts.Mouse {
		v.MouseMode, v.ReportFocus = tea.MouseModeCellMotion, true
	}
	if m.width == 0 || m.height == 0 {
		return v
	}
	var screen string
	if m.conn != nil {
		screen, v.Cursor = m.screen()
	}
	for _, o := range m.overlays {
		m.mouse.box = box{}
		screen, v.Cursor = o.draw(m, screen)
	}
	m.mouse.look(m)
	v.SetContent(m.spelt(screen))
	if c := v.Cursor; c != nil && (c.X >= m.width || c.Y >= m.height) {
		v.Cursor = nil // what it stands in is cut off
	}
	return v
}

// screen draws the panels and all around them.
func (m *Model) screen() (string, *tea.Cursor) {
	s := &m.scene
	composing := m.focus == keymap.Composer
	top := m.status.View(s.status)
	if s.size.bare {
		return m.bareScreen(top, composing)
	}
	w := frame.Window{
		Panels: m.panels(), Below: m.below(composing), Active: composing, Footer: s.footer,
	}
	s.keys = nil
	if w.Footer == "" {
		w.Footer, s.keys = help.Footer(m.theme, s.hints, max(0, m.width-2*margin))
	}
	body := w.Render(m.theme, m.width, m.height-statusLines)
	if !composing {
		x := 1
		if s.size.sessions > 0 {
			x += s.size.sessions + 1
		}
		return top + "\n" + body, moved(m.middleCursor(), x, statusLines+1)
	}
	below := s.size.composer + len(s.notices)
	return m.overChoices(top+"\n"+body, below), moved(m.composer.Cursor(), margin, m.height-1-below)
}

// bareScreen is the screen where there is no room for borders.
func (m *Model) bareScreen(top string, composing bool) (string, *tea.Cursor) {
	s := &m.scene
	var body string
	var cursor *tea.Cursor
	switch {
	case composing:
		body = m.composer.View(s.composer, true)
		cursor = moved(m.composer.Cursor(), 0, statusLines)
	default:
		body = m.panels()[0].Body
		cursor = moved(m.middleCursor(), 0, statusLines)
	}
	switch {
	case s.footer != "":
		top = frame.Fit([]string{s.footer}, m.width, 1)
	case len(s.notices) > 0:
		top = frame.Fit(s.notices[:1], m.width, 1)
	}
	return frame.Fit(append([]string{top}, strings.Split(body, "\n")...), m.width, m.height), cursor
}

// moved is a cursor in a part of the screen that begins at x and y.
func moved(c *tea.Cursor, x, y int) *tea.Cursor {
	if c != nil {
		c.X, c.Y = c.X+x, c.Y+y
	}
	return c
}

// panels draws the panels that are shown.
func (m *Model) panels() []frame.Panel {
	s := &m.scene
	var list []frame.Panel
	add := func(place keymap.Context, title safetext.Text, width int, draw func(focused bool) string) {
		if width > 0 {
			focused := m.focus == place
			list = append(list, frame.Panel{Title: title, Width: width, Focused: focused, Body: draw(focused)})
		}
	}
	add(keymap.Sessions, safetext.Const("Sessions"), s.size.sessions, m.drawSessions)
	if len(list) > 0 {
		list[0].Note = m.listing.note()
	}
	add(keymap.Transcript, s.chatTitle, s.size.transcript, func(focused bool) string { return m.transcript.View(s.transcript, focused) })
	list = append(list, m.middlePanels(s.size)...)
	add(keymap.Servers, safetext.Const("MCP servers"), s.size.servers, func(focused bool) string { return m.servers.View(s.servers, focused) })
	return list
}

// sessionList is the session list as it was drawn last, and what it depends on.
type sessionList struct {
	in            sessions.Input
	selected      protocol.URI
	focused       bool
	top           int
	width, height int
	drawn         string
}

// same reports whether another list looks the same.
func (l sessionList) same(other sessionList) bool {
	a, b := l.in, other.in
	return sameList(a.Rows, b.Rows) && sameList(a.Groups, b.Groups) && sameList(a.Ages, b.Ages) && a.Filter == b.Filter &&
		a.Stale == b.Stale && a.Listed == b.Listed && a.Archived == b.Archived && l.selected == other.selected &&
		l.focused == other.focused && l.top == other.top && l.width == other.width && l.height == other.height
}

// drawSessions draws the session list, if it looks other than before: it seldom
// does, and takes longer to draw than all that streams beside it.
func (m *Model) drawSessions(focused bool) string {
	s := &m.scene
	list := sessionList{in: s.sessions, selected: m.sessions.Selected(), focused: focused, top: m.sessions.Line(), width: s.size.sessions, height: s.size.height}
	if m.sessionList.drawn == "" || !m.sessionList.same(list) {
		list.drawn = m.sessions.View(s.sessions, focused)
		m.sessionList = list
	}
	return m.sessionList.drawn
}

// below is the section below the panels: the composer, and the notices for which
// the footer is too small.
func (m *Model) below(composing bool) string {
	s := &m.scene
	lines := strings.Split(m.composer.View(s.composer, composing), "\n")
	lines = append(lines, s.notices...)
	for i := range lines {
		lines[i] = " " + lines[i]
	}
	return frame.Fit(lines, max(0, m.width-2), len(lines))
}

// chatTitle is the title of the session, and of the chat where there are others.
func (m *Model) chatTitle() safetext.Text {
	name := m.current.title
	if chat, state := m.chat(), m.session(); chat != nil && chat.Title != "" && state != nil && (name == "" || len(state.Chats) > 1) {
		name = strings.TrimPrefix(name+" / "+chat.Title, " / ")
	}
	if name == "" {
		return safetext.Const("Chat")
	}
	return clean(name)
}

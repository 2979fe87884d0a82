package prompt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Choice is what was chosen on the start screen.
type Choice uint8

// The choices.
const (
	Demo    Choice = iota // the demo host
	Connect               // the URL that was typed
)

// StartInput is what the start screen shows.
type StartInput struct {
	Failure safetext.Text // why the last attempt did not work
	Busy    safetext.Text // what is going on, such as "starting the demo"
}

// Start is the screen of a program that was told no host: it offers the demo
// and a field for a URL.
type Start struct {
	box
	keys   keys
	url    field
	cursor *tea.Cursor
	demo   int // the row of what is offered first in the last View
}

// NewStart returns the screen with a URL filled in.
func NewStart(theme themes.Theme, url string) *Start {
	m := &Start{box: box{theme: theme}, keys: keys{bindings: keymap.Default()}, url: newField(theme, url)}
	if url != "" {
		m.url.focus()
	}
	return m
}

// SetKeys sets the keys that a person has made; ascii says how they are shown.
func (m *Start) SetKeys(bindings *keymap.Map, ascii bool) { m.keys = keys{bindings, ascii} }

// SetSize sets the size of the whole screen, in cells.
func (m *Start) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Update takes a key press or a paste. A paste goes into the field for a URL.
func (m *Start) Update(in StartInput, msg tea.Msg) Event {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		m.url.focus()
		m.url.update(msg)
		return Nothing
	}
	if !m.url.focused() && key.String() == "?" {
		return Help
	}
	switch id := m.keys.event(key); {
	case id == keymap.OverlayClose, !m.url.focused() && key.String() == "q":
		return Cancel
	case id == keymap.AppHelp:
		return Help
	case id == keymap.OverlayAccept:
		if !in.Busy.Empty() || m.url.focused() && strings.TrimSpace(m.url.value()) == "" {
			return Nothing
		}
		return Submit
	case id == keymap.OverlayNext, id == keymap.OverlayPrevious, key.String() == "up", key.String() == "down":
		m.turn()
		return Nothing
	}
	if !m.url.focused() && key.Text != "" && key.String() != "j" && key.String() != "k" {
		m.url.focus() // who begins to type a URL means the field
	}
	m.url.update(msg)
	return Nothing
}

func (m *Start) turn() {
	if m.url.focused() {
		m.url.blur()
	} else {
		m.url.focus()
	}
}

// View draws the screen, of exactly its size.
func (m *Start) View(in StartInput) string {
	t := m.theme
	room := max(1, m.inside()-4)
	typed, x := m.url.view(room)
	lines := frame.Paragraph(t.Text, safetext.Const("ahptui watches agent hosts, their sessions and their MCP servers."), m.inside())
	m.demo = len(lines) + 1
	lines = append(lines, "",
		m.choice("Try the demo", !m.url.focused()),
		m.words(frame.Line{}.Gap(4).Own(t.Dim, "a host with real MCP servers, in this program")),
		m.choice("Connect to a host", m.url.focused()),
	)
	field := frame.Line{}.Gap(2).Own(t.Composer, t.Signs.Composer).Gap(1)
	at := len(lines)
	if m.url.value() == "" {
		lines = append(lines, m.words(field.Own(t.Placeholder, "ws://127.0.0.1:8081")))
	} else {
		lines = append(lines, field.Fit(4, t.Text)+frame.Fit([]string{typed}, room, 1))
	}
	lines = append(lines, "")
	switch {
	case !in.Busy.Empty():
		lines = append(lines, m.words(frame.Line{}.Add(t.Pending, in.Busy)))
	case !in.Failure.Empty():
		for _, line := range in.Failure.Wrap(m.inside()) {
			lines = append(lines, m.words(frame.Line{}.Add(t.Error, line)))
		}
	}
	lines = append(lines, m.words(frame.Line{}.Add(t.KeyText, m.hints())))
	return m.place(lines, at, x)
}

// Click chooses what stands in a row of the screen that was drawn last; what was
// chosen already is done.
func (m *Start) Click(in StartInput, row int) Event {
	const each = 2 // lines
	at := row - m.demo
	if at < 0 || at >= 2*each {
		return Nothing
	}
	field := at >= each
	if field != m.url.focused() {
		m.turn()
		return Nothing
	}
	if field || !in.Busy.Empty() { // in a field, a click is where one wants to type
		return Nothing
	}
	return Submit
}

// hints are the keys that work where the focus is.
func (m *Start) hints() safetext.Text {
	help, quit := "?", "q"
	if m.url.focused() {
		help, quit = "f1", m.keys.label(keymap.OverlayClose)
	}
	return hints(hint{m.keys.label(keymap.OverlayAccept), "go"}, hint{m.keys.label(keymap.OverlayNext), "choose"}, hint{help, "help"}, hint{quit, "quit"})
}

func (m *Start) choice(word string, chosen bool) string {
	t := m.theme
	line := frame.Line{}.Gap(2).Own(t.Text, word)
	if chosen {
		line = frame.Line{}.Own(t.Selection, t.Signs.Folded+" "+word+" ")
	}
	return m.words(line)
}

// place puts the lines in the middle of the screen. The field is in line at,
// the cursor in its column x.
func (m *Start) place(lines []string, at, x int) string {
	left, top := max(0, (m.width-m.inside())/2), max(0, (m.height-len(lines))/2)
	m.demo += top
	screen := make([]string, top, top+len(lines))
	for _, line := range lines {
		screen = append(screen, strings.Repeat(" ", left)+line)
	}
	m.cursor = nil
	if c := tea.NewCursor(left+4+x, top+at); m.url.focused() && c.X < m.width && c.Y < m.height {
		m.cursor = c
	}
	return frame.Fit(screen, m.width, m.height)
}

// Cursor is where the terminal's cursor belongs on the screen after the last
// View; nil if it is not in a field.
func (m *Start) Cursor() *tea.Cursor { return m.cursor }

// Choice is what was chosen.
func (m *Start) Choice() Choice {
	if m.url.focused() {
		return Connect
	}
	return Demo
}

// URL is the URL as typed, without spaces around it.
func (m *Start) URL() string { return strings.TrimSpace(m.url.value()) }

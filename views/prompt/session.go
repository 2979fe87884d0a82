package prompt

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// Provider is something that sessions can be made with.
type Provider struct {
	ID          string
	Name        safetext.Text
	Description safetext.Text
}

// SessionInput is what the form for a new session shows.
type SessionInput struct {
	Providers []Provider
	Failure   safetext.Text // why the last attempt did not work
	Busy      bool          // the host is being asked
}

// Session is the form for a new session: a provider and a directory.
type Session struct {
	box
	keys      keys
	provider  string
	directory field
	cursor    *tea.Cursor
	top       int
	rows      int // lines of providers in the last View
}

// NewSession returns the form with a directory filled in.
func NewSession(theme themes.Theme, directory string) *Session {
	return &Session{box: box{theme: theme}, keys: keys{bindings: keymap.Default()}, directory: newField(theme, directory)}
}

// SetKeys sets the keys that a person has made; ascii says how they are shown.
func (m *Session) SetKeys(bindings *keymap.Map, ascii bool) { m.keys = keys{bindings, ascii} }

// SetSize sets the size of the whole screen, in cells.
func (m *Session) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Update takes a key press or a paste. A paste goes into the directory.
func (m *Session) Update(in SessionInput, msg tea.Msg) Event {
	m.settle(in)
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		m.directory.focus()
		m.directory.update(msg)
		return Nothing
	}
	switch m.keys.event(key) {
	case keymap.OverlayClose:
		return Cancel
	case keymap.AppHelp:
		return Help
	case keymap.OverlayAccept:
		if in.Busy || len(in.Providers) == 0 {
			return Nothing
		}
		return Submit
	case keymap.OverlayNext, keymap.OverlayPrevious:
		m.turn(in)
		return Nothing
	}
	if m.directory.focused() {
		m.directory.update(msg)
		return Nothing
	}
	switch key.String() {
	case "up", "k":
		m.choose(in, -1)
	case "down", "j":
		m.choose(in, 1)
	}
	return Nothing
}

// settle keeps the choice among what there is, and the focus where there is
// something to choose or to type.
func (m *Session) settle(in SessionInput) {
	if m.index(in) < 0 && len(in.Providers) > 0 {
		m.provider = in.Providers[0].ID
	}
	if len(in.Providers) < 2 {
		m.directory.focus()
	}
}

func (m *Session) index(in SessionInput) int {
	return slices.IndexFunc(in.Providers, func(p Provider) bool { return p.ID == m.provider })
}

// turn moves the focus to the other field.
func (m *Session) turn(in SessionInput) {
	if m.directory.focused() && len(in.Providers) > 1 {
		m.directory.blur()
	} else {
		m.directory.focus()
	}
}

func (m *Session) choose(in SessionInput, by int) {
	i := min(max(0, m.index(in)+by), len(in.Providers)-1)
	m.provider = in.Providers[i].ID
}

// Click chooses the provider in a row of the box that was drawn last, or goes to
// the directory.
func (m *Session) Click(in SessionInput, row int) {
	const above = 2 // the border and a label
	m.settle(in)
	switch i := row - above; {
	case i < 0 || i > m.rows+1:
	case i >= m.rows:
		m.directory.focus()
	case m.top+i < len(in.Providers):
		m.provider = in.Providers[m.top+i].ID
		if len(in.Providers) > 1 {
			m.directory.blur()
		}
	}
}

// View draws the form, a box with its border that is to be laid over the screen
// with frame.Overlay.
func (m *Session) View(in SessionInput) string {
	m.settle(in)
	t := m.theme
	lines := []string{m.words(m.label("Provider", !m.directory.focused()))}
	lines = append(lines, m.choices(in)...)
	m.rows = len(lines) - 1
	lines = append(lines, m.words(m.label("Directory", m.directory.focused())))
	m.cursor = nil
	if room := m.inside() - 2; room > 0 {
		typed, x := m.directory.view(room)
		if m.directory.focused() {
			m.cursor = tea.NewCursor(x+4, len(lines)+1) // the border, the blank column, the sign
		}
		lines = append(lines, frame.Line{}.Own(t.Composer, t.Signs.Composer).Gap(1).Fit(2, t.Text)+frame.Fit([]string{typed}, room, 1))
	}
	switch {
	case in.Busy:
		lines = append(lines, m.words(frame.Line{}.Own(t.Pending, "asking the host")))
	case !in.Failure.Empty():
		for _, line := range in.Failure.Wrap(m.inside()) {
			lines = append(lines, m.words(frame.Line{}.Add(t.Error, line)))
		}
	}
	footer := hints(hint{m.keys.label(keymap.OverlayAccept), "create"}, hint{m.keys.label(keymap.OverlayNext), "next field"}, hint{m.keys.label(keymap.OverlayClose), "cancel"})
	return m.draw(safetext.Const("New session"), footer, lines)
}

func (m *Session) label(word string, focused bool) frame.Line {
	if focused {
		return frame.Line{}.Own(m.theme.HeadingFocus, word)
	}
	return frame.Line{}.Own(m.theme.Heading, word)
}

// choices are the providers, as many as there is room for.
func (m *Session) choices(in SessionInput) []string {
	const others = 6 // labels, the directory, a line for what failed, borders
	t := m.theme
	if len(in.Providers) == 0 {
		return []string{m.words(frame.Line{}.Own(t.Warning, "the host offers nothing to make a session with"))}
	}
	chosen := max(0, m.index(in))
	rows := min(len(in.Providers), max(1, m.height-others))
	m.top = list.Scroll(m.top, len(in.Providers), rows, chosen, chosen+1)
	lines := make([]string, 0, rows)
	for i, p := range in.Providers[m.top : m.top+rows] {
		name := p.Name
		if name.Empty() {
			name = safetext.Clean(p.ID, 100)
		}
		line := frame.Line{}.Gap(2).Add(t.Text, name)
		if !p.Description.Empty() {
			line = line.Gap(2).Add(t.Dim, p.Description)
		}
		if m.top+i == chosen {
			style := t.SelectionDim
			if !m.directory.focused() {
				style = t.Selection
			}
			line = append(frame.Line{}.Own(style, t.Signs.Folded).Gap(1), line[1:]...).In(style)
		}
		lines = append(lines, m.words(line))
	}
	return lines
}

// Cursor is where the terminal's cursor belongs after the last View, counted
// from the upper left cell of the box; nil if it is not in a field.
func (m *Session) Cursor() *tea.Cursor { return m.cursor }

// Provider is the id of the chosen provider, "" where there is none to choose.
func (m *Session) Provider() string { return m.provider }

// Directory is the directory as typed.
func (m *Session) Directory() string { return m.directory.value() }

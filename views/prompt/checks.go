package prompt

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
	"ahptui/views/list"
)

// Check is one thing to be taken or left.
type Check struct {
	Name  safetext.Text
	Note  safetext.Text // such as "required"
	Taken bool
}

// ChecksInput is what there is to take.
type ChecksInput struct {
	Title safetext.Text
	Text  safetext.Text
	Items []Check
}

// Checks asks which of many things are to be taken.
type Checks struct {
	box
	keys   keys
	cursor int
	top    int
	above  int // lines above the items in the last View
}

// NewChecks returns the question.
func NewChecks(theme themes.Theme, bindings *keymap.Map, ascii bool) *Checks {
	return &Checks{box: box{theme: theme}, keys: keys{bindings, ascii}}
}

// SetSize sets the size of the whole screen, in cells.
func (m *Checks) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Update takes a key press. toggled is the item that is to change sides, or -1.
func (m *Checks) Update(in ChecksInput, msg tea.Msg) (toggled int, event Event) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok || len(in.Items) == 0 {
		return -1, Nothing
	}
	if key.String() == "space" {
		return min(m.cursor, len(in.Items)-1), Nothing
	}
	switch id, _ := m.keys.bindings.Match(key, keymap.Overlay); id {
	case keymap.MoveUp:
		m.cursor = max(0, m.cursor-1)
	case keymap.MoveDown:
		m.cursor = min(len(in.Items)-1, m.cursor+1)
	case keymap.OverlayAccept:
		return -1, Submit
	case keymap.OverlayClose:
		return -1, Cancel
	case keymap.AppHelp:
		return -1, Help
	}
	return -1, Nothing
}

// Click goes to the item in a row of the box that was drawn last. It reports
// whether there is one.
func (m *Checks) Click(in ChecksInput, row int) bool {
	const border = 1
	at := row - border - m.above
	if at < 0 || row > m.height-2 || m.top+at >= len(in.Items) {
		return false
	}
	m.cursor = m.top + at
	return true
}

// View draws the question, a box with its border that is to be laid over the
// screen with frame.Overlay.
func (m *Checks) View(in ChecksInput) string {
	t := m.theme
	const borders = 2
	var lines []string
	for _, line := range in.Text.Wrap(m.inside()) {
		lines = append(lines, m.words(frame.Line{}.Add(t.Text, line)))
	}
	rows := max(1, min(len(in.Items), m.height-borders-len(lines)))
	lines = lines[:max(0, min(len(lines), m.height-borders-rows))]
	m.above = len(lines)
	m.top = list.Scroll(m.top, len(in.Items), rows, m.cursor, m.cursor+1)
	for i, item := range in.Items[m.top:min(len(in.Items), m.top+rows)] {
		mark := "[ ] "
		if item.Taken {
			mark = "[x] "
		}
		line := frame.Line{}.Own(t.Text, mark).Add(t.Text, item.Name).Gap(2).Add(t.Dim, item.Note)
		if m.top+i == m.cursor {
			line = line.In(t.Selection)
		}
		lines = append(lines, m.words(line))
	}
	footer := hints(hint{"space", "take or leave"}, hint{m.keys.label(keymap.OverlayAccept), "done"}, hint{m.keys.label(keymap.OverlayClose), "cancel"})
	return m.draw(in.Title, footer, lines)
}

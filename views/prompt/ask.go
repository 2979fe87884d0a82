package prompt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
)

// AskInput is what is asked for.
type AskInput struct {
	Title   safetext.Text
	Text    []safetext.Text // paragraphs
	Labels  []string        // of the fields, as many as there are
	Failure safetext.Text   // why what was typed was not taken
	Submit  string          // what Enter does, such as "sign in"
}

// Ask is a form with a few fields, some of which do not show what is typed.
type Ask struct {
	box
	keys   keys
	fields []field
	cursor *tea.Cursor
	first  int // the line of the first label in the last View
}

// NewAsk returns a form with a field for each of masked, which says whether what
// is typed there is hidden. text is in the first one already.
func NewAsk(theme themes.Theme, bindings *keymap.Map, ascii bool, text string, masked ...bool) *Ask {
	m := &Ask{box: box{theme: theme}, keys: keys{bindings, ascii}}
	for i, hide := range masked {
		if i > 0 {
			text = ""
		}
		f := newField(theme, text)
		f.masked = hide
		m.fields = append(m.fields, f)
	}
	m.fields[0].focus()
	return m
}

// SetSize sets the size of the whole screen, in cells.
func (m *Ask) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Value is what was typed into a field, without white space around it.
func (m *Ask) Value(i int) string { return strings.TrimSpace(m.fields[i].value()) }

// SetValue replaces what is in a field, and puts the cursor behind it.
func (m *Ask) SetValue(i int, text string) { m.fields[i].set(text) }

// Update takes a key press or a paste. A form whose first field is empty is not
// submitted.
func (m *Ask) Update(msg tea.Msg) Event {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch m.keys.event(key) {
		case keymap.OverlayClose:
			return Cancel
		case keymap.AppHelp:
			return Help
		case keymap.OverlayAccept:
			if m.Value(0) == "" {
				return Nothing
			}
			return Submit
		case keymap.OverlayNext:
			m.turn(1)
			return Nothing
		case keymap.OverlayPrevious:
			m.turn(len(m.fields) - 1)
			return Nothing
		}
	}
	for i := range m.fields {
		m.fields[i].update(msg)
	}
	return Nothing
}

// turn goes to the field that is so many further.
func (m *Ask) turn(by int) {
	for i := range m.fields {
		if m.fields[i].focused() {
			m.fields[i].blur()
			m.fields[(i+by)%len(m.fields)].focus()
			return
		}
	}
}

// Click goes to the field in a row of the box that was drawn last.
func (m *Ask) Click(row int) {
	const border, lines = 1, 2
	at := row - border - m.first
	if at < 0 || at/lines >= len(m.fields) {
		return
	}
	for i := range m.fields {
		m.fields[i].blur()
	}
	m.fields[at/lines].focus()
}

// View draws the form, a box with its border that is to be laid over the screen
// with frame.Overlay.
func (m *Ask) View(in AskInput) string {
	t := m.theme
	m.cursor = nil
	var lines []string
	for _, paragraph := range in.Text {
		for _, line := range paragraph.Wrap(m.inside()) {
			lines = append(lines, m.words(frame.Line{}.Add(t.Text, line)))
		}
	}
	const borders, sign = 2, 2
	room := max(1, m.inside()-sign-1)
	var failure []string
	if !in.Failure.Empty() {
		for _, line := range in.Failure.Wrap(m.inside()) {
			failure = append(failure, m.words(frame.Line{}.Add(t.Error, line)))
		}
	}
	lines = lines[:min(len(lines), max(0, m.height-borders-2*len(m.fields)-len(failure)))]
	m.first = len(lines)
	for i := range m.fields {
		label := ""
		if i < len(in.Labels) {
			label = in.Labels[i]
		}
		typed, x := m.fields[i].view(room)
		lines = append(lines, m.words(frame.Line{}.Own(t.Dim, label)),
			frame.Line{}.Own(t.Composer, t.Signs.Composer).Fit(sign, t.Text)+frame.Fit([]string{typed}, m.inside()-sign, 1))
		if m.fields[i].focused() {
			m.cursor = tea.NewCursor(1+1+sign+x, len(lines))
		}
	}
	lines = append(lines, failure...)
	next := ""
	if len(m.fields) > 1 {
		next = m.keys.label(keymap.OverlayNext)
	}
	footer := hints(hint{m.keys.label(keymap.OverlayAccept), in.Submit}, hint{next, "next field"}, hint{m.keys.label(keymap.OverlayClose), "cancel"})
	return m.draw(in.Title, footer, lines)
}

// Cursor is where the cursor is in what was drawn last.
func (m *Ask) Cursor() *tea.Cursor { return m.cursor }

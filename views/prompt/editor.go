package prompt

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/composer"
	"ahptui/views/frame"
)

// EditorInput is what is written for.
type EditorInput struct {
	Title    safetext.Text
	Text     []safetext.Text // paragraphs above the field
	Notice   safetext.Text   // below it: what is wrong, or has changed
	Alarming bool            // it is about something that is wrong
	Send     string          // what the key that sends does, such as "approve"
	Closed   bool            // nothing can be sent any more
}

// Editor is a window with a text of several lines. Enter begins a new line; a
// paste never sends.
type Editor struct {
	theme         themes.Theme
	width, height int
	keys          keys
	field         *composer.Model
	cursor        *tea.Cursor
}

// MaxEdited bounds what can be edited, in bytes.
const MaxEdited = composer.MaxBytes

// Editable reports whether a text is not too long to be edited.
func Editable(text string) bool { return composer.Fits(text) }

// NewEditor returns a window with a text in it.
func NewEditor(theme themes.Theme, bindings *keymap.Map, ascii bool, text string) *Editor {
	m := &Editor{theme: theme, keys: keys{bindings, ascii}, field: composer.New(theme)}
	m.field.SetMaxLines(1 << 10)
	m.field.SetValue(text)
	m.field.Focus()
	return m
}

// SetSize sets the size of the whole screen, in cells.
func (m *Editor) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Value is what was written.
func (m *Editor) Value() string { return m.field.Value() }

// SetValue replaces what was written.
func (m *Editor) SetValue(text string) { m.field.SetValue(text) }

// Update takes a key press or a paste.
func (m *Editor) Update(msg tea.Msg) Event {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch m.keys.event(key) {
		case keymap.OverlayClose:
			return Cancel
		case keymap.AppHelp:
			return Help
		case keymap.OverlaySend:
			return Submit
		case keymap.OverlayAccept:
			m.field.Newline()
			return Nothing
		case keymap.OverlayNext:
			m.field.Update(tea.PasteMsg{Content: "  "})
			return Nothing
		case keymap.OverlayPrevious:
			return Nothing
		}
	}
	m.field.Update(msg)
	return Nothing
}

// editorWidth is how wide the window gets at most.
const editorWidth = 120

// View draws the window, a box with its border that is to be laid over the screen
// with frame.Overlay.
func (m *Editor) View(in EditorInput) string {
	const borders, most = 2, 6
	width := min(m.width, editorWidth)
	inside := max(1, width-borders)
	above, below := m.paragraphs(in.Text, inside, most), []string(nil)
	if !in.Notice.Empty() {
		style := m.theme.Warning
		if in.Alarming {
			style = m.theme.Error
		}
		for i, line := range in.Notice.Wrap(max(1, inside-2)) {
			if i == most {
				break
			}
			below = append(below, frame.Line{}.Gap(1).Add(style, line).Fit(inside, m.theme.Text))
		}
	}
	room := max(1, m.height-borders)
	below = below[:min(len(below), room/3)]
	above = above[:min(len(above), (room-len(below))/3)]
	m.field.SetSize(inside, max(1, room-len(above)-len(below)))
	rows := max(1, min(m.field.Lines(composer.Input{}, inside), room-len(above)-len(below)))
	m.field.SetSize(inside, rows)
	lines := slices.Concat(above, strings.Split(m.field.View(composer.Input{}, true), "\n"), below)
	m.cursor = nil
	if c := m.field.Cursor(); c != nil {
		m.cursor = tea.NewCursor(c.X+1, c.Y+1+len(above))
	}
	footer := hints(hint{m.keys.label(keymap.OverlayClose), "close, and keep this"})
	if !in.Closed {
		footer = hints(hint{m.keys.label(keymap.OverlaySend), in.Send}, hint{m.keys.label(keymap.OverlayClose), "close, and keep this"})
	}
	return frame.Box(m.theme, in.Title, footer, strings.Join(lines, "\n"), width, min(m.height, len(above)+rows+len(below)+borders))
}

func (m *Editor) paragraphs(text []safetext.Text, inside, most int) []string {
	var lines []string
	for _, paragraph := range text {
		for _, line := range paragraph.Wrap(max(1, inside-2)) {
			lines = append(lines, frame.Line{}.Gap(1).Add(m.theme.Text, line).Fit(inside, m.theme.Text))
		}
	}
	return lines[:min(len(lines), most)]
}

// Cursor is where the cursor is in what was drawn last.
func (m *Editor) Cursor() *tea.Cursor { return m.cursor }

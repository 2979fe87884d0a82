package prompt

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// PickInput is what there is to choose from.
type PickInput struct {
	Title   safetext.Text
	Text    []safetext.Text // paragraphs
	Options []safetext.Text // nine at most
	No      safetext.Text   // by default, "cancel"
}

// Pick asks which of a few things is to be done. Only the digit of an option
// chooses it: Enter, a paste and everything else that may be typed by mistake do
// not.
type Pick struct {
	box
}

// NewPick returns the question.
func NewPick(theme themes.Theme) *Pick { return &Pick{box{theme: theme}} }

// SetSize sets the size of the whole screen, in cells.
func (m *Pick) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Update takes a key press: a digit submits the option of that number, counted
// from 0 in what is returned; n and Esc cancel.
func (m *Pick) Update(in PickInput, msg tea.Msg) (option int, event Event) {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return 0, Nothing
	}
	switch name := key.String(); name {
	case "n", "esc":
		return 0, Cancel
	default:
		if n, err := strconv.Atoi(name); err == nil && 0 < n && n <= min(len(in.Options), 9) {
			return n - 1, Submit
		}
	}
	return 0, Nothing
}

// View draws the question, a box with its border that is to be laid over the
// screen with frame.Overlay.
func (m *Pick) View(in PickInput) string {
	choices := make([]string, 0, len(in.Options)+1)
	for i, option := range in.Options {
		choices = append(choices, m.words(frame.Line{}.Own(m.theme.Key, strconv.Itoa(i+1)).Gap(1).Add(m.theme.Text, option)))
	}
	no := in.No
	if no.Empty() {
		no = safetext.Const("cancel")
	}
	choices = append(choices, m.words(frame.Line{}.Own(m.theme.Key, "n").Gap(1).Add(m.theme.Text, no)))
	var lines []string
	for _, paragraph := range in.Text {
		for _, line := range paragraph.Wrap(m.inside()) {
			lines = append(lines, m.words(frame.Line{}.Add(m.theme.Text, line)))
		}
	}
	const borders, blank = 2, 1
	lines = lines[:min(len(lines), max(0, m.height-borders-blank-len(choices)))]
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	m.spots = m.spots[:0]
	for i := range choices {
		key := frame.Number(i + 1)
		if i == len(in.Options) {
			key = safetext.Const("n")
		}
		m.spots = append(m.spots, frame.Spot{Row: len(lines) + i, To: m.inside(), Key: key})
	}
	return m.draw(in.Title, safetext.Text{}, append(lines, choices...))
}

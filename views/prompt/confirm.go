package prompt

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// ConfirmInput is what is asked.
type ConfirmInput struct {
	Title safetext.Text
	Text  []safetext.Text // paragraphs
	Yes   safetext.Text   // what a yes does, such as "stop notes"
	No    safetext.Text   // by default, "cancel"
}

// Confirm asks for a yes or no. Only the key for yes is a yes: Enter, a paste
// and everything else that may be typed by mistake are not.
type Confirm struct {
	box
}

// NewConfirm returns the question.
func NewConfirm(theme themes.Theme) *Confirm { return &Confirm{box{theme: theme}} }

// SetSize sets the size of the whole screen, in cells.
func (m *Confirm) SetSize(width, height int) { m.width, m.height = max(0, width), max(0, height) }

// Update takes a key press: y submits, n and Esc cancel.
func (m *Confirm) Update(msg tea.Msg) Event {
	key, ok := msg.(tea.KeyPressMsg)
	if !ok {
		return Nothing
	}
	switch key.String() {
	case "y":
		return Submit
	case "n", "esc":
		return Cancel
	}
	return Nothing
}

// View draws the question, a box with its border that is to be laid over the
// screen with frame.Overlay.
func (m *Confirm) View(in ConfirmInput) string {
	var lines []string
	for _, paragraph := range in.Text {
		for _, line := range paragraph.Wrap(m.inside()) {
			lines = append(lines, m.words(frame.Line{}.Add(m.theme.Text, line)))
		}
	}
	const borders, choice = 2, 2
	lines = lines[:min(len(lines), max(0, m.height-borders-choice))]
	no := in.No
	if no.Empty() {
		no = safetext.Const("cancel")
	}
	const apart = 3
	answer := frame.Line{}.Own(m.theme.Key, "y").Gap(1).Add(m.theme.Text, in.Yes)
	yes := answer.Width()
	answer = answer.Gap(apart).Own(m.theme.Key, "n").Gap(1).Add(m.theme.Text, no)
	if len(lines) > 0 {
		lines = append(lines, "")
	}
	m.spots = []frame.Spot{
		{Row: len(lines), To: min(yes, m.inside()), Key: safetext.Const("y")},
		{Row: len(lines), From: yes + apart, To: min(answer.Width(), m.inside()), Key: safetext.Const("n")},
	}
	return m.draw(in.Title, safetext.Text{}, append(lines, m.words(answer)))
}

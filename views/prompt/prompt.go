// Package prompt has the modal forms: the questions before a new session, a
// plain yes or no, and the screen to start from. Each names its own keys.
package prompt

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Event is what became of a key press.
type Event uint8

// The events.
const (
	Nothing Event = iota // the form goes on
	Submit               // the person is done: read the form's value
	Cancel               // the person gave up
	Help                 // the person asked for help
)

// maxBox is how wide a box gets at most.
const maxBox = 72

// box is what the forms that are laid over the screen have in common: they
// collect lines and draw them in a border that is as small as it can be.
type box struct {
	theme         themes.Theme
	width, height int          // of the screen
	spots         []frame.Spot // the keys in the lines of the last View, by line
}

// Spots are where the keys stand in the box that was drawn last.
func (b box) Spots() []frame.Spot {
	const border = 1
	var spots []frame.Spot
	for _, s := range b.spots {
		if s.Row += border; s.Row < b.height-border {
			s.From, s.To = s.From+border+1, s.To+border+1
			spots = append(spots, s)
		}
	}
	return spots
}

// SetTheme draws in another theme from now on.
func (b *box) SetTheme(theme themes.Theme) { b.theme = theme }

// inside is the width between the borders and the blank columns.
func (b box) inside() int { return max(1, min(b.width, maxBox)-4) }

// draw draws lines, as many as the screen has room for.
func (b box) draw(title, footer safetext.Text, lines []string) string {
	width, height := min(b.width, maxBox), min(b.height, len(lines)+2)
	padded := make([]string, len(lines))
	for i, line := range lines {
		padded[i] = " " + line
	}
	return frame.Box(b.theme, title, footer, strings.Join(padded, "\n"), width, height)
}

// words draws text in lines of the inside's width.
func (b box) words(line frame.Line) string { return line.Fit(b.inside(), b.theme.Text) }

// hint is a key and what it does, for the lower border.
type hint struct {
	key, does string
}

func hints(list ...hint) safetext.Text {
	parts := make([]string, 0, len(list))
	for _, h := range list {
		if h.key != "" {
			parts = append(parts, h.key+" "+h.does)
		}
	}
	return frame.Own(strings.Join(parts, "  "))
}

// keys are the keys of forms, as a person has set them.
type keys struct {
	bindings *keymap.Map
	ascii    bool
}

func (k keys) label(id keymap.ID) string { return k.bindings.Binding(id).Label(k.ascii) }

// event is what a key means to a form, apart from what it does in a field.
func (k keys) event(msg tea.KeyPressMsg) (id keymap.ID) {
	id, _ = k.bindings.Match(msg, keymap.Form)
	return id
}

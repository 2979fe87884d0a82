// Package prompt has the modal forms: the questions before a new session, a
// plain yes or no, and the screen to start from. Each names its own keys.
package prompt

import (
	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
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

// Provider is something that sessions can be made with.
type Provider struct {
	ID          string
	Name        safetext.Text
	Description safetext.Text
}

// Session is the form for a new session: a provider and a directory.
type Session struct {
	theme themes.Theme
}

// SessionInput is what the form shows.
type SessionInput struct {
	Providers []Provider
	Failure   safetext.Text // why the last attempt did not work
	Busy      bool          // the host is being asked
}

// NewSession returns the form with a directory filled in.
func NewSession(theme themes.Theme, directory string) *Session { return &Session{theme: theme} }

// SetSize sets the size of the whole screen, in cells.
func (m *Session) SetSize(width, height int) {}

// Update takes a key press or a paste.
func (m *Session) Update(in SessionInput, msg tea.Msg) Event { return Nothing }

// View draws the form, a box with its border that is to be laid over the screen
// with frame.Overlay.
func (m *Session) View(in SessionInput) string { return "" }

// Cursor is where the terminal's cursor belongs, counted from the upper left
// cell of the box; nil if it is not in a field.
func (m *Session) Cursor() *tea.Cursor { return nil }

// Provider is the id of the chosen provider, "" where there is none to choose.
func (m *Session) Provider() string { return "" }

// Directory is the directory as typed.
func (m *Session) Directory() string { return "" }

// Confirm asks for a yes or no. Only the key for yes is a yes: Enter, a paste
// and everything else that may be typed by mistake are not.
type Confirm struct {
	theme themes.Theme
}

// ConfirmInput is what is asked.
type ConfirmInput struct {
	Title safetext.Text
	Text  []safetext.Text // paragraphs
	Yes   safetext.Text   // what a yes does, such as "stop notes"
	No    safetext.Text   // by default, "cancel"
}

// NewConfirm returns the question.
func NewConfirm(theme themes.Theme) *Confirm { return &Confirm{theme: theme} }

// SetSize sets the size of the whole screen, in cells.
func (m *Confirm) SetSize(width, height int) {}

// Update takes a key press: y submits, n and Esc cancel.
func (m *Confirm) Update(msg tea.Msg) Event { return Nothing }

// View draws the question, a box with its border that is to be laid over the
// screen with frame.Overlay.
func (m *Confirm) View(in ConfirmInput) string { return "" }

// Choice is what was chosen on the start screen.
type Choice uint8

// The choices.
const (
	Demo    Choice = iota // the demo host
	Connect               // the URL that was typed
)

// Start is the screen of a program that was told no host: it offers the demo
// and a field for a URL.
type Start struct {
	theme themes.Theme
}

// StartInput is what the screen shows.
type StartInput struct {
	Failure safetext.Text // why the last attempt did not work
	Busy    safetext.Text // what is going on, such as "starting the demo"
}

// NewStart returns the screen with a URL filled in.
func NewStart(theme themes.Theme, url string) *Start { return &Start{theme: theme} }

// SetSize sets the size of the whole screen, in cells.
func (m *Start) SetSize(width, height int) {}

// Update takes a key press or a paste.
func (m *Start) Update(in StartInput, msg tea.Msg) Event { return Nothing }

// View draws the screen, of exactly its size.
func (m *Start) View(in StartInput) string { return "" }

// Cursor is where the terminal's cursor belongs on the screen; nil if it is not
// in a field.
func (m *Start) Cursor() *tea.Cursor { return nil }

// Choice is what was chosen.
func (m *Start) Choice() Choice { return Demo }

// URL is the URL as typed.
func (m *Start) URL() string { return "" }

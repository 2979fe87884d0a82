// Package status is the line at the top of the screen: the host, the connection
// to it, and what waits for a person; and the line of notices.
package status

import (
	"ahptui/internal/safetext"
	"ahptui/themes"
)

// Phase is the state of the connection.
type Phase uint8

// The phases.
const (
	Offline      Phase = iota // no host was named
	Connecting                // the first attempt is under way
	Connected                 // in step with the host
	Reconnecting              // it was lost; what is shown is stale
	Failed                    // it will not be tried again
)

// Input is what the lines show.
type Input struct {
	Host    safetext.Text // what the host calls itself, else its address
	Version safetext.Text // of the host or the protocol
	Phase   Phase
	Reason  safetext.Text // why the connection was lost or failed
	Retry   safetext.Text // when the next attempt starts, such as "in 3 s"
	Latency safetext.Text // such as "12 ms"
	Blocked int           // how much waits for a person, everywhere
	Help    safetext.Text // the name of the key for help
	Next    safetext.Text // the name of the key that goes to the next blocked thing

	// Notice is the newest thing to be told; More counts those behind it.
	Notice   safetext.Text
	Severity Severity
	More     int
}

// Severity is how serious a notice is.
type Severity uint8

// The severities.
const (
	Info    Severity = iota
	Success          // something that was asked for was done
	Warning          // something was not done, or may not have been
	Problem          // something failed
)

// Model draws the lines. It has no state of its own but its size.
type Model struct {
	theme themes.Theme
}

// New returns the lines.
func New(theme themes.Theme) *Model { return &Model{theme: theme} }

// SetSize sets the size in cells: with one line there is the title alone, or
// the notice behind it where there is room; the second line is the notice's.
func (m *Model) SetSize(width, height int) {}

// View draws the lines.
func (m *Model) View(in Input) string { return "" }

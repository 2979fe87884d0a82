// Package terminal runs a program on a pseudo terminal and tells what it does
// there: its output, bit by bit, and what it says about itself in between, which
// are its title, its directory and, where the shell marks them, its commands.
//
// There are no pseudo terminals on Windows, as far as this package is concerned.
package terminal

import "errors"

// ErrUnsupported is returned where the system has no pseudo terminals that are
// understood here.
var ErrUnsupported = errors.New("terminals are not available on this system")

// Kind tells the kinds of [Event] apart.
type Kind int

// The kinds of events.
const (
	Data       Kind = iota // Text is output, control sequences and all, in valid UTF-8
	Title                  // Text is the title that the program wants (OSC 0 and 2)
	Dir                    // Text is the path of the directory that the program is in (OSC 7)
	Detection              // from now on commands are marked (OSC 133 or 633)
	CommandRun             // Text is the line of a command that begins, where it is known
	CommandEnd             // the command has ended; Code is its exit code, where it is known
	Exited                 // the program has ended, which is the last event; Code is its exit code, or nil for a signal
)

// Event is something that happened on a terminal.
type Event struct {
	Kind Kind
	Text string
	Code *int
}

// Config says what is to run.
type Config struct {
	// Command is a program, looked up in PATH, with its arguments. Empty means the
	// user's own shell.
	Command []string
	// Line, when not empty, is a line for the user's shell to carry out; there is no
	// Command then.
	Line string
	// Dir is the directory to run in; empty means that of this process.
	Dir string
	// Cols and Rows are the size in character cells; zero means 80 and 24.
	Cols, Rows int
}

// The limits of what is kept of a program's words about itself.
const (
	maxTitleBytes = 256
	maxPathBytes  = 4 << 10
	maxLineBytes  = 16 << 10
)

// Package terminal is the panel of the host's terminals: which there are, and the
// screen of one. It is the panel that takes output as it came, control sequences
// and all; what reaches the person's terminal is cells that were cleaned, see
// [Model].
package terminal

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// Input is what the panel shows. The panel keeps it until the next one, so it
// must not be changed.
type Input struct {
	Rows []Row // the terminals that there are to choose from
	// Empty says why there are none, or why the screen of the selected one cannot be
	// shown.
	Empty safetext.Text
	// Stale says that the host cannot be reached: what is shown is what was.
	Stale bool
	// Content is that of the selected terminal; nil where it is not there.
	Content *Content
	// Typing says that keys go to the terminal; Leave is the name of the one that
	// ends that.
	Typing bool
	Leave  safetext.Text
	// Hint says how keys can be made to go to it, or why they cannot.
	Hint safetext.Text
}

// Row is one terminal.
type Row struct {
	ID    protocol.URI
	Title safetext.Text
	Owner safetext.Text // who has it, such as "you" or "this session"
	Ended bool
	Exit  safetext.Text // how it ended, such as "exit 1"
}

// Content is what is on a terminal.
type Content struct {
	ID         protocol.URI
	Parts      []*protocol.TerminalPart
	Cols, Rows int           // the size that its program draws for
	Cwd        safetext.Text // where the program is
	// Pending says that something that was asked for is not confirmed yet.
	Pending bool
}

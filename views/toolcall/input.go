// Package toolcall draws one tool call of a transcript, in whatever status it
// is: one line while there is nothing to decide, a block with the choices where
// a person has to.
package toolcall

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// Input is a tool call and what is to be known about it. Inputs are compared
// with ==: equal inputs look alike.
type Input struct {
	Call     *protocol.ToolCall
	Server   safetext.Text // the name of the server that runs it, if one does
	Note     Note
	Keys     Keys
	Selected bool // it is the item that keys act on
	Focused  bool // and the panel has the keys
	Unfolded bool // input, output and errors are shown
}

// Note is what this client knows about a call beside its state.
type Note struct {
	// Pending says that an answer was sent which the host has not confirmed.
	Pending bool
	// Refused is what the host said to an answer it did not take, and what
	// became of one that it never answered.
	Refused safetext.Text
	// Since is how long the call has been in its status, such as "2 min".
	Since safetext.Text
	// Took is how long a call that ended ran, such as "420 ms".
	Took safetext.Text
	// Stale says that the host cannot be reached, so nothing can be answered.
	Stale bool
}

// Keys are the names of the keys that a call understands, as the key map has
// them.
type Keys struct {
	Approve safetext.Text
	Deny    safetext.Text
	Cancel  safetext.Text // gives up a call that waits for access
	Unfold  safetext.Text
}

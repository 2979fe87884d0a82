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
	Client   safetext.Text // the name of the client that runs it, if one does
	Fetched  *Fetched      // what was read for it from elsewhere; nil: nothing
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
	// Access is what the call waits for, if it waits for access.
	Access Access
	// Ends is when the token of its server ends, such as "the token ends in 40 s",
	// while the call waits for a person.
	Ends safetext.Text
	// History is who confirmed what, and when, a line each.
	History safetext.Block
	// Granted is the record of what was granted to a call that went on, such as
	// "granted tracker:read 12 s ago".
	Granted safetext.Text
}

// Access is what a call needs before it can go on. Where it is not Needed, a
// call whose own status says that it needs access is shown with what the status
// tells.
type Access struct {
	// Needed says that the call waits for access: by its own status, or because
	// its server needs access while it runs.
	Needed bool
	// Server is the name of the server that asks; by default, Input.Server.
	Server safetext.Text
	// Reason is why, in words, Description what the server says to it.
	Reason      safetext.Text
	Description safetext.Text
	// Required are the scopes that the server asks for, Held those that were
	// granted before, each with spaces between them.
	Required safetext.Text
	Held     safetext.Text
	// Issuer is the authorization server, the zero Link where it is not known.
	Issuer safetext.Link
	// Obstacle is why access cannot be granted from here, if so. The key is
	// then not offered.
	Obstacle safetext.Text
	// Progress is what is going on while a sign-in runs, such as "waiting for
	// the browser". The keys then lead to it and give it up.
	Progress safetext.Text
	// Failure is why the last sign-in failed.
	Failure safetext.Text
}

// Keys are the names of the keys that a call understands, as the key map has
// them.
type Keys struct {
	Approve safetext.Text
	Deny    safetext.Text
	Grant   safetext.Text // grants access to a call that waits for it
	Cancel  safetext.Text // gives up a call that waits for access
	Edit    safetext.Text // changes the input of a call that may be changed
	Unfold  safetext.Text
}

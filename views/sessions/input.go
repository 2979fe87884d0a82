// Package sessions is the panel that lists the sessions of a host.
package sessions

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// Input is what the panel shows. The panel keeps it until the next one, so it
// must not be changed, nor what it points to.
type Input struct {
	Rows   []*Row  // in the order of the screen
	Groups []Group // which of them stand under a heading; none where there are no headings

	// Ages are how long ago the rows changed last, such as "2 min": of the rows from AgesFrom on, which are all that
	// can be seen. What is not known is empty.
	Ages     []safetext.Text
	AgesFrom int

	Filter Filter

	// Listed is false until the host has told its sessions once.
	Listed bool
	// Stale says that the host cannot be reached: what is shown is what was.
	Stale bool
	// NewKey is the name of the key that makes a session.
	NewKey safetext.Text
	// Archived says how many sessions are not shown because they are archived, and ArchivedKey which key shows them.
	Archived    int
	ArchivedKey safetext.Text
}

// age is the age of a row, empty where it is not known.
func (in Input) age(i int) safetext.Text {
	if i -= in.AgesFrom; i >= 0 && i < len(in.Ages) {
		return in.Ages[i]
	}
	return safetext.Text{}
}

// Group is a heading with the rows below it, up to the next one. The first group begins with the first row.
type Group struct {
	Title safetext.Text
	From  int // the first row
	Count int
}

// Filter is the line that says which sessions are shown.
type Filter struct {
	On     bool          // there is such a line
	Text   safetext.Text // what was typed
	Typing bool          // it is being typed: Field is drawn in the place of Text
	Field  string        // the part of it around the cursor, of [Model.FilterRoom] columns
	Total  int           // sessions among which Rows are those that match
	EndKey safetext.Text // the name of the key that ends it
}

// Row is one session.
type Row struct {
	ID        protocol.URI
	Title     safetext.Text
	Status    protocol.Status // what it is doing; see [protocol.SessionState.Activity]
	Provider  safetext.Text
	Directory safetext.Text // that it works in
	Activity  safetext.Text // what it says it is doing
	Chats     int           // that it has; 0 if nobody has said so
	Blocked   int           // how much in it waits for a person
	Unread    bool
	Archived  bool
	Creating  bool // it is being made
	Failed    bool // it could not be made

	// Pending says that something the person asked for is not confirmed by the host yet, and Refused what became of
	// the last thing that was not done.
	Pending bool
	Refused safetext.Text
}

// Package sessions is the panel that lists the sessions of a host.
package sessions

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// Input is what the panel shows. The panel keeps it until the next one, so it
// must not be changed.
type Input struct {
	Rows []Row // in the order of the screen

	// Listed is false until the host has told its sessions once.
	Listed bool
	// Stale says that the host cannot be reached: what is shown is what was.
	Stale bool
	// NewKey is the name of the key that makes a session.
	NewKey safetext.Text
}

// Row is one session.
type Row struct {
	ID       protocol.URI
	Title    safetext.Text
	Status   protocol.Status // what it is doing; see [protocol.SessionState.Activity]
	Provider safetext.Text
	Age      safetext.Text // since it changed last, such as "2 min"
	Activity safetext.Text // what it says it is doing
	Blocked  int           // how much in it waits for a person
	Unread   bool
	Archived bool
	Creating bool // it is being made
	Failed   bool // it could not be made
}

package mcpserver

import (
	"errors"
	"fmt"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// Kind is one of the states a server can be in.
type Kind int

// The kinds of state.
const (
	Stopped      Kind = iota // not running, and nothing of it is left
	Starting                 // being started, or being stopped for a restart
	Ready                    // serving
	Failed                   // could not start, or died
	AuthRequired             // there, but serving nobody until somebody signs in
)

// String returns the protocol's word for the kind.
func (k Kind) String() string {
	switch k {
	case Stopped:
		return "stopped"
	case Starting:
		return "starting"
	case Ready:
		return "ready"
	case Failed:
		return "error"
	case AuthRequired:
		return "authRequired"
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// State is what a server is doing. Err is set when Kind is Failed, Auth when it
// is AuthRequired.
type State struct {
	Kind Kind
	Err  *Error
	Auth *protocol.McpAuthRequirement
}

// The types of [Error].
const (
	ErrConfig      = "invalid-configuration" // the configuration makes no sense
	ErrNotFound    = "command-not-found"     // there is no such program
	ErrSpawn       = "spawn-failed"          // the program could not be started
	ErrUnreachable = "unreachable"           // the URL does not answer
	ErrForbidden   = "forbidden"             // the URL answers 403, and no sign-in would help
	ErrHandshake   = "handshake-failed"      // it answers, but not as an MCP server
	ErrTimeout     = "start-timeout"         // it did not become ready in time
	ErrExited      = "process-exited"        // its process ended
	ErrClosed      = "connection-closed"     // the connection to it ended
)

// Error is why a server is [Failed]. The message is bounded, free of control
// characters, and fit to be shown; it may quote the last lines that the server
// wrote to stderr.
type Error struct {
	Type    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrNotReady is returned by calls to a server that is neither [Ready] nor
// [AuthRequired].
var ErrNotReady = errors.New("the server is not ready")

// AuthError is why a call was refused: it takes a sign-in, or one for more. The
// call was not carried out.
type AuthError struct {
	Requirement *protocol.McpAuthRequirement
	// Server says that the server as a whole waits for it, not the call alone.
	Server bool
	// Token is the one that the call was refused with; none where it was not sent
	// because the server waits already.
	Token secret.Value
}

// Error implements error.
func (e *AuthError) Error() string {
	if e.Requirement.Reason == ReasonInsufficientScope {
		return "it takes a sign-in for more access"
	}
	return "it takes a sign-in"
}

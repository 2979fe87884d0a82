package mcpserver

import (
	"errors"
	"fmt"
)

// Kind is one of the states a server can be in.
type Kind int

// The kinds of state.
const (
	Stopped  Kind = iota // not running, and nothing of it is left
	Starting             // being started, or being stopped for a restart
	Ready                // serving
	Failed               // could not start, or died
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
	}
	return fmt.Sprintf("Kind(%d)", int(k))
}

// State is what a server is doing. Err is set when Kind is Failed.
type State struct {
	Kind Kind
	Err  *Error
}

// The types of [Error].
const (
	ErrConfig       = "invalid-configuration" // the configuration makes no sense
	ErrNotFound     = "command-not-found"     // there is no such program
	ErrSpawn        = "spawn-failed"          // the program could not be started
	ErrUnreachable  = "unreachable"           // the URL does not answer
	ErrUnauthorized = "unauthorized"          // the URL answers 401
	ErrHandshake    = "handshake-failed"      // it answers, but not as an MCP server
	ErrTimeout      = "start-timeout"         // it did not become ready in time
	ErrExited       = "process-exited"        // its process ended
	ErrClosed       = "connection-closed"     // the connection to it ended
)

// Error is why a server is [Failed]. The message is bounded, free of control
// characters, and fit to be shown; it may quote the last lines that the server
// wrote to stderr.
type Error struct {
	Type    string
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrNotReady is returned by calls to a server that is not [Ready].
var ErrNotReady = errors.New("the server is not ready")

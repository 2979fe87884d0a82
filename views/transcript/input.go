// Package transcript is the panel that shows a chat: its turns, what the agent
// answered, the tools it called and what it asks.
//
// It is the one view that takes protocol state as it is: what has kept its
// pointer has not changed, and text that merely grew is known by its buffer.
package transcript

import (
	"time"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/views/toolcall"
)

// Input is what the panel shows. The panel keeps it until the next one, so it
// must not be changed.
type Input struct {
	Chat *protocol.ChatState // nil where there is none, or none yet

	// Empty says why there is no chat, or what to do in one without turns.
	Empty safetext.Text
	// Older says what becomes of the earlier turns that are not loaded; empty
	// while nothing does.
	Older safetext.Text
	// Servers are the names of the MCP servers by the id of their customization.
	Servers map[string]safetext.Text
	// Notes are what is known about tool calls beside their state, by the
	// call's id.
	Notes map[string]toolcall.Note
	// Keys are the names of the keys that a tool call understands.
	Keys toolcall.Keys
	// Requests are what is known about requests for input beside their state, by
	// the request's id.
	Requests map[string]RequestNote
	// RequestKeys are the names of the keys that a request understands.
	RequestKeys RequestKeys
	// EndKey is the name of the key that goes to the end.
	EndKey safetext.Text
	// Stale says that the host cannot be reached: what is shown is what was.
	Stale bool
	// Now is the time, for the ages of messages.
	Now time.Time
}

// Kind tells what can be selected in a transcript.
type Kind uint8

// The kinds of selectable items.
const (
	None      Kind = iota
	ToolCall       // a tool call
	Failure        // an error of a turn
	Request        // questions of the agent
	Reasoning      // what the agent thought, folded to a line or not
)

// Selection is the selected item. What is not of its kind is nil.
type Selection struct {
	Kind    Kind
	TurnID  string
	ID      string // of the tool call, the request or the part
	Active  bool   // it belongs to the turn that is running
	Call    *protocol.ToolCall
	Error   *protocol.ErrorInfo
	Request *protocol.ChatInputRequest
	Part    *protocol.ResponsePart
}

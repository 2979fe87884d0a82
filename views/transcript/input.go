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
	// Clients are the names of the clients that run tools, by their ids.
	Clients map[string]safetext.Text
	// Fetched is what was read for tool calls from elsewhere.
	Fetched *toolcall.Fetched
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
	// TakeKey and RemoveKey are the names of the keys that take a waiting message
	// back and remove it.
	TakeKey, RemoveKey safetext.Text
	// EndKey is the name of the key that goes to the end.
	EndKey safetext.Text
	// Agents are the chats of the session, by their URI, in which sub-agents may work, and Started those that tool calls have
	// started, by the id of the call. AgentKey is the name of the key that opens one.
	Agents   map[protocol.URI]Agent
	Started  map[string]protocol.URI
	AgentKey safetext.Text
	// Search is the line of the search, while there is one.
	Search SearchInput
	// Stale says that the host cannot be reached: what is shown is what was.
	Stale bool
	// Now is the time, for the ages of messages.
	Now time.Time
}

// Agent is a chat in which a sub-agent works.
type Agent struct {
	Title  safetext.Text
	Status protocol.Status
}

// SearchInput is what the line of a search shows besides what was found.
type SearchInput struct {
	// Field is the field as it is drawn while the words are typed, in [Model.SearchRoom] columns.
	Field  string
	Typing bool
	// The names of the keys that go on and that end the search.
	Next, Previous, End safetext.Text
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
	Message        // what a person, or something on a person's side, said
	Answer         // what the agent said, or the host in between
	Pending        // a message that waits for its turn
)

// Waiting is where a message waits.
type Waiting string

// The places in which messages wait.
const (
	InSlot     Waiting = "slot"     // the one steering message
	InSteering Waiting = "steering" // the list of steering messages, where the host has one
	InQueue    Waiting = "queue"
)

// label says when a message is taken.
func (w Waiting) label() string {
	if w == InQueue {
		return "next"
	}
	return "now"
}

// Folds reports whether items of the kind have details that can be folded away.
func (k Kind) Folds() bool { return k == ToolCall || k == Failure || k == Request || k == Reasoning }

// Selection is the selected item. What is not of its kind is nil.
type Selection struct {
	Kind    Kind
	Turn    *protocol.Turn // nil for what stands behind the turns
	TurnID  string
	ID      string // of the tool call, the request, the part or the message
	Active  bool   // it belongs to the turn that is running
	Call    *protocol.ToolCall
	Error   *protocol.ErrorInfo
	Request *protocol.ChatInputRequest
	Part    *protocol.ResponsePart
	Message *protocol.Message
	Pending *protocol.PendingMessage
	Waiting Waiting
}

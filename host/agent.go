package host

import (
	"context"
	"slices"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// An Agent answers the messages of sessions.
type Agent interface {
	// Answer takes a turn. What it does with the turn is seen at once; when it
	// returns, the turn is complete, or failed with the error. After a
	// [*ResumableError] somebody may have the turn taken up again: then Answer gets
	// it once more. When ctx ends, the turn is over already, and whatever the agent
	// still does to it fails.
	Answer(ctx context.Context, t *Turn) error
}

// AgentFunc is a function that is an [Agent].
type AgentFunc func(ctx context.Context, t *Turn) error

// Answer calls f.
func (f AgentFunc) Answer(ctx context.Context, t *Turn) error { return f(ctx, t) }

// Turn is a turn in the hands of an [Agent]. Its methods fail once the turn is
// over. They may be called by any goroutine; the order of the answer's parts is
// that of the calls.
type Turn struct {
	host    *Host
	chat    *chat
	run     *run
	message *protocol.Message
	part    string // the markdown part that grows; "" for none
}

// ResumableError is an error of an agent that does not end its turn for good.
type ResumableError struct{ Err error }

// Error implements error.
func (e *ResumableError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *ResumableError) Unwrap() error { return e.Err }

// Message is the text to be answered.
func (t *Turn) Message() string { return t.message.Text.String() }

// Chat is the chat as it is now, the turn in it. It must not be changed.
func (t *Turn) Chat() *protocol.ChatState {
	t.host.mu.Lock()
	defer t.host.mu.Unlock()
	return t.chat.state
}

// Resumed reports whether the turn has failed before and was taken up again.
func (t *Turn) Resumed() bool { return t.run.resumed }

// Steered has a value when a message may be there for [Turn.Steering].
func (t *Turn) Steered() <-chan struct{} { return t.run.steered }

// Steering takes the message with which somebody steers the turn while it runs,
// and notes it in the answer. A message that no agent takes starts a turn of its
// own afterwards.
func (t *Turn) Steering() (text string, ok bool) {
	_ = t.do(func() { // a turn that is over is not steered
		m := t.chat.state.SteeringMessage
		if m == nil {
			return
		}
		text, ok = m.Message.Text.String(), true
		t.part = ""
		t.apply(&protocol.ChatPendingMessageRemoved{Kind: protocol.PendingSteering, ID: m.ID})
		t.apply(&protocol.ChatResponsePart{TurnID: t.run.turnID, Part: &protocol.ResponsePart{
			Kind: protocol.PartSystemNotification, Content: protocol.Plain("Meanwhile you said: " + text),
		}})
	})
	return text, ok
}

// Server is an MCP server as an agent sees it.
type Server struct {
	ID    string
	Name  string
	State mcpserver.State
	Tools []mcpserver.Tool // of a ready server, without those that are not for agents
}

// Servers lists the session's MCP servers in the order of its customizations.
func (t *Turn) Servers() []Server {
	t.host.mu.Lock()
	defer t.host.mu.Unlock()
	var list []Server
	for _, entry := range protocol.Servers(t.chat.session.state) {
		if srv := t.chat.session.servers[entry.ID]; srv != nil {
			tools := slices.DeleteFunc(srv.Tools(), func(tool mcpserver.Tool) bool { return !slices.Contains(tool.Visibility(), "model") })
			list = append(list, Server{ID: srv.id, Name: srv.Name(), State: srv.State(), Tools: tools})
		}
	}
	return list
}

// Write appends Markdown to the answer. What follows a tool call is a new part.
func (t *Turn) Write(text string) error {
	return t.do(func() {
		if t.part == "" {
			t.part = newID()
			part := &protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: t.part, Content: protocol.Plain("")}
			t.apply(&protocol.ChatResponsePart{TurnID: t.run.turnID, Part: part})
		}
		t.apply(&protocol.ChatDelta{TurnID: t.run.turnID, PartID: t.part, Content: protocol.NewText(text)})
	})
}

// do runs f under the host's lock, if the turn is not over.
func (t *Turn) do(f func()) error {
	t.host.mu.Lock()
	defer t.host.mu.Unlock()
	if t.chat.run != t.run || t.host.closed {
		return errCancelled
	}
	f()
	return nil
}

func (t *Turn) apply(a protocol.Action) { t.host.apply(t.chat.uri, a, nil) }

package host

import (
	"context"
	"errors"
	"time"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// An Agent answers the messages of sessions.
type Agent interface {
	// Answer takes a turn. What it does with the turn is seen at once; when it
	// returns, the turn is complete, or failed with the error. When ctx ends,
	// the turn is over already, and whatever the agent still does to it fails.
	Answer(ctx context.Context, t *Turn) error
}

// AgentFunc is a function that is an [Agent].
type AgentFunc func(ctx context.Context, t *Turn) error

// Answer calls f.
func (f AgentFunc) Answer(ctx context.Context, t *Turn) error { return f(ctx, t) }

// Why a turn ends before its agent is done.
var (
	errCancelled   = errors.New("the turn was cancelled")
	errSessionGone = errors.New("the session is gone")
)

// A run is a turn that an agent is at.
type run struct {
	turnID  string
	began   time.Time
	cancel  context.CancelCauseFunc
	answers map[string]chan *protocol.ChatToolCallConfirmed // by tool call
	waiting []*waiter
}

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

// Message is the text to be answered.
func (t *Turn) Message() string { return t.message.Text.String() }

// Server is an MCP server as an agent sees it.
type Server struct {
	ID    string
	Name  string
	State mcpserver.State
	Tools []mcpserver.Tool // of a ready server
}

// Servers lists the session's MCP servers in the order of its customizations.
func (t *Turn) Servers() []Server {
	t.host.mu.Lock()
	defer t.host.mu.Unlock()
	var list []Server
	for _, entry := range protocol.Servers(t.chat.session.state) {
		if srv := t.chat.session.servers[entry.ID]; srv != nil {
			list = append(list, Server{ID: srv.id, Name: srv.Name(), State: srv.State(), Tools: srv.Tools()})
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

// What follows runs under the host's lock, except where it says otherwise.

// startRun gives the chat's active turn to the session's agent.
func (h *Host) startRun(c *chat) {
	ctx, cancel := context.WithCancelCause(h.ctx)
	active := c.state.ActiveTurn
	c.run = &run{turnID: active.ID, began: time.Now(), cancel: cancel, answers: map[string]chan *protocol.ChatToolCallConfirmed{}}
	t := &Turn{host: h, chat: c, run: c.run, message: active.Message}
	agent := c.session.agent
	h.work.Go(func() {
		defer cancel(nil)
		h.endRun(t, agent.Answer(ctx, t))
	})
}

// stop ends the run of a chat, if there is one; the turn itself is not touched.
func (c *chat) stop(why error) {
	if c.run != nil {
		c.run.cancel(why)
		c.run = nil
	}
}

// endRun ends the turn that an agent is done with. It takes the lock itself.
func (h *Host) endRun(t *Turn, err error) {
	_ = t.do(func() {
		t.chat.run = nil
		took := float64(time.Since(t.run.began).Milliseconds())
		if err == nil {
			t.apply(&protocol.ChatTurnComplete{TurnID: t.run.turnID, Duration: &took})
		} else {
			t.apply(&protocol.ChatError{TurnID: t.run.turnID, Duration: &took, Part: &protocol.ResponsePart{
				Kind: protocol.PartError, Error: &protocol.ErrorInfo{ErrorType: "agent-failed", Message: err.Error()},
			}})
		}
		h.markUnread(t.chat.session)
		h.startQueued(t.chat)
	})
}

// StartTurn starts a turn of the session with a message that nobody typed, such
// as the first one of a demo. It does nothing where a turn runs.
func (h *Host) StartTurn(sessionURI protocol.URI, message string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[sessionURI]; s != nil && !h.closed && s.chat.state.ActiveTurn == nil {
		h.begin(s.chat, protocol.UserMessage(message), "")
	}
}

// begin starts a turn of the host's own making.
func (h *Host) begin(c *chat, m *protocol.Message, queued string) {
	h.apply(c.uri, &protocol.ChatTurnStarted{TurnID: newID(), StartedAt: now(), Message: m, QueuedMessageID: queued}, nil)
	h.markUnread(c.session)
	h.startRun(c)
}

// startQueued starts a turn with the next message that waits, if no turn runs:
// the steering message first, then the queue in its order.
func (h *Host) startQueued(c *chat) {
	if c.state.ActiveTurn != nil || h.closed {
		return
	}
	next := c.state.SteeringMessage
	if next == nil && len(c.state.QueuedMessages) > 0 {
		next = c.state.QueuedMessages[0]
	}
	if next != nil {
		h.begin(c, next.Message, next.ID)
	}
}

func (h *Host) markUnread(s *session) {
	if s.state.Status.Read() {
		h.apply(s.uri, &protocol.SessionIsReadChanged{}, nil)
	}
}

func millis(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

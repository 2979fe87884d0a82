package host

import (
	"context"
	"errors"
	"time"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// Why a turn ends before its agent is done.
var (
	errCancelled   = errors.New("the turn was cancelled")
	errSessionGone = errors.New("the session is gone")
	errChatGone    = errors.New("the chat is gone")
)

// A run is a turn that an agent is at.
type run struct {
	turnID  string
	began   time.Time
	cancel  context.CancelCauseFunc
	awaited map[string]chan protocol.Action // by the calls and requests that clients do something to
	shown   map[string]bool                 // calls of clients whose results the person sees first
	waiting []*waiter
	steered chan struct{} // holds a value when there is a steering message
	resumed bool
}

// What follows runs under the host's lock, except where it says otherwise.

// startRun gives the chat's active turn to the session's agent.
func (h *Host) startRun(c *chat) { h.run(c, &run{turnID: c.state.ActiveTurn.ID, began: time.Now()}) }

// resumeRun gives a turn that has failed to the agent again. Its duration goes on
// from where it began, because that is what the end of a turn is computed from.
func (h *Host) resumeRun(c *chat) {
	r := &run{turnID: c.state.ActiveTurn.ID, began: time.Now(), resumed: true}
	if began, ok := protocol.ParseTime(c.state.ActiveTurn.StartedAt); ok {
		r.began = began
	}
	h.run(c, r)
}

func (h *Host) run(c *chat, r *run) {
	ctx, cancel := context.WithCancelCause(h.ctx)
	r.cancel, r.steered = cancel, make(chan struct{}, 1)
	r.awaited, r.shown = map[string]chan protocol.Action{}, map[string]bool{}
	c.run = r
	if c.state.SteeringMessage != nil {
		r.steer()
	}
	active := c.state.ActiveTurn
	ready := h.awaitServers
	t := &Turn{host: h, chat: c, run: c.run, message: active.Message}
	agent := c.session.agent
	if line, ok := h.shellLine(active.Message); ok {
		agent, ready = shell(line), func(context.Context, *Turn) error { return nil }
	}
	h.work.Go(func() {
		defer cancel(nil)
		err := ready(ctx, t)
		if err == nil {
			err = agent.Answer(ctx, t)
		}
		h.endRun(t, err)
	})
}

// awaitServers waits while servers are starting that messages wait for, and says in
// the chat what it waits for. It takes the lock itself.
func (h *Host) awaitServers(ctx context.Context, t *Turn) error {
	waited := false
	for {
		var turned chan struct{}
		err := t.do(func() {
			activity := ""
			for _, entry := range protocol.Servers(t.chat.session.state) {
				srv := t.chat.session.servers[entry.ID]
				if turned == nil && srv != nil && srv.blocking && srv.State().Kind == mcpserver.Starting {
					turned, activity = srv.turned, "Waiting for "+srv.Name()
				}
			}
			if activity != t.chat.state.ActivityText && (waited || activity != "") {
				t.apply(&protocol.ChatActivityChanged{Activity: activity})
			}
			waited = activity != ""
		})
		if err != nil || turned == nil {
			return err
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// abandon ends the run of a chat, if there is one; the turn itself is not touched.
func (h *Host) abandon(c *chat, why error) {
	if c.run == nil {
		return
	}
	c.run.cancel(why)
	c.run = nil
	h.withdraw(c)
	if c.state.ActivityText != "" {
		h.apply(c.uri, &protocol.ChatActivityChanged{}, nil)
	}
}

// withdraw takes back what the turn still asks, from clients up to 0.5.2: for them
// questions are no part of the turn, and would outlive it.
func (h *Host) withdraw(c *chat) {
	for _, cl := range h.clients {
		if cl.version.AtLeast(protocol.V0_6_0) || cl.subscribed[c.uri] == nil {
			continue
		}
		for _, r := range c.state.OpenInputs() {
			a := &protocol.ChatInputCompleted{RequestID: r.ID, Response: protocol.ResponseCancel}
			h.publish(sent{Envelope: &protocol.Envelope{Channel: c.uri, Action: a}, only: cl.id})
		}
	}
}

// endRun ends the turn that an agent is done with. It takes the lock itself.
func (h *Host) endRun(t *Turn, err error) {
	_ = t.do(func() {
		t.chat.run = nil
		h.withdraw(t.chat)
		took := t.run.took()
		if err == nil {
			t.apply(&protocol.ChatTurnComplete{TurnID: t.run.turnID, Duration: &took})
		} else {
			t.apply(&protocol.ChatError{TurnID: t.run.turnID, Duration: &took, Part: errorPart(err)})
		}
		if t.chat.state.Status.Read() {
			t.apply(&protocol.ChatIsReadChanged{})
		}
		h.markUnread(t.chat.session)
		if c := t.chat.session.changeset; c != nil && c.known { // an agent may have changed files
			h.refresh(c)
		}
		h.startQueued(t.chat)
	})
}

// errorPart is the end of a turn that failed.
func errorPart(err error) *protocol.ResponsePart {
	part := &protocol.ResponsePart{
		Kind: protocol.PartError, Error: &protocol.ErrorInfo{ErrorType: "agent-failed", Message: err.Error()},
	}
	if _, ok := errors.AsType[*ResumableError](err); ok {
		yes := true
		part.Resumable = &yes
	}
	return part
}

// took is how long the turn has taken, in milliseconds.
func (r *run) took() float64 { return float64(max(0, time.Since(r.began).Milliseconds())) }

// steer tells the agent that there is a message for it.
func (r *run) steer() {
	select {
	case r.steered <- struct{}{}:
	default:
	}
}

// StartTurn starts a turn of the session's default chat with a message that nobody
// typed, such as the first one of a demo. It does nothing where a turn runs.
func (h *Host) StartTurn(sessionURI protocol.URI, message string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[sessionURI]; s != nil && !h.closed && s.main().state.ActiveTurn == nil {
		h.begin(s.main(), protocol.UserMessage(message), "")
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

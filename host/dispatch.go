package host

import (
	"fmt"
	"slices"

	"ahptui/protocol"
)

// dispatch carries out what a client wants to change, or refuses it. One
// connection's actions are carried out one after the other; where one takes its
// time, those of other connections go on.
func (h *Host) dispatch(c *conn, p *protocol.DispatchActionParams) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	ch := h.channels[p.Channel]
	if ch == nil {
		return // an unknown channel is passed over
	}
	origin := &protocol.ActionOrigin{ClientID: c.client.id, ClientSeq: p.ClientSeq}
	given := protocol.DecodeAction(p.Action)
	a, err := h.admit(c.client, ch, given)
	if len(p.Action) > maxActionBytes {
		err = fmt.Errorf("the action is too large: %d bytes, and %d are taken", len(p.Action), maxActionBytes)
	}
	if err != nil {
		h.reject(c, p.Channel, given, origin, err)
		return
	}
	ch.carryOut(h, a, origin)
}

// tellOldest tells clients of 0.5.1 of a toggle that is lost on them, because it is
// one of a child: they get the whole container anew.
func (h *Host) tellOldest(s *session, id string) {
	i := slices.IndexFunc(s.state.Customizations, func(c *protocol.Customization) bool {
		return slices.ContainsFunc(c.Children, func(child *protocol.Customization) bool { return child.ID == id })
	})
	if i < 0 {
		return
	}
	for _, c := range h.clients {
		if !c.version.AtLeast(protocol.V0_5_2) && c.subscribed[s.uri] != nil {
			h.publish(sent{only: c.id, Envelope: &protocol.Envelope{
				Channel: s.uri, Action: &protocol.SessionCustomizationUpdated{Customization: s.state.Customizations[i]},
			}})
		}
	}
}

// reject tells the sender, and only the sender, that an action is refused.
func (h *Host) reject(c *conn, channel protocol.URI, a protocol.Action, origin *protocol.ActionOrigin, why error) {
	reason := why.Error()
	h.publish(sent{
		Envelope: &protocol.Envelope{Channel: channel, Action: a, Origin: origin, RejectionReason: &reason},
		only:     c.client.id,
	})
}

func (s *session) carryOut(h *Host, a protocol.Action, origin *protocol.ActionOrigin) {
	switch a := a.(type) {
	case *protocol.SessionMcpServerStartRequested:
		h.start(s.servers[a.ID], a, origin)
	case *protocol.SessionMcpServerStopRequested:
		h.stop(s.servers[a.ID], a, origin)
	case *protocol.SessionMcpServerBackgroundRequested:
		srv := s.servers[a.ID]
		srv.blocking = false
		h.apply(s.uri, a, origin)
		srv.wake()
	case *protocol.SessionActiveClientRemoved:
		h.apply(s.uri, a, origin)
		h.failCallsOf(s, a.ClientID)
	case *protocol.SessionCustomizationToggled:
		h.apply(s.uri, a, origin)
		h.tellOldest(s, a.ID)
		h.enforce(s)
	default:
		h.apply(s.uri, a, origin)
	}
}

func (c *chat) carryOut(h *Host, a protocol.Action, origin *protocol.ActionOrigin) {
	switch a := a.(type) {
	case *protocol.ChatTurnStarted:
		h.apply(c.uri, a, origin)
		h.giveTitle(c, a.Message)
		h.startRun(c)
	case *protocol.ChatTurnResume:
		h.tellResumed(c)
		h.apply(c.uri, a, origin)
		h.resumeRun(c)
	case *protocol.ChatTurnCancelled:
		h.abandon(c, errCancelled)
		h.apply(c.uri, a, origin)
		h.startQueued(c)
	case *protocol.ChatTruncated:
		h.abandon(c, errCancelled)
		h.beforeTruncation(c, a.TurnID)
		h.apply(c.uri, a, origin)
		h.startQueued(c)
	case *protocol.ChatToolCallConfirmed:
		h.apply(c.uri, a, origin)
		c.deliver(a.ToolCallID, a)
	case *protocol.ChatToolCallResultConfirmed:
		h.apply(c.uri, a, origin)
		c.deliver(a.ToolCallID, a)
	case *protocol.ChatToolCallComplete:
		h.apply(c.uri, a, origin)
		c.giveUp(a.ToolCallID)
		c.deliver(a.ToolCallID, a)
	case *protocol.ChatInputCompleted:
		h.apply(c.uri, a, origin)
		c.deliver(a.RequestID, a)
	case *protocol.ChatPendingMessageSet:
		h.apply(c.uri, a, origin)
		if a.Kind == protocol.PendingSteering && c.run != nil {
			c.run.steer()
		}
		h.startQueued(c)
	default:
		h.apply(c.uri, a, origin)
	}
}

// tellResumed tells clients of versions that have no word for it of a turn that is
// about to be resumed: for them it is taken back and begins anew, with all that it
// has by now.
func (h *Host) tellResumed(c *chat) {
	n := len(c.state.Turns) - 1
	if n < 0 {
		return
	}
	turn, before := c.state.Turns[n], ""
	if n > 0 {
		before = c.state.Turns[n-1].ID
	}
	again := []protocol.Action{
		&protocol.ChatTruncated{TurnID: before},
		&protocol.ChatTurnStarted{TurnID: turn.ID, StartedAt: turn.StartedAt, Message: turn.Message},
	}
	for _, part := range turn.ResponseParts {
		again = append(again, &protocol.ChatResponsePart{TurnID: turn.ID, Part: part})
	}
	if turn.Usage != nil {
		again = append(again, &protocol.ChatUsage{TurnID: turn.ID, Usage: turn.Usage})
	}
	for _, cl := range h.clients {
		if cl.version.AtLeast(protocol.V0_9_0) || cl.subscribed[c.uri] == nil {
			continue
		}
		for _, a := range again {
			h.publish(sent{Envelope: &protocol.Envelope{Channel: c.uri, Action: a}, only: cl.id})
		}
	}
}

// giveTitle names a new session after the first message of its default chat.
func (h *Host) giveTitle(c *chat, m *protocol.Message) {
	s := c.session
	if s.state.Title != newTitle || c != s.main() {
		return
	}
	if title := firstLine(m.Text.String(), 60); title != "" {
		h.apply(s.uri, &protocol.SessionTitleChanged{Title: title}, nil)
	}
}

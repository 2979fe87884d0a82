package host

import (
	"ahptui/protocol"
)

// What follows runs under the host's lock.

// stateOf returns the state of a channel; ok is false if there is no such channel.
func (h *Host) stateOf(channel protocol.URI) (state protocol.ChannelState, ok bool) {
	if channel == protocol.RootChannel {
		return h.root, true
	}
	if s := h.sessions[channel]; s != nil {
		return s.state, true
	}
	if c := h.chats[channel]; c != nil {
		return c.state, true
	}
	return nil, false
}

// kindOf is the kind of an existing channel.
func kindOf(state protocol.ChannelState) protocol.ChannelKind {
	switch state.(type) {
	case *protocol.RootState:
		return protocol.RootKind
	case *protocol.SessionState:
		return protocol.SessionKind
	}
	return protocol.ChatKind
}

// apply reduces an action, numbers it, and sends it to the subscribers. Then it
// does what follows from it: the catalogue, the lists of what waits, the
// summaries. An action of the host itself has no origin.
func (h *Host) apply(channel protocol.URI, a protocol.Action, origin *protocol.ActionOrigin) {
	var touched *session
	switch {
	case channel == protocol.RootChannel:
		h.root = protocol.ReduceRoot(profile, h.root, a)
	case h.sessions[channel] != nil:
		touched = h.sessions[channel]
		touched.state = protocol.ReduceSession(profile, touched.state, a)
	case h.chats[channel] != nil:
		c := h.chats[channel]
		touched = c.session
		c.state = protocol.ReduceChat(profile, c.state, a)
	default:
		return
	}
	h.publish(sent{Envelope: &protocol.Envelope{Channel: channel, Action: a, Origin: origin}})
	if touched != nil && !onlyGrows(a) {
		h.settle(touched)
	}
}

// onlyGrows reports whether an action changes nothing but a text, so that
// nothing follows from it. These are the many.
func onlyGrows(a protocol.Action) bool {
	switch a.(type) {
	case *protocol.ChatDelta, *protocol.ChatReasoning, *protocol.ChatToolCallDelta:
		return true
	}
	return false
}

// publish numbers an envelope, keeps it and sends it. Each version's form is
// encoded once.
func (h *Host) publish(e sent) {
	h.seq++
	e.ServerSeq = h.seq
	own := h.encode(inner, e.Envelope)
	e.size = len(own)
	h.replay.add(e)
	forms := map[protocol.Version]protocol.Raw{inner: own}
	for _, c := range h.clients {
		if c.conn == nil || e.only != "" && e.only != c.id || e.only == "" && c.subscribed[e.Channel] == nil {
			continue
		}
		form, ok := forms[c.version]
		if !ok {
			form = h.encode(c.version, e.Envelope)
			forms[c.version] = form
		}
		if form != nil {
			c.conn.notify("action", form)
		}
	}
}

func (h *Host) encode(v protocol.Version, e *protocol.Envelope) protocol.Raw {
	raw, err := protocol.Marshal(envelopeAt(v, e))
	if err != nil {
		h.log.Error("an action cannot be sent", "type", e.Action.ActionType(), "err", err)
		return nil
	}
	return raw
}

func envelopeAt(v protocol.Version, e *protocol.Envelope) *protocol.Envelope {
	if e.RejectionReason != nil {
		return e // it goes back as it came
	}
	at := *e
	at.Action = protocol.ActionAt(v, e.Action)
	return &at
}

// broadcast sends a notification of the root channel to every client; make
// gives the form of a version.
func (h *Host) broadcast(method string, make func(protocol.Version) any) {
	for _, c := range h.clients {
		if c.conn != nil {
			c.conn.notify(method, make(c.version))
		}
	}
}

package host

import (
	"ahptui/protocol"
)

// What follows runs under the host's lock.

// apply reduces an action, numbers it, and sends it to the subscribers. Then it
// does what follows from it: the catalogues, the lists of what waits, the
// summaries. An action of the host itself has no origin.
func (h *Host) apply(uri protocol.URI, a protocol.Action, origin *protocol.ActionOrigin) {
	ch := h.channels[uri]
	if ch == nil {
		return
	}
	ch.reduce(a)
	h.publish(sent{Envelope: &protocol.Envelope{Channel: uri, Action: a, Origin: origin}})
	ch.settle(h, a)
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

// encode is an envelope as it goes to clients of a version; nil where there is
// nothing to tell them.
func (h *Host) encode(v protocol.Version, e *protocol.Envelope) protocol.Raw {
	at := envelopeAt(v, e)
	if at == nil {
		return nil
	}
	raw, err := protocol.Marshal(at)
	if err != nil {
		h.log.Error("an action cannot be sent", "type", e.Action.ActionType(), "err", err)
		return nil
	}
	return raw
}

// envelopeAt is an envelope in the form of a version, which may have nothing for it.
func envelopeAt(v protocol.Version, e *protocol.Envelope) *protocol.Envelope {
	if e.RejectionReason != nil {
		return e // it goes back as it came
	}
	at := *e
	if at.Action = protocol.ActionAt(v, e.Action); at.Action == nil {
		return nil
	}
	return &at
}

// broadcast sends a notification of the root channel to every client; make gives
// the form of a version, or nil where there is nothing to tell.
func (h *Host) broadcast(method string, make func(protocol.Version) any) {
	for _, c := range h.clients {
		if c.conn == nil {
			continue
		}
		if params := make(c.version); params != nil {
			c.conn.notify(method, params)
		}
	}
}

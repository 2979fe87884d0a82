package ahpclient

import (
	"slices"

	"ahptui/protocol"
)

// From 0.8 on a toggle carries the list of decisions. Hosts of the time between
// the draft of 0.8 and its release say that they speak 0.8 and know only the
// boolean of before. They are told apart by what they do: an entry that has the
// boolean is toggled with the list, and when a fresh snapshot shows that this
// did nothing, the boolean is sent, for as long as the connection lasts.

// toggles is what a host is known to understand.
type toggles int

const (
	untried toggles = iota
	lists
	booleans
)

// probe is a toggle that shows which form the host understands.
type probe struct {
	seq    int64
	id     string
	on     bool
	echoed int64 // the number of its echo: a snapshot from then on tells
}

// toggleForm is an action as the host understands it. A probe is returned with a
// toggle that is to show that.
func (s *store) toggleForm(channel protocol.URI, a protocol.Action) (protocol.Action, *probe) {
	t, ok := a.(*protocol.SessionCustomizationToggled)
	c := s.channels[channel]
	if !ok || t.Enablement == nil || c == nil || s.toggles == lists {
		return a, nil
	}
	on := len(t.Enablement) == 0 || t.Enablement[0].Enabled
	if s.toggles == booleans {
		return &protocol.SessionCustomizationToggled{ID: t.ID, Enabled: &on}, nil
	}
	if entry := toggled(c, t.ID); entry == nil || entry.Enabled == nil || entry.Enablement != nil {
		return a, nil
	}
	return a, &probe{id: t.ID, on: on}
}

// toggled is the plugin or server that a toggle is about, as the host has it; nil
// if there is none.
func toggled(c *channel, id string) *protocol.Customization {
	session, ok := c.confirmed().(*protocol.SessionState)
	if !ok {
		return nil
	}
	isIt := func(e *protocol.Customization) bool {
		return e.ID == id && (e.Type == protocol.TypePlugin || e.Type == protocol.TypeMcpServer)
	}
	if i := slices.IndexFunc(session.Customizations, isIt); i >= 0 {
		return session.Customizations[i]
	}
	for _, container := range session.Customizations {
		if i := slices.IndexFunc(container.Children, isIt); i >= 0 {
			return container.Children[i]
		}
	}
	return nil
}

// echoed notes that the host has taken an action. What a host makes of a toggle
// cannot be seen in its echo.
func (s *store) echoed(c *channel, clientSeq, serverSeq int64) {
	if p := c.probe; p != nil && p.seq == clientSeq {
		p.echoed = serverSeq
		s.doubt(c)
	}
}

// judge looks at a fresh snapshot for what a probe has done.
func (s *store) judge(c *channel, fromSeq int64) {
	p := c.probe
	if p == nil || p.echoed == 0 {
		return
	}
	if fromSeq < p.echoed {
		s.doubt(c)
		return
	}
	c.probe = nil
	entry := toggled(c, p.id)
	switch {
	case entry == nil:
	case entry.Enabled != nil && entry.Enablement == nil && *entry.Enabled != p.on:
		s.toggles = booleans
		s.errands.send = append(s.errands.send, errandAction{c.uri, &protocol.SessionCustomizationToggled{ID: p.id, Enabled: &p.on}})
	default:
		s.toggles = lists
	}
}

// forgetProbes notes that a connection has ended: the next one may be to a host
// that understands something else.
func (s *store) forgetProbes() {
	s.toggles = untried
	for _, c := range s.channels {
		c.probe = nil
	}
}

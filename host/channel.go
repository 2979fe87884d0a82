package host

import (
	"fmt"

	"ahptui/protocol"
)

// A channel has a state that clients can subscribe to, and the rules by which
// they may change it. Its methods run under the host's lock.
type channel interface {
	kind() protocol.ChannelKind
	// current is the state as it is now. It is never changed in place.
	current() protocol.ChannelState
	// reduce folds an action into the state.
	reduce(a protocol.Action)
	// settle does what follows from an action that was reduced and sent.
	settle(h *Host, a protocol.Action)
	// admit checks an action of a client whose type belongs to the channel. It
	// returns the action as it is to be applied; or why it is refused, in words for
	// a person.
	admit(h *Host, c *client, a protocol.Action) (protocol.Action, error)
	// carryOut applies an admitted action and does what it asks for. It may give up
	// the lock meanwhile.
	carryOut(h *Host, a protocol.Action, origin *protocol.ActionOrigin)
}

// addChannel makes a channel known.
func (h *Host) addChannel(uri protocol.URI, ch channel) {
	h.seq++ // so that who has seen its number knows this channel, and not one that had its URI before
	h.channels[uri], h.born[uri] = ch, h.seq
}

// removeChannel forgets a channel, and ends its subscriptions.
func (h *Host) removeChannel(uri protocol.URI) {
	delete(h.channels, uri)
	delete(h.born, uri)
	for _, c := range h.clients {
		delete(c.subscribed, uri)
	}
}

// chat is the chat with this URI, or nil.
func (h *Host) chat(uri protocol.URI) *chat {
	c, _ := h.channels[uri].(*chat)
	return c
}

// root is the channel of the host itself.
type root struct{ state *protocol.RootState }

func (r *root) kind() protocol.ChannelKind     { return protocol.RootKind }
func (r *root) current() protocol.ChannelState { return r.state }
func (r *root) reduce(a protocol.Action)       { r.state = protocol.ReduceRoot(profile, r.state, a) }
func (r *root) settle(*Host, protocol.Action)  {}

func (r *root) admit(_ *Host, _ *client, a protocol.Action) (protocol.Action, error) {
	change, ok := a.(*protocol.RootConfigChanged)
	if !ok {
		return nil, fmt.Errorf("this host does not support %s", a.ActionType())
	}
	return a, checkConfig(r.state.Config, change.Config)
}

func (r *root) carryOut(h *Host, a protocol.Action, origin *protocol.ActionOrigin) {
	h.apply(protocol.RootChannel, a, origin)
}

func (s *session) kind() protocol.ChannelKind     { return protocol.SessionKind }
func (s *session) current() protocol.ChannelState { return s.state }

func (s *session) reduce(a protocol.Action) {
	s.state = protocol.ReduceSession(profile, s.state, a)
}

func (s *session) settle(h *Host, _ protocol.Action) { h.settle(s) }

func (c *chat) kind() protocol.ChannelKind     { return protocol.ChatKind }
func (c *chat) current() protocol.ChannelState { return c.state }
func (c *chat) reduce(a protocol.Action)       { c.state = protocol.ReduceChat(profile, c.state, a) }

func (c *chat) settle(h *Host, a protocol.Action) {
	if !onlyGrows(a) {
		h.settle(c.session)
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

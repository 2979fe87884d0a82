package tui

import (
	"slices"
	"time"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/protocol"
)

// maxChallenges bounds how many different things are asked for at once.
const maxChallenges = 64

// ask is what the host asks for: one challenge, whoever of the host's it comes
// from, and what it was made of, by which something new is told from the same
// said again.
type ask struct {
	challenge auth.Challenge
	from      []access
	said      []said
}

// said is one thing that the host said.
type said struct {
	about       target
	requirement *protocol.McpAuthRequirement // nil: it was said by the host itself
	at          time.Time                    // then
}

// repeats reports whether the same was said before: what has been there all the
// time says nothing new, in however many snapshots it comes.
func (s said) repeats(before []said) bool {
	return slices.ContainsFunc(before, func(b said) bool {
		return s.about == b.about && s.at.Equal(b.at) && (s.requirement == nil) == (b.requirement == nil) &&
			(s.requirement == nil || sameRequirement(s.requirement, b.requirement))
	})
}

// asks are what the host asks for now, each host and resource once. What is known
// from a connection that was lost says nothing about now.
func (m *Model) asks() []ask {
	var list []ask
	at := map[auth.Key]int{}
	add := func(a access, s said) {
		c, err := m.challenge(a)
		if err != nil {
			return // who looks at it is told why
		}
		i, known := at[c.Key()]
		if !known {
			if len(list) >= maxChallenges {
				return
			}
			i = len(list)
			at[c.Key()] = i
			list = append(list, ask{challenge: c})
		} else {
			list[i].challenge = auth.Merge([]auth.Challenge{list[i].challenge, c})[0]
		}
		list[i].from, list[i].said = append(list[i].from, a), append(list[i].said, s)
	}
	for _, b := range m.view.Blocked() {
		if a, ok := m.accessOfBlock(b); ok && m.certain(a) {
			add(a, said{about: a.target(), requirement: a.requirement})
		}
	}
	for _, r := range m.view.Auth {
		if a, ok := accessOfHost(r); ok {
			add(a, said{about: a.target(), at: r.Asked})
		}
	}
	return list
}

// challenge is what is asked for by something that waits.
func (m *Model) challenge(a access) (auth.Challenge, error) {
	return auth.NewChallenge(m.conn.Identity, a.source(), a.requirement)
}

// wholeChallenge is what is asked for by something that waits, and by all else
// that waits for the same: one sign-in answers them together.
func (m *Model) wholeChallenge(a access) (auth.Challenge, error) {
	c, err := m.challenge(a)
	if err != nil {
		return c, err
	}
	for _, other := range m.asks() {
		if other.challenge.Key() == c.Key() {
			return auth.Merge([]auth.Challenge{c, other.challenge})[0], nil
		}
	}
	return c, nil
}

// accessOfBlock is what a block waits for, if it waits for access. The chat of a
// call need not be open.
func (m *Model) accessOfBlock(b protocol.Block) (access, bool) {
	a := access{session: b.Session, chat: b.Chat, turnID: b.TurnID, call: b.ToolCall, requirement: b.Auth}
	switch {
	case b.Auth == nil:
		return access{}, false
	case b.Server != nil:
		a.server = protocol.Server{Customization: b.Server}
	case b.ToolCall != nil && b.ToolCall.Contributor != nil:
		a.server, _ = protocol.ServerByID(m.view.Session(b.Session), b.ToolCall.Contributor.CustomizationID)
	}
	if a.server.Customization == nil {
		name := ""
		if b.ToolCall != nil {
			name = b.ToolCall.DisplayName
		}
		a.server.Customization = &protocol.Customization{Name: name}
	}
	return a, true
}

// accessOfHost is what the host asks for by itself: by saying so, since an agent
// of its needs it, or since it had a token on the connection before.
func accessOfHost(r ahpclient.Auth) (access, bool) {
	wants := !r.Asked.IsZero() || r.Handed.IsZero() && (r.Before || len(r.Agents) > 0)
	if !wants {
		return access{}, false
	}
	return hostAccess(r.Resource, r.Reason, auth.Source{Agent: first(r.Agents)}), true
}

// hostAccess is access that no session waits for.
func hostAccess(resource *protocol.ProtectedResourceMetadata, reason string, from auth.Source) access {
	if reason == "" {
		reason = string(auth.Required)
	}
	name := resource.ResourceName
	if name == "" {
		name = resource.Resource
	}
	return access{
		server: protocol.Server{Customization: &protocol.Customization{Name: name}}, from: from,
		requirement: &protocol.McpAuthRequirement{Reason: reason, Resource: resource},
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// hostBlocks are what the host asks for by itself and waits for, as something
// that a person can go to.
func (m *Model) hostBlocks() []protocol.Block {
	var list []protocol.Block
	for _, r := range m.view.Auth {
		if a, ok := accessOfHost(r); ok && !r.Asked.IsZero() {
			list = append(list, protocol.Block{ID: "resource:" + r.Resource.Resource, Kind: protocol.BlockServerAuth, Auth: a.requirement})
		}
	}
	return list
}

// overWith reports whether what something asked for is of the past: it has gone
// on, and has not only been told to.
func (m *Model) overWith(a access) bool {
	if a.session == "" { // what the host asks for is over when it says so no more
		return true
	}
	state := m.view.Session(a.session)
	if state == nil {
		return true
	}
	if a.call != nil {
		call := m.callOf(a)
		return call == nil || call.Status != protocol.ToolAuthRequired && call.Status != protocol.ToolRunning
	}
	srv, ok := protocol.ServerByID(state, a.server.ID)
	return !ok || srv.State.Requirement() == nil && srv.StateKind() != protocol.McpStarting
}

// callOf is the call that waits, as it is now; nil when its chat does not have it
// any more, or is not open.
func (m *Model) callOf(a access) *protocol.ToolCall {
	chat := m.view.Chat(a.chat)
	if chat == nil || chat.ActiveTurn == nil {
		return nil
	}
	i := slices.IndexFunc(chat.ActiveTurn.ResponseParts, func(p *protocol.ResponsePart) bool {
		return p.ToolCall != nil && p.ToolCall.ToolCallID == a.call.ToolCallID
	})
	if i < 0 {
		return nil
	}
	return chat.ActiveTurn.ResponseParts[i].ToolCall
}

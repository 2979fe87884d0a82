package auth

import (
	"errors"
	"slices"

	"ahptui/protocol"
)

// Challenges come from a server that needs a token, from a call of one, from a question that a session has about a call,
// from a command that was refused, from a host that says so by itself, and from agents that say beforehand what they need.
// All become a [Challenge], and those for the same host and resource become one.

// BlockChallenge makes a challenge of something that waits in a session: a server, or a call, whether its chat is known
// or only the session's own entry about it. server is what the server is called; empty when it is not known.
func BlockChallenge(host Host, server string, b protocol.Block) (Challenge, error) {
	s := Source{Server: server}
	if b.ToolCall != nil {
		s.Tool = b.ToolCall.ToolName
		if by := b.ToolCall.Contributor; server == "" && by != nil {
			s.Server = by.CustomizationID
		}
	}
	if b.Server != nil && server == "" {
		s.Server = b.Server.Name
	}
	return NewChallenge(host, s, b.Auth)
}

// ResourceChallenge makes a challenge of a resource that a host names by itself: in the list of an agent, in the refusal
// of a command, or in a notification. Earlier versions of the protocol name nothing but its identifier; who gives tokens
// is then asked of the resource.
func ResourceChallenge(host Host, s Source, reason Reason, resource *protocol.ProtectedResourceMetadata) (Challenge, error) {
	if reason == "" {
		reason = Required
	}
	return NewChallenge(host, s, &protocol.McpAuthRequirement{Reason: string(reason), Resource: resource})
}

// ResourceChallenges makes challenges of all the resources that a refused command needs, each once. The error says which
// cannot be authorized from here; the others are returned all the same.
func ResourceChallenges(host Host, s Source, reason Reason, resources []*protocol.ProtectedResourceMetadata) ([]Challenge, error) {
	var all []Challenge
	var failures []error
	for _, r := range resources[:min(len(resources), maxWaiting)] {
		c, err := ResourceChallenge(host, s, reason, r)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		all = append(all, c)
	}
	return Merge(all), errors.Join(failures...)
}

// maxSources bounds how many that wait for the same are named.
const maxSources = 64

// Merge makes one challenge of those that are for the same host and resource, in the order in which each first comes: one
// sign-in answers them together, and is asked for all that they require.
func Merge(challenges []Challenge) []Challenge {
	var merged []Challenge
	at := map[Key]int{}
	for _, c := range challenges {
		if i, ok := at[c.Key()]; ok {
			merged[i] = merge(merged[i], c)
			continue
		}
		at[c.Key()] = len(merged)
		merged = append(merged, c)
	}
	return merged
}

// merge makes one challenge of two. An OAuth client stays with the authorization servers that it was named with: its
// secret is for no others.
func merge(a, b Challenge) Challenge {
	out := a
	if a.Client == nil && b.Client != nil || len(a.Issuers) == 0 && a.Client == nil {
		out.Client, out.Issuers = b.Client, b.Issuers
	}
	out.RequiredScopes = union(a.RequiredScopes, b.RequiredScopes)
	if len(out.RequiredScopes) > maxScopes {
		out.RequiredScopes = a.RequiredScopes
	}
	if a.SupportedScopes == nil {
		out.SupportedScopes = b.SupportedScopes
	}
	if weight(b.Reason) > weight(a.Reason) {
		out.Reason, out.Description = b.Reason, b.Description
	}
	out.Also = slices.Clone(a.Also)
	for _, s := range b.sources() {
		if !slices.Contains(out.sources(), s) && len(out.Also) < maxSources {
			out.Also = append(out.Also, s)
		}
	}
	return out
}

// weight orders reasons: what asks for more counts for more, and what says that a token is no good for more than what
// only says that there is none.
func weight(r Reason) int {
	switch r {
	case InsufficientScope:
		return 2
	case Expired:
		return 1
	}
	return 0
}

// sources are all that the challenge is of.
func (c Challenge) sources() []Source { return append([]Source{c.Source}, c.Also...) }

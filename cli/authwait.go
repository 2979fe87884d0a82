package cli

import (
	"slices"
	"strings"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/protocol"
)

// authWait is something that waits for a sign-in: a server, a call of it, or the
// host itself.
type authWait struct {
	source      auth.Source
	requirement *protocol.McpAuthRequirement
	// look tells what became of it; nil where all there is to know is that the
	// host took the token.
	look func(*ahpclient.View) waitEnd
	// anew finds what it waits for now, after it has asked again.
	anew func(*ahpclient.View) (authWait, bool)
}

// waitEnd is what became of something that waited.
type waitEnd int

const (
	stillWaits waitEnd = iota
	wentOn
	asksAgain
)

// challenge is what the sign-in is about.
func (w authWait) challenge(url string) (auth.Challenge, error) {
	host, err := auth.ParseHost(url)
	if err != nil {
		return auth.Challenge{}, usageError(err)
	}
	return auth.NewChallenge(host, w.source, w.requirement)
}

// waitOf finds what waits for a sign-in at a server: the server itself, else the
// first of its calls.
func waitOf(v *ahpclient.View, target sessionServer) (authWait, bool) {
	anew := func(v *ahpclient.View) (authWait, bool) {
		now, ok := confirmedServer(v, target)
		if !ok {
			return authWait{}, false
		}
		return waitOf(v, sessionServer{now, target.session})
	}
	if r := target.State.Requirement(); r != nil {
		return authWait{auth.Source{Server: target.Name}, r, lookAtServer(target), anew}, true
	}
	for _, b := range v.BlockedIn(target.session) {
		if isCallOf(b, target.ID) {
			source := auth.Source{Server: target.Name, Tool: b.ToolCall.ToolName}
			return authWait{source, b.Auth, lookAtCall(target.session, b), anew}, true
		}
	}
	return authWait{}, false
}

// resourceWait finds a resource that the host itself, or one of its agents, needs
// a token for.
func resourceWait(v *ahpclient.View, resource string) (authWait, bool) {
	for _, a := range v.Auth {
		if a.Resource != nil && a.Resource.Resource == resource {
			return hostWait(auth.Source{Agent: strings.Join(a.Agents, ", ")}, a.Reason, a.Resource), true
		}
	}
	return authWait{}, false
}

// hostWait is a resource that the host needs a token for, whatever it does with it.
func hostWait(source auth.Source, reason string, resource *protocol.ProtectedResourceMetadata) authWait {
	if reason == "" {
		reason = string(auth.Required)
	}
	return authWait{source: source, requirement: &protocol.McpAuthRequirement{Reason: reason, Resource: resource}}
}

// allWaits are all that wait for a sign-in in some sessions, and all that the
// host needs one for.
func allWaits(v *ahpclient.View, uris []protocol.URI) []authWait {
	var all []authWait
	for _, target := range serversIn(v, uris) {
		if wait, ok := waitOf(v, target); ok {
			all = append(all, wait)
		}
	}
	for _, a := range v.Auth {
		if a.Resource != nil {
			all = append(all, hostWait(auth.Source{Agent: strings.Join(a.Agents, ", ")}, a.Reason, a.Resource))
		}
	}
	return all
}

func isCallOf(b protocol.Block, server string) bool {
	return b.Kind == protocol.BlockToolAuth && b.Auth != nil && b.ToolCall.Contributor != nil &&
		b.ToolCall.Contributor.CustomizationID == server
}

func lookAtServer(target sessionServer) func(*ahpclient.View) waitEnd {
	first := target.State
	return func(v *ahpclient.View) waitEnd {
		srv, ok := confirmedServer(v, target)
		switch {
		case !ok || srv.State == first || srv.StateKind() == protocol.McpStarting:
			return stillWaits
		case srv.StateKind() == protocol.McpReady:
			return wentOn
		}
		return asksAgain
	}
}

func lookAtCall(session protocol.URI, first protocol.Block) func(*ahpclient.View) waitEnd {
	return func(v *ahpclient.View) waitEnd {
		blocks := v.BlockedIn(session)
		i := slices.IndexFunc(blocks, func(b protocol.Block) bool { return b.ID == first.ID })
		switch {
		case i < 0:
			return wentOn
		case blocks[i].Auth == first.Auth:
			return stillWaits
		}
		return asksAgain
	}
}

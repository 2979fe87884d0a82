package cli

import (
	"slices"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/protocol"
)

// authWait is something that waits for a sign-in: a server, or a call of it.
type authWait struct {
	source      auth.Source
	requirement *protocol.McpAuthRequirement
	// look tells what became of it.
	look func(*ahpclient.View) waitEnd
}

// waitEnd is what became of something that waited.
type waitEnd int

const (
	stillWaits waitEnd = iota
	wentOn
	asksAgain
)

// waitOf finds what waits for a sign-in at a server: the server itself, else the
// first of its calls.
func waitOf(v *ahpclient.View, target sessionServer) (authWait, bool) {
	if r := target.State.Requirement(); r != nil {
		return authWait{auth.Source{Server: target.Name}, r, lookAtServer(target)}, true
	}
	for _, b := range v.BlockedIn(target.session) {
		if isCallOf(b, target.ID) {
			return authWait{auth.Source{Server: target.Name, Tool: b.ToolCall.ToolName}, b.Auth, lookAtCall(target.session, b)}, true
		}
	}
	return authWait{}, false
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

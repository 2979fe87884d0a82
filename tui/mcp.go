package tui

import (
	"strings"

	"ahptui/protocol"
)

// mcpPanel is what the panel of MCP servers remembers.
type mcpPanel struct {
	usage   usage
	tools   toolLists
	needs   needs
	watched map[protocol.URI]watched
}

// needs are what servers asked for last, which they do not say any more once they
// have it.
type needs map[target]need

// need is what a server asked for.
type need struct {
	state    *protocol.McpServerState // that it was made of
	resource string
	issuers  []string
}

// The bounds of what is remembered.
const (
	maxNeeds   = 256
	maxIssuers = 8
	maxURL     = 2000
)

// note remembers what the servers of a session ask for.
func (n *needs) note(session protocol.URI, list []protocol.Server) {
	for _, s := range list {
		about := target{session, s.ID}
		r := s.State.Requirement()
		if r == nil || r.Resource == nil || (*n)[about].state == s.State {
			continue
		}
		if *n == nil || len(*n) >= maxNeeds {
			*n = needs{}
		}
		all := r.Resource.AuthorizationServers
		found := need{state: s.State, resource: short(r.Resource.Resource)}
		for _, issuer := range all[:min(len(all), maxIssuers)] {
			found.issuers = append(found.issuers, short(issuer))
		}
		(*n)[about] = found
	}
}

// short is an address that is remembered; what is longer is none.
func short(url string) string {
	if len(url) > maxURL {
		return ""
	}
	return strings.Clone(url)
}

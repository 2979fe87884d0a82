package ahpclient

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"ahptui/protocol"
)

// CreateSession creates a session and subscribes to it. An empty provider means
// the host's first; an empty dir means none.
func (c *Client) CreateSession(ctx context.Context, provider string, dir protocol.URI) (protocol.URI, error) {
	v := c.View()
	if provider == "" && v.Root != nil && len(v.Root.Agents) > 0 {
		provider = v.Root.Agents[0].Provider
	}
	uri := protocol.URI(sessionScheme(provider) + ":/" + uuid.NewString())
	params := protocol.NewCreateSession(v.Connection.Version.Sent(), uri, provider, dir)
	if err := c.CreateSessionWith(ctx, params); err != nil {
		return "", err
	}
	return uri, nil
}

// CreateSessionWith creates a session from parameters that are in the form of the
// negotiated version, and subscribes to it.
func (c *Client) CreateSessionWith(ctx context.Context, params *protocol.CreateSessionParams) error {
	if err := c.Call(ctx, "createSession", params, nil); err != nil {
		return err
	}
	c.Open(params.Channel, protocol.SessionKind)
	return nil
}

// sessionScheme is the scheme of a new session's URI. VS Code's host reads the
// provider from it; others take any URI. Not every name can be a scheme (RFC
// 3986, section 3.1).
func sessionScheme(provider string) string {
	const fallback = "ahp-session"
	for i, r := range []byte(provider) {
		letter := 'a' <= r|0x20 && r|0x20 <= 'z'
		other := '0' <= r && r <= '9' || r == '+' || r == '-' || r == '.'
		if !letter && (i == 0 || !other) {
			return fallback
		}
	}
	return cmp.Or(provider, fallback)
}

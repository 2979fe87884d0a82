package tui

import (
	"context"
	"strings"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// notingHost notes the tokens that are handed to a host: a host, or a tool of it, may say them again, and what it says may be
// copied.
type notingHost struct {
	Host
	secrets *secret.Redactor
}

// Authenticate hands a token to the host.
func (h notingHost) Authenticate(ctx context.Context, params *protocol.AuthenticateParams) error {
	h.secrets.Add(secret.New(params.Token))
	return h.Host.Authenticate(ctx, params)
}

// note makes the connection remember its secrets.
func (c *Connection) note() {
	if c.Secrets == nil {
		c.Secrets = new(secret.Redactor)
	}
	if _, noting := c.Host.(notingHost); !noting {
		c.Host = notingHost{c.Host, c.Secrets}
	}
}

// withoutTokens is text of a chat that leaves the program, without the tokens that the program knows. Those of a store that
// cannot be read just now are not known.
func (c *Connection) withoutTokens(ctx context.Context, text string) string {
	if c.Store != nil {
		tokens, _ := c.Store.All(ctx)
		for _, t := range tokens {
			c.Secrets.Add(t.Access, t.Refresh, t.ClientSecret)
		}
	}
	if c.Secrets == nil {
		return text
	}
	return c.Secrets.Known(text)
}

// plainText is text without what a terminal or a program would take for a command when it is pasted, or hides what it says:
// control characters other than tabs and line ends, and marks that turn the direction.
func plainText(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return r
		case r < ' ' || 0x7f <= r && r < 0xa0, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069:
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
}

package ahpclient

import (
	"cmp"
	"context"
	"fmt"

	"github.com/google/uuid"

	"ahptui/protocol"
)

// call sends a request in the form of the negotiated version, as Call does. It
// fails with an [*UnsupportedError] where that version does not have the method.
func call[R, P any](ctx context.Context, c *Client, method string, params *P) (*R, error) {
	v := c.version()
	if m, known := protocol.MethodByName(method); known && v != (protocol.Version{}) && !v.AtLeast(m.Since) {
		return nil, &UnsupportedError{What: method, Version: v}
	}
	var raw rawValue
	if err := c.Call(ctx, method, protocol.At(v.Sent(), params), &raw); err != nil {
		return nil, err
	}
	result := new(R)
	if raw.Kind() == 'n' { // as good as nothing
		return result, nil
	}
	if err := protocol.Unmarshal(raw, result); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return result, nil
}

// version is the negotiated version, the zero one before the first connection.
func (c *Client) version() protocol.Version {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store.conn.Version
}

// CreateSession creates a session and subscribes to it. An empty provider means
// the host's first; an empty dir means none.
func (c *Client) CreateSession(ctx context.Context, provider string, dir protocol.URI) (protocol.URI, error) {
	v := c.View()
	if provider == "" && v.Root != nil && len(v.Root.Agents) > 0 {
		provider = v.Root.Agents[0].Provider
	}
	params := &protocol.CreateSessionParams{Provider: provider}
	if dir != "" {
		params.WorkingDirectory, params.WorkingDirectories = dir, []protocol.URI{dir}
	}
	return c.CreateSessionWith(ctx, params)
}

// CreateSessionWith creates a session from parameters in the form of the newest
// version, and subscribes to it. Without a channel it gets a fresh one.
func (c *Client) CreateSessionWith(ctx context.Context, params *protocol.CreateSessionParams) (protocol.URI, error) {
	p := *params
	p.Channel = fresh(p.Channel, sessionScheme(p.Provider))
	return opened(ctx, c, "createSession", &p, p.Channel, protocol.SessionKind)
}

// DisposeSession ends a session. It is closed, and so are its chats.
func (c *Client) DisposeSession(ctx context.Context, session protocol.URI) error {
	chats := []protocol.URI{}
	if s := c.View().Session(session); s != nil {
		for _, chat := range s.Chats {
			chats = append(chats, chat.Resource)
		}
	}
	return c.dispose(ctx, "disposeSession", session, chats...)
}

// CreateChat creates a chat in a session, the channel of params, and subscribes to
// it. Without a URI of its own it gets a fresh one. A side chat is of 0.7.
func (c *Client) CreateChat(ctx context.Context, params *protocol.CreateChatParams) (protocol.URI, error) {
	v := c.version()
	if p := params.Source; p != nil && !p.Forks() && v != (protocol.Version{}) && !v.AtLeast(protocol.V0_7_0) {
		return "", &UnsupportedError{What: "a chat of the kind " + p.Kind, Version: v} // without its kind it would be a fork
	}
	p := *params
	p.Chat = fresh(p.Chat, "ahp-chat")
	return opened(ctx, c, "createChat", &p, p.Chat, protocol.ChatKind)
}

// DisposeChat ends a chat, and closes it.
func (c *Client) DisposeChat(ctx context.Context, chat protocol.URI) error {
	return c.dispose(ctx, "disposeChat", chat)
}

// CreateTerminal creates a terminal and subscribes to it. Without a channel it
// gets a fresh one, without a claim it is this client's.
func (c *Client) CreateTerminal(ctx context.Context, params *protocol.CreateTerminalParams) (protocol.URI, error) {
	p := *params
	p.Channel = fresh(p.Channel, "ahp-terminal")
	if p.Claim == nil {
		p.Claim = &protocol.TerminalClaim{Kind: protocol.ClaimClient, ClientID: c.store.clientID}
	}
	return opened(ctx, c, "createTerminal", &p, p.Channel, protocol.TerminalKind)
}

// DisposeTerminal ends a terminal, and closes it.
func (c *Client) DisposeTerminal(ctx context.Context, terminal protocol.URI) error {
	return c.dispose(ctx, "disposeTerminal", terminal)
}

// ClientID is what the host knows this client by: terminals and tools that belong
// to it name it.
func (c *Client) ClientID() string { return c.store.clientID }

// opened creates something and subscribes to it.
func opened[P any](ctx context.Context, c *Client, method string, params *P, uri protocol.URI, kind protocol.ChannelKind) (protocol.URI, error) {
	if _, err := call[protocol.EmptyResult](ctx, c, method, params); err != nil {
		return "", err
	}
	c.Open(uri, kind)
	return uri, nil
}

// dispose ends what a channel stands for. That it goes is no news then.
func (c *Client) dispose(ctx context.Context, method string, uri protocol.URI, below ...protocol.URI) error {
	leaving := func(yes bool) {
		c.update(func(s *store) {
			if ch := s.channels[uri]; ch != nil {
				ch.leaving = yes
			}
		})
	}
	leaving(true)
	if _, err := call[protocol.EmptyResult](ctx, c, method, &protocol.ChannelParams{Channel: uri}); err != nil {
		leaving(false)
		return err
	}
	for _, uri := range append(below, uri) {
		c.Close(uri)
	}
	return nil
}

// fresh is a URI that nobody has yet, if none was chosen.
func fresh(uri protocol.URI, scheme string) protocol.URI {
	return cmp.Or(uri, protocol.URI(scheme+":/"+uuid.NewString()))
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

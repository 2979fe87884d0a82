package ahpclient

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
)

// The side channel of an MCP server is plain MCP over the host's connection, with
// the server's channel in the parameters. It is there as long as the server's
// entry in the state of an open session names it, and serves what the entry's
// capabilities list.

// McpError says that a server's side channel does not take a message, so nothing
// was sent.
type McpError struct {
	Channel protocol.URI
	Method  string
	// Gone: no open session has a server with this channel (any more). It is
	// false where the server does not say that it serves the method.
	Gone bool
}

// Error says which of the two it is.
func (e *McpError) Error() string {
	if e.Gone {
		return fmt.Sprintf("%s: no MCP server has this channel any more: nothing was sent", e.Method)
	}
	return fmt.Sprintf("%s: the MCP server does not offer this to clients: nothing was sent", e.Method)
}

// McpCall sends a request to an MCP server and decodes its result, as Call does.
// params are an object, or nil. It fails with an [*McpError] where the server
// would not be reached. A tool is called without asking anybody: that is for the
// caller to do.
func (c *Client) McpCall(ctx context.Context, channel protocol.URI, method string, params, result any) error {
	withChannel, err := c.mcpParams(channel, method, params)
	if err != nil {
		return err
	}
	return c.Call(ctx, method, withChannel, result)
}

// McpNotify sends a notification to an MCP server. It fails as McpCall does.
func (c *Client) McpNotify(channel protocol.URI, method string, params any) error {
	withChannel, err := c.mcpParams(channel, method, params)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.peer == nil {
		return fmt.Errorf("%s: %w", method, ErrNotConnected)
	}
	return c.peer.Notify(method, withChannel)
}

// McpServe answers the requests that a host forwards on the channel of an MCP
// server, until stop is called. Without it they are refused. There is one
// responder a channel. For notifications there is Listen.
func (c *Client) McpServe(channel protocol.URI, r Responder) (stop func(), err error) {
	if !isMcp(channel) {
		return nil, fmt.Errorf("%s is not the channel of an MCP server", channel)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.responders[channel] != nil {
		return nil, fmt.Errorf("requests on %s are answered already", channel)
	}
	if most := c.opts.Limits.Listeners; len(c.responders) >= most {
		return nil, &LimitError{What: tooManyListeners, Limit: int64(most)}
	}
	serving := &r
	c.responders[channel] = serving
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.responders[channel] == serving {
			delete(c.responders, channel)
		}
	}, nil
}

func isMcp(channel protocol.URI) bool { return strings.HasPrefix(string(channel), "mcp://") }

// mcpParams are parameters with a channel, if that takes the method.
func (c *Client) mcpParams(channel protocol.URI, method string, params any) (jsontext.Value, error) {
	server := c.View().mcpServer(channel)
	if server == nil {
		return nil, &McpError{Channel: channel, Method: method, Gone: true}
	}
	if !server.App().Serves(method) {
		return nil, &McpError{Channel: channel, Method: method}
	}
	return withChannel(params, channel)
}

// mcpServer is the server that has a channel, in whichever open session; nil if
// none has.
func (v *View) mcpServer(channel protocol.URI) *protocol.Customization {
	if channel == "" {
		return nil
	}
	for uri := range v.Channels {
		session := v.Session(uri)
		if session == nil {
			continue
		}
		for _, server := range protocol.Servers(session) {
			if server.Channel == channel {
				return server.Customization
			}
		}
	}
	return nil
}

// withChannel adds a channel to the parameters of a message, which are an object
// or nil.
func withChannel(params any, channel protocol.URI) (jsontext.Value, error) {
	name, err := protocol.Marshal(channel)
	if err != nil {
		return nil, err
	}
	if params == nil {
		params = struct{}{}
	}
	raw, err := protocol.Marshal(params)
	if err != nil {
		return nil, err
	}
	var members map[string]protocol.Raw
	if protocol.Unmarshal(raw, &members) != nil || members == nil {
		return nil, errors.New("the parameters of an MCP message are an object")
	}
	members["channel"] = name
	return protocol.Marshal(members)
}

package mcpserver

import (
	"context"
	stdjson "encoding/json"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLogBytes bounds a log message of a server that is passed on.
const maxLogBytes = 64 << 10

// OnNotification makes f hear of the server's own notifications: that its tools or
// resources have changed, and what it logs. It is called without locks, with the
// method and the parameters of MCP, nil for none. Set it before the first start.
func (s *Server) OnNotification(f func(method string, params jsontext.Value)) { s.notified = f }

func (s *Server) notify(c *conn, method string, params jsontext.Value) {
	s.mu.Lock()
	ours := s.conn == c // else it is over, or not begun
	s.mu.Unlock()
	if ours && s.notified != nil {
		s.notified(method, params)
	}
}

// hear makes the SDK pass on what the server says of its own accord.
func (s *Server) hear(c *conn, opts *mcp.ClientOptions) {
	opts.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) {
		s.notify(c, "notifications/resources/list_changed", nil)
	}
	opts.LoggingMessageHandler = func(_ context.Context, req *mcp.LoggingMessageRequest) { //nolint:staticcheck // deprecated after the version of MCP that is spoken here
		raw, err := stdjson.Marshal(req.Params)
		if err == nil && len(raw) <= maxLogBytes {
			s.notify(c, "notifications/message", jsontext.Value(without(s.bearer.get(), string(raw))))
		}
	}
}

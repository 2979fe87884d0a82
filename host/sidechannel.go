package host

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"ahptui/host/mcpserver"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// A client may speak MCP with a server of a session, past the agent: over the
// channel that the server's customization names while it is ready, and as far as
// the capabilities go that stand beside it.

// maxAsked bounds the requests to servers that a connection has under way.
const maxAsked = 32

const sideScheme = "mcp://"

// What follows runs under the host's lock, except where it says otherwise.

// openSide gives a ready server a channel, a new one for each time it has become
// ready, and takes it away from one that is not.
func (h *Host) openSide(srv *server) {
	caps, ready := srv.Capabilities()
	switch {
	case !ready:
		h.closeSide(srv)
	case srv.side == "" || srv.caps.Incarnation != caps.Incarnation:
		h.closeSide(srv)
		srv.side, srv.caps = protocol.URI(sideScheme+"host/"+newID()), caps
		h.sides[srv.side] = srv
		h.describeSide(srv)
	}
}

func (h *Host) closeSide(srv *server) {
	delete(h.sides, srv.side)
	srv.side = ""
}

// mcpApp is the member of the same name of a server's customization.
type mcpApp struct {
	Capabilities protocol.McpAppCapabilities `json:"capabilities"`
}

func sideCapabilities(caps mcpserver.Capabilities) protocol.McpAppCapabilities {
	var out protocol.McpAppCapabilities
	if caps.Tools {
		out.ServerTools = &protocol.McpListCapability{ListChanged: &caps.ToolsChange}
	}
	if caps.Resources {
		out.ServerResources = &protocol.McpListCapability{ListChanged: &caps.ResourcesChange}
	}
	if caps.Logging {
		out.Logging = protocol.Raw("{}")
	}
	return out
}

// describeSide says in the server's entry what its channel is good for. That is
// known once the server has been ready, and needs an update of the whole entry at
// the top level.
func (h *Host) describeSide(srv *server) {
	s := srv.session
	entry, ok := protocol.ServerByID(s.state, srv.id)
	app, err := protocol.Marshal(mcpApp{sideCapabilities(srv.caps)})
	if !ok || err != nil || string(entry.McpApp) == string(app) {
		return
	}
	described := *entry.Customization
	described.McpApp = app
	top := &described
	if entry.Container != nil {
		container := *entry.Container
		container.Children = slices.Clone(container.Children)
		container.Children[slices.Index(container.Children, entry.Customization)] = &described
		top = &container
	}
	h.apply(s.uri, &protocol.SessionCustomizationUpdated{Customization: top}, nil)
}

// sideParams are those of a request over a side channel, of which the host reads
// nothing but the channel.
type sideParams struct {
	Channel protocol.URI `json:"channel"`
}

// ask passes a request on to the server that its channel belongs to, and reports
// whether there is one that takes it. The answer comes when the server's does.
func (h *Host) ask(c *conn, req *jsonrpc.Request) bool {
	var p sideParams
	if req.Params.Kind() != '{' || protocol.Unmarshal(req.Params, &p) != nil || !strings.HasPrefix(string(p.Channel), sideScheme) {
		return false
	}
	srv := h.sides[p.Channel]
	if srv == nil || !srv.caps.Has(req.Method) {
		return false
	}
	if c.asked >= maxAsked {
		req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests to MCP servers are under way"})
		return true
	}
	c.asked++
	h.work.Go(func() {
		ctx, cancel := context.WithTimeout(c.ctx, callTimeout)
		defer cancel()
		result, err := srv.Ask(ctx, req.Method, req.Params)
		h.mu.Lock()
		c.asked--
		h.mu.Unlock()
		if err != nil {
			req.Fail(sideError(req.Method, err))
			return
		}
		req.Reply(result)
	})
	return true
}

// sideError is the answer to a request that a server did not answer as one would
// wish. It takes no lock.
func sideError(method string, err error) *jsonrpc.Error {
	if refused, ok := errors.AsType[*mcpserver.RefusedError](err); ok {
		return &jsonrpc.Error{Code: refused.Code, Message: refused.Message}
	}
	if auth, ok := errors.AsType[*mcpserver.AuthError](err); ok {
		raw, encodeErr := protocol.Marshal(protocol.AuthRequiredData{Resources: []*protocol.ProtectedResourceMetadata{auth.Requirement.Resource}})
		if encodeErr != nil {
			raw = nil // what came as JSON encodes
		}
		return &jsonrpc.Error{Code: protocol.CodeAuthRequired, Message: auth.Error(), Data: raw}
	}
	if errors.Is(err, mcpserver.ErrNotReady) { // since when its channel is not valid
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + firstLine(method, 100)}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: firstLine(err.Error(), 500)}
}

// serverNotified passes a notification of a server on to those who subscribe to
// its session. It is called by the server's own goroutine, without the lock.
func (h *Host) serverNotified(srv *server, method string, params jsontext.Value) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if srv.side == "" {
		return
	}
	members := map[string]protocol.Raw{}
	if len(params) > 0 && protocol.Unmarshal(params, &members) != nil {
		return
	}
	channel, err := protocol.Marshal(srv.side)
	if err != nil {
		return // strings encode
	}
	members["channel"] = channel
	for _, c := range h.clients {
		if c.conn != nil && c.subscribed[srv.session.uri] != nil {
			c.conn.notify(method, members)
		}
	}
}

package ahpclient

import (
	"context"
	"errors"
	"strings"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// Responder answers requests of a host.
type Responder interface {
	// Respond answers one request, on a goroutine of its own. The result is sent
	// as JSON; an error that wraps a [*jsonrpc.Error] is sent as that one, one
	// that wraps [errors.ErrUnsupported] as if there were no responder, any other
	// as an internal error with its text. ctx ends with the connection, which
	// waits for Respond, and with the client's patience.
	Respond(ctx context.Context, method string, params protocol.Raw) (result any, err error)
}

// newHandler makes the handler of a connection that ends with ctx.
func newHandler(ctx context.Context, c *Client) *handler {
	return &handler{client: c, ctx: ctx, room: make(chan struct{}, c.opts.Limits.Requests)}
}

// Request answers every request of the host, at once unless somebody was found
// who answers it: a host may wait without a limit.
func (h *handler) Request(req *jsonrpc.Request) {
	var p protocol.ChannelParams
	_ = protocol.Unmarshal(req.Params, &p) // hosts leave the channel out
	r := h.client.responder(p.Channel)
	if r == nil {
		refuse(req)
		return
	}
	select {
	case h.room <- struct{}{}:
	default:
		req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests at once"})
		return
	}
	h.work.Go(func() {
		h.respond(r, req)
		<-h.room
	})
}

func (h *handler) respond(r Responder, req *jsonrpc.Request) {
	ctx, cancel := context.WithTimeout(h.ctx, h.client.opts.Patience)
	defer cancel()
	result, err := r.Respond(ctx, req.Method, req.Params)
	var refusal *jsonrpc.Error
	switch {
	case err == nil:
		req.Reply(result)
	case errors.Is(err, errors.ErrUnsupported):
		refuse(req)
	case errors.As(err, &refusal):
		req.Fail(refusal)
	default:
		req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: cut(err.Error(), maxText)})
	}
}

// wait waits for the requests that are being answered.
func (h *handler) wait() { h.work.Wait() }

// responder is who answers requests on a channel; nil if nobody does. A channel
// of an MCP server has its own, the rest is Options.Requests' business.
func (c *Client) responder(channel protocol.URI) Responder {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.responders[channel]; r != nil {
		return *r
	}
	if isMcp(channel) {
		return nil
	}
	return c.opts.Requests
}

// refuse answers a request that nobody answers. This client shares no resources
// of its own.
func refuse(req *jsonrpc.Request) {
	if strings.HasPrefix(req.Method, "resource") || req.Method == "createResourceWatch" {
		req.Fail(&jsonrpc.Error{Code: protocol.CodePermissionDenied, Message: "this client shares no resources"})
		return
	}
	req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + cut(req.Method, maxText)})
}

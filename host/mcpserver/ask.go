package mcpserver

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Capabilities say what a ready server can be asked for directly, see [Server.Ask].
type Capabilities struct {
	// Incarnation counts how often the server has become ready. What was said of an
	// earlier one need not hold any more.
	Incarnation     int
	Tools           bool
	ToolsChange     bool // it says when its tools have changed
	Resources       bool
	ResourcesChange bool // it says when its resources have changed
	Logging         bool
}

// Capabilities returns what the server can be asked for; ok is false unless it is
// ready.
func (s *Server) Capabilities() (caps Capabilities, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return caps, false
	}
	caps.Incarnation = s.incarnation
	init := s.conn.session.InitializeResult()
	if init == nil || init.Capabilities == nil {
		return caps, true
	}
	has := init.Capabilities
	caps.Tools, caps.Resources = has.Tools != nil, has.Resources != nil
	caps.ToolsChange = caps.Tools && has.Tools.ListChanged
	caps.ResourcesChange = caps.Resources && has.Resources.ListChanged
	caps.Logging = has.Logging != nil //nolint:staticcheck // deprecated after the version of MCP that is spoken here
	return caps, true
}

// Has reports whether a server with these capabilities answers a method of MCP
// that whoever stands behind the host may use.
func (c Capabilities) Has(method string) bool {
	switch method {
	case "tools/list", "tools/call":
		return c.Tools
	case "resources/list", "resources/templates/list", "resources/read":
		return c.Resources
	case "logging/setLevel":
		return c.Logging
	}
	return false
}

// RefusedError is a server's own refusal of a request, as JSON-RPC has it.
type RefusedError struct {
	Code    int
	Message string
}

// Error implements error.
func (e *RefusedError) Error() string { return e.Message }

// invalidParams is the JSON-RPC code for parameters that cannot be used.
const invalidParams = -32602

// Ask makes a request of a ready server for somebody else: the method and its
// parameters, a JSON object, are those of MCP, and so is the result. It is an error
// of type [*RefusedError] where the server, or the rules of who may call a tool, say
// no; otherwise the errors are those of [Server.CallTool].
func (s *Server) Ask(ctx context.Context, method string, params jsontext.Value) (jsontext.Value, error) {
	c, done, err := s.borrow()
	if err != nil {
		return nil, err
	}
	defer done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()

	res, err := s.ask(awaiting(ctx), c, method, params)
	for isStale(err, &s.bearer) {
		res, err = s.ask(awaiting(ctx), c, method, params)
	}
	if ch, ok := errors.AsType[*challenge](err); ok {
		err = s.authError(ctx, c, ch)
	}
	var wire *jsonrpc.Error
	switch {
	case err == nil:
	case errors.As(err, &wire) && ctx.Err() == nil:
		return nil, &RefusedError{Code: int(wire.Code), Message: cleanLine(s.redact.String(wire.Message), 500)}
	default:
		if refused, ok := errors.AsType[*RefusedError](err); ok {
			return nil, refused
		}
		return nil, s.callError(ctx, method, err)
	}
	raw, err := stdjson.Marshal(res) // the SDK's types are made for it
	if err != nil {
		return nil, fmt.Errorf("%s: the result cannot be passed on", method)
	}
	return jsontext.Value(without(s.bearer.get(), string(raw))), nil
}

func (s *Server) ask(ctx context.Context, c *conn, method string, params jsontext.Value) (any, error) {
	switch method {
	case "tools/list":
		return asked(ctx, params, c.session.ListTools)
	case "tools/call":
		return asked(ctx, params, func(ctx context.Context, p *mcp.CallToolParams) (*mcp.CallToolResult, error) {
			if !appMayCall(s.Tools(), p.Name) {
				return nil, &RefusedError{invalidParams, fmt.Sprintf("the tool %s is for the agent alone", cleanLine(p.Name, 100))}
			}
			return c.session.CallTool(ctx, p)
		})
	case "resources/list":
		return asked(ctx, params, c.session.ListResources)
	case "resources/templates/list":
		return asked(ctx, params, c.session.ListResourceTemplates)
	case "resources/read":
		return asked(ctx, params, c.session.ReadResource)
	case "logging/setLevel":
		return asked(ctx, params, func(ctx context.Context, p *mcp.SetLoggingLevelParams) (struct{}, error) { //nolint:staticcheck // see Capabilities
			return struct{}{}, c.session.SetLoggingLevel(ctx, p) //nolint:staticcheck // see Capabilities
		})
	}
	return nil, fmt.Errorf("%s is not passed on", method)
}

// asked reads the parameters and makes the request. What belongs to the way
// between us and whoever asks does not go to the server.
func asked[P, R any](ctx context.Context, raw jsontext.Value, request func(context.Context, *P) (R, error)) (any, error) {
	p := new(P)
	if len(raw) > 0 {
		stripped, err := stripped(raw)
		if err == nil {
			err = stdjson.Unmarshal(stripped, p)
		}
		if err != nil {
			return nil, &RefusedError{invalidParams, "the parameters cannot be read"}
		}
	}
	return request(ctx, p)
}

// stripped are parameters without the channel they came over, and without a
// progress token: those are ours, and the server's progress would be taken for
// that of another call.
func stripped(raw jsontext.Value) (jsontext.Value, error) {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	delete(members, "channel")
	if meta := members["_meta"]; meta != nil {
		var inner map[string]jsontext.Value
		if err := json.Unmarshal(meta, &inner); err != nil {
			return nil, err
		}
		delete(inner, "progressToken")
		rest, err := json.Marshal(inner)
		if err != nil {
			return nil, err
		}
		members["_meta"] = rest
	}
	return json.Marshal(members, json.Deterministic(true))
}

// Visibility says who may call a tool: "model", "app", as the extension MCP Apps
// has it in the tool's _meta.ui.visibility. Both may where the tool says nothing.
func (t Tool) Visibility() []string {
	var meta struct {
		UI struct {
			Visibility []string `json:"visibility"`
		} `json:"ui"`
	}
	if len(t.Meta) == 0 || json.Unmarshal(t.Meta, &meta) != nil || len(meta.UI.Visibility) == 0 {
		return []string{"model", "app"}
	}
	return meta.UI.Visibility
}

// appMayCall: a tool that is not known is the server's to refuse.
func appMayCall(tools []Tool, name string) bool {
	i := slices.IndexFunc(tools, func(t Tool) bool { return t.Name == name })
	return i < 0 || slices.Contains(tools[i].Visibility(), "app")
}

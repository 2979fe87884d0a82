package host

import (
	"fmt"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// Request implements [jsonrpc.Handler]. Answers are given under the host's lock,
// so that an answer and the notifications that follow it keep their order.
func (c *conn) Request(req *jsonrpc.Request) {
	h := c.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: ErrClosed.Error()})
		return
	}
	initialized := c.client != nil
	switch req.Method {
	case "ping":
		req.Reply(nil)
		return
	case "initialize":
		if !initialized {
			answer(req, c, h.initialize)
			return
		}
	case "reconnect":
		if !initialized {
			answer(req, c, h.reconnect)
			return
		}
	default:
		if initialized && h.request(c, req) {
			return
		}
	}
	req.Fail(&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "Method not found: " + firstLine(req.Method, 100)})
}

// request answers a request of a client after the handshake; it reports whether
// the method is known.
func (h *Host) request(c *conn, req *jsonrpc.Request) bool {
	switch req.Method {
	case "subscribe":
		answer(req, c, h.subscribe)
	case "listSessions":
		answer(req, c, h.listSessions)
	case "createSession":
		answer(req, c, h.createSession)
	case "disposeSession":
		h.disposeSession(req)
	case "createChat":
		answer(req, c, h.createChat)
	case "disposeChat":
		answer(req, c, h.disposeChat)
	case "fetchTurns":
		answer(req, c, h.fetchTurns)
	case "resolveSessionConfig":
		answer(req, c, h.resolveSessionConfig)
	case "createTerminal":
		answer(req, c, h.createTerminal)
	case "disposeTerminal":
		h.disposeTerminal(c, req)
	case "sessionConfigCompletions":
		later(req, c, h.configCompletions)
	case "completions":
		later(req, c, h.completions)
	case "authenticate":
		answer(req, c, h.authenticate)
	case "invokeChangesetOperation":
		later(req, c, h.invokeOperation)
	default:
		return h.resource(c, req) || h.ask(c, req)
	}
	return true
}

// resource answers a request for files; it reports whether it is one.
func (h *Host) resource(c *conn, req *jsonrpc.Request) bool {
	switch req.Method {
	case "resourceRead":
		later(req, c, h.resourceRead)
	case "resourceWrite":
		later(req, c, h.resourceWrite)
	case "resourceList":
		later(req, c, h.resourceList)
	case "resourceCopy":
		later(req, c, h.resourceCopy)
	case "resourceMove":
		later(req, c, h.resourceMove)
	case "resourceDelete":
		later(req, c, h.resourceDelete)
	case "resourceResolve":
		later(req, c, h.resourceResolve)
	case "resourceMkdir":
		later(req, c, h.resourceMkdir)
	case "resourceRequest":
		later(req, c, h.resourceRequest)
	case "createResourceWatch":
		later(req, c, h.createResourceWatch)
	default:
		return false
	}
	return true
}

// answer decodes the parameters of a request and sends what handle makes of them.
func answer[P any](req *jsonrpc.Request, c *conn, handle func(*conn, *P) (any, *jsonrpc.Error)) {
	p := new(P)
	if err := decodeParams(req, p); err != nil {
		req.Fail(err)
		return
	}
	result, failure := handle(c, p)
	if failure != nil {
		req.Fail(failure)
		return
	}
	req.Reply(result)
}

func decodeParams(req *jsonrpc.Request, p any) *jsonrpc.Error {
	if req.Params.Kind() != '{' {
		return invalid("the parameters of %s are an object", firstLine(req.Method, 100))
	}
	if err := protocol.Unmarshal(req.Params, p); err != nil {
		// The library's words quote the parameters, which may hold a token.
		return invalid("the parameters of %s cannot be read", firstLine(req.Method, 100))
	}
	return nil
}

func invalid(format string, args ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func notFound(channel protocol.URI) *jsonrpc.Error {
	return &jsonrpc.Error{Code: protocol.CodeSessionNotFound, Message: "there is no " + firstLine(string(channel), 200)}
}

// empty is the result {}.
type empty struct{}

// agentFor is the provider that a session is made with.
func (h *Host) agentFor(provider string) (string, *jsonrpc.Error) {
	if provider == "" && len(h.root.state.Agents) > 0 {
		return h.root.state.Agents[0].Provider, nil
	}
	if h.agents[provider] == nil {
		return "", &jsonrpc.Error{Code: protocol.CodeProviderNotFound, Message: "there is no provider " + firstLine(provider, 100)}
	}
	return provider, nil
}

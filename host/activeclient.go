package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ahptui/host/mcpserver"
	"ahptui/protocol"
)

// The limits of what a client brings into a session.
const (
	maxActiveClients     = 64 // of one session
	maxClientTools       = 256
	maxClientPlugins     = 64
	maxActiveClientBytes = 512 << 10 // as JSON
)

// checkActiveClient checks what a client brings into a session.
func checkActiveClient(c *protocol.SessionActiveClient) error {
	switch {
	case len(c.Tools) > maxClientTools:
		return fmt.Errorf("a client can bring %d tools", maxClientTools)
	case len(c.Customizations) > maxClientPlugins:
		return fmt.Errorf("a client can bring %d plugins", maxClientPlugins)
	}
	seen := map[string]bool{}
	for _, tool := range c.Tools {
		if err := bounded("tool's name", tool.Name, 1, maxNameBytes); err != nil {
			return err
		}
		if seen[tool.Name] {
			return fmt.Errorf("the client brings the tool %s twice", firstLine(tool.Name, 100))
		}
		seen[tool.Name] = true
	}
	raw, err := protocol.Marshal(c)
	if err != nil || len(raw) > maxActiveClientBytes {
		return fmt.Errorf("what the client brings is larger than %d bytes", maxActiveClientBytes)
	}
	return nil
}

// ClientTool is a tool that a client of the session runs.
type ClientTool struct {
	Client string // the client's id
	Tool   *protocol.ToolDefinition
}

// ClientTools lists the tools that the session's clients have brought.
func (t *Turn) ClientTools() []ClientTool {
	t.host.mu.Lock()
	defer t.host.mu.Unlock()
	var list []ClientTool
	for _, c := range t.chat.session.state.ActiveClients {
		for _, tool := range c.Tools {
			list = append(list, ClientTool{c.ClientID, tool})
		}
	}
	return list
}

// errClientGone is why a call fails that a client was to run.
var errClientGone = errors.New("the client that has the tool is gone")

// clientCall is a call of a client's tool.
type clientCall struct {
	call
	Call
}

// callClient runs a client's tool through the whole life of a tool call. The client
// completes it.
func (t *Turn) callClient(ctx context.Context, spec Call) (Outcome, error) {
	c := &clientCall{call: call{Turn: t, id: newID(), name: spec.Tool, title: spec.Tool}, Call: spec}
	there, err := c.open()
	if err != nil {
		return Outcome{}, err
	}
	if !there {
		_, err := c.finish(ctx, c.failedResult(errClientGone), false)
		return Outcome{Err: errClientGone}, err
	}
	late := time.NewTimer(callTimeout)
	defer late.Stop()
	for {
		select {
		case a := <-c.next:
			if out, done := c.outcome(a); done {
				return out, nil
			}
		case <-late.C:
			why := fmt.Errorf("the client did not answer within %v", callTimeout)
			_, err := c.finish(ctx, c.failedResult(why), false)
			return Outcome{Err: why}, err
		case <-ctx.Done():
			return Outcome{}, context.Cause(ctx)
		}
	}
}

// open opens the call and makes it ready; it reports whether there is such a tool.
func (c *clientCall) open() (there bool, err error) {
	err = c.do(func() {
		var tool *protocol.ToolDefinition
		for _, active := range c.chat.session.state.ActiveClients {
			for _, have := range active.Tools {
				if active.ClientID == c.Client && have.Name == c.Tool {
					tool, there = have, true
				}
			}
		}
		if there && tool.Title != "" {
			c.title = tool.Title
		}
		c.begin(&protocol.Contributor{Kind: protocol.ContributorClient, ClientID: c.Client}, c.Why, nil, string(c.Args))
		confirmed := ""
		switch {
		case !there, c.Consented, tool.Annotations.ReadOnly():
			confirmed = "not-needed"
		case c.chat.session.allowed[c.allowKey()], c.chat.session.configured(configConfirm) == confirmNever:
			confirmed = "setting"
		}
		if c.ShowResult {
			c.run.shown[c.id] = true
		}
		c.ready(string(c.Args), confirmed, "Run "+c.title+", which a client has?")
	})
	return there, err
}

func (c *clientCall) allowKey() string { return "client " + c.Client + "\x00" + c.Tool }

// outcome is what a client has made of the call, if it is done with it.
func (c *clientCall) outcome(a protocol.Action) (out Outcome, done bool) {
	err := c.do(func() {
		state := c.state()
		if state == nil {
			return
		}
		switch a := a.(type) {
		case *protocol.ChatToolCallConfirmed:
			if !a.Approved {
				out, done = Outcome{Denied: true}, true
				return
			}
			c.approved(c.allowKey())
		case *protocol.ChatToolCallComplete:
			if state.Status == protocol.ToolPendingResultConfirmation {
				return // the person sees the result first
			}
			out, done = clientOutcome(state), true
		case *protocol.ChatToolCallResultConfirmed:
			out, done = Outcome{Denied: true}, true
			if a.Approved {
				out = clientOutcome(state)
			}
		}
	})
	return out, done && err == nil
}

// clientOutcome is the result of a call that a client has completed.
func clientOutcome(state *protocol.ToolCall) Outcome {
	res := &mcpserver.Result{Failed: !isTrue(state.Success), Structured: state.StructuredContent}
	for _, c := range state.Content {
		switch c.Type {
		case protocol.ContentText:
			res.Content = append(res.Content, mcpserver.Content{Text: c.Text.String()})
		case protocol.ContentResource:
			res.Content = append(res.Content, mcpserver.Content{URI: string(c.URI), MIMEType: c.ContentType})
		}
	}
	if state.Error != nil && len(res.Content) == 0 {
		res.Content = []mcpserver.Content{{Text: state.Error.Message}}
	}
	return Outcome{Result: res}
}

// failCallsOf ends the calls of a session that a client was to run which is gone. It
// runs under the host's lock.
func (h *Host) failCallsOf(s *session, clientID string) {
	for _, c := range s.chats {
		turn := c.state.ActiveTurn
		if turn == nil {
			continue
		}
		for _, p := range slices.Clone(turn.ResponseParts) {
			state := p.ToolCall
			if state == nil || state.Contributor == nil || state.Contributor.Kind != protocol.ContributorClient || state.Contributor.ClientID != clientID {
				continue
			}
			if state.Status != protocol.ToolRunning && state.Status != protocol.ToolPendingConfirmation {
				continue
			}
			a := &protocol.ChatToolCallComplete{TurnID: turn.ID, ToolCallID: state.ToolCallID, Result: &protocol.ToolResult{
				PastTenseMessage: protocol.Plain("Could not run " + state.DisplayName),
				Error:            &protocol.ToolError{Message: errClientGone.Error(), Code: "client-gone"},
			}}
			h.apply(c.uri, a, nil)
			c.deliver(state.ToolCallID, a)
		}
	}
}

package ahpclient

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

const serverChannel protocol.URI = "mcp://h/1"

// withServer gives the session a server with a side channel.
func (h *testHost) withServer(capabilities string) {
	h.act(sessionURI, `{"type":"session/customizationUpdated","customization":{"type":"plugin","id":"p","children":[
		{"type":"mcpServer","id":"s","name":"s","state":{"kind":"ready"},"channel":"mcp://h/1","mcpApp":`+capabilities+`}]}}`)
	synctest.Wait()
}

func TestMcpCall(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		c := h.opened(Options{})
		h.withServer(`{"capabilities":{"serverTools":{"listChanged":true},"logging":{},"sampling":null}}`)
		var asked []string
		for _, method := range []string{"tools/list", "tools/call", "resources/list", "sampling/createMessage"} {
			h.answerWith(method, func(_ *hostConn, req *jsonrpc.Request) {
				asked = append(asked, req.Method+" "+string(req.Params))
				req.Reply(jsontext.Value(`{"tools":[]}`))
			})
		}
		var result struct {
			Tools []string `json:"tools"`
		}
		for _, params := range []any{nil, struct{}{}, map[string]any{"cursor": "x", "channel": "mcp://other"}, jsontext.Value(" {\n} "), jsontext.Value(`{ "a" : null } `)} {
			if err := c.McpCall(t.Context(), serverChannel, "tools/list", params, &result); err != nil || result.Tools == nil {
				t.Errorf("with %v: %v", params, err)
			}
		}
		want := []string{
			`tools/list {"channel":"mcp://h/1"}`, `tools/list {"channel":"mcp://h/1"}`,
			`tools/list {"channel":"mcp://h/1","cursor":"x"}`,
			`tools/list {"channel":"mcp://h/1"}`, `tools/list {"a":null,"channel":"mcp://h/1"}`,
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
		for _, params := range []any{5, "x", []int{1}, jsontext.Value("{")} {
			if err := c.McpCall(t.Context(), serverChannel, "tools/call", params, nil); err == nil {
				t.Errorf("sent %v", params)
			}
		}
		h.heard(c)
		var refused *McpError
		for _, method := range []string{"resources/list", "resources/read", "sampling/createMessage", "initialize", "ping", "", "notifications/cancelled", "tools/unheardOf"} {
			if err := c.McpCall(t.Context(), serverChannel, method, nil, nil); !errors.As(err, &refused) || refused.Gone || refused.Method != method {
				t.Errorf("%s: %v", method, err)
			}
		}
		for _, channel := range []protocol.URI{"", "mcp://h/2", sessionURI} {
			if err := c.McpCall(t.Context(), channel, "tools/list", nil, nil); !errors.As(err, &refused) || !refused.Gone {
				t.Errorf("on %q: %v", channel, err)
			}
		}
		if err := c.McpNotify(serverChannel, "notifications/message", map[string]string{"level": "info"}); err != nil {
			t.Error(err)
		}
		if err := c.McpNotify(serverChannel, "notifications/roots/list_changed", nil); !errors.As(err, &refused) {
			t.Errorf("a notification that is not served: %v", err)
		}
		// A server that somebody wants to be stopped is not asked any more, before
		// the host has said so.
		h.decide = func(string, *protocol.DispatchActionParams) verdict { return lose }
		if _, err := c.Dispatch(sessionURI, &protocol.SessionMcpServerStopRequested{ID: "s"}); err != nil {
			t.Fatal(err)
		}
		if err := c.McpCall(t.Context(), serverChannel, "tools/list", nil, nil); !errors.As(err, &refused) || !refused.Gone {
			t.Errorf("after a stop: %v", err)
		}
		synctest.Wait()
		frames := h.heard(c)
		if len(frames) != 2 || // the other one is the stop
			!strings.Contains(frames[0], `{"jsonrpc":"2.0","method":"notifications/message","params":{"channel":"mcp://h/1","level":"info"}}`) {
			t.Errorf("sent %q", frames)
		}
		h.cutAll()
		synctest.Wait()
		if err := c.McpNotify(serverChannel, "notifications/message", nil); err == nil {
			t.Error("sent without a connection")
		}
	})
}

// TestMcpServe: what a host forwards from a server is refused, unless somebody
// answers on its channel.
func TestMcpServe(t *testing.T) {
	bubble(t, func(t *testing.T) {
		h := newTestHost(t)
		h.judge = nil // the answers are made up
		c := h.opened(Options{Requests: respondFunc(func(context.Context, string, protocol.Raw) (any, error) { return "shared", nil }), Limits: Limits{Listeners: 2}})
		sample := map[string]any{"channel": serverChannel, "messages": []int{}}
		if got := <-h.ask("sampling/createMessage", sample); got != "-32601" {
			t.Errorf("nobody answers: %s", got)
		}
		answer := respondFunc(func(_ context.Context, method string, params protocol.Raw) (any, error) {
			return method + string(params), nil
		})
		stop, err := c.McpServe(serverChannel, answer)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.McpServe(serverChannel, answer); err == nil {
			t.Error("two answer")
		}
		if _, err := c.McpServe(sessionURI, answer); err == nil {
			t.Error("on the channel of a session")
		}
		if _, err := c.McpServe("mcp://h/2", answer); err != nil {
			t.Error(err)
		}
		var over *LimitError
		if _, err := c.McpServe("mcp://h/3", answer); !errors.As(err, &over) {
			t.Errorf("a third: %v", err)
		}
		if got := <-h.ask("sampling/createMessage", sample); got != `"sampling/createMessage{\"channel\":\"mcp://h/1\",\"messages\":[]}"` {
			t.Errorf("answered: %s", got)
		}
		if got := <-h.ask("resourceRead", nil); got != `"shared"` {
			t.Errorf("elsewhere: %s", got)
		}
		stop()
		stop()
		if got := <-h.ask("sampling/createMessage", sample); got != "-32601" {
			t.Errorf("nobody answers any more: %s", got)
		}
	})
}

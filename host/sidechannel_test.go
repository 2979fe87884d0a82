package host_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// addApp gives the tests' MCP server what the views of its tools would use.
func addApp(s *mcp.Server) {
	visible := func(to ...any) mcp.Meta {
		return mcp.Meta{"ui": map[string]any{"resourceUri": "ui://tools/view", "visibility": to}}
	}
	answer := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "app.only", Meta: visible("app")},
		func(context.Context, *mcp.CallToolRequest, toolArgs) (*mcp.CallToolResult, any, error) {
			return answer("for the app"), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "model.only", Meta: visible("model"), Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, toolArgs) (*mcp.CallToolResult, any, error) {
			return answer("for the model"), nil, nil
		})
	mcp.AddTool(s, &mcp.Tool{Name: "tools.grow"},
		func(ctx context.Context, req *mcp.CallToolRequest, in toolArgs) (*mcp.CallToolResult, any, error) {
			_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: "growing " + in.Text}) //nolint:staticcheck // deprecated after the version of MCP that is spoken here
			s.AddTool(&mcp.Tool{Name: in.Text, InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return answer("grown"), nil
			})
			return answer("now there is " + in.Text), nil, nil
		})
	s.AddResource(&mcp.Resource{URI: "ui://tools/view", Name: "view", MIMEType: "text/html"},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "text/html", Text: "<b>a view</b>"}}}, nil
		})
}

// side is the channel of a ready server.
func (c *client) side(id string) protocol.URI {
	c.t.Helper()
	entry := c.serverState(id, protocol.McpReady)
	if !strings.HasPrefix(string(entry.Channel), "mcp://") {
		c.t.Fatalf("the channel of a ready server is %q", entry.Channel)
	}
	return entry.Channel
}

// mcp makes a request to a server and returns its result.
func (c *client) mcp(channel protocol.URI, method string, params map[string]any) string {
	c.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	params["channel"] = channel
	var raw jsontext.Value
	c.call(method, params, &raw)
	return string(raw)
}

func TestSideChannel(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, twoServers(t)...)
	c := join(t, h, "c", protocol.V0_9_0)
	for _, id := range []string{"a", "b"} { // at the top level, and in a plugin
		side := c.side(id)
		entry, _ := protocol.ServerByID(c.session(), id)
		if want := `{"capabilities":{"serverTools":{"listChanged":true},"serverResources":{"listChanged":true},"logging":{}}}`; string(entry.McpApp) != want {
			t.Errorf("%s can be asked for %s, want %s", id, entry.McpApp, want)
		}
		for _, tt := range []struct {
			method string
			params map[string]any
			want   string
		}{
			{"tools/list", nil, `"name":"tools.read"`},
			{"tools/call", map[string]any{"name": "tools.read", "arguments": map[string]any{"text": "a book"}, "_meta": map[string]any{"progressToken": 1}}, `"text":"read a book"`},
			{"tools/call", map[string]any{"name": "app.only", "arguments": map[string]any{}}, `"text":"for the app"`},
			{"resources/list", nil, `"uri":"ui://tools/view"`},
			{"resources/templates/list", nil, `"resourceTemplates":[]`},
			{"resources/read", map[string]any{"uri": "ui://tools/view"}, `a view`},
			{"logging/setLevel", map[string]any{"level": "debug"}, `{}`},
		} {
			if got := c.mcp(side, tt.method, tt.params); !contains(got, tt.want) {
				t.Errorf("%s %s: %s, want %s", id, tt.method, got, tt.want)
			}
		}
	}
}

func TestSideChannelRefusals(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, twoServers(t)...)
	c := join(t, h, "c", protocol.V0_9_0)
	side := c.side("a")
	with := func(channel protocol.URI, members ...string) map[string]any {
		p := map[string]any{"channel": channel}
		for i := 0; i < len(members); i += 2 {
			p[members[i]] = members[i+1]
		}
		return p
	}
	for name, tt := range map[string]struct {
		method string
		params any
		code   int
	}{
		"a method that is not for clients": {"prompts/list", with(side), jsonrpc.CodeMethodNotFound},
		"the server's handshake":           {"initialize", with(side), jsonrpc.CodeMethodNotFound},
		"sampling":                         {"sampling/createMessage", with(side), jsonrpc.CodeMethodNotFound},
		"a channel that never was":         {"tools/list", with("mcp://host/none"), jsonrpc.CodeMethodNotFound},
		"no channel":                       {"tools/list", map[string]any{}, jsonrpc.CodeMethodNotFound},
		"no parameters":                    {"tools/list", nil, jsonrpc.CodeMethodNotFound},
		"another channel":                  {"tools/list", with(sessionURI), jsonrpc.CodeMethodNotFound},
		"a subscription":                   {"subscribe", with(side), protocol.CodeSessionNotFound},
		"a tool for the agent alone":       {"tools/call", with(side, "name", "model.only"), jsonrpc.CodeInvalidParams},
		"a tool that is not there":         {"tools/call", with(side, "name", "none"), jsonrpc.CodeInvalidParams},
		"parameters of another kind":       {"tools/call", with(side, "name", "tools.read", "_meta", "x"), jsonrpc.CodeInvalidParams},
		"a resource that is not there":     {"resources/read", with(side, "uri", "ui://none"), jsonrpc.CodeInvalidParams},
	} {
		if e := c.refused(tt.method, tt.params); e.Code != tt.code {
			t.Errorf("%s: %v, want code %d", name, e, tt.code)
		}
	}

	c.dispatch(sessionURI, 1, &protocol.SessionMcpServerStartRequested{ID: "a"}) // a restart
	c.answerTo(1)
	if e := c.refused("tools/list", with(side)); e.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("a channel from before the restart: %v", e)
	}
	fresh := c.side("a")
	if fresh == side {
		t.Error("a restarted server has the channel that it had before")
	}
	c.mcp(fresh, "tools/list", nil)
	c.dispatch(sessionURI, 2, &protocol.SessionMcpServerStopRequested{ID: "a"})
	c.answerTo(2)
	if entry := c.serverState("a", protocol.McpStopped); entry.Channel != "" {
		t.Errorf("a stopped server has the channel %s", entry.Channel)
	}
	if e := c.refused("tools/list", with(fresh)); e.Code != jsonrpc.CodeMethodNotFound {
		t.Errorf("a channel of a stopped server: %v", e)
	}
}

func TestSideChannelNotifications(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, tools(t))
	c := join(t, h, "c", protocol.V0_9_0)
	stranger := connect(t, h, "stranger")
	stranger.initialize(protocol.V0_9_0, protocol.RootChannel)
	side := c.side("tools")
	c.mcp(side, "logging/setLevel", map[string]any{"level": "info"})
	c.mcp(side, "tools/call", map[string]any{"name": "tools.grow", "arguments": map[string]any{"text": "twig"}})
	c.told("notifications/tools/list_changed", `"channel":"`+string(side)+`"`)
	c.told("notifications/message", `"channel":"`+string(side)+`"`, `"level":"warning"`, "growing twig")
	if got := c.mcp(side, "tools/list", nil); !contains(got, "twig") {
		t.Errorf("the tools are %s", got)
	}
	stranger.call("ping", &protocol.ChannelParams{Channel: protocol.RootChannel}, nil)
	stranger.mu.Lock()
	defer stranger.mu.Unlock()
	for _, n := range stranger.notes {
		if strings.HasPrefix(n.method, "notifications/") {
			t.Errorf("%s went to one who does not subscribe to the session", n.method)
		}
	}
}

// A call that has a view says so, and where to get it.
func TestCallWithAView(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, func(ctx context.Context, turn *host.Turn) error {
		for _, tool := range turn.Servers()[0].Tools {
			if tool.Name == "app.only" {
				return turn.Write("the agent sees what is not for it")
			}
		}
		_, err := turn.Call(ctx, host.Call{Server: "tools", Tool: "model.only"})
		return err
	}, tools(t))
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("tools", protocol.McpReady)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.typed("chat/turnComplete")
	turn := c.chat().Turns[0]
	if got := string(theCall(t, turn).Meta); !contains(got, `"resourceUri":"ui://tools/view"`) || lastText(turn) != "" {
		t.Errorf("the call's _meta is %s, the agent says %q", got, lastText(turn))
	}
}

// The requests of a connection that ends are given up.
func TestSideChannelEndsWithItsConnection(t *testing.T) {
	t.Parallel()
	mark := t.TempDir() + "/mark"
	h := newHost(t, host.Options{}, nil, tools(t))
	c := join(t, h, "c", protocol.V0_9_0)
	side := c.side("tools")
	done := make(chan error, 1)
	go func() {
		done <- c.try("tools/call", map[string]any{"channel": side, "name": "tools.wait", "arguments": map[string]any{"text": mark}}, nil)
	}()
	awaitFile(t, mark+".begun")
	c.close()
	awaitFile(t, mark)
	if err := <-done; err == nil {
		t.Error("the call succeeded")
	}
}

// Whoever asks for what takes another sign-in is told which.
func TestSideChannelTakesASignIn(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, nil, p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.mustSignIn(p.resource(), tokenRead, "read")
	side := c.side("issues")
	e := c.refused("tools/call", map[string]any{"channel": side, "name": "issues.create", "arguments": map[string]any{}})
	var data protocol.AuthRequiredData
	if err := protocol.Unmarshal(e.Data, &data); e.Code != protocol.CodeAuthRequired || err != nil || len(data.Resources) != 1 || data.Resources[0].Resource != p.resource() {
		t.Errorf("refused with %v, data %s", e, e.Data)
	}
	if got := c.mcp(side, "tools/list", nil); !contains(got, "issues.create") {
		t.Errorf("afterwards the tools are %s", got)
	}
}

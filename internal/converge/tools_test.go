package converge

import (
	"context"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ahptui/host"
	"ahptui/host/mcpserver"
)

// serverVar makes the test binary an MCP server.
const serverVar = "CONVERGE_TEST_SERVER"

type toolArgs struct {
	Text string `json:"text"`
}

// serveTools has a tool that reads and one that writes, which takes a confirmation.
func serveTools() {
	s := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	for name, readOnly := range map[string]bool{"look": true, "touch": false} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}},
			func(_ context.Context, _ *mcp.CallToolRequest, in toolArgs) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " " + in.Text}}}, nil, nil
			})
	}
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// realServers are MCP servers that are processes of the test binary.
func realServers(t *testing.T) func() []host.ServerSpec {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	config := func(name string) mcpserver.Config {
		return mcpserver.Config{Name: name, Command: exe, Env: map[string]string{serverVar: name, "GORACE": "atexit_sleep_ms=0"}}
	}
	return func() []host.ServerSpec {
		return []host.ServerSpec{
			{ID: "a", URI: "file:///servers", Config: config("a")},
			{ID: "b", URI: "file:///servers", Config: config("b"), Plugin: "tools"},
		}
	}
}

// missingServers are MCP servers that fail to start, which takes no process.
func missingServers() []host.ServerSpec {
	config := func(name string) mcpserver.Config {
		return mcpserver.Config{Name: name, Command: "/nonexistent/" + name}
	}
	return []host.ServerSpec{
		{ID: "a", URI: "file:///servers", Config: config("a")},
		{ID: "b", URI: "file:///servers", Config: config("b"), Plugin: "tools"},
		{ID: "c", URI: "file:///servers", Config: config("c"), Plugin: "tools", Stopped: true},
	}
}

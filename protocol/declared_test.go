package protocol_test

import (
	"testing"

	"ahptui/protocol"
)

func TestDeclared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ entry, command, url string }{
		{`{"type":"mcpServer","id":"m"}`, "", ""},
		{`{"type":"mcpServer","id":"m","command":"npx","args":["--token","secret"]}`, "npx", ""},
		{`{"type":"mcpServer","id":"m","command":["uvx","thing"],"_meta":{"command":"other"}}`, "uvx", ""},
		{`{"type":"mcpServer","id":"m","_meta":{"url":"https://a.example/mcp"}}`, "", "https://a.example/mcp"},
		{`{"type":"mcpServer","id":"m","_meta":7,"command":{"x":1},"url":[]}`, "", ""},
	} {
		var c protocol.Customization
		if err := protocol.Unmarshal(protocol.Raw(tt.entry), &c); err != nil {
			t.Fatal(err)
		}
		if command, url := c.Declared(); command != tt.command || url != tt.url {
			t.Errorf("%s: %q %q", tt.entry, command, url)
		}
	}
}

package demo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServerNames are the names that [ServeMCP] knows.
func ServerNames() []string { return []string{"archive", "clock", "notes"} }

// opensEnv says how long a server takes until it answers: so there is something to see
// of a start.
const opensEnv = "AHPTUI_DEMO_OPENS"

// ServeMCP is one of the demo's MCP servers on this process' stdin and stdout,
// until stdin ends or ctx does.
func ServeMCP(ctx context.Context, name string) error {
	s, err := newServer(ctx, name)
	if err != nil {
		return err
	}
	if takes, err := time.ParseDuration(os.Getenv(opensEnv)); err == nil {
		if err := pause(ctx, takes); err != nil {
			return err
		}
	}
	if err := s.Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil {
		return fmt.Errorf("serve %s: %w", name, err)
	}
	return nil
}

func newServer(ctx context.Context, name string) (*mcp.Server, error) {
	switch name {
	case "notes":
		return newNotesServer(), nil
	case "archive":
		return newArchiveServer(), nil
	case "clock":
		return newClockServer(ctx), nil
	}
	return nil, fmt.Errorf("there is no server %q; there are %s", name, strings.Join(ServerNames(), ", "))
}

package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ahptui/tui"
)

func (a *app) demoCommand() *cobra.Command  { return &cobra.Command{Use: "demo"} }
func (a *app) serveCommand() *cobra.Command { return &cobra.Command{Use: "serve"} }
func mcpServerCommand() *cobra.Command      { return &cobra.Command{Use: "mcp-server", Hidden: true} }
func startDemo(ctx context.Context) (*tui.Connection, error) {
	return nil, errors.New("later")
}

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"ahptui/ahpclient"
	"ahptui/host"
	"ahptui/host/demo"
	"ahptui/internal/secret"
	"ahptui/protocol"
	"ahptui/tui"
)

// closePatience is how long a host may take to end its servers and turns.
const closePatience = 10 * time.Second

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Start a host with real MCP servers and show it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			conn, err := startDemo(cmd.Context())
			if err != nil {
				return err
			}
			return a.showTUI(cmd.Context(), conn)
		},
	}
}

// startDemo starts the demo's host in this process and connects to it over a
// real socket with a token of its own.
func startDemo(ctx context.Context) (*tui.Connection, error) {
	d, err := demo.New(demo.Options{})
	if err != nil {
		return nil, err
	}
	token := secret.New(rand.Text())
	url, err := d.Host.Listen("127.0.0.1:0", token)
	if err != nil {
		closeDemo(ctx, d)
		return nil, err
	}
	conn, _ := connectTUI(ctx, ahpclient.Options{
		URL: url, Token: token, Info: protocol.Implementation{Name: "ahptui", Version: version()},
	})
	conn.Name = "demo"
	disconnect := conn.Close
	conn.Close = func() {
		disconnect()
		closeDemo(ctx, d)
	}
	return conn, nil
}

// closeDemo ends a demo. The context may be over: its values matter, not its end.
func closeDemo(ctx context.Context, d *demo.Demo) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closePatience)
	defer cancel()
	// What does not end in time ends with the process.
	_ = d.Close(ctx)
}

// serveFlags are the flags of the command serve.
type serveFlags struct {
	demo     bool
	listen   string
	noToken  bool
	protocol string
	tracker  string
	issuer   string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run an agent host that other clients can connect to", Args: cobra.NoArgs,
		Long: `serve runs the embedded agent host until it gets SIGINT or SIGTERM. When it is ready
it prints one line of JSON: {"url":"ws://...","token":"...","protocolVersions":[...]}.

With --demo the host has sessions, real MCP servers and a scripted agent. One of the
servers, an issue tracker, takes a sign-in at an authorization server of its own.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.demo, "demo", false, "with sessions, MCP servers and a scripted agent")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "the address to listen on")
	flags.BoolVar(&f.noToken, "no-token", false, "let everybody on this machine connect")
	flags.StringVar(&f.protocol, "protocol", "", "speak only this protocol version")
	flags.StringVar(&f.tracker, "tracker-listen", "", "the loopback address of the demo's issue tracker (default 127.0.0.1:0)")
	flags.StringVar(&f.issuer, "issuer-listen", "", "the loopback address of the tracker's authorization server (default 127.0.0.1:0)")
	return cmd
}

// ready is what serve prints when it can be connected to.
type ready struct {
	URL              string   `json:"url"`
	Token            string   `json:"token,omitzero"`
	ProtocolVersions []string `json:"protocolVersions"`
}

func (a *app) serve(ctx context.Context, f serveFlags) error {
	versions, err := servedVersions(f.protocol)
	if err != nil {
		return usageError(err)
	}
	if !f.demo && (f.tracker != "" || f.issuer != "") {
		return usageError(errors.New("--tracker-listen and --issuer-listen go with --demo"))
	}
	token, err := a.serveToken(f.noToken)
	if err != nil {
		return err
	}
	h, closeHost, err := newHost(f, versions)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closePatience)
		defer cancel()
		// What does not end in time ends with the process.
		_ = closeHost(ctx)
	}()
	url, err := h.Listen(f.listen, token)
	if err != nil {
		return err
	}
	line := ready{URL: url, Token: token.Reveal()}
	for _, v := range versions {
		line.ProtocolVersions = append(line.ProtocolVersions, v.String())
	}
	if err := printJSON(a.Out, line); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func newHost(f serveFlags, versions []protocol.Version) (*host.Host, func(context.Context) error, error) {
	if !f.demo {
		h := host.New(host.Options{Versions: versions, Info: protocol.Implementation{Name: "ahptui", Version: version()}})
		h.AddAgent(demo.Manual())
		return h, h.Close, nil
	}
	d, err := demo.New(demo.Options{Versions: versions, TrackerListen: f.tracker, IssuerListen: f.issuer})
	if err != nil {
		return nil, nil, err
	}
	return d.Host, d.Close, nil
}

// servedVersions are the protocol versions to accept: one, or all there are.
func servedVersions(pinned string) ([]protocol.Version, error) {
	if pinned == "" {
		return host.Versions(), nil
	}
	v, err := protocol.ParseVersion(pinned)
	if err != nil {
		return nil, err
	}
	for _, have := range host.Versions() {
		if have == v {
			return []protocol.Version{v}, nil
		}
	}
	return nil, fmt.Errorf("the embedded host speaks %v, not %s", host.Versions(), v)
}

// serveToken is the token that clients must have: the given one, else a fresh one.
func (a *app) serveToken(none bool) (secret.Value, error) {
	switch {
	case none && a.tokenFile != "":
		return secret.Value{}, usageError(errors.New("--no-token and --token-file exclude one another"))
	case none:
		return secret.Value{}, nil
	}
	token, err := a.token()
	if err != nil || !token.IsZero() {
		return token, err
	}
	return secret.New(rand.Text()), nil
}

// mcpServerCommand is one of the demo's own MCP servers: the host starts this
// program with it.
func mcpServerCommand() *cobra.Command {
	return &cobra.Command{
		Use: "mcp-server NAME", Hidden: true, Args: cobra.ExactArgs(1), ValidArgs: demo.ServerNames(),
		RunE: func(cmd *cobra.Command, args []string) error { return demo.ServeMCP(cmd.Context(), args[0]) },
	}
}

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
	cmd := &cobra.Command{
		Use: "demo", Short: "Start a host with real MCP servers and show it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.showTUI(cmd.Context(), func() (*tui.Connection, error) { return startDemo(cmd.Context()) })
		},
	}
	a.flags.add(cmd.Flags())
	a.addLinear(cmd.Flags())
	return cmd
}

// startDemo starts the demo's host in this process and connects to it over a
// real socket with a token of its own.
func startDemo(ctx context.Context) (*tui.Connection, error) {
	d, err := demo.New(demo.Options{Files: host.ReadFiles, Terminals: true})
	if err != nil {
		return nil, err
	}
	token := secret.New(rand.Text())
	url, err := d.Host.Listen("127.0.0.1:0", token)
	if err != nil {
		closeDemo(ctx, d)
		return nil, err
	}
	signIn, err := demoAuth(ctx)
	if err != nil {
		closeDemo(ctx, d)
		return nil, err
	}
	conn, _ := connectTUI(ctx, ahpclient.Options{
		URL: url, Token: token, Info: protocol.Implementation{Name: "ahptui", Version: version()},
	}, signIn)
	conn.Name, conn.KeepAs = "demo", "" // the next demo is another host
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
	files    string
	terminal string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run an agent host that other clients can connect to", Args: cobra.NoArgs,
		Long: `serve runs the embedded agent host until it gets SIGINT or SIGTERM. When it is ready
it prints one line of JSON: {"url":"ws://...","token":"...","protocolVersions":[...]}.

With --demo the host has sessions, real MCP servers and a scripted agent. One of the
servers, an issue tracker, takes a sign-in at an authorization server of its own.

Whoever has the token can do on this machine what you can: clients may read files
below the sessions' directories and open terminals, unless --files and --terminals
say otherwise. With --no-token they may do neither, unless those say so.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.demo, "demo", false, "with sessions, MCP servers and a scripted agent")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "the address to listen on")
	flags.BoolVar(&f.noToken, "no-token", false, "let everybody on this machine connect")
	flags.StringVar(&f.protocol, "protocol", "", "speak only this protocol version")
	flags.StringVar(&f.files, "files", "", "what clients may do with files below the sessions' directories: none, read or write (default read; none with --no-token)")
	flags.StringVar(&f.terminal, "terminals", "", "let clients run programs on terminals: yes or no (default yes; no with --no-token)")
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
	may, err := f.access()
	if err != nil {
		return usageError(err)
	}
	token, err := a.serveToken(f.noToken)
	if err != nil {
		return err
	}
	h, closeHost, err := newHost(f, may, versions)
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

// access is what those may do who can connect.
type access struct {
	files     host.FileAccess
	terminals bool
}

// access reads the flags about it. Where everybody on the machine can connect,
// nobody gets anything that was not asked for.
func (f serveFlags) access() (may access, err error) {
	switch f.files {
	case "none":
	case "read":
		may.files = host.ReadFiles
	case "write":
		may.files = host.WriteFiles
	case "":
		if !f.noToken {
			may.files = host.ReadFiles
		}
	default:
		return may, fmt.Errorf("--files is none, read or write, not %q", f.files)
	}
	switch f.terminal {
	case "no":
	case "yes":
		may.terminals = true
	case "":
		may.terminals = !f.noToken
	default:
		return may, fmt.Errorf("--terminals is yes or no, not %q", f.terminal)
	}
	return may, nil
}

func newHost(f serveFlags, may access, versions []protocol.Version) (*host.Host, func(context.Context) error, error) {
	if !f.demo {
		h := host.New(host.Options{
			Versions: versions, Info: protocol.Implementation{Name: "ahptui", Version: version()}, Files: may.files, Terminals: may.terminals,
		})
		h.AddAgent(demo.Manual())
		return h, h.Close, nil
	}
	d, err := demo.New(demo.Options{
		Versions: versions, TrackerListen: f.tracker, IssuerListen: f.issuer, Files: may.files, Terminals: may.terminals,
	})
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

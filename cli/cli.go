// Package cli holds the commands of ahptui. Every command that prints has
// --json, needs no terminal, and ends with one exit code per kind of end.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"ahptui/internal/jsonrpc"
	"ahptui/internal/secret"
)

// Streams are the standard streams of a command.
type Streams struct {
	In  *os.File
	Out *os.File
	Err io.Writer
}

// app is what all commands share: the streams and the common flags.
type app struct {
	Streams
	envToken     secret.Value // of AHP_TOKEN
	url          string
	tokenFile    string
	configFile   string
	insecureHost bool
	json         bool
	flags        lookFlags
	linear       bool
	timeout      time.Duration
	account      *account
}

const defaultTimeout = 20 * time.Second

// Main runs the command line and returns the exit code.
func Main(args []string, streams Streams) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	_ = secret.NoCoreDumps()  // a system that does not allow it is none where nothing works
	log.SetOutput(io.Discard) // libraries write there what belongs on no screen
	a := &app{Streams: streams, envToken: takeToken(), account: &account{}}
	cmd := a.root()
	cmd.SetArgs(args)
	cmd.SetIn(streams.In)
	cmd.SetOut(streams.Out)
	cmd.SetErr(streams.Err)
	err := cmd.ExecuteContext(ctx)
	// A mistake in the flags is met before --json is read.
	return report(streams.Err, a.json || slices.Contains(args, "--json"), err)
}

func (a *app) root() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ahptui",
		Short: "A terminal for agent hosts: live sessions, MCP servers, and what blocks them",
		Long: `ahptui mirrors the sessions of an agent host over the Agent Host Protocol,
shows their MCP servers with true status, and starts, stops and toggles them.

Without a command it opens the terminal interface on the host at --url or
AHP_URL; without either it offers the demo. With --linear it needs no terminal: it
prints a line for each event and reads commands, a line each; help tells them.`,
		Version:           version(),
		Args:              cobra.NoArgs,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
		RunE:              func(cmd *cobra.Command, _ []string) error { return a.runTUI(cmd.Context()) },
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&a.url, "url", os.Getenv("AHP_URL"), "the host's WebSocket address (env AHP_URL)")
	flags.StringVar(&a.tokenFile, "token-file", "", "a file with the host's connection token (or env AHP_TOKEN)")
	flags.StringVar(&a.configFile, "config", "", "the configuration file (default: ahptui/config.toml where such files lie on this system)")
	flags.BoolVar(&a.insecureHost, "insecure-host", false, "connect to another machine over ws://, which everybody on the way can read")
	flags.BoolVar(&a.json, "json", false, "print JSON, errors too")
	flags.DurationVar(&a.timeout, "timeout", defaultTimeout, "how long to wait for the host")
	a.flags.add(cmd.Flags())
	a.addLinear(cmd.Flags())
	cmd.PersistentPreRunE = func(*cobra.Command, []string) error { return a.check() }
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError(err) })
	cmd.AddCommand(a.demoCommand(), a.serveCommand(), a.sessionsCommand(), a.mcpCommand(), a.authCommand(), a.configCommand(), mcpServerCommand())
	for c := range walk(cmd) {
		if args := c.Args; args != nil {
			c.Args = func(cmd *cobra.Command, given []string) error {
				if err := args(cmd, given); err != nil {
					return usageError(err)
				}
				return nil
			}
		}
	}
	return cmd
}

// check looks at the common flags.
func (a *app) check() error {
	if a.timeout <= 0 {
		return usageError(fmt.Errorf("--timeout is %s: it must be longer than nothing", a.timeout))
	}
	if a.url == "" {
		return nil
	}
	if _, _, err := jsonrpc.SplitToken(a.url); err != nil {
		return &failure{exitUsage, err, "look at --url and AHP_URL: the address is of the form ws://HOST:PORT"}
	}
	return nil
}

// walk yields a command and all below it.
func walk(cmd *cobra.Command) func(yield func(*cobra.Command) bool) {
	return func(yield func(*cobra.Command) bool) {
		if !yield(cmd) {
			return
		}
		for _, sub := range cmd.Commands() {
			for c := range walk(sub) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// group is a command that only holds others.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError(fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath()))
			}
			return usageError(errors.New("which command? see --help"))
		},
	}
	cmd.AddCommand(subs...)
	return cmd
}

// token is the host's connection token. A flag never takes it: arguments are
// visible to everybody on the machine.
func (a *app) token() (secret.Value, error) {
	if a.tokenFile == "" {
		return a.envToken, nil
	}
	token, err := secret.FromFile(a.tokenFile)
	if err != nil {
		return secret.Value{}, &failure{exitUsage, err, ""}
	}
	return token, nil
}

// tokenVariable is the variable with the host's connection token.
const tokenVariable = "AHP_TOKEN"

// takeToken takes the token out of the environment, so that no browser and no
// other program that is started here inherits it.
func takeToken() secret.Value {
	token := secret.New(os.Getenv(tokenVariable))
	_ = os.Unsetenv(tokenVariable) // it cannot fail for a name like this
	return token
}

// version is the module's version, as the Go tool recorded it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

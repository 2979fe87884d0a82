package cli

import (
	"context"

	"github.com/spf13/cobra"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/protocol"
)

// loginFlags are the flags of the command mcp login.
type loginFlags struct {
	session                           string
	browser, noBrowser, device, paste bool
	accessTokenFile                   string
	yes                               bool
}

func (a *app) loginCommand() *cobra.Command {
	var f loginFlags
	cmd := &cobra.Command{
		Use: "login NAME", Short: "Sign in to a server that asks for it, or for a call that waits for access", Args: cobra.ExactArgs(1),
		Long: `login gets a token for the resource that a server, or a tool call of it, waits for,
and hands it to the host. It ends when the server is ready or the call went on.
NAME is a server, or a resource that the host says it needs.

A token that is held already is handed over without a question, unless a way to
sign in is asked for. Otherwise the way is a browser of this machine; over SSH and
without a screen it is a code to type in a browser anywhere, where the server has
that (--device), else an address to paste (--paste). What to open is always
printed. --access-token-file hands over a token that you have got elsewhere; -
is standard input.

A token goes to a host only after consent for that host and resource: --yes gives
it beforehand, a terminal asks. Where nobody can be asked the exit code is 4.

With --json each event is a line: an object whose member event is refreshing,
person_needed, consent, excepted, supplying, user_code, open_url, not_opened,
waiting, paste_refused, exchanging, need_client, need_token, not_kept,
authenticated, ready, or failed with step, error and remedy. user_code has
user_code, verification_uri, verification_uri_complete and expires_in; open_url has
url. No event holds a token.

Exit codes: 0 when what waited went on, 1 when it failed, 4 when a person is needed
and none is there.`,
		Example: "  ahptui mcp login tracker\n  ahptui mcp login tracker --device --yes --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withClient(cmd.Context(), func(ctx context.Context, c *ahpclient.Client) error {
				return a.login(ctx, c, args[0], f)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.session, "session", "", "the session's URI, where several have a server of this name")
	flags.BoolVar(&f.browser, "browser", false, "sign in by a browser of this machine")
	flags.BoolVar(&f.noBrowser, "no-browser", false, "do so, but only print the address to open")
	flags.BoolVar(&f.device, "device", false, "sign in by a code that is typed in a browser anywhere")
	flags.BoolVar(&f.paste, "paste", false, "sign in by a browser anywhere, and read the address at which it ends from standard input")
	flags.StringVar(&f.accessTokenFile, "access-token-file", "", "hand over the access token in this file, which only you can read; - is standard input")
	flags.BoolVar(&f.yes, "yes", false, "let this host have a token for this resource, without asking")
	cmd.MarkFlagsMutuallyExclusive("browser", "no-browser", "device", "paste", "access-token-file")
	return cmd
}

// method is the way that was asked for; empty leaves the choice.
func (f loginFlags) method() auth.Method {
	switch {
	case f.browser, f.noBrowser:
		return auth.ByBrowser
	case f.device:
		return auth.ByDevice
	case f.paste:
		return auth.ByPaste
	case f.accessTokenFile != "":
		return auth.ByToken
	}
	return ""
}

// login signs in to what a name stands for.
func (a *app) login(ctx context.Context, client *ahpclient.Client, name string, f loginFlags) error {
	view, uris, err := a.openSessions(ctx, client, f.session)
	if err != nil {
		return err
	}
	l := &login{app: a, out: a.Out, client: client, flags: f}
	target, err := pick(serversIn(view, uris), name)
	if err != nil {
		if wait, ok := resourceWait(view, name); ok {
			return l.run(ctx, wait)
		}
		return err
	}
	wait, ok := waitOf(view, target)
	switch {
	case ok:
		return l.run(ctx, wait)
	case target.StateKind() == protocol.McpReady:
		return l.print(loginEvent{Event: "ready"})
	}
	return fail(exitFailed, "its state is "+string(target.StateKind()), "%s does not wait for a sign-in", name)
}

// signedIn runs a command of the host. Where the host refuses it for want of a
// sign-in, and somebody can give that, it is tried once more after it. What the
// sign-in tells goes to the standard error: the output is the command's.
func (a *app) signedIn(ctx context.Context, client *ahpclient.Client, name string, yes bool, command func() error) error {
	err := command()
	needed := signInNeeded(err)
	if len(needed) == 0 || !yes && !a.asks() {
		return err
	}
	for _, resource := range needed {
		l := &login{app: a, out: a.Err, client: client, flags: loginFlags{yes: yes}}
		if err := l.run(ctx, hostWait(auth.Source{Command: name}, "", resource)); err != nil {
			return err
		}
	}
	return command()
}

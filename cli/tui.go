package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/term"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/safetext"
	"ahptui/internal/secret"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/tui"
)

// runTUI shows the terminal interface on the host that was named, else on the
// start screen.
func (a *app) runTUI(ctx context.Context) error {
	var conn *tui.Connection
	if a.url != "" {
		opts, signIn, err := a.connection(ctx)
		if err != nil {
			return err
		}
		conn, _ = connectTUI(ctx, opts, signIn)
	}
	return a.showTUI(ctx, conn)
}

// showTUI shows the terminal interface, on the start screen if conn is nil; or
// lines, for who wants those.
func (a *app) showTUI(ctx context.Context, conn *tui.Connection) error {
	if a.linear {
		return a.showLinear(ctx, conn)
	}
	if !term.IsTerminal(int(a.In.Fd())) || !term.IsTerminal(int(a.Out.Fd())) {
		if conn != nil {
			conn.Close()
		}
		return fail(exitUsage, "for scripts there are: ahptui sessions, ahptui mcp, ahptui serve", "the terminal interface needs a terminal")
	}
	theme, err := a.theme()
	if err != nil {
		return err
	}
	err = tui.Run(ctx, tui.Options{
		Connection: conn,
		Connect:    a.connectTyped,
		StartDemo:  startDemo,
		Hint:       func(err error) string { return classify(err).hint },
		Directory:  workingDirectory(), FileURI: fileURI,
		Keys: keymap.Default(), Theme: theme, Mouse: true,
		Pager: pagerCommand(), Editor: editorCommand(), Clipboard: nativeClipboard(),
		In: a.In, Out: a.Out,
	})
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// theme suits the terminal: its colours (NO_COLOR means none) and background.
func (a *app) theme() (themes.Theme, error) {
	profile := colorprofile.Detect(a.Out, os.Environ())
	dark := true
	if profile > colorprofile.ASCII {
		dark = lipgloss.HasDarkBackground(a.In, a.Out)
	}
	return themes.New(themes.Default, themes.Options{Profile: profile, Dark: dark})
}

// connection is what the terminal interface needs for the host at --url.
func (a *app) connection(ctx context.Context) (ahpclient.Options, auth.Config, error) {
	opts, err := a.options()
	if err != nil {
		return ahpclient.Options{}, auth.Config{}, err
	}
	signIn, err := a.authConfig(ctx)
	return opts, signIn, err
}

// connectTUI starts a client that keeps trying, for as long as the program runs.
// What it gave up is tried again when the person asks for it. Only Close ends it:
// ctx is that of the attempt to connect.
func connectTUI(ctx context.Context, opts ahpclient.Options, signIn auth.Config) (*tui.Connection, *ahpclient.Client) {
	opts.Retry = true
	signIn.Interactive = true
	renewed := make(chan auth.Grant, maxRenewed)
	signIn.Renewed = func(g auth.Grant) {
		select {
		case renewed <- g:
		default: // the host says when its token has expired, and is handed this one then
		}
	}
	broker := auth.NewBroker(signIn)
	identity, _ := auth.ParseHost(withoutToken(opts.URL)) // what cannot be read cannot be connected to either
	client := ahpclient.New(opts)
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended, again := make(chan struct{}), make(chan struct{}, 1)
	go func() {
		defer close(ended)
		for {
			// The view tells why it ended, and the program shows it.
			_ = client.Run(running)
			select {
			case <-again:
			case <-running.Done():
				return
			}
		}
	}()
	secrets := new(secret.Redactor)
	_, inURL, _ := jsonrpc.SplitToken(opts.URL) // what cannot be read has none
	secrets.Add(opts.Token, inURL)
	return &tui.Connection{
		Host: client, Secrets: secrets,
		Name: safetext.URL(withoutToken(opts.URL)).Text().String(),
		Auth: broker, Store: signIn.Store, Renewed: renewed, Identity: identity, Opener: signIn.Opener,
		Retry: func() {
			select {
			case again <- struct{}{}:
			default: // it was asked for already
			}
		},
		Close: func() {
			broker.Close()
			stop()
			<-ended
		},
	}, client
}

// maxRenewed is how many tokens that were refreshed may wait for their hosts.
const maxRenewed = 16

// withoutToken is an address as it may be shown.
func withoutToken(url string) string {
	clean, _, err := jsonrpc.SplitToken(url)
	if err != nil {
		return "the host"
	}
	return clean
}

// connectTyped connects to an address that was typed on the start screen.
func (a *app) connectTyped(ctx context.Context, url string) (*tui.Connection, error) {
	typed := *a
	typed.url = url
	opts, signIn, err := typed.connection(ctx)
	if err != nil {
		return nil, err
	}
	conn, client := connectTUI(ctx, opts, signIn)
	waiting, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	_, err = client.Await(waiting, func(v *ahpclient.View) bool {
		return v.Connection.Phase == ahpclient.Connected || v.Connection.Err != nil
	})
	if err == nil {
		err = client.View().Connection.Err
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// workingDirectory is where the program was started, for new sessions.
func workingDirectory() string {
	dir, err := os.Getwd()
	if err != nil {
		return string(filepath.Separator)
	}
	return dir
}

package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/term"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/config"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/safetext"
	"ahptui/internal/secret"
	"ahptui/tui"
)

// runTUI shows the terminal interface on the host that was named, else on the
// start screen.
func (a *app) runTUI(ctx context.Context) error {
	return a.showTUI(ctx, func() (*tui.Connection, error) {
		if a.url == "" {
			return nil, nil
		}
		opts, signIn, err := a.connection(ctx)
		if err != nil {
			return nil, err
		}
		conn, _ := connectTUI(ctx, opts, signIn)
		return conn, nil
	})
}

// showTUI shows the terminal interface on the host that connect comes with, on
// the start screen if there is none; or lines, for who wants those.
func (a *app) showTUI(ctx context.Context, connect func() (*tui.Connection, error)) error {
	if a.linear {
		conn, err := connect()
		if err != nil {
			return err
		}
		return a.showLinear(ctx, conn)
	}
	if !term.IsTerminal(int(a.In.Fd())) || !term.IsTerminal(int(a.Out.Fd())) {
		return fail(exitUsage, "for lines there is --linear; for scripts there are: ahptui sessions, ahptui mcp, ahptui serve", "the terminal interface needs a terminal")
	}
	opts, err := a.screenOptions()
	if err != nil {
		return err
	}
	if opts.Connection, err = connect(); err != nil {
		return err
	}
	opts.Connect, opts.StartDemo = a.connectTyped, startDemo
	opts.Hint = func(err error) string { return classify(err).hint }
	opts.Directory, opts.FileURI = workingDirectory(), fileURI
	opts.Drafts = drafts()
	opts.Pager, opts.Editor, opts.Clipboard = pagerCommand(), editorCommand(), nativeClipboard()
	opts.In, opts.Out = a.In, a.Out
	err = tui.Run(ctx, opts)
	if errors.Is(err, context.Canceled) {
		return ctx.Err()
	}
	return err
}

// drafts is where messages are kept that were written and not sent, nil where there is no place for it.
func drafts() *config.Drafts {
	dir, err := config.StateDir()
	if err != nil {
		return nil // the program asks before such a message is lost
	}
	return config.DraftsIn(dir)
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
		Name:   safetext.URL(withoutToken(opts.URL)).Text().String(),
		KeepAs: identity.ID,
		Auth:   broker, Store: signIn.Store, Renewed: renewed, Identity: identity, Opener: signIn.Opener,
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

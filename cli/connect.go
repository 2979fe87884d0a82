package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/protocol"
)

// options are the client's options from the common flags.
func (a *app) options() (ahpclient.Options, error) {
	if a.url == "" {
		return ahpclient.Options{}, fail(exitUsage, "give --url ws://HOST:PORT or set AHP_URL; `ahptui serve --demo` starts a host to try", "no host was named")
	}
	if err := a.checkSecure(); err != nil {
		return ahpclient.Options{}, err
	}
	token, err := a.token()
	if err != nil {
		return ahpclient.Options{}, err
	}
	return ahpclient.Options{
		URL: a.url, Token: token,
		Info: protocol.Implementation{Name: "ahptui", Version: version(), Title: "ahptui"},
	}, nil
}

// checkSecure refuses a connection to another machine that everybody on the way
// can read, tokens and all, unless the person said so for that host.
func (a *app) checkSecure() error {
	host, err := auth.ParseHost(a.url)
	if err != nil {
		return usageError(err)
	}
	if a.insecureHost || host.Loopback || !strings.HasPrefix(host.ID, "ws:") {
		return nil
	}
	file, err := a.account.fileAt(a.configFile)
	if err != nil {
		return err
	}
	for _, h := range file.Hosts {
		if said, err := auth.ParseHost(h.URL); err == nil && said.ID == host.ID && h.Insecure {
			return nil
		}
	}
	return &failure{
		exitUsage,
		errors.New("ws:// to another machine can be read and changed by everybody on the way, tokens too: " + withoutToken(a.url)),
		"use wss:// or a tunnel to this machine (ssh -L); or allow it, with --insecure-host or in the configuration file: [[host]] url = \"" + withoutToken(a.url) + "\" insecure = true",
	}
}

// withClient connects, runs f while the connection is up, and disconnects.
func (a *app) withClient(ctx context.Context, f func(context.Context, *ahpclient.Client) error) error {
	opts, err := a.options()
	if err != nil {
		return err
	}
	client := ahpclient.New(opts)
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- client.Run(running) }()

	waiting, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	_, err = client.Await(waiting, func(v *ahpclient.View) bool { return v.Connection.Phase == ahpclient.Connected })
	if err == nil {
		err = f(ctx, client)
	}
	stop()
	runErr := <-ended
	if runErr != nil && (err == nil || errors.Is(err, ahpclient.ErrNotConnected)) {
		err = runErr
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// openSessions subscribes to one session, or to all that are listed, and waits
// until the host has answered for each.
func (a *app) openSessions(ctx context.Context, client *ahpclient.Client, only string) (*ahpclient.View, []protocol.URI, error) {
	var uris []protocol.URI
	if only != "" {
		uris = []protocol.URI{protocol.URI(only)}
	} else {
		v := client.View()
		if !v.Listed && v.ListErr != nil {
			return nil, nil, fmt.Errorf("the host does not list its sessions: %w", v.ListErr)
		}
		for _, s := range v.Sessions {
			uris = append(uris, s.Resource)
		}
	}
	for _, uri := range uris {
		client.Open(uri, protocol.SessionKind)
	}
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	v, err := client.Await(ctx, func(v *ahpclient.View) bool {
		for _, uri := range uris {
			if c := v.Channels[uri]; c != nil && c.Confirmed == nil && c.Err == nil {
				return false
			}
		}
		return true
	})
	if err != nil {
		return nil, nil, err
	}
	if only != "" {
		if c := v.Channels[uris[0]]; c == nil || c.Err != nil {
			return nil, nil, fail(exitFailed, "list the sessions with: ahptui sessions ls", "session %s: %w", only, channelError(c))
		}
	}
	return v, uris, nil
}

func channelError(c *ahpclient.Channel) error {
	if c == nil || c.Err == nil {
		return errors.New("the host does not have it")
	}
	return c.Err
}

// outcomeCode is the exit code of a ticket's outcome.
func outcomeCode(k ahpclient.OutcomeKind) int {
	switch k {
	case ahpclient.Accepted:
		return exitDone
	case ahpclient.Rejected:
		return exitRejected
	}
	return exitUnknown
}

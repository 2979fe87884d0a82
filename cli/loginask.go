package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"ahptui/auth"
	"ahptui/internal/secret"
)

// asks reports whether there is somebody who can be asked.
func (a *app) asks() bool { return !a.json && term.IsTerminal(int(a.In.Fd())) }

// paste gives the flow a line that was pasted. When no more can come, a person
// is missing.
func (l *login) paste(flow *auth.Flow, text string, ok bool) error {
	if !ok {
		return fail(exitSignIn, "run it in a terminal, or write the address to its standard input", "nobody pasted the address at which the browser ended")
	}
	if strings.TrimSpace(text) != "" {
		if err := flow.Paste(text); err == nil {
			l.pasted = nil
			return nil
		} else if err := l.print(loginEvent{Event: "paste_refused", Error: err.Error()}); err != nil {
			return err
		}
	}
	l.pasted = l.lines()
	return nil
}

// lines gives one line of standard input each time it is called, or nothing when
// that has ended. One goroutine reads them, and only when one is asked for, so
// that it takes nothing from who reads without echo. It ends with the input, or
// with the process: a read of a terminal cannot be stopped.
func (l *login) lines() <-chan string {
	if l.input == nil {
		input, asked := make(chan string), make(chan struct{}, 1)
		go func() {
			defer close(input)
			scanner := bufio.NewScanner(l.In)
			for range asked {
				if !scanner.Scan() {
					return
				}
				input <- scanner.Text()
			}
		}()
		l.input, l.asked = input, asked
	}
	select {
	case l.asked <- struct{}{}:
	default: // it was asked for already
	}
	return l.input
}

// consent asks whether the host may have the token, unless that was said
// beforehand. Without an answer the command ends: a person must decide.
func (l *login) consent(ctx context.Context, flow *auth.Flow, e auth.NeedConsent) error {
	if err := l.print(consentEvent(e)); err != nil {
		return err
	}
	question := fmt.Sprintf("Let %s have a token for %s, from %s?", e.Host.ID, e.Resource, cmp.Or(e.Supply, e.Issuer))
	return l.decide(ctx, flow, e.Question, question, l.flags.yes)
}

// reach asks whether a server that is not on the public internet may be contacted.
// --yes is the answer for this machine where the host itself is on it, and for
// nothing else.
func (l *login) reach(ctx context.Context, flow *auth.Flow, e auth.NeedReach) error {
	where := "on this machine, at "
	if e.Private {
		where = "in a private network, at "
	}
	question := fmt.Sprintf("Contact the authorization server %s %s%s?", e.Issuer, where, e.Address)
	return l.decide(ctx, flow, e.Question, question, l.flags.yes && e.Host.Loopback && !e.Private)
}

// decide answers a question of the flow.
func (l *login) decide(ctx context.Context, flow *auth.Flow, number int, question string, yes bool) error {
	if !yes {
		var err error
		if yes, err = l.ask(ctx, question); err != nil {
			return err
		}
	}
	flow.Answer(number, auth.Answer{Yes: yes})
	if !yes {
		return reported(exitSignIn)
	}
	return nil
}

// ask puts a question to whoever sits at the terminal.
func (l *login) ask(ctx context.Context, question string) (bool, error) {
	if !l.asks() {
		return false, fail(exitSignIn, "run it in a terminal, or with --yes where that is an answer", "a person must consent first: %s", question)
	}
	text, err := l.prompt(ctx, question+" [y/N] ")
	return strings.EqualFold(text, "y"), err
}

// prompt reads a line at the terminal; none is an empty one.
func (l *login) prompt(ctx context.Context, question string) (string, error) {
	if _, err := fmt.Fprint(l.out, line(question), " "); err != nil {
		return "", err
	}
	select {
	case text := <-l.lines():
		return strings.TrimSpace(text), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// maxTyped is where the line editor drops what more is typed.
const maxTyped = 4096

// promptSecret reads a line at the terminal that is not shown there. The echo is
// off before the question is there, since somebody may paste at once.
func (l *login) promptSecret(ctx context.Context, question string) (secret.Value, error) {
	fd := int(l.In.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return secret.Value{}, err
	}
	defer func() { _ = term.Restore(fd, before) }() // nobody could be told
	type result struct {
		text string
		err  error
	}
	read := make(chan result, 1)
	go func() { // ends with the line, or with the process: a read of a terminal cannot be stopped
		terminal := term.NewTerminal(struct {
			io.Reader
			io.Writer
		}{l.In, l.out}, "")
		text, err := terminal.ReadPassword(line(question).String() + " ")
		read <- result{text, err}
	}()
	select {
	case got := <-read:
		if errors.Is(got.err, io.EOF) { // ctrl+c is no signal there
			return secret.Value{}, context.Canceled
		}
		if len(got.text) >= maxTyped {
			return secret.Value{}, fail(exitFailed, "put it into a file that only you can read, and name that", "that is longer than what can be typed (%d characters)", maxTyped)
		}
		return secret.New(strings.TrimSpace(got.text)), got.err
	case <-ctx.Done():
		return secret.Value{}, ctx.Err()
	}
}

// needClient asks for the id of a client that is registered at a server which
// this program cannot make itself known to.
func (l *login) needClient(ctx context.Context, flow *auth.Flow, e auth.NeedClient) error {
	told := loginEvent{Event: "need_client", Issuer: e.Issuer, RedirectURI: e.RedirectURI}
	if e.Why != nil {
		told.Error = e.Why.Error()
	}
	if err := l.print(told); err != nil {
		return err
	}
	if !l.asks() {
		return fail(exitSignIn, "register a client there, and name it in the configuration file: [[auth.issuer]] issuer = \""+e.Issuer+"\" client_id = \"…\"; or run this in a terminal",
			"a person must name a client of %s", e.Issuer)
	}
	id, err := l.prompt(ctx, "client id:")
	if err != nil {
		return err
	}
	if id == "" {
		flow.Answer(e.Question, auth.Answer{})
		return reported(exitSignIn)
	}
	value, err := l.promptSecret(ctx, "client secret (not shown; empty if it has none):")
	if err != nil {
		return err
	}
	flow.Answer(e.Question, auth.Answer{Yes: true, ClientID: id, Secret: value})
	return nil
}

// needToken asks for a token that the person has got elsewhere.
func (l *login) needToken(ctx context.Context, flow *auth.Flow, e auth.NeedToken) error {
	if err := l.print(loginEvent{Event: "need_token", Resource: e.Resource}); err != nil {
		return err
	}
	if !l.asks() {
		return fail(exitSignIn, "name a file with --access-token-file, or run this in a terminal", "a person must give the token for %s", e.Resource)
	}
	value, err := l.promptSecret(ctx, "access token (not shown):")
	if err != nil {
		return err
	}
	flow.Answer(e.Question, auth.Answer{Yes: !value.IsZero(), Secret: value})
	if value.IsZero() {
		return reported(exitSignIn)
	}
	return nil
}

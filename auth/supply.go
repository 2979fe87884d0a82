package auth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"ahptui/internal/secret"
)

// Supply is where a token comes from that somebody got elsewhere.
type Supply interface {
	// Token gets it. It is asked anew each time, and must end soon after ctx does.
	Token(ctx context.Context) (secret.Value, error)
	// String says where the token comes from, such as "the file /run/token". It holds no secret.
	String() string
}

// supplyTime is how long a supply may take.
const supplyTime = 30 * time.Second

// bySupply gets a token from the supply for the resource, or from the person where there is none.
func (f *Flow) bySupply(ctx context.Context) (token, error) {
	c := f.Challenge()
	supply := f.broker.supply(c.Resource)
	if supply == nil {
		return f.askToken(ctx, c)
	}
	f.emit(Supplying{From: supply.String()})
	limited, cancel := context.WithTimeout(ctx, supplyTime)
	defer cancel()
	value, err := supply.Token(limited)
	switch {
	case ctx.Err() != nil:
		return token{}, ended(ctx, StepSupply)
	case limited.Err() != nil:
		err = fmt.Errorf("%w: it said nothing within %v", ErrAbandoned, supplyTime)
	case err == nil:
		err = checkToken(value)
	}
	if err != nil {
		return token{}, fail(StepSupply, fmt.Errorf("%s: %w", supply, err), "Look into where the token is to come from.")
	}
	return token{access: value}, nil
}

// askToken has the person hand over a token.
func (f *Flow) askToken(ctx context.Context, c Challenge) (token, error) {
	if !f.broker.config.Interactive {
		return token{}, fail(StepSupply, errors.New("no token is configured for the resource"), "Name a file or a command that gives one in the configuration file.")
	}
	answer, err := f.ask(ctx, StepSupply, func(n int) Event {
		return NeedToken{Question: n, Host: c.Host, Resource: c.Resource, ResourceName: c.ResourceName}
	})
	switch {
	case err != nil:
		return token{}, err
	case !answer.Yes:
		return token{}, fail(StepSupply, ErrDeclined, "")
	}
	if err := checkToken(answer.Secret); err != nil {
		return token{}, fail(StepSupply, err, "Copy the token, and nothing else.")
	}
	return token{access: answer.Secret}, nil
}

// supplyName says where a token comes from, for a screen.
func (f *Flow) supplyName() string {
	if supply := f.broker.supply(f.Challenge().Resource); supply != nil {
		return supply.String()
	}
	return "you"
}

// checkToken refuses what is no token.
func checkToken(v secret.Value) error {
	switch {
	case v.IsZero():
		return errors.New("there is no token in it")
	case len(v.Reveal()) > maxSupplyBytes:
		return fmt.Errorf("it is larger than %d bytes, which no token is", maxSupplyBytes)
	case strings.ContainsFunc(v.Reveal(), notInToken):
		return errors.New("it is not one token and nothing else")
	}
	return nil
}

// maxSupplyBytes bounds a token. Signed web tokens have some kilobytes.
const maxSupplyBytes = 64 << 10

// FromFile is a token in a file that only its owner can read.
func FromFile(path string) Supply { return fileSupply(path) }

type fileSupply string

// Token implements [Supply].
func (s fileSupply) Token(context.Context) (secret.Value, error) { return secret.FromFile(string(s)) }

// String implements [Supply].
func (s fileSupply) String() string { return "the file " + string(s) }

// FromReader is a token that is read to the end of r, once. A reader that waits for somebody is waited for until it ends.
func FromReader(name string, r io.Reader) Supply { return &readerSupply{name: name, r: r} }

type readerSupply struct {
	name string
	r    io.Reader
}

// Token implements [Supply]. Where ctx ends first, the reader is left to itself: a read cannot be stopped.
func (s *readerSupply) Token(ctx context.Context) (secret.Value, error) {
	type result struct {
		text []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := io.ReadAll(io.LimitReader(s.r, maxSupplyBytes+1))
		done <- result{text, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return secret.Value{}, errors.New("it cannot be read")
		}
		return secret.New(string(bytes.TrimSpace(got.text))), nil
	case <-ctx.Done():
		return secret.Value{}, ctx.Err()
	}
}

// String implements [Supply].
func (s *readerSupply) String() string { return s.name }

// FromCommand is a token that a program prints, such as gh auth token. No shell has a part in it, the program gets no
// input, and what it prints goes nowhere else.
func FromCommand(name string, args ...string) Supply { return commandSupply{name, args} }

type commandSupply struct {
	name string
	args []string
}

// commandGrace is how long a program that was told to end may hold its output open.
const commandGrace = 50 * time.Millisecond

// Token implements [Supply].
func (s commandSupply) Token(ctx context.Context) (secret.Value, error) {
	cmd := exec.CommandContext(ctx, s.name, s.args...)
	output := &boundedBuffer{left: maxSupplyBytes + 1}
	cmd.Stdout = output
	cmd.WaitDelay = commandGrace
	killGroup(cmd)
	err := cmd.Run()
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case failed && exit.ExitCode() >= 0:
		return secret.Value{}, fmt.Errorf("it ended with exit code %d", exit.ExitCode())
	case failed:
		return secret.Value{}, errors.New("it was killed")
	case errors.Is(err, exec.ErrNotFound):
		return secret.Value{}, errors.New("there is no such program")
	case err != nil:
		return secret.Value{}, errors.New("it cannot be run, or did not end with its output")
	}
	return secret.New(strings.TrimSpace(output.text.String())), nil
}

// String implements [Supply]. Arguments are left out: people put secrets there.
func (s commandSupply) String() string { return "the command " + s.name }

// boundedBuffer keeps the first of what is written and takes the rest.
type boundedBuffer struct {
	text bytes.Buffer
	left int
}

// Write implements [io.Writer].
func (b *boundedBuffer) Write(p []byte) (int, error) {
	keep := p[:min(len(p), b.left)]
	b.left -= len(keep)
	b.text.Write(keep)
	return len(p), nil
}

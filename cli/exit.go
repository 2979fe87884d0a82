package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/ahpclient"
	"ahptui/config"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/safetext"
	"ahptui/protocol"
)

// The exit codes: one for each kind of end.
const (
	exitDone        = 0
	exitFailed      = 1 // failed, or not reached in time
	exitUsage       = 2
	exitRejected    = 3 // by the host
	exitSignIn      = 4 // a person must sign in
	exitUnreachable = 5 // the host is unreachable or refused the connection
	exitUnknown     = 6 // the outcome is unknown or expired
	exitInterrupted = 130
)

// failure is an error with its exit code and what the person can do.
type failure struct {
	code int
	err  error
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(code int, hint, format string, args ...any) error {
	return &failure{code: code, err: fmt.Errorf(format, args...), hint: hint}
}

// usageError is a mistake in the command line.
func usageError(err error) error {
	return &failure{code: exitUsage, err: err, hint: "run the command with --help"}
}

// classify finds the exit code of any error and a hint to go with it.
func classify(err error) *failure {
	var f *failure
	var version *ahpclient.VersionError
	var refused *jsonrpc.Error
	var wrong *config.Error
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &wrong):
		return &failure{exitUsage, err, wrong.Remedy}
	case errors.Is(err, context.Canceled):
		return &failure{exitInterrupted, errors.New("interrupted"), ""}
	case errors.Is(err, jsonrpc.ErrTokenRefused):
		return &failure{exitUnreachable, err, "pass the host's connection token with --token-file or AHP_TOKEN"}
	case errors.Is(err, jsonrpc.ErrTokenWanted):
		return &failure{exitUnreachable, err, "pass the host's connection token with --token-file or AHP_TOKEN"}
	case errors.Is(err, jsonrpc.ErrUnreachable):
		return &failure{exitUnreachable, err, "is the host running, and is the address right?"}
	case errors.Is(err, jsonrpc.ErrNotAHP):
		return &failure{exitUnreachable, err, "something answers at this address, but not an agent host"}
	case errors.Is(err, jsonrpc.ErrUntrusted):
		return &failure{exitUnreachable, err, ""}
	case errors.As(err, &version):
		return &failure{exitUnreachable, err, "the host speaks other versions of the protocol"}
	case errors.Is(err, ahpclient.ErrNotConnected), errors.Is(err, jsonrpc.ErrClosed):
		return &failure{exitUnreachable, err, "the connection to the host was lost"}
	case errors.Is(err, context.DeadlineExceeded):
		return &failure{exitFailed, errors.New("not reached in time"), "allow more with --timeout"}
	case errors.As(err, &refused):
		if refused.Code == protocol.CodeAuthRequired {
			return &failure{exitSignIn, err, signInHint(err)}
		}
		return &failure{exitRejected, err, ""}
	}
	return &failure{exitFailed, err, ""}
}

// signInNeeded are the resources that a refused command needs a token for.
func signInNeeded(err error) []*protocol.ProtectedResourceMetadata {
	if refused, ok := errors.AsType[*ahpclient.AuthRequiredError](err); ok {
		return refused.Resources
	}
	return nil
}

// signInHint names the command that helps a refused one.
func signInHint(err error) string {
	for _, resource := range signInNeeded(err) {
		if resource != nil && resource.Resource != "" {
			return "a person must sign in first: ahptui mcp login " + resource.Resource
		}
	}
	return "a person must sign in first; see what waits for it: ahptui mcp ls"
}

// report prints an error, as one JSON object if asked, and returns its exit code.
func report(w io.Writer, asJSON bool, err error) int {
	if err == nil || errors.Is(err, errRelaunched) {
		return exitDone
	}
	f := classify(err)
	if errors.Is(err, errReported) {
		return f.code
	}
	if asJSON {
		_ = printJSON(w, struct {
			Error string `json:"error"`
			Code  int    `json:"code"`
			Hint  string `json:"hint,omitzero"`
		}{f.Error(), f.code, f.hint})
		return f.code
	}
	fmt.Fprintln(w, "ahptui:", line(f.Error()))
	if f.hint != "" {
		fmt.Fprintln(w, "  ", line(f.hint))
	}
	return f.code
}

// errReported marks an end whose result has been printed on stdout already.
var errReported = errors.New("reported")

// reported ends a command with a code and nothing more to say.
func reported(code int) error {
	if code == exitDone {
		return nil
	}
	return &failure{code: code, err: errReported}
}

// printJSON writes v as one line.
func printJSON(w io.Writer, v any) error {
	out, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = w.Write(append(out, '\n'))
	return err
}

// line makes a line of output safe for a terminal, whoever wrote parts of it.
func line(s string) safetext.Text { return safetext.Clean(s, maxLine) }

// maxLine bounds a line of output, in characters.
const maxLine = 4096

package ahpclient

import (
	"errors"
	"unicode/utf8"

	"ahptui/internal/jsonrpc"
)

// ErrNotConnected says that nothing was sent because there is no connection.
var ErrNotConnected = errors.New("not connected to the host: nothing was sent")

// brief bounds the text of an error that may quote a peer.
func brief(err error) error {
	if err == nil || len(err.Error()) <= maxText {
		return err
	}
	return &briefError{err}
}

type briefError struct{ cause error }

func (e *briefError) Error() string { return cut(e.cause.Error(), maxText) }
func (e *briefError) Unwrap() error { return e.cause }

// cut is s, or as much of its beginning as fits into limit bytes. It does not
// keep the rest alive.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// Unsupported reports whether an error says that there is no such thing at the negotiated version, or on this host.
func Unsupported(err error) bool {
	if _, ok := errors.AsType[*UnsupportedError](err); ok {
		return true
	}
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code == jsonrpc.CodeMethodNotFound
}

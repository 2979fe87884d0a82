package ahpclient

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The limits on what a peer can make a client keep beside the states of the
// channels that were opened.
const (
	maxText      = 1000    // bytes of one reason, notice or error text
	maxNotices   = 50      // notices
	maxSessions  = 100_000 // entries of the session list
	maxListPages = 100     // pages of the session list
	maxKept      = 1000    // actions of a channel that wait for its snapshot
	maxVersions  = 16      // versions that a refusal names
)

// ErrNotConnected says that nothing was sent because there is no connection.
var ErrNotConnected = errors.New("not connected to the host: nothing was sent")

// VersionError says that client and host have no protocol version in common.
// What the host says is cut to a bearable length and made printable.
type VersionError struct {
	Offered   []string
	Supported []string // versions or ranges; empty if the host does not say
}

// Error names both lists.
func (e *VersionError) Error() string {
	offered := strings.Join(e.Offered, ", ")
	if len(e.Supported) == 0 {
		return fmt.Sprintf("no common protocol version: offered %s; the host does not say what it supports", offered)
	}
	return fmt.Sprintf("no common protocol version: offered %s; the host supports %s", offered, strings.Join(e.Supported, ", "))
}

func newVersionError(offered, supported []string) *VersionError {
	e := &VersionError{Offered: offered}
	for _, v := range supported[:min(len(supported), maxVersions)] {
		v = strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return unicode.ReplacementChar
		}, v)
		e.Supported = append(e.Supported, cut(v, 40))
	}
	return e
}

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

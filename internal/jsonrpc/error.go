package jsonrpc

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The error codes of JSON-RPC 2.0, section 5.1. Protocols on top add their own.
const (
	CodeParseError     = -32700 // the text is not JSON
	CodeInvalidRequest = -32600 // the JSON is not a request
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternalError  = -32603
)

// Why a connection ended or a message was passed over. Every error that a connection's end causes wraps [ErrClosed].
var (
	// ErrClosed says that the connection has ended; what else the error wraps says why. Alone it means that this side
	// closed it.
	ErrClosed = errors.New("connection closed")
	// ErrSlowPeer says that the other side does not read: a write took too long, or too much waits to be written.
	ErrSlowPeer = errors.New("the peer does not read what is sent to it")
	// ErrMalformed says that a message is no JSON, or nested too deeply.
	ErrMalformed = errors.New("malformed message")
)

// maxShown bounds, in characters, what of a peer's text is shown in an error.
const maxShown = 300

// Error is the error object of a response (JSON-RPC 2.0, section 5.1).
type Error struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"` // nil when absent
}

// Error returns the first line of the message, since hosts send whole stack traces, without what could harm a terminal, and
// the code.
func (e *Error) Error() string {
	if line := printable(e.Message); line != "" {
		return fmt.Sprintf("%s (%d)", line, e.Code)
	}
	return fmt.Sprintf("error %d", e.Code)
}

// decodeError makes the best of an error member: a peer that breaks the form has failed the call all the same.
func decodeError(raw jsontext.Value) *Error {
	var parts struct {
		Code    jsontext.Value `json:"code"`
		Message jsontext.Value `json:"message"`
		Data    jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(raw, &parts, tolerant); err != nil {
		return &Error{Code: CodeInternalError, Message: "the error is not an object", Data: raw}
	}
	e := &Error{Code: CodeInternalError, Data: parts.Data}
	if code, err := strconv.ParseInt(string(parts.Code), 10, 32); err == nil {
		e.Code = int(code)
	}
	if parts.Message.Kind() == '"' {
		text, _ := jsontext.AppendUnquote(nil, parts.Message) // a lone surrogate is an error, and replaced
		e.Message = string(text)
	}
	return e
}

// printable returns the first line of a peer's text, at most maxShown characters of it, with what does not print replaced.
func printable(text string) string {
	if i := strings.IndexAny(text, "\r\n"); i >= 0 {
		text = text[:i]
	}
	shown := 0
	for i := range text {
		if shown++; shown > maxShown {
			text = text[:i] + "…"
			break
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonscan"
)

// maxNameBytes bounds method names and ids, which are copied out of the message.
const maxNameBytes = 1 << 10

// tolerant is how all text of a peer is decoded. A JavaScript peer cuts strings inside of surrogate pairs.
var tolerant = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

type messageKind int

const (
	kindUnknown messageKind = iota // valid JSON, but nothing that JSON-RPC 2.0 knows: batches are among it
	kindRequest
	kindNotification
	kindResponse
)

// message is one message taken apart. Its values are parts of the text it was decoded from, byte by byte.
type message struct {
	kind   messageKind
	id     jsontext.Value // nil when absent
	method string
	params jsontext.Value // nil when absent
	result jsontext.Value // nil when absent
	err    jsontext.Value // nil when absent or null
}

// decoder takes messages apart. It is used by one goroutine.
type decoder struct {
	// Nearly all messages of a busy connection have the same method; its name is allocated once.
	rawMethod jsontext.Value
	method    string
}

// decode takes one message apart in a single pass. The error wraps [ErrMalformed].
func (d *decoder) decode(text []byte) (message, error) {
	s := jsonscan.Scanner{Text: text}
	m, ok := d.readMessage(&s)
	if !ok || !s.End() {
		return message{}, syntaxError(text)
	}
	return m, nil
}

// syntaxError says where a text is wrong and quotes nothing of it.
func syntaxError(text []byte) error {
	d := jsontext.NewDecoder(bytes.NewReader(text), tolerant)
	for {
		_, err := d.ReadToken()
		if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok && !errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%w: no JSON at byte %d", ErrMalformed, e.ByteOffset)
		}
		if err != nil {
			return fmt.Errorf("%w: incomplete JSON", ErrMalformed)
		}
		if d.StackDepth() == 0 && d.InputOffset() < int64(len(text)) {
			return fmt.Errorf("%w: text after the value, at byte %d", ErrMalformed, d.InputOffset())
		}
	}
}

func (d *decoder) readMessage(s *jsonscan.Scanner) (m message, ok bool) {
	if s.Peek() != '{' {
		_, ok = s.Value()
		return m, ok
	}
	s.Take('{')
	for first := true; !s.Take('}'); first = false {
		if !first && !s.Take(',') {
			return m, false
		}
		name, escaped, ok := s.Quoted()
		if !ok || !s.Take(':') {
			return m, false
		}
		value, ok := s.Value()
		if !ok {
			return m, false
		}
		if escaped {
			name = unescaped(name)
		}
		d.setMember(&m, name, value[:len(value):len(value)])
	}
	m.classify()
	return m, true
}

func (d *decoder) setMember(m *message, name []byte, value jsontext.Value) {
	switch string(name) {
	case "id":
		m.id = value
	case "method":
		m.method = d.methodName(value)
	case "params":
		m.params = value
	case "result":
		m.result = value
	case "error":
		m.err = value
		if value.Kind() == 'n' {
			m.err = nil
		}
	}
}

// unescaped returns a member's name without escapes.
func unescaped(name []byte) []byte {
	quoted := append(append([]byte{'"'}, name...), '"')
	text, _ := jsontext.AppendUnquote(nil, quoted) // a lone surrogate is an error, and replaced
	return text
}

// methodName returns the empty string for what cannot be a method's name.
func (d *decoder) methodName(value jsontext.Value) string {
	if bytes.Equal(value, d.rawMethod) {
		return d.method
	}
	if value.Kind() != '"' || len(value) > maxNameBytes {
		return ""
	}
	text, _ := jsontext.AppendUnquote(nil, value) // a lone surrogate is an error, and replaced
	d.rawMethod, d.method = bytes.Clone(value), string(text)
	return d.method
}

func (m *message) classify() {
	switch {
	case m.method != "" && m.id == nil:
		m.kind = kindNotification
	case m.method != "" && isID(m.id):
		m.kind = kindRequest
	case m.method == "" && (m.err != nil || m.id != nil && m.result != nil):
		m.kind = kindResponse
	}
}

// isID reports whether a request may have this id. Null is discouraged by the specification, and echoed by those hosts
// that we know.
func isID(id jsontext.Value) bool {
	kind := id.Kind()
	return (kind == '0' || kind == '"' || kind == 'n') && len(id) <= maxNameBytes
}

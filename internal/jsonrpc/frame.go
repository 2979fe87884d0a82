package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxNameBytes bounds method names and ids, which are copied out of the message.
	maxNameBytes = 1 << 10
	// keptBytes is the size up to which the decoder may go on holding a message that it is done with.
	keptBytes = 64 << 10
)

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
	json jsontext.Decoder
	text bytes.Buffer

	// Nearly all messages of a busy connection have the same method; its name is allocated once.
	rawMethod jsontext.Value
	method    string
}

// decode takes one message apart in a single pass. The error wraps [ErrMalformed].
func (d *decoder) decode(text []byte) (message, error) {
	d.text = *bytes.NewBuffer(text)
	d.json.Reset(&d.text, tolerant)
	m, err := d.readMessage(text)
	if err != nil {
		return message{}, syntaxError(err)
	}
	if len(text) > keptBytes {
		d.text = bytes.Buffer{}
		d.json.Reset(&d.text)
	}
	return m, nil
}

// syntaxError says where the text is wrong and quotes nothing of it.
func syntaxError(err error) error {
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return fmt.Errorf("%w: no JSON at byte %d", ErrMalformed, e.ByteOffset)
	}
	return fmt.Errorf("%w: incomplete JSON", ErrMalformed)
}

func (d *decoder) readMessage(text []byte) (message, error) {
	var m message
	if d.json.PeekKind() != '{' {
		if _, err := d.json.ReadValue(); err != nil {
			return m, err
		}
		return m, d.readEnd()
	}
	if _, err := d.json.ReadToken(); err != nil {
		return m, err
	}
	for d.json.PeekKind() != '}' {
		name, err := d.readValue(text)
		if err != nil {
			return m, err
		}
		value, err := d.readValue(text)
		if err != nil {
			return m, err
		}
		d.setMember(&m, name, value)
	}
	if _, err := d.json.ReadToken(); err != nil {
		return m, err
	}
	m.classify()
	return m, d.readEnd()
}

// readValue reads the next value and returns it as the part of text that it is.
func (d *decoder) readValue(text []byte) (jsontext.Value, error) {
	value, err := d.json.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(d.json.InputOffset())
	return text[end-len(value) : end : end], nil
}

// readEnd reports an error if there is more than white space left.
func (d *decoder) readEnd() error {
	if _, err := d.json.ReadToken(); err == nil {
		return errors.New("text after the value")
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func (d *decoder) setMember(m *message, name, value jsontext.Value) {
	if bytes.IndexByte(name, '\\') >= 0 {
		name = unescaped(name)
	}
	switch string(name) {
	case `"id"`:
		m.id = value
	case `"method"`:
		m.method = d.methodName(value)
	case `"params"`:
		m.params = value
	case `"result"`:
		m.result = value
	case `"error"`:
		m.err = value
		if value.Kind() == 'n' {
			m.err = nil
		}
	}
}

// unescaped returns a member's name in quotes and without escapes.
func unescaped(name jsontext.Value) jsontext.Value {
	text, _ := jsontext.AppendUnquote([]byte(`"`), name) // a lone surrogate is an error, and replaced
	return append(text, '"')
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

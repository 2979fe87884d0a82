package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a JSON value kept as it came.
type Raw = jsontext.Value

// The ways to code. Lone surrogates are the invalid UTF-8 that is allowed: a
// [Text] and a [Raw] keep them.
var (
	firstTry = jsontext.AllowInvalidUTF8(true)
	lastWins = json.JoinOptions(firstTry, jsontext.AllowDuplicateNames(true))
	exact    = json.JoinOptions(lastWins, jsontext.PreserveRawStrings(true), json.Deterministic(true))
)

// Unmarshal decodes one JSON value the way every AHP message is decoded: unknown
// members, duplicate members (the last wins) and invalid UTF-8 (it becomes
// U+FFFD) are no errors, and null is as good as absent, so that no list or map
// has nil in it. A member whose type is not the expected one stays in the Extra
// of its struct; it is an error only where there is none.
//
// Nesting is bounded by the JSON library (10,000) and, earlier, by the connection.
func Unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\ufffd"))
	}
	if readPlanned(data, v) {
		return nil
	}
	return unmarshalByLibrary(data, v)
}

// unmarshalByLibrary is Unmarshal for valid UTF-8 of any kind.
func unmarshalByLibrary(data []byte, v any) error {
	if first := json.Unmarshal(data, v, firstTry); first != nil {
		reflect.ValueOf(v).Elem().SetZero()
		if err := json.Unmarshal(data, v, tolerant(tolerantLevels)); err != nil {
			if !errors.Is(first, jsontext.ErrDuplicateName) { // which is no error, and hid the one that is
				err = first // it tells the place better
			}
			return fmt.Errorf("decode %T: %w", v, err)
		}
	}
	if bytes.Contains(data, []byte("null")) {
		dropNulls(reflect.ValueOf(v))
	}
	return nil
}

// Marshal encodes v as AHP JSON. Absent members are omitted, unknown members
// that were decoded are written back.
func Marshal(v any) ([]byte, error) {
	data, err := json.Marshal(v, exact)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return data, nil
}

// The plain types have the members of a union type and none of its methods, so
// that the methods can use the ordinary coding of those members.
type (
	plainResponsePart        ResponsePart
	plainToolCall            ToolCall
	plainToolResultContent   ToolResultContent
	plainCustomization       Customization
	plainMcpServerState      McpServerState
	plainSessionInputRequest SessionInputRequest
	plainMessageAttachment   MessageAttachment
)

// MarshalJSONTo writes the part, or the raw value it was kept as.
func (p ResponsePart) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, p.Raw, (*plainResponsePart)(&p))
}

// MarshalJSONTo writes the call, or the raw value it was kept as.
func (c ToolCall) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, c.Raw, (*plainToolCall)(&c))
}

// MarshalJSONTo writes the content, or the raw value it was kept as.
func (c ToolResultContent) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, c.Raw, (*plainToolResultContent)(&c))
}

// MarshalJSONTo writes the customization, or the raw value it was kept as.
func (c Customization) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, c.Raw, (*plainCustomization)(&c))
}

// MarshalJSONTo writes the state, or the raw value it was kept as.
func (s McpServerState) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, s.Raw, (*plainMcpServerState)(&s))
}

// MarshalJSONTo writes the request, or the raw value it was kept as.
func (r SessionInputRequest) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, r.Raw, (*plainSessionInputRequest)(&r))
}

// MarshalJSONTo writes the attachment, or the raw value it was kept as.
func (a MessageAttachment) MarshalJSONTo(enc *jsontext.Encoder) error {
	return marshalUnion(enc, a.Raw, (*plainMessageAttachment)(&a))
}

func marshalUnion(enc *jsontext.Encoder, raw Raw, plain any) error {
	if raw != nil {
		return enc.WriteValue(raw)
	}
	return json.MarshalEncode(enc, plain)
}

package protocol

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Raw is a JSON value kept as it came.
type Raw = jsontext.Value

// Unmarshal decodes one JSON value the way every AHP message is decoded:
// duplicate members (the last wins), invalid UTF-8 and unknown members are no
// errors. A union member (response part, tool call, customization, …) whose
// known members have unexpected types is kept raw instead of failing the whole.
// Nesting is bounded by the JSON library (10,000) and, earlier, by the connection.
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v, decodeOptions())
	if err == nil {
		return nil
	}
	if json.Unmarshal(data, v, decodeOptions(), json.WithUnmarshalers(lenientUnions())) != nil {
		return fmt.Errorf("decode %T: %w", v, err)
	}
	return nil
}

// Marshal encodes v as AHP JSON. Absent members are omitted, unknown members
// that were decoded are written back.
func Marshal(v any) ([]byte, error) {
	data, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return data, nil
}

func decodeOptions() json.Options {
	return json.JoinOptions(
		jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true),
	)
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

// lenientUnions decodes a union member that does not fit its Go type as its
// discriminator, its keys and its raw text. It is the second attempt, so that
// the first, which nearly always succeeds, pays nothing for it.
func lenientUnions() *json.Unmarshalers {
	return json.JoinUnmarshalers(
		lenient(func(p *ResponsePart) any { return (*plainResponsePart)(p) }, func(p *ResponsePart, raw Raw) {
			*p = ResponsePart{Kind: PartKind(member(raw, "kind")), ID: member(raw, "id"), Raw: raw}
		}),
		lenient(func(c *ToolCall) any { return (*plainToolCall)(c) }, func(c *ToolCall, raw Raw) {
			*c = ToolCall{Status: ToolCallStatus(member(raw, "status")), ToolCallID: member(raw, "toolCallId"), ToolName: member(raw, "toolName"), Raw: raw}
		}),
		lenient(func(c *ToolResultContent) any { return (*plainToolResultContent)(c) }, func(c *ToolResultContent, raw Raw) {
			*c = ToolResultContent{Type: member(raw, "type"), Raw: raw}
		}),
		lenient(func(c *Customization) any { return (*plainCustomization)(c) }, func(c *Customization, raw Raw) {
			*c = Customization{Type: CustomizationType(member(raw, "type")), ID: member(raw, "id"), Name: member(raw, "name"), Raw: raw}
		}),
		lenient(func(s *McpServerState) any { return (*plainMcpServerState)(s) }, func(s *McpServerState, raw Raw) {
			*s = McpServerState{Kind: McpStateKind(member(raw, "kind")), Raw: raw}
		}),
		lenient(func(r *SessionInputRequest) any { return (*plainSessionInputRequest)(r) }, func(r *SessionInputRequest, raw Raw) {
			*r = SessionInputRequest{Kind: InputRequestKind(member(raw, "kind")), ID: member(raw, "id"), Chat: URI(member(raw, "chat")), Raw: raw}
		}),
		lenient(func(a *MessageAttachment) any { return (*plainMessageAttachment)(a) }, func(a *MessageAttachment, raw Raw) {
			*a = MessageAttachment{Type: member(raw, "type"), Raw: raw}
		}),
	)
}

func lenient[T any](plain func(*T) any, keep func(*T, Raw)) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *T) error {
		val, err := dec.ReadValue()
		if err != nil {
			return err
		}
		raw := val.Clone()
		if err := json.Unmarshal(raw, plain(v), decodeOptions(), json.WithUnmarshalers(lenientUnions())); err != nil {
			keep(v, raw)
		}
		return nil
	})
}

// member returns a string member of a JSON object, or "" where there is none.
func member(raw Raw, name string) string {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), decodeOptions())
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return ""
	}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return ""
		}
		if tok.String() != name {
			if dec.SkipValue() != nil {
				return ""
			}
			continue
		}
		if dec.PeekKind() != '"' {
			return ""
		}
		if tok, err = dec.ReadToken(); err != nil {
			return ""
		}
		return tok.String()
	}
	return ""
}

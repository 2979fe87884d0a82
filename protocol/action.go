package protocol

import (
	"bytes"
	"errors"
	"unicode/utf8"
	"unsafe"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/jsonscan"
)

// Action is a change of a channel's state. The concrete types are named as in
// the protocol, without the suffix Action. Which channel it changes is told by
// the envelope; which reducer takes it, by the prefix of its type.
type Action interface {
	// ActionType is the wire name, such as "chat/delta".
	ActionType() string
}

// UnknownAction is an action of a type that is not known here, or whose members
// could not be read (Err). Reducers leave the state as it is.
type UnknownAction struct {
	Type string
	Raw  Raw
	Err  error
}

// ActionType is the wire name.
func (a *UnknownAction) ActionType() string { return a.Type }

// errNoAction: what [ActionAt] has no word for is not to be sent.
var errNoAction = errors.New("there is no action to encode")

// DecodeAction reads an action. It never fails: what cannot be read becomes an
// [UnknownAction] that keeps the raw value.
func DecodeAction(raw Raw) Action {
	var a Action
	r := reader{Scanner: jsonscan.Scanner{Text: raw}}
	if utf8.Valid(raw) && r.action(&a) && r.End() {
		return a
	}
	return decodeAction(raw)
}

// decodeAction is DecodeAction for actions of any kind.
func decodeAction(raw Raw) Action {
	typ := actionType(raw)
	a := newAction(typ)
	if a == nil {
		return &UnknownAction{Type: typ, Raw: raw.Clone()}
	}
	if err := Unmarshal(raw, a); err != nil {
		return &UnknownAction{Type: typ, Raw: raw.Clone(), Err: err}
	}
	return a
}

// actionType is the type of an action. Peers write it first and once, which is
// seen at a glance; whatever else they do takes a full look.
func actionType(raw Raw) string {
	const name = `"type"`
	if rest, ok := bytes.CutPrefix(raw, []byte("{"+name+`:"`)); ok && !bytes.Contains(rest, []byte(name)) {
		if end := bytes.IndexAny(rest, `"\`); end >= 0 && rest[end] == '"' {
			return string(rest[:end])
		}
	}
	var head struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(raw, &head, lastWins) != nil {
		return ""
	}
	return head.Type
}

// EncodeAction writes an action with its type as first member.
func EncodeAction(a Action) (Raw, error) {
	if u, ok := a.(*UnknownAction); ok {
		return u.Raw, nil
	}
	if a == nil {
		return nil, errNoAction
	}
	body, err := Marshal(a)
	if err != nil {
		return nil, err
	}
	out := append(make([]byte, 0, len(body)+40), `{"type":"`...)
	out = append(append(out, a.ActionType()...), '"')
	if len(body) > len("{}") {
		out = append(out, ',')
	}
	return append(out, body[1:]...), nil
}

// Envelope is an action as the host sends it: numbered, and with its author.
type Envelope struct {
	Channel         URI           `json:"channel"`
	Action          Action        `json:"action"`
	ServerSeq       int64         `json:"serverSeq"`
	Origin          *ActionOrigin `json:"origin"`          // nil: the host itself
	RejectionReason *string       `json:"rejectionReason"` // not nil: refused, to be reverted
}

// ActionOrigin names the client that dispatched an action.
type ActionOrigin struct {
	ClientID  string `json:"clientId"`
	ClientSeq int64  `json:"clientSeq"`
}

type wireEnvelope struct {
	Channel         URI           `json:"channel"`
	Action          wireAction    `json:"action"`
	ServerSeq       int64         `json:"serverSeq"`
	Origin          *ActionOrigin `json:"origin,omitzero"`
	RejectionReason *string       `json:"rejectionReason,omitzero"`
}

// wireAction codes an action inside an envelope.
type wireAction struct{ Action }

// UnmarshalJSONFrom reads an action; it fails only where there is no JSON.
func (a *wireAction) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	a.Action = DecodeAction(raw)
	return nil
}

// MarshalJSONTo writes an action.
func (a wireAction) MarshalJSONTo(enc *jsontext.Encoder) error {
	raw, err := EncodeAction(a.Action)
	if err != nil {
		return err
	}
	return enc.WriteValue(raw)
}

// UnmarshalJSONFrom reads an envelope and the action in it.
func (e *Envelope) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var w wireEnvelope
	if err := json.UnmarshalDecode(dec, &w); err != nil {
		return err
	}
	if w.Action.Action == nil {
		w.Action.Action = &UnknownAction{Raw: Raw("null")}
	}
	*e = Envelope{w.Channel, w.Action.Action, w.ServerSeq, w.Origin, w.RejectionReason}
	return nil
}

// ReadEnvelope is [Unmarshal] for a message that is given away: what is read may
// share its memory, so nobody may change it any more. Only a short message is
// kept alive in this way.
func ReadEnvelope(message []byte, e *Envelope) error {
	const short = 1 << 10
	*e = Envelope{}
	r := reader{given: len(message) <= short}
	if utf8.Valid(message) && r.read(message, envelopePlan(), unsafe.Pointer(e)) {
		return nil
	}
	*e = Envelope{}
	return Unmarshal(message, e)
}

// MarshalJSONTo writes an envelope.
func (e Envelope) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, wireEnvelope{e.Channel, wireAction{e.Action}, e.ServerSeq, e.Origin, e.RejectionReason})
}

package wire

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/protocol"
)

// What follows judges what is sent from 0.9 on, for which there are no schemas, by the types that [protocol] decodes
// into. Where decoding takes whatever comes, this takes what these types name, and nothing else: no member, kind or word
// that is not known, none that another version has, and none missing that is always there.

// strict is the judge of a version.
type strict struct{ version protocol.Version }

// params checks the parameters of a request or a notification.
func (s strict) params(method string, value jsontext.Value) error {
	typ, known := paramsTypes()[method]
	if !known {
		return errors.New("no such method is known")
	}
	return s.check("", value, typ)
}

// result checks the result of a request.
func (s strict) result(method string, value jsontext.Value) error {
	typ, known := resultTypes()[method]
	switch {
	case !known:
		return errors.New("no such method is known")
	case typ == nil && !bytes.Equal(value, []byte("null")):
		return errors.New("it is not null")
	case typ == nil:
		return nil
	}
	return s.check("", value, typ)
}

// check holds a value against the type that it is decoded into. The errors say where in the value the mistake is.
func (s strict) check(at string, value jsontext.Value, typ reflect.Type) error {
	switch typ {
	case reflect.TypeFor[protocol.Raw]():
		return nil
	case reflect.TypeFor[protocol.Text]():
		return want(at, value, '"')
	case reflect.TypeFor[protocol.Status]():
		return want(at, value, '0')
	case reflect.TypeFor[protocol.StringOrMarkdown]():
		return s.either(at, value, reflect.TypeFor[markdown]())
	case reflect.TypeFor[protocol.ToolInput]():
		return s.either(at, value, reflect.TypeFor[protocol.ContentRef]())
	case reflect.TypeFor[protocol.ResourceOrString]():
		typ = reflect.TypeFor[protocol.ProtectedResourceMetadata]()
	case reflect.TypeFor[protocol.Envelope]():
		if isRejected(value) {
			return nil // its action goes back as it came
		}
		typ = reflect.TypeFor[envelope]()
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return s.check(at, value, typ.Elem())
	case reflect.String:
		return want(at, value, '"')
	case reflect.Bool:
		return want(at, value, 't', 'f')
	case reflect.Slice:
		return s.list(at, value, typ.Elem())
	case reflect.Map:
		return s.mapping(at, value, typ.Elem())
	case reflect.Struct:
		return s.object(at, value, typ, false)
	}
	return want(at, value, '0')
}

// envelope has the members of [protocol.Envelope].
type envelope struct {
	Channel         protocol.URI           `json:"channel"`
	Action          jsontext.Value         `json:"action"`
	ServerSeq       int64                  `json:"serverSeq"`
	Origin          *protocol.ActionOrigin `json:"origin,omitzero"`
	RejectionReason *string                `json:"rejectionReason,omitzero"`
}

type markdown struct {
	Markdown string `json:"markdown"`
}

func want(at string, value jsontext.Value, kinds ...jsontext.Kind) error {
	if slices.Contains(kinds, value.Kind()) {
		return nil
	}
	return fmt.Errorf("at %s/: it is %s", at, shorten(value))
}

// either checks a value that is a string or an object.
func (s strict) either(at string, value jsontext.Value, typ reflect.Type) error {
	if value.Kind() == '"' {
		return nil
	}
	return s.check(at, value, typ)
}

func (s strict) list(at string, value jsontext.Value, typ reflect.Type) error {
	var list []jsontext.Value
	if err := read(at, value, &list, '['); err != nil {
		return err
	}
	for i, element := range list {
		if err := s.check(fmt.Sprint(at, "/", i), element, typ); err != nil {
			return err
		}
	}
	return nil
}

func (s strict) mapping(at string, value jsontext.Value, typ reflect.Type) error {
	var members map[string]jsontext.Value
	if err := read(at, value, &members, '{'); err != nil {
		return err
	}
	for name, member := range members {
		if err := s.check(at+"/"+name, member, typ); err != nil {
			return err
		}
	}
	return nil
}

func read(at string, value jsontext.Value, into any, kind jsontext.Kind) error {
	if err := want(at, value, kind); err != nil {
		return err
	}
	if err := json.Unmarshal(value, into, jsontext.AllowInvalidUTF8(true)); err != nil { // a name twice is a mistake, too
		return fmt.Errorf("at %s/: %w", at, err)
	}
	return nil
}

// object checks the members of an object. Of a part of one, those that are always there may be missing.
func (s strict) object(at string, value jsontext.Value, typ reflect.Type, part bool) error {
	var members map[string]jsontext.Value
	if err := read(at, value, &members, '{'); err != nil {
		return err
	}
	for i := range typ.NumField() {
		name, always := nameOf(typ.Field(i))
		member, there := members[name]
		delete(members, name)
		switch {
		case name == "" || !there && (part || !always):
		case !there:
			return fmt.Errorf("at %s/: %s is missing", at, name)
		default:
			if err := s.member(at+"/"+name, typ.Name()+"."+name, member, typ.Field(i).Type); err != nil {
				return err
			}
		}
	}
	for name := range members {
		if !slices.Contains(unnamed()[typ.Name()], name) {
			return fmt.Errorf("at %s/: there is no member %s in %s", at, name, typ.Name())
		}
	}
	return nil
}

// nameOf is the JSON name of a field, and whether it is always there.
func nameOf(f reflect.StructField) (name string, always bool) {
	name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		name = ""
	}
	return name, !strings.Contains(opts, "omitzero")
}

// member checks a member that has a name such as Turn.state.
func (s strict) member(at, name string, value jsontext.Value, typ reflect.Type) error {
	if from, late := introduced()[name]; late && !s.version.AtLeast(from) {
		return fmt.Errorf("at %s: it is there from %s on", at, from)
	}
	if slices.Contains(gone(), name) {
		return fmt.Errorf("at %s: it is not there any more", at)
	}
	if allowed, closed := words()[name]; closed {
		var word string
		if err := read(at, value, &word, '"'); err != nil {
			return err
		}
		if !slices.Contains(allowed, word) {
			return fmt.Errorf("at %s: %q is no word for it", at, word)
		}
	}
	switch name {
	case "envelope.action", "DispatchActionParams.action":
		return s.action(at, value)
	case "Snapshot.state":
		return s.state(at, value)
	case "SessionSummaryChangedParams.changes":
		return s.object(at, value, reflect.TypeFor[protocol.SessionSummary](), true)
	case "SessionChatUpdated.changes":
		return s.object(at, value, reflect.TypeFor[protocol.ChatSummary](), true)
	}
	return s.check(at, value, typ)
}

// action checks an action by its type.
func (s strict) action(at string, value jsontext.Value) error {
	a := protocol.DecodeAction(value)
	if u, unknown := a.(*protocol.UnknownAction); unknown {
		if u.Err != nil {
			return fmt.Errorf("at %s: %w", at, u.Err)
		}
		return fmt.Errorf("at %s: the action %q is not known", at, u.Type)
	}
	if from, late := introduced()[a.ActionType()]; late && !s.version.AtLeast(from) {
		return fmt.Errorf("at %s: there is %s from %s on", at, a.ActionType(), from)
	}
	var members map[string]jsontext.Value
	if err := read(at, value, &members, '{'); err != nil {
		return err
	}
	delete(members, "type")
	rest, err := json.Marshal(members, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	return s.object(at, rest, reflect.TypeOf(a).Elem(), false)
}

// state checks the state of a channel by what it looks like.
func (s strict) state(at string, value jsontext.Value) error {
	state, err := protocol.DecodeState(protocol.ProbeKind(value), value)
	if err != nil {
		return fmt.Errorf("at %s: %w", at, err)
	}
	if _, raw := state.(*protocol.RawState); raw {
		return fmt.Errorf("at %s: it is the state of no channel that is known", at)
	}
	return s.object(at, value, reflect.TypeOf(state).Elem(), false)
}

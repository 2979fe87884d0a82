package protocol

import (
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tolerantLevels bounds how many structs deep the second attempt looks for what
// does not fit, because each level reads its part of the message again. The
// deepest place that matters is the sixth: an attachment of a message of a tool
// call of a part of a turn of a chat.
const tolerantLevels = 8

var errNotObject = errors.New("want a JSON object")

// tolerant are the options of the second attempt at a value, which the first
// found wanting: it takes structs apart member by member. The first attempt
// nearly always succeeds and pays nothing for the second.
func tolerant(levels int) json.Options {
	if levels == 0 {
		return lastWins
	}
	inner := tolerant(levels - 1)
	return json.JoinOptions(lastWins, json.WithUnmarshalers(json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v any) error {
		target := reflect.ValueOf(v).Elem()
		if _, own := v.(json.UnmarshalerFrom); own || target.Kind() != reflect.Struct {
			return errors.ErrUnsupported
		}
		return decodeMembers(dec, target, inner)
	})))
}

// decodeMembers decodes what fits the fields of a struct and puts the rest into
// its Extra. Of members with the same name the last wins. What is no object is
// kept whole by a struct that has a place for it.
func decodeMembers(dec *jsontext.Decoder, target reflect.Value, inner json.Options) error {
	target.SetZero()
	if dec.PeekKind() != '{' {
		return keepWhole(dec, target)
	}
	var members map[string]Raw
	if err := json.UnmarshalDecode(dec, &members); err != nil {
		return err
	}
	extra := target.FieldByName("Extra")
	for i := range target.NumField() {
		name := memberName(target.Type().Field(i))
		value, ok := members[name]
		if !ok || name == "" {
			continue
		}
		if err := decodeMember(value, target.Field(i), inner); err == nil {
			delete(members, name)
		} else if !extra.IsValid() {
			return err
		}
	}
	if !extra.IsValid() || len(members) == 0 {
		return nil
	}
	rest, err := json.Marshal(members, exact)
	if err != nil {
		return err
	}
	extra.SetBytes(rest)
	return nil
}

func decodeMember(value Raw, field reflect.Value, inner json.Options) error {
	v := field.Addr().Interface()
	if json.Unmarshal(value, v, firstTry) == nil {
		return nil
	}
	field.SetZero()
	err := json.Unmarshal(value, v, inner)
	if err != nil {
		field.SetZero()
	}
	return err
}

func keepWhole(dec *jsontext.Decoder, target reflect.Value) error {
	value, err := dec.ReadValue()
	if err != nil || value.Kind() == 'n' {
		return err
	}
	whole := target.FieldByName("Raw")
	if !whole.IsValid() {
		return errNotObject
	}
	whole.SetBytes(value.Clone())
	return nil
}

// dropNulls makes absent what was null: elements of lists, values of maps, and
// members that are kept raw. Values of configurations, which null may well be,
// are maps of raw values and stay.
func dropNulls(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			dropNulls(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Field(i)
			switch {
			case !field.CanSet():
			case field.Type() == reflect.TypeFor[Raw]() && string(field.Bytes()) == "null":
				field.SetZero()
			default:
				dropNulls(field)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Pointer {
			dropNullElements(v)
		}
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.Pointer {
			dropNullValues(v)
		}
	}
}

func dropNullElements(list reflect.Value) {
	kept := 0
	for i := range list.Len() {
		element := list.Index(i)
		if element.IsNil() {
			continue
		}
		dropNulls(element)
		list.Index(kept).Set(element)
		kept++
	}
	list.SetLen(kept)
}

func dropNullValues(m reflect.Value) {
	for _, key := range m.MapKeys() {
		if value := m.MapIndex(key); value.IsNil() {
			m.SetMapIndex(key, reflect.Value{})
		} else {
			dropNulls(value)
		}
	}
}

package auth

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ahptui/internal/secret"
)

// What an OAuth document may be made of. Its size is bounded where it is fetched.
const (
	maxDepth    = 64
	maxElements = 1024 // of one array or object
)

// errNotJSON says that an answer is something else altogether, such as a page for people.
var errNotJSON = errors.New("it is not JSON")

// parseDocument reads an OAuth document. It is strict, since two readers that understand a document differently are an
// opening: a member twice, a member that differs from a known one only in case, and invalid UTF-8 are errors. Members
// that are not known are passed over. No error holds a value.
func parseDocument[T any](data []byte) (T, error) {
	var document T
	names := memberNames[T]()
	if err := checkShape(data, names); err != nil {
		return document, err
	}
	if err := json.Unmarshal(data, &document); err != nil {
		var zero T
		return zero, describe(err, names)
	}
	return document, nil
}

// memberNames lists the JSON names of a struct's fields.
func memberNames[T any]() []string {
	var names []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func checkShape(data []byte, known []string) error {
	if !utf8.Valid(data) {
		return errors.New("it is not UTF-8")
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	if dec.PeekKind() != '{' {
		return errNotJSON
	}
	for {
		token, err := dec.ReadToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return describe(err, known)
		}
		depth := dec.StackDepth()
		kind, n := dec.StackIndex(depth)
		switch {
		case depth > maxDepth:
			return fmt.Errorf("it is nested more than %d deep", maxDepth)
		case depth > 0 && n > maxElements:
			return fmt.Errorf("it has more than %d values in one place", maxElements)
		case depth == 1 && kind == '{' && n%2 == 1:
			if err := checkName(token.String(), known); err != nil {
				return err
			}
		}
	}
}

func checkName(name string, known []string) error {
	for _, k := range known {
		if name != k && strings.EqualFold(name, k) {
			return fmt.Errorf("it spells %s in another case", k)
		}
	}
	return nil
}

// describe says what is wrong with a document without repeating any of it.
func describe(err error, known []string) error {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return errors.New("it has a member twice")
	}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return errNotJSON
	}
	for name := range semantic.JSONPointer.Tokens() {
		if slices.Contains(known, name) {
			return fmt.Errorf("its %s is not of the right form", name)
		}
		break
	}
	return errors.New("it is not of the right form")
}

// secretText is a secret in a document.
type secretText struct{ secret.Value }

// UnmarshalJSONFrom reads a JSON string.
func (s *secretText) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var text string
	if err := json.UnmarshalDecode(dec, &text); err != nil {
		return err
	}
	s.Value = secret.New(text)
	return nil
}

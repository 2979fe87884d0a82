package protocol

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// What goes out is strict where what comes in is taken as it is. The functions of
// this file are the judge: they find what a version does not know in a message,
// and what it needs and the message lacks. No schema is needed for that, since
// the types say which versions know what.

// CheckParams judges the parameters of a request or notification sent at a version.
func CheckParams(v Version, from Side, method string, params Raw) error {
	m, ok := MethodByName(method)
	switch {
	case !ok || !v.AtLeast(m.Since):
		return fmt.Errorf("%s is no method at %s", method, v)
	case m.From&from == 0:
		return fmt.Errorf("%s is not sent by that side", method)
	}
	return checkAs(v, m.Params(), params, method)
}

// CheckResult judges the result of a request answered at a version.
func CheckResult(v Version, method string, result Raw) error {
	m, ok := MethodByName(method)
	if !ok || m.Notifies {
		return fmt.Errorf("%s has no result", method)
	}
	if _, empty := m.Result().(*EmptyResult); empty && result.Kind() == 'n' {
		return nil
	}
	return checkAs(v, m.Result(), result, method)
}

// CheckState judges a channel's state sent at a version.
func CheckState(v Version, kind ChannelKind, state Raw) error {
	s := newState(kind)
	if s == nil {
		return fmt.Errorf("%s is no kind of channel", kind)
	}
	return checkAs(v, s, state, string(kind))
}

// CheckAction judges an action sent at a version.
func CheckAction(v Version, action Raw) error {
	c := checker{v: v}
	c.action(action, "action")
	return errors.Join(c.found...)
}

func checkAs(v Version, target any, raw Raw, path string) error {
	c := checker{v: v}
	c.value(reflect.TypeOf(target).Elem(), raw, path)
	if c.found == nil && unshaped(v, target, raw) {
		c.report(path, "has not the shape of the version")
	}
	return errors.Join(c.found...)
}

// unshaped reports whether a value would look otherwise at a version.
func unshaped(v Version, target any, raw Raw) bool {
	if json.Unmarshal(raw, target, firstTry) != nil {
		return false // which was found already
	}
	shape := former{v, formPlan()}.pointer(reflect.ValueOf(target))
	if shape.IsNil() {
		return true
	}
	before, err1 := Marshal(target)
	after, err2 := Marshal(shape.Interface())
	return err1 != nil || err2 != nil || !alike(before, after)
}

// alike compares without regard to the order of members.
func alike(a, b Raw) bool {
	var x, y any
	return json.Unmarshal(a, &x, firstTry) == nil && json.Unmarshal(b, &y, firstTry) == nil && reflect.DeepEqual(x, y)
}

// maxFindings is how much is told of one message.
const maxFindings = 20

type checker struct {
	v     Version
	found []error
}

func (c *checker) report(path, format string, args ...any) {
	if len(c.found) < maxFindings {
		c.found = append(c.found, fmt.Errorf("%s %s at %s", path, fmt.Sprintf(format, args...), c.v))
	}
}

func (c *checker) action(raw Raw, path string) {
	typ := actionType(raw)
	row, ok := actionTable()[typ]
	if !ok || !c.v.AtLeast(row.since) {
		c.report(path, "is of type %q, which is not known", typ)
		return
	}
	c.object(reflect.TypeOf(row.empty()).Elem(), raw, typ, "type")
	if shape := ActionAt(c.v, DecodeAction(raw)); c.found == nil && !sameAction(shape, raw) {
		c.report(typ, "has not the shape of the version")
	}
}

func sameAction(a Action, raw Raw) bool {
	if a == nil {
		return false
	}
	before, err1 := EncodeAction(DecodeAction(raw))
	after, err2 := EncodeAction(a)
	return err1 == nil && err2 == nil && alike(before, after)
}

func (c *checker) value(t reflect.Type, raw Raw, path string) {
	switch {
	case t == reflect.TypeFor[Action]():
		c.action(raw, path)
	case t == reflect.TypeFor[Raw](), t == reflect.TypeFor[Value]():
	case raw.Kind() == 'n':
		c.report(path, "is null")
	case codesItself(t):
		if json.Unmarshal(raw, reflect.New(t).Interface(), firstTry) != nil {
			c.report(path, "is of another type")
		}
	case t.Kind() == reflect.Pointer:
		c.value(t.Elem(), raw, path)
	case t.Kind() == reflect.Struct:
		c.object(t, raw, path)
	case t.Kind() == reflect.Slice:
		c.list(t.Elem(), raw, path)
	case t.Kind() == reflect.Map:
		var members map[string]Raw
		if json.Unmarshal(raw, &members, firstTry) != nil {
			c.report(path, "is no object")
		}
		for name, value := range members {
			c.value(t.Elem(), value, path+"."+name)
		}
	default:
		if json.Unmarshal(raw, reflect.New(t).Interface(), firstTry) != nil {
			c.report(path, "is of another type")
		}
	}
}

// codesItself: what reads itself has nothing to look at inside, except envelopes.
func codesItself(t reflect.Type) bool {
	_, reads := reflect.New(t).Interface().(json.UnmarshalerFrom)
	return reads && t != reflect.TypeFor[Envelope]()
}

func (c *checker) list(t reflect.Type, raw Raw, path string) {
	var items []Raw
	if json.Unmarshal(raw, &items, firstTry) != nil {
		c.report(path, "is no list")
	}
	for i, item := range items {
		c.value(t, item, fmt.Sprintf("%s[%d]", path, i))
	}
}

// object judges the members; also names those that are known besides the fields.
func (c *checker) object(t reflect.Type, raw Raw, path string, also ...string) {
	var members map[string]Raw
	if json.Unmarshal(raw, &members, firstTry) != nil {
		c.report(path, "is no object, or has a member twice")
		return
	}
	for _, name := range also {
		delete(members, name)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := memberName(f)
		if name == "" {
			for kept := range strings.SplitSeq(f.Tag.Get("keeps"), ",") { // known, and left raw
				delete(members, kept)
			}
			continue
		}
		value, there := members[name]
		delete(members, name)
		known := knownAt(c.v, f.Tag)
		switch {
		case there && !known:
			c.report(path+"."+name, "is not known")
		case there:
			c.value(f.Type, value, path+"."+name)
			c.word(t.Name()+"."+name, value, path+"."+name)
		case known && isRequired(t, f):
			c.report(path, "lacks %s", name)
		}
	}
	for name := range members {
		c.report(path+"."+name, "is not known")
	}
}

// word judges a member that has only certain words.
func (c *checker) word(member string, raw Raw, path string) {
	words, listed := wordTable()[member]
	if !listed {
		return
	}
	var word string
	if json.Unmarshal(raw, &word, firstTry) == nil && !slices.Contains(words, word) {
		c.report(path, "is %q, which is no word for it", word)
	}
}

// isRequired: what may be absent says so in its tag; the two members of an
// envelope that may be are written by hand.
func isRequired(t reflect.Type, f reflect.StructField) bool {
	byHand := t == reflect.TypeFor[Envelope]() && f.Type.Kind() == reflect.Pointer
	return !byHand && !strings.Contains(f.Tag.Get("json"), ",omit")
}

func knownAt(v Version, tag reflect.StructTag) bool {
	since, _ := ParseVersion(tag.Get("since"))
	until, _ := ParseVersion(tag.Get("until"))
	f := fieldPlan{since: since, until: until}
	return f.known(v)
}

package protocol

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"
)

// plan is how a struct is read from JSON: worked out from its type once, so that
// the struct's declaration stays the only place where its members are listed.
type plan struct {
	typ    reflect.Type
	number int          // of the plan, from 0 on
	many   reflect.Type // an array of slabSize structs
	fields []field
	byName map[string]int
	needs  uint64  // the fields that must be there, as bits: actions
	extra  uintptr // where unknown members are kept
	keeps  bool    // there is such a place
}

// field is one member of a struct.
type field struct {
	name   string
	offset uintptr
	how    how
	typ    reflect.Type
	elem   *plan // of the struct that the field is, points to, or lists
}

// how says which code reads a field.
type how int

const (
	byLibrary how = iota // whatever is not worth code of its own
	asString             // any type that is a string
	asWord               // a string of which there are few different ones
	asBool
	asBoolPointer
	asFloat
	asFloatPointer
	asInt64
	asInt64Pointer
	asStringPointer
	asStrings // a list of any type that is a string
	asRaw
	asText
	asStringOrMarkdown
	asToolInput
	asStatus
	asAction
	asStruct
	asPointer // to a struct
	asList    // of pointers to structs
)

// slabSize is how many structs of one type are allocated together in a large
// message: few enough that one which lives on does not keep much else alive.
const slabSize = 16

// maxFields is how many members a plan can tell apart from one another.
const maxFields = 64

// plans are the plans of what hosts send in great numbers or at great length:
// actions, states, lists. All other messages take the library's way.
var plans = sync.OnceValue(func() map[reflect.Type]*plan {
	known := map[reflect.Type]*plan{}
	for _, v := range planned() {
		planFor(known, reflect.TypeOf(v).Elem())
	}
	return known
})

// planned are pointers to a value of each type whose plan is made at once; the
// structs in them follow.
func planned() []any {
	list := []any{
		new(Envelope), new(ReconnectResult), new(InitializeResult), new(SubscribeResult),
		new(ListSessionsResult), new(SessionAddedParams), new(SessionSummaryChangedParams),
		new(markdownForm), new(ContentRef),
	}
	for _, kind := range ChannelKinds() {
		list = append(list, newState(kind))
	}
	for _, row := range actionRows() {
		list = append(list, row.empty())
	}
	return list
}

// actionPlan is how an action of one type is made and read.
type actionPlan struct {
	empty func() Action
	plan  *plan
}

// actionPlans are the plans of the actions by their wire names.
var actionPlans = sync.OnceValue(func() map[string]actionPlan {
	known := map[string]actionPlan{}
	for _, row := range actionRows() {
		a := row.empty()
		if p := plans()[reflect.TypeOf(a).Elem()]; p != nil {
			known[a.ActionType()] = actionPlan{row.empty, p}
		}
	}
	return known
})

var envelopePlan = sync.OnceValue(func() *plan { return plans()[reflect.TypeFor[Envelope]()] })

// planFor makes the plan of a struct and of all structs in it. It is nil for a
// type that reads itself, and for one with too many members.
func planFor(known map[reflect.Type]*plan, t reflect.Type) *plan {
	if p, ok := known[t]; ok {
		return p
	}
	if t.NumField() > maxFields || readsItself(t) && t != reflect.TypeFor[Envelope]() {
		return nil
	}
	p := &plan{typ: t, number: len(known), many: reflect.ArrayOf(slabSize, t), byName: map[string]int{}}
	known[t] = p // before the fields, which may lead back here
	for i := range t.NumField() {
		f := t.Field(i)
		name := memberName(f)
		switch {
		case f.Name == "Extra":
			p.extra, p.keeps = f.Offset, true
		case name != "":
			if f.Type == reflect.TypeFor[Action]() {
				p.needs |= 1 << len(p.fields)
			}
			p.byName[name] = len(p.fields)
			p.fields = append(p.fields, fieldFor(known, f, name))
		}
	}
	return p
}

func fieldFor(known map[reflect.Type]*plan, f reflect.StructField, name string) field {
	out := field{name: name, offset: f.Offset, typ: f.Type, how: howToRead(f.Type)}
	switch out.how {
	case asString:
		if isWord(f.Type, name) {
			out.how = asWord
		}
		return out
	case asStruct:
		out.elem = planFor(known, f.Type)
	case asPointer:
		out.elem = planFor(known, f.Type.Elem())
	case asList:
		out.elem = planFor(known, f.Type.Elem().Elem())
	default:
		return out
	}
	if out.elem == nil {
		out.how = byLibrary
	}
	return out
}

func howToRead(t reflect.Type) how {
	switch t {
	case reflect.TypeFor[Text]():
		return asText
	case reflect.TypeFor[StringOrMarkdown]():
		return asStringOrMarkdown
	case reflect.TypeFor[ToolInput]():
		return asToolInput
	case reflect.TypeFor[Status]():
		return asStatus
	case reflect.TypeFor[Raw]():
		return asRaw
	case reflect.TypeFor[Action]():
		return asAction
	case reflect.TypeFor[bool]():
		return asBool
	case reflect.TypeFor[*bool]():
		return asBoolPointer
	case reflect.TypeFor[float64]():
		return asFloat
	case reflect.TypeFor[*float64]():
		return asFloatPointer
	case reflect.TypeFor[int64]():
		return asInt64
	case reflect.TypeFor[*int64]():
		return asInt64Pointer
	case reflect.TypeFor[*string]():
		return asStringPointer
	}
	if readsItself(t) {
		return byLibrary
	}
	switch t.Kind() {
	case reflect.String:
		return asString
	case reflect.Struct:
		return asStruct
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			return asPointer
		}
	case reflect.Slice:
		e := t.Elem()
		if e.Kind() == reflect.String && !readsItself(e) {
			return asStrings
		}
		if e.Kind() == reflect.Pointer && e.Elem().Kind() == reflect.Struct {
			return asList
		}
	}
	return byLibrary
}

// isWord reports whether a field holds one of few words.
func isWord(t reflect.Type, name string) bool {
	switch t {
	case reflect.TypeFor[string]():
		return name == "kind" || name == "type" || name == "contentType" || name == "toolName" || name == "confirmed"
	case reflect.TypeFor[URI]():
		return false
	}
	return true
}

// readsItself reports whether a type has a way of its own to be read.
func readsItself(t reflect.Type) bool {
	const method = "UnmarshalJSONFrom"
	_, direct := t.MethodByName(method)
	_, byPointer := reflect.PointerTo(t).MethodByName(method)
	return direct || byPointer
}

// at is the place of a field in a struct.
func at[T any](base unsafe.Pointer, offset uintptr) *T { return (*T)(unsafe.Add(base, offset)) }

// memberName is the JSON name of a field, or "" for one that is no member.
func memberName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

package protocol

import (
	"bytes"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/go-json-experiment/json"

	"ahptui/internal/jsonscan"
)

// reader reads JSON into structs by their plans, in one pass and with few
// allocations. It reads what peers ordinarily send, and what it reads is exactly
// what [Unmarshal] would give otherwise; whatever else it meets (members of
// another type, names that come twice or with escapes, half surrogates in plain
// strings) makes it give up, and the slower way takes all of the message.
//
// Strings are copied out of the message, short ones together, so that a message
// is not kept alive by what was read from it.
type reader struct {
	jsonscan.Scanner
	given bool   // the message may be kept alive
	room  []byte // free memory for short strings
	list  []unsafe.Pointer
	slabs []slab // by the numbers of the plans
	words [16]string
}

// slab is free memory for structs of one type.
type slab struct {
	free unsafe.Pointer
	left int
}

const (
	// shortString is up to which length strings are put together.
	shortString = 256
	roomBytes   = 4 << 10
	// largeMessage is from which size on memory is allocated for more than one struct.
	largeMessage = 16 << 10
)

// readPlanned reads data, which must be valid UTF-8, into the struct that v points
// to, if there is a plan for it and if the data are of the ordinary kind. If not,
// it leaves nothing behind.
func readPlanned(data []byte, v any) bool {
	value := reflect.ValueOf(v)
	p := plans()[value.Type().Elem()]
	if p == nil {
		return false
	}
	var r reader
	if r.read(data, p, value.UnsafePointer()) {
		return true
	}
	value.Elem().SetZero()
	return false
}

// read reads data, which must be valid UTF-8, into the struct at base.
func (r *reader) read(data []byte, p *plan, base unsafe.Pointer) bool {
	r.Scanner = jsonscan.Scanner{Text: data}
	return r.object(p, base) && r.End()
}

// object reads an object into the struct at base.
func (r *reader) object(p *plan, base unsafe.Pointer) bool {
	if !r.Take('{') {
		return false
	}
	if r.Take('}') {
		return p.needs == 0
	}
	return r.fields(p, base)
}

// fields reads the members of an object from the first one on.
func (r *reader) fields(p *plan, base unsafe.Pointer) bool {
	var seen uint64
	var unknown []member
	for next := 0; ; {
		name, escaped, ok := r.Quoted()
		if !ok || escaped || !r.Take(':') {
			return false
		}
		i, known := p.find(name, next)
		switch {
		case !known:
			if unknown, ok = r.unknown(p, unknown, name); !ok {
				return false
			}
		case seen>>i&1 != 0:
			return false
		default:
			seen |= 1 << i
			next = i + 1
			f := &p.fields[i]
			if (f.how == asAction || !r.Null()) && !r.field(f, unsafe.Add(base, f.offset)) {
				return false
			}
		}
		if r.Take('}') {
			break
		}
		if !r.Take(',') {
			return false
		}
	}
	if unknown != nil {
		*at[Raw](base, p.extra) = encodeMembers(unknown)
	}
	return seen&p.needs == p.needs
}

// find is the field with a name. Members mostly come in the order of the fields.
func (p *plan) find(name []byte, next int) (i int, ok bool) {
	if next < len(p.fields) && p.fields[next].name == string(name) {
		return next, true
	}
	i, ok = p.byName[string(name)]
	return i, ok
}

// member is one that no field is there for.
type member struct{ name, value []byte }

// unknown keeps a member that no field is there for, if the struct has a place
// for such, and passes over it otherwise. The type of an action is not one: it
// stands where it is seen first, or else comes twice.
func (r *reader) unknown(p *plan, sofar []member, name []byte) ([]member, bool) {
	const most = 16 // or looking for names that come twice would take long
	value, ok := r.Value()
	if !ok || !p.keeps {
		return nil, ok && string(name) != "type"
	}
	for _, m := range sofar {
		if bytes.Equal(m.name, name) {
			return nil, false
		}
	}
	return append(sofar, member{name, value}), len(sofar) < most
}

func encodeMembers(list []member) Raw {
	size := len("{}")
	for _, m := range list {
		size += len(m.name) + len(m.value) + len(`"":,`)
	}
	raw := append(make(Raw, 0, size), '{')
	for i, m := range list {
		if i > 0 {
			raw = append(raw, ',')
		}
		raw = append(append(append(raw, '"'), m.name...), `":`...)
		raw = append(raw, m.value...)
	}
	return append(raw, '}')
}

// field reads a value that is not null into the field at place.
func (r *reader) field(f *field, place unsafe.Pointer) (ok bool) {
	switch f.how {
	case asString:
		*(*string)(place), ok = r.string()
	case asWord:
		*(*string)(place), ok = r.word()
	case asBool:
		*(*bool)(place), ok = r.bool()
	case asFloat:
		*(*float64)(place), ok = r.float()
	case asInt64:
		*(*int64)(place), ok = r.int64()
	case asBoolPointer:
		ok = pointer(place, r.bool)
	case asFloatPointer:
		ok = pointer(place, r.float)
	case asInt64Pointer:
		ok = pointer(place, r.int64)
	case asStringPointer:
		ok = pointer(place, r.string)
	case asStrings:
		ok = r.strings((*[]string)(place))
	case asRaw:
		ok = r.raw((*Raw)(place))
	case asText:
		*(*Text)(place), ok = r.textValue()
	case asStringOrMarkdown:
		ok = r.stringOrMarkdown((*StringOrMarkdown)(place))
	case asToolInput:
		ok = r.toolInput((*ToolInput)(place))
	case asStatus:
		ok = r.status((*Status)(place))
	case asAction:
		ok = r.action((*Action)(place))
	case asStruct:
		ok = r.object(f.elem, place)
	case asPointer:
		fresh := r.fresh(f.elem)
		*(*unsafe.Pointer)(place) = fresh
		ok = r.object(f.elem, fresh)
	case asList:
		ok = r.pointers(f.elem, (*[]unsafe.Pointer)(place))
	default:
		ok = r.byLibrary(f, place)
	}
	return ok
}

// pointer reads a value and puts a pointer to it in place.
func pointer[T any](place unsafe.Pointer, read func() (T, bool)) bool {
	v, ok := read()
	*(**T)(place) = &v
	return ok
}

func (r *reader) string() (string, bool) {
	inner, escaped, ok := r.Quoted()
	switch {
	case !ok:
		return "", false
	case escaped:
		out := r.unescape(inner)
		return keepString(out), indexSurrogate(out) == len(out)
	}
	return r.keep(inner), true
}

// fresh is a new struct.
func (r *reader) fresh(p *plan) unsafe.Pointer {
	if len(r.Text) < largeMessage {
		return reflect.New(p.typ).UnsafePointer()
	}
	if r.slabs == nil {
		r.slabs = make([]slab, len(plans()))
	}
	s := &r.slabs[p.number]
	if s.left == 0 {
		*s = slab{reflect.New(p.many).UnsafePointer(), slabSize}
	}
	at := s.free
	if s.left--; s.left > 0 {
		s.free = unsafe.Add(at, p.typ.Size())
	}
	return at
}

// word reads a string that has likely been read before.
func (r *reader) word() (string, bool) {
	inner, escaped, ok := r.Quoted()
	n := len(inner)
	if !ok || escaped || n == 0 || n > shortString {
		return string(inner), ok && !escaped
	}
	known := &r.words[(n*7+int(inner[n-1]))%len(r.words)]
	if *known != string(inner) {
		*known = r.keep(inner)
	}
	return *known, true
}

func (r *reader) textValue() (Text, bool) {
	inner, escaped, ok := r.Quoted()
	switch {
	case !ok:
		return Text{}, false
	case escaped:
		return NewText(keepString(r.unescape(inner))), true
	}
	return Text{s: r.keep(inner), present: true}, true
}

// keep copies the content of a string without escapes.
func (r *reader) keep(inner []byte) string {
	if r.given {
		return keepString(inner)
	}
	return keepString(append(r.place(len(inner)), inner...))
}

// unescape copies the content of a string with escapes.
func (r *reader) unescape(inner []byte) []byte {
	start := r.At - len(inner) - len(`""`)
	return appendUnquoted(r.place(len(inner)), r.Text[start:r.At])
}

// place is empty memory with room for size bytes.
func (r *reader) place(size int) []byte {
	if size > shortString {
		return make([]byte, 0, size)
	}
	if size > len(r.room) {
		rest := len(r.Text) - r.At + size + len(`"`) // there can be no more to keep
		r.room = make([]byte, min(rest, roomBytes))
	}
	out := r.room[:0:size]
	r.room = r.room[size:]
	return out
}

// keepString is b as a string. Nobody writes to b any more.
func keepString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (r *reader) bool() (v, ok bool) {
	if r.Peek() == 't' {
		return true, r.Literal("true")
	}
	return false, r.Literal("false")
}

func (r *reader) float() (float64, bool) {
	digits, ok := r.Number()
	if !ok {
		return 0, false
	}
	if n, small := smallInt(digits); small {
		return float64(n), true
	}
	v, err := strconv.ParseFloat(string(digits), 64)
	return v, err == nil
}

func (r *reader) int64() (int64, bool) {
	digits, ok := r.Number()
	if !ok {
		return 0, false
	}
	if n, small := smallInt(digits); small {
		return n, true
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	return n, err == nil
}

// smallInt reads a number of up to fifteen digits and nothing else, which a
// float64 holds exactly.
func smallInt(digits []byte) (n int64, ok bool) {
	if len(digits) > 15 {
		return 0, false
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

func (r *reader) status(s *Status) bool {
	number, ok := r.float()
	*s = statusOf(number)
	return ok
}

func (r *reader) raw(v *Raw) bool {
	value, ok := r.Value()
	*v = bytes.Clone(value)
	return ok
}

func (r *reader) strings(list *[]string) bool {
	*list = []string{}
	return r.Elements(func() bool {
		if r.Null() {
			*list = append(*list, "")
			return true
		}
		s, ok := r.string()
		*list = append(*list, s)
		return ok
	})
}

// pointers reads a list of objects. A list has the size that it needs.
func (r *reader) pointers(elem *plan, list *[]unsafe.Pointer) bool {
	mark := len(r.list)
	ok := r.Elements(func() bool {
		if r.Null() {
			return true
		}
		fresh := r.fresh(elem)
		if !r.object(elem, fresh) {
			return false
		}
		r.list = append(r.list, fresh)
		return true
	})
	if ok {
		*list = append(make([]unsafe.Pointer, 0, len(r.list)-mark), r.list[mark:]...)
	}
	clear(r.list[mark:])
	r.list = r.list[:mark]
	return ok
}

func (r *reader) stringOrMarkdown(s *StringOrMarkdown) (ok bool) {
	if r.Peek() != '{' {
		s.Text, ok = r.textValue()
		return ok
	}
	var m markdownForm
	ok = r.object(plans()[reflect.TypeFor[markdownForm]()], unsafe.Pointer(&m))
	*s = StringOrMarkdown{Text: m.Markdown, Markdown: true}
	return ok
}

func (r *reader) toolInput(i *ToolInput) (ok bool) {
	if r.Peek() != '{' {
		i.Text, ok = r.textValue()
		return ok
	}
	i.Ref = new(ContentRef)
	return r.object(plans()[reflect.TypeFor[ContentRef]()], unsafe.Pointer(i.Ref))
}

// action reads an action. It fails only where there is no JSON.
func (r *reader) action(a *Action) bool {
	r.Space()
	start := r.At
	if fresh, ok := r.knownAction(); ok {
		*a = fresh
		return true
	}
	r.At = start
	raw, ok := r.Value()
	if ok {
		*a = decodeAction(raw)
	}
	return ok
}

// knownAction reads an action whose type is known and stands first.
func (r *reader) knownAction() (Action, bool) {
	if name, _, ok := r.first(); !ok || string(name) != "type" {
		return nil, false
	}
	typ, _, ok := r.Quoted()
	if !ok {
		return nil, false
	}
	known, ok := actionPlans()[string(typ)]
	if !ok {
		return nil, false
	}
	a := known.empty()
	if r.Take('}') {
		return a, true
	}
	return a, r.Take(',') && r.fields(known.plan, reflect.ValueOf(a).UnsafePointer())
}

// first passes over the name of an object's first member.
func (r *reader) first() (name []byte, escaped, ok bool) {
	if !r.Take('{') {
		return nil, false, false
	}
	name, escaped, ok = r.Quoted()
	return name, escaped, ok && r.Take(':')
}

func (r *reader) byLibrary(f *field, place unsafe.Pointer) bool {
	raw, ok := r.Value()
	if !ok {
		return false
	}
	v := reflect.NewAt(f.typ, place)
	if json.Unmarshal(raw, v.Interface(), firstTry) != nil {
		return false
	}
	if bytes.Contains(raw, []byte("null")) {
		dropNulls(v)
	}
	return true
}

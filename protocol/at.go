package protocol

import (
	"reflect"
	"sync"
)

// The form of a version has two sides. Members that a version does not know say
// so in their tags: since is the release that brought them, until the last that
// had them. What has another shape at a version has a method at, which gives it.

// shaped is what has another shape at some versions: at gives the shape of v, the
// receiver itself where that is its own, or nil where v has nothing for it. The
// result is of the type of the receiver; an action may become another action.
type shaped interface{ at(v Version) any }

// At is x as it is sent at a version: in the version's shape, without the members
// that it does not know. What is given has the form of 1.0; what does not change
// is shared with it.
func At[T any](v Version, x *T) *T {
	if x == nil {
		return x
	}
	out, ok := former{v, formPlan()}.pointer(reflect.ValueOf(x)).Interface().(*T)
	if !ok { // it cannot be: the type is x's
		return x
	}
	return out
}

// former gives values the form of a version.
type former struct {
	v    Version
	plan map[reflect.Type]*typePlan
}

// typePlan is what there is to do for the values of a struct type.
type typePlan struct{ fields []fieldPlan }

type fieldPlan struct {
	index        int
	since, until Version // zero: no bound
	inside       bool    // there is something to do inside the field
}

func (f *fieldPlan) known(v Version) bool {
	return v.AtLeast(f.since) && (f.until == Version{} || f.until.AtLeast(v))
}

// action returns nil where the version has nothing for the action.
func (w former) action(a Action) Action {
	shape, _ := w.pointer(reflect.ValueOf(a)).Interface().(Action)
	if reflect.ValueOf(shape).IsNil() {
		return nil
	}
	return shape
}

// pointer returns p itself where nothing changes, and nil where the version has
// nothing for it.
func (w former) pointer(p reflect.Value) reflect.Value {
	if p.IsNil() || w.plan[p.Type().Elem()] == nil {
		return p
	}
	if s, ok := p.Interface().(shaped); ok {
		shape := reflect.ValueOf(s.at(w.v))
		if !shape.IsValid() || shape.IsNil() {
			return reflect.Zero(p.Type())
		}
		if p = shape; w.plan[p.Type().Elem()] == nil {
			return p
		}
	}
	fresh := w.structure(p.Elem())
	if !fresh.IsValid() {
		return p
	}
	return fresh.Addr()
}

// structure returns a changed copy of a struct, or an invalid value where nothing
// changes.
func (w former) structure(v reflect.Value) (fresh reflect.Value) {
	set := func(i int, field reflect.Value) {
		if !fresh.IsValid() {
			fresh = reflect.New(v.Type()).Elem()
			fresh.Set(v)
		}
		fresh.Field(i).Set(field)
	}
	for _, f := range w.plan[v.Type()].fields {
		field := v.Field(f.index)
		switch {
		case field.IsZero():
		case !f.known(w.v):
			set(f.index, reflect.Zero(field.Type()))
		case f.inside:
			if other := w.value(field); other.IsValid() {
				set(f.index, other)
			}
		}
	}
	return fresh
}

// value returns the changed value, or an invalid one where nothing changes.
func (w former) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if other := w.pointer(v); other.Pointer() != v.Pointer() {
			return other
		}
	case reflect.Struct:
		return w.structure(v)
	case reflect.Slice:
		return w.list(v)
	case reflect.Map:
		return w.table(v)
	}
	return reflect.Value{}
}

// list leaves out the elements that the version has nothing for.
func (w former) list(v reflect.Value) (fresh reflect.Value) {
	for i := range v.Len() {
		element := v.Index(i)
		other := w.value(element)
		if other.IsValid() && !fresh.IsValid() {
			fresh = reflect.MakeSlice(v.Type(), i, v.Len())
			reflect.Copy(fresh, v)
		}
		switch {
		case !fresh.IsValid():
		case !other.IsValid():
			fresh = reflect.Append(fresh, element)
		case !other.IsZero():
			fresh = reflect.Append(fresh, other)
		}
	}
	if fresh.IsValid() && fresh.Len() == 0 {
		return reflect.Zero(v.Type())
	}
	return fresh
}

func (w former) table(v reflect.Value) (fresh reflect.Value) {
	for _, key := range v.MapKeys() {
		other := w.value(v.MapIndex(key))
		if !other.IsValid() {
			continue
		}
		if !fresh.IsValid() {
			fresh = reflect.MakeMapWithSize(v.Type(), v.Len())
			for _, k := range v.MapKeys() {
				fresh.SetMapIndex(k, v.MapIndex(k))
			}
		}
		if other.IsZero() {
			other = reflect.Value{} // which deletes
		}
		fresh.SetMapIndex(key, other)
	}
	return fresh
}

// formPlan has the types for whose values there is something to do. It is made
// once, from all that can be sent, and never changed.
var formPlan = sync.OnceValue(func() map[reflect.Type]*typePlan {
	b := planner{seen: map[reflect.Type]bool{}, plan: map[reflect.Type]*typePlan{}}
	for _, kind := range ChannelKinds() {
		b.collect(reflect.TypeOf(newState(kind)))
	}
	for _, row := range actionRows() {
		b.collect(reflect.TypeOf(row.empty()))
	}
	for _, m := range methodRows() {
		b.collect(reflect.TypeOf(m.Params()))
		if !m.Notifies {
			b.collect(reflect.TypeOf(m.Result()))
		}
	}
	for again := true; again; {
		again = b.spread()
	}
	return b.plan
})

type planner struct {
	seen  map[reflect.Type]bool
	types []reflect.Type
	plan  map[reflect.Type]*typePlan
}

// collect gathers the struct types below t.
func (b *planner) collect(t reflect.Type) {
	t = structBelow(t)
	if t == nil || b.seen[t] {
		return
	}
	b.seen[t] = true
	b.types = append(b.types, t)
	for i := range t.NumField() {
		if t.Field(i).IsExported() {
			b.collect(t.Field(i).Type)
		}
	}
}

// structBelow is the struct type that t is, points to or holds; nil if none.
func structBelow(t reflect.Type) reflect.Type {
	for {
		switch t.Kind() {
		case reflect.Struct:
			return t
		case reflect.Pointer, reflect.Slice, reflect.Map:
			t = t.Elem()
		default:
			return nil
		}
	}
}

// spread plans what is known to have something to do in it; it reports whether
// that was news.
func (b *planner) spread() (news bool) {
	for _, t := range b.types {
		if b.plan[t] != nil {
			continue
		}
		_, todo := reflect.New(t).Interface().(shaped)
		for i := range t.NumField() {
			tag := t.Field(i).Tag
			inner := structBelow(t.Field(i).Type)
			todo = todo || tag.Get("since") != "" || tag.Get("until") != "" || inner != nil && b.plan[inner] != nil
		}
		if todo {
			b.plan[t], news = &typePlan{}, true
		}
	}
	if !news {
		b.fill()
	}
	return news
}

// fill writes down the fields, once it is known which types have something to do.
func (b *planner) fill() {
	for t, plan := range b.plan {
		for i := range t.NumField() {
			field := t.Field(i)
			inner := structBelow(field.Type)
			f := fieldPlan{index: i, inside: field.IsExported() && inner != nil && b.plan[inner] != nil}
			f.since, _ = ParseVersion(field.Tag.Get("since")) // where there is none, there is no bound
			f.until, _ = ParseVersion(field.Tag.Get("until"))
			if f.inside || f.since != (Version{}) || f.until != (Version{}) {
				plan.fields = append(plan.fields, f)
			}
		}
	}
}

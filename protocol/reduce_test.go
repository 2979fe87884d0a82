package protocol

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"
)

func encodeState(tb rapid.TB, s ChannelState) []byte {
	tb.Helper()
	raw, err := EncodeState(s)
	if err != nil {
		tb.Fatal(err)
	}
	return raw
}

func decodeState(tb rapid.TB, kind ChannelKind, raw []byte) ChannelState {
	tb.Helper()
	s, err := DecodeState(kind, raw)
	if err != nil {
		tb.Fatalf("%v in %s", err, raw)
	}
	return s
}

// TestReduceIsPure folds random actions into random states. No state that was
// there before changes, and what is reduced from decoded values is the same.
func TestReduceIsPure(t *testing.T) {
	t.Parallel()
	for _, kind := range ChannelKinds() {
		types := actionTypes(t, kind)
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				states := []ChannelState{genState(kind).Draw(rt, "state")}
				encoded := [][]byte{encodeState(rt, states[0])}
				for i := range rapid.IntRange(1, 10).Draw(rt, "actions") {
					p, a := genProfile().Draw(rt, "profile"), genAction(types...).Draw(rt, "action")
					next := Reduce(p, states[i], a)
					states = append(states, next)
					encoded = append(encoded, encodeState(rt, next))

					raw, err := EncodeAction(a)
					if err != nil {
						rt.Fatal(err)
					}
					again := Reduce(p, decodeState(rt, kind, encoded[i]), DecodeAction(raw))
					if got := encodeState(rt, again); !bytes.Equal(got, encoded[i+1]) {
						rt.Fatalf("%s %s on\n%s\ngives\n%s\nand once decoded\n%s", p.Version(), raw, encoded[i], encoded[i+1], got)
					}
				}
				for i, s := range states {
					if after := encodeState(rt, s); !bytes.Equal(after, encoded[i]) {
						rt.Fatalf("a state was changed in place:\nbefore %s\nafter  %s", encoded[i], after)
					}
				}
			})
		})
	}
}

// TestReduceHits makes sure that the random actions above do something: each type
// has to change a state before long.
func TestReduceHits(t *testing.T) {
	t.Parallel()
	// These tell or ask something and leave the state to others.
	idle := map[string]bool{
		"terminal/input": true, "resourceWatch/changed": true, "automation/createRequested": true,
		"automation/updateRequested": true, "automationRun/cancelRequested": true,
	}
	for _, kind := range ChannelKinds() {
		for _, typ := range actionTypes(t, kind) {
			if idle[typ] {
				continue
			}
			hits := rapid.Custom(func(rt *rapid.T) bool {
				s := genState(kind).Draw(rt, "state")
				return Reduce(genProfile().Draw(rt, "profile"), s, genAction(typ).Draw(rt, "action")) != s
			})
			for seed := 0; !hits.Example(seed); seed++ {
				if seed == 3000 {
					t.Errorf("%s never changed a state", typ)
					break
				}
			}
		}
	}
}

// TestReduceSharesWhatStays holds that a copy is made only of what changes:
// where a pointer differs from the one before, the values differ, or there is
// something in it that came with the action, which nobody compares. That goes for
// the state itself, too.
func TestReduceSharesWhatStays(t *testing.T) {
	t.Parallel()
	for _, kind := range ChannelKinds() {
		types := actionTypes(t, kind)
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				s, a := genState(kind).Draw(rt, "state"), genAction(types...).Draw(rt, "action")
				next := Reduce(genProfile().Draw(rt, "profile"), s, a)
				newSharing(s, a).compare(rt, a.ActionType(), reflect.ValueOf(s), reflect.ValueOf(next))
			})
		})
	}
}

// reducePurely is Reduce, and holds that it is pure: neither the state nor the
// action is changed in place, an action that changes nothing gives back the very
// pointer, and what it does not touch keeps its own.
func reducePurely(t *testing.T, p Profile, s ChannelState, a Action) ChannelState {
	t.Helper()
	state := encodeState(t, s)
	action, err := EncodeAction(a)
	if err != nil {
		t.Fatal(err)
	}
	next := Reduce(p, s, a)
	if after := encodeState(t, s); !bytes.Equal(state, after) {
		t.Errorf("%s changed the state in place:\nbefore %s\nafter  %s", action, state, after)
	}
	if after, _ := EncodeAction(a); !bytes.Equal(action, after) {
		t.Errorf("the action was changed in place:\nbefore %s\nafter  %s", action, after)
	}
	newSharing(s, a).compare(t, string(action), reflect.ValueOf(s), reflect.ValueOf(next))
	return next
}

// pointers collects the pointers to structs below v.
func pointers(v reflect.Value, found map[any]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Elem().Kind() == reflect.Struct {
			found[v.Interface()] = true
			pointers(v.Elem(), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				pointers(v.Field(i), found)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			pointers(v.Index(i), found)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			pointers(v.MapIndex(key), found)
		}
	}
}

// sharing knows which pointers a state had, and which an action brought.
type sharing struct{ had, brought map[any]bool }

func newSharing(s ChannelState, a Action) sharing {
	sh := sharing{map[any]bool{}, map[any]bool{}}
	pointers(reflect.ValueOf(s), sh.had)
	pointers(reflect.ValueOf(a), sh.brought)
	return sh
}

// holdsBrought reports whether something in v came with the action.
func (sh sharing) holdsBrought(v reflect.Value) bool {
	inside := map[any]bool{}
	pointers(v, inside)
	for p := range inside {
		if sh.brought[p] {
			return true
		}
	}
	return false
}

// compare holds that what is fresh differs from what stood in its place.
func (sh sharing) compare(t rapid.TB, what string, old, fresh reflect.Value) {
	t.Helper()
	switch old.Kind() {
	case reflect.Pointer:
		if old.IsNil() || fresh.IsNil() || old.Elem().Kind() != reflect.Struct || sh.had[fresh.Interface()] || sh.brought[fresh.Interface()] {
			return
		}
		before, after := mustEncode(t, old.Interface()), mustEncode(t, fresh.Interface())
		if bytes.Equal(before, after) && !sh.holdsBrought(fresh) {
			t.Fatalf("%s copied a %s that it did not change: %s", what, old.Type(), before)
		}
		sh.compare(t, what, old.Elem(), fresh.Elem())
	case reflect.Struct:
		for i := range old.NumField() {
			if field := old.Type().Field(i); field.IsExported() {
				sh.compare(t, what+" "+field.Name, old.Field(i), fresh.Field(i))
			}
		}
	case reflect.Slice:
		if old.Len() != fresh.Len() {
			return // what stands where is another question
		}
		for i := range old.Len() {
			sh.compare(t, fmt.Sprintf("%s %d", what, i), old.Index(i), fresh.Index(i))
		}
	}
}

func mustEncode(t rapid.TB, v any) []byte {
	t.Helper()
	data, err := Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// checkCoding holds that a decoded state can be encoded, and comes back as it was.
func checkCoding(t *testing.T, kind ChannelKind, s ChannelState) {
	t.Helper()
	raw := encodeState(t, s)
	again := encodeState(t, decodeState(t, kind, raw))
	if !bytes.Equal(raw, again) {
		t.Fatalf("encoded as\n%s\nand again as\n%s", raw, again)
	}
}

// seeds adds the project's own cases to a fuzz target.
func seeds(f *testing.F, add func(version string, c reducerCase)) {
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases found (%v)", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var c reducerCase
		if err := json.Unmarshal(data, &c); err != nil {
			f.Fatal(err)
		}
		add(filepath.Base(filepath.Dir(file)), c)
	}
}

func FuzzReduce(f *testing.F) {
	seeds(f, func(version string, c reducerCase) {
		f.Add(version, c.Reducer, []byte(c.Initial), mustMarshal(f, c.Actions))
	})
	f.Add("0.9.0", "chat", []byte(`{"turns":[null],"activeTurn":{"id":"t","responseParts":[null,5,{"kind":"toolCall"},{"kind":"inputRequest"}]}}`),
		[]byte(`[{"type":"chat/turnComplete","turnId":"t"},{"type":"chat/turnsLoaded","turns":[null]}]`))
	f.Add("1.0.0", "session", []byte(`{"customizations":[null,{"children":[null]}],"chats":[null],"inputNeeded":[null]}`),
		[]byte(`[{"type":"session/customizationToggled","id":"","enablement":[null]},{"type":"session/chatUpdated","chat":"","changes":null}]`))
	f.Fuzz(func(t *testing.T, version, kind string, state, actions []byte) {
		v, err := ParseVersion(version)
		if err != nil {
			return
		}
		s, err := DecodeState(ChannelKind(kind), state)
		if _, raw := s.(*RawState); err != nil || raw {
			return
		}
		var list []Raw
		if Unmarshal(actions, &list) != nil {
			return
		}
		before := encodeState(t, s)
		next := s
		for _, raw := range list[:min(len(list), 30)] {
			next = Reduce(ProfileOf(v), next, DecodeAction(raw))
		}
		checkCoding(t, ChannelKind(kind), next)
		askAll(next)
		if !bytes.Equal(before, encodeState(t, s)) {
			t.Fatal("the initial state was changed in place")
		}
	})
}

// FuzzEdge gives any state and action the form of every version, which must hold
// whatever they are, stay as it is, and leave what it was given as it was.
func FuzzEdge(f *testing.F) {
	seeds(f, func(_ string, c reducerCase) {
		for _, a := range c.Actions {
			f.Add(c.Reducer, []byte(c.Initial), []byte(a))
		}
	})
	f.Fuzz(func(t *testing.T, kind string, state, action []byte) {
		s, err := DecodeState(ChannelKind(kind), state)
		if _, raw := s.(*RawState); err != nil || raw {
			return
		}
		before := encodeState(t, s)
		a := DecodeAction(action)
		for _, v := range spoken() {
			form := StateAt(v, s)
			checkCoding(t, ChannelKind(kind), form)
			if again := encodeState(t, StateAt(v, form)); !bytes.Equal(again, encodeState(t, form)) {
				t.Fatalf("at %s the form\n%s\nbecomes\n%s", v, encodeState(t, form), again)
			}
			if err := CheckState(v, ChannelKind(kind), state); err != nil && err.Error() == "" {
				t.Fatal("a finding without words")
			}
			if told := ActionAt(v, a); told != nil {
				if _, err := EncodeAction(told); err != nil {
					t.Fatal(err)
				}
				Reduce(ProfileOf(v), form, told)
			}
		}
		if !bytes.Equal(before, encodeState(t, s)) {
			t.Fatal("the state was changed in place")
		}
	})
}

func FuzzDecode(f *testing.F) {
	seeds(f, func(_ string, c reducerCase) { f.Add(c.Reducer, []byte(c.Initial)) })
	f.Add("chat", []byte(`{"title":5,"title":"x","turns":[null,{"message":{"text":7}}],"x":null,"_meta":null}`))
	f.Add("session", []byte(`{"status":-1,"chats":{},"project":[],"project":{"uri":1},"\ud83d":"\ude00"}`))
	f.Add("", []byte(`{"action":{"type":"chat/delta","type":"chat/error"},"origin":5}`))
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		ProbeKind(data)
		var envelope Envelope
		if Unmarshal(data, &envelope) == nil {
			mustEncode(t, envelope)
		}
		s, err := DecodeState(ChannelKind(kind), data)
		if _, raw := s.(*RawState); err != nil || raw {
			return
		}
		noNulls(t, reflect.ValueOf(s))
		checkCoding(t, ChannelKind(kind), s)
		askAll(s)
	})
}

// noNulls holds that lists and maps have no nil in them.
func noNulls(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			noNulls(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				noNulls(t, v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if e := v.Index(i); e.Kind() == reflect.Pointer && e.IsNil() {
				t.Fatalf("a %s has nil in it", v.Type())
			}
			noNulls(t, v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if e := v.MapIndex(key); e.Kind() == reflect.Pointer && e.IsNil() {
				t.Fatalf("a %s has nil in it", v.Type())
			}
		}
	}
}

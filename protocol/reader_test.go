package protocol

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// checkReader holds the reader of plans against the library: what the reader does
// not leave to it must come out the same. It reports whether it left it.
func checkReader(t testing.TB, typ reflect.Type, data []byte) (left bool) {
	t.Helper()
	fast, slow := reflect.New(typ), reflect.New(typ)
	if !utf8.Valid(data) {
		return true
	}
	if !readPlanned(data, fast.Interface()) {
		if !fast.Elem().IsZero() {
			t.Errorf("what was given up left something behind: %s", data)
		}
		return true
	}
	if err := unmarshalByLibrary(data, slow.Interface()); err != nil {
		t.Fatalf("read what the library does not (%v): %s", err, data)
	}
	if reflect.DeepEqual(fast.Interface(), slow.Interface()) {
		return false
	}
	diff := cmp.Diff(slow.Interface(), fast.Interface(), cmp.Exporter(func(reflect.Type) bool { return true }), cmp.Comparer(sameJSON))
	if diff != "" {
		t.Fatalf("differs from the library's (-library +own) for %s:\n%s", data, diff)
	}
	return false
}

// sameJSON compares what was kept raw by what it says.
func sameJSON(a, b Raw) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return reflect.DeepEqual(meaning(a), meaning(b))
}

// meaning is a value without spaces, without the order of members, and without
// those that another of the same name follows.
func meaning(raw Raw) any {
	var members map[string]Raw
	var elements []Raw
	switch {
	case json.Unmarshal(raw, &members, lastWins) == nil && members != nil:
		all := map[string]any{}
		for name, value := range members {
			all[name] = meaning(value)
		}
		return all
	case json.Unmarshal(raw, &elements, lastWins) == nil && elements != nil:
		all := make([]any, 0, len(elements))
		for _, value := range elements {
			all = append(all, meaning(value))
		}
		return all
	}
	return string(bytes.TrimSpace(raw))
}

// plannedTypes are the types of which whole messages are read by plans.
func plannedTypes() []reflect.Type {
	var list []reflect.Type
	for _, v := range planned() {
		list = append(list, reflect.TypeOf(v).Elem())
	}
	return list
}

// ordinary are messages as hosts send them, with the types they have.
func ordinary(t testing.TB) (list []sample) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases found (%v)", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var c reducerCase
		if err := unmarshalByLibrary(data, &c); err != nil {
			t.Fatal(err)
		}
		state := reflect.TypeOf(newState(ChannelKind(c.Reducer))).Elem()
		list = append(list, sample{state, c.Initial}, sample{state, c.Expected})
		for i, a := range c.Actions {
			list = append(list, sample{reflect.TypeFor[Envelope](), fmt.Appendf(nil, `{"channel":"x:/1","action":%s,"serverSeq":%d}`, a, i)})
			if known, ok := actionPlans()[actionType(a)]; ok {
				list = append(list, sample{known.plan.typ, withoutType(t, a)})
			}
		}
	}
	chat := reflect.TypeFor[ChatState]()
	return append(
		list,
		sample{chat, wireSnapshot(200)},
		sample{chat, mustMarshal(t, benchChat(3, 10))},
		sample{reflect.TypeFor[SessionState](), mustMarshal(t, benchSession(30))},
	)
}

// withoutType is an action as its struct has it.
func withoutType(t testing.TB, action Raw) []byte {
	var members map[string]Raw
	if err := unmarshalByLibrary(action, &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "type")
	return mustMarshal(t, members)
}

type sample struct {
	typ  reflect.Type
	data []byte
}

// TestReaderTakesTheOrdinary: what hosts send is read by plans. A few of the cases
// are about what is not ordinary.
func TestReaderTakesTheOrdinary(t *testing.T) {
	t.Parallel()
	samples, left := ordinary(t), 0
	for _, s := range samples {
		if checkReader(t, s.typ, s.data) {
			left++
			t.Logf("left to the library, as %v: %s", s.typ, s.data)
		}
	}
	if left > len(samples)/50 {
		t.Errorf("%d of %d were left to the library", left, len(samples))
	}
}

// TestReaderAgreesWithTheLibrary on messages that something was done to.
func TestReaderAgreesWithTheLibrary(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	left, taken := 0, 0
	for _, s := range ordinary(t) {
		if len(s.data) > 10_000 {
			continue
		}
		for range 40 {
			if checkReader(t, s.typ, damaged(rnd, s.data)) {
				left++
			} else {
				taken++
			}
		}
	}
	if left < 100 || taken < 100 {
		t.Errorf("%d were left to the library, %d read by plans: the damage is too much or too little", left, taken)
	}
}

// TestReaderAtTheEdges reads what is hard to get right.
func TestReaderAtTheEdges(t *testing.T) {
	t.Parallel()
	chat, envelope := reflect.TypeFor[ChatState](), reflect.TypeFor[Envelope]()
	for _, tt := range []struct {
		typ  reflect.Type
		data string
		left bool
	}{
		{chat, ` { "status" : 8 , "turns" : [ ] , "later" : { "a" : [ 1 , "x" ] } , "title" : "" } `, false},
		{chat, `{"status":8.0,"turns":[null],"activeTurn":null,"draft":null,"_meta":null,"movable":null}`, false},
		{chat, `{"status":-2147483576,"title":"\u00e9\n\ud83d\ude00\/"}`, false},
		{chat, `{"status":1e3,"turnsNextCursor":"x","workingDirectories":["a",null,""]}`, false},
		{chat, `{"title":"\ud83d"}`, true},
		{chat, `{"draft":{"text":"\ud83d","origin":{"kind":"user","x":1}}}`, false},
		{chat, `{"title":"a","title":"b"}`, true},
		{chat, `{"titl\u0065":"a"}`, true},
		{chat, `{"later":1,"later":2}`, true},
		{chat, `{"title":1}`, true},
		{chat, `{"status":01}`, true},
		{chat, `{"status":1.}`, true},
		{chat, `{"status":-}`, true},
		{chat, `{"status":"1"}`, true},
		{chat, `{"turns":[1]}`, true},
		{chat, `{"turns":{}}`, true},
		{chat, `{"turns":[],}`, true},
		{chat, `{"later":[1,]}`, true},
		{chat, `{"later":tru}`, true},
		{chat, `{"later":"` + "\x01" + `"}`, true},
		{chat, `{"later":"\x"}`, true},
		{chat, `{"later":"\u12g4"}`, true},
		{chat, `{"title":"a"}}`, true},
		{chat, `{"title":"a"`, true},
		{chat, `[]`, true},
		{chat, ``, true},
		{envelope, `{"channel":"c","action":{"type":"chat/later","x":1},"serverSeq":1}`, false},
		{envelope, `{"channel":"c","action":{"x":1,"type":"chat/delta"},"serverSeq":1}`, false},
		{envelope, `{"channel":"c","action":{"type":"chat/delta","type":"chat/usage"},"serverSeq":1}`, false},
		{envelope, `{"channel":"c","action":{"type":"chat/delta","turnId":7},"serverSeq":1}`, false},
		{envelope, `{"channel":"c","action":7,"serverSeq":1}`, false},
		{envelope, `{"channel":"c","action":null,"serverSeq":1}`, false},
		{envelope, `{"channel":"c","serverSeq":1}`, true},
		{envelope, `{"action":{"type":"session/ready"},"serverSeq":9007199254740993}`, false},
		{envelope, `{"action":{"type":"session/ready"},"serverSeq":1e2}`, true},
		{envelope, `{"action":{"type":"session/ready"},"serverSeq":99999999999999999999}`, true},
		{envelope, `{"action":{"type":"session/ready"},"origin":{"clientId":"a","clientSeq":3},"rejectionReason":""}`, false},
	} {
		if left := checkReader(t, tt.typ, []byte(tt.data)); left != tt.left {
			t.Errorf("%s: left to the library %v", tt.data, left)
		}
	}
}

// damaged does something to a message: takes, doubles, exchanges or mangles a
// token.
func damaged(rnd *rand.Rand, data []byte) []byte {
	tokens := tokensOf(data)
	for range 1 + rnd.IntN(3) {
		i, j := rnd.IntN(len(tokens)), rnd.IntN(len(tokens))
		switch rnd.IntN(8) {
		case 0:
			tokens = slices.Delete(tokens, i, i+1)
		case 1:
			tokens = slices.Insert(tokens, i, tokens[j])
		case 2:
			tokens[i], tokens[j] = tokens[j], tokens[i]
		case 3:
			tokens[i] = []byte("null")
		case 4:
			tokens[i] = append(append([]byte(" \t"), tokens[i]...), '\n')
		case 5: // another value, where there is one
			others := []string{`""`, `"é\u00e9\\"`, `7`, `-0`, `1.5e3`, `true`, `[]`, `{}`, `{"a":null}`, `"\ud83d"`, `[null]`}
			tokens[i] = []byte(others[rnd.IntN(len(others))])
		case 6: // a name that nobody knows
			if len(tokens[i]) > 2 && tokens[i][0] == '"' {
				tokens[i] = append([]byte(`"x`), tokens[i][1:]...)
			}
		case 7: // a member twice, if tokens i to i+3 are one
			end := min(i+4, len(tokens))
			tokens = slices.Insert(tokens, i, slices.Clone(tokens[i:end])...)
		}
		if len(tokens) == 0 {
			break
		}
	}
	return bytes.Join(tokens, nil)
}

// tokensOf takes JSON apart, with what stands between tokens as tokens of its own.
func tokensOf(data []byte) (tokens [][]byte) {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	last := int64(0)
	for {
		if _, err := dec.ReadToken(); err != nil {
			return append(tokens, data[last:])
		}
		end := dec.InputOffset()
		token := data[last:end]
		if sep := bytes.IndexAny(token, ",:"); sep == 0 {
			tokens, token = append(tokens, token[:1]), token[1:]
		}
		tokens, last = append(tokens, token), end
	}
}

func FuzzReader(f *testing.F) {
	types := plannedTypes()
	for _, s := range ordinary(f) {
		if len(s.data) < 2000 {
			f.Add(byte(slices.Index(types, s.typ)), s.data)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, data []byte) {
		checkReader(t, types[int(which)%len(types)], data)
	})
}

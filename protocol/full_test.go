package protocol

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
)

// The files in testdata/full hold something of everything, in the form of 1.0:
// each kind of state, each action, each method's parameters and results.

type fullMessage struct {
	Method string `json:"method"`
	Value  Raw    `json:"value"`
}

func fullFile[T any](tb testing.TB, name string) T {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "full", name+".json"))
	if err != nil {
		tb.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// spoken are the versions that have a form of their own.
func spoken() []Version {
	return []Version{V1_0_0, V0_10_0, V0_9_0, V0_8_0, V0_7_0, V0_6_0, V0_5_2, V0_5_1}
}

func fullState(tb testing.TB, kind ChannelKind) ChannelState {
	tb.Helper()
	raw, ok := fullFile[map[ChannelKind]Raw](tb, "states")[kind]
	if !ok {
		tb.Fatalf("no state of kind %s", kind)
	}
	return decodeState(tb, kind, raw)
}

// TestFullIsFull: nothing is missing, and nothing is in it that is not known.
func TestFullIsFull(t *testing.T) {
	t.Parallel()
	for _, kind := range ChannelKinds() {
		raw := fullFile[map[ChannelKind]Raw](t, "states")[kind]
		if err := CheckState(V1_0_0, kind, raw); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
		recodedAlike(t, raw, encodeState(t, fullState(t, kind)))
	}
	types := map[string]bool{}
	for _, raw := range fullFile[[]Raw](t, "actions") {
		types[actionType(raw)] = true
		if err := CheckAction(V1_0_0, raw); err != nil && actionType(raw) != "changeset/filesReviewedChanged" {
			t.Error(err)
		}
		again, err := EncodeAction(DecodeAction(raw))
		if err != nil {
			t.Fatal(err)
		}
		recodedAlike(t, raw, again)
	}
	for typ := range actionTable() {
		if !types[typ] && typ != "changeset/filesReviewedChanged" { // a name of 0.5.2 alone
			t.Errorf("there is no %s", typ)
		}
	}
	methods, answers := map[string]bool{}, map[string]bool{}
	for _, m := range fullFile[[]fullMessage](t, "params") {
		methods[m.Method] = true
		method, _ := MethodByName(m.Method)
		if err := CheckParams(V1_0_0, method.From, m.Method, m.Value); err != nil {
			t.Errorf("%s: %v", m.Method, err)
		}
		p := method.Params()
		recodedAlike(t, m.Value, recoded(t, string(m.Value), p))
	}
	for _, m := range fullFile[[]fullMessage](t, "results") {
		answers[m.Method] = true
		if err := CheckResult(V1_0_0, m.Method, m.Value); err != nil {
			t.Errorf("%s: %v", m.Method, err)
		}
	}
	for _, m := range Methods() {
		if !methods[m.Name] {
			t.Errorf("there are no parameters of %s", m.Name)
		}
		if _, empty := m.Result().(*EmptyResult); !m.Notifies && !empty && !answers[m.Name] && m.Name != "ping" {
			t.Errorf("there is no result of %s", m.Name)
		}
	}
}

func recodedAlike(t *testing.T, came, went []byte) {
	t.Helper()
	if !reflect.DeepEqual(wireValue(t, came), wireValue(t, went)) {
		t.Errorf("came as\n%s\nand went as\n%s", came, went)
	}
}

// TestFullAtEveryVersion: what is sent at a version holds nothing that the version
// does not know and lacks nothing that it needs, by our own judge.
func TestFullAtEveryVersion(t *testing.T) {
	t.Parallel()
	states := map[ChannelKind]ChannelState{}
	for _, kind := range ChannelKinds() {
		states[kind] = fullState(t, kind)
	}
	actions, params, results := fullFile[[]Raw](t, "actions"), fullFile[[]fullMessage](t, "params"), fullFile[[]fullMessage](t, "results")
	for _, v := range spoken() {
		for _, kind := range ChannelKinds() {
			if v.AtLeast(V0_9_0) || kind != AutomationKind && kind != AutomationRunKind && kind != CanvasKind {
				if err := CheckState(v, kind, encodeState(t, StateAt(v, states[kind]))); err != nil {
					t.Errorf("%s: %v", kind, err)
				}
			}
		}
		for _, raw := range actions {
			a := ActionAt(v, DecodeAction(raw))
			if a == nil {
				continue
			}
			sent, err := EncodeAction(a)
			if err != nil {
				t.Fatal(err)
			}
			if err := CheckAction(v, sent); err != nil {
				t.Errorf("%s: %v", sent, err)
			}
		}
		for _, m := range params {
			if method, _ := MethodByName(m.Method); v.AtLeast(method.Since) && m.Method != "initialize" {
				sent := formOf(t, v, method.Params(), m.Value)
				if err := CheckParams(v, method.From, m.Method, sent); err != nil {
					t.Errorf("%s: %v in %s", m.Method, err, sent)
				}
			}
		}
		for _, m := range results {
			if method, _ := MethodByName(m.Method); v.AtLeast(method.Since) && m.Value.Kind() == '{' {
				sent := formOf(t, v, method.Result(), m.Value)
				if err := CheckResult(v, m.Method, sent); err != nil {
					t.Errorf("%s: %v in %s", m.Method, err, sent)
				}
			}
		}
	}
}

// formOf decodes into target and encodes what is sent of it at a version.
func formOf(t *testing.T, v Version, target any, raw Raw) Raw {
	t.Helper()
	if err := Unmarshal(raw, target); err != nil {
		t.Fatal(err)
	}
	return mustMarshal(t, former{v, formPlan()}.pointer(reflect.ValueOf(target)).Interface())
}

// TestFormsAreStable: the form of a version stays as it is at that version, and
// what has it already is shared.
func TestFormsAreStable(t *testing.T) {
	t.Parallel()
	for _, v := range spoken() {
		for _, kind := range ChannelKinds() {
			s := fullState(t, kind)
			before := encodeState(t, s)
			once := StateAt(v, s)
			if twice := StateAt(v, once); string(encodeState(t, twice)) != string(encodeState(t, once)) {
				t.Errorf("%s at %s is not stable:\n%s\n%s", kind, v, encodeState(t, once), encodeState(t, twice))
			}
			if string(encodeState(t, s)) != string(before) {
				t.Errorf("%s was changed in place at %s", kind, v)
			}
			if v.AtLeast(V1_0_0) && once != s {
				t.Errorf("%s was copied at %s", kind, v)
			}
		}
	}
	chat, _ := fullState(t, ChatKind).(*ChatState)
	old := StateAt(V0_9_0, chat).(*ChatState)
	if old == chat || old.Turns[0] != chat.Turns[0] || old.ActiveTurn != chat.ActiveTurn || old.Draft != chat.Draft {
		t.Error("what 0.9 has in common with 1.0 is not shared")
	}
}

// TestEdgeAndReducersAgree: what a client makes of a state and an action in the
// form of its version is what the host has, in that form. Where the version has
// no word for the action, or another meaning, that is written down.
func TestEdgeAndReducersAgree(t *testing.T) {
	t.Parallel()
	// What was asked outlasted its turn then, and an answer was appended.
	list := map[string]bool{
		"chat/turnStarted": true, "chat/turnComplete": true, "chat/turnCancelled": true, "chat/error": true,
		"chat/truncated": true, "chat/inputCompleted": true,
	}
	excused := func(v Version, typ string) bool {
		switch {
		case typ == "chat/toolCallReady": // a ready refines intention and contributor from 0.7 on
			return !v.AtLeast(V0_7_0)
		case list[typ]:
			return !v.AtLeast(V0_6_0)
		}
		return false
	}
	states := map[ChannelKind]ChannelState{}
	for _, kind := range ChannelKinds() {
		states[kind] = timeless(fullState(t, kind))
	}
	actions := fullFile[[]Raw](t, "actions")
	for _, v := range spoken() {
		for _, raw := range actions {
			a := DecodeAction(raw)
			s := states[KindOfAction(a.ActionType())]
			told := ActionAt(v, a)
			if told == nil || excused(v, a.ActionType()) {
				if v.AtLeast(V1_0_0) || told == nil && KnownAt(v, a.ActionType()) && !dropsRequest(v, a) {
					t.Errorf("at %s nothing is told of %s", v, raw)
				}
				continue
			}
			client := timeless(Reduce(ProfileOf(v), StateAt(v, s), told))
			host := timeless(StateAt(v, Reduce(ProfileOf(V1_0_0), s, a)))
			if got, want := encodeState(t, client), encodeState(t, host); string(got) != string(want) {
				t.Errorf("%s at %s:\nclient %s\nhost   %s", raw, v, got, want)
			}
		}
	}
}

// dropsRequest: there is nothing to be said of a call's sign-in before 0.6, and
// of an answer before 0.5.2.
func dropsRequest(v Version, a Action) bool {
	switch a := a.(type) {
	case *SessionInputNeededSet:
		return a.Request.Kind == InputAuthentication && !v.AtLeast(V0_6_0)
	case *ChatResponsePart:
		return a.Part.Kind == PartInputRequest && !v.AtLeast(V0_5_2)
	}
	return false
}

// timeless is a state without the time that reducers up to 0.8 stamp.
func timeless(s ChannelState) ChannelState {
	if chat, ok := s.(*ChatState); ok {
		return changed(chat, func(c *ChatState) { c.ModifiedAt = "" })
	}
	return s
}

package protocol

import (
	"reflect"
	"strings"
	"testing"
)

// TestStrictFinds: the judge finds what is wrong, and says where.
func TestStrictFinds(t *testing.T) {
	t.Parallel()
	params := func(v Version, from Side, method, raw string) error { return CheckParams(v, from, method, Raw(raw)) }
	for _, tt := range []struct {
		name string
		err  error
		want string // in the error; "": none
	}{
		{"fine", params(V1_0_0, ByClient, "subscribe", `{"channel":"c"}`), ""},
		{"no method", params(V1_0_0, ByClient, "later", `{}`), "no method"},
		{"not yet", params(V0_8_0, ByClient, "runAutomation", `{"channel":"c","automation":"a","requestId":"r"}`), "no method"},
		{"wrong side", params(V1_0_0, ByHost, "subscribe", `{"channel":"c"}`), "side"},
		{"either side", params(V1_0_0, ByHost, "resourceRead", `{"uri":"x:/1"}`), ""},
		{"lacks", params(V1_0_0, ByClient, "authenticate", `{"channel":"c","token":"t"}`), "authenticate lacks resource"},
		{"unknown member", params(V1_0_0, ByClient, "subscribe", `{"channel":"c","flowControl":{}}`), "subscribe.flowControl is not known"},
		{"deep inside", params(V1_0_0, ByClient, "subscribe", `{"channel":"c","view":{"turn":1}}`), "subscribe.view.turn is not known"},
		{"member of later", params(V0_7_0, ByClient, "subscribe", `{"channel":"c","_meta":{}}`), "_meta is not known at 0.7.0"},
		{"member of earlier", params(V0_9_0, ByClient, "createSession", `{"channel":"c","fork":{"session":"s","turnId":"t"}}`), "fork is not known at 0.9.0"},
		{"another type", params(V1_0_0, ByClient, "subscribe", `{"channel":7}`), "channel is of another type"},
		{"null", params(V1_0_0, ByClient, "subscribe", `{"channel":"c","view":null}`), "view is null"},
		{"twice", params(V1_0_0, ByClient, "subscribe", `{"channel":"c","channel":"d"}`), "twice"},
		{"no object", params(V1_0_0, ByClient, "subscribe", `[]`), "no object"},
		{"no list", params(V1_0_0, ByClient, "reconnect", `{"channel":"c","clientId":"c","lastSeenServerSeq":1,"subscriptions":{}}`), "subscriptions is no list"},
		{"shape of later", params(V0_7_0, ByHost, "auth/required", `{"channel":"c","resource":{"resource":"r"}}`), "shape"},
		{"shape of earlier", params(V0_7_0, ByHost, "auth/required", `{"channel":"c","resource":"r"}`), ""},
		{"an action inside", params(V0_8_0, ByHost, "action", `{"channel":"c","serverSeq":1,"action":{"type":"chat/turnResume","turnId":"t"}}`), "not known at 0.8.0"},
		{"an envelope of the host", params(V0_8_0, ByHost, "action", `{"channel":"c","serverSeq":1,"action":{"type":"session/ready"}}`), ""},
		{"null result", CheckResult(V1_0_0, "createSession", Raw(`null`)), ""},
		{"empty result", CheckResult(V1_0_0, "createSession", Raw(`{}`)), ""},
		{"result with more", CheckResult(V1_0_0, "createSession", Raw(`{"x":1}`)), "x is not known"},
		{"no result", CheckResult(V1_0_0, "unsubscribe", Raw(`{}`)), "no result"},
		{"null where something is due", CheckResult(V1_0_0, "listSessions", Raw(`null`)), "null"},
		{"a state", CheckState(V0_9_0, TerminalKind, Raw(`{"title":"T","content":[],"lifecycle":{"status":"running"}}`)), ""},
		{"a state of earlier", CheckState(V0_9_0, TerminalKind, Raw(`{"title":"T","content":[],"exitCode":1}`)), "exitCode is not known"},
		{"a state of later", CheckState(V0_8_0, SessionKind, Raw(`{"provider":"p","title":"T","status":1,"lifecycle":"failed","chats":[]}`)), "shape"},
		{"no kind", CheckState(V1_0_0, "later", Raw(`{}`)), "no kind"},
		{"an action", CheckAction(V0_6_0, Raw(`{"type":"chat/delta","turnId":"t","partId":"p","content":"x"}`)), ""},
		{"a word", CheckAction(V1_0_0, Raw(`{"type":"session/mcpServerStateChanged","id":"m","state":{"kind":"stopped"}}`)), ""},
		{"an unknown word", CheckAction(V1_0_0, Raw(`{"type":"session/mcpServerStateChanged","id":"m","state":{"kind":"asleep"}}`)), `state.kind is "asleep"`},
		{"an unknown action", CheckAction(V1_0_0, Raw(`{"type":"chat/later"}`)), `"chat/later"`},
		{"a toggle of later", CheckAction(V0_7_0, Raw(`{"type":"session/customizationToggled","id":"s","enablement":[]}`)), "shape"},
		{"a toggle", CheckAction(V0_7_0, Raw(`{"type":"session/customizationToggled","id":"s","enabled":true}`)), ""},
	} {
		if (tt.err == nil) != (tt.want == "") || tt.err != nil && !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, tt.err, tt.want)
		}
	}
	many := `{"channel":"c"`
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		many += `,"` + string(c) + `":1`
	}
	if n := strings.Count(params(V1_0_0, ByClient, "subscribe", many+"}").Error(), "not known"); n != maxFindings {
		t.Errorf("%d things are told", n)
	}
}

// TestTagsOfVersions: every tag is a version, and says something.
func TestTagsOfVersions(t *testing.T) {
	t.Parallel()
	tagged := 0
	for typ := range formPlan() {
		for i := range typ.NumField() {
			f := typ.Field(i)
			for _, key := range []string{"since", "until"} {
				text, ok := f.Tag.Lookup(key)
				if !ok {
					continue
				}
				tagged++
				if v, err := ParseVersion(text); err != nil || !v.AtLeast(V0_5_1) || key == "since" && v == V0_5_1 || memberName(f) == "" {
					t.Errorf("%s.%s is known %s %q", typ, f.Name, key, text)
				}
			}
			if f.Tag.Get("keeps") != "" && (f.Name != "Extra" || f.Type != reflect.TypeFor[Raw]()) {
				t.Errorf("%s.%s keeps nothing", typ, f.Name)
			}
		}
	}
	if tagged < 80 {
		t.Errorf("only %d members are of some versions", tagged)
	}
}

// TestWords: every member that has certain words is one there is.
func TestWords(t *testing.T) {
	t.Parallel()
	members := map[string]bool{}
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for i := range typ.NumField() {
				members[typ.Name()+"."+memberName(typ.Field(i))] = true
				visit(typ.Field(i).Type)
			}
		}
	}
	for _, m := range Methods() {
		visit(reflect.TypeOf(m.Params()))
		if !m.Notifies {
			visit(reflect.TypeOf(m.Result()))
		}
	}
	for _, row := range actionRows() {
		visit(reflect.TypeOf(row.empty()))
	}
	for _, kind := range []ChannelKind{RootKind, SessionKind, ChatKind} {
		visit(reflect.TypeOf(newState(kind)))
	}
	for member, words := range wordTable() {
		if !members[member] || len(words) == 0 {
			t.Errorf("there is no %s, or it has no words", member)
		}
	}
}

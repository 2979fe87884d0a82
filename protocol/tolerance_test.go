package protocol

import (
	stdjson "encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// wireValue reads JSON as a host in JavaScript would: of duplicate members the
// last wins.
func wireValue(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := stdjson.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

func recoded(t *testing.T, raw string, v any) []byte {
	t.Helper()
	if err := Unmarshal([]byte(raw), v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return mustMarshal(t, v)
}

// TestUnknownThingsSurvive: unknown kinds, statuses, values and members come back
// as they came, whatever they are part of.
func TestUnknownThingsSurvive(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		v   any
		raw string
	}{
		{new(RootState), `{"agents":[{"provider":"p","displayName":"P","description":"d","models":[{"id":"m","provider":"p","name":"M","later":1}],"capabilities":{"teleport":{"far":true},"multipleChats":{"merge":true}},"protectedResources":[{"resource":"r","later":[1]}],"later":1}],"later":{"x":[null]}}`},
		{new(SessionState), `{"provider":"p","title":"t","status":4294967424,"lifecycle":"hibernating","chats":[{"resource":"r","title":"t","status":512,"modifiedAt":"","origin":{"kind":"dream","of":1},"interactivity":"later","later":1}],"activeClients":[{"clientId":"c","tools":[{"name":"n","later":1}],"later":1}],"inputNeeded":[{"kind":"payment","id":"i","chat":"c","amount":3}],"origin":{"kind":"automation","run":"r"},"artifacts":[{"uri":"u"}]}`},
		{new(SessionState), `{"provider":"","title":"","status":0,"lifecycle":"","chats":[],"customizations":[{"type":"wizard","id":"w","uri":"u","name":"n","power":9,"children":[{"type":"mcpServer","id":"s","uri":"u","name":"n","state":{"kind":"dreaming","of":{"x":1}},"enablement":[{"kind":"team","enabled":true,"who":"w"}],"later":1}],"load":{"kind":"half","percent":50}}]}`},
		{new(ChatState), `{"resource":"r","title":"t","status":8,"modifiedAt":"","turns":[{"id":"t","message":{"text":"x","origin":{"kind":"automation","run":"r"},"attachments":[{"type":"hologram","label":"l","data":"x"}],"later":1},"responseParts":[{"kind":"hologram","frames":[1,2]},{"kind":"contentRef","uri":"u","sizeHint":3,"nonce":"n"},{"kind":"systemNotification","content":{"markdown":"**x**"},"_meta":{"a":1}}],"state":"exploded","usage":{"inputTokens":1,"later":2},"later":1}],"canvases":[1],"steeringMessages":[{"id":"a","message":{"text":""}}]}`},
		{new(ToolCall), `{"status":"suspended","toolCallId":"c","toolName":"n","displayName":"N","contributor":{"kind":"robot","serial":7},"content":[{"type":"hologram","frames":1},{"type":"terminalComplete","exitCode":3}],"riskAssessment":{"kind":"oracle"},"confirmed":"telepathy","startedAt":"x"}`},
		{new(ResponsePart), `{"kind":"inputRequest","request":{"id":"r","questions":[{"kind":"rating","id":"q","message":"m","stars":5}],"answers":{"q":{"state":"pondered","value":{"kind":"stars","value":4},"later":1}},"later":1},"response":"maybe"}`},
	} {
		if diff := cmp.Diff(wireValue(t, []byte(tt.raw)), wireValue(t, recoded(t, tt.raw, tt.v))); diff != "" {
			t.Errorf("%T (-came +went):\n%s", tt.v, diff)
		}
	}
}

// TestMisfitsStayAside: a member of an unexpected type spoils neither its
// neighbours nor the snapshot, and comes back as it came.
func TestMisfitsStayAside(t *testing.T) {
	t.Parallel()
	const raw = `{"provider":"p","title":"t","status":1,"lifecycle":"ready","later":1,"activity":["busy"],"project":{"uri":["u"],"displayName":"d","later":2},
		"chats":[{"resource":"c","title":{"markdown":"x"},"status":"idle","modifiedAt":"m"},{"resource":"d","title":"d","status":1,"modifiedAt":"m"}],
		"customizations":[
			{"type":"mcpServer","id":"s","uri":"u","name":{"markdown":"n"},"icons":"none","state":{"kind":"authRequired","reason":{"code":1},"requiredScopes":"write","resource":{"resource":"https://x.example"}},"channel":"mcp://1"},
			{"type":"plugin","id":"p","uri":"u","name":"n","children":[{"type":"mcpServer","id":"k","uri":"u","name":"k","range":{"start":{"line":"one"}},"state":{"kind":"ready"}},7,{"type":["x"],"id":"odd"}]},
			"a string"],
		"inputNeeded":[{"kind":"toolAuthentication","id":"i","chat":"c","turnId":"t","toolCall":{"status":"auth-required","toolCallId":"x","toolName":"n","displayName":"N","edits":[],"auth":{"reason":"required","requiredScopes":["a",1]}}}]}`
	var s SessionState
	again := recoded(t, raw, &s)
	if diff := cmp.Diff(wireValue(t, []byte(raw)), wireValue(t, again)); diff != "" {
		t.Errorf("what came and what went (-came +went):\n%s", diff)
	}
	if s.Title != "t" || s.Project.DisplayName != "d" || s.Chats[1].Title != "d" || s.Chats[0].ModifiedAt != "m" {
		t.Errorf("neighbours were lost: %+v", s)
	}
	servers := Servers(&s)
	if len(servers) != 2 || servers[0].StateKind() != McpAuthRequired || servers[0].Channel != "mcp://1" || servers[1].StateKind() != McpReady {
		t.Fatalf("servers are %+v", servers)
	}
	if auth := servers[0].State.Requirement(); auth.Resource.Resource != "https://x.example" || auth.RequiredScopes != nil {
		t.Errorf("the requirement is %+v", auth)
	}
	if call := s.InputNeeded[0].ToolCall; call.Status != ToolAuthRequired || call.Auth.Reason != "required" {
		t.Errorf("the call is %+v", call)
	}
	if s.Customizations[2].Raw == nil || s.Customizations[1].Children[1].Raw == nil {
		t.Error("values that are no objects were not kept")
	}

	// The good members go on changing, the odd ones stay.
	next := ReduceSession(Profile{}, &s, &SessionMcpServerStateChanged{ID: "s", State: &McpServerState{Kind: McpReady}})
	got, _ := wireValue(t, mustMarshal(t, next.Customizations[0])).(map[string]any)
	want := map[string]any{"type": "mcpServer", "id": "s", "uri": "u", "name": map[string]any{"markdown": "n"}, "icons": "none", "state": map[string]any{"kind": "ready"}}
	if diff := cmp.Diff(want, any(got)); diff != "" {
		t.Errorf("the server afterwards (-want +got):\n%s", diff)
	}
	// A chat whose odd member is put right has it in its place.
	next = ReduceSession(Profile{}, &s, &SessionChatUpdated{Chat: "c", Changes: Raw(`{"status":24}`)})
	if c := next.Chats[0]; c.Status != StatusInputNeeded || strings.Contains(string(c.Extra), "status") || !strings.Contains(string(c.Extra), "title") {
		t.Errorf("the chat afterwards is %+v", c)
	}
}

// TestDamageIsBounded: what is wrong deep inside a long chain of structs is found
// no deeper than a few levels, and kept whole above.
func TestDamageIsBounded(t *testing.T) {
	t.Parallel()
	const depth = 2000
	var raw strings.Builder
	raw.WriteString(`{"customizations":[`)
	for i := range depth {
		fmt.Fprintf(&raw, `{"type":"plugin","id":"p%d","children":[`, i)
	}
	raw.WriteString(`{"id":5}`)
	raw.WriteString(strings.Repeat(`]}`, depth))
	raw.WriteString(`]}`)
	var s SessionState
	again := recoded(t, raw.String(), &s)
	c, levels := s.Customizations[0], 1
	for len(c.Children) > 0 {
		c, levels = c.Children[0], levels+1
	}
	if levels >= tolerantLevels+2 || !strings.Contains(string(c.Extra), `"children"`) {
		t.Errorf("looked %d levels deep, and kept %.40s there", levels, c.Extra)
	}
	if n := strings.Count(string(again), `"plugin"`); n != depth {
		t.Errorf("%d of %d levels came back", n, depth)
	}
}

func TestNullIsAbsent(t *testing.T) {
	t.Parallel()
	var chat ChatState
	const raw = `{"resource":"r","title":null,"status":null,"modifiedAt":null,"origin":null,"turns":[null,{"id":"t","message":null,"responseParts":[null,{"kind":"toolCall","toolCall":null},{"kind":"toolCall","toolCall":{"status":"completed","content":[null],"structuredContent":null,"options":[null],"selectedOption":null,"_meta":null,"pastTenseMessage":null,"toolInput":null}},null],"usage":null,"error":null},null],"activeTurn":null,"queuedMessages":[null],"inputRequests":[{"id":"q","questions":[null],"answers":{"a":null,"b":{"state":"skipped","value":null}}}],"changesets":null,"backgroundWork":null,"_meta":null,"later":null}`
	got := string(recoded(t, raw, &chat))
	const want = `{"resource":"r","title":"","status":0,"modifiedAt":"","turns":[{"id":"t","message":null,"responseParts":[{"kind":"toolCall"},{"kind":"toolCall","toolCall":{"status":"completed","toolCallId":"","toolName":"","displayName":"","options":[],"content":[]}}]}],"queuedMessages":[],"inputRequests":[{"id":"q","questions":[],"answers":{"b":{"state":"skipped"}}}],"later":null}`
	if got != want {
		t.Errorf("came back as\n%s\nwant\n%s", got, want)
	}

	// In actions, too: null clears.
	s := &SessionState{Changesets: []*Changeset{}, Meta: Raw(`{}`), ActivityText: "busy", DefaultChat: "c", Config: &Config{Values: map[string]Raw{"a": Raw(`1`)}}}
	for _, raw := range []string{
		`{"type":"session/changesetsChanged","changesets":null}`, `{"type":"session/metaChanged","_meta":null}`,
		`{"type":"session/activityChanged","activity":null}`, `{"type":"session/defaultChatChanged","defaultChat":null}`,
		`{"type":"session/configChanged","config":{"a":null}}`,
	} {
		s = ReduceSession(Profile{}, s, DecodeAction(Raw(raw)))
	}
	if s.Changesets != nil || s.Meta != nil || s.ActivityText != "" || s.DefaultChat != "" {
		t.Errorf("not cleared: %+v", s)
	}
	if got := string(s.Config.Values["a"]); got != "null" {
		t.Errorf("null is a value of a configuration, not %q", got)
	}
	call := &ToolCall{Status: ToolStreaming, ToolCallID: "c", Meta: Raw(`{"keep":1}`)}
	c := &ChatState{ActiveTurn: &Turn{ID: "t", ResponseParts: []*ResponsePart{{Kind: PartToolCall, ToolCall: call}}}}
	c = ReduceChat(Profile{}, c, DecodeAction(Raw(`{"type":"chat/toolCallDelta","turnId":"t","toolCallId":"c","content":"x","_meta":null}`)))
	if got := c.ActiveTurn.ResponseParts[0].ToolCall; string(got.Meta) != `{"keep":1}` || got.PartialInput.String() != "x" {
		t.Errorf("the call is %+v", got)
	}
}

func TestLastOfDuplicatesWins(t *testing.T) {
	t.Parallel()
	var c Customization
	got := string(recoded(t, `{"type":"plugin","id":"a","state":{"kind":"authRequired","reason":"x"},"later":1,"type":"mcpServer","later":2,"state":{"kind":"ready"},"mcpApp":{"a":1,"a":2}}`, &c))
	if want := `{"type":"mcpServer","id":"a","state":{"kind":"ready"},"mcpApp":{"a":1,"a":2},"later":2}`; got != want {
		t.Errorf("came back as\n%s\nwant\n%s", got, want)
	}
	for raw, want := range map[string]string{
		`{"type":"chat/delta","type":"chat/usage","turnId":"t"}`:                       "chat/usage",
		`{"type":"chat/delta","turnId":"a","turnId":"t","partId":"p","content":"x"}`:   "chat/delta",
		`{"turnId":"t","type":"later","type":"chat/usage"}`:                            "chat/usage",
		`{"\u0074ype":"chat/usage"}`:                                                   "chat/usage",
		`{"type":"chat\/usage"}`:                                                       "chat/usage",
		`{"type":"chat/responsePart","turnId":"t","part":{"type":"x","kind":"later"}}`: "chat/responsePart",
		`{ "type" : "chat/usage" }`:                                                    "chat/usage",
		`{"type":null}`:                                                                "",
		`{"type":{"type":"chat/usage"}}`:                                               "",
		`[]`:                                                                           "",
	} {
		a := DecodeAction(Raw(raw))
		if a.ActionType() != want {
			t.Errorf("%s is of type %q", raw, a.ActionType())
		}
		if d, ok := a.(*ChatDelta); ok && d.TurnID != "t" {
			t.Errorf("%s is about turn %q", raw, d.TurnID)
		}
	}
	answers := &ResponsePart{}
	recoded(t, `{"kind":"inputRequest","request":{"id":"r","answers":{"a":{"state":"draft","value":1},"a":{"state":"skipped"}}}}`, answers)
	if a := answers.Request.Answers["a"]; a.State != "skipped" || a.Value != nil {
		t.Errorf("the answer is %+v", a)
	}
}

// TestActionsThatCannotBeRead keep their raw text and say why.
func TestActionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"type":"chat/delta","turnId":7,"partId":"p","content":"x"}`,
		`{"type":"chat/delta","turnId":"t","partId":"p","content":{"markdown":"x"}}`,
		`{"type":"session/isReadChanged","isRead":"yes"}`,
		`{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":1}`,
		`{"type":"root/configChanged","config":[]}`,
		`{"type":"chat/queuedMessagesReordered","order":"a"}`,
		`{"type":"chat/usage","turnId":"t","usage":{"inputTokens":1},"usage":"none"}`,
	} {
		u, ok := DecodeAction(Raw(raw)).(*UnknownAction)
		if !ok || u.Err == nil || u.ActionType() == "" {
			t.Errorf("%s was read as %+v", raw, u)
			continue
		}
		if again, err := EncodeAction(u); err != nil || string(again) != raw {
			t.Errorf("%s came back as %s (%v)", raw, again, err)
		}
	}
	u, _ := DecodeAction(Raw(`{"type":"chat/usage","turnId":"t","turnId":7}`)).(*UnknownAction)
	if u == nil || !strings.Contains(u.Err.Error(), "number") {
		t.Errorf("the error is about a duplicate: %+v", u)
	}
	for _, raw := range []string{`{"type":"chat/later","x":1}`, `{"type":"","x":1}`, `{"x":1}`, `7`, `null`} {
		u, ok := DecodeAction(Raw(raw)).(*UnknownAction)
		if !ok || u.Err != nil {
			t.Errorf("%s was read as %+v", raw, u)
		}
	}
	// The parts of a known action bend like those of a state.
	a, ok := DecodeAction(Raw(`{"type":"chat/toolCallReady","turnId":"t","toolCallId":"c","invocationMessage":"m","options":[{"id":"o","label":5,"kind":"approve"}]}`)).(*ChatToolCallReady)
	if !ok || a.Options[0].ID != "o" || !a.Options[0].Approves() {
		t.Errorf("read as %+v", a)
	}
}

func TestEnvelope(t *testing.T) {
	t.Parallel()
	reason := "no"
	for _, tt := range []struct {
		raw  string
		want Envelope
	}{
		{`{"channel":"c","action":{"type":"session/ready"},"serverSeq":9007199254740991}`, Envelope{Channel: "c", Action: &SessionReady{}, ServerSeq: 1<<53 - 1}},
		{
			`{"channel":"c","action":{"type":"chat/truncated"},"serverSeq":1,"origin":{"clientId":"me","clientSeq":3},"rejectionReason":"no"}`,
			Envelope{Channel: "c", Action: &ChatTruncated{}, ServerSeq: 1, Origin: &ActionOrigin{"me", 3}, RejectionReason: &reason},
		},
		{`{"channel":"c","action":{"type":"x-mine/thing","s":"\ud83d"},"serverSeq":1}`, Envelope{Channel: "c", Action: &UnknownAction{Type: "x-mine/thing", Raw: Raw(`{"type":"x-mine/thing","s":"\ud83d"}`)}, ServerSeq: 1}},
		{`{"channel":"c","action":null,"serverSeq":1}`, Envelope{Channel: "c", Action: &UnknownAction{Raw: Raw(`null`)}, ServerSeq: 1}},
	} {
		var e Envelope
		got := string(recoded(t, tt.raw, &e))
		if got != tt.raw {
			t.Errorf("%s came back as %s", tt.raw, got)
		}
		if diff := cmp.Diff(tt.want, e); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.raw, diff)
		}
	}
	var e Envelope
	if err := Unmarshal([]byte(`{"origin":null,"rejectionReason":null,"later":1}`), &e); err != nil || e.Action == nil || e.Origin != nil || e.RejectionReason != nil {
		t.Errorf("%+v, %v", e, err)
	}
	for _, raw := range []string{`{"serverSeq":"1"}`, `{"origin":{"clientSeq":"1"}}`, `7`, `{"channel":"c"`} {
		if err := Unmarshal([]byte(raw), &e); err == nil {
			t.Errorf("%s was read as %+v", raw, e)
		}
	}
}

// TestLoneSurrogatesSurvive wherever they are kept, not only in a text.
func TestLoneSurrogatesSurvive(t *testing.T) {
	t.Parallel()
	const raw = `{"kind":"toolCall","toolCall":{"status":"running","toolCallId":"c","toolName":"n","displayName":"N","_meta":{"a":"\ud83d"},"content":[{"type":"text","text":"x\ude00"}]},"later\ud83d":"\ud83d\ude00"}`
	if got := string(recoded(t, raw, new(ResponsePart))); got != raw {
		t.Errorf("came back as\n%s\nwant\n%s", got, raw)
	}
	chat := benchChat(0, 1)
	for _, half := range []string{`\ud83d`, `\ude00`, `\ud83d`} {
		chat = ReduceChat(Profile{}, chat, DecodeAction(Raw(`{"type":"chat/delta","turnId":"active","partId":"grow","content":"`+half+`"}`)))
	}
	if got := string(mustMarshal(t, chat.ActiveTurn.ResponseParts[0])); got != `{"kind":"markdown","id":"grow","content":"😀\ud83d"}` {
		t.Errorf("the part is %s", got)
	}
}

// TestInvalidUTF8IsReplaced, so that nothing invalid goes out again.
func TestInvalidUTF8IsReplaced(t *testing.T) {
	t.Parallel()
	got := string(recoded(t, "{\"kind\":\"la\xffter\",\"content\":\"a\xffb\",\"x\":{\"y\":\"\xed\xa0\xbd\"}}", new(ResponsePart)))
	if want := "{\"kind\":\"la\ufffdter\",\"content\":\"a\ufffdb\",\"x\":{\"y\":\"\ufffd\"}}"; got != want {
		t.Errorf("came back as %q, want %q", got, want)
	}
}

// TestNumbersOfJavaScript: bits beyond 31 and numbers as JavaScript may write them.
func TestNumbersOfJavaScript(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]Status{
		`8`: 8, `2147483720`: 2147483720, `-2147483576`: 2147483720, `8.0`: 8, `1e3`: 1000, `9007199254740991`: 1<<53 - 1,
		`-1`: 1<<32 - 1, `-1e300`: 1 << 31, `1e300`: 1 << 53, `null`: 0,
	} {
		var s Status
		if err := Unmarshal([]byte(raw), &s); err != nil || s != want {
			t.Errorf("%s is %d (%v), want %d", raw, s, err, want)
		}
	}
	if err := Unmarshal([]byte(`"8"`), new(Status)); err == nil {
		t.Error("a string is no status")
	}
	if got := string(mustMarshal(t, Status(2147483720))); got != `2147483720` {
		t.Errorf("encoded as %s", got)
	}
}

func TestBothShapes(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]int{
		`{"resources":[{"resource":"https://x.example"}]}`: 1, `[{"resource":"https://x.example"},null]`: 1, `{}`: 0, `null`: 0, `[]`: 0,
	} {
		var d AuthRequiredData
		if err := Unmarshal([]byte(raw), &d); err != nil || len(d.Resources) != want {
			t.Errorf("%s: %d resources (%v)", raw, len(d.Resources), err)
		}
		if want == 1 {
			if got := string(mustMarshal(t, d)); got != `{"resources":[{"resource":"https://x.example"}]}` {
				t.Errorf("%s came back as %s", raw, got)
			}
		}
	}
	for raw, want := range map[string]string{
		`{"channel":"ahp-root://","resource":"https://x.example","reason":"expired"}`:                                       "https://x.example",
		`{"channel":"ahp-root://","resource":{"resource":"https://x.example","later":1,"required":false},"reason":"later"}`: "https://x.example",
		`{"channel":"ahp-root://","resource":null}`:                                                                         "",
	} {
		var p AuthRequiredParams
		if err := Unmarshal([]byte(raw), &p); err != nil || p.Resource.Resource != want {
			t.Errorf("%s: %q (%v)", raw, p.Resource.Resource, err)
		}
	}
	for raw, want := range map[string]string{`"x"`: `"x"`, `{"markdown":"x"}`: `{"markdown":"x"}`, `{"markdown":"x","later":1}`: `{"markdown":"x"}`} {
		var s StringOrMarkdown
		if got := string(recoded(t, raw, &s)); got != want || s.String() != "x" || s.Markdown != (raw[0] == '{') {
			t.Errorf("%s came back as %s", raw, got)
		}
	}
	for _, raw := range []string{`"x"`, `{"uri":"x:1","contentType":"text/plain","later":1}`} {
		var i ToolInput
		if got := string(recoded(t, raw, &i)); got != raw || (i.Ref != nil) != (raw[0] == '{') {
			t.Errorf("%s came back as %s", raw, got)
		}
	}
}

func TestDecodeState(t *testing.T) {
	t.Parallel()
	for raw, kind := range map[string]ChannelKind{
		`{"agents":[],"config":null}`:                  RootKind,
		`{"lifecycle":"ready","chats":[],"title":"x"}`: SessionKind,
		`{"turns":[],"title":"x"}`:                     ChatKind,
		`{"files":[]}`:                                 ChangesetKind,
		`{"annotations":[]}`:                           AnnotationsKind,
		`{"content":[],"claim":{},"lifecycle":{}}`:     TerminalKind,
		`{"root":"x:","recursive":false}`:              ResourceWatchKind,
		`{"content":[]}`:                               "",
		`7`:                                            "",
		`{"lifecycle":"ready"`:                         "",
	} {
		if got := ProbeKind(Raw(raw)); got != kind {
			t.Errorf("%s looks like %q", raw, got)
		}
	}
	source := Raw(`{"files":[]}`)
	s, err := DecodeState("later", source)
	if err != nil {
		t.Fatal(err)
	}
	source[2] = 'X'
	if got, err := EncodeState(s); err != nil || string(got) != `{"files":[]}` {
		t.Errorf("the state of an unknown kind became %s (%v)", got, err)
	}
	for _, kind := range ChannelKinds() {
		for _, raw := range []string{`7`, `"x"`, `[]`, `{`, ``, `{"a":1}}`} {
			if s, err := DecodeState(kind, Raw(raw)); err == nil {
				t.Errorf("%s was read as %T", raw, s)
			}
		}
	}
}

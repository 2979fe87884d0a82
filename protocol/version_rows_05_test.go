package protocol

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The tests of these files hold the table of changes between versions, a named
// test a row: what an old host sends and what a new one sends come to the same
// here, and each version is sent what it knows.

type versionRow struct {
	name  string
	check func(t *testing.T)
}

func runRows(t *testing.T, rows []versionRow) {
	t.Helper()
	t.Parallel()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			row.check(t)
		})
	}
}

// read decodes as everything is decoded.
func read[T any](t *testing.T, raw string) *T {
	t.Helper()
	v := new(T)
	if err := Unmarshal([]byte(raw), v); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	return v
}

// sentAt is what is sent of x at each version that has a form of its own.
func sentAt[T any](t *testing.T, v Version, x *T) string {
	t.Helper()
	return string(mustMarshal(t, At(v, x)))
}

// actionAt is what is sent of an action at a version; "" for nothing.
func actionAt(t *testing.T, v Version, a Action) string {
	t.Helper()
	shape := ActionAt(v, a)
	if shape == nil {
		return ""
	}
	return wireAt(t, shape)
}

func equalTo[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// since holds that got is what is wanted from a version on, and another thing before.
func since[T any](t *testing.T, first Version, what string, got func(Version) T, before, from T) {
	t.Helper()
	for _, v := range spoken() {
		want := before
		if v.AtLeast(first) {
			want = from
		}
		equalTo(t, what+" at "+v.String(), got(v), want)
	}
}

func TestRowsFrom050To051(t *testing.T) {
	runRows(t, []versionRow{
		{"bounded history", func(t *testing.T) {
			turns := 20.0
			for _, v := range spoken() { // an old host ignores the view
				equalTo(t, "subscribe", sentAt(t, v, &SubscribeParams{Channel: "c:/1", View: &View{Turns: &turns}}), `{"channel":"c:/1","view":{"turns":20}}`)
			}
			old, tail := read[ChatState](t, `{"turns":[{"id":"t0"},{"id":"t1"}]}`), read[ChatState](t, `{"turns":[{"id":"t1"}],"turnsNextCursor":"x"}`)
			if old.TurnsNextCursor != "" || tail.TurnsNextCursor != "x" {
				t.Error("there is more exactly where there is a cursor")
			}
			full := ReduceChat(Profile{}, tail, DecodeAction(Raw(`{"type":"chat/turnsLoaded","turns":[{"id":"t0"},{"id":"t1"}]}`)))
			equalTo(t, "after loading", string(mustMarshal(t, full.Turns)), string(mustMarshal(t, old.Turns)))
			equalTo(t, "cursor", full.TurnsNextCursor, "")
		}},
		{"fetchTurns", func(t *testing.T) {
			if slices.Contains(Offered(), Version{0, 5, 0}) {
				t.Error("0.5.0 has another fetchTurns")
			}
			equalTo(t, "params", sentAt(t, V0_5_1, &FetchTurnsParams{Channel: "c:/1", Cursor: "x"}), `{"channel":"c:/1","cursor":"x"}`)
			m, _ := MethodByName("fetchTurns")
			if _, empty := m.Result().(*EmptyResult); !empty {
				t.Error("the turns come as an action")
			}
		}},
		{"input queue", func(t *testing.T) {
			// An old host has no list; the chat's status says that something waits.
			old := read[SessionState](t, `{"chats":[{"resource":"c:/1","status":24}]}`)
			fresh := read[SessionState](t, `{"status":24,"chats":[{"resource":"c:/1","status":24}],"inputNeeded":[{"kind":"toolConfirmation","id":"i","chat":"c:/1","turnId":"t","toolCall":{"status":"pending-confirmation","toolCallId":"x"}}]}`)
			equalTo(t, "old activity", old.Activity(), StatusInputNeeded)
			equalTo(t, "new activity", fresh.Activity(), StatusInputNeeded)
			chat := read[ChatState](t, `{"activeTurn":{"id":"t","responseParts":[{"kind":"toolCall","toolCall":{"status":"pending-confirmation","toolCallId":"x"}}]}}`)
			known := map[URI]*ChatState{"c:/1": chat}
			equalTo(t, "blocks", blockRows(t, Blocked("s", old, known)), blockRows(t, Blocked("s", fresh, nil)))
		}},
		{"delivery hint", func(t *testing.T) {
			none := 0.0
			for _, v := range spoken() {
				equalTo(t, "subscribe", sentAt(t, v, &SubscribeParams{Channel: "c:/1", Delivery: &Delivery{MaxLatencyMs: &none}}), `{"channel":"c:/1","delivery":{"maxLatencyMs":0}}`)
			}
		}},
		{"listSessions", func(t *testing.T) {
			limit := 5
			equalTo(t, "params", sentAt(t, V0_5_1, &ListSessionsParams{Channel: RootChannel, Limit: &limit, Cursor: "x"}), `{"channel":"ahp-root://","limit":5,"cursor":"x"}`)
			equalTo(t, "last page", read[ListSessionsResult](t, `{"items":[]}`).NextCursor, "")
			equalTo(t, "first page", read[ListSessionsResult](t, `{"items":[{"resource":"p:/1"}],"nextCursor":"x"}`).NextCursor, "x")
		}},
		{"content version", func(t *testing.T) {
			old, one, two := read[ContentRef](t, `{"uri":"x:/1"}`), read[ContentRef](t, `{"uri":"x:/1","nonce":"1"}`), read[ContentRef](t, `{"uri":"x:/1","nonce":"2"}`)
			if old.Key() == one.Key() || one.Key() == two.Key() || one.Key() != read[ContentRef](t, `{"uri":"x:/1","nonce":"1","sizeHint":9}`).Key() {
				t.Error("the key is the URI and the nonce")
			}
		}},
		{"tool text", func(t *testing.T) {
			equalTo(t, "old", read[ToolCall](t, `{"displayName":"Read file"}`).Purpose(), "Read file")
			equalTo(t, "new", read[ToolCall](t, `{"displayName":"Read file","intention":"Look at the configuration"}`).Purpose(), "Look at the configuration")
		}},
		{"capabilities", func(t *testing.T) {
			for raw, want := range map[string]bool{`{}`: false, `{"capabilities":{}}`: false, `{"capabilities":{"multipleChats":{}}}`: false, `{"capabilities":{"multipleChats":{"fork":true}}}`: true} {
				a := read[AgentInfo](t, raw)
				if _, ok := NewFork(V0_5_1, a, "p:/1", "c:/2", "c:/1", "t"); ok != want || a.MayFork() != want {
					t.Errorf("%s may fork: %v", raw, ok)
				}
				if a.MayHaveChats() != strings.Contains(raw, "multipleChats") {
					t.Errorf("%s may have several chats: %v", raw, a.MayHaveChats())
				}
			}
		}},
		{"agent customization", func(t *testing.T) {
			c := read[Customization](t, `{"type":"agent","id":"a","model":"m","tools":["t"]}`)
			equalTo(t, "model and tools", []string{c.Model, c.Tools[0]}, []string{"m", "t"})
			if old := read[Customization](t, `{"type":"agent","id":"a"}`); old.Model != "" || old.Tools != nil {
				t.Errorf("%+v", old)
			}
		}},
	})
}

func TestRowsFrom051To052(t *testing.T) {
	runRows(t, []versionRow{
		{"MCP start and stop", func(t *testing.T) {
			since(t, V0_5_2, "start", func(v Version) bool { _, ok := StartServer(v, "s"); return ok }, false, true)
			since(t, V0_5_2, "stop", func(v Version) bool { _, ok := StopServer(v, "s"); return ok }, false, true)
			// A client of 0.5.1 is told what comes of another's request.
			since(t, V0_5_2, "told of a start", func(v Version) string { return actionAt(t, v, &SessionMcpServerStartRequested{ID: "s"}) },
				`{"type":"session/mcpServerStateChanged","id":"s","state":{"kind":"starting"}}`, `{"type":"session/mcpServerStartRequested","id":"s"}`)
			since(t, V0_5_2, "told of a stop", func(v Version) string { return actionAt(t, v, &SessionMcpServerStopRequested{ID: "s"}) },
				`{"type":"session/mcpServerStateChanged","id":"s","state":{"kind":"stopped"}}`, `{"type":"session/mcpServerStopRequested","id":"s"}`)
		}},
		{"toggle reach", func(t *testing.T) {
			plugin := &Customization{Type: TypePlugin, ID: "p", Children: []*Customization{{Type: TypeMcpServer, ID: "s"}}}
			since(t, V0_5_2, "a child", func(v Version) bool { return CanToggle(v, Server{plugin.Children[0], plugin}) }, false, true)
			since(t, V0_5_2, "a container", func(v Version) bool { return CanToggle(v, Server{plugin, nil}) }, true, true)
			since(t, V0_5_2, "the reducer", func(v Version) bool {
				s := ReduceSession(ProfileOf(v), &SessionState{Customizations: []*Customization{plugin}}, Toggle(v, plugin.Children[0], false))
				return s.Customizations[0].Children[0].On()
			}, true, false)
		}},
		{"child switch", func(t *testing.T) {
			for raw, want := range map[string]bool{`{"type":"skill"}`: true, `{"type":"skill","enabled":true}`: true, `{"type":"skill","enabled":false}`: false} {
				equalTo(t, raw, read[Customization](t, raw).On(), want)
			}
			since(t, V0_5_2, "sent", func(v Version) string {
				return sentAt(t, v, &Customization{Type: TypeSkill, ID: "k", Enabled: boolean(false)})
			},
				`{"type":"skill","id":"k"}`, `{"type":"skill","id":"k","enabled":false}`)
		}},
		{"metadata", func(t *testing.T) {
			c := read[Customization](t, `{"type":"skill","id":"k","_meta":{"a":1}}`)
			equalTo(t, "kept", string(c.Meta), `{"a":1}`)
			since(t, V0_5_2, "sent", func(v Version) string { return sentAt(t, v, c) }, `{"type":"skill","id":"k"}`, `{"type":"skill","id":"k","_meta":{"a":1}}`)
		}},
		{"invocation flags", func(t *testing.T) {
			old, c := read[Customization](t, `{"type":"skill","id":"k"}`), read[Customization](t, `{"type":"skill","id":"k","disableModelInvocation":true,"disableUserInvocation":false}`)
			if old.DisableModelInvocation != nil || !*c.DisableModelInvocation || *c.DisableUserInvocation {
				t.Errorf("%+v", c)
			}
			since(t, V0_5_2, "sent", func(v Version) bool { return strings.Contains(sentAt(t, v, c), "disable") }, false, true)
		}},
		{"identity", func(t *testing.T) {
			equalTo(t, "old host", read[InitializeResult](t, `{"protocolVersion":"0.5.1"}`).ServerInfo, nil)
			equalTo(t, "new host", read[InitializeResult](t, `{"serverInfo":{"name":"h","version":"1","title":"H"}}`).ServerInfo, &Implementation{Name: "h", Version: "1", Title: "H"})
			since(t, V0_5_2, "a host says", func(v Version) string { return sentAt(t, v, &InitializeResult{ServerInfo: &Implementation{Name: "h"}}) },
				`{"protocolVersion":"","serverSeq":0,"snapshots":[]}`, `{"protocolVersion":"","serverSeq":0,"serverInfo":{"name":"h"},"snapshots":[]}`)
		}},
		{"shell marker", func(t *testing.T) {
			if _, ok := read[InitializeResult](t, `{}`).ShellCommand("!ls"); ok {
				t.Error("without a marker a message is a message")
			}
			host := read[InitializeResult](t, `{"terminalCommandPrefix":"!"}`)
			if cmd, ok := host.ShellCommand("!ls"); !ok || cmd != "ls" {
				t.Errorf("the command is %q", cmd)
			}
			if _, ok := host.ShellCommand("ls!"); ok {
				t.Error("the marker stands in front")
			}
		}},
		{"input record", func(t *testing.T) {
			chat := `{"resource":"c:/1","status":24,"inputRequests":[{"id":"in"}],"turns":[],"activeTurn":{"id":"t","responseParts":[]}}`
			for _, v := range []Version{V0_5_1, V0_5_2} {
				s := ReduceChat(ProfileOf(v), read[ChatState](t, chat), &ChatInputCompleted{RequestID: "in", Response: ResponseAccept})
				parts := len(s.ActiveTurn.ResponseParts)
				if len(s.OpenInputs()) != 0 || (parts == 1) != (v == V0_5_2) {
					t.Errorf("at %v there are %d parts", v, parts)
				}
			}
		}},
		{"plugin version", func(t *testing.T) {
			since(t, V0_5_2, "sent", func(v Version) bool {
				return strings.Contains(sentAt(t, v, read[Customization](t, `{"type":"plugin","id":"p","version":"1.2"}`)), "1.2")
			}, false, true)
		}},
		{"changeset review", func(t *testing.T) {
			s := read[ChangesetState](t, `{"status":"ready","files":[{"id":"a"},{"id":"b","reviewed":true}]}`)
			if s.Files[0].IsReviewed() || !s.Files[1].IsReviewed() {
				t.Errorf("%+v", s)
			}
			if ClientMay(V0_5_2, "changeset/filesReviewedChanged") || !KnownAt(V0_5_2, "changeset/filesReviewedChanged") {
				t.Error("the host alone says what is reviewed")
			}
			since(t, V0_5_2, "sent", func(v Version) bool { return strings.Contains(sentAt(t, v, s), "reviewed") }, false, true)
		}},
		{"terminal result", func(t *testing.T) { checkTerminalResult(t) }},
	})
}

// checkTerminalResult: the end of a command is one view in both forms.
func checkTerminalResult(t *testing.T) {
	t.Helper()
	old := read[ToolResultContent](t, `{"type":"terminalComplete","resource":"x:/1","exitCode":2,"preview":"p","truncated":true,"cwd":"file:///a"}`)
	fresh := read[ToolResultContent](t, `{"type":"terminal","resource":"x:/1","title":"T","isPty":true,"result":{"exitCode":2,"preview":"p","truncated":true}}`)
	for _, c := range []*ToolResultContent{old, fresh} {
		use := c.Terminal()
		if use.Resource != "x:/1" || *use.Result.ExitCode != 2 || use.Result.Preview.String() != "p" || !*use.Result.Truncated {
			t.Errorf("%s is %+v", c.Type, use)
		}
	}
	if read[ToolResultContent](t, `{"type":"terminal","resource":"x:/1"}`).Terminal().Result != nil || read[ToolResultContent](t, `{"type":"text"}`).Terminal() != nil {
		t.Error("there is no end")
	}
	equalTo(t, "unknown members stay", string(recoded(t, `{"type":"terminalComplete","exitCode":2,"cwd":"x"}`, new(ToolResultContent))), `{"type":"terminalComplete","exitCode":2,"cwd":"x"}`)
	call := &ToolCall{Status: ToolCompleted, ToolCallID: "c", Content: []*ToolResultContent{TextContent("x"), fresh, TextContent("y")}}
	const plain, end = `{"type":"text","text":"x"},{"type":"terminal","title":"T","resource":"x:/1"}`, `{"type":"terminalComplete","resource":"x:/1","exitCode":2,"preview":"p","truncated":true}`
	for v, want := range map[Version]string{
		V0_5_1: plain + `,{"type":"text","text":"y"}`, V0_5_2: plain + "," + end + `,{"type":"text","text":"y"}`, V0_6_0: plain + "," + end + `,{"type":"text","text":"y"}`,
		V0_7_0: `{"type":"text","text":"x"},` + string(mustMarshal(t, fresh)) + `,{"type":"text","text":"y"}`,
	} {
		if got := string(mustMarshal(t, At(v, call).Content)); got != "["+want+"]" {
			t.Errorf("at %v sent as\n%s\nwant\n[%s]", v, got, want)
		}
	}
}

func TestRowsFrom052To060(t *testing.T) {
	runRows(t, []versionRow{
		{"open input requests move", func(t *testing.T) {
			old := read[ChatState](t, `{"status":24,"inputRequests":[{"id":"in","message":"m"}],"activeTurn":{"id":"t","responseParts":[]}}`)
			fresh := read[ChatState](t, `{"status":24,"activeTurn":{"id":"t","responseParts":[{"kind":"inputRequest","request":{"id":"in","message":"m"}},{"kind":"inputRequest","request":{"id":"done"},"response":"accept"}]}}`)
			equalTo(t, "open", string(mustMarshal(t, old.OpenInputs())), string(mustMarshal(t, fresh.OpenInputs())))
			if waiting := ReduceChat(ProfileOf(V0_5_2), old, &ChatToolCallReady{TurnID: "t"}).Status; !waiting.NeedsInput() {
				t.Error("the status looks at the list")
			}
			for v, want := range map[Version]string{
				V0_5_1: `{"resource":"","title":"","status":24,"modifiedAt":"","turns":[],"activeTurn":{"id":"t","message":null,"responseParts":[]},"inputRequests":[{"id":"in","message":"m"}]}`,
				V0_5_2: `{"resource":"","title":"","status":24,"modifiedAt":"","turns":[],"activeTurn":{"id":"t","message":null,"responseParts":[{"kind":"inputRequest","request":{"id":"done"},"response":"accept"}]},"inputRequests":[{"id":"in","message":"m"}]}`,
				V0_6_0: string(mustMarshal(t, fresh)),
			} {
				equalTo(t, "sent at "+v.String(), sentAt(t, v, fresh), want)
			}
		}},
		{"tool-call sign-in", func(t *testing.T) {
			server := `{"chats":[{"resource":"c:/1","status":24}],"customizations":[{"type":"mcpServer","id":"s","state":{"kind":"authRequired","resource":{"resource":"r"}}}]`
			old, fresh := read[SessionState](t, server+`}`), read[SessionState](t, server+`,"inputNeeded":[{"kind":"toolAuthentication","id":"i","chat":"c:/1","turnId":"t","toolCall":{"status":"auth-required","toolCallId":"x","auth":{"reason":"required","resource":{"resource":"r"}}}}]}`)
			equalTo(t, "old", blockRows(t, Blocked("s", old, nil)), []blockRow{{BlockServerAuth, "", "", "s", "r"}})
			equalTo(t, "new", blockRows(t, Blocked("s", fresh, nil)), []blockRow{{BlockToolAuth, "c:/1", "t", "x", "r"}})
			auth := &McpAuthRequirement{Reason: "required"}
			for a, want := range map[Action]string{
				&ChatToolCallAuthRequired{TurnID: "t", ToolCallID: "x", Auth: auth}:                                               `{"type":"chat/toolCallAuthRequired","turnId":"t","toolCallId":"x","auth":{"reason":"required"}}`,
				&ChatToolCallAuthResolved{TurnID: "t", ToolCallID: "x"}:                                                           `{"type":"chat/toolCallAuthResolved","turnId":"t","toolCallId":"x"}`,
				&SessionInputNeededSet{Request: &SessionInputRequest{Kind: InputAuthentication, ID: "i", Chat: "c", TurnID: "t"}}: `{"type":"session/inputNeededSet","request":{"kind":"toolAuthentication","id":"i","chat":"c","turnId":"t"}}`,
			} {
				since(t, V0_6_0, a.ActionType(), func(v Version) string { return actionAt(t, v, a) }, "", want)
			}
			call := &ToolCall{Status: ToolAuthRequired, ToolCallID: "x", Auth: auth}
			since(t, V0_6_0, "the call", func(v Version) ToolCallStatus { return At(v, call).Status }, ToolRunning, ToolAuthRequired)
		}},
		{"authenticate.scopes", func(t *testing.T) {
			since(t, V0_6_0, "sent", func(v Version) string {
				return string(mustMarshal(t, NewAuthenticate(v, "r", "placeholder", []string{"a"}, 0)))
			},
				`{"channel":"ahp-root://","resource":"r","token":"placeholder"}`, `{"channel":"ahp-root://","resource":"r","token":"placeholder","scopes":["a"]}`)
		}},
		{"oauthClient", func(t *testing.T) {
			old, fresh := read[McpAuthRequirement](t, `{"reason":"required"}`), read[McpAuthRequirement](t, `{"reason":"required","oauthClient":{"clientId":"c"}}`)
			if old.OAuthClient != nil || fresh.OAuthClient.ClientID != "c" {
				t.Errorf("%+v", fresh)
			}
			since(t, V0_6_0, "sent", func(v Version) bool { return strings.Contains(sentAt(t, v, &ToolCall{Auth: fresh}), "oauthClient") }, false, true)
			state := &McpServerState{Kind: McpAuthRequired, OAuthClient: fresh.OAuthClient}
			since(t, V0_6_0, "sent", func(v Version) string { return sentAt(t, v, state) }, `{"kind":"authRequired"}`, `{"kind":"authRequired","oauthClient":{"clientId":"c"}}`)
		}},
		{"turn times", func(t *testing.T) {
			now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
			since(t, V0_6_0, "start", func(v Version) string { return StartTurn(v, "t", "x", now).StartedAt }, "", "2026-01-02T03:04:05.000Z")
			since(t, V0_6_0, "cancel", func(v Version) bool { return CancelTurn(v, "t", time.Second).Duration != nil }, false, true)
			since(t, V0_6_0, "a turn", func(v Version) string {
				return sentAt(t, v, read[Turn](t, `{"id":"t","startedAt":"x","duration":5,"message":{"text":"x"},"responseParts":[],"state":"complete"}`))
			},
				`{"id":"t","message":{"text":"x"},"responseParts":[],"state":"complete"}`, `{"id":"t","startedAt":"x","duration":5,"message":{"text":"x"},"responseParts":[],"state":"complete"}`)
			// An old host's turn has no times, and none are made up.
			s := ReduceChat(ProfileOf(V0_5_2), read[ChatState](t, `{"activeTurn":{"id":"t","responseParts":[]}}`), &ChatTurnComplete{TurnID: "t"})
			if s.Turns[0].Duration != nil || s.Turns[0].StartedAt != "" {
				t.Errorf("%+v", s.Turns[0])
			}
		}},
		{"risk assessment", func(t *testing.T) {
			if read[ToolCall](t, `{"status":"pending-confirmation"}`).Risk() != nil {
				t.Error("nobody judged")
			}
			loading := read[ToolCall](t, `{"riskAssessment":{"kind":"judge","status":"loading"}}`).Risk()
			call := read[ToolCall](t, `{"riskAssessment":{"kind":"judge","status":"complete","reason":{"markdown":"r"},"safety":0.25}}`)
			if risk := call.Risk(); loading.Safety != nil || loading.Status != RiskLoading || *risk.Safety != 0.25 || risk.Reason.String() != "r" {
				t.Errorf("%+v", risk)
			}
			since(t, V0_6_0, "sent", func(v Version) bool { return strings.Contains(sentAt(t, v, call), "judge") }, false, true)
			since(t, V0_6_0, "sent", func(v Version) bool {
				return strings.Contains(actionAt(t, v, &ChatToolCallReady{TurnID: "t", ToolCallID: "c", InvocationMessage: Plain("m"), RiskAssessment: call.RiskAssessment}), "judge")
			}, false, true)
		}},
		{"changeset review", func(t *testing.T) {
			for _, raw := range []string{`{"type":"changeset/filesReviewedChanged","fileIds":["a"],"reviewed":true}`, `{"type":"changeset/filesReviewChanged","files":["a"],"reviewed":true}`} {
				s := ReduceChangeset(Profile{}, read[ChangesetState](t, `{"status":"ready","files":[{"id":"a"},{"id":"b"}]}`), DecodeAction(Raw(raw)))
				if !s.Files[0].IsReviewed() || s.Files[1].IsReviewed() {
					t.Errorf("%s makes %s", raw, mustMarshal(t, s))
				}
			}
			may := &Changeset{Capabilities: &ChangesetCapabilities{Review: Raw(`{}`)}}
			since(t, V0_6_0, "allowed", func(v Version) bool { _, ok := Review(v, may, []string{"a"}, true); return ok }, false, true)
			since(t, V0_5_1, "without the capability", func(v Version) bool { _, ok := Review(v, &Changeset{}, []string{"a"}, true); return ok }, false, false)
			a := &ChangesetFilesReviewChanged{Files: []string{"a"}, Reviewed: true}
			for v, want := range map[Version]string{
				V0_5_1: "", V0_5_2: `{"type":"changeset/filesReviewedChanged","fileIds":["a"],"reviewed":true}`, V0_6_0: `{"type":"changeset/filesReviewChanged","files":["a"],"reviewed":true}`,
			} {
				equalTo(t, "told at "+v.String(), actionAt(t, v, a), want)
			}
		}},
		{"system notification metadata", func(t *testing.T) {
			const raw = `{"kind":"systemNotification","content":"x","_meta":{"a":1}}`
			part := read[ResponsePart](t, raw)
			since(t, V0_6_0, "sent", func(v Version) string { return sentAt(t, v, part) }, `{"kind":"systemNotification","content":"x"}`, raw)
		}},
	})
}

package protocol

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRowsFrom080To090(t *testing.T) {
	runRows(t, []versionRow{
		{"session failure", func(t *testing.T) {
			for _, raw := range []string{`{"lifecycle":"creationFailed"}`, `{"lifecycle":"failed"}`} {
				if !read[SessionState](t, raw).Lifecycle.Failed() {
					t.Errorf("%s has failed", raw)
				}
			}
			since(t, V0_9_0, "sent", func(v Version) Lifecycle { return At(v, &SessionState{Lifecycle: LifecycleFailed}).Lifecycle }, LifecycleCreationFailed, LifecycleFailed)
			since(t, V0_9_0, "reduced", func(v Version) Lifecycle {
				return ReduceSession(ProfileOf(v), &SessionState{}, &SessionCreationFailed{}).Lifecycle
			}, LifecycleCreationFailed, LifecycleFailed)
		}},
		{"errors become parts", func(t *testing.T) {
			const oldTurn, newTurn = `{"id":"t","message":{"text":"x"},"responseParts":[],"state":"error","error":{"errorType":"E","message":"m"}}`, `{"id":"t","message":{"text":"x"},"responseParts":[{"kind":"error","error":{"errorType":"E","message":"m"},"resumable":true}],"state":"error"}`
			old, oldResumable := read[Turn](t, oldTurn).Failure()
			fresh, resumable := read[Turn](t, newTurn).Failure()
			equalTo(t, "failure", old, fresh)
			equalTo(t, "resumable", []bool{oldResumable, resumable}, []bool{false, true})
			since(t, V0_9_0, "a turn", func(v Version) string { return sentAt(t, v, read[Turn](t, newTurn)) }, oldTurn, newTurn)
			part := &ResponsePart{Kind: PartError, Error: fresh, Resumable: boolean(true)}
			since(t, V0_9_0, "the action", func(v Version) string { return actionAt(t, v, &ChatError{TurnID: "t", Part: part}) },
				`{"type":"chat/error","turnId":"t","error":{"errorType":"E","message":"m"}}`, `{"type":"chat/error","turnId":"t","part":{"kind":"error","error":{"errorType":"E","message":"m"},"resumable":true}}`)
			for _, raw := range []string{`{"type":"chat/error","turnId":"t","error":{"errorType":"E","message":"m"}}`, `{"type":"chat/error","turnId":"t","part":{"kind":"error","error":{"errorType":"E","message":"m"}}}`} {
				for _, v := range spoken() {
					s := ReduceChat(ProfileOf(v), read[ChatState](t, `{"activeTurn":{"id":"t","responseParts":[]}}`), DecodeAction(Raw(raw)))
					if err, _ := s.Turns[0].Failure(); err == nil || err.Message != "m" {
						t.Errorf("at %v %s makes %s", v, raw, mustMarshal(t, s))
					}
				}
			}
		}},
		{"resume", func(t *testing.T) {
			s := read[ChatState](t, `{"turns":[{"id":"t","responseParts":[{"kind":"error","error":{"message":"m"},"resumable":true}],"state":"error"}]}`)
			since(t, V0_9_0, "offered", func(v Version) bool { _, ok := ResumeTurn(v, s); return ok }, false, true)
			for _, raw := range []string{
				`{}`, `{"turns":[{"id":"t","state":"error","error":{"message":"m"}}]}`, `{"turns":[{"id":"t","responseParts":[{"kind":"error","error":{}}],"state":"error"}]}`,
				`{"turns":[{"id":"t","responseParts":[{"kind":"error","error":{},"resumable":true}],"state":"error"}],"activeTurn":{"id":"u"}}`,
			} {
				if _, ok := ResumeTurn(V1_0_0, read[ChatState](t, raw)); ok {
					t.Errorf("%s can be resumed", raw)
				}
			}
			since(t, V0_9_0, "told", func(v Version) bool { return actionAt(t, v, &ChatTurnResume{TurnID: "t"}) != "" }, false, true)
		}},
		{"terminal lifecycle", func(t *testing.T) {
			for _, tt := range []struct {
				old, fresh string
				code       int // -1: none
				ended      bool
			}{
				{`{}`, `{"lifecycle":{"status":"running"}}`, -1, false},
				{`{"exitCode":3}`, `{"lifecycle":{"status":"exited","exitCode":3}}`, 3, true},
				{``, `{"lifecycle":{"status":"exited"}}`, -1, true},
				{``, `{"lifecycle":{"status":"later"}}`, -1, false},
			} {
				for _, raw := range []string{tt.old, tt.fresh} {
					if raw == "" {
						continue
					}
					for _, exited := range []func() (*int, bool){read[TerminalState](t, raw).Exited, read[TerminalInfo](t, raw).Exited} {
						code, ended := exited()
						if ended != tt.ended || (code == nil) != (tt.code < 0) || code != nil && *code != tt.code {
							t.Errorf("%s: %v, %v", raw, code, ended)
						}
					}
				}
			}
			s := &TerminalState{Title: "T", Lifecycle: &TerminalLifecycle{Status: TerminalEnded, ExitCode: new(3)}}
			since(t, V0_9_0, "a state", func(v Version) string { return sentAt(t, v, s) }, `{"title":"T","content":[],"exitCode":3}`, `{"title":"T","content":[],"lifecycle":{"status":"exited","exitCode":3}}`)
			since(t, V0_9_0, "the catalogue", func(v Version) string {
				return actionAt(t, v, &RootTerminalsChanged{Terminals: []*TerminalInfo{{Resource: "x", Title: "T", Lifecycle: s.Lifecycle}}})
			}, `{"type":"root/terminalsChanged","terminals":[{"resource":"x","title":"T","exitCode":3}]}`, `{"type":"root/terminalsChanged","terminals":[{"resource":"x","title":"T","lifecycle":{"status":"exited","exitCode":3}}]}`)
			since(t, V0_9_0, "reduced", func(v Version) string {
				return string(mustMarshal(t, ReduceTerminal(ProfileOf(v), &TerminalState{}, &TerminalExited{ExitCode: new(0)})))
			}, `{"title":"","content":[],"exitCode":0}`, `{"title":"","content":[],"lifecycle":{"status":"exited","exitCode":0}}`)
		}},
		{"terminal claim", func(t *testing.T) {
			if c := read[TerminalClaim](t, `{"kind":"session","session":"p:/1"}`); c.Chat != "" || c.Session != "p:/1" {
				t.Errorf("%+v", c)
			}
			claim := &TerminalClaim{Kind: ClaimSession, Session: "p:/1", Chat: "c:/1"}
			since(t, V0_9_0, "sent", func(v Version) string { return actionAt(t, v, &TerminalClaimed{Claim: claim}) },
				`{"type":"terminal/claimed","claim":{"kind":"session","session":"p:/1"}}`, `{"type":"terminal/claimed","claim":{"kind":"session","session":"p:/1","chat":"c:/1"}}`)
		}},
		{"annotations", func(t *testing.T) {
			old, fresh := read[Annotation](t, `{"id":"1","turnId":"t"}`), read[Annotation](t, `{"id":"1","origin":{"session":"p:/1","turnId":"t"}}`)
			equalTo(t, "anchor", old.Anchor("p:/1"), fresh.Anchor("p:/1"))
			if read[Annotation](t, `{"id":"1"}`).Anchor("p:/1") != nil {
				t.Error("nothing is said")
			}
			n := &Annotation{ID: "1", Origin: &AnnotationOrigin{Session: "p:/1", Chat: "c:/1", TurnID: "t"}, Resource: "x", Entries: []*AnnotationEntry{}}
			since(t, V0_9_0, "sent", func(v Version) string { a, _ := Annotate(v, n); return string(mustMarshal(t, a.Annotation)) },
				`{"id":"1","turnId":"t","resource":"x","resolved":false,"entries":[]}`, `{"id":"1","origin":{"session":"p:/1","chat":"c:/1","turnId":"t"},"resource":"x","resolved":false,"entries":[]}`)
			since(t, V0_9_0, "moved", func(v Version) string { return wireAt(t, MoveAnnotation(v, "1", n.Origin, "", nil)) },
				`{"type":"annotations/updated","annotationId":"1","turnId":"t"}`, `{"type":"annotations/updated","annotationId":"1","origin":{"session":"p:/1","chat":"c:/1","turnId":"t"}}`)
			since(t, V0_9_0, "from no turn", func(v Version) bool {
				_, ok := Annotate(v, &Annotation{ID: "1", Origin: &AnnotationOrigin{Session: "p:/1"}})
				return ok
			}, false, true)
		}},
		{"unknown values", func(t *testing.T) {
			for _, raw := range []string{`{"kind":"dreaming","of":1}`, `{"kind":"ready","_meta":{}}`} {
				equalTo(t, "a state", string(recoded(t, raw, new(McpServerState))), raw)
			}
			equalTo(t, "a status", string(recoded(t, `{"status":"suspended","toolCallId":"c","toolName":"","displayName":"","x":1}`, new(ToolCall))), `{"status":"suspended","toolCallId":"c","toolName":"","displayName":"","x":1}`)
			s := ReduceChat(Profile{}, chatWith("t", &ToolCall{Status: "suspended", ToolCallID: "c"}), &ChatTurnComplete{TurnID: "t"})
			equalTo(t, "the end of a turn ends it", s.Turns[0].ResponseParts[0].ToolCall.Status, ToolCancelled)
		}},
		{"client execution entry", func(t *testing.T) {
			s := &SessionState{InputNeeded: []*SessionInputRequest{{Kind: InputClientExecution, ID: "i", ClientID: "me", ToolCall: &ToolCall{Status: ToolRunning}}}}
			if len(Blocked("s", s, nil)) != 0 {
				t.Error("it waits for a client, not for a person")
			}
		}},
		{"modifiedAt", func(t *testing.T) {
			now := time.UnixMilli(9999)
			since(t, V0_9_0, "at the end of a turn", func(v Version) string {
				s := &ChatState{ActiveTurn: &Turn{ID: "t", StartedAt: "2026-01-01T00:00:00.000Z"}}
				ms := 1500.0
				return ReduceChat(ProfileOf(v).At(now), s, &ChatTurnComplete{TurnID: "t", Duration: &ms}).ModifiedAt
			}, "1970-01-01T00:00:09.999Z", "2026-01-01T00:00:01.500Z")
		}},
		{"removed", func(t *testing.T) {
			err := &ErrorInfo{ErrorType: "E", Message: "m"}
			since(t, V0_9_0, "the error of contents", func(v Version) bool {
				return strings.Contains(actionAt(t, v, &ChangesetContentChanged{Files: []*ChangesetFile{}, Error: err}), "error")
			}, true, false)
			since(t, V0_9_0, "forks of sessions", func(v Version) bool {
				return strings.Contains(sentAt(t, v, &CreateSessionParams{Channel: "p:/2", Fork: &SessionForkSource{Session: "p:/1", TurnID: "t"}}), "fork")
			}, true, false)
			equalTo(t, "a code stays reserved", CodeName(CodeContentNotFound), "ContentNotFound")
		}},
		{"automations", func(t *testing.T) {
			if read[InitializeResult](t, `{}`).Automations != nil {
				t.Error("without the capability there are none")
			}
			result := &InitializeResult{Automations: &AutomationCapabilities{Create: Raw(`{}`)}}
			since(t, V0_9_0, "the capability", func(v Version) bool { return strings.Contains(sentAt(t, v, result), "automations") }, false, true)
			for _, typ := range []string{"automation/createRequested", "automation/updateRequested", "automation/removed", "automationRun/cancelRequested"} {
				since(t, V0_9_0, typ, func(v Version) bool { return ClientMay(v, typ) }, false, true)
			}
			summary := read[SessionSummary](t, `{"resource":"p:/1","origin":{"kind":"automation","automation":"a:/1","run":"r:/1"}}`)
			equalTo(t, "origin", summary.Origin.Run, URI("r:/1"))
			since(t, V0_9_0, "the origin", func(v Version) bool { return strings.Contains(sentAt(t, v, summary), "origin") }, false, true)
			since(t, V0_9_0, "who wrote it", func(v Version) string {
				return At(v, &Message{Origin: MessageOrigin{Kind: OriginAutomation}}).Origin.Kind
			}, OriginSystemNotification, OriginAutomation)
			for _, m := range []string{"runAutomation", "fetchAutomationRuns", "listAutomationTriggerDefinitions"} {
				method, ok := MethodByName(m)
				equalTo(t, m, ok && method.Since == V0_9_0, true)
			}
		}},
		{"InitializeResult._meta", func(t *testing.T) {
			since(t, V0_9_0, "sent", func(v Version) bool {
				return strings.Contains(sentAt(t, v, &InitializeResult{Meta: Raw(`{"a":1}`)}), "_meta")
			}, false, true)
		}},
		{"negotiation", func(t *testing.T) {
			// A host that takes the highest and one that takes the first take the same.
			if !slices.IsSortedFunc(Offered(), func(a, b Version) int { return b.Compare(a) }) {
				t.Error("the newest is offered first")
			}
			r, err := ParseVersionRange("^0.9.0")
			if err != nil {
				t.Fatal(err)
			}
			equalTo(t, "what VS Code's host supports", slices.DeleteFunc(Offered(), func(v Version) bool { return !r.Contains(v) }), []Version{V0_9_0})
		}},
	})
}

func TestRowsFrom090To100(t *testing.T) {
	runRows(t, []versionRow{
		{"token lifetime", func(t *testing.T) {
			since(t, V0_9_0, "sent", func(v Version) bool {
				return strings.Contains(string(mustMarshal(t, NewAuthenticate(v, "r", "placeholder", nil, 90*time.Second))), `"expiresIn":90`)
			}, false, true)
			for _, lifetime := range []time.Duration{0, -1, 999 * time.Millisecond} {
				if NewAuthenticate(V1_0_0, "r", "placeholder", nil, lifetime).ExpiresIn != nil {
					t.Errorf("%v is no lifetime", lifetime)
				}
			}
		}},
		{"MCP background start", func(t *testing.T) {
			for raw, want := range map[string]bool{`{"kind":"starting"}`: false, `{"kind":"starting","blocking":false}`: false, `{"kind":"starting","blocking":true}`: true, `{"kind":"ready","blocking":true}`: false} {
				c := &Customization{Type: TypeMcpServer, ID: "s", State: read[McpServerState](t, raw)}
				equalTo(t, raw, c.Blocks(), want)
				since(t, V1_0_0, raw, func(v Version) bool { _, ok := BackgroundServer(v, c); return ok }, false, want)
			}
			since(t, V1_0_0, "a state", func(v Version) string {
				return sentAt(t, v, &McpServerState{Kind: McpStarting, Blocking: boolean(true)})
			}, `{"kind":"starting"}`, `{"kind":"starting","blocking":true}`)
			since(t, V1_0_0, "told", func(v Version) bool { return actionAt(t, v, &SessionMcpServerBackgroundRequested{ID: "s"}) != "" }, false, true)
		}},
		{"session list with chats", func(t *testing.T) {
			s := read[SessionSummary](t, `{"resource":"p:/1","chats":[{"resource":"c:/1","title":"C","status":24}],"defaultChat":"c:/1"}`)
			if s.Chats[0].Status != StatusInputNeeded || s.DefaultChat != "c:/1" || read[SessionSummary](t, `{}`).Chats != nil {
				t.Errorf("%+v", s)
			}
			since(t, V1_0_0, "an entry", func(v Version) bool { return strings.Contains(string(mustMarshal(t, SummaryAt(v, s))), "c:/1") }, false, true)
			since(t, V1_0_0, "changes", func(v Version) string {
				return string(At(v, &SessionSummaryChangedParams{Changes: Raw(`{"chats":[],"defaultChat":"c:/1","title":"T"}`)}).Changes)
			},
				`{"title":"T"}`, `{"chats":[],"defaultChat":"c:/1","title":"T"}`)
		}},
		{"chat flags", func(t *testing.T) {
			for _, a := range []Action{&ChatIsArchivedChanged{IsArchived: true}, &ChatIsReadChanged{IsRead: true}} {
				since(t, V1_0_0, a.ActionType(), func(v Version) bool { return ClientMay(v, a.ActionType()) && actionAt(t, v, a) != "" }, false, true)
			}
			s := ReduceChat(Profile{}, ReduceChat(Profile{}, &ChatState{}, &ChatIsArchivedChanged{IsArchived: true}), &ChatIsReadChanged{IsRead: true})
			equalTo(t, "flags", []bool{s.Status.Archived(), s.Status.Read()}, []bool{true, true})
		}},
		{"chat changesets", func(t *testing.T) {
			s := read[ChatState](t, `{"changesets":[{"label":"L","uriTemplate":"x:/1"}],"changes":{"files":2}}`)
			if s.Changesets[0].Label != "L" || *s.Changes.Files != 2 {
				t.Errorf("%+v", s)
			}
			since(t, V1_0_0, "a state", func(v Version) bool { return strings.Contains(sentAt(t, v, s), "change") }, false, true)
			since(t, V1_0_0, "told", func(v Version) bool { return actionAt(t, v, &ChatChangesetsChanged{}) != "" }, false, true)
		}},
		{"moving and order", func(t *testing.T) {
			m, _ := MethodByName("moveChat")
			equalTo(t, "moveChat", m.Since, V1_0_0)
			for _, a := range []Action{&ChatMovableChanged{}, &SessionChatsReordered{Chats: []URI{}}} {
				since(t, V1_0_0, a.ActionType(), func(v Version) bool { return actionAt(t, v, a) != "" }, false, true)
			}
			since(t, V1_0_0, "an entry", func(v Version) bool {
				return strings.Contains(sentAt(t, v, &ChatSummary{Movable: boolean(true)}), "movable")
			}, false, true)
			since(t, V1_0_0, "an update", func(v Version) string {
				return string(At(v, &SessionChatUpdated{Changes: Raw(`{"movable":true,"status":1}`)}).Changes)
			}, `{"status":1}`, `{"movable":true,"status":1}`)
		}},
		{"background work", func(t *testing.T) {
			w := read[BackgroundWork](t, `{"kind":"shell","id":"w","label":"make","startedAt":"x","command":"make","terminal":"t:/1"}`)
			equalTo(t, "members", []string{w.Command, string(w.Terminal)}, []string{"make", "t:/1"})
			since(t, V1_0_0, "a state", func(v Version) bool {
				return strings.Contains(sentAt(t, v, &ChatState{BackgroundWork: []*BackgroundWork{w}}), "make")
			}, false, true)
			for _, a := range []Action{&ChatBackgroundWorkSet{Work: w}, &ChatBackgroundWorkRemoved{ID: "w"}} {
				since(t, V1_0_0, a.ActionType(), func(v Version) bool { return actionAt(t, v, a) != "" }, false, true)
			}
		}},
		{"changeset status", func(t *testing.T) {
			for status, want := range map[ChangesetStatus][]bool{ChangesetComputing: {false, true}, ChangesetReady: {true, false}, ChangesetRecomputing: {true, true}, ChangesetError: {false, false}, "later": {false, false}} {
				equalTo(t, string(status), []bool{status.HasFiles(), status.Working()}, want)
			}
			since(t, V1_0_0, "a state", func(v Version) ChangesetStatus { return At(v, &ChangesetState{Status: ChangesetRecomputing}).Status }, ChangesetReady, ChangesetRecomputing)
			since(t, V1_0_0, "told", func(v Version) string { return actionAt(t, v, &ChangesetStatusChanged{Status: ChangesetRecomputing}) },
				`{"type":"changeset/statusChanged","status":"ready"}`, `{"type":"changeset/statusChanged","status":"recomputing"}`)
		}},
		{"config schema", func(t *testing.T) {
			p := ConfigProperties(Raw(`{"properties":{"a":{"type":"array","title":"A","minItems":1,"maxItems":2}}}`))[0]
			equalTo(t, "checked", []bool{p.Check(Raw(`[]`)) != nil, p.Check(Raw(`[1]`)) != nil, p.Check(Raw(`[1,2,3]`)) != nil}, []bool{true, false, true})
		}},
		{"automations", func(t *testing.T) {
			d := read[AutomationDefinition](t, `{"title":"A","disableConditions":[{"x":1}],"session":{"customizations":[{"type":"plugin","id":"p"}]}}`)
			if string(d.DisableConditions) != `[{"x":1}]` || d.Session.Customizations[0].ID != "p" {
				t.Errorf("%+v", d)
			}
			since(t, V1_0_0, "sent", func(v Version) bool {
				s := sentAt(t, v, d)
				return strings.Contains(s, "disableConditions") || strings.Contains(s, "customizations")
			}, false, true)
		}},
		{"canvases", func(t *testing.T) {
			s := ReduceChat(Profile{}, &ChatState{}, DecodeAction(Raw(`{"type":"chat/canvasesChanged","canvases":[{"resource":"ahp-canvas:/1","title":"T"}]}`)))
			equalTo(t, "title", s.Canvases[0].Title, "T")
			c := ReduceCanvas(Profile{}, &CanvasState{}, DecodeAction(Raw(`{"type":"canvas/stateChanged","canvas":{"title":"T","url":"https://x.example/"}}`)))
			equalTo(t, "link", c.URL, URI("https://x.example/"))
			since(t, V0_10_0, "told", func(v Version) bool { return actionAt(t, v, &ChatCanvasesChanged{}) != "" }, false, true)
		}},
		{"error data", func(t *testing.T) {
			for _, raw := range []string{``, `null`, `{}`, `{"supportedVersions":null}`} {
				var d UnsupportedVersionData
				_ = Unmarshal([]byte(raw), &d)
				if d.SupportedVersions != nil {
					t.Errorf("%s names versions", raw)
				}
			}
		}},
	})
}

func TestRowsAfter100(t *testing.T) {
	runRows(t, []versionRow{
		{"reconnect cursors", func(t *testing.T) {
			equalTo(t, "the old form is sent", sentAt(t, V1_0_0, &ReconnectParams{Channel: RootChannel, ClientID: "c", LastSeenServerSeq: 5, Subscriptions: []URI{"p:/1"}}),
				`{"channel":"ahp-root://","clientId":"c","lastSeenServerSeq":5,"subscriptions":["p:/1"]}`)
		}},
		{"windowed delivery", func(t *testing.T) {
			for _, name := range []string{"channel/frame", "channel/credit", "channel/ready", "channel/reset", "channel/snapshot"} {
				if _, ok := MethodByName(name); ok {
					t.Errorf("%s is opted in to", name)
				}
			}
			if strings.Contains(string(mustMarshal(t, &SubscribeParams{})), "flowControl") {
				t.Error("flow control is offered")
			}
		}},
		{"steering list", func(t *testing.T) {
			s := read[ChatState](t, `{"steeringMessage":{"id":"a","message":{"text":"x"}},"steeringMessages":[{"id":"b","message":{"text":"y"}}]}`)
			equalTo(t, "both", []string{s.SteeringMessage.ID, s.SteeringMessages[0].ID}, []string{"a", "b"})
			since(t, V1_0_0, "sent", func(v Version) bool { return strings.Contains(sentAt(t, v, s), "steeringMessages") }, false, true)
		}},
		{"session artifacts", func(t *testing.T) {
			const raw = `{"provider":"","title":"","status":0,"lifecycle":"","chats":[],"artifacts":[{"uri":"x:/1","kind":"later"}]}`
			equalTo(t, "kept", string(recoded(t, raw, new(SessionState))), raw)
		}},
		{"server-scoped token", func(t *testing.T) {
			if sent := string(mustMarshal(t, NewAuthenticate(V1_0_0, "r", "placeholder", []string{"a"}, time.Minute))); strings.Contains(sent, "serverName") || strings.Contains(sent, "binding") {
				t.Errorf("sent %s", sent)
			}
		}},
		{"accounts", func(t *testing.T) {
			raw := Raw(`{"type":"accounts/set","account":{"id":"a"}}`)
			if _, unknown := DecodeAction(raw).(*UnknownAction); !unknown {
				t.Error("accounts are not known")
			}
			s, err := DecodeState("accounts", Raw(`{"accounts":[]}`))
			if _, kept := s.(*RawState); err != nil || !kept {
				t.Errorf("%T, %v", s, err)
			}
		}},
		{"TCP and tunnels", func(t *testing.T) {
			for _, name := range []string{"createTcpConnection", "tcp/data", "tcp/eof"} {
				if _, ok := MethodByName(name); ok {
					t.Errorf("%s is known", name)
				}
			}
		}},
		{"chat titles", func(t *testing.T) {
			s := read[SessionState](t, `{"title":"S","chats":[{"resource":"c:/1"},{"resource":"c:/2","title":"C","description":"d"}]}`)
			equalTo(t, "titles", []string{s.Chats[0].TitleIn(s), s.Chats[1].TitleIn(s), s.Chats[1].Description}, []string{"S", "C", "d"})
			since(t, V1_0_0, "createChat", func(v Version) bool { return strings.Contains(sentAt(t, v, &CreateChatParams{Title: "T"}), "title") }, false, true)
		}},
		{"tool timing and progress", func(t *testing.T) {
			const raw = `{"status":"running","toolCallId":"c","toolName":"","displayName":"","startedAt":"x","duration":5}`
			equalTo(t, "kept", string(recoded(t, raw, new(ToolCall))), raw)
			a := DecodeAction(Raw(`{"type":"chat/toolCallProgress","turnId":"t","progress":0.5}`))
			equalTo(t, "kept", wireAt(t, a), `{"type":"chat/toolCallProgress","turnId":"t","progress":0.5}`)
		}},
		{"idempotent start", func(t *testing.T) {
			s := ReduceChat(Profile{}, chatWith("t", &ToolCall{ToolCallID: "c"}), &ChatTurnStarted{TurnID: "t"})
			if len(s.ActiveTurn.ResponseParts) != 0 {
				t.Error("a repeated start replaces the turn; nobody relies on more")
			}
		}},
		{"the rest", func(t *testing.T) {
			for raw, v := range map[string]any{
				`{"provider":"","title":"","status":0,"lifecycle":"","activeClients":[{"clientId":"c","tools":[],"_meta":{"a":1}}],"chats":[],"repositories":[{"source":"x"}]}`: new(SessionState),
				`{"id":"m","provider":"p","name":"M","vendor":"V"}`:                                            new(SessionModelInfo),
				`{"protocolVersion":"1.0.0","serverSeq":0,"snapshots":[],"environment":{"pathStyle":"posix"}}`: new(InitializeResult),
				`{"type":"terminal","resource":"x","result":{"exitCode":0,"fullOutput":{"uri":"x:/1"}}}`:       new(ToolResultContent),
				`{"kind":"markdown","id":"m","content":"x","attribution":{"agent":"a"}}`:                       new(ResponsePart),
			} {
				equalTo(t, "kept", normal(t, recoded(t, raw, v)), normal(t, []byte(raw)))
			}
		}},
	})
}

// normal is JSON with its members in order.
func normal(t *testing.T, raw []byte) string {
	t.Helper()
	out, err := json.Marshal(wireValue(t, raw))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

package protocol

import (
	"strings"
	"testing"
	"time"
)

func TestRowsFrom060To070(t *testing.T) {
	runRows(t, []versionRow{
		{"directories become a set", func(t *testing.T) {
			for _, kind := range []string{"session", "summary", "chat", "entry"} {
				for _, raw := range []string{`{"workingDirectory":"file:///a"}`, `{"workingDirectories":["file:///a"]}`} {
					var got []URI
					switch kind {
					case "session":
						got = read[SessionState](t, raw).Directories()
					case "summary":
						got = read[SessionSummary](t, raw).Directories()
					case "chat":
						got = read[ChatState](t, raw).Directories()
					case "entry":
						got = read[ChatSummary](t, raw).Directories()
					}
					equalTo(t, kind+raw, got, []URI{"file:///a"})
				}
			}
			two := []URI{"file:///a", "file:///b"}
			const one, many = `"workingDirectory":"file:///a"`, `"workingDirectories":["file:///a","file:///b"]`
			for what, sent := range map[string]func(Version) string{
				"session": func(v Version) string { return sentAt(t, v, &SessionState{WorkingDirectories: two}) },
				"summary": func(v Version) string { return sentAt(t, v, &SessionSummary{WorkingDirectories: two}) },
				"chat":    func(v Version) string { return sentAt(t, v, &ChatState{WorkingDirectories: two}) },
				"added": func(v Version) string {
					return actionAt(t, v, &SessionChatAdded{Summary: &ChatSummary{WorkingDirectories: two}})
				},
				"updated": func(v Version) string {
					return actionAt(t, v, &SessionChatUpdated{Chat: "c", Changes: Raw(`{` + many + `}`)})
				},
				"summaries": func(v Version) string {
					return sentAt(t, v, &SessionSummaryChangedParams{Changes: Raw(`{` + many + `}`)})
				},
				"create": func(v Version) string { return sentAt(t, v, &CreateSessionParams{WorkingDirectories: two}) },
			} {
				since(t, V0_7_0, what, func(v Version) []bool {
					s := sent(v)
					return []bool{strings.Contains(s, one), strings.Contains(s, many)}
				}, []bool{true, false}, []bool{false, true})
			}
			since(t, V0_7_0, "a chat's own", func(v Version) bool {
				return strings.Contains(sentAt(t, v, &CreateChatParams{WorkingDirectories: two}), many)
			}, false, true)
			for _, v := range spoken() { // these two keep the single one
				for _, sent := range []string{
					sentAt(t, v, &ResolveSessionConfigParams{Channel: RootChannel, WorkingDirectory: "file:///a"}),
					sentAt(t, v, &SessionConfigCompletionsParams{Channel: RootChannel, WorkingDirectory: "file:///a"}),
				} {
					if !strings.Contains(sent, one) {
						t.Errorf("at %v %s", v, sent)
					}
				}
			}
		}},
		{"directory actions", func(t *testing.T) {
			may := read[AgentInfo](t, `{"capabilities":{"multipleWorkingDirectories":{}}}`)
			since(t, V0_7_0, "add", func(v Version) bool { _, ok := AddDirectory(v, may, "x"); return ok }, false, true)
			since(t, V0_7_0, "remove", func(v Version) bool { _, ok := RemoveDirectory(v, may, "x"); return ok }, false, true)
			s := &SessionState{WorkingDirectories: []URI{"x"}}
			since(t, V0_7_0, "add to a chat", func(v Version) bool { _, ok := AddChatDirectory(v, may, s, "x"); return ok }, false, true)
			since(t, V0_7_0, "not the session's", func(v Version) bool { _, ok := AddChatDirectory(v, may, s, "y"); return ok }, false, false)
			since(t, V0_7_0, "remove from a chat", func(v Version) bool { _, ok := RemoveChatDirectory(v, may, "x"); return ok }, false, true)
			if _, ok := AddDirectory(V1_0_0, &AgentInfo{}, "x"); ok {
				t.Error("the capability gates it")
			}
			for _, a := range []Action{&SessionWorkingDirectorySet{Directory: "x"}, &SessionWorkingDirectoryRemoved{Directory: "x"}, &ChatWorkingDirectorySet{Directory: "x"}, &ChatWorkingDirectoryRemoved{Directory: "x"}} {
				since(t, V0_7_0, a.ActionType(), func(v Version) bool { return ClientMay(v, a.ActionType()) && actionAt(t, v, a) != "" }, false, true)
			}
		}},
		{"side chats", func(t *testing.T) {
			may := read[AgentInfo](t, `{"capabilities":{"multipleChats":{"fork":true,"sideChat":true}}}`)
			fork := func(v Version) string {
				p, _ := NewFork(v, may, "p:/1", "c:/2", "c:/1", "t")
				return string(mustMarshal(t, p.Source))
			}
			since(t, V0_7_0, "fork", fork, `{"chat":"c:/1","turnId":"t"}`, `{"kind":"fork","chat":"c:/1","turnId":"t"}`)
			since(t, V0_7_0, "side chat", func(v Version) bool { _, ok := NewSideChat(v, may, "p:/1", "c:/2", "c:/1", "t", nil); return ok }, false, true)
			p, _ := NewSideChat(V0_7_0, may, "p:/1", "c:/2", "c:/1", "t", &SideChatSelection{Text: "x"})
			equalTo(t, "source", string(mustMarshal(t, p.Source)), `{"kind":"sideChat","chat":"c:/1","turnId":"t","selection":{"text":"x"}}`)
			for raw, want := range map[string]bool{`{"chat":"c","turnId":"t"}`: true, `{"kind":"fork"}`: true, `{"kind":"sideChat"}`: false, `{"kind":"later"}`: false} {
				equalTo(t, raw, read[ChatSource](t, raw).Forks(), want)
			}
			entry := &ChatSummary{Origin: &ChatOrigin{Kind: SourceSideChat, Chat: "c", TurnID: "t"}}
			since(t, V0_7_0, "origin", func(v Version) bool { return strings.Contains(sentAt(t, v, entry), "sideChat") }, false, true)
			forked := &ChatSummary{Origin: &ChatOrigin{Kind: SourceFork, Chat: "c", TurnID: "t"}}
			since(t, V0_7_0, "fork's origin", func(v Version) bool { return strings.Contains(sentAt(t, v, forked), "fork") }, true, true)
		}},
		{"terminal result", checkTerminalResult},
		{"chat attachment", func(t *testing.T) {
			const raw = `{"type":"chat","label":"The other chat","resource":"c:/1","endTurn":"t"}`
			a := read[MessageAttachment](t, raw)
			equalTo(t, "members", []string{a.Label, string(a.Resource), a.EndTurn}, []string{"The other chat", "c:/1", "t"})
			m := &Message{Text: NewText("x"), Attachments: []*MessageAttachment{a}}
			since(t, V0_7_0, "sent", func(v Version) string {
				return string(mustMarshal(t, SendMessage(v, "t", m, time.Time{}).Message.Attachments[0]))
			},
				`{"type":"simple","label":"The other chat"}`, raw)
		}},
		{"terminal result", checkTerminalResult},
		{"tool input by reference", func(t *testing.T) {
			old, fresh := read[ToolCall](t, `{"toolInput":"{}"}`), read[ToolCall](t, `{"toolInput":{"uri":"x:/1","nonce":"n"}}`)
			if old.ToolInput.Text.String() != "{}" || old.ToolInput.Ref != nil || fresh.ToolInput.Ref.URI != "x:/1" {
				t.Errorf("%+v", fresh.ToolInput)
			}
			since(t, V0_7_0, "a reference is sent", func(v Version) bool { return strings.Contains(sentAt(t, v, fresh), "toolInput") }, false, true)
			since(t, V0_7_0, "a string is sent", func(v Version) bool { return strings.Contains(sentAt(t, v, old), `"toolInput":"{}"`) }, true, true)
			ready := &ChatToolCallReady{TurnID: "t", ToolCallID: "c", InvocationMessage: Plain("m"), ToolInput: fresh.ToolInput}
			since(t, V0_7_0, "a ready", func(v Version) bool { return strings.Contains(actionAt(t, v, ready), "x:/1") }, false, true)
			a, _ := DecodeAction(Raw(`{"type":"chat/toolCallDelta","turnId":"t","toolCallId":"c","invocationMessage":"m"}`)).(*ChatToolCallDelta)
			if a == nil || !a.Content.IsZero() {
				t.Error("a delta may be without content")
			}
		}},
		{"ready refines", func(t *testing.T) {
			a := &ChatToolCallReady{TurnID: "t", ToolCallID: "c", InvocationMessage: Plain("m"), Contributor: &Contributor{Kind: ContributorMcp, CustomizationID: "s"}, Intention: "i"}
			since(t, V0_7_0, "sent", func(v Version) bool { return strings.Contains(actionAt(t, v, a), `"contributor"`) }, false, true)
			since(t, V0_7_0, "sent", func(v Version) bool { return strings.Contains(actionAt(t, v, a), `"intention"`) }, false, true)
			s := chatWith("t", &ToolCall{Status: ToolStreaming, ToolCallID: "c", Intention: "old"})
			for ready, want := range map[*ChatToolCallReady]string{a: "i", {TurnID: "t", ToolCallID: "c", InvocationMessage: Plain("m")}: "old"} {
				equalTo(t, "intention", ReduceChat(Profile{}, s, ready).ActiveTurn.ResponseParts[0].ToolCall.Intention, want)
			}
		}},
		{"sign-in metadata", func(t *testing.T) {
			const raw = `{"resource":"r","resource_encryption_alg_values_supported":["x"]}`
			equalTo(t, "kept and unused", string(recoded(t, raw, new(ProtectedResourceMetadata))), raw)
		}},
	})
}

func TestRowsFrom070To080(t *testing.T) {
	runRows(t, []versionRow{
		{"request metadata", func(t *testing.T) {
			since(t, V0_8_0, "subscribe", func(v Version) string { return sentAt(t, v, &SubscribeParams{Channel: "c", Meta: Raw(`{"a":1}`)}) }, `{"channel":"c"}`, `{"channel":"c","_meta":{"a":1}}`)
			since(t, V0_8_0, "ping", func(v Version) string { return sentAt(t, v, &ChannelParams{Channel: "c", Meta: Raw(`{}`)}) }, `{"channel":"c"}`, `{"channel":"c","_meta":{}}`)
		}},
		{"client execution", func(t *testing.T) {
			request := &SessionInputRequest{Kind: InputClientExecution, ID: "i"}
			since(t, V0_8_0, "raises", func(v Version) bool {
				return ReduceSession(ProfileOf(v), &SessionState{Status: StatusInProgress}, &SessionInputNeededSet{Request: request}).Status.NeedsInput()
			}, true, false)
			if got := Blocked("s", &SessionState{InputNeeded: []*SessionInputRequest{request}}, nil); len(got) != 0 {
				t.Errorf("a person is asked: %+v", got)
			}
		}},
		{"scoped enablement", func(t *testing.T) {
			for raw, want := range map[string]struct {
				on    bool
				scope string
			}{
				`{"type":"mcpServer"}`:                 {true, ""},
				`{"type":"mcpServer","enabled":false}`: {false, ""},
				`{"type":"mcpServer","enabled":true}`:  {true, ""},
				`{"type":"mcpServer","enablement":[]}`: {true, ""},
				`{"type":"mcpServer","enablement":[{"kind":"workspace","uri":"w","enabled":false},{"kind":"global","enabled":true}]}`: {false, ScopeWorkspace},
				`{"type":"mcpServer","enabled":true,"enablement":[{"kind":"session","enabled":false}]}`:                               {false, ScopeSession},
			} {
				c := read[Customization](t, raw)
				if c.On() != want.on || c.Scope() != want.scope {
					t.Errorf("%s is %v in %q", raw, c.On(), c.Scope())
				}
			}
			off := &Customization{Type: TypeMcpServer, ID: "s", Enablement: []*Enablement{{Kind: ScopeWorkspace, URI: "w"}, {Kind: ScopeGlobal, Enabled: true}}}
			since(t, V0_8_0, "the entry", func(v Version) string { return sentAt(t, v, off) },
				`{"type":"mcpServer","id":"s","enabled":false}`, `{"type":"mcpServer","id":"s","enablement":[{"kind":"workspace","uri":"w","enabled":false},{"kind":"global","enabled":true}]}`)
			on := true
			for _, tt := range []struct {
				name, scope string
				workspace   URI
				on          *bool
				want        string // from 0.8 on
				before      bool   // can be said up to 0.7
			}{
				{"session on", ScopeSession, "", &on, `[{"kind":"session","enabled":true},{"kind":"workspace","uri":"w","enabled":false},{"kind":"global","enabled":true}]`, true},
				{"workspace on", ScopeWorkspace, "w", &on, `[{"kind":"workspace","uri":"w","enabled":true},{"kind":"global","enabled":true}]`, false},
				{"another workspace", ScopeWorkspace, "z", &on, `[{"kind":"workspace","uri":"z","enabled":true},{"kind":"workspace","uri":"w","enabled":false},{"kind":"global","enabled":true}]`, false},
				{"workspace inherits", ScopeWorkspace, "w", nil, `[{"kind":"global","enabled":true}]`, false},
				{"global inherits", ScopeGlobal, "", nil, `[{"kind":"workspace","uri":"w","enabled":false}]`, false},
				{"session inherits", ScopeSession, "", nil, `[{"kind":"workspace","uri":"w","enabled":false},{"kind":"global","enabled":true}]`, false},
			} {
				since(t, V0_8_0, tt.name, func(v Version) string {
					a, ok := Decide(v, off, tt.scope, tt.workspace, tt.on)
					if !ok {
						return ""
					}
					return wireAt(t, a)
				}, map[bool]string{true: `{"type":"session/customizationToggled","id":"s","enabled":true}`}[tt.before], `{"type":"session/customizationToggled","id":"s","enablement":`+tt.want+`}`)
			}
			last := &Customization{Type: TypeMcpServer, ID: "s", Enablement: []*Enablement{{Kind: ScopeSession}}}
			a, _ := Decide(V0_8_0, last, ScopeSession, "", nil)
			equalTo(t, "nothing decided", wireAt(t, a), `{"type":"session/customizationToggled","id":"s","enablement":[]}`)
			client := &SessionActiveClient{Customizations: []*Customization{{Type: TypePlugin, ID: "p", ChildEnablement: map[string][]*Enablement{"s": {{Kind: ScopeGlobal}}}}}}
			since(t, V0_8_0, "of a client's children", func(v Version) bool { return strings.Contains(wireAt(t, JoinSession(v, client)), "childEnablement") }, false, true)
		}},
		{"auth/required", func(t *testing.T) {
			old, fresh := read[AuthRequiredParams](t, `{"resource":"https://x.example"}`), read[AuthRequiredParams](t, `{"resource":{"resource":"https://x.example","scopes_supported":["a"]}}`)
			equalTo(t, "resource", old.Resource.Resource, fresh.Resource.Resource)
			equalTo(t, "an old one", string(mustMarshal(t, old)), `{"channel":"","resource":"https://x.example"}`)
			since(t, V0_8_0, "sent", func(v Version) string { return sentAt(t, v, fresh) },
				`{"channel":"","resource":"https://x.example"}`, `{"channel":"","resource":{"resource":"https://x.example","scopes_supported":["a"]}}`)
		}},
		{"primary directory", func(t *testing.T) {
			may := read[AgentInfo](t, `{"capabilities":{"multipleWorkingDirectories":{"immutablePrimary":true,"primaryReplacement":true}}}`)
			since(t, V0_8_0, "replace", func(v Version) bool { _, ok := ReplaceDirectory(v, may, "a", "b"); return ok }, false, true)
			since(t, V0_8_0, "the capability", func(v Version) bool { return strings.Contains(sentAt(t, v, may), "primaryReplacement") }, false, true)
			if _, ok := ReplaceDirectory(V1_0_0, read[AgentInfo](t, `{"capabilities":{"multipleWorkingDirectories":{}}}`), "a", "b"); ok {
				t.Error("the capability gates it")
			}
			since(t, V0_8_0, "told", func(v Version) bool {
				return actionAt(t, v, &SessionWorkingDirectoryReplaced{Directory: "a", Replacement: "b"}) != ""
			}, false, true)
		}},
		{"reserved prefix", func(t *testing.T) {
			a := DecodeAction(Raw(`{"type":"x-acme/do","a":1}`))
			s := &SessionState{}
			if ReduceSession(Profile{}, s, a) != s || wireAt(t, a) != `{"type":"x-acme/do","a":1}` {
				t.Error("what is private is kept and left alone")
			}
			if _, ok := MethodByName("x-acme/do"); ok || newState("x-acme") != nil {
				t.Error("nobody knows it")
			}
		}},
		{"name of a part", func(t *testing.T) {
			const raw = `{"kind":"contentRef","uri":"x:/1","sizeHint":3,"nonce":"n"}`
			equalTo(t, "the wire is the same", string(recoded(t, raw, new(ResponsePart))), raw)
		}},
	})
}

package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// benchDeltas is the length of the longest streamed message that has to stay cheap.
const benchDeltas = 100_000

// benchTurn is a finished turn such as coding agents produce: some text, some
// thinking, three calls with input and output.
func benchTurn(n int) *Turn {
	id := fmt.Sprintf("turn-%d", n)
	t := &Turn{ID: id, StartedAt: "2026-01-02T03:04:05.678Z", State: TurnComplete, Message: UserMessage("please \"fix\" it – ünïcode too")}
	t.ResponseParts = append(t.ResponseParts,
		&ResponsePart{Kind: PartReasoning, ID: id + "-r", Content: Plain(strings.Repeat("let me think about that. ", 20))},
		&ResponsePart{Kind: PartMarkdown, ID: id + "-m", Content: Plain(strings.Repeat("a line of **markdown** with `code`\n", 20))},
	)
	for i := range 3 {
		ok := true
		t.ResponseParts = append(t.ResponseParts, &ResponsePart{Kind: PartToolCall, ToolCall: &ToolCall{
			Status: ToolCompleted, ToolCallID: fmt.Sprintf("%s-c%d", id, i), ToolName: "read_file", DisplayName: "Read file",
			Contributor:       &Contributor{Kind: ContributorMcp, CustomizationID: "srv-1"},
			InvocationMessage: Markdown("Reading `main.go`"), ToolInput: InputText(`{"path":"main.go","limit":2000}`),
			Confirmed: "not-needed", Success: &ok, PastTenseMessage: Plain("Read main.go"),
			Content: []*ToolResultContent{TextContent(strings.Repeat("\tfmt.Println(\"hello, world\")\n", 60))},
			Meta:    Raw(`{"ui":{"resourceUri":"ui://x"}}`),
		}})
	}
	return t
}

// benchChat is a chat with finished turns and an active one whose last part is
// the markdown part "grow".
func benchChat(turns, parts int) *ChatState {
	s := &ChatState{Resource: "ahp-chat:/1", Title: "A chat", Status: StatusInProgress}
	for i := range turns {
		s.Turns = append(s.Turns, benchTurn(i))
	}
	s.ActiveTurn = &Turn{ID: "active", Message: UserMessage("go on")}
	for i := range parts - 1 {
		s.ActiveTurn.ResponseParts = append(s.ActiveTurn.ResponseParts, &ResponsePart{Kind: PartMarkdown, ID: fmt.Sprintf("p%d", i), Content: Plain("before")})
	}
	s.ActiveTurn.ResponseParts = append(s.ActiveTurn.ResponseParts, &ResponsePart{Kind: PartMarkdown, ID: "grow", Content: Plain("")})
	return s
}

// benchSession is a session with MCP servers, one in ten of them at the top
// level, the others in plugins with eight other children.
func benchSession(servers int) *SessionState {
	s := &SessionState{Provider: "p", Title: "A session", Lifecycle: LifecycleReady, Status: StatusIdle}
	var plugin *Customization
	for i := range servers {
		srv := &Customization{
			Type: TypeMcpServer, ID: fmt.Sprintf("srv-%d", i), URI: "file:///plugins.json", Name: fmt.Sprintf("server %d", i),
			Enablement: []*Enablement{{Kind: ScopeGlobal, Enabled: true}}, State: &McpServerState{Kind: McpReady},
			Channel: URI(fmt.Sprintf("mcp://h/%d", i)), McpApp: Raw(`{"capabilities":{"serverTools":{}}}`),
		}
		if i%5 == 4 {
			srv.Channel, srv.State = "", &McpServerState{
				Kind: McpAuthRequired, Reason: "insufficientScope", RequiredScopes: []string{"write"},
				Resource: &ProtectedResourceMetadata{Resource: fmt.Sprintf("https://%d.example/mcp", i%7), AuthorizationServers: []string{"https://login.example"}},
			}
		}
		if i%10 == 0 {
			s.Customizations = append(s.Customizations, srv)
			plugin = &Customization{Type: TypePlugin, ID: fmt.Sprintf("plg-%d", i), Name: "a plugin", Load: &LoadState{Kind: "loaded"}}
			for k := range 8 {
				plugin.Children = append(plugin.Children, &Customization{Type: "skill", ID: fmt.Sprintf("skill-%d-%d", i, k), Name: "a skill", Extra: Raw(`{"description":"what it does"}`)})
			}
			s.Customizations = append(s.Customizations, plugin)
			continue
		}
		plugin.Children = append(plugin.Children, srv)
	}
	for i := range 20 {
		s.Chats = append(s.Chats, &ChatSummary{Resource: URI(fmt.Sprintf("ahp-chat:/%d", i)), Title: "A chat", Status: StatusIdle, ModifiedAt: "2026-01-02T03:04:05.678Z"})
	}
	return s
}

func mustMarshal(tb testing.TB, v any) []byte {
	tb.Helper()
	data, err := Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// BenchmarkDelta is the hot path: an envelope with a delta is decoded and
// folded into a chat whose active turn has that many parts.
func BenchmarkDelta(b *testing.B) {
	env := []byte(`{"channel":"ahp-chat:/1","action":{"type":"chat/delta","turnId":"active","partId":"grow","content":" and some more"},"serverSeq":123456}`)
	for _, parts := range []int{1, 10, 500} {
		b.Run(fmt.Sprintf("parts=%d", parts), func(b *testing.B) {
			start := benchChat(20, parts)
			s := start
			b.SetBytes(int64(len(env)))
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				var e Envelope
				if err := Unmarshal(env, &e); err != nil {
					b.Fatal(err)
				}
				if n%benchDeltas == 0 {
					s = start
				}
				next := ReduceChat(Profile{}, s, e.Action)
				if next == s {
					b.Fatal("the delta did not apply")
				}
				s = next
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "actions/s")
		})
	}
}

// BenchmarkReduceDeltas folds 100,000 deltas into one part; an operation is all of them.
func BenchmarkReduceDeltas(b *testing.B) {
	delta := &ChatDelta{TurnID: "active", PartID: "grow", Content: NewText(" and some more")}
	start := benchChat(20, 10)
	b.SetBytes(int64(benchDeltas * delta.Content.Len()))
	b.ReportAllocs()
	for b.Loop() {
		s := start
		for range benchDeltas {
			s = ReduceChat(Profile{}, s, delta)
		}
		if got := s.ActiveTurn.ResponseParts[9].Content.Text.Len(); got != benchDeltas*delta.Content.Len() {
			b.Fatalf("the part has %d bytes", got)
		}
	}
	b.ReportMetric(float64(b.N*benchDeltas)/b.Elapsed().Seconds(), "actions/s")
}

// BenchmarkDecodeAction decodes actions that are not deltas.
func BenchmarkDecodeAction(b *testing.B) {
	for _, tt := range []struct{ name, raw string }{
		{"delta", `{"type":"chat/delta","turnId":"active","partId":"grow","content":" and some more"}`},
		{"typeLast", `{"turnId":"active","partId":"grow","content":" and some more","type":"chat/delta"}`},
		{"mcpServerStateChanged", `{"type":"session/mcpServerStateChanged","id":"srv-1","state":{"kind":"ready"},"channel":"mcp://h/1"}`},
		{"unknown", `{"type":"chat/somethingNew","turnId":"active"}`},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.raw)))
			b.ReportAllocs()
			for b.Loop() {
				DecodeAction(Raw(tt.raw))
			}
		})
	}
}

// BenchmarkDecodeState decodes snapshots of several megabytes.
func BenchmarkDecodeState(b *testing.B) {
	chat := benchChat(600, 10)
	damaged := benchChat(600, 10)
	damaged.Turns[300].ResponseParts[2].ToolCall.Extra = Raw(`{"edits":"not what it was"}`)
	for _, tt := range []struct {
		name string
		kind ChannelKind
		raw  []byte
	}{
		{"chat", ChatKind, mustMarshal(b, chat)},
		{"session", SessionKind, mustMarshal(b, benchSession(5000))},
		{"chatThatDoesNotFit", ChatKind, mustMarshal(b, damaged)},
	} {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.raw)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DecodeState(tt.kind, tt.raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEncodeState encodes a snapshot of several megabytes.
func BenchmarkEncodeState(b *testing.B) {
	s := benchChat(600, 10)
	b.SetBytes(int64(len(mustMarshal(b, s))))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := EncodeState(s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkToggle switches the last of 100 servers off and on.
func BenchmarkToggle(b *testing.B) {
	s := benchSession(100)
	list := Servers(s)
	last := list[len(list)-1]
	off, on := Toggle(V1_0_0, last.Customization, false), Toggle(V1_0_0, last.Customization, true)
	b.ReportAllocs()
	for b.Loop() {
		s = ReduceSession(Profile{}, ReduceSession(Profile{}, s, off), on)
	}
}

// BenchmarkQueries asks what every frame on the screen asks.
func BenchmarkQueries(b *testing.B) {
	s := benchSession(100)
	chats := map[URI]*ChatState{}
	for i, c := range s.Chats {
		chat := benchChat(5, 20)
		chat.Resource = c.Resource
		if i%4 == 0 {
			chat.ActiveTurn.ResponseParts = append(chat.ActiveTurn.ResponseParts, &ResponsePart{
				Kind:     PartToolCall,
				ToolCall: &ToolCall{Status: ToolPendingConfirmation, ToolCallID: "c"},
			})
		}
		chats[c.Resource] = chat
	}
	b.Run("Servers", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(Servers(s)) != 100 {
				b.Fatal("not all servers")
			}
		}
	})
	b.Run("Blocked", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if len(Blocked("s", s, chats)) != 25 {
				b.Fatalf("%d are blocked", len(Blocked("s", s, chats)))
			}
		}
	})
	b.Run("Activity", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Activity()
		}
	})
}

// BenchmarkTextEscapes decodes and encodes a megabyte of text that is escapes
// only, once with whole and once with lone surrogates.
func BenchmarkTextEscapes(b *testing.B) {
	for _, tt := range []struct{ name, unit string }{
		{"letters", `\u00e9`}, {"pairs", `\ud83d\ude00`}, {"lone", `\ude00`}, {"mixed", `a\ude00\\u\n`}, {"backslashes", `\\`}, {"korean", "\ud55c"},
	} {
		raw := Raw(`"` + strings.Repeat(tt.unit, 1<<20/len(tt.unit)) + `"`)
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(raw)))
			b.ReportAllocs()
			for b.Loop() {
				var text Text
				if err := Unmarshal(raw, &text); err != nil {
					b.Fatal(err)
				}
				if _, err := Marshal(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

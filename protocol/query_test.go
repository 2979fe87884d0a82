package protocol

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func boolean(b bool) *bool { return &b }

func TestServers(t *testing.T) {
	t.Parallel()
	off := []*Enablement{{Kind: ScopeSession, Enabled: false}, {Kind: ScopeGlobal, Enabled: true}}
	on := []*Enablement{{Kind: ScopeWorkspace, Enabled: true}, {Kind: ScopeGlobal, Enabled: false}}
	srv := func(id string) *Customization { return &Customization{Type: TypeMcpServer, ID: id} }
	with := func(c *Customization, enabled *bool, enablement []*Enablement, children ...*Customization) *Customization {
		c.Enabled, c.Enablement, c.Children = enabled, enablement, children
		return c
	}
	s := &SessionState{Customizations: []*Customization{
		with(srv("top"), nil, nil, srv("no child of a server's")),
		with(&Customization{Type: TypePlugin, ID: "plugin"}, nil, on, srv("on"), with(srv("off"), nil, off), &Customization{Type: "skill", ID: "skill"}),
		with(&Customization{Type: TypePlugin, ID: "plugin off"}, nil, off, srv("in a plugin that is off")),
		with(&Customization{Type: TypeDirectory, ID: "dir"}, boolean(false), nil, srv("in a directory that is off")),
		with(&Customization{Type: TypeDirectory, ID: "dir on"}, boolean(true), nil, with(srv("enabled"), boolean(true), nil), with(srv("not enabled"), boolean(false), nil)),
		with(&Customization{Type: "later", ID: "x"}, nil, nil, with(srv("both"), boolean(false), on)),
		{Type: TypePlugin, ID: "empty"},
	}}
	type row struct {
		ID, Container, Scope string
		Effective            bool
	}
	want := []row{
		{"top", "", "", true},
		{"on", "plugin", "", true},
		{"off", "plugin", "session", false},
		{"in a plugin that is off", "plugin off", "", false},
		{"in a directory that is off", "dir", "", false},
		{"enabled", "dir on", "", true},
		{"not enabled", "dir on", "", false},
		{"both", "x", "workspace", true},
	}
	var got []row
	for _, server := range Servers(s) {
		r := row{ID: server.ID, Scope: server.Scope(), Effective: server.Effective()}
		if server.Container != nil {
			r.Container = server.Container.ID
		}
		got = append(got, r)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	if server, ok := ServerByID(s, "off"); !ok || server.Container.ID != "plugin" {
		t.Errorf("found %+v, %v", server, ok)
	}
	for _, id := range []string{"plugin", "skill", "none", ""} {
		if _, ok := ServerByID(s, id); ok {
			t.Errorf("%q is a server", id)
		}
	}
}

func TestUnparsed(t *testing.T) {
	t.Parallel()
	s := &SessionState{}
	for id, c := range map[string]Customization{
		"no word":           {Type: TypePlugin},
		"loading":           {Type: TypeDirectory, Load: &LoadState{Kind: "loading"}},
		"-loaded":           {Type: TypePlugin, Load: &LoadState{Kind: "loaded"}},
		"-failed":           {Type: TypePlugin, Load: &LoadState{Kind: "error", Message: "m"}},
		"-parsed and empty": {Type: TypePlugin, Children: []*Customization{}},
		"-a server":         {Type: TypeMcpServer},
		"-an unknown type":  {Type: "later"},
	} {
		c.ID = id
		s.Customizations = append(s.Customizations, &c)
	}
	var got []string
	for _, c := range Unparsed(s) {
		got = append(got, c.ID)
	}
	slices.Sort(got)
	if want := []string{"loading", "no word"}; !slices.Equal(got, want) {
		t.Errorf("unparsed are %q, want %q", got, want)
	}
}

func TestRequirement(t *testing.T) {
	t.Parallel()
	if (*McpServerState)(nil).Requirement() != nil || (&McpServerState{Kind: McpReady, Reason: "x"}).Requirement() != nil {
		t.Error("nothing is required")
	}
	s := &McpServerState{Kind: McpAuthRequired, Reason: "expired", OAuthClient: &McpOAuthClient{ClientID: "c"}, Resource: &ProtectedResourceMetadata{Resource: "r"}, RequiredScopes: []string{"a"}, Description: "d"}
	want := &McpAuthRequirement{Reason: "expired", OAuthClient: s.OAuthClient, Resource: s.Resource, RequiredScopes: s.RequiredScopes, Description: "d"}
	if diff := cmp.Diff(want, s.Requirement()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// blockRow is what a block is about.
type blockRow struct {
	Kind             BlockKind
	Chat             URI
	Turn, What, Auth string
}

func blockRows(t *testing.T, list []Block) []blockRow {
	t.Helper()
	ids := map[string]bool{}
	var rows []blockRow
	for _, b := range list {
		if ids[b.ID] || b.ID == "" || b.Session != "s" {
			t.Errorf("the block %+v has the id of another, or none, or no session", b)
		}
		ids[b.ID] = true
		r := blockRow{Kind: b.Kind, Chat: b.Chat, Turn: b.TurnID}
		switch {
		case b.ToolCall != nil:
			r.What = b.ToolCall.ToolCallID
		case b.Input != nil:
			r.What = b.Input.ID
		case b.Server != nil:
			r.What = b.Server.ID
		}
		if b.Auth != nil && b.Auth.Resource != nil {
			r.Auth = b.Auth.Resource.Resource
		}
		rows = append(rows, r)
	}
	return rows
}

func authCall(id, resource string) *ToolCall {
	return &ToolCall{Status: ToolAuthRequired, ToolCallID: id, Auth: &McpAuthRequirement{Resource: &ProtectedResourceMetadata{Resource: resource}}}
}

func authServer(id, resource string) *Customization {
	return &Customization{Type: TypeMcpServer, ID: id, State: &McpServerState{Kind: McpAuthRequired, Resource: &ProtectedResourceMetadata{Resource: resource}}}
}

func chatWith(turn string, calls ...*ToolCall) *ChatState {
	s := &ChatState{ActiveTurn: &Turn{ID: turn}}
	for _, c := range calls {
		s.ActiveTurn.ResponseParts = append(s.ActiveTurn.ResponseParts, &ResponsePart{Kind: PartToolCall, ToolCall: c})
	}
	return s
}

func TestBlocked(t *testing.T) {
	t.Parallel()
	asks := &ToolCall{Status: ToolPendingConfirmation, ToolCallID: "asks"}
	result := &ToolCall{Status: ToolPendingResultConfirmation, ToolCallID: "result"}
	running := &ToolCall{Status: ToolRunning, ToolCallID: "running"}
	question := &ChatInputRequest{ID: "q"}
	withInput := chatWith("t1", running)
	withInput.ActiveTurn.ResponseParts = append(withInput.ActiveTurn.ResponseParts,
		&ResponsePart{Kind: PartInputRequest, Request: question},
		&ResponsePart{Kind: PartInputRequest, Request: &ChatInputRequest{ID: "answered"}, Response: ResponseAccept})
	entry := func(kind InputRequestKind, id string, chat URI, call *ToolCall, in *ChatInputRequest) *SessionInputRequest {
		return &SessionInputRequest{Kind: kind, ID: id, Chat: chat, TurnID: "t1", ToolCall: call, Request: in}
	}
	chats := func(uris ...URI) (list []*ChatSummary) {
		for _, u := range uris {
			list = append(list, &ChatSummary{Resource: u})
		}
		return list
	}
	for _, tt := range []struct {
		name  string
		s     *SessionState
		known map[URI]*ChatState
		want  []blockRow
	}{
		{"nothing", &SessionState{Chats: chats("c1")}, map[URI]*ChatState{"c1": chatWith("t1", running)}, nil},
		{
			"in chats that are known, in the order of the catalogue",
			&SessionState{Chats: chats("c1", "c2", "c3")},
			map[URI]*ChatState{"c2": withInput, "c1": chatWith("t0", result, authCall("auth", "r")), "c3": {}},
			[]blockRow{{BlockResult, "c1", "t0", "result", ""}, {BlockToolAuth, "c1", "t0", "auth", "r"}, {BlockInput, "c2", "t1", "q", ""}},
		},
		{
			"in chats that are not known",
			&SessionState{Chats: chats("c1"), InputNeeded: []*SessionInputRequest{
				entry(InputConfirmation, "1", "c1", asks, nil), entry(InputChat, "2", "c1", nil, question),
				entry(InputConfirmation, "3", "c1", result, nil), entry(InputAuthentication, "4", "elsewhere", authCall("auth", "r"), nil),
			}},
			nil,
			[]blockRow{{BlockConfirmation, "c1", "t1", "asks", ""}, {BlockInput, "c1", "t1", "q", ""}, {BlockResult, "c1", "t1", "result", ""}, {BlockToolAuth, "elsewhere", "t1", "auth", "r"}},
		},
		{
			"an entry and the chat tell the same",
			&SessionState{Chats: chats("c1", "c2"), InputNeeded: []*SessionInputRequest{entry(InputConfirmation, "1", "c1", asks, nil), entry(InputChat, "2", "c2", nil, question)}},
			map[URI]*ChatState{"c1": chatWith("t1", asks), "c2": withInput},
			[]blockRow{{BlockConfirmation, "c1", "t1", "asks", ""}, {BlockInput, "c2", "t1", "q", ""}},
		},
		{
			"the chat knows better than the entry",
			&SessionState{Chats: chats("c1"), InputNeeded: []*SessionInputRequest{entry(InputConfirmation, "1", "c1", asks, nil), entry(InputChat, "2", "c1", nil, question)}},
			map[URI]*ChatState{"c1": chatWith("t1", running)},
			nil,
		},
		{
			"a chat that is known but not in the catalogue",
			&SessionState{InputNeeded: []*SessionInputRequest{entry(InputConfirmation, "1", "c1", asks, nil)}},
			map[URI]*ChatState{"c1": chatWith("t1", asks)},
			[]blockRow{{BlockConfirmation, "c1", "t1", "asks", ""}},
		},
		{
			"what a client does by itself waits for nobody",
			&SessionState{Chats: chats("c1"), InputNeeded: []*SessionInputRequest{entry(InputClientExecution, "1", "c1", running, nil)}}, nil, nil,
		},
		{
			"what is not known is shown, also for a chat that is",
			&SessionState{Chats: chats("c1"), InputNeeded: []*SessionInputRequest{
				entry("payment", "1", "c1", nil, nil), entry(InputConfirmation, "2", "c2", &ToolCall{Status: "later", ToolCallID: "x"}, nil), entry(InputChat, "3", "c2", nil, nil),
			}},
			map[URI]*ChatState{"c1": {}},
			[]blockRow{{BlockOther, "c1", "t1", "", ""}, {BlockOther, "c2", "t1", "x", ""}, {BlockOther, "c2", "t1", "", ""}},
		},
		{
			"requests in the list of old versions, without a turn",
			&SessionState{Chats: chats("c1")},
			map[URI]*ChatState{"c1": {InputRequests: []*ChatInputRequest{question}}},
			[]blockRow{{BlockInput, "c1", "", "q", ""}},
		},
		{
			"an open request of a finished turn cannot be answered",
			&SessionState{Chats: chats("c1")},
			map[URI]*ChatState{"c1": {Turns: []*Turn{withInput.ActiveTurn}}},
			nil,
		},
		{
			"servers, except those for whose resource a call asks already",
			&SessionState{
				Chats:       chats("c1"),
				InputNeeded: []*SessionInputRequest{entry(InputAuthentication, "1", "c2", authCall("auth", "r2"), nil)},
				Customizations: []*Customization{
					authServer("s1", "r1"), authServer("s2", "r2"),
					{Type: TypePlugin, ID: "p", Children: []*Customization{authServer("s3", "r3"), authServer("s1", "r1")}},
					{Type: TypeMcpServer, ID: "s4", State: &McpServerState{Kind: McpAuthRequired}},
					{Type: TypeMcpServer, ID: "s5"},
				},
			},
			map[URI]*ChatState{"c1": chatWith("t0", authCall("auth", "r3"))},
			[]blockRow{{BlockToolAuth, "c1", "t0", "auth", "r3"}, {BlockToolAuth, "c2", "t1", "auth", "r2"}, {BlockServerAuth, "", "", "s1", "r1"}, {BlockServerAuth, "", "", "s4", ""}},
		},
		{
			"a confirmation does not stand in for a server's sign-in",
			&SessionState{Chats: chats("c1"), Customizations: []*Customization{authServer("s1", "r1")}},
			map[URI]*ChatState{"c1": chatWith("t0", &ToolCall{Status: ToolPendingConfirmation, ToolCallID: "asks", Auth: authCall("", "r1").Auth})},
			[]blockRow{{BlockConfirmation, "c1", "t0", "asks", "r1"}, {BlockServerAuth, "", "", "s1", "r1"}},
		},
	} {
		if diff := cmp.Diff(tt.want, blockRows(t, Blocked("s", tt.s, tt.known))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestBlockIDs: a block keeps its id when its chat is subscribed, and gets another
// when it waits for something else.
func TestBlockIDs(t *testing.T) {
	t.Parallel()
	call := authCall("c", "r")
	s := &SessionState{Chats: []*ChatSummary{{Resource: "c1"}}, InputNeeded: []*SessionInputRequest{{Kind: InputAuthentication, ID: "1", Chat: "c1", TurnID: "t1", ToolCall: call}}}
	entry := Blocked("s", s, nil)
	chat := Blocked("s", s, map[URI]*ChatState{"c1": chatWith("t1", call)})
	if entry[0].ID != chat[0].ID {
		t.Errorf("the entry is %s, the chat's call %s", entry[0].ID, chat[0].ID)
	}
	confirm := Blocked("s", s, map[URI]*ChatState{"c1": chatWith("t1", &ToolCall{Status: ToolPendingConfirmation, ToolCallID: "c"})})
	if confirm[0].ID == chat[0].ID {
		t.Errorf("a confirmation and a sign-in are both %s", confirm[0].ID)
	}
}

func TestOpenInputs(t *testing.T) {
	t.Parallel()
	s := &ChatState{InputRequests: []*ChatInputRequest{{ID: "listed"}}, ActiveTurn: &Turn{ResponseParts: []*ResponsePart{
		{Kind: PartInputRequest, Request: &ChatInputRequest{ID: "part"}},
		{Kind: PartInputRequest, Request: &ChatInputRequest{ID: "answered"}, Response: ResponseDecline},
		{Kind: PartInputRequest},
		{Kind: PartMarkdown, Request: &ChatInputRequest{ID: "no request"}},
	}}}
	var got []string
	for _, in := range s.OpenInputs() {
		got = append(got, in.ID)
	}
	if want := []string{"listed", "part"}; !slices.Equal(got, want) {
		t.Errorf("open are %q, want %q", got, want)
	}
}

func TestActivity(t *testing.T) {
	t.Parallel()
	chat := func(uri URI, status Status, modified string) *ChatSummary {
		return &ChatSummary{Resource: uri, Status: status, ModifiedAt: modified}
	}
	waiting := []*SessionInputRequest{{Kind: InputConfirmation}}
	for _, tt := range []struct {
		name string
		s    SessionState
		want Status
	}{
		{"no chats: the start value, without flags", SessionState{Status: StatusInProgress | StatusRead}, StatusInProgress},
		{"the default chat", SessionState{Status: StatusError, DefaultChat: "b", Chats: []*ChatSummary{chat("a", StatusIdle, "3"), chat("b", StatusInProgress|StatusRead, "1")}}, StatusInProgress},
		{"else the one that changed last", SessionState{Chats: []*ChatSummary{chat("a", StatusIdle, "1"), chat("b", StatusInProgress, "3"), chat("c", StatusIdle, "2")}}, StatusInProgress},
		{"a default that is not there", SessionState{DefaultChat: "x", Chats: []*ChatSummary{chat("a", StatusInProgress, "2"), chat("b", StatusIdle, "1")}}, StatusInProgress},
		{"an error wins over what is busy", SessionState{DefaultChat: "a", Chats: []*ChatSummary{chat("a", StatusInProgress, ""), chat("b", StatusError, "")}}, StatusError},
		{"input needed wins over an error", SessionState{DefaultChat: "a", Chats: []*ChatSummary{chat("a", StatusError, ""), chat("b", StatusInputNeeded, "")}}, StatusInputNeeded},
		{"input needed before an error", SessionState{DefaultChat: "a", Chats: []*ChatSummary{chat("a", StatusInputNeeded, ""), chat("b", StatusError, "")}}, StatusInputNeeded},
		{"an entry that waits", SessionState{Status: StatusInputNeeded, InputNeeded: waiting, Chats: []*ChatSummary{chat("a", StatusIdle, "")}}, StatusInputNeeded},
		{"entries that raise nothing", SessionState{Status: StatusInProgress, InputNeeded: waiting, Chats: []*ChatSummary{chat("a", StatusIdle, "")}}, StatusIdle},
		{"a status left behind", SessionState{Status: StatusInputNeeded, Chats: []*ChatSummary{chat("a", StatusIdle, "")}}, StatusIdle},
	} {
		if got := tt.s.Activity(); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	const later = Status(1 << 31)
	for _, tt := range []struct {
		s                                      Status
		needsInput, busy, failed, read, closed bool
		word                                   string
	}{
		{0, false, false, false, false, false, "unknown"},
		{StatusIdle | StatusRead, false, false, false, true, false, "idle read"},
		{StatusInProgress, false, true, false, false, false, "inProgress"},
		{16, false, false, false, false, false, "unknown"}, // the bit alone means nothing
		{StatusInputNeeded | StatusArchived | later, true, true, false, false, true, "inputNeeded archived"},
		{StatusError | StatusRead | StatusArchived, false, false, true, true, true, "error read archived"},
	} {
		if tt.s.NeedsInput() != tt.needsInput || tt.s.Busy() != tt.busy || tt.s.Failed() != tt.failed || tt.s.Read() != tt.read || tt.s.Archived() != tt.closed || tt.s.String() != tt.word {
			t.Errorf("%d is %v", uint64(tt.s), tt.s)
		}
	}
	if got := (later | StatusRead | StatusInputNeeded).WithActivity(StatusIdle); got != later|StatusRead|StatusIdle {
		t.Errorf("activity replaced: %d", got)
	}
	if got := (later|StatusIdle).With(StatusRead, true).With(StatusArchived, true).With(StatusRead, false); got != later|StatusIdle|StatusArchived {
		t.Errorf("flags changed: %d", got)
	}
}

func TestAges(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	var none Ages
	if _, ok := none.Since("a"); ok {
		t.Error("nothing was seen")
	}
	one := none.Observe(at(1), []string{"a", "b", "a"})
	two := one.Observe(at(2), []string{"b", "c"})
	three := two.Observe(at(3), []string{"a", "b"})
	for _, tt := range []struct {
		ages Ages
		key  string
		want time.Time // zero: not there
	}{
		{one, "a", at(1)},
		{one, "b", at(1)},
		{one, "c", time.Time{}},
		{two, "a", time.Time{}},
		{two, "b", at(1)},
		{two, "c", at(2)},
		{three, "a", at(3)},
		{three, "b", at(1)},
		{three, "c", time.Time{}},
	} {
		if got, ok := tt.ages.Since(tt.key); !got.Equal(tt.want) || ok == tt.want.IsZero() {
			t.Errorf("%s since %v (%v), want %v", tt.key, got, ok, tt.want)
		}
	}
}

func TestAgeKeys(t *testing.T) {
	t.Parallel()
	s := &SessionState{Customizations: []*Customization{authServer("s1", "r"), {Type: TypeMcpServer, ID: "s2"}}}
	keys := AgeKeys("s", s, nil)
	if len(keys) != 3 || keys[2] != Blocked("s", s, nil)[0].ID {
		t.Fatalf("keys are %q", keys)
	}
	next := ReduceSession(Profile{}, s, &SessionMcpServerStopRequested{ID: "s1"})
	after := AgeKeys("s", next, nil)
	if after[0] == keys[0] || after[1] != keys[1] || len(after) != 2 {
		t.Errorf("keys became %q", after)
	}
	if AgeKeys("other", s, nil)[0] == keys[0] {
		t.Error("two sessions share a key")
	}
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		one  URI
		many []URI
		want []URI
	}{
		{"", nil, nil}, {"a", nil, []URI{"a"}}, {"a", []URI{"b", "c"}, []URI{"b", "c"}}, {"a", []URI{}, []URI{}},
	} {
		s, sum := &SessionState{WorkingDirectory: tt.one, WorkingDirectories: tt.many}, &SessionSummary{WorkingDirectory: tt.one, WorkingDirectories: tt.many}
		if !slices.Equal(s.Directories(), tt.want) || !slices.Equal(sum.Directories(), tt.want) {
			t.Errorf("%q and %q make %q", tt.one, tt.many, s.Directories())
		}
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	old, part := &ErrorInfo{Message: "old"}, &ErrorInfo{Message: "part"}
	last := []*ResponsePart{{Kind: PartMarkdown}, {Kind: PartError, Error: part, Resumable: boolean(true)}}
	for _, tt := range []struct {
		name      string
		turn      Turn
		want      *ErrorInfo
		resumable bool
	}{
		{"none", Turn{State: TurnComplete}, nil, false},
		{"up to 0.8", Turn{State: TurnError, Error: old}, old, false},
		{"from 0.9", Turn{State: TurnError, ResponseParts: last}, part, true},
		{"both", Turn{State: TurnError, Error: old, ResponseParts: last}, part, true},
		{"not the end", Turn{State: TurnComplete, ResponseParts: last}, nil, false},
		{"not the last part", Turn{State: TurnError, ResponseParts: []*ResponsePart{last[1], last[0]}}, nil, false},
		{"resumable not said", Turn{State: TurnError, ResponseParts: []*ResponsePart{{Kind: PartError, Error: part}}}, part, false},
	} {
		if got, resumable := tt.turn.Failure(); got != tt.want || resumable != tt.resumable {
			t.Errorf("%s: %+v, %v", tt.name, got, resumable)
		}
	}
}

func TestLifecycleFailed(t *testing.T) {
	t.Parallel()
	for l, want := range map[Lifecycle]bool{LifecycleFailed: true, LifecycleCreationFailed: true, LifecycleReady: false, LifecycleCreating: false, "later": false} {
		if l.Failed() != want {
			t.Errorf("%s failed: %v", l, l.Failed())
		}
	}
}

func TestMergeSummary(t *testing.T) {
	t.Parallel()
	s := &SessionSummary{Resource: "r", Provider: "p", Title: "t", Status: StatusIdle, CreatedAt: "c", ModifiedAt: "m", ActivityText: "busy", Extra: Raw(`{"later":1}`)}
	got := MergeSummary(s, Raw(`{"title":"new","status":24,"activity":null,"resource":"x","provider":"x","createdAt":"x","other":[1],"changes":{"files":2}}`))
	files := 2.0
	want := &SessionSummary{Resource: "r", Provider: "p", Title: "new", Status: StatusInputNeeded, CreatedAt: "c", ModifiedAt: "m", Changes: &ChangesSummary{Files: &files}, Extra: Raw(`{"later":1,"other":[1]}`)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Title != "t" || s.ActivityText != "busy" {
		t.Error("the summary was changed in place")
	}
	for _, none := range []string{`{}`, `null`, `7`, `[]`, `{`, ``, `{"title":"t"}`, `{"resource":"x"}`} {
		if MergeSummary(s, Raw(none)) != s {
			t.Errorf("%s made a new summary", none)
		}
	}
}

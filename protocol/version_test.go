package protocol

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Version{"0.5.1": V0_5_1, "0.10.0": V0_10_0, "1.0.0": V1_0_0, "12.345.65535": {12, 345, 65535}} {
		got, err := ParseVersion(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%s is %v (%v)", s, got, err)
		}
	}
	for _, s := range []string{"", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.0-rc", "^1.0.0", "1.0.x", "-1.0.0", "+1.0.0", "01.0.0", "1.00.0", " 1.0.0", "1.0.0 ", "1..0", "1.0.65536", "1.0.1e3", "٠.٥.١"} {
		if got, err := ParseVersion(s); err == nil {
			t.Errorf("%q is %v", s, got)
		}
	}
}

func TestOffered(t *testing.T) {
	t.Parallel()
	var got []string
	for _, v := range Offered() {
		got = append(got, v.String())
	}
	if want := []string{"1.0.0", "0.10.0", "0.9.0", "0.8.0", "0.7.0", "0.6.0", "0.5.2", "0.5.1"}; !slices.Equal(got, want) {
		t.Errorf("offered are %q, want %q", got, want)
	}
	if !slices.IsSortedFunc(Offered(), func(a, b Version) int { return b.Compare(a) }) {
		t.Error("newer versions do not come first")
	}
	for _, v := range Offered() {
		want := v
		if v == V0_10_0 {
			want = V0_9_0
		}
		if v.Sent() != want {
			t.Errorf("%v is sent as %v", v, v.Sent())
		}
	}
	if (Profile{}).Version() != V1_0_0 || ProfileOf(V0_6_0).At(time.Now()).Version() != V0_6_0 {
		t.Error("a profile has another version")
	}
}

func TestClientMay(t *testing.T) {
	t.Parallel()
	never := Version{99, 0, 0}
	for typ, since := range map[string]Version{
		"root/configChanged": V0_5_1, "session/titleChanged": V0_5_1, "session/activeClientSet": V0_5_1, "session/activeClientRemoved": V0_5_1,
		"session/workingDirectorySet": V0_7_0, "session/workingDirectoryRemoved": V0_7_0, "session/workingDirectoryReplaced": V0_8_0,
		"session/customizationToggled": V0_5_1, "session/mcpServerStartRequested": V0_5_2, "session/mcpServerStopRequested": V0_5_2,
		"session/mcpServerBackgroundRequested": V1_0_0, "session/isReadChanged": V0_5_1, "session/isArchivedChanged": V0_5_1, "session/configChanged": V0_5_1,
		"chat/turnStarted": V0_5_1, "chat/toolCallConfirmed": V0_5_1, "chat/toolCallComplete": V0_5_1, "chat/toolCallResultConfirmed": V0_5_1,
		"chat/toolCallContentChanged": V0_5_1, "chat/turnCancelled": V0_5_1, "chat/turnResume": V0_9_0, "chat/workingDirectorySet": V0_7_0,
		"chat/workingDirectoryRemoved": V0_7_0, "chat/pendingMessageSet": V0_5_1, "chat/pendingMessageRemoved": V0_5_1, "chat/queuedMessagesReordered": V0_5_1,
		"chat/draftChanged": V0_5_1, "chat/inputAnswerChanged": V0_5_1, "chat/inputCompleted": V0_5_1, "chat/truncated": V0_5_1,
		"chat/isArchivedChanged": V1_0_0, "chat/isReadChanged": V1_0_0, "changeset/filesReviewChanged": V0_6_0,
		"terminal/input": V0_5_1, "terminal/resized": V0_5_1, "terminal/claimed": V0_5_1, "terminal/titleChanged": V0_5_1, "terminal/cleared": V0_5_1,
		"annotations/set": V0_5_1, "annotations/updated": V0_5_1, "annotations/removed": V0_5_1, "annotations/entrySet": V0_5_1, "annotations/entryRemoved": V0_5_1,
		"automation/createRequested": V0_9_0, "automation/updateRequested": V0_9_0, "automation/removed": V0_9_0, "automationRun/cancelRequested": V0_9_0,
		"chat/steeringMessageSet": V1_0_0, "chat/steeringMessageRemoved": V1_0_0, "automation/set": never, "canvas/stateChanged": never,
		"chat/delta": never, "chat/inputRequested": never, "chat/toolCallAuthResolved": never, "session/mcpServerStateChanged": never,
		"session/defaultChatChanged": never, "session/inputNeededRemoved": never, "root/agentsChanged": never, "chat/later": never, "": never,
	} {
		for _, v := range Offered() {
			if got, want := ClientMay(v, typ), v.AtLeast(since); got != want {
				t.Errorf("at %v a client may %s: %v", v, typ, got)
			}
		}
	}
	known := 0
	for _, kind := range ChannelKinds() {
		for _, typ := range actionTypes(t, kind) {
			if ClientMay(V1_0_0, typ) {
				known++
			}
			if a := newAction(typ); a.ActionType() != typ || KindOfAction(typ) != kind {
				t.Errorf("%s is read as %s of %s", typ, a.ActionType(), KindOfAction(typ))
			}
		}
	}
	if known != 49 {
		t.Errorf("a client may dispatch %d of the known actions, want 49", known)
	}
}

// wireAt encodes what is sent at a version.
func wireAt(t *testing.T, a Action) string {
	t.Helper()
	raw, err := EncodeAction(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestTurnsByVersion(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 4, 4, 5, 678_900_000, time.FixedZone("", 3600))
	for _, v := range Offered() {
		start := `{"type":"chat/turnStarted","turnId":"t","startedAt":"2026-01-02T03:04:05.678Z","message":{"text":"hi","origin":{"kind":"user"}}}`
		cancel := `{"type":"chat/turnCancelled","turnId":"t","duration":1234}`
		if !v.AtLeast(V0_6_0) {
			start = `{"type":"chat/turnStarted","turnId":"t","message":{"text":"hi","origin":{"kind":"user"}}}`
			cancel = `{"type":"chat/turnCancelled","turnId":"t"}`
		}
		if got := wireAt(t, StartTurn(v, "t", "hi", now)); got != start {
			t.Errorf("at %v a turn starts with %s, want %s", v, got, start)
		}
		if got := wireAt(t, CancelTurn(v, "t", 1234567*time.Microsecond)); got != cancel {
			t.Errorf("at %v a turn is cancelled with %s, want %s", v, got, cancel)
		}
	}
	if got := *CancelTurn(V1_0_0, "t", -time.Second).Duration; got != 0 {
		t.Errorf("it took %v ms", got)
	}
}

func TestToggleByVersion(t *testing.T) {
	t.Parallel()
	w := &Enablement{Kind: ScopeWorkspace, URI: "file:///w", Enabled: true, Extra: Raw(`{"later":1}`)}
	g := &Enablement{Kind: ScopeGlobal, Enabled: true}
	other := &Enablement{Kind: "team", Enabled: true}
	for _, tt := range []struct {
		name string
		has  []*Enablement
		want string // from 0.8 on
	}{
		{"no decision", nil, `[{"kind":"session","enabled":false}]`},
		{"one of the session", []*Enablement{{Kind: ScopeSession, Enabled: true}}, `[{"kind":"session","enabled":false}]`},
		{"other scopes stay", []*Enablement{w, g}, `[{"kind":"session","enabled":false},{"kind":"workspace","uri":"file:///w","enabled":true,"later":1},{"kind":"global","enabled":true}]`},
		{"and are put in order", []*Enablement{other, g, {Kind: ScopeSession, Enabled: true}, w}, `[{"kind":"session","enabled":false},{"kind":"workspace","uri":"file:///w","enabled":true,"later":1},{"kind":"global","enabled":true},{"kind":"team","enabled":true}]`},
	} {
		c := &Customization{Type: TypeMcpServer, ID: "s", Enablement: tt.has}
		before := slices.Clone(tt.has)
		for _, v := range Offered() {
			want := `{"type":"session/customizationToggled","id":"s","enabled":false}`
			if v.AtLeast(V0_8_0) {
				want = `{"type":"session/customizationToggled","id":"s","enablement":` + tt.want + `}`
			}
			a := Toggle(v, c, false)
			if got := wireAt(t, a); got != want {
				t.Errorf("%s at %v: %s, want %s", tt.name, v, got, want)
			}
			s := ReduceSession(ProfileOf(v), &SessionState{Customizations: []*Customization{c}}, a)
			if s.Customizations[0].On() {
				t.Errorf("%s at %v: still on", tt.name, v)
			}
			s = ReduceSession(ProfileOf(v), s, Toggle(v, s.Customizations[0], true))
			if !s.Customizations[0].On() {
				t.Errorf("%s at %v: still off", tt.name, v)
			}
		}
		if !slices.Equal(before, c.Enablement) {
			t.Errorf("%s: the entry was changed in place", tt.name)
		}
	}
}

func TestCanToggle(t *testing.T) {
	t.Parallel()
	plugin := &Customization{Type: TypePlugin}
	for _, v := range Offered() {
		later := v.AtLeast(V0_5_2)
		for server, want := range map[Server]bool{
			{Customization: plugin}:                                                 true,
			{Customization: &Customization{Type: TypeMcpServer}}:                    later,
			{Customization: &Customization{Type: TypeMcpServer}, Container: plugin}: later,
			{Customization: &Customization{Type: "skill"}, Container: plugin}:       later,
		} {
			if got := CanToggle(v, server); got != want {
				t.Errorf("at %v %s in %v: %v", v, server.Type, server.Container, got)
			}
		}
	}
}

func TestCallAnswers(t *testing.T) {
	t.Parallel()
	call := &ToolCall{ToolCallID: "c", DisplayName: "Create issue"}
	yes, no := &ConfirmationOption{ID: "y", Kind: "approve"}, &ConfirmationOption{ID: "n", Kind: "deny"}
	for _, tt := range []struct {
		a    Action
		want string
	}{
		{Approve("t", call), `{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":true,"confirmed":"user-action"}`},
		{Deny("t", call), `{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":false,"reason":"denied"}`},
		{Choose("t", call, yes), `{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":true,"confirmed":"user-action","selectedOptionId":"y"}`},
		{Choose("t", call, no), `{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":false,"selectedOptionId":"n","reason":"denied"}`},
		{CancelCall("t", call), `{"type":"chat/toolCallComplete","turnId":"t","toolCallId":"c","result":{"success":false,"pastTenseMessage":"Cancelled Create issue","error":{"message":"Cancelled by the user","code":"cancelled"}}}`},
	} {
		if got := wireAt(t, tt.a); got != tt.want {
			t.Errorf("sent\n%s\nwant\n%s", got, tt.want)
		}
	}
	waiting := &ChatState{ActiveTurn: &Turn{ID: "t", ResponseParts: []*ResponsePart{{Kind: PartToolCall, ToolCall: authCall("c", "r")}}}}
	done := ReduceChat(Profile{}, waiting, CancelCall("t", call))
	if got := done.ActiveTurn.ResponseParts[0].ToolCall; got.Status != ToolCompleted || *got.Success {
		t.Errorf("a call that was given up is %s", got.Status)
	}
}

func TestNewCreateSession(t *testing.T) {
	t.Parallel()
	for _, v := range Offered() {
		want := `{"channel":"p:/1","provider":"p","workingDirectories":["file:///w"]}`
		if !v.AtLeast(V0_7_0) {
			want = `{"channel":"p:/1","provider":"p","workingDirectory":"file:///w"}`
		}
		if got := string(mustMarshal(t, NewCreateSession(v, "p:/1", "p", "file:///w"))); got != want {
			t.Errorf("at %v %s, want %s", v, got, want)
		}
		if got := string(mustMarshal(t, NewCreateSession(v, "p:/1", "", ""))); got != `{"channel":"p:/1"}` {
			t.Errorf("at %v without a directory %s", v, got)
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"2026-01-02T03:04:05.678Z": "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05Z": "2026-01-02T03:04:05.000Z",
		"2026-01-02T04:04:05.6789+01:00": "2026-01-02T03:04:05.678Z",
	} {
		got, ok := ParseTime(s)
		if !ok || FormatTime(got) != want {
			t.Errorf("%s is %s (%v)", s, FormatTime(got), ok)
		}
	}
	for _, s := range []string{"", "now", "2026-01-02", "1767322800000"} {
		if got, ok := ParseTime(s); ok {
			t.Errorf("%q is %v", s, got)
		}
	}
}

// TestEndOfATurn: the time that a turn's own data give, however odd they are.
func TestEndOfATurn(t *testing.T) {
	t.Parallel()
	const old = "2000-01-01T00:00:00.000Z"
	for _, tt := range []struct {
		start    string
		duration float64
		want     string
	}{
		{"2026-01-02T03:04:05.678Z", 1500.9, "2026-01-02T03:04:07.178Z"},
		{"2026-01-02T03:04:05.678Z", -1e300, "2026-01-02T03:04:05.678Z"},
		{"2026-01-02T03:04:05.678Z", 400 * 365 * 24 * 3600e3, "2425-09-27T03:04:05.678Z"}, // more than a time.Duration holds
		{"2026-01-02T03:04:05.678Z", 1e300, old},
		{"2026-01-02T04:04:05+01:00", 0, "2026-01-02T03:04:05.000Z"},
		{"yesterday", 1, old},
		{"", 1, old},
	} {
		s := &ChatState{ModifiedAt: old, ActiveTurn: &Turn{ID: "t", StartedAt: tt.start}}
		s = ReduceChat(ProfileOf(V0_9_0), s, &ChatTurnComplete{TurnID: "t", Duration: &tt.duration})
		if s.ModifiedAt != tt.want || *s.Turns[0].Duration < 0 {
			t.Errorf("%s and %v ms make %s, want %s", tt.start, tt.duration, s.ModifiedAt, tt.want)
		}
	}
}

// TestStampedTime: up to 0.8 reducers stamp the time of the profile, or leave the
// old one where the profile has none.
func TestStampedTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC)
	for _, v := range Offered() {
		s := &ChatState{ModifiedAt: "old"}
		a := &ChatTurnStarted{TurnID: "t", StartedAt: "2026-01-02T03:04:05.678Z"}
		got := []string{
			ReduceChat(ProfileOf(v).At(now), s, a).ModifiedAt,
			ReduceChat(ProfileOf(v), s, a).ModifiedAt,
			ReduceChat(ProfileOf(v).At(now), s, &ChatTurnStarted{TurnID: "t"}).ModifiedAt,
		}
		want := []string{a.StartedAt, a.StartedAt, "old"}
		if !v.AtLeast(V0_9_0) {
			want = []string{"2026-05-06T07:08:09.000Z", "old", "2026-05-06T07:08:09.000Z"}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("at %v (-want +got):\n%s", v, diff)
		}
	}
}

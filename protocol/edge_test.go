package protocol_test

import (
	"testing"

	"ahptui/protocol"
)

func at(t *testing.T, v protocol.Version, a protocol.Action) string {
	t.Helper()
	raw, err := protocol.EncodeAction(protocol.ActionAt(v, a))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestActionsAtTheEdge(t *testing.T) {
	t.Parallel()
	off := &protocol.SessionCustomizationToggled{ID: "x", Enablement: []*protocol.Enablement{
		{Kind: protocol.ScopeSession}, {Kind: protocol.ScopeGlobal, Enabled: true},
	}}
	inherit := &protocol.SessionCustomizationToggled{ID: "x", Enablement: []*protocol.Enablement{}}
	failed := &protocol.ChatError{TurnID: "t", Part: &protocol.ResponsePart{
		Kind: protocol.PartError, Error: &protocol.ErrorInfo{ErrorType: "e", Message: "m"},
	}}
	updated := &protocol.SessionCustomizationUpdated{Customization: &protocol.Customization{
		Type: protocol.TypePlugin, ID: "p", Children: []*protocol.Customization{
			{Type: protocol.TypeMcpServer, ID: "s", Enablement: []*protocol.Enablement{{Kind: protocol.ScopeSession}}},
			{Type: "skill", ID: "k"},
		},
	}}
	added := &protocol.SessionChatAdded{Summary: &protocol.ChatSummary{Resource: "c", Title: "t", WorkingDirectories: []protocol.URI{"file:///a", "file:///b"}}}
	for _, tt := range []struct {
		name   string
		v      protocol.Version
		action protocol.Action
		want   string
	}{
		{"toggle", protocol.V0_9_0, off, `{"type":"session/customizationToggled","id":"x","enablement":[{"kind":"session","enabled":false},{"kind":"global","enabled":true}]}`},
		{"toggle", protocol.V0_6_0, off, `{"type":"session/customizationToggled","id":"x","enabled":false}`},
		{"no decision", protocol.V0_6_0, inherit, `{"type":"session/customizationToggled","id":"x","enabled":true}`},
		{"error", protocol.V0_9_0, failed, `{"type":"chat/error","turnId":"t","part":{"kind":"error","error":{"errorType":"e","message":"m"}}}`},
		{"error", protocol.V0_8_0, failed, `{"type":"chat/error","turnId":"t","error":{"errorType":"e","message":"m"}}`},
		{"plugin", protocol.V0_8_0, updated, `{"type":"session/customizationUpdated","customization":{"type":"plugin","id":"p","children":[{"type":"mcpServer","id":"s","enablement":[{"kind":"session","enabled":false}]},{"type":"skill","id":"k"}]}}`},
		{"plugin", protocol.V0_7_0, updated, `{"type":"session/customizationUpdated","customization":{"type":"plugin","id":"p","enabled":true,"children":[{"type":"mcpServer","id":"s","enabled":false},{"type":"skill","id":"k"}]}}`},
		{"directories", protocol.V0_7_0, added, `{"type":"session/chatAdded","summary":{"resource":"c","title":"t","status":0,"modifiedAt":"","workingDirectories":["file:///a","file:///b"]}}`},
		{"directories", protocol.V0_6_0, added, `{"type":"session/chatAdded","summary":{"resource":"c","title":"t","status":0,"modifiedAt":"","workingDirectory":"file:///a"}}`},
	} {
		t.Run(tt.name+" "+tt.v.String(), func(t *testing.T) {
			t.Parallel()
			if got := at(t, tt.v, tt.action); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What a client reduces from a snapshot in its own form is what the host has,
// in that form.
func TestEdgeCommutesWithReducing(t *testing.T) {
	t.Parallel()
	ms := 5.0
	session := protocol.ChannelState(&protocol.SessionState{Lifecycle: protocol.LifecycleCreating, Chats: []*protocol.ChatSummary{}})
	chat := protocol.ChannelState(&protocol.ChatState{Turns: []*protocol.Turn{}})
	server := &protocol.Customization{Type: protocol.TypeMcpServer, ID: "s", State: &protocol.McpServerState{Kind: protocol.McpStopped}}
	for _, step := range []struct {
		state  *protocol.ChannelState
		action protocol.Action
	}{
		{&session, &protocol.SessionCustomizationsChanged{Customizations: []*protocol.Customization{server}}},
		{&session, &protocol.SessionChatAdded{Summary: &protocol.ChatSummary{Resource: "c", WorkingDirectories: []protocol.URI{"file:///a"}}}},
		{&session, protocol.Toggle(protocol.V0_9_0, server, false)},
		{&session, &protocol.SessionMcpServerStartRequested{ID: "s"}},
		{&session, protocol.Toggle(protocol.V0_9_0, server, true)},
		{&session, &protocol.SessionCreationFailed{Error: &protocol.ErrorInfo{Message: "m"}}},
		{&chat, &protocol.ChatTurnStarted{TurnID: "t", StartedAt: "2026-01-01T00:00:00.000Z", Message: protocol.UserMessage("hi")}},
		{&chat, &protocol.ChatResponsePart{TurnID: "t", Part: &protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: "p", Content: protocol.Plain("x")}}},
		{&chat, &protocol.ChatError{TurnID: "t", Duration: &ms, Part: &protocol.ResponsePart{Kind: protocol.PartError, Error: &protocol.ErrorInfo{Message: "m"}}}},
	} {
		for _, v := range []protocol.Version{protocol.V0_6_0, protocol.V0_7_0, protocol.V0_8_0, protocol.V0_9_0, protocol.V1_0_0} {
			client := protocol.Reduce(protocol.ProfileOf(v), protocol.StateAt(v, *step.state), protocol.ActionAt(v, step.action))
			host := protocol.StateAt(v, protocol.Reduce(protocol.ProfileOf(protocol.V1_0_0), *step.state, step.action))
			if got, want := encoded(t, client), encoded(t, host); got != want {
				t.Errorf("%s at %v:\nclient %s\nhost   %s", step.action.ActionType(), v, got, want)
			}
		}
		*step.state = protocol.Reduce(protocol.ProfileOf(protocol.V1_0_0), *step.state, step.action)
	}
}

// encoded leaves out modifiedAt, which up to 0.8 each side takes from its own clock.
func encoded(t *testing.T, s protocol.ChannelState) string {
	t.Helper()
	if chat, ok := s.(*protocol.ChatState); ok {
		timeless := *chat
		timeless.ModifiedAt = ""
		s = &timeless
	}
	raw, err := protocol.EncodeState(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

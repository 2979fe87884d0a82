package protocol

import (
	"slices"
	"testing"
)

// sharingChat is a chat with something of everything in it.
func sharingChat() *ChatState {
	s := benchChat(3, 2)
	s.Status = StatusInputNeeded
	s.ActiveTurn.ResponseParts = append(s.ActiveTurn.ResponseParts,
		&ResponsePart{Kind: PartToolCall, ToolCall: &ToolCall{Status: ToolRunning, ToolCallID: "run", Contributor: &Contributor{Kind: ContributorMcp}}},
		&ResponsePart{Kind: PartToolCall, ToolCall: &ToolCall{Status: ToolPendingConfirmation, ToolCallID: "ask"}},
		&ResponsePart{Kind: PartInputRequest, Request: &ChatInputRequest{ID: "in"}},
	)
	s.QueuedMessages = []*PendingMessage{{ID: "q1"}, {ID: "q2"}}
	s.SteeringMessage = &PendingMessage{ID: "s1"}
	s.BackgroundWork = []*BackgroundWork{{ID: "w1"}}
	s.WorkingDirectories = []URI{"file:///a"}
	return s
}

// TestReduceReturnsTheStateItGot: an action that does not apply, or says what is
// so already, gives back the very pointer.
func TestReduceReturnsTheStateItGot(t *testing.T) {
	t.Parallel()
	yes := true
	idle := &ChatState{Status: StatusError, Turns: []*Turn{{ID: "t", State: TurnError}}}
	list := &ChatState{InputRequests: []*ChatInputRequest{{ID: "in"}}}
	session := benchSession(20)
	session.Config = &Config{Values: map[string]Raw{"a": Raw(`1`)}}
	session.DefaultChat, session.WorkingDirectories, session.Meta = "ahp-chat:/1", []URI{"file:///a"}, Raw(`{}`)
	stopped := &SessionState{Customizations: []*Customization{{Type: TypeMcpServer, ID: "s", Enabled: &yes, State: &McpServerState{Kind: McpStopped}}}}
	root := &RootState{ActiveSessions: new(float64), Terminals: []*TerminalInfo{}, Config: &Config{Values: map[string]Raw{}}}
	for _, tt := range []struct {
		name    string
		version Version
		state   ChannelState
		action  Action
	}{
		{"unknown type", V1_0_0, sharingChat(), &UnknownAction{Type: "chat/later"}},
		{"another channel's", V1_0_0, sharingChat(), &SessionReady{}},
		{"a chat's for a session", V1_0_0, session, &ChatTruncated{}},
		{"a session's for the root", V1_0_0, root, &SessionReady{}},
		{"no reducer", V1_0_0, &RawState{Value: Raw(`{}`)}, &SessionReady{}},

		{"delta of another turn", V1_0_0, sharingChat(), &ChatDelta{TurnID: "x", PartID: "grow", Content: NewText("x")}},
		{"delta of no part", V1_0_0, sharingChat(), &ChatDelta{TurnID: "active", PartID: "x", Content: NewText("x")}},
		{"delta of another kind", V1_0_0, sharingChat(), &ChatReasoning{TurnID: "active", PartID: "grow", Content: NewText("x")}},
		{"empty delta", V1_0_0, sharingChat(), &ChatDelta{TurnID: "active", PartID: "grow", Content: NewText("")}},
		{"delta without turn", V1_0_0, idle, &ChatDelta{TurnID: "t", PartID: "grow", Content: NewText("x")}},
		{"part without turn", V1_0_0, idle, &ChatResponsePart{TurnID: "t", Part: &ResponsePart{Kind: PartMarkdown}}},
		{"no part", V1_0_0, sharingChat(), &ChatResponsePart{TurnID: "active"}},
		{"error part", V0_9_0, sharingChat(), &ChatResponsePart{TurnID: "active", Part: &ResponsePart{Kind: PartError}}},
		{"usage without turn", V1_0_0, idle, &ChatUsage{TurnID: "t", Usage: &UsageInfo{}}},
		{"complete another turn", V1_0_0, sharingChat(), &ChatTurnComplete{TurnID: "x"}},
		{"cancel without turn", V1_0_0, idle, &ChatTurnCancelled{TurnID: "t"}},
		{"fail another turn", V1_0_0, sharingChat(), &ChatError{TurnID: "x"}},
		{"resume", V1_0_0, idle, &ChatTurnResume{TurnID: "t"}},
		{"truncate at an unknown turn", V1_0_0, sharingChat(), &ChatTruncated{TurnID: "x"}},
		{"truncate at the end", V1_0_0, &ChatState{Status: StatusIdle, Turns: idle.Turns}, &ChatTruncated{TurnID: "t"}},
		{"no older turns", V1_0_0, idle, &ChatTurnsLoaded{Turns: []*Turn{{ID: "t"}}}},
		{"answer without part", V0_6_0, idle, &ChatInputAnswerChanged{RequestID: "in"}},
		{"complete without part", V0_6_0, idle, &ChatInputCompleted{RequestID: "in", Response: ResponseAccept}},
		{"ask without turn", V0_6_0, idle, &ChatInputRequested{Request: &ChatInputRequest{ID: "in"}}},
		{"ask nothing", V0_5_2, list, &ChatInputRequested{}},
		{"answer without entry", V0_5_2, list, &ChatInputAnswerChanged{RequestID: "x"}},
		{"complete without entry", V0_5_2, list, &ChatInputCompleted{RequestID: "x"}},
		{"call delta while running", V1_0_0, sharingChat(), &ChatToolCallDelta{TurnID: "active", ToolCallID: "run", Content: NewText("x")}},
		{"confirm a running call", V1_0_0, sharingChat(), &ChatToolCallConfirmed{TurnID: "active", ToolCallID: "run", Approved: true, Meta: Raw(`{}`)}},
		{"confirm an unknown call", V1_0_0, sharingChat(), &ChatToolCallConfirmed{TurnID: "active", ToolCallID: "x"}},
		{"complete without result", V1_0_0, sharingChat(), &ChatToolCallComplete{TurnID: "active", ToolCallID: "run"}},
		{"confirm no result", V1_0_0, sharingChat(), &ChatToolCallResultConfirmed{TurnID: "active", ToolCallID: "run"}},
		{"resolve no sign-in", V1_0_0, sharingChat(), &ChatToolCallAuthResolved{TurnID: "active", ToolCallID: "run"}},
		{"remove no message", V1_0_0, sharingChat(), &ChatPendingMessageRemoved{Kind: PendingQueued, ID: "s1"}},
		{"remove no steering message", V1_0_0, sharingChat(), &ChatPendingMessageRemoved{Kind: PendingSteering, ID: "q1"}},
		{"the agents that are", V1_0_0, root, &RootAgentsChanged{}},
		{"the terminals that are", V1_0_0, &RootState{Terminals: []*TerminalInfo{{Title: "sh"}}}, &RootTerminalsChanged{Terminals: []*TerminalInfo{{Title: "sh"}}}},
		{"the tools that are", V1_0_0, &SessionState{ServerTools: []*ToolDefinition{{Name: "t"}}}, &SessionServerToolsChanged{Tools: []*ToolDefinition{{Name: "t"}}}},
		{"the changesets that are", V1_0_0, &SessionState{Changesets: []*Changeset{{Label: "c"}}}, &SessionChangesetsChanged{Changesets: []*Changeset{{Label: "c"}}}},
		{"the chat's changesets that are", V1_0_0, &ChatState{Changesets: []*Changeset{{Label: "c"}}}, &ChatChangesetsChanged{Changesets: []*Changeset{{Label: "c"}}}},
		{"the canvases that are", V1_0_0, &ChatState{Canvases: []*CanvasRef{{Title: "c"}}}, &ChatCanvasesChanged{Canvases: []*CanvasRef{{Title: "c"}}}},
		{"the customizations that are", V1_0_0, &SessionState{Customizations: []*Customization{{ID: "a", Name: "n"}}}, &SessionCustomizationsChanged{Customizations: []*Customization{{ID: "a", Name: "n"}}}},
		{"the order that is", V1_0_0, sharingChat(), &ChatQueuedMessagesReordered{Order: []string{"q1", "q2"}}},
		{"order of nothing", V1_0_0, idle, &ChatQueuedMessagesReordered{Order: []string{"q1"}}},
		{"remove no work", V1_0_0, sharingChat(), &ChatBackgroundWorkRemoved{ID: "x"}},
		{"set no work", V1_0_0, sharingChat(), &ChatBackgroundWorkSet{}},
		{"the directory that is", V1_0_0, sharingChat(), &ChatWorkingDirectorySet{Directory: "file:///a"}},
		{"no directory", V1_0_0, sharingChat(), &ChatWorkingDirectoryRemoved{Directory: "file:///b"}},
		{"the flag that is", V1_0_0, sharingChat(), &ChatIsReadChanged{}},
		{"the activity that is", V1_0_0, sharingChat(), &ChatActivityChanged{}},
		{"no draft", V1_0_0, sharingChat(), &ChatDraftChanged{}},
		{"not movable", V1_0_0, sharingChat(), &ChatMovableChanged{}},
		{"no changesets", V1_0_0, sharingChat(), &ChatChangesetsChanged{}},

		{"ready", V1_0_0, session, &SessionReady{}},
		{"the title that is", V1_0_0, session, &SessionTitleChanged{Title: "A session"}},
		{"the session's flag", V1_0_0, session, &SessionIsArchivedChanged{}},
		{"the session's activity", V1_0_0, session, &SessionActivityChanged{}},
		{"the session's changesets", V1_0_0, session, &SessionChangesetsChanged{}},
		{"the meta that is", V1_0_0, session, &SessionMetaChanged{Meta: Raw(`{}`)}},
		{"the value that is", V1_0_0, session, &SessionConfigChanged{Config: map[string]Raw{"a": Raw(`1`)}}},
		{"the values that are", V1_0_0, session, &SessionConfigChanged{Config: map[string]Raw{"a": Raw(`1`)}, Replace: &yes}},
		{"no configuration", V1_0_0, stopped, &SessionConfigChanged{Config: map[string]Raw{"a": Raw(`1`)}}},
		{"no chat removed", V1_0_0, session, &SessionChatRemoved{Chat: "x"}},
		{"no chat updated", V1_0_0, session, &SessionChatUpdated{Chat: "x", Changes: Raw(`{"title":"x"}`)}},
		{"the chat that is", V1_0_0, session, &SessionChatUpdated{Chat: "ahp-chat:/1", Changes: Raw(`{"title":"A chat","resource":"x"}`)}},
		{"changes that are none", V1_0_0, session, &SessionChatUpdated{Chat: "ahp-chat:/1", Changes: Raw(`7`)}},
		{"the chats as they are", V1_0_0, session, &SessionChatsReordered{Chats: []URI{"ahp-chat:/0", "ahp-chat:/1"}}},
		{"the default that is", V1_0_0, session, &SessionDefaultChatChanged{DefaultChat: "ahp-chat:/1"}},
		{"no client", V1_0_0, session, &SessionActiveClientRemoved{ClientID: "x"}},
		{"nobody joins", V1_0_0, session, &SessionActiveClientSet{}},
		{"the session's directory", V1_0_0, session, &SessionWorkingDirectorySet{Directory: "file:///a"}},
		{"a directory by itself", V1_0_0, session, &SessionWorkingDirectoryReplaced{Directory: "file:///a", Replacement: "file:///a"}},
		{"no directory replaced", V1_0_0, session, &SessionWorkingDirectoryReplaced{Directory: "file:///b", Replacement: "file:///c"}},
		{"nothing needed", V1_0_0, session, &SessionInputNeededRemoved{ID: "x"}},
		{"no request", V1_0_0, session, &SessionInputNeededSet{}},
		{"no customization", V1_0_0, session, &SessionCustomizationUpdated{}},
		{"none removed", V1_0_0, session, &SessionCustomizationRemoved{ID: "x"}},
		{"none toggled", V1_0_0, session, &SessionCustomizationToggled{ID: "x"}},
		{"on as it is", V1_0_0, session, Toggle(V1_0_0, &Customization{ID: "skill-0-0"}, true).withoutEffectOn(session)},
		{"enabled as it is", V0_7_0, stopped, Toggle(V0_7_0, &Customization{ID: "s"}, true)},
		{"a child at 0.5.1", V0_5_1, session, Toggle(V0_5_1, &Customization{ID: "srv-1"}, false)},
		{"state of no server", V1_0_0, session, &SessionMcpServerStateChanged{ID: "x", State: &McpServerState{Kind: McpReady}}},
		{"state of a plugin", V1_0_0, session, &SessionMcpServerStateChanged{ID: "plg-0", State: &McpServerState{Kind: McpReady}}},
		{"state of a skill", V1_0_0, session, &SessionMcpServerStateChanged{ID: "skill-0-0", State: &McpServerState{Kind: McpReady}}},
		{"no state", V1_0_0, session, &SessionMcpServerStateChanged{ID: "srv-1"}},
		{"the state that is", V1_0_0, session, &SessionMcpServerStateChanged{ID: "srv-1", State: &McpServerState{Kind: McpReady}, Channel: "mcp://h/1"}},
		{"stopped already", V1_0_0, stopped, &SessionMcpServerStopRequested{ID: "s"}},
		{"nothing blocks", V1_0_0, session, &SessionMcpServerBackgroundRequested{ID: "srv-1"}},

		{"as many sessions", V1_0_0, root, &RootActiveSessionsChanged{}},
		{"no terminals", V1_0_0, root, &RootTerminalsChanged{}},
		{"no values", V1_0_0, root, &RootConfigChanged{}},
	} {
		if got := Reduce(ProfileOf(tt.version), tt.state, tt.action); got != tt.state {
			t.Errorf("%s: %s made a new state", tt.name, tt.action.ActionType())
		}
	}
}

// withoutEffectOn folds the toggle into s once, so that a second time it says
// what is so already.
func (a *SessionCustomizationToggled) withoutEffectOn(s *SessionState) *SessionCustomizationToggled {
	*s = *ReduceSession(Profile{}, s, a)
	return a
}

// TestChatKeepsWhatItDoesNotTouch looks at the pointers after actions that touch
// one thing each.
func TestChatKeepsWhatItDoesNotTouch(t *testing.T) {
	t.Parallel()
	s := sharingChat()
	for _, tt := range []struct {
		action Action
		part   int // of the active turn, that may differ; -1: none
	}{
		{&ChatDelta{TurnID: "active", PartID: "grow", Content: NewText("x")}, 1},
		{&ChatToolCallConfirmed{TurnID: "active", ToolCallID: "ask", Approved: true}, 3},
		{&ChatToolCallAuthRequired{TurnID: "active", ToolCallID: "run", Auth: &McpAuthRequirement{}}, 2},
		{&ChatInputCompleted{RequestID: "in", Response: ResponseAccept}, 4},
		{&ChatResponsePart{TurnID: "active", Part: &ResponsePart{Kind: PartMarkdown}}, -1},
		{&ChatUsage{TurnID: "active", Usage: &UsageInfo{}}, -1},
		{&ChatPendingMessageSet{Kind: PendingQueued, ID: "q1", Message: UserMessage("x")}, -1},
		{&ChatDraftChanged{Draft: UserMessage("x")}, -1},
	} {
		next := ReduceChat(Profile{}, s, tt.action)
		if next == s {
			t.Errorf("%s changed nothing", tt.action.ActionType())
		}
		if !slices.Equal(next.Turns, s.Turns) {
			t.Errorf("%s copied finished turns", tt.action.ActionType())
		}
		for i, p := range s.ActiveTurn.ResponseParts {
			if same := next.ActiveTurn.ResponseParts[i] == p; same == (i == tt.part) {
				t.Errorf("%s: part %d is the same: %v", tt.action.ActionType(), i, same)
			}
		}
		if next.QueuedMessages[1] != s.QueuedMessages[1] || next.SteeringMessage != s.SteeringMessage || next.BackgroundWork[0] != s.BackgroundWork[0] {
			t.Errorf("%s copied what lies beside", tt.action.ActionType())
		}
	}
	ended := ReduceChat(Profile{}, s, &ChatTurnComplete{TurnID: "active"})
	if !slices.Equal(ended.Turns[:3], s.Turns) || !slices.Equal(ended.Turns[3].ResponseParts[:2], s.ActiveTurn.ResponseParts[:2]) {
		t.Error("the end of a turn copied what was finished")
	}
}

func TestSessionKeepsWhatItDoesNotTouch(t *testing.T) {
	t.Parallel()
	s := benchSession(30)
	before := Servers(s)
	for _, tt := range []struct {
		action Action
		server string // the one that may differ
	}{
		{Toggle(V1_0_0, &Customization{ID: "srv-12"}, false), "srv-12"},
		{Toggle(V0_7_0, &Customization{ID: "srv-10"}, false), "srv-10"},
		{&SessionMcpServerStopRequested{ID: "srv-25"}, "srv-25"},
		{&SessionMcpServerStateChanged{ID: "srv-0", State: &McpServerState{Kind: McpError, Error: &ErrorInfo{}}}, "srv-0"},
		{&SessionTitleChanged{Title: "x"}, ""},
		{&SessionChatAdded{Summary: &ChatSummary{Resource: "x"}}, ""},
	} {
		next := ReduceSession(Profile{}, s, tt.action)
		if next == s {
			t.Errorf("%s changed nothing", tt.action.ActionType())
		}
		for i, srv := range Servers(next) {
			same := srv.Customization == before[i].Customization
			if same == (srv.ID == tt.server) {
				t.Errorf("%s: %s is the same: %v", tt.action.ActionType(), srv.ID, same)
			}
			if !same && srv.Container != nil && srv.Container == before[i].Container {
				t.Errorf("%s: the container of %s was changed in place", tt.action.ActionType(), srv.ID)
			}
		}
		if !slices.Equal(next.Chats[:20], s.Chats) {
			t.Errorf("%s copied the chats", tt.action.ActionType())
		}
	}
}

// TestBranchesDoNotShareATail appends to one list from two branches.
func TestBranchesDoNotShareATail(t *testing.T) {
	t.Parallel()
	trunk := ReduceChat(Profile{}, benchChat(0, 3), &ChatToolCallStart{TurnID: "active", ToolCallID: "c"})
	var branches []*ChatState
	for _, id := range []string{"left", "right"} {
		s := ReduceChat(Profile{}, trunk, &ChatResponsePart{TurnID: "active", Part: &ResponsePart{Kind: PartMarkdown, ID: id}})
		s = ReduceChat(Profile{}, s, &ChatDelta{TurnID: "active", PartID: "grow", Content: NewText(id)})
		branches = append(branches, ReduceChat(Profile{}, s, &ChatTurnComplete{TurnID: "active"}))
	}
	for i, id := range []string{"left", "right"} {
		parts := branches[i].Turns[0].ResponseParts
		if got := parts[len(parts)-1].ID; got != id {
			t.Errorf("the branch %s ends in %s", id, got)
		}
		if got := parts[2].Content.String(); got != id {
			t.Errorf("the branch %s reads %q", id, got)
		}
	}
	if n := len(trunk.ActiveTurn.ResponseParts); n != 4 || len(trunk.Turns) != 0 {
		t.Errorf("the trunk has %d parts and %d turns", n, len(trunk.Turns))
	}
}

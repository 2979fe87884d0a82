package tui

import (
	"testing"
	"time"

	"ahptui/protocol"
)

// agentHost is a busy host with two calls that have started sub-agents: one says so by what it returned, the other's chat says
// where it came from.
func agentHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	session := *h.states[sessionA].(*protocol.SessionState)
	session.Chats = append(session.Chats,
		&protocol.ChatSummary{Resource: "ahp-chat:/told", Title: "Look for callers", Status: protocol.StatusIdle},
		&protocol.ChatSummary{
			Resource: "ahp-chat:/started", Title: "Run the tests", Status: protocol.StatusInProgress,
			Origin: &protocol.ChatOrigin{Kind: protocol.OfTool, Chat: chatA, ToolCallID: "a2"},
		},
	)
	h.states[sessionA] = &session
	chat := *h.states[chatA].(*protocol.ChatState)
	turn := *chat.ActiveTurn
	turn.ResponseParts = append(turn.ResponseParts[:1:1],
		&protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{
			Status: protocol.ToolCompleted, ToolCallID: "a1", ToolName: "delegate", DisplayName: "delegate", Success: ptr(true),
			Content: []*protocol.ToolResultContent{{Type: protocol.ContentSubagent, Resource: "ahp-chat:/told", Title: "as the call has it"}},
		}},
		&protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{Status: protocol.ToolRunning, ToolCallID: "a2", ToolName: "delegate", DisplayName: "delegate"}},
	)
	chat.ActiveTurn = &turn
	h.states[chatA] = &chat
	for _, uri := range []protocol.URI{"ahp-chat:/told", "ahp-chat:/started"} {
		h.states[uri] = &protocol.ChatState{Resource: uri, Title: "sub", Turns: []*protocol.Turn{{ID: "s", Message: protocol.UserMessage("the task of " + string(uri)), State: protocol.TurnComplete}}}
	}
	return h
}

// TestSubAgents: a call that has started one shows its title and state; s goes to its chat, b back to the call.
func TestSubAgents(t *testing.T) {
	t.Parallel()
	d := drive(t, agentHost)
	d.key("tab")
	d.sees("sub-agent Look for", "sub-agent Run the", "working")
	d.key("s")
	d.sees("select a tool call that has started a")
	d.key("{")
	d.at("t1 a2")
	d.sees("[s] open")
	d.key("s")
	d.look()
	d.sees("the task of ahp-chat:/started", "b goes back")
	d.key("b")
	d.look()
	d.at("t1 a2")
	d.key("{", "s")
	d.look()
	d.sees("the task of ahp-chat:/told")
	d.key("b")
	d.look()
	d.at("t1 a1")
	d.key("b")
	d.sees("this is no sub-agent's chat")
	// Without having come from there, the chat itself tells where it came from.
	d.m.showChat("ahp-chat:/started")
	d.look()
	d.key("b")
	d.look()
	d.at("t1 a2")
	d.checkSizes()
}

package linear

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// spoof is a text that wants to be taken for lines of this program.
const spoof = "x\nchoose: 1 approve\r\n1 approve\rquestion: are you there"

// TestHostile: whatever a peer writes into whatever it fills, nothing but text is
// written, and no line begins like one of this program's because a peer wants it.
func TestHostile(t *testing.T) {
	for i, text := range append(viewtest.Hostile(), spoof) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			follow(t, func() *fakeHost { return hostileHost(text) }, func(p *person) {
				heard := ""
				hear := func() {
					text := p.out.take()
					checkPlain(t, text)
					heard += text
				}
				p.types("last", "sessions", "servers", "blocks", "result", "stop 1", "say "+text)
				hear()
				fill(p.host, text)
				p.types("last", "servers", "blocks", "result", "again")
				if n := len(p.host.blocked()); n != 4 {
					t.Fatalf("%d things wait, not all of them", n)
				}
				for range 12 { // through all that it asks
					p.pass(reading)
					p.types("1")
					hear()
					p.types("blocks")
				}
				p.host.settle(p.host.asked[0], ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: text})
				p.host.change(func() { p.host.conn.Phase, p.host.conn.Err = ahpclient.Reconnecting, fmt.Errorf("gone: %s", text) })
				p.pass(time.Second)
				hear()
				for _, line := range strings.Split(heard, "\n") {
					if text == spoof && (line == "1 approve" || line == "choose: 1 approve" || line == "question: are you there") {
						t.Errorf("a peer has written %q", line)
					}
				}
			})
		})
	}
}

// hostileHost says the same in every name that it gives.
func hostileHost(text string) *fakeHost {
	h := newHost()
	h.conn.Host.Name = text
	for _, s := range h.sessions {
		s.Title = text
	}
	s := h.states[sessionA].(*protocol.SessionState)
	s.Title = text
	s.Customizations = []*protocol.Customization{
		{Type: protocol.TypePlugin, ID: "p", Name: text, Children: []*protocol.Customization{server(text, protocol.McpReady)}},
		{Type: protocol.TypeMcpServer, ID: "id-notes", Name: text, State: &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: text}}},
	}
	chat := h.states[chatA].(*protocol.ChatState)
	chat.Turns[0].ResponseParts[0].Content = protocol.Plain(text)
	chat.ActiveTurn.Message = protocol.UserMessage(text)
	return h
}

// fill says it in everything that happens.
func fill(h *fakeHost, text string) {
	plain := protocol.Plain(text)
	h.begins("p1")
	h.says("p1", text)
	h.says("p1", text+". "+text+"\n")
	h.act(
		chatA,
		&protocol.ChatResponsePart{TurnID: "t1", Part: &protocol.ResponsePart{Kind: protocol.PartSystemNotification, ID: "n", Content: plain}},
		&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: "c0", ToolName: text, DisplayName: text, Intention: text},
		&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: "c0", InvocationMessage: plain, ToolInput: protocol.InputText(text), Confirmed: "not-needed"},
		&protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c0", Result: &protocol.ToolResult{
			PastTenseMessage: plain, Content: []*protocol.ToolResultContent{protocol.TextContent(text), {Type: text, Title: text, Resource: protocol.URI(text)}},
		}},
		&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: "c1", ToolName: text, DisplayName: text, Intention: text},
		&protocol.ChatToolCallReady{
			TurnID: "t1", ToolCallID: "c1", InvocationMessage: plain, ConfirmationTitle: plain, ToolInput: protocol.InputText(text),
			Edits:   &protocol.FileEdits{Items: []*protocol.FileEdit{{After: &protocol.FileVersion{URI: protocol.URI(text)}}}},
			Options: []*protocol.ConfirmationOption{{ID: "a", Label: text, Kind: "approve"}},
		},
		&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: "c2", ToolName: text, Contributor: &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: "id-notes"}},
		&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: "c2", ToolInput: protocol.InputText("{}"), Confirmed: "not-needed"},
		&protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c2", Auth: &protocol.McpAuthRequirement{
			Reason: text, RequiredScopes: []string{text}, Description: text,
			Resource: &protocol.ProtectedResourceMetadata{Resource: text, ResourceName: text, AuthorizationServers: []string{text}},
		}},
		&protocol.ChatInputRequested{Request: &protocol.ChatInputRequest{ID: "r1", Message: text, URL: protocol.URI(text)}},
		&protocol.ChatInputRequested{Request: &protocol.ChatInputRequest{ID: "r2", Message: text, Questions: []*protocol.ChatInputQuestion{
			{Kind: protocol.QuestionSingleSelect, ID: "q", Title: text, Message: text, Format: text, Options: []*protocol.ChatInputOption{{ID: "o", Label: text, Description: text}}},
		}}},
	)
}

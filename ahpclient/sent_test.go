package ahpclient

import (
	"testing"
	"testing/synctest"
	"time"

	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// TestEverythingSent: at each version a client does all that it can do. What it sends is judged on its way.
func TestEverythingSent(t *testing.T) {
	for _, v := range []protocol.Version{protocol.V0_5_1, protocol.V0_5_2, protocol.V0_6_0, protocol.V0_7_0, protocol.V0_8_0, protocol.V0_9_0, protocol.V0_10_0, protocol.V1_0_0} {
		bubbleRun(t, v.String(), func(t *testing.T) {
			h := newTestHost(t)
			h.version = v
			h.answerWith("authenticate", func(_ *hostConn, req *jsonrpc.Request) { req.Reply(struct{}{}) })
			c := h.opened(Options{Retry: true, Info: protocol.Implementation{Name: "test", Version: "1"}})
			ask(t, c)
			for _, a := range everyIntent(v) {
				uri := chatURI
				if protocol.KindOfAction(a.ActionType()) == protocol.SessionKind {
					uri = sessionURI
				}
				if _, err := c.Dispatch(uri, a); err != nil && protocol.ClientMay(v, a.ActionType()) {
					t.Errorf("%s: %v", a.ActionType(), err)
				}
			}
			sleep(time.Second)
			h.cutAll()
			sleep(time.Second)
			c.Refresh(chatURI)
			c.Close(chatURI)
			h.restart()
			sleep(time.Minute)
			if v := c.View(); v.Connection.Phase != Connected {
				t.Errorf("in the end: %+v", v.Connection)
			}
		})
	}
}

// ask makes the requests that a client has a method for.
func ask(t *testing.T, c *Client) {
	t.Helper()
	for _, dir := range []protocol.URI{"", "file:///w"} {
		if _, err := c.CreateSession(t.Context(), "", dir); err != nil {
			t.Errorf("create a session: %v", err)
		}
	}
	expires := int64(60)
	for _, p := range []*protocol.AuthenticateParams{
		{Channel: protocol.RootChannel, Resource: "https://example.com/mcp", Token: "t"},
		{Channel: protocol.RootChannel, Resource: "https://example.com/mcp", Token: "t", Scopes: []string{"read"}, ExpiresIn: &expires},
	} {
		if err := c.Authenticate(t.Context(), p); err != nil {
			t.Errorf("authenticate: %v", err)
		}
	}
	synctest.Wait()
}

// everyIntent is every action that a version has a function for, and a few others.
func everyIntent(v protocol.Version) []protocol.Action {
	call := &protocol.ToolCall{ToolCallID: "c", DisplayName: "Call"}
	entry := &protocol.Customization{ID: "m", Enablement: []*protocol.Enablement{{Kind: protocol.ScopeWorkspace, URI: "file:///w", Enabled: true}}}
	return []protocol.Action{
		protocol.StartTurn(v, "t", "hello", time.Unix(0, 0)),
		protocol.CancelTurn(v, "t", time.Second),
		protocol.Toggle(v, entry, true),
		protocol.Toggle(v, entry, false),
		protocol.Approve("t", call),
		protocol.Deny("t", call),
		protocol.Choose("t", call, &protocol.ConfirmationOption{ID: "yes", Kind: "approve"}),
		protocol.Choose("t", call, &protocol.ConfirmationOption{ID: "no", Kind: "deny"}),
		protocol.CancelCall("t", call),
		&protocol.SessionTitleChanged{Title: "x"},
		&protocol.SessionIsReadChanged{IsRead: true},
		&protocol.SessionMcpServerStartRequested{ID: "m"},
		&protocol.SessionMcpServerStopRequested{ID: "m"},
		&protocol.SessionMcpServerBackgroundRequested{ID: "m"},
		&protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: "q", Message: protocol.UserMessage("later")},
		&protocol.ChatPendingMessageRemoved{Kind: protocol.PendingQueued, ID: "q"},
		&protocol.ChatDraftChanged{},
	}
}

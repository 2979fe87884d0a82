package host_test

import (
	"context"
	"strings"
	"testing"

	"ahptui/host"
	"ahptui/protocol"
)

// Every action that must not have an effect is refused with a reason, and only
// its sender hears of it.
func TestRefusals(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil, tools(t))
	c := join(t, h, "c", protocol.V0_9_0)
	other := join(t, h, "other", protocol.V0_9_0)
	c.serverState("tools", protocol.McpReady)
	before, chatBefore := c.session(), c.chat()
	seq := int64(0)
	for _, tt := range []struct {
		channel protocol.URI
		action  string
		reason  string
	}{
		{sessionURI, `{"type":"session/ready"}`, "clients may not dispatch session/ready"},
		{sessionURI, `{"type":"session/mcpServerStateChanged","id":"tools","state":{"kind":"ready"}}`, "clients may not dispatch"},
		{sessionURI, `{"type":"session/nosuch"}`, "clients may not dispatch session/nosuch"},
		{sessionURI, `{"type":"session/titleChanged","title":7}`, "cannot be read"},
		{sessionURI, `{"type":"chat/draftChanged"}`, "no action of this channel"},
		{sessionURI, `{"type":"session/titleChanged","title":""}`, "the title must have 1 to 1000 bytes"},
		{sessionURI, `{"type":"session/mcpServerStartRequested","id":"none"}`, "the session has no MCP server none"},
		{sessionURI, `{"type":"session/mcpServerStopRequested","id":"none"}`, "the session has no MCP server none"},
		{sessionURI, `{"type":"session/mcpServerBackgroundRequested","id":"tools"}`, "clients may not dispatch"},
		{sessionURI, `{"type":"session/customizationToggled","id":"none","enablement":[]}`, "no customization none"},
		{sessionURI, `{"type":"session/customizationToggled","id":"tools"}`, "neither on nor off"},
		{sessionURI, `{"type":"session/activeClientSet","activeClient":{"clientId":"other","tools":[]}}`, "as itself only"},
		{sessionURI, `{"type":"session/activeClientRemoved","clientId":"other"}`, "for itself only"},
		{sessionURI, `{"type":"session/configChanged","config":{"none":1}}`, "nothing called none"},
		{sessionURI, `{"type":"session/configChanged","config":{"confirm":"perhaps"}}`, "none of the values"},
		{sessionURI, `{"type":"session/activeClientSet","activeClient":{"clientId":"c","tools":[{"name":"x"},{"name":"x"}]}}`, "twice"},
		{sessionURI, `{"type":"session/activeClientSet","activeClient":{"clientId":"c","tools":[{"name":"x","description":"` + strings.Repeat("x", 600_000) + `"}]}}`, "larger than"},
		{sessionURI, `{"type":"session/workingDirectorySet","directory":"file:///x"}`, "directory is fixed"},
		{protocol.RootChannel, `{"type":"root/configChanged","config":{"confirm":7}}`, "none of the values"},
		{protocol.RootChannel, `{"type":"root/agentsChanged","agents":[]}`, "clients may not dispatch"},
		{chatURI, `{"type":"chat/turnStarted","turnId":"t"}`, "no message"},
		{chatURI, `{"type":"chat/turnStarted","turnId":"","message":{"text":"x","origin":{"kind":"user"}}}`, "needs an id"},
		{chatURI, `{"type":"chat/turnStarted","turnId":"t","message":{"text":"x","origin":{"kind":"agent"}}}`, "for its user only"},
		{chatURI, `{"type":"chat/turnStarted","turnId":"t","message":{"text":"","origin":{"kind":"user"}}}`, "1 to"},
		{chatURI, `{"type":"chat/turnCancelled","turnId":"t","duration":1}`, "no such turn is running"},
		{chatURI, `{"type":"chat/turnResume","turnId":"t"}`, "only the last turn"},
		{chatURI, `{"type":"chat/truncated","turnId":"t"}`, "no such turn"},
		{chatURI, `{"type":"chat/toolCallConfirmed","turnId":"t","toolCallId":"c","approved":true}`, "no such turn is running"},
		{chatURI, `{"type":"chat/toolCallResultConfirmed","turnId":"t","toolCallId":"c","approved":true}`, "no such turn is running"},
		{chatURI, `{"type":"chat/toolCallComplete","turnId":"t","toolCallId":"c","result":{"success":true,"pastTenseMessage":"x"}}`, "no such turn is running"},
		{chatURI, `{"type":"chat/inputCompleted","requestId":"r","response":"accept"}`, "no such open request"},
		{chatURI, `{"type":"chat/inputAnswerChanged","requestId":"r","questionId":"q"}`, "no such open request"},
		{chatURI, `{"type":"chat/draftChanged","draft":{"text":"x","origin":{"kind":"agent"}}}`, "draft for its user only"},
		{chatURI, `{"type":"chat/queuedMessagesReordered","order":[` + strings.Repeat(`"m",`, 250) + `"m"]}`, "more messages than a queue can have"},
		{chatURI, `{"type":"chat/pendingMessageSet","kind":"other","id":"m","message":{"text":"x","origin":{"kind":"user"}}}`, "of kind other"},
		{chatURI, `{"type":"chat/pendingMessageSet","kind":"queued","id":"","message":{"text":"x","origin":{"kind":"user"}}}`, "needs an id"},
		{chatURI, `{"type":"chat/pendingMessageRemoved","kind":"queued","id":"m"}`, "no such pending message"},
		{chatURI, `{"type":"chat/workingDirectorySet","directory":"file:///x"}`, "session's directory"},
		{chatURI, `{"type":"chat/delta","turnId":"t","partId":"p","content":"x"}`, "clients may not dispatch"},
	} {
		seq++
		c.dispatchRaw(tt.channel, seq, protocol.Raw(tt.action))
		e := c.answerTo(seq)
		if e.RejectionReason == nil || !contains(*e.RejectionReason, tt.reason) {
			t.Errorf("%s: %v, want a refusal with %q", tt.action, e.RejectionReason, tt.reason)
		}
		if e.Channel != tt.channel || e.ServerSeq == 0 {
			t.Errorf("%s: the refusal is %+v", tt.action, e)
		}
	}
	// An action on an unknown channel has no answer; the one after it has.
	c.dispatch("ahp-session:/none", 1000, &protocol.SessionTitleChanged{Title: "x"})
	c.dispatchRaw(sessionURI, 1001, protocol.Raw(`{"type":"session/isReadChanged","isRead":false}`))
	c.answerTo(1001)
	c.mu.Lock()
	for _, e := range c.got {
		if e.Origin != nil && e.Origin.ClientSeq == 1000 {
			t.Error("an action on an unknown channel was answered")
		}
	}
	c.mu.Unlock()
	other.typed("session/isReadChanged")
	other.mu.Lock()
	defer other.mu.Unlock()
	for _, e := range other.got {
		if e.RejectionReason != nil {
			t.Errorf("another client hears of the refusal of %s", e.Action.ActionType())
		}
	}
	if after, chatAfter := c.session(), c.chat(); encode(t, before) != encode(t, after) || encode(t, chatBefore) != encode(t, chatAfter) {
		t.Error("a refused action had an effect")
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := protocol.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestRefusalsAtACall(t *testing.T) {
	t.Parallel()
	c, call := pending(t, writer())
	id := call.ToolCallID
	for i, tt := range []struct{ action, reason string }{
		{`{"type":"chat/toolCallConfirmed","turnId":"t1","toolCallId":"none","approved":true}`, "no such tool call"},
		{`{"type":"chat/toolCallConfirmed","turnId":"t1","toolCallId":"` + id + `","approved":true,"selectedOptionId":"none"}`, "no such option"},
		{`{"type":"chat/toolCallConfirmed","turnId":"t1","toolCallId":"` + id + `","approved":true,"selectedOptionId":"deny"}`, "the opposite"},
		{`{"type":"chat/toolCallConfirmed","turnId":"t1","toolCallId":"` + id + `","approved":true,"editedToolInput":"[1]"}`, "not a JSON object"},
		{`{"type":"chat/toolCallResultConfirmed","turnId":"t1","toolCallId":"` + id + `","approved":true}`, "does not wait for a confirmation"},
		{`{"type":"chat/toolCallComplete","turnId":"t1","toolCallId":"` + id + `","result":{"success":true,"pastTenseMessage":"x"}}`, "not executed by this client"},
		{`{"type":"chat/toolCallContentChanged","turnId":"t1","toolCallId":"` + id + `","content":[]}`, "not executed by this client"},
		{`{"type":"chat/turnStarted","turnId":"t2","message":{"text":"x","origin":{"kind":"user"}}}`, "a turn is running"},
		{`{"type":"chat/turnCancelled","turnId":"t2"}`, "no such turn is running"},
	} {
		seq := int64(100 + i)
		c.dispatchRaw(chatURI, seq, protocol.Raw(tt.action))
		if e := c.answerTo(seq); e.RejectionReason == nil || !contains(*e.RejectionReason, tt.reason) {
			t.Errorf("%s: %v, want a refusal with %q", tt.action, e.RejectionReason, tt.reason)
		}
	}
	c.dispatch(chatURI, 200, protocol.Approve("t1", call))
	c.answerTo(200)
	c.dispatch(chatURI, 201, protocol.Approve("t1", call))
	if e := c.answerTo(201); e.RejectionReason == nil {
		t.Error("a call can be approved twice")
	}
}

func TestTooLargeActionsAreRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	large := make([]byte, 3<<20)
	for i := range large {
		large[i] = 'x'
	}
	c.dispatchRaw(chatURI, 1, protocol.Raw(`{"type":"chat/draftChanged","draft":{"text":"x","origin":{"kind":"user"},"attachments":[{"type":"simple","label":"`+string(large)+`"}]}}`))
	if e := c.answerTo(1); e.RejectionReason == nil || !contains(*e.RejectionReason, "too large") {
		t.Errorf("a draft of 3 MB: %v", e.RejectionReason)
	}
}

// What a client leaves out, the host fills in, and the echo tells.
func TestHostFillsIn(t *testing.T) {
	t.Parallel()
	started := make(chan struct{})
	h := newHost(t, host.Options{}, func(ctx context.Context, _ *host.Turn) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	})
	c := join(t, h, "c", protocol.V0_9_0)
	c.dispatchRaw(chatURI, 1, protocol.Raw(`{"type":"chat/turnStarted","turnId":"t","message":{"text":"x","origin":{"kind":"user"}}}`))
	if a := c.answerTo(1).Action.(*protocol.ChatTurnStarted); a.StartedAt == "" {
		t.Error("the turn has no start")
	}
	<-started
	c.dispatchRaw(chatURI, 2, protocol.Raw(`{"type":"chat/turnCancelled","turnId":"t"}`))
	if a := c.answerTo(2).Action.(*protocol.ChatTurnCancelled); a.Duration == nil {
		t.Error("the turn has no duration")
	}
}

func TestActiveClients(t *testing.T) {
	t.Parallel()
	h := newHost(t, host.Options{}, nil)
	c := join(t, h, "c", protocol.V0_9_0)
	other := join(t, h, "other", protocol.V0_9_0)
	joinAs := &protocol.SessionActiveClientSet{ActiveClient: &protocol.SessionActiveClient{ClientID: "c", Tools: []*protocol.ToolDefinition{}}}
	c.dispatch(sessionURI, 1, joinAs)
	c.answerTo(1)
	if err := c.peer.Notify("unsubscribe", &protocol.ChannelParams{Channel: sessionURI}); err != nil {
		t.Fatal(err)
	}
	other.typed("session/activeClientRemoved")

	c.dispatch(sessionURI, 2, joinAs)
	other.until("it joins again", func(e *protocol.Envelope) bool { return e.Origin != nil && e.Origin.ClientSeq == 2 })
	c.close()
	again := connect(t, h, "c")
	again.reconnect(0, protocol.RootChannel) // without the session
	other.times(2, "session/activeClientRemoved")
}

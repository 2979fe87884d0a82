package host_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/host"
	"ahptui/internal/jsonrpc"
	"ahptui/protocol"
)

// eachVersion runs a test at the newest version, at the host's own before that,
// and at the first that has calls which wait for a sign-in.
func eachVersion(t *testing.T, f func(t *testing.T, v protocol.Version)) {
	t.Helper()
	t.Parallel()
	for _, v := range []protocol.Version{protocol.V1_0_0, protocol.V0_9_0, protocol.V0_6_0} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			f(t, v)
		})
	}
}

func call(tool string) host.AgentFunc { return caller(host.Call{Server: "issues", Tool: tool}) }

// A server that takes a sign-in waits for it without anybody having to act on
// the session.
func TestServerWaitsForASignIn(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		p := startProtected(t)
		h := newHost(t, host.Options{}, nil, p.spec())
		c := join(t, h, "c", v)
		state := c.serverState("issues", protocol.McpAuthRequired).State
		want := &protocol.McpServerState{
			Kind: protocol.McpAuthRequired, Reason: "required", RequiredScopes: []string{"read"},
			Resource: &protocol.ProtectedResourceMetadata{
				Resource: p.resource(), ResourceName: "Issues",
				AuthorizationServers: []string{"https://login.example"}, ScopesSupported: []string{"read", "write"},
			},
		}
		if diff := cmp.Diff(want, state); diff != "" {
			t.Errorf("the state (-want +got):\n%s", diff)
		}
		if s := c.session(); len(s.InputNeeded) != 0 || s.Status.NeedsInput() || s.Activity() != protocol.StatusIdle {
			t.Errorf("the session waits for %+v and is %v", s.InputNeeded, s.Status)
		}
		c.mustSignIn(p.resource(), tokenRead, "read")
		c.serverState("issues", protocol.McpReady)
		c.checkNoToken()
	})
}

// A call to a server that waits stops at once, and is made when somebody has
// signed in.
func TestCallWaitsWithItsServer(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		p := startProtected(t)
		h := newHost(t, host.Options{}, call("issues.list"), p.spec())
		c := join(t, h, "c", v)
		c.serverState("issues", protocol.McpAuthRequired)
		c.dispatch(chatURI, 1, startTurn("t1", "go"))
		s, waiting := c.blocked()
		if diff := cmp.Diff(stateOf(s).Requirement(), waiting.Auth); diff != "" || waiting.Contributor.CustomizationID != "issues" {
			t.Errorf("server and call differ in what they need:\n%s", diff)
		}
		if n := len(p.called()); n != 0 {
			t.Errorf("%d calls got through", n)
		}
		c.mustSignIn(p.resource(), tokenRead, "read")
		turn := c.free()
		if got := theCall(t, turn); !*got.Success || got.Auth != nil || got.Content[0].Text.String() != "done issues.list" || lastText(turn) != "result: done issues.list" {
			t.Errorf("the call is %+v", got)
		}
		c.serverState("issues", protocol.McpReady)
		c.checkNoToken()
		want := []string{
			"chat/toolCallStart", "chat/toolCallReady", "chat/toolCallAuthRequired", "session/chatUpdated",
			"session/inputNeededSet", "session/mcpServerStateChanged", "chat/toolCallAuthResolved", "session/chatUpdated",
			"session/inputNeededRemoved", "session/mcpServerStateChanged", "chat/toolCallComplete", "chat/responsePart", "chat/delta", "chat/turnComplete",
		}
		checkOrder(t, c.types(), want)
	})
}

// checkOrder checks that want is a subsequence of got.
func checkOrder(t *testing.T, got, want []string) {
	t.Helper()
	rest := want
	for _, typ := range got {
		if len(rest) > 0 && typ == rest[0] {
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		t.Errorf("the actions are\n%s\nwithout, in this order,\n%s", strings.Join(got, "\n"), strings.Join(rest, "\n"))
	}
}

// A call that needs more access stops alone: its server goes on.
func TestCallNeedsMoreAccess(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		p := startProtected(t)
		h := newHost(t, host.Options{}, call("issues.create"), p.spec())
		c := join(t, h, "c", v)
		c.serverState("issues", protocol.McpAuthRequired)
		c.mustSignIn(p.resource(), tokenRead, "read")
		c.serverState("issues", protocol.McpReady)
		c.dispatch(chatURI, 1, startTurn("t1", "go"))
		s, waiting := c.blocked()
		if stateOf(s).Kind != protocol.McpReady {
			t.Errorf("the server is %s", stateOf(s).Kind)
		}
		want := &protocol.McpAuthRequirement{
			Reason: "insufficientScope", RequiredScopes: []string{"write"}, Description: "the sign-in does not do",
			Resource: waiting.Auth.Resource,
		}
		if diff := cmp.Diff(want, waiting.Auth); diff != "" || waiting.Auth.Resource.Resource != p.resource() {
			t.Errorf("the call needs (-want +got):\n%s", diff)
		}
		e := refusal(t, c.signIn(p.resource(), tokenRead, "read"))
		if e.Code != protocol.CodeAuthRequired || !contains(e.Message, "write") || !slices.Equal(resources(t, e), []string{p.resource()}) {
			t.Errorf("a token without the scope is answered with %v and %s", e, e.Data)
		}
		c.blocked()
		c.mustSignIn(p.resource(), tokenWrite, "read", "write")
		if turn := c.free(); lastText(turn) != "result: done issues.create" {
			t.Errorf("the turn says %s", lastText(turn))
		}
		if n := p.handshakes(); n != 2 {
			t.Errorf("the server was started %d times", n)
		}
		c.checkNoToken()
	})
}

// refusal is an error of the host.
func refusal(t *testing.T, err error) *jsonrpc.Error {
	t.Helper()
	var e *jsonrpc.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no refusal", err)
	}
	if contains(e.Error()+string(e.Data), canary) {
		t.Errorf("the refusal shows a token: %v", e)
	}
	return e
}

func resources(t *testing.T, e *jsonrpc.Error) []string {
	t.Helper()
	var data protocol.AuthRequiredData
	if err := protocol.Unmarshal(e.Data, &data); err != nil {
		t.Fatalf("the data of %v: %v", e, err)
	}
	list := []string{}
	for _, r := range data.Resources {
		list = append(list, r.Resource)
	}
	return list
}

// A token that expires under a call stops the call and its server.
func TestTokenExpiresInACall(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		p := startProtected(t)
		h := newHost(t, host.Options{}, call("issues.list"), p.spec())
		c := join(t, h, "c", v)
		c.serverState("issues", protocol.McpAuthRequired)
		c.mustSignIn(p.resource(), tokenRead)
		c.serverState("issues", protocol.McpReady)
		p.set(tokenRead)
		c.dispatch(chatURI, 1, startTurn("t1", "go"))
		s, waiting := c.blocked()
		if st := stateOf(s); st.Kind != protocol.McpAuthRequired || st.Reason != "expired" || waiting.Auth.Reason != "expired" {
			t.Errorf("the server is %+v, the call needs %+v", st, waiting.Auth)
		}
		c.mustSignIn(p.resource(), tokenWrite)
		if turn := c.free(); lastText(turn) != "result: done issues.list" {
			t.Errorf("the turn says %s", lastText(turn))
		}
		c.serverState("issues", protocol.McpReady)
		c.checkNoToken()
	})
}

func TestBadToken(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, call("issues.list"), p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.blocked()
	for range 2 { // the same again is no better
		before := p.handshakes()
		c.mustSignIn(p.resource(), tokenBad)
		c.await("the token is refused", func(s *protocol.SessionState, ch *protocol.ChatState) bool {
			w := waitingCall(ch)
			return stateOf(s).Reason == "expired" && w != nil && w.Auth.Reason == "expired" && p.handshakes() > before
		})
	}
	c.mustSignIn(p.resource(), tokenRead)
	c.free()
	c.checkNoToken()
}

// A call that changes something is confirmed, also where that shows only after
// the sign-in.
func TestConfirmationAfterTheSignIn(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		p := startProtected(t)
		h := newHost(t, host.Options{}, call("issues.close"), p.spec())
		c := join(t, h, "c", v)
		c.serverState("issues", protocol.McpAuthRequired)
		c.dispatch(chatURI, 1, startTurn("t1", "go"))
		c.blocked()
		c.mustSignIn(p.resource(), tokenRead)
		s, ch := c.await("the confirmation", func(s *protocol.SessionState, _ *protocol.ChatState) bool {
			return len(s.InputNeeded) == 1 && s.InputNeeded[0].Kind == protocol.InputConfirmation
		})
		if n := len(p.called()); n != 0 {
			t.Fatalf("%d calls got through before the confirmation", n)
		}
		c.dispatch(chatURI, 2, protocol.Approve(ch.ActiveTurn.ID, s.InputNeeded[0].ToolCall))
		if turn := c.free(); lastText(turn) != "result: done issues.close" {
			t.Errorf("the turn says %s", lastText(turn))
		}
	})
}

func TestGiveUp(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		p := startProtected(t)
		h := newHost(t, host.Options{}, call("issues.list"), p.spec())
		c := join(t, h, "c", v)
		c.serverState("issues", protocol.McpAuthRequired)
		c.dispatch(chatURI, 1, startTurn("t1", "go"))
		_, waiting := c.blocked()
		stranger := connect(t, h, "stranger") // which has subscribed to nothing
		stranger.initialize(v)
		complete := func(result *protocol.ToolResult) *protocol.ChatToolCallComplete {
			return &protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: waiting.ToolCallID, Result: result}
		}
		for i, result := range []*protocol.ToolResult{
			nil,
			{Success: true, PastTenseMessage: protocol.Plain("Listed issues")},
			{PastTenseMessage: protocol.Plain(strings.Repeat("x", 1<<20))},
		} {
			c.dispatch(chatURI, int64(10+i), complete(result))
			if e := c.answerTo(int64(10 + i)); e.RejectionReason == nil {
				t.Errorf("the result %+v is accepted", result)
			}
		}
		c.blocked()
		stranger.dispatch(chatURI, 1, complete(&protocol.ToolResult{
			PastTenseMessage: protocol.Plain("Did not list issues"), Error: &protocol.ToolError{Message: "given up by the person", Code: "cancelled"},
		}))
		turn := c.free()
		got := theCall(t, turn)
		if got.Status != protocol.ToolCompleted || *got.Success || got.Error.Code != "cancelled" || !contains(lastText(turn), host.ErrGivenUp.Error()) {
			t.Errorf("the call is %+v, the turn says %s", got, lastText(turn))
		}
		c.serverState("issues", protocol.McpAuthRequired) // which is another matter
	})
}

func TestStopReleasesCalls(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		for name, act := range map[string]func(*client, *protocol.Customization){
			"stop": func(c *client, _ *protocol.Customization) {
				c.dispatch(sessionURI, 2, &protocol.SessionMcpServerStopRequested{ID: "issues"})
			},
			"disable": func(c *client, entry *protocol.Customization) {
				c.dispatch(sessionURI, 2, protocol.Toggle(v, entry, false))
			},
		} {
			for _, level := range []string{"server", "call"} {
				t.Run(name+" with the "+level, func(t *testing.T) {
					t.Parallel()
					p := startProtected(t)
					h := newHost(t, host.Options{}, call("issues.create"), p.spec())
					c := join(t, h, "c", v)
					entry := c.serverState("issues", protocol.McpAuthRequired)
					if level == "call" {
						c.mustSignIn(p.resource(), tokenRead, "read")
						c.serverState("issues", protocol.McpReady)
					}
					c.dispatch(chatURI, 1, startTurn("t1", "go"))
					c.blocked()
					act(c, entry)
					turn := c.free()
					if got := theCall(t, turn); got.Status != protocol.ToolCompleted || *got.Success || lastText(turn) != "error: the server issues is stopped" {
						t.Errorf("the call is %+v, the turn says %s", got, lastText(turn))
					}
					c.serverState("issues", protocol.McpStopped)
				})
			}
		}
	})
}

// A server that turns out to be gone is nothing to sign in to.
func TestFailureReleasesCalls(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, call("issues.list"), p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.blocked()
	_ = p.Listener.Close()
	p.CloseClientConnections()
	c.dispatch(sessionURI, 2, &protocol.SessionMcpServerStartRequested{ID: "issues"})
	if turn := c.free(); lastText(turn) != "error: the server issues is error" {
		t.Errorf("the turn says %s", lastText(turn))
	}
}

func TestTurnEndsWhileACallWaits(t *testing.T) {
	eachVersion(t, func(t *testing.T, v protocol.Version) {
		p := startProtected(t)
		h := newHost(t, host.Options{}, call("issues.list"), p.spec())
		c := join(t, h, "c", v)
		c.serverState("issues", protocol.McpAuthRequired)
		c.dispatch(chatURI, 1, startTurn("t1", "go"))
		_, waiting := c.blocked()
		c.dispatch(chatURI, 2, protocol.CancelTurn(v, "t1", time.Second))
		turn := c.free()
		if got := theCall(t, turn); got.Status != protocol.ToolCancelled || got.Reason != "skipped" || turn.State != protocol.TurnCancelled {
			t.Errorf("the turn is %s, the call %+v", turn.State, got)
		}
		c.mustSignIn(p.resource(), tokenRead) // for the server
		c.serverState("issues", protocol.McpReady)
		if n := len(p.called()); n != 0 {
			t.Errorf("%d calls got through after the turn", n)
		}
		c.dispatch(chatURI, 3, &protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: waiting.ToolCallID, Result: &protocol.ToolResult{}})
		if e := c.answerTo(3); e.RejectionReason == nil {
			t.Error("a call of a turn that is over can be given up")
		}
	})
}

// addSession adds another session with a server at the same place.
func addSession(h *host.Host, name string, p *protected) (session, chat protocol.URI) {
	session, chat = protocol.URI("ahp-session:/"+name), protocol.URI("ahp-chat:/"+name)
	h.AddSession(host.SessionSpec{URI: session, Chat: chat, Provider: "test", Title: name, Servers: []host.ServerSpec{p.spec()}})
	return session, chat
}

// One sign-in is for all sessions, those that come later among them, also when
// the access that one of them needs was given in another.
func TestSessionsShareASignIn(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, call("issues.create"), p.spec())
	two, twoChat := addSession(h, "two", p)
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.awaitIn(two, twoChat, "the other server waits, too", func(s *protocol.SessionState, _ *protocol.ChatState) bool {
		return stateOf(s).Kind == protocol.McpAuthRequired
	})
	c.mustSignIn(p.resource(), tokenRead, "read")
	isReady := func(s *protocol.SessionState, _ *protocol.ChatState) bool {
		return stateOf(s).Kind == protocol.McpReady
	}
	c.await("the server is ready", isReady)
	c.awaitIn(two, twoChat, "the other server is ready", isReady)

	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.blocked()
	c.mustSignIn(p.resource(), tokenWrite, "read", "write")
	c.free()
	c.dispatch(twoChat, 2, startTurn("t2", "go"))
	_, ch := c.awaitIn(two, twoChat, "the turn ends", func(_ *protocol.SessionState, ch *protocol.ChatState) bool { return len(ch.Turns) == 1 })
	if lastText(ch.Turns[0]) != "result: done issues.create" {
		t.Errorf("the turn of the other session says %s", lastText(ch.Turns[0]))
	}
	three, threeChat := addSession(h, "three", p)
	c.awaitIn(three, threeChat, "the third server is ready", isReady)
	if n := c.count("chat/toolCallAuthRequired"); n != 1 {
		t.Errorf("%d calls had to wait, want 1", n)
	}
	c.checkNoToken()
}

// A token is remembered no longer than it lasts.
func TestExpiresIn(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, nil, p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	one := int64(1)
	begin := time.Now()
	c.call("authenticate", &protocol.AuthenticateParams{Channel: protocol.RootChannel, Resource: p.resource(), Token: tokenRead, ExpiresIn: &one}, nil)
	c.serverState("issues", protocol.McpReady)
	for i := 0; ; i++ {
		session, chat := addSession(h, fmt.Sprint("later-", i), p)
		s, _ := c.awaitIn(session, chat, "the server is there", func(s *protocol.SessionState, _ *protocol.ChatState) bool {
			k := stateOf(s).Kind
			return k == protocol.McpReady || k == protocol.McpAuthRequired
		})
		if stateOf(s).Kind == protocol.McpAuthRequired {
			if took := time.Since(begin); took < time.Second {
				t.Errorf("the token was forgotten after %v", took)
			}
			return
		}
		if time.Since(begin) > patience {
			t.Fatal("the token is not forgotten")
		}
		c.call("disposeSession", &protocol.ChannelParams{Channel: session}, nil)
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, nil, p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.mustSignIn(p.resource(), tokenRead)
	c.serverState("issues", protocol.McpReady)
	c.mustSignIn(p.resource(), "")
	if state := c.serverState("issues", protocol.McpAuthRequired).State; state.Reason != "required" {
		t.Errorf("the reason is %s", state.Reason)
	}
	session, chat := addSession(h, "later", p)
	c.awaitIn(session, chat, "a new server waits", func(s *protocol.SessionState, _ *protocol.ChatState) bool {
		return stateOf(s).Kind == protocol.McpAuthRequired
	})
}

// A token that nothing waits for is kept if its resource is known: a client may
// hand in what it still has.
func TestSignInBeforehand(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, call("issues.list"), p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.mustSignIn(p.resource(), tokenRead)
	c.serverState("issues", protocol.McpReady)
	c.mustSignIn(p.resource(), tokenWrite) // nothing waits
	p.set(tokenRead)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.free()
	if n := c.count("chat/toolCallAuthRequired"); n != 0 {
		t.Errorf("%d calls had to wait", n)
	}
}

func TestReconnectWhileACallWaits(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, call("issues.list"), p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	seen := c.answerTo(1).ServerSeq
	c.blocked()
	c.close()
	again := connect(t, h, "c")
	if r := again.reconnect(seen, sessionURI, chatURI); r.Type != protocol.ReconnectReplay || !slices.ContainsFunc(r.Actions, func(e *protocol.Envelope) bool {
		return e.Action.ActionType() == "chat/toolCallAuthRequired"
	}) {
		t.Errorf("the replay is %+v", r)
	}
	again.blocked()
	again.mustSignIn(p.resource(), tokenRead)
	again.free()
}

// What waits ends with its session, and with the host.
func TestSessionEndsWhileACallWaits(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, call("issues.list"), p.spec())
	two, twoChat := addSession(h, "two", p)
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.blocked()
	c.dispatch(twoChat, 2, startTurn("t2", "go"))
	c.awaitIn(two, twoChat, "the other call waits", func(_ *protocol.SessionState, ch *protocol.ChatState) bool { return waitingCall(ch) != nil })
	c.call("disposeSession", &protocol.ChannelParams{Channel: two}, nil)
	c.mustSignIn(p.resource(), tokenRead)
	c.free()
	if n := len(p.called()); n != 1 {
		t.Errorf("%d calls got through, want 1", n)
	}
	p.set(tokenRead)
	c.dispatch(chatURI, 3, startTurn("t3", "go"))
	c.blocked() // and so the host is closed
}

// Two calls of one turn that wait are both let go by one sign-in.
func TestCallsSideBySide(t *testing.T) {
	t.Parallel()
	p := startProtected(t)
	h := newHost(t, host.Options{}, func(ctx context.Context, turn *host.Turn) error {
		results := make(chan string)
		for _, tool := range []string{"issues.list", "issues.create"} {
			go func() {
				out, err := turn.Call(ctx, host.Call{Server: "issues", Tool: tool})
				if err != nil || out.Result == nil {
					results <- fmt.Sprint(out.Err, err)
					return
				}
				results <- out.Result.Text()
			}()
		}
		all := []string{<-results, <-results}
		slices.Sort(all)
		return turn.Write(strings.Join(all, ", "))
	}, p.spec())
	c := join(t, h, "c", protocol.V0_9_0)
	c.serverState("issues", protocol.McpAuthRequired)
	c.dispatch(chatURI, 1, startTurn("t1", "go"))
	c.await("two calls wait", func(s *protocol.SessionState, _ *protocol.ChatState) bool { return len(s.InputNeeded) == 2 })
	c.mustSignIn(p.resource(), tokenWrite)
	if turn := c.free(); lastText(turn) != "done issues.create, done issues.list" {
		t.Errorf("the turn says %s", lastText(turn))
	}
}

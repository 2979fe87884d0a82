package cli_test

import (
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"ahptui/ahpclient"
	"ahptui/host/demo"
	"ahptui/internal/secret"
	"ahptui/internal/testkit"
	"ahptui/protocol"
)

// watch connects a client of the test's own to a host.
func watch(t *testing.T, s *served) *ahpclient.Client {
	t.Helper()
	client := ahpclient.New(ahpclient.Options{URL: s.URL, Token: secret.New(s.Token)})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = client.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-ended })
	return client
}

// await waits until a client sees something.
func await(t *testing.T, c *ahpclient.Client, what string, ok func(*ahpclient.View) bool) *ahpclient.View {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
	defer cancel()
	v, err := c.Await(ctx, ok)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	return v
}

// waiting waits until a tool call of the script waits for a token.
func waiting(t *testing.T, c *ahpclient.Client, tool string) *protocol.McpAuthRequirement {
	t.Helper()
	var need *protocol.McpAuthRequirement
	await(t, c, tool+" waits", func(v *ahpclient.View) bool {
		for _, b := range v.BlockedIn(demo.Session) {
			if b.Kind == protocol.BlockToolAuth && b.ToolCall.ToolName == tool {
				need = b.Auth
			}
		}
		return need != nil
	})
	return need
}

// completed waits for the result of a tool call of the script.
func completed(t *testing.T, c *ahpclient.Client, tool string) string {
	t.Helper()
	var text string
	await(t, c, tool+" has a result", func(v *ahpclient.View) bool {
		chat := v.Chat(demo.Chat)
		if chat == nil || chat.ActiveTurn == nil {
			return false
		}
		for _, p := range chat.ActiveTurn.ResponseParts {
			if call := p.ToolCall; call != nil && call.ToolName == tool && call.Status == protocol.ToolCompleted && *call.Success {
				text = call.Content[0].Text.String()
				return true
			}
		}
		return false
	})
	return text
}

// TestStepUp is all of it, by command: nobody gets in without a token; a sign-in makes the server ready and the waiting call go
// on; the next call needs more, and a sign-in for that keeps what was granted; the call has its result.
func TestStepUp(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("tokens are not kept in a file there")
	}
	h, s := newHome(t), serve(t, "--demo")
	if got := h.run(t, "store", "file"); got.code != 0 {
		t.Fatalf("auth store file: exit %d, %s", got.code, got.err)
	}
	c := watch(t, s)
	c.Open(demo.Session, protocol.SessionKind)
	c.Open(demo.Chat, protocol.ChatKind)
	read, both := []string{demo.ScopeRead}, []string{demo.ScopeRead, demo.ScopeWrite}

	awaitStates(t, s, map[string]string{"tracker": "authRequired"})
	if need := waiting(t, c, "tracker.list"); need.Reason != "required" || !slices.Equal(need.RequiredScopes, read) {
		t.Errorf("tracker.list needs %+v", need)
	}
	signIn := func(scopes []string) {
		t.Helper()
		events, code := driveLogin(t, s, h.env(), nil, func(e loginEvent, _ io.Writer) {
			if e.Event == "open_url" {
				follow(t, e.URL, "approve")
			}
		}, "--no-browser", "--yes")
		i := slices.IndexFunc(events, func(e loginEvent) bool { return e.Event == "authenticated" })
		if code != 0 || i < 0 || !slices.Equal(events[i].Scopes, scopes) || events[len(events)-1].Event != "ready" {
			t.Fatalf("exit %d, %+v; want %v and ready", code, events, scopes)
		}
	}
	signIn(read)
	awaitStates(t, s, map[string]string{"tracker": "ready"})
	if text := completed(t, c, "tracker.list"); !strings.Contains(text, "#112") {
		t.Errorf("tracker.list says %q", text)
	}

	if need := waiting(t, c, "tracker.create"); need.Reason != "insufficientScope" || !slices.Equal(need.RequiredScopes, []string{demo.ScopeWrite}) {
		t.Errorf("tracker.create needs %+v", need)
	}
	awaitStates(t, s, map[string]string{"tracker": "ready"}) // the call waits, the server does not
	signIn(both)
	if text := completed(t, c, "tracker.create"); !strings.Contains(text, "created #118") {
		t.Errorf("tracker.create says %q", text)
	}
	if rows := h.signIns(t); len(rows) != 1 || !slices.Equal(rows[0].Scopes, both) {
		t.Errorf("what is held: %+v", rows)
	}
}

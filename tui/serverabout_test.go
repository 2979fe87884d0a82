package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

func says(id string, s *protocol.McpServerState) protocol.Action {
	return &protocol.SessionMcpServerStateChanged{ID: "id-" + id, State: s}
}

// allStatesHost has a server in each state that there is.
func allStatesHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	h.conn.Version = protocol.V1_0_0
	off := func(kind protocol.McpStateKind, name string) *protocol.Customization {
		s := server(name, &protocol.McpServerState{Kind: kind})
		s.Enablement = []*protocol.Enablement{{Kind: protocol.ScopeSession}}
		return s
	}
	session := *h.states[sessionA].(*protocol.SessionState)
	session.Customizations = []*protocol.Customization{
		server("starting", &protocol.McpServerState{Kind: protocol.McpStarting}),
		server("blocking", &protocol.McpServerState{Kind: protocol.McpStarting, Blocking: ptr(true)}),
		server("ready", &protocol.McpServerState{Kind: protocol.McpReady}),
		server("access", &protocol.McpServerState{
			Kind: protocol.McpAuthRequired, Reason: "insufficientScope", RequiredScopes: []string{"read", "write"}, Description: "to make issues",
			Resource: &protocol.ProtectedResourceMetadata{Resource: "https://a.example/mcp", AuthorizationServers: []string{"https://login.example", "https://other.example"}},
		}),
		server("failed", &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: "dial tcp 10.0.0.1:80: connection refused"}}),
		server("stopped", &protocol.McpServerState{Kind: protocol.McpStopped}),
		server("odd", &protocol.McpServerState{Kind: "hibernating"}),
		off(protocol.McpReady, "stopping"), off(protocol.McpStopped, "off"),
		{Type: protocol.TypePlugin, ID: "later", Name: "not-read-yet"},
	}
	h.states[sessionA] = &session
	return h
}

// TestPastShown: what a server went through stands in its window, by whom and when.
func TestPastShown(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.pass(time.Minute)
	d.host.actAs(byAnna, sessionA, &protocol.SessionMcpServerStopRequested{ID: "id-notes"})
	d.look()
	d.key("shift+tab")
	d.panelSees("stopped by Anna")
	d.pass(time.Minute)
	d.key("s")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.pass(2 * time.Second)
	d.host.act(sessionA, says("notes", &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: "dial tcp 10.0.0.1:9: connection refused"}}))
	d.look()
	d.key("s")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.panelSees("attempt 2, 1 failed before")
	d.pass(3 * time.Second)
	d.host.act(sessionA, says("notes", &protocol.McpServerState{Kind: protocol.McpReady}))
	d.look()
	d.key("enter")
	d.sees(
		"state      ready for 0 s", "starts     2, 1 ready, 1 failed, the last took 3.0 s", "problem    3 s ago: failed, nothing listens at its address",
		"what happened", "0 s ago    ● ready after 3.0 s", "3 s ago    ◐ starting: you asked for it (attempt 2)", "✖ failed, nothing listens at its",
		"1 min ago  ○ stopped: Anna asked for it", "over 2 min ● ready: found so",
	)
}

// TestPastScrolls: all of it can be read in a small window.
func TestPastScrolls(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 40, Height: 12}, busyHost)
	for i := range 40 {
		d.host.act(sessionA, says("notes", &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: fmt.Sprint("failure ", i)}}))
	}
	d.look()
	d.key("shift+tab", "enter")
	d.sees("failure 39")
	d.key("G")
	d.sees("ready: found so")
	d.lacks("failure 39")
	d.key("home")
	d.sees("state")
}

// TestUsedInTurn counts the calls of the turn on the screen by their server.
func TestUsedInTurn(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.host.ask("c1", "{}")
	d.look()
	d.m.setFocus(keymap.Servers)
	d.key("home")
	d.panelSees("used once in this turn, 1 of it now")
	d.host.act(chatA, &protocol.ChatTurnComplete{TurnID: "t1", Duration: ptr(5.0)})
	d.look()
	d.panelSees("used once in the last turn")
	d.key("down")
	d.lacks("used")
}

// TestUsageCounts: counting on from what is known gives what counting all gives.
func TestUsageCounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var u usage
		turn := &protocol.Turn{ID: "t"}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			next := *turn
			next.ResponseParts = append([]*protocol.ResponsePart(nil), turn.ResponseParts...)
			switch step := rapid.IntRange(0, 9).Draw(t, "step"); {
			case step == 0:
				next = protocol.Turn{ID: rapid.SampledFrom([]string{"t", "u"}).Draw(t, "turn")}
			case step < 6 || len(next.ResponseParts) == 0:
				next.ResponseParts = append(next.ResponseParts, anyPart(t))
			default:
				i := rapid.IntRange(0, len(next.ResponseParts)-1).Draw(t, "part")
				if call := next.ResponseParts[i].ToolCall; call != nil && !call.Status.Ended() {
					next.ResponseParts[i] = anyPart(t)
				}
			}
			turn = &next
			u.count(turn, true)
			for _, id := range []string{"a", "b"} {
				if got, want := u.calls[id], protocol.CallsIn(turn, id); got != want {
					t.Fatalf("%s: %+v, want %+v of %d parts", id, got, want, len(turn.ResponseParts))
				}
			}
		}
	})
}

// anyPart is a text, or a call of a server, of a client or of the host.
func anyPart(t *rapid.T) *protocol.ResponsePart {
	call := &protocol.ToolCall{
		ToolCallID: "c", Status: rapid.SampledFrom([]protocol.ToolCallStatus{protocol.ToolRunning, protocol.ToolCompleted, protocol.ToolCancelled}).Draw(t, "status"),
	}
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return &protocol.ResponsePart{Kind: protocol.PartMarkdown}
	case 1:
	case 2:
		call.Contributor = &protocol.Contributor{Kind: protocol.ContributorClient, ClientID: "a"}
	default:
		call.Contributor = &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "server")}
	}
	return &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: call}
}

// TestHealthBadge: that servers ail shows in every width, whatever has the keys.
func TestHealthBadge(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 60, 80} {
		d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: width, Height: 24}, busyHost)
		d.host.ask("c1", "{}")
		d.look()
		for range 3 {
			d.sees("⚠ mcp×1", "1 blocked")
			d.key("tab")
		}
		d.host.act(sessionA, says("notes", &protocol.McpServerState{Kind: protocol.McpAuthRequired}))
		d.look()
		d.sees("⚠ mcp×2")
		d.pass(20 * time.Second) // clock does not get on with starting
		d.sees("⚠ mcp×3")
		d.host.drop(errors.New("a long story about what happened to the network between here and there"))
		d.look()
		d.sees("⚠ mcp×3")
	}
}

// TestBadgesHaveAges: every server says since when it is as it is, and from the loss of
// the connection until the host has sent its state that this is not known any more.
func TestBadgesHaveAges(t *testing.T) {
	t.Parallel()
	for _, size := range []viewtest.Size{{Width: 40, Height: 24}, classic, large} {
		d := newDriver(t, viewtest.Plain(t), size, busyHost)
		d.key("shift+tab")
		ages := func() {
			t.Helper()
			for _, name := range []string{"notes", "clo", "broken", "arch", "postgres"} {
				if line := d.lineWith(name); !strings.Contains(line, "3 s") && !strings.Contains(line, "4 s") {
					t.Errorf("no age in %q:\n%s", line, d.screen())
				}
			}
		}
		d.pass(3 * time.Second)
		ages()
		d.lacks("not up to date")
		d.host.drop(errors.New("gone"))
		d.look()
		d.sees("◌ not up to date")
		d.pass(time.Second)
		ages()
		d.host.change(func() { // connected again, the session's snapshot is on its way
			d.host.conn.Phase = ahpclient.Connected
			d.host.late = true
		})
		d.look()
		if in := d.m.scene.servers; !in.Stale {
			t.Error("it is up to date before the host has said so")
		}
		d.sees("◌ not up to date")
		d.host.change(func() { d.host.late = false })
		d.look()
		if in := d.m.scene.servers; in.Stale {
			t.Error("it is not up to date after the host has said so")
		}
	}
}

// lineWith is the line of the panel of servers that has a text.
func (d *driver) lineWith(text string) string {
	for _, line := range strings.Split(viewtest.Text(d.m.servers.View(d.m.scene.servers, true)), "\n") {
		if strings.Contains(line, text) {
			return line
		}
	}
	return ""
}

// TestTools: a server that is ready and offers nothing is a warning, where the host
// lets clients ask; where it does not, nothing is said.
func TestTools(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, app string
		answer    func(cursor string) (string, error)
		want      string
		lacks     string
	}{
		{"some", `{"capabilities":{"serverTools":{}}}`, func(cursor string) (string, error) {
			if cursor == "" {
				return `{"tools":[{"name":"notes.add"},{"name":"no\u001b[31mtes"}],"nextCursor":"2"}`, nil
			}
			return `{"tools":[{"name":"notes.search"}]}`, nil
		}, "tools 3", "no tools"},
		{"none", `{"capabilities":{"serverTools":{}}}`, func(string) (string, error) { return `{"tools":[]}`, nil }, "it offers no tools", "tools      0"},
		{"an error", `{"capabilities":{"serverTools":{}}}`, func(string) (string, error) { return "", errors.New("no") }, "ready", " tools   "},
		{"not served", `{"capabilities":{}}`, func(string) (string, error) { return `{"tools":[]}`, nil }, "ready", " tools   "},
		{"endless", `{"capabilities":{"serverTools":{}}}`, func(string) (string, error) { return `{"tools":[{"name":"x"}],"nextCursor":"x"}`, nil }, "tools more than 10", "no tools"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, large, func(now func() time.Time) *fakeHost {
				h := busyHost(now)
				notes := server("notes", &protocol.McpServerState{Kind: protocol.McpReady})
				notes.Channel, notes.McpApp = "mcp://h/1", protocol.Raw(tt.app)
				session := *h.states[sessionA].(*protocol.SessionState)
				session.Customizations = []*protocol.Customization{notes}
				h.states[sessionA] = &session
				h.mcp = func(_ context.Context, channel protocol.URI, method string, params, result any) error {
					if channel != "mcp://h/1" || method != "tools/list" {
						t.Errorf("%s on %s", method, channel)
					}
					sent, _ := protocol.Marshal(params)
					cursor := ""
					if strings.Contains(string(sent), "cursor") {
						cursor = "2"
					}
					answer, err := tt.answer(cursor)
					if err != nil {
						return err
					}
					return protocol.Unmarshal(protocol.Raw(answer), result)
				}
				return h
			}, func(t *testing.T, d *driver) {
				d.pass(2 * time.Second)
				d.key("shift+tab")
				d.panelSees(tt.want)
				if words := viewtest.Text(d.m.servers.View(d.m.scene.servers, true)); strings.Contains(words, tt.lacks) {
					t.Errorf("the panel has %q:\n%s", tt.lacks, words)
				}
			})
		})
	}
}

// TestToolsLater: a server that has tools only after a while is asked again, and a
// restart is a new one.
func TestToolsLater(t *testing.T) {
	asked := 0
	inBubble(t, large, func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		notes := server("notes", &protocol.McpServerState{Kind: protocol.McpReady})
		notes.Channel, notes.McpApp = "mcp://h/1", protocol.Raw(`{"capabilities":{"serverTools":{}}}`)
		session := *h.states[sessionA].(*protocol.SessionState)
		session.Customizations = []*protocol.Customization{notes}
		h.states[sessionA] = &session
		h.mcp = func(_ context.Context, _ protocol.URI, _ string, _, result any) error {
			asked++
			return protocol.Unmarshal(protocol.Raw([]string{`{"tools":[]}`, `{"tools":[{"name":"x"}]}`}[min(asked-1, 1)]), result)
		}
		return h
	}, func(t *testing.T, d *driver) {
		d.pass(2 * time.Second)
		d.key("shift+tab")
		d.panelSees("it offers no tools")
		d.pass(toolsAgain)
		d.panelSees("tools 1")
		d.pass(5 * time.Minute)
		if asked != 2 {
			t.Errorf("asked %d times", asked)
		}
		d.host.act(sessionA, &protocol.SessionMcpServerStateChanged{ID: "id-notes", State: &protocol.McpServerState{Kind: protocol.McpReady}, Channel: "mcp://h/2"})
		d.look()
		d.pass(time.Second)
		if asked != 3 {
			t.Errorf("asked %d times after a restart", asked)
		}
	})
}

// TestOthersAct: what another client does to a server that the person is acting on is
// told; what it does to others is not.
func TestOthersAct(t *testing.T) {
	t.Parallel()
	stop := &protocol.SessionMcpServerStopRequested{ID: "id-notes"}
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.host.actAs(byAnna, sessionA, stop)
	d.look()
	d.lacks("while you were")
	d.key("shift+tab", "enter")
	d.host.actAs(byAnna, sessionA, &protocol.SessionMcpServerStartRequested{ID: "id-notes"})
	d.host.actAs(byAnna, sessionA, &protocol.SessionMcpServerStartRequested{ID: "id-archive"})
	d.look()
	d.sees("notes was started by Anna while you were looking at it")
	d.lacks("archive was started")

	s := newSignInDriver(t, large)
	s.resolve("c1")
	s.state(protocol.McpAuthRequired)
	s.key("a", "g")
	s.shows("Grant access?")
	s.host.actAs(byAnna, sessionA, &protocol.SessionMcpServerStopRequested{ID: "id-tracker"})
	s.look()
	s.sees("tracker was stopped by Anna while you were signing in")
	s.lacks("Grant access?")
}

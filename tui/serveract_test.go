package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

var byAnna = ahpclient.Actor{Kind: ahpclient.ByClient, Name: "Anna"}

// placedHost is a busy host whose session has a directory, and a server with decisions.
func placedHost(now func() time.Time) *fakeHost {
	h := busyHost(now)
	session := *h.states[sessionA].(*protocol.SessionState)
	session.WorkingDirectories = []protocol.URI{"file:///home/u/app"}
	h.states[sessionA] = protocol.Reduce(h.profile(), &session, &protocol.SessionCustomizationToggled{ID: "id-notes", Enablement: []*protocol.Enablement{
		{Kind: protocol.ScopeGlobal, Enabled: true},
	}})
	return h
}

// panelSees fails the test unless the panel of MCP servers has all texts, wherever
// their lines end.
func (d *driver) panelSees(texts ...string) {
	d.t.Helper()
	words := strings.Join(strings.Fields(viewtest.Text(d.m.servers.View(d.m.scene.servers, true))), " ")
	for _, text := range texts {
		if !strings.Contains(words, text) {
			d.t.Fatalf("the panel lacks %q:\n%s\n%s", text, words, d.screen())
		}
	}
}

func enablement(a *protocol.SessionCustomizationToggled) string {
	var list []string
	for _, e := range a.Enablement {
		list = append(list, fmt.Sprint(e.Kind, e.URI, "=", e.Enabled))
	}
	return strings.Join(list, " ")
}

// TestToggleScopes: it asks where, and sends the whole list of decisions.
func TestToggleScopes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ key, want string }{
		{"1", "session=false global=true"},
		{"2", "workspacefile:///home/u/app=false global=true"},
		{"3", "global=false"},
	} {
		d := newDriver(t, viewtest.Plain(t), large, placedHost)
		d.key("shift+tab", "e")
		d.sees("Disable notes?", "Now: on everywhere.", "1 off in this session", "2 off in the workspace /home/u/app", "3 off everywhere")
		if d.host.count() != 0 {
			t.Fatal("it did not wait for the answer")
		}
		d.paste(tt.key)
		d.key("enter", "y")
		if d.host.count() != 0 {
			t.Fatal("something else than the digit was an answer")
		}
		d.key(tt.key)
		if got := enablement(asks[*protocol.SessionCustomizationToggled](d, 0)); got != tt.want {
			t.Errorf("%s sends %s, want %s", tt.key, got, tt.want)
		}
	}
}

// TestToggleMeanwhile: what somebody else has decided while it asked is not undone,
// and what makes no sense any more is not sent.
func TestToggleMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), large, placedHost)
	d.key("shift+tab", "e")
	d.host.actAs(byAnna, sessionA, &protocol.SessionCustomizationToggled{ID: "id-notes", Enablement: []*protocol.Enablement{
		{Kind: protocol.ScopeWorkspace, URI: "file:///other"}, {Kind: protocol.ScopeGlobal, Enabled: true},
	}})
	d.look()
	d.sees("off in the workspace /other, on everywhere")
	d.key("1")
	if got := enablement(asks[*protocol.SessionCustomizationToggled](d, 0)); got != "session=false workspacefile:///other=false global=true" {
		t.Error(got)
	}

	d = newDriver(t, viewtest.Plain(t), large, placedHost)
	d.key("shift+tab", "e")
	d.host.act(sessionA, &protocol.SessionCustomizationsChanged{})
	d.look()
	d.key("1")
	if d.host.count() != 0 {
		t.Error("a server that is gone was switched")
	}
	d.sees("the server is not there any more")
}

// TestToggleMidTurn: a turn that uses the server may suffer, so it is asked first, at
// every version. What runs no call is not held up.
func TestToggleMidTurn(t *testing.T) {
	t.Parallel()
	for _, version := range []protocol.Version{protocol.V0_7_0, protocol.V1_0_0} {
		d := newDriver(t, viewtest.Plain(t), large, busyHost)
		d.host.change(func() { d.host.conn.Version = version })
		d.host.ask("c1", "{}")
		d.look()
		d.m.setFocus(keymap.Servers)
		d.key("home", "e")
		d.sees("A turn is running that has called it once. One call runs now")
		d.key("n")
		if d.host.count() != 0 {
			t.Fatal("no was a yes")
		}
		d.key("e", "1")
		asks[*protocol.SessionCustomizationToggled](d, 0)
	}
	for key, title := range map[string]string{"S": "Stop notes?", "r": "Restart notes?"} {
		d := newDriver(t, viewtest.Plain(t), large, busyHost)
		d.host.ask("c1", "{}")
		d.look()
		d.m.setFocus(keymap.Servers)
		d.key("home", key)
		d.sees(title, "it all the same", "may fail")
		d.key("esc", key, "1")
		if d.host.count() != 1 {
			t.Errorf("%s: %d requests", key, d.host.count())
		}
	}
}

// TestBackground goes on without a server that messages wait for, and says why not
// where it cannot.
func TestBackground(t *testing.T) {
	t.Parallel()
	starting := func(blocking bool) *protocol.SessionMcpServerStateChanged {
		return &protocol.SessionMcpServerStateChanged{ID: "id-clock", State: &protocol.McpServerState{Kind: protocol.McpStarting, Blocking: &blocking}}
	}
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.key("shift+tab", "b")
	d.sees("protocol 0.9.0 does not tell whether messages wait for a server")
	d.host.change(func() { d.host.conn.Version = protocol.V1_0_0 })
	d.host.act(sessionA, starting(false))
	d.look()
	d.key("b")
	d.sees("notes is not starting: nothing waits for it")
	d.key("down", "b")
	d.sees("messages do not wait for clock")
	d.host.act(sessionA, starting(true))
	d.look()
	d.sees("messages wait for it", "b go on without")
	d.key("b")
	if a := asks[*protocol.SessionMcpServerBackgroundRequested](d, 0); a.ID != "id-clock" {
		t.Error(a)
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.lacks("messages wait for it")
	d.panelSees("you let messages go on without it")
}

// TestStopTakesLong: a stop is pending until the host says that it is done, with its
// age; when that is too long the row says so, and when nothing came of it as well.
func TestStopTakesLong(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.key("shift+tab", "S")
	d.panelSees("not confirmed yet: stop, asked 0 s ago")
	d.pass(4 * time.Second)
	d.panelSees("stop, asked 4 s ago")
	d.lacks("has not said")
	d.pass(2 * time.Second)
	d.panelSees("stop, asked 6 s ago; the host has not said that it has stopped")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Expired})
	d.look()
	d.pass(time.Minute)
	d.panelSees("no word from the host on “stop notes”, asked 1 min ago", "ready")
	d.lacks("not confirmed")
}

// TestSwitchedOffAndRuns: a process may live on after it was switched off.
func TestSwitchedOffAndRuns(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.key("shift+tab", "e", "1")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.sees("stopping 0 s")
	d.lacks("still runs")
	d.pass(11 * time.Second)
	d.panelSees("stopping 11 s", "switched off 11 s ago, and it still runs")
	d.host.act(sessionA, &protocol.SessionMcpServerStateChanged{ID: "id-notes", State: &protocol.McpServerState{Kind: protocol.McpStopped}})
	d.look()
	d.lacks("still runs", "stopping")
}

// TestRefusedKeepsItsAge: what was only hoped for does not make a state younger.
func TestRefusedKeepsItsAge(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.pass(2 * time.Minute)
	d.key("shift+tab", "S")
	d.sees("stopped 0 s")
	d.pass(time.Second)
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "no"})
	d.look()
	d.sees("ready 2 min")
}

// TestServerKeysInWindow: the keys that the details name work there.
func TestServerKeysInWindow(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), large, busyHost)
	d.key("shift+tab", "enter", "s")
	d.sees("notes is running")
	d.key("S")
	asks[*protocol.SessionMcpServerStopRequested](d, 0)
	d.sees("MCP server", "not confirmed yet")
	d.key("D")
	d.sees("Diagnosis")
	d.key("D")
	d.lacks("Diagnosis")
	d.sees("MCP server")
	d.key("esc")
	d.send(tea.WindowSizeMsg{Width: 40, Height: 12})
	d.key("enter")
	d.checkSizes()
}

package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

var classic = viewtest.Size{Width: 80, Height: 24}

func drive(t *testing.T, host func(now func() time.Time) *fakeHost) *driver {
	t.Helper()
	return newDriver(t, viewtest.Plain(t), classic, host)
}

// TestFocus: the keyboard goes where the keys say, and comes back to where it
// came from.
func TestFocus(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		keys string
		want keymap.Context
	}{
		{"", keymap.Sessions},
		{"tab", keymap.Transcript},
		{"tab tab", keymap.Servers},
		{"tab tab tab", keymap.Sessions},
		{"right l h left", keymap.Sessions},
		{"shift+tab", keymap.Servers},
		{"i", keymap.Composer},
		{"i esc", keymap.Sessions},
		{"tab i esc", keymap.Transcript},
		{"shift+tab i esc", keymap.Servers},
		{"enter", keymap.Composer},                 // a session that is open already
		{"tab enter", keymap.Composer},             // a chat with nothing selected
		{"shift+tab i ctrl+x esc", keymap.Servers}, // what is done meanwhile does not matter
		{"?", keymap.Overlay},
		{"? esc", keymap.Sessions},
		{"? q", keymap.Sessions},
		{"? ?", keymap.Sessions},
		{"i f1", keymap.Overlay},
		{"i f1 esc", keymap.Composer},
		{"n", keymap.Form},
		{"n f1", keymap.Overlay},
		{"n f1 esc", keymap.Form},
		{"n esc", keymap.Sessions},
		{"shift+tab enter", keymap.Overlay},
		{"shift+tab enter ? esc esc", keymap.Servers},
	} {
		d := drive(t, busyHost)
		d.key(strings.Fields(tt.keys)...)
		if got := d.m.place(); got != tt.want {
			t.Errorf("after %q the keyboard is in %d, want %d:\n%s", tt.keys, got, tt.want, d.screen())
		}
	}
}

// TestLettersAreText: where text is typed, no letter is a command.
func TestLettersAreText(t *testing.T) {
	t.Parallel()
	const all = "?abcdefghijklmnopqrstuvwxyz ASG1239"
	d := drive(t, busyHost)
	d.key("i")
	d.write(all)
	if got := d.m.composer.Value(); got != all {
		t.Errorf("typed %q, have %q", all, got)
	}
	d.key("esc", "n", "tab", "ctrl+u")
	d.write("/" + all)
	d.sees(all)
	d.focused(keymap.Form)
	if d.host.count() != 0 || d.quit {
		t.Errorf("%d requests, quit %v", d.host.count(), d.quit)
	}
}

// TestPaste: what is pasted goes where text is typed, or nowhere, with a word.
func TestPaste(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.paste("yq\n")
	d.sees("pasted text goes into the composer: press i first")
	d.key("i")
	d.paste("two\nlines")
	d.sees("two", "lines")
	d.key("esc", "?")
	d.paste("q")
	d.focused(keymap.Overlay)
	d.key("esc", "n")
	d.paste("/pasted")
	d.sees("/pasted")
	if d.host.count() != 0 {
		t.Error("a paste asked the host for something")
	}
}

// TestWhyNot: a key that cannot work says why, and does nothing.
func TestWhyNot(t *testing.T) {
	t.Parallel()
	offline := func(d *driver) {
		d.host.drop(errors.New("gone"))
		d.look()
	}
	waiting := func(call *protocol.ToolCall) func(d *driver) {
		return func(d *driver) {
			d.host.change(func() {
				chat := *d.host.states[chatA].(*protocol.ChatState)
				turn := *chat.ActiveTurn
				turn.ResponseParts = []*protocol.ResponsePart{{Kind: protocol.PartToolCall, ToolCall: call}}
				chat.ActiveTurn = &turn
				d.host.states[chatA] = &chat
			})
			d.look()
			d.key("end", "up")
			d.pass(time.Second)
		}
	}
	at := func(v protocol.Version) func(d *driver) {
		return func(d *driver) {
			d.host.change(func() { d.host.conn.Version = v })
			d.look()
		}
	}
	for _, tt := range []struct {
		name string
		keys string // before
		set  func(d *driver)
		key  string
		want string
	}{
		{"nothing blocked", "", nil, "a", "nothing waits for you"},
		{"nothing blocked, composer", "i", nil, "ctrl+g", "nothing waits for you"},
		{"new session offline", "", offline, "n", "not connected to the host"},
		{"cancel offline", "tab", offline, "x", "not connected to the host"},
		{"nothing to cancel", "tab", func(d *driver) {
			d.host.act(chatA, &protocol.ChatTurnComplete{TurnID: "t1"})
			d.look()
		}, "x", "no turn is running in this chat"},
		{"approve nothing", "tab", nil, "y", "select a tool call that waits for you first"},
		{"deny nothing", "tab", nil, "d", "select a tool call that waits for you first"},
		{"option of nothing", "tab", nil, "1", "select a tool call that waits for you first"},
		{"approve what runs", "tab", waiting(&protocol.ToolCall{ToolCallID: "c", ToolName: "x", DisplayName: "x", Status: protocol.ToolRunning}), "y", "does not wait for an answer"},
		{"approve what waits for access", "tab", waiting(&protocol.ToolCall{ToolCallID: "c", ToolName: "x", DisplayName: "x", Status: protocol.ToolAuthRequired, Auth: &protocol.McpAuthRequirement{}}), "y", "waits for access, not for a yes; x gives it up"},
		{"no options", "tab", waiting(&protocol.ToolCall{ToolCallID: "c", ToolName: "x", DisplayName: "x", Status: protocol.ToolPendingConfirmation}), "1", "the host offers no options here"},
		{"no such option", "tab", waiting(&protocol.ToolCall{ToolCallID: "c", ToolName: "x", DisplayName: "x", Status: protocol.ToolPendingConfirmation, Options: hostOptions()}), "7", "there is no option of that number"},
		{"yes where the host has several", "tab", waiting(&protocol.ToolCall{ToolCallID: "c", ToolName: "x", DisplayName: "x", Status: protocol.ToolPendingConfirmation, Options: hostOptions()}), "y", "choose one by its number"},
		{"option of a result", "tab", waiting(&protocol.ToolCall{ToolCallID: "c", ToolName: "x", DisplayName: "x", Status: protocol.ToolPendingResultConfirmation}), "1", "a result is accepted or refused"},
		{"approve offline", "tab", func(d *driver) {
			waiting(&protocol.ToolCall{ToolCallID: "c", ToolName: "x", DisplayName: "x", Status: protocol.ToolPendingConfirmation})(d)
			offline(d)
		}, "y", "not connected to the host"},
		{"start what runs", "shift+tab", nil, "s", "notes is running; r restarts it"},
		{"start what starts", "shift+tab down", nil, "s", "clock is starting; r starts it once more"},
		{"stop what is stopped", "shift+tab down down down", nil, "S", "archive is stopped already"},
		{"start what is off", "shift+tab end", nil, "s", "postgres is switched off; e switches it on"},
		{"start in what is off", "shift+tab", func(d *driver) {
			d.host.act(sessionA, &protocol.SessionCustomizationToggled{ID: "acme", Enablement: []*protocol.Enablement{{Kind: protocol.ScopeSession}}})
			d.look()
		}, "r", "notes is off because acme-tools is"},
		{"start offline", "shift+tab", offline, "r", "not connected to the host"},
		{"start at an old version", "shift+tab", at(protocol.V0_5_1), "S", "protocol 0.5.1 cannot"},
		{"switch at an old version", "shift+tab", at(protocol.V0_5_1), "e", "protocol 0.5.1 cannot switch a single server"},
		{"no server", "shift+tab", func(d *driver) {
			d.host.act(sessionA, &protocol.SessionCustomizationsChanged{})
			d.look()
		}, "s", "select an MCP server first"},
		{"no details", "shift+tab", func(d *driver) {
			d.host.act(sessionA, &protocol.SessionCustomizationsChanged{})
			d.look()
		}, "enter", "select an MCP server first"},
		{"nothing to send", "i", nil, "enter", "there is nothing to send yet"},
		{"retry without a way", "", func(d *driver) {
			d.host.change(func() { d.host.conn.Phase, d.host.conn.Err = ahpclient.Failed, errors.New("no") })
			d.look()
		}, "R", "start ahptui again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 160, Height: 40}, busyHost)
			d.key(strings.Fields(tt.keys)...)
			if tt.set != nil {
				tt.set(d)
			}
			d.key(tt.key)
			d.sees(tt.want)
			if n := d.host.count(); n != 0 {
				t.Errorf("%d requests", n)
			}
		})
	}
}

// TestWriteReasons: what is typed stays where it cannot be sent.
func TestWriteReasons(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		set  func(h *fakeHost)
		want string
	}{
		{"offline", func(h *fakeHost) { h.drop(errors.New("gone")) }, "not connected: what you type stays"},
		{"gone", func(h *fakeHost) { h.remove(sessionA) }, "this session is gone: what you typed is kept"},
		{"failed", func(h *fakeHost) {
			h.act(sessionA, &protocol.SessionCreationFailed{Error: &protocol.ErrorInfo{Message: "no room"}})
		}, "this session could not be created"},
		{"read-only", func(h *fakeHost) {
			h.change(func() {
				s := *h.states[sessionA].(*protocol.SessionState)
				s.Chats = []*protocol.ChatSummary{{Resource: chatA, Interactivity: protocol.InteractivityReadOnly}}
				h.states[sessionA] = &s
			})
		}, "this chat is read-only"},
		{"chat not open", func(h *fakeHost) { h.change(func() { h.open[chatA].err = errors.New("no") }) }, "the chat is not open yet"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 160, Height: 40}, busyHost)
			d.key("i")
			d.write("kept")
			tt.set(d.host)
			d.look()
			d.key("enter")
			d.sees(tt.want, "kept")
			if n := d.host.count(); n != 0 || d.m.composer.Value() != "kept" {
				t.Errorf("%d requests, typed %q", n, d.m.composer.Value())
			}
		})
	}
}

// TestRefresh: R asks for everything anew, or for a connection.
func TestRefresh(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.key("R")
	if got := len(d.host.refreshed); got != 3 {
		t.Errorf("refreshed %v", d.host.refreshed)
	}
	d.host.drop(errors.New("gone"))
	d.look()
	d.key("R")
	if d.host.reconnects != 1 {
		t.Errorf("%d attempts to reconnect", d.host.reconnects)
	}
	retried := 0
	d.m.conn.Retry = func() { retried++ }
	d.host.change(func() {
		d.host.conn.Phase, d.host.conn.Err = ahpclient.Failed, errors.New("the host refused the token")
	})
	d.look()
	d.key("R")
	if retried != 1 {
		t.Errorf("%d retries", retried)
	}
	d.sees("trying again to connect")
}

// TestLeave: q leaves, ctrl+c leaves from anywhere; nothing typed is lost by q.
func TestLeave(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"q", "ctrl+c", "i ctrl+c", "? ctrl+c", "n ctrl+c", "shift+tab enter ctrl+c", "i x esc q y", "i x esc q ctrl+c"} {
		d := drive(t, busyHost)
		d.key(strings.Fields(keys)...)
		if !d.m.leaving {
			t.Errorf("%q does not leave", keys)
		}
		if d.frame.ProgramStatus != nil {
			t.Errorf("%q leaves a status behind", keys)
		}
	}
	for _, keys := range []string{"i q", "? q", "n q", "i x esc q", "i x esc q n", "i x esc q enter", "i x esc q esc", "i x esc q q"} {
		d := drive(t, busyHost)
		d.key(strings.Fields(keys)...)
		if d.m.leaving {
			t.Errorf("%q leaves", keys)
		}
	}
}

// TestMoves: the keys that move do so in what has the keyboard.
func TestMoves(t *testing.T) {
	t.Parallel()
	many := func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		for i := range 100 {
			h.sessions = append(h.sessions, summary(protocol.URI("copilot:/"+string(rune('α'+i))), "more", protocol.StatusIdle, time.Duration(i+40)*time.Hour))
		}
		return h
	}
	d := drive(t, many)
	at := func() int { return d.m.catalogue.entries[d.m.sessions.Selected()].place }
	for _, tt := range []struct {
		key  string
		want int
	}{{"home", 0}, {"j", 1}, {"down", 2}, {"k", 1}, {"pgdown", 14}, {"ctrl+d", 21}, {"ctrl+u", 14}, {"pgup", 1}, {"G", 102}, {"home", 0}, {"end", 102}} {
		d.key(tt.key)
		if at() != tt.want {
			t.Fatalf("after %s the selection is %d, want %d", tt.key, at(), tt.want)
		}
	}
	d.key("i", "pgup", "pgdown") // in the chat
	d.focused(keymap.Composer)
	d.send(tea.KeyReleaseMsg{Code: 'q', Text: "q"})
	if d.m.leaving {
		t.Error("letting a key go leaves")
	}
}

// TestHelp names every key, and why some do nothing now.
func TestHelp(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 400}, busyHost)
	d.key("?")
	for _, b := range d.m.keys.Help(keymap.Everywhere) {
		for _, binding := range b.Bindings {
			d.sees(strings.Fields(binding.Long)[0], binding.Label(false))
		}
	}
	d.sees("nothing waits for you")
}

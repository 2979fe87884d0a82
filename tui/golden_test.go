package tui

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/exp/golden"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/status"
	"ahptui/views/viewtest"
)

// hostOptions are a host's own answers.
func hostOptions() []*protocol.ConfirmationOption {
	return []*protocol.ConfirmationOption{
		{ID: "once", Label: "Allow once", Kind: "approve"},
		{ID: "always", Label: "Allow in this session", Kind: "approve"},
		{ID: "no", Label: "Deny", Kind: "deny", Group: ptr(2.0)},
	}
}

// scenes are what the golden screens show.
var scenes = []struct {
	name string
	host func(now func() time.Time) *fakeHost // nil: the start screen
	play func(d *driver)
}{
	{"opening", func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		h.conn = ahpclient.Connection{Phase: ahpclient.Connecting}
		h.listed, h.root = false, nil
		return h
	}, func(*driver) {}},
	{"no sessions", newFakeHost, func(*driver) {}},
	{"sessions", busyHost, func(d *driver) {
		d.key("down")
		d.send(restMsg{d.m.resting.uri})
		d.look()
	}},
	{"confirmation", busyHost, func(d *driver) {
		d.host.ask("c1", `{"text":"carry return_to in the state"}`)
		d.look()
		d.pass(75 * time.Second)
	}},
	{"options", busyHost, func(d *driver) {
		d.host.ask("c1", `{"text":"carry return_to in the state"}`, hostOptions()...)
		d.look()
	}},
	{"answered", busyHost, func(d *driver) {
		d.host.ask("c1", `{"text":"carry return_to in the state"}`)
		d.look()
		d.pass(time.Second)
		d.key("y")
	}},
	{"server pending", busyHost, func(d *driver) {
		d.key("shift+tab", "S")
	}},
	{"server rejected", busyHost, func(d *driver) {
		d.key("shift+tab", "S")
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "the plugin acme-tools does not let its servers be stopped"})
		d.look()
		d.pass(time.Second)
	}},
	{"server error", busyHost, func(d *driver) {
		d.key("shift+tab", "down", "down")
		d.pass(20 * time.Second) // clock takes too long
	}},
	{"server off", busyHost, func(d *driver) {
		d.key("shift+tab", "end", "s")
	}},
	{"server detail", busyHost, func(d *driver) {
		d.key("shift+tab", "down", "down", "enter")
	}},
	{"server states", allStatesHost, func(d *driver) {
		d.pass(20 * time.Second)
		d.key("shift+tab", "down")
	}},
	{"server past", busyHost, func(d *driver) {
		d.pass(time.Minute)
		d.host.actAs(byAnna, sessionA, &protocol.SessionMcpServerStopRequested{ID: "id-notes"})
		d.look()
		d.pass(5 * time.Second)
		d.key("shift+tab", "s")
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
		d.look()
		d.pass(2 * time.Second)
		d.host.act(sessionA, says("notes", &protocol.McpServerState{Kind: protocol.McpReady}))
		d.look()
		d.key("enter")
	}},
	{"server scopes", placedHost, func(d *driver) {
		d.host.ask("c1", "{}")
		d.look()
		d.m.setFocus(keymap.Servers)
		d.key("home", "e")
	}},
	{"server diagnosis", busyHost, func(d *driver) {
		d.key("shift+tab", "down", "down", "D")
	}},
	{"server late", busyHost, func(d *driver) {
		d.key("shift+tab", "S")
		d.pass(8 * time.Second)
	}},
	{"disconnected", busyHost, func(d *driver) {
		d.key("i")
		d.write("half a sentence")
		d.host.drop(errors.New("read 127.0.0.1:1: connection reset by peer"))
		d.look()
		d.pass(1200 * time.Millisecond)
	}},
	{"refused", busyHost, func(d *driver) {
		d.host.change(func() {
			d.host.conn.Phase, d.host.conn.Err = ahpclient.Failed, errors.New("the host refused the connection token")
			clear(d.host.open)
			d.host.sessions = nil
		})
		d.m.current = current{}
		d.look()
		d.key("R")
	}},
	{"composing", busyHost, func(d *driver) {
		d.key("i")
		d.write("a first line that is rather long for a narrow terminal")
		d.key("ctrl+j")
		d.write("and a second")
	}},
	{"writing", busyHost, func(d *driver) {
		d.key("i")
		d.write("compare @notes.txt with @src/")
		for name, size := range map[string]int{"notes.txt": 812, "a picture of the login page.png": 1 << 20} {
			file := attachment{MessageAttachment: &protocol.MessageAttachment{Type: protocol.AttachmentEmbedded, Label: name}, path: "/" + name, size: size}
			if name == "notes.txt" {
				file.word = "@notes.txt"
			}
			d.send(attachedMsg{place: chatA, name: name, file: file})
		}
		slices.SortFunc(d.m.writing.files, func(a, b attachment) int { return a.size - b.size })
		d.key("tab")
		var choices []choice
		for _, name := range []string{"@src/callback.go", "@src/callback_test.go", "@src/session/"} {
			choices = append(choices, choice{Completion: ahpclient.Completion{CompletionItem: &protocol.CompletionItem{
				InsertText: name, Attachment: &protocol.MessageAttachment{DisplayKind: "document"},
			}}})
		}
		d.send(choicesMsg{n: d.m.writing.completing.n, choices: choices})
		d.key("down")
	}},
	{"queue", busyHost, func(d *driver) {
		d.host.act(chatA, &protocol.ChatPendingMessageSet{Kind: protocol.PendingSteering, ID: "s", Message: protocol.UserMessage("keep the tests as they are")})
		d.queue("the docs as well", "and the changelog")
		d.selectWaiting("the docs as well")
	}},
	{"attach", busyHost, func(d *driver) {
		d.key("i", "ctrl+o")
		d.write("notes/fi")
		form := d.m.overlays[0].(*attachForm)
		d.send(pathsMsg{form: form, typed: "notes/fi", paths: []string{"notes/fiction.txt", "notes/first.txt", "notes/finals/"}})
	}},
	{"help", busyHost, func(d *driver) { d.key("?") }},
	{"palette", busyHost, func(d *driver) { d.key(":") }},
	{"palette narrowed", busyHost, func(d *driver) {
		d.key("ctrl+p")
		d.write("stop")
	}},
	{"blocks", busyHost, func(d *driver) {
		d.host.ask("c1", `{"text":"carry return_to in the state"}`)
		d.look()
		d.pass(75 * time.Second)
		d.key("A")
	}},
	{"no blocks", newFakeHost, func(d *driver) { d.key("A") }},
	{"new session", busyHost, func(d *driver) { d.key("n") }},
	{"new session refused", busyHost, func(d *driver) {
		d.key("n", "tab", "ctrl+u")
		d.write("app")
		d.key("enter")
	}},
	{"new session offered", configurableHost, func(d *driver) {
		d.key("n")
		form, _ := d.m.top().(*sessionForm)
		d.send(offerMsg{pausedMsg: pausedMsg{form, form.number}, provider: "copilot", config: &protocol.Config{Schema: protocol.Raw(configSchema)}})
		d.key("tab", "tab", "tab", "tab", "tab")
		d.write("deep")
		d.key("enter")
	}},
	{"filter", variedHost, func(d *driver) {
		d.key("/")
		d.write("log !docs")
	}},
	{"filter kept", variedHost, func(d *driver) {
		d.key("s", "/")
		d.write("!login")
		d.key("enter")
		d.pass(10 * time.Second)
	}},
	{"groups", variedHost, func(d *driver) {
		d.key("b", "b", "v")
		d.pass(10 * time.Second)
	}},
	{"rename refused", busyHost, func(d *driver) {
		d.m.show(sessionB)
		d.look()
		d.key("e")
		d.write("!")
		d.key("enter")
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "titles are kept by policy"})
		d.look()
		d.key("e")
	}},
	{"dispose", busyHost, func(d *driver) { d.key("D") }},
	{"chats", chattyHost, func(d *driver) { d.key("C") }},
	{"leaving", busyHost, func(d *driver) {
		d.key("i")
		d.write("not sent")
		d.key("esc", "q")
	}},
	{"start", nil, func(*driver) {}},
	{"start failed", nil, func(d *driver) {
		d.key("tab")
		d.write("ws://127.0.0.1:1")
		start := d.m.overlays[0].(*startScreen)
		start.attempt = &attempt{cancel: func() {}}
		d.send(connectedMsg{start: start, attempt: start.attempt, err: errors.New("dial 127.0.0.1:1: connection refused")})
	}},
}

// TestScreens compares whole screens with those that were looked at once. The
// sizes are the smallest that is of use, the classic one, and two large ones.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		for _, size := range []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 200, Height: 60}} {
			for _, look := range []struct {
				name  string
				theme func(testing.TB) themes.Theme
				text  func(string) string
			}{{"plain", viewtest.Plain, viewtest.Text}, {"colour", viewtest.Colour, func(s string) string { return s + "\n" }}} {
				t.Run(fmt.Sprintf("%s/%dx%d-%s", scene.name, size.Width, size.Height, look.name), func(t *testing.T) {
					t.Parallel()
					d := newDriver(t, look.theme(t), size, scene.host)
					scene.play(d)
					viewtest.Check(t, d.frame.Content, size.Width, size.Height)
					golden.RequireEqual(t, look.text(d.frame.Content))
				})
			}
		}
	}
}

// TestThemes compares a screen with most of what there is to see on it in every
// theme, on both backgrounds, and with the colours that terminals may have.
func TestThemes(t *testing.T) {
	t.Parallel()
	for _, name := range themes.Names() {
		for look, o := range map[string]themes.Options{
			"dark": {Dark: true, Profile: colorprofile.TrueColor}, "light": {Profile: colorprofile.TrueColor},
			"16": {Dark: true, Profile: colorprofile.ANSI}, "ascii": {Dark: true, Profile: colorprofile.TrueColor, ASCII: true},
		} {
			t.Run(name+"/"+look, func(t *testing.T) {
				t.Parallel()
				theme, err := themes.New(name, o)
				if err != nil {
					t.Fatal(err)
				}
				d := newDriver(t, theme, viewtest.Size{Width: 120, Height: 30}, busyHost)
				d.host.ask("c1", `{"text":"carry return_to in the state"}`, hostOptions()...)
				d.look()
				d.pass(75 * time.Second)
				d.key("shift+tab", "S", "tab")
				d.m.tell(status.Problem, "the host did not answer")
				d.m.tell(status.Warning, "it took long")
				d.look()
				viewtest.Check(t, d.frame.Content, 120, 30)
				golden.RequireEqual(t, d.frame.Content+"\n")
			})
		}
	}
}

// TestSizes: there is a screen of every size, wherever the keyboard is.
func TestSizes(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			t.Parallel()
			for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.ASCII(t)} {
				d := newDriver(t, theme, classic, scene.host)
				scene.play(d)
				d.checkSizes()
				d.key("tab")
				d.checkSizes()
			}
		})
	}
}

// checkSizes resizes the screen to many sizes and checks each.
func (d *driver) checkSizes() {
	d.t.Helper()
	for _, size := range viewtest.Sizes() {
		d.send(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
		viewtest.Check(d.t, d.frame.Content, size.Width, size.Height)
		if c := d.frame.Cursor; c != nil && (c.X < 0 || c.X >= size.Width || c.Y < 0 || c.Y >= size.Height) {
			d.t.Errorf("the cursor is at %d, %d of %v", c.X, c.Y, size)
		}
	}
}

// TestBlockedBadge: what waits for a person shows in forty columns.
func TestBlockedBadge(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 40, Height: 12}, busyHost)
	d.host.ask("c1", "{}")
	d.look()
	for _, panel := range []keymap.Context{keymap.Transcript, keymap.Servers, keymap.Sessions} {
		d.focused(panel)
		d.sees("1 blocked")
		d.key("tab")
	}
	d.key("i")
	d.sees("1 blocked")
	d.host.drop(errors.New("a long story about what happened to the network between here and there"))
	d.look()
	d.sees("1 blocked")
}

package tui

import (
	"strings"
	"testing"
	"time"

	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// The palette finds a command by letters of its name, and does it in the panel that it belongs to.
func TestPaletteRuns(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 30}, busyHost)
	d.key(":")
	d.write("stop the sel")
	d.key("enter")
	if len(d.m.overlays) != 0 || d.m.focus != keymap.Servers {
		t.Fatalf("%d windows, focus %v", len(d.m.overlays), d.m.focus)
	}
	if r := d.host.last(); r == nil || r.Action.ActionType() != (&protocol.SessionMcpServerStopRequested{}).ActionType() {
		t.Errorf("asked %+v", r)
	}
}

// What cannot be done now is not done, and the palette says why.
func TestPaletteSaysWhyNot(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 30}, busyHost)
	d.key("ctrl+p")
	d.write("next thing that waits")
	d.key("enter")
	if screen := viewtest.Text(d.frame.Content); !strings.Contains(screen, "nothing waits for you") || len(d.m.overlays) != 1 {
		t.Errorf("%d windows:\n%s", len(d.m.overlays), screen)
	}
	d.key("esc")
	if len(d.m.overlays) != 0 || d.host.count() != 0 {
		t.Errorf("%d windows, %d requests", len(d.m.overlays), d.host.count())
	}
}

// Everything that a key does in the panels is in the palette, and nothing else.
func TestPaletteIsComplete(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 30}, busyHost)
	listed := map[string]bool{}
	for _, item := range d.m.paletteInput().Items {
		if listed[item.ID] {
			t.Errorf("%s is listed twice", item.ID)
		}
		listed[item.ID] = true
	}
	for _, section := range d.m.keys.Help(keymap.Panels | keymap.Composer) {
		for _, b := range section.Bindings {
			if want := b.ID != keymap.Palette && b.ID != keymap.AppInterrupt; listed[string(b.ID)] != want {
				t.Errorf("%s is listed: %v", b.ID, listed[string(b.ID)])
			}
			if _, ok := d.m.commands[b.ID]; !ok && b.ID != keymap.AppInterrupt {
				t.Errorf("nothing is done for %s", b.ID)
			}
		}
	}
}

// A question that was hidden by the palette is not answered by it: it has to be read first.
func TestPaletteDoesNotApproveUnread(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 30}, busyHost)
	d.key("tab", ":")
	d.host.ask("c1", "{}")
	d.look()
	d.pass(5 * time.Second)
	d.write("let the selected")
	d.key("enter")
	if d.host.count() != 0 {
		t.Errorf("asked %+v", d.host.last().Action)
	}
}

// The list of what waits is in the order in which it began, and goes there.
func TestBlockList(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 100, Height: 30}, busyHost)
	d.host.ask("c1", "{}")
	d.look()
	d.pass(time.Minute)
	d.host.ask("c2", "{}")
	d.look()
	if list := d.m.blocks(); len(list) != 2 || list[0].ToolCall.ToolCallID != "c1" {
		t.Fatalf("%+v", list)
	}
	d.key("tab", "A", "down", "enter")
	if sel := d.m.transcript.Selected(); sel.ID != "c2" || len(d.m.overlays) != 0 {
		t.Errorf("selected %q, %d windows", sel.ID, len(d.m.overlays))
	}
	d.key("A")
	if screen := viewtest.Text(d.frame.Content); !strings.Contains(screen, "broken has failed") {
		t.Errorf("the server in error is not listed:\n%s", screen)
	}
}

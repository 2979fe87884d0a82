package tui

import (
	"testing"

	"ahptui/keymap"
	"ahptui/views/viewtest"
)

// A key that works elsewhere is told with the way there, whatever panel has the keys.
func TestWayTo(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 30}, busyHost)
	for _, from := range []keymap.Context{keymap.Sessions, keymap.Transcript, keymap.Servers} {
		for _, to := range []keymap.Context{keymap.Sessions, keymap.Transcript, keymap.Servers} {
			if from == to {
				continue
			}
			d.m.setFocus(from)
			d.key(d.m.keys.Binding(d.m.wayTo(to)).Keys[0])
			if d.m.focus != to {
				t.Errorf("from %v to %v it leads to %v", from, to, d.m.focus)
			}
		}
	}
	d.key("F")
	d.key(d.m.keys.Binding(d.m.wayTo(keymap.Transcript)).Keys[0])
	if d.m.focus != keymap.Transcript {
		t.Errorf("from the changes it leads to %v", d.m.focus)
	}
}

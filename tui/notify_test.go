package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/protocol"
)

// What begins to wait is told once, as the person has asked for it, and not more often than they can bear.
func TestNotify(t *testing.T) {
	t.Parallel()
	block := func(n int) []protocol.Block {
		var list []protocol.Block
		for i := range n {
			list = append(list, protocol.Block{ID: fmt.Sprint(i)})
		}
		return list
	}
	var c caller
	now := began
	told := func(n Notify, blocks []protocol.Block) string {
		cmd, _ := c.call(n, now, blocks)
		if cmd == nil {
			return ""
		}
		return fmt.Sprint(cmd().(tea.RawMsg).Msg)
	}
	all := Notify{Bell: true, Desktop: OSC777}
	for _, step := range []struct {
		name   string
		notify Notify
		blocks int
		after  time.Duration
		want   string
	}{
		{"what is there at first", all, 1, 0, ""},
		{"another", all, 2, time.Minute, "\x1b]777;notify;ahptui;2 things wait for you\x07\a"},
		{"the same", all, 2, time.Minute, ""},
		{"fewer", all, 1, time.Minute, ""},
		{"the second again", Notify{Desktop: OSC9}, 2, time.Minute, "\x1b]9;ahptui: 2 things wait for you\x07"},
		{"one more at once", all, 3, time.Second, ""},
		{"which is told when it is time", all, 3, 10 * time.Second, "\x1b]777;notify;ahptui;3 things wait for you\x07\a"},
		{"none", all, 0, time.Minute, ""},
		{"one", Notify{Bell: true}, 1, time.Minute, "\a"},
		{"nobody asked for it", Notify{}, 2, time.Minute, ""},
	} {
		now = now.Add(step.after)
		if got := told(step.notify, block(step.blocks)); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
}

// No text of a peer gets into a notification, and by default there is none.
func TestNotifyIsOurOwn(t *testing.T) {
	t.Parallel()
	for _, n := range []Notify{{}, {Bell: true}, {Desktop: OSC9}, {Desktop: OSC777}} {
		seq := n.sequence(3)
		if n == (Notify{}) && seq != "" || strings.Count(seq, "\x1b") > 1 {
			t.Errorf("%+v: %q", n, seq)
		}
	}
}

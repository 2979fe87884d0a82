package tui

import (
	"testing"
	"time"

	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// TestFrameCostIsFlat: what a frame costs does not depend on how much there is: neither a little more of an answer in a chat of
// any length or in a message of any length, nor a key beside any number of lines of output. Cost is what is allocated: every
// line that is cut, cleaned or drawn is.
func TestFrameCostIsFlat(t *testing.T) {
	const runs, slack = 20, 1.3
	start := func(host func(now func() time.Time) *fakeHost) *driver {
		return newDriver(t, viewtest.Colour(t), viewtest.Size{Width: 120, Height: 40}, host)
	}
	delta := func(d *driver) func() {
		return func() {
			d.host.act(chatA, more)
			d.look()
		}
	}
	answered := func(deltas int) *driver {
		d := start(withItems(10))
		for range deltas {
			d.host.states[chatA] = protocol.Reduce(d.host.profile(), d.host.states[chatA], more)
		}
		d.host.change(func() {})
		d.look()
		return d
	}
	unfolded := func(lines int) func() {
		d := start(withOutput(lines))
		d.key("tab")
		d.m.transcript.SelectCall("t1", "c1")
		d.key("enter")
		return func() { d.key("down", "pgdown", "up", "pgup") }
	}
	for _, tt := range []struct {
		name        string
		small, huge func()
	}{
		{"an answer in a chat of many items", delta(start(withItems(10))), delta(start(withItems(20_000)))},
		{"an answer of many pieces", delta(answered(1000)), delta(answered(50_000))},
		{"a key beside many lines of output", unfolded(1000), unfolded(200_000)},
	} {
		small, huge := testing.AllocsPerRun(runs, tt.small), testing.AllocsPerRun(runs, tt.huge)
		if huge > slack*small {
			t.Errorf("%s: %.0f allocations, %.0f where there is little", tt.name, huge, small)
		}
	}
}

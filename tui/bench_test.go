package tui

import (
	"fmt"
	"testing"
	"time"

	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// tenThousand is a host with ten thousand sessions, in one of which a long
// answer streams.
func tenThousand(now func() time.Time) *fakeHost {
	h := busyHost(now)
	for i := range 10_000 {
		h.sessions = append(h.sessions, summary(protocol.URI(fmt.Sprint("copilot:/s", i)), fmt.Sprint("session number ", i), protocol.StatusIdle, time.Duration(i)*time.Minute))
	}
	return h
}

// BenchmarkStream is a view with a little more of an answer, from the host to
// the screen.
func BenchmarkStream(b *testing.B) {
	for _, size := range []viewtest.Size{{Width: 80, Height: 24}, {Width: 200, Height: 60}} {
		b.Run(fmt.Sprintf("%dx%d", size.Width, size.Height), func(b *testing.B) {
			d := newDriver(b, viewtest.Colour(b), size, tenThousand)
			piece := &protocol.ChatDelta{TurnID: "t1", PartID: "p1", Content: protocol.NewText("and on it goes ")}
			b.ReportAllocs()
			for b.Loop() {
				d.host.act(chatA, piece)
				shot, _ := d.m.feed.latest()
				d.send(viewMsg{shot})
			}
		})
	}
}

// BenchmarkMove is a key in a list of ten thousand sessions.
func BenchmarkMove(b *testing.B) {
	d := newDriver(b, viewtest.Colour(b), viewtest.Size{Width: 200, Height: 60}, tenThousand)
	down, up := keyPress(b, "down"), keyPress(b, "up")
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			d.send(down)
		}
		for range 10 {
			d.send(up)
		}
	}
}

// BenchmarkListChanges is a session of ten thousand that changes.
func BenchmarkListChanges(b *testing.B) {
	d := newDriver(b, viewtest.Colour(b), viewtest.Size{Width: 200, Height: 60}, tenThousand)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		d.host.change(func() {
			list := append([]*protocol.SessionSummary(nil), d.host.sessions...)
			list[n%len(list)] = summary(list[n%len(list)].Resource, "changed", protocol.StatusIdle, 0)
			d.host.sessions = list
		})
		shot, _ := d.m.feed.latest()
		d.send(viewMsg{shot})
	}
}

// BenchmarkFilter is a letter of a filter in a list of ten thousand sessions, of which it leaves some, and the key that takes it
// away again.
func BenchmarkFilter(b *testing.B) {
	for _, word := range []string{"session", "!session", "sn99"} {
		b.Run(word, func(b *testing.B) {
			d := newDriver(b, viewtest.Colour(b), viewtest.Size{Width: 200, Height: 60}, tenThousand)
			d.key("/")
			back := keyPress(b, "backspace")
			b.ReportAllocs()
			for b.Loop() {
				for _, r := range word {
					d.send(keyPress(b, string(r)))
				}
				for range word {
					d.send(back)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(2*len(word)), "ns/key")
		})
	}
}

// TestMoveCost: a key, and a session that is open and changes, make nothing anew of the ten thousand sessions but what they
// are about.
func TestMoveCost(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 200, Height: 60}, tenThousand)
	d.m.listing = listing{Sort: byTitle, Group: byProvider, Filter: "session"}
	d.key("j")
	d.look()
	rows, all := &d.m.scene.sessions.Rows[0], &d.m.catalogue.all[0]
	for range 20 {
		d.key("j")
	}
	if &d.m.scene.sessions.Rows[0] != rows {
		t.Error("a key made the rows anew")
	}
	d.host.act(sessionA, &protocol.SessionActivityChanged{Activity: "thinking"})
	d.look()
	if &d.m.catalogue.all[0] != all {
		t.Error("a session that is open made the list be looked through")
	}
	d.host.change(func() {
		d.host.sessions = append([]*protocol.SessionSummary{summary("copilot:/s7", "session of old", protocol.StatusIdle, 0)}, d.host.sessions...)
	})
	made := d.m.catalogue.entries["copilot:/s5000"].row
	d.look()
	if d.m.catalogue.entries["copilot:/s5000"].row != made {
		t.Error("a summary that changed made another row anew")
	}
}

// TestStreamCost: while an answer streams, the ten thousand sessions beside it
// are not looked at.
func TestStreamCost(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 200, Height: 60}, tenThousand)
	rows := &d.m.scene.sessions.Rows[0]
	for range 100 {
		d.host.act(chatA, &protocol.ChatDelta{TurnID: "t1", PartID: "p1", Content: protocol.NewText("more ")})
		d.look()
	}
	if &d.m.scene.sessions.Rows[0] != rows {
		t.Error("the rows were made anew")
	}
}

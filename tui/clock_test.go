package tui

import (
	"errors"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

func TestAge(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lasted time.Duration
		words  string
		until  time.Duration
	}{
		{-time.Hour, "0 s", time.Second},
		{0, "0 s", time.Second},
		{999 * time.Millisecond, "0 s", time.Second},
		{time.Second, "1 s", 2 * time.Second},
		{59 * time.Second, "59 s", time.Minute},
		{time.Minute, "1 min", 2 * time.Minute},
		{59*time.Minute + 59*time.Second, "59 min", time.Hour},
		{time.Hour, "1 h", 2 * time.Hour},
		{47 * time.Hour, "47 h", 48 * time.Hour},
		{48 * time.Hour, "2 d", 72 * time.Hour},
	} {
		words, until := age(tt.lasted)
		if words.String() != tt.words || until != tt.until {
			t.Errorf("age(%v) = %q, %v, want %q, %v", tt.lasted, words, until, tt.words, tt.until)
		}
	}
}

func TestTook(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{0: "1 ms", 420 * time.Millisecond: "420 ms", 1500 * time.Millisecond: "1.5 s", 125 * time.Second: "2 min 5 s"} {
		if got := took(d).String(); got != want {
			t.Errorf("took(%v) = %q, want %q", d, got, want)
		}
	}
}

// TestNothingHappens: where nothing on the screen changes with time, nothing
// runs; where ages do, the program wakes up when one changes, and not before.
func TestNothingHappens(t *testing.T) {
	idle := func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		h.sessions = []*protocol.SessionSummary{
			{Resource: "x:/1", Title: "no date", Status: protocol.StatusIdle},
			{Resource: "x:/2", Title: "a date", Status: protocol.StatusIdle, ModifiedAt: protocol.FormatTime(now().Add(-3*time.Hour - 59*time.Minute))},
		}
		h.states["x:/1"] = &protocol.SessionState{Title: "no date", Lifecycle: protocol.LifecycleReady}
		return h
	}
	inBubble(t, viewtest.Size{Width: 200, Height: 60}, idle, func(t *testing.T, d *driver) {
		before := time.Now()
		if want := before.Add(time.Minute); !d.m.clock.next.Equal(want) {
			t.Fatalf("wakes at %v, want %v", d.m.clock.next.Sub(before), time.Minute)
		}
		for range 4 { // 4 h, 5 h, 6 h, 7 h
			d.send(<-d.answer)
		}
		if got, want := time.Since(before), 3*time.Hour+time.Minute; got != want {
			t.Errorf("four ticks in %v, want %v", got, want)
		}
	})
}

// TestTicks: seconds tick once a second, however many there are, and stop when
// they have become minutes.
func TestTicks(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 200, Height: 60}, busyHost, func(t *testing.T, d *driver) {
		d.host.act(chatA, &protocol.ChatTurnComplete{TurnID: "t1"})
		d.look()
		ticks := func(length time.Duration) int {
			n, end := 0, time.NewTimer(length)
			for {
				select {
				case msg := <-d.answer:
					if _, ok := msg.(tickMsg); ok {
						n++
					}
					d.take(msg)
				case <-end.C:
					return n
				}
			}
		}
		if n := ticks(30 * time.Second); n < 29 || n > 31 {
			t.Errorf("%d ticks in the first 30 s", n)
		}
		ticks(40 * time.Second)
		if n := ticks(10 * time.Minute); n < 10 || n > 50 {
			t.Errorf("%d ticks in ten minutes", n)
		}
	})
}

// TestCountdown: the time to the next attempt counts down by the second.
func TestCountdown(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, newFakeHost)
	d.host.drop(errors.New("x"))
	d.look()
	for _, want := range []string{"in 3 s", "in 2 s", "in 1 s"} {
		d.sees(want)
		if wake := d.m.clock.next.Sub(d.clock); wake > time.Second {
			t.Errorf("at %q the next look is in %v", want, wake)
		}
		d.pass(time.Second)
	}
	d.lacks(" s:")
}

// TestSlowStart: a server that takes too long says so when it does.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.pass(slowAfter)
	d.lacks("no answer")
	d.pass(time.Second)
	d.sees("no answer")
}

// TestCallTimes: how long a call ran is told, if it was seen running.
func TestCallTimes(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.ask("c1", "{}")
	d.look()
	d.pass(time.Second)
	d.key("y")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.pass(420 * time.Millisecond)
	d.host.act(chatA, &protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c1", Result: &protocol.ToolResult{Success: true, PastTenseMessage: protocol.Plain("Added")}}, &protocol.ChatTurnComplete{TurnID: "t1"})
	d.look()
	d.sees("420 ms")
	d.visit(sessionB)
	d.visit(sessionA)
	d.lacks("420 ms") // it is not kept for ever
}

// TestOvertaken: a view that was overtaken is left alone.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	old, _ := d.m.feed.latest()
	d.key("shift+tab", "S")
	d.sees("not confirmed yet")
	d.send(viewMsg{old})
	d.sees("not confirmed yet")
}

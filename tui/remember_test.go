package tui

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/config"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// remembering is a driver on the busy host that remembers in a directory, as it is when the program starts.
func remembering(d *driver, dir string) {
	d.m.opts.Memory = config.MemoryIn(dir)
	d.m.opts.Remembered, _ = d.m.opts.Memory.Load()
	d.m.conn.KeepAs = "ws:127.0.0.1:1"
	d.m.current = current{}
	d.m.recall()
	d.look()
}

// remembered is what is in the file.
func remembered(t *testing.T, dir string) config.State {
	t.Helper()
	s, err := config.MemoryIn(dir).Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLookIsRemembered: the widths and the session are written down once they have stood still, and the next program has
// them.
func TestLookIsRemembered(t *testing.T) {
	dir := t.TempDir()
	var chosen protocol.URI
	inBubble(t, classic, busyHost, func(t *testing.T, d *driver) {
		remembering(d, dir)
		d.key("down", "down")
		d.pass(time.Second)
		chosen = d.m.current.session
		d.key("+", "+")
		d.pass(rememberAfter - time.Second/2)
		if s := remembered(t, dir); s.Sessions != 0 {
			t.Errorf("it was written down at once: %+v", s)
		}
		d.pass(time.Second)
		s := remembered(t, dir)
		if s.Sessions == 0 || protocol.URI(s.Session("ws:127.0.0.1:1")) != chosen || chosen == sessionA {
			t.Errorf("the session is %s, remembered are %+v", chosen, s)
		}
		wide := d.m.scene.size.sessions

		next := newDriver(t, viewtest.Plain(t), classic, busyHost)
		remembering(next, dir)
		if next.m.current.session != chosen || next.m.scene.size.sessions != wide {
			t.Errorf("the next one has %s and %d columns, want %s and %d", next.m.current.session, next.m.scene.size.sessions, chosen, wide)
		}
	})
}

// TestListingIsRemembered: the next program shows the sessions that this one showed, in its order.
func TestListingIsRemembered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDriver(t, viewtest.Plain(t), classic, busyHost)
	remembering(d, dir)
	d.key("/")
	d.write("!triage")
	d.key("enter", "s", "s", "b", "v")
	d.lacks("Nightly triage")
	d.m.rememberAll()
	next := newDriver(t, viewtest.Plain(t), classic, busyHost)
	next.sees("Nightly triage")
	remembering(next, dir)
	next.lacks("Nightly triage")
	if next.m.listing != d.m.listing || next.m.listing.Sort == "" || next.m.listing.Group == "" || !next.m.listing.Archived {
		t.Errorf("it is %+v, want %+v", next.m.listing, d.m.listing)
	}
}

// TestWhatWaitsComesFirst: what was on the screen last gives way to what waits, and to being gone.
func TestWhatWaitsComesFirst(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		host func(now func() time.Time) *fakeHost
		last protocol.URI
	}{"something waits": {func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		h.sessions[0] = summary(sessionA, "Fix the login bug", protocol.StatusInputNeeded, 20*time.Second)
		return h
	}, sessionB}, "it is gone": {busyHost, "ahp:/sessions/gone"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := config.MemoryIn(dir).Change(func(s *config.State) { s.SetSession("ws:127.0.0.1:1", string(tt.last), began) }); err != nil {
				t.Fatal(err)
			}
			d := newDriver(t, viewtest.Plain(t), classic, tt.host)
			remembering(d, dir)
			if d.m.current.session != sessionA {
				t.Errorf("it opens with %s", d.m.current.session)
			}
		})
	}
}

// TestLastSteps: what there was no time for is written down at the end, and what another program has written stays.
func TestLastSteps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := newDriver(t, viewtest.Plain(t), classic, busyHost)
	remembering(d, dir)
	if err := config.MemoryIn(dir).Change(func(s *config.State) {
		s.SetSession("ws:other:1", "ahp:/other", began)
		s.Servers = 0.4
	}); err != nil {
		t.Fatal(err)
	}
	d.m.rememberAll()
	if s := remembered(t, dir); s.Session("ws:other:1") == "" || s.Session("ws:127.0.0.1:1") != string(sessionA) || s.Servers != 0.4 {
		t.Errorf("remembered are %+v", s)
	}
}

// TestNothingToRememberIn: it is told once, and all else works.
func TestNothingToRememberIn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inBubble(t, viewtest.Size{Width: 120, Height: 40}, busyHost, func(t *testing.T, d *driver) {
		remembering(d, dir)
		d.key("+")
		d.pass(rememberAfter + time.Second)
		d.sees("the look of the screen is not remembered")
		d.pass(time.Minute)
		d.key("+")
		d.pass(rememberAfter + time.Second)
		d.lacks("is not remembered")
	})
}

// TestNothingIsWrittenForNothing: a program that is only looked at remembers once, and looks no more.
func TestNothingIsWrittenForNothing(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, busyHost)
	remembering(d, t.TempDir())
	before := d.m.memory.waiting
	d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	d.pass(time.Hour)
	if d.m.memory.waiting != before {
		t.Errorf("there is something new to remember: %+v", d.m.memory.waiting)
	}
}

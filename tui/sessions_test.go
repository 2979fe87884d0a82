package tui

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// TestOpensWith: what waits, else what works, else the newest; nothing archived.
func TestOpensWith(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		list []protocol.Status
		want int
	}{
		{"the newest", []protocol.Status{protocol.StatusIdle, protocol.StatusError}, 0},
		{"what works", []protocol.Status{protocol.StatusIdle, protocol.StatusInProgress}, 1},
		{"what waits", []protocol.Status{protocol.StatusInProgress, protocol.StatusIdle, protocol.StatusInputNeeded}, 2},
		{"nothing archived", []protocol.Status{protocol.StatusInputNeeded | protocol.StatusArchived, protocol.StatusIdle}, 1},
	} {
		d := drive(t, func(now func() time.Time) *fakeHost {
			h := newFakeHost(now)
			for i, s := range tt.list {
				h.sessions = append(h.sessions, summary(protocol.URI(fmt.Sprint("x:/", i)), "x", s, time.Hour))
			}
			return h
		})
		if want := d.host.sessions[tt.want].Resource; d.m.current.session != want {
			t.Errorf("%s: opened with %s, want %s", tt.name, d.m.current.session, want)
		}
	}
}

// TestBusySessionsAreWatched, up to a bound, so that what blocks them is known.
func TestBusySessionsAreWatched(t *testing.T) {
	t.Parallel()
	d := drive(t, func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		for i := range 100 {
			h.sessions = append(h.sessions, summary(protocol.URI(fmt.Sprint("x:/", i)), "x", protocol.StatusInProgress, time.Hour))
		}
		return h
	})
	if n := len(d.host.open) - 1; n != maxWatched {
		t.Errorf("%d sessions are open, want %d", n, maxWatched)
	}
}

// TestOpenedChannelsAreBounded: what was looked at long ago is closed, what is
// on the screen is not.
func TestOpenedChannelsAreBounded(t *testing.T) {
	t.Parallel()
	d := drive(t, func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		for i := range 200 {
			uri := protocol.URI(fmt.Sprint("x:/", i))
			h.sessions = append(h.sessions, summary(uri, "x", protocol.StatusIdle, time.Duration(i)*time.Hour))
			h.states[uri] = &protocol.SessionState{Title: "x", Lifecycle: protocol.LifecycleReady, DefaultChat: "chat:" + uri, Chats: []*protocol.ChatSummary{{Resource: "chat:" + uri}}}
			h.states["chat:"+uri] = &protocol.ChatState{Resource: "chat:" + uri}
		}
		return h
	})
	for _, s := range d.host.sessions {
		d.m.show(s.Resource)
		d.look()
	}
	if n := len(d.host.open); n > maxOpened+1 {
		t.Errorf("%d channels are open", n)
	}
	if d.host.open[d.m.current.session] == nil || d.host.open[d.m.current.chat] == nil {
		t.Error("what is on the screen was closed")
	}
}

// TestRunningDownTheList opens only what the selection comes to rest on.
func TestRunningDownTheList(t *testing.T) {
	inBubble(t, classic, func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		for i := range 200 {
			h.sessions = append(h.sessions, summary(protocol.URI(fmt.Sprint("x:/", i)), fmt.Sprint("session ", i), protocol.StatusIdle, time.Hour))
		}
		return h
	}, func(t *testing.T, d *driver) {
		opened := len(d.host.opened)
		for range 100 {
			d.key("j")
			d.pass(30 * time.Millisecond)
		}
		if n := len(d.host.opened) - opened; n != 0 {
			t.Errorf("opened %d on the way", n)
		}
		d.pass(rest)
		if n := len(d.host.opened) - opened; n != 1 || d.m.current.session != "x:/100" {
			t.Errorf("opened %d, on the screen is %s", n, d.m.current.session)
		}
		d.key("j", "i") // a key that is about the session does not wait
		d.focused(keymap.Composer)
		if d.m.current.session != "x:/101" {
			t.Errorf("writing to %s", d.m.current.session)
		}
	})
}

// TestNewSession: what is asked, where it leads, and what may go wrong.
func TestNewSession(t *testing.T) {
	inBubble(t, classic, busyHost, func(t *testing.T, d *driver) {
		var provider string
		var dir protocol.URI
		made := make(chan error)
		d.host.create = func(_ context.Context, p string, u protocol.URI) (protocol.URI, error) {
			provider, dir = p, u
			if err := <-made; err != nil {
				return "", err
			}
			d.host.change(func() {
				d.host.states["copilot:/new"] = &protocol.SessionState{
					Provider: "copilot", Lifecycle: protocol.LifecycleCreating, DefaultChat: "ahp-chat:/new", Chats: []*protocol.ChatSummary{{Resource: "ahp-chat:/new"}},
				}
				d.host.states["ahp-chat:/new"] = &protocol.ChatState{Resource: "ahp-chat:/new"}
				d.host.open["copilot:/new"] = &fakeChannel{kind: protocol.SessionKind}
			})
			return "copilot:/new", nil
		}
		d.key("n", "down", "tab", "ctrl+u")
		d.write("nowhere")
		d.key("enter")
		d.sees("a directory has to begin with /", "nowhere")
		d.key("home", "/", "enter")
		d.lacks("a directory has to")
		d.key("enter", "enter") // it is being asked already
		made <- errors.New("the host refused: no such directory")
		d.settle()
		d.sees("the host refused: no such directory", "/nowhere")
		d.key("enter")
		made <- nil
		d.settle()
		if provider != "other" || dir != "file:///nowhere" {
			t.Errorf("asked for %q in %q", provider, dir)
		}
		d.focused(keymap.Composer)
		d.look()
		d.sees("new session", "nothing was said yet")
		d.write("hello")
		d.key("enter")
		asks[*protocol.ChatTurnStarted](d, 0)
		d.host.act("copilot:/new", &protocol.SessionCreationFailed{Error: &protocol.ErrorInfo{Message: "no quota left"}})
		d.host.change(func() { d.host.states["ahp-chat:/new"] = &protocol.ChatState{Resource: "ahp-chat:/new"} })
		d.look()
		d.key("esc")
		if !d.m.catalogue.entries["copilot:/new"].row.Failed {
			t.Error("the list does not show that it failed")
		}
	})
}

// TestNewSessionInTheBackground: who closes the form is told, and left where
// they are.
func TestNewSessionInTheBackground(t *testing.T) {
	inBubble(t, classic, busyHost, func(t *testing.T, d *driver) {
		for _, err := range []error{nil, errors.New("out of room")} {
			made := make(chan error)
			d.host.create = func(context.Context, string, protocol.URI) (protocol.URI, error) { return "copilot:/new", <-made }
			d.key("n", "enter", "esc", "tab")
			at := d.m.focus
			made <- err
			d.settle()
			d.focused(at)
			if err == nil {
				d.sees("the session was made")
			} else {
				d.sees("the session was not made: out of room")
			}
			d.key("shift+tab")
		}
	})
}

// TestNewSessionOffline: the form keeps what was typed.
func TestNewSessionOffline(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	d.key("n")
	d.host.drop(errors.New("gone"))
	d.look()
	d.key("enter")
	d.sees("/home/u/app", "not connected to the host")
	d.focused(keymap.Form)
}

// TestProvidersArrive in a form that is open already.
func TestProvidersArrive(t *testing.T) {
	t.Parallel()
	d := drive(t, busyHost)
	root := d.host.root
	d.host.change(func() { d.host.root = nil })
	d.look()
	d.key("n")
	d.sees("the host offers nothing to make a session with")
	d.host.change(func() { d.host.root = root })
	d.host.root = root
	d.look()
	d.sees("Copilot")
}

// TestStartScreen leads to a host, says what went wrong, and can be left.
func TestStartScreen(t *testing.T) {
	inBubble(t, classic, nil, func(t *testing.T, d *driver) {
		var url string
		fail, closed := errors.New("dial ws://x: refused"), 0
		d.m.opts.Connect = func(ctx context.Context, u string) (*Connection, error) {
			if url = u; fail != nil {
				return nil, fail
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		host := busyHost(time.Now)
		d.m.opts.StartDemo = func(context.Context) (*Connection, error) {
			return &Connection{Host: host, Name: "demo", Close: func() { closed++ }}, nil
		}
		d.key("?")
		d.focused(keymap.Overlay)
		d.key("esc", "tab")
		d.write("ws://x")
		d.key("enter")
		d.sees("dial ws://x: refused", "ws://x")
		if url != "ws://x" {
			t.Errorf("connected to %q", url)
		}
		fail = nil
		d.key("enter")
		d.sees("connecting")
		d.key("esc") // gives up the attempt, not the program
		d.lacks("connecting")
		if d.quit {
			t.Fatal("the program has ended")
		}
		d.key("tab", "enter")
		d.pass(time.Second)
		d.sees("Fix the login bug", "test-host")
		if d.m.touched {
			t.Error("the keys of the start screen count as keys of the panels")
		}
		d.m.link.stop(nil)
		d.m.link.close()
		if closed != 1 {
			t.Errorf("the connection was closed %d times", closed)
		}
	})
}

// TestStartGivenUp: a host that arrives too late is sent away.
func TestStartGivenUp(t *testing.T) {
	inBubble(t, classic, nil, func(t *testing.T, d *driver) {
		come, closed := make(chan struct{}), 0
		d.m.opts.StartDemo = func(context.Context) (*Connection, error) {
			<-come
			return &Connection{Host: busyHost(time.Now), Close: func() { closed++ }}, nil
		}
		d.key("enter", "esc")
		close(come)
		d.settle()
		if closed != 1 || d.m.conn != nil {
			t.Errorf("closed %d times, connected: %v", closed, d.m.conn != nil)
		}
		d.key("q")
		if !d.quit {
			t.Error("q does not leave the start screen")
		}
	})
}

// TestConnectionStates: each says what is so and what can be done.
func TestConnectionStates(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.drop(errors.New("reset by peer"))
	d.look()
	d.sees("reconnecting in 3 s", "the connection to the host was lost: reset by peer", "not up to date", "Fix the login bug")
	d.pass(time.Second)
	d.sees("reconnecting in 2 s")
	d.host.restore()
	d.look()
	d.sees("connected again; what is shown is what the host has")
	d.lacks("not up to date", "reconnecting")
	d.host.change(func() {
		d.host.notices = append(d.host.notices, ahpclient.Notice{At: d.clock.Add(1), Kind: ahpclient.NoticeGone, Channel: sessionB},
			ahpclient.Notice{At: d.clock.Add(2), Kind: ahpclient.NoticeAuth, Text: "https://api.example"})
	})
	d.look()
	d.sees("the host does not have “Update the docs” any more", "an agent needs a sign-in: https://api.example")
	d.pass(time.Minute)
	d.look()
	d.lacks("an agent needs")

	first := drive(t, func(now func() time.Time) *fakeHost {
		h := newFakeHost(now)
		h.listed, h.conn = false, ahpclient.Connection{Phase: ahpclient.Failed, Err: errors.New("the host refused the token")}
		return h
	})
	first.sees("disconnected", "the host refused the token", "when that is mended")
	first.m.conn.Retry = func() {}
	first.m.opts.Hint = func(error) string { return "pass another" }
	first.look()
	first.sees("the host refused the token; pass", "R tries again")
}

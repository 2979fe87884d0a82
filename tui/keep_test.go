package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/config"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// lives runs programs that end one after the other, each like one that was killed, and keep what is written in one place.
// Every one of them has a host of its own, made by host.
func lives(t *testing.T, host func(now func() time.Time) *fakeHost, each ...func(t *testing.T, d *driver)) {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	for _, life := range each {
		synctest.Test(t, func(t *testing.T) {
			<-time.After(time.Until(began))
			d := newLife(t, dir, host)
			life(t, d)
		})
	}
}

func newLife(t *testing.T, dir string, host func(now func() time.Time) *fakeHost) *driver {
	t.Helper()
	d := &driver{t: t, answer: make(chan tea.Msg, 1000), drafts: config.DraftsIn(dir)}
	d.start(viewtest.Plain(t), viewtest.Size{Width: 160, Height: 40}, host, time.Now)
	d.settle()
	return d
}

// kept is what is in the file, by chat.
func (d *driver) kept() map[string]string {
	d.t.Helper()
	list, err := d.drafts.Load(d.m.conn.KeepAs)
	if err != nil {
		d.t.Fatal(err)
	}
	texts := map[string]string{}
	for _, x := range list {
		texts[x.Chat] += x.Text
	}
	return texts
}

// TestKeep: what is written is on disk in half a second, also while more is typed all the time; the next program has it in its
// chat, and forgets it when it has arrived.
func TestKeep(t *testing.T) {
	lives(t, busyHost, func(t *testing.T, d *driver) {
		d.key("i")
		for range 100 {
			d.write("x")
			d.pass(10 * time.Millisecond)
		}
		if n := len(d.kept()[string(chatA)]); n < 50 || n > 100 {
			t.Errorf("%d of what was typed in a second are kept", n)
		}
		d.key("esc")
		d.visit(sessionB)
		d.key("i")
		d.write("to b")
		d.pass(saveAfter)
		if got := d.kept(); len(got[string(chatA)]) != 100 || got[string(chatB)] != "to b" {
			t.Errorf("kept is %q", got)
		}
	}, func(t *testing.T, d *driver) {
		d.holds(strings.Repeat("x", 100))
		d.sees("this was written before and not sent")
		d.visit(sessionB)
		d.holds("to b")
		d.key("i", "enter")
		d.holds("")
		d.pass(saveAfter)
		if got := d.kept(); got[string(chatB)] != "to b" {
			t.Errorf("what may not have arrived is not kept: %q", got)
		}
		d.host.settle(d.host.asked[0], ahpclient.Outcome{Kind: ahpclient.Accepted})
		d.look()
		d.pass(saveAfter)
		if got := d.kept(); len(got) != 1 || len(got[string(chatA)]) != 100 {
			t.Errorf("kept is %q", got)
		}
	}, func(_ *testing.T, d *driver) {
		d.holds(strings.Repeat("x", 100))
		d.key("i", "enter")
		d.visit(sessionB)
		d.holds("")
		d.pass(saveAfter)
	}, func(_ *testing.T, d *driver) { // it was killed before it was known whether the message has arrived
		d.holds(strings.Repeat("x", 100))
	})
}

// TestKeepArrived: what was sent right before the program was killed is not offered again if it has arrived.
func TestKeepArrived(t *testing.T) {
	id := ""
	lives(t, func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		if id != "" {
			h.states[chatA] = protocol.Reduce(h.profile(), h.states[chatA], protocol.QueueMessage(protocol.V0_9_0, id, protocol.UserMessage("sent")))
		}
		return h
	}, func(t *testing.T, d *driver) {
		d.key("i")
		d.write("sent")
		d.key("enter")
		id = asks[*protocol.ChatPendingMessageSet](d, 0).ID
		d.write("typed since")
		d.pass(saveAfter)
	}, func(_ *testing.T, d *driver) {
		d.holds("typed since")
		d.sees("the message had arrived after all")
	})
}

// TestKeepStray: what was written to a session that is gone is offered elsewhere.
func TestKeepStray(t *testing.T) {
	gone := false
	lives(t, func(now func() time.Time) *fakeHost {
		h := busyHost(now)
		if gone {
			h.sessions = h.sessions[1:]
			delete(h.states, sessionA)
		}
		return h
	}, func(_ *testing.T, d *driver) {
		d.key("i")
		d.write("to nobody")
		d.pass(saveAfter)
		gone = true
	}, func(_ *testing.T, d *driver) {
		d.key("i")
		d.holds("to nobody")
		d.sees("this was written before and not sent: send it here, or delete it")
	})
}

// TestKeepFiles: what goes with a message is kept, and read again; what is gone is told of.
func TestKeepFiles(t *testing.T) {
	dir := t.TempDir()
	stays, goes := filepath.Join(dir, "stays.txt"), filepath.Join(dir, "goes.txt")
	for _, path := range []string{stays, goes} {
		if err := os.WriteFile(path, []byte("some words"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lives(t, busyHost, func(t *testing.T, d *driver) {
		d.key("i")
		d.write("see ")
		for _, path := range []string{stays, goes} {
			d.paste("@" + path)
			d.settle()
			d.write(" ")
		}
		d.sees("[stays.txt 10 B]", "[goes.txt 10 B]")
		d.pass(saveAfter)
		if err := os.Remove(goes); err != nil {
			t.Fatal(err)
		}
	}, func(t *testing.T, d *driver) {
		d.sees("[stays.txt 10 B]", "does not go with what you wrote any more: there is no such file")
		d.lacks("[goes.txt")
		d.holds("see @" + stays + " @" + goes + " ")
		d.key("i", "enter")
		m := asks[*protocol.ChatPendingMessageSet](d, 0).Message
		if len(m.Attachments) != 1 || m.Attachments[0].Data != "c29tZSB3b3Jkcw==" || m.Attachments[0].Range == nil {
			t.Errorf("sent %+v", m.Attachments)
		}
	})
}

// TestLeaveKept: who leaves is not asked where what is written is kept.
func TestLeaveKept(t *testing.T) {
	lives(t, busyHost, func(t *testing.T, d *driver) {
		d.key("i")
		d.write("half")
		d.key("esc", "q")
		d.settle()
		if !d.quit || d.kept()[string(chatA)] != "half" {
			t.Errorf("left: %v, kept: %q\n%s", d.quit, d.kept(), d.screen())
		}
	}, func(t *testing.T, d *driver) {
		d.holds("half")
		d.key("q")
		d.settle()
		if !d.quit {
			t.Error("it did not leave")
		}
	}, func(t *testing.T, d *driver) { // what was typed a moment before the end is kept after it
		d.key("i")
		d.write(" more")
		d.key("ctrl+c")
		if err := d.m.flush(); err != nil || d.kept()[string(chatA)] != "half more" {
			t.Errorf("kept: %q, %v", d.kept(), err)
		}
	})
}

// TestLeaveNotKept: who leaves is asked where what is written cannot be kept, and told why.
func TestLeaveNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "drafts.json")
	const newer = `{"version":7,"drafts":[]}`
	if err := os.WriteFile(path, []byte(newer), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		<-time.After(time.Until(began))
		d := newLife(t, dir, busyHost)
		d.sees("what you write is not kept on disk", "written by a newer ahptui")
		d.key("i")
		d.write("half")
		d.pass(time.Minute)
		d.key("esc", "q")
		d.focused(keymap.Overlay)
		d.sees("Leave?", "It is lost", "It cannot be kept on disk")
		d.key("y")
		if !d.quit {
			t.Error("it did not leave")
		}
		if err := d.m.flush(); err != nil {
			t.Error(err)
		}
	})
	if got, err := os.ReadFile(path); err != nil || string(got) != newer {
		t.Errorf("the file has %q, %v", got, err)
	}
}

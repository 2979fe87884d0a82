package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// atDocs is a driver of a wide screen on which the docs session is selected and open.
func atDocs(t *testing.T) *driver {
	t.Helper()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.m.show(sessionB)
	d.look()
	return d
}

func (d *driver) refuses(reason string) {
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: reason})
	d.look()
}

// TestRename shows at once, is marked until the host has confirmed it, and keeps what was typed where the host refuses it.
func TestRename(t *testing.T) {
	t.Parallel()
	d := atDocs(t)
	d.key("e")
	d.sees("Rename a session", "Now: Update the docs")
	d.key("ctrl+u", "enter")
	d.focused(keymap.Form) // nothing is no title
	d.write("Write the guide")
	d.key("enter")
	if a := asks[*protocol.SessionTitleChanged](d, 0); a.Title != "Write the guide" || d.host.last().Channel != sessionB {
		t.Errorf("asked for %+v of %s", a, d.host.last().Channel)
	}
	d.sees("↻ Write the guide", "not confirmed yet")
	d.refuses("titles are kept by policy")
	d.sees("✖ Update the docs", "the host refused to rename", "titles are kept by policy")
	d.key("e")
	d.sees("Write the guide", "the host refused: titles are kept by policy")
	d.key("!", "enter")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.sees("● Write the guide!")
	d.lacks("✖ Update", "not confirmed yet")
	d.key("e", "enter") // as it is
	if n := d.host.count(); n != 2 {
		t.Errorf("%d requests for a title that is the same", n)
	}
}

// TestRenameKeepsWhatWasTyped where it is too long, or the connection is gone.
func TestRenameKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	d := atDocs(t)
	d.key("e", "ctrl+u")
	d.paste(strings.Repeat("x", maxTitle+1))
	d.key("enter")
	d.sees("1000 bytes at most")
	d.key("ctrl+u")
	d.write("short")
	d.host.drop(errors.New("gone"))
	d.look()
	d.key("enter")
	d.sees("short", "not connected")
	d.host.restore()
	d.look()
	d.host.refuse = errors.New("too much is unanswered")
	d.key("enter")
	d.focused(keymap.Form)
	d.sees("short")
	d.host.refuse = nil
	d.key("enter")
	d.focused(keymap.Sessions)
	asks[*protocol.SessionTitleChanged](d, 0)
}

// TestArchive: out of sight once the person goes elsewhere, and back with the same key.
func TestArchive(t *testing.T) {
	t.Parallel()
	d := atDocs(t)
	d.key("z")
	if a := asks[*protocol.SessionIsArchivedChanged](d, 0); !a.IsArchived {
		t.Error("asked to take it back")
	}
	d.sees("↻ Update the docs", "archived")
	d.refuses("it is being deleted")
	d.sees("✖ Update the docs", "it is being deleted")
	d.key("z")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.sees("Update the docs", "archived")
	d.key("z")
	if a := asks[*protocol.SessionIsArchivedChanged](d, 2); a.IsArchived {
		t.Error("archived it again")
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.key("z")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.m.show(sessionA)
	d.look()
	d.lists("Nightly Fix")
}

// TestMarkRead, of a session that is not open, too.
func TestMarkRead(t *testing.T) {
	t.Parallel()
	d := atDocs(t)
	d.key("m")
	if a := asks[*protocol.SessionIsReadChanged](d, 0); a.IsRead {
		t.Error("marked as read what is read")
	}
	d.sees("↻ *Update the docs", "unread")
	d.refuses("no")
	d.sees("✖ Update the docs")
	d.lacks("*Update")
	d.host.holdReads = true
	d.key("home") // it has no state
	d.sees("*Nightly triage")
	d.key("m")
	if a := asks[*protocol.SessionIsReadChanged](d, 1); !a.IsRead || d.host.last().Channel != sessionC {
		t.Errorf("asked for %+v of %s", a, d.host.last().Channel)
	}
	d.sees("↻ Nightly triage")
	d.lacks("*Nightly triage")
}

// TestOpeningMarksRead: once, when the person opens a session, and when a turn has ended before their eyes; never before
// they have pressed a key, and nobody hears of it.
func TestOpeningMarksRead(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, busyHost)
	d.host.holdReads = true
	d.look()
	if d.host.count() != 0 {
		t.Fatal("marked as read before anybody has looked")
	}
	d.key("tab")
	if a := asks[*protocol.SessionIsReadChanged](d, 0); !a.IsRead || d.host.last().Channel != sessionA {
		t.Errorf("asked for %+v", a)
	}
	d.lacks("↻", "*Fix")
	d.refuses("this host has no readers")
	d.lacks("no readers")
	d.sees("*Fix")
	d.key("tab", "tab", "tab")
	d.look()
	if d.host.count() != 1 {
		t.Error("asked again for what was refused")
	}
	d.host.act(chatA, &protocol.ChatTurnComplete{TurnID: "t1"})
	d.host.act(sessionA, &protocol.SessionChatUpdated{Chat: chatA, Changes: protocol.Raw(`{"status":1}`)})
	d.look()
	asks[*protocol.SessionIsReadChanged](d, 1)
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.key("tab", "tab", "m") // what the person says stays
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.key("tab", "tab", "tab")
	d.sees("*Fix")
	if d.host.count() != 3 {
		t.Errorf("%d requests", d.host.count())
	}
}

// TestListAndStateAgree: a flag is as it was told last, wherever that was.
func TestListAndStateAgree(t *testing.T) {
	t.Parallel()
	d := atDocs(t)
	d.lacks("*Update")
	d.host.change(func() {
		d.host.sessions = append([]*protocol.SessionSummary{summary(sessionB, "Update the docs", protocol.StatusIdle, time.Second)}, d.host.sessions[0], d.host.sessions[2])
	})
	d.look()
	d.sees("*Update") // the state does not say so
	d.host.act(sessionB, &protocol.SessionIsReadChanged{IsRead: false})
	d.look()
	d.sees("*Update")
	d.host.act(sessionB, &protocol.SessionIsReadChanged{IsRead: true})
	d.look()
	d.lacks("*Update") // the list does not say so
}

// TestWhyNotChange: what cannot work says why, and asks for nothing.
func TestWhyNotChange(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		prepare func(d *driver)
		want    string
		keys    string
	}{
		{"offline", func(d *driver) { d.host.drop(errors.New("gone")) }, "not connected to the host", "ezmD"},
		{"an old protocol", func(d *driver) { d.host.conn.Version = protocol.Version{Minor: 4} }, "protocol 0.4.0 cannot", "ezm"},
		{"gone", func(d *driver) { d.host.remove(sessionB) }, "the host does not have this session any more", "ezmD"},
		{"refused to open", func(d *driver) { d.host.open[sessionB].err = errors.New("no such agent") }, "does not open this session", "ezm"},
		{"being disposed of", func(d *driver) { d.m.disposing.ending = map[protocol.URI]bool{sessionB: true} }, "dispose of this session", "ezmD"},
		{"nothing there", func(d *driver) {
			d.host.change(func() { d.host.sessions = nil; clear(d.host.open) })
			d.m.current, d.m.keep = current{}, ""
		}, "no session is open", "ezmD"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := atDocs(t)
			tt.prepare(d)
			d.host.change(func() {})
			d.look()
			for _, key := range tt.keys {
				d.key(string(key))
				d.sees(tt.want)
				d.focused(keymap.Sessions)
			}
			if d.host.count() != 0 {
				t.Error("something was asked for")
			}
		})
	}
}

// TestDispose: only y deletes; the person is told what is lost, and goes on with the session beside it.
func TestDispose(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 120, Height: 40}, busyHost, func(t *testing.T, d *driver) {
		var asked []protocol.URI
		answer := make(chan error)
		d.host.dispose = func(_ context.Context, session protocol.URI) error {
			asked = append(asked, session)
			if err := <-answer; err != nil {
				return err
			}
			d.host.remove(session)
			return nil
		}
		d.m.show(sessionB)
		d.look()
		d.key("i")
		d.write("half a message")
		d.key("esc", "D")
		d.sees("Dispose of this session?", "Update the docs", "its chat", "cannot be undone", "What you wrote to it", "z archives it instead")
		d.paste("y")
		d.key("enter", "space", "esc")
		d.key("D", "n")
		if len(asked) != 0 {
			t.Fatal("deleted without a yes")
		}
		d.key("D", "y")
		d.sees("↻ Update the docs")
		d.key("D")
		d.sees("asked already")
		answer <- errors.New("the host refused: a turn is running")
		d.settle()
		d.sees("was not disposed of: the host refused: a turn is running", "✖ Update the docs")
		d.key("D", "y")
		d.lacks("✖ Update the docs")
		answer <- nil
		d.settle()
		synctest.Wait()
		d.look()
		d.sees("“Update the docs” is disposed of")
		d.lists("Nightly Fix")
		if d.m.current.session == sessionB || d.m.current.session == "" || len(asked) != 2 {
			t.Errorf("on the screen is %s, asked %v", d.m.current.session, asked)
		}
		d.key("i")
		d.sees("half a message")
	})
}

// TestDisposeOfWhatRuns says so.
func TestDisposeOfWhatRuns(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, busyHost)
	d.key("D")
	d.sees("“Fix the login bug”", "A turn is running in it")
	d.checkSizes()
}

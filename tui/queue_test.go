package tui

import (
	"slices"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/transcript"
)

// queue puts messages into the queue of chat A.
func (d *driver) queue(ids ...string) {
	for _, id := range ids {
		d.host.act(chatA, &protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: id, Message: protocol.UserMessage("say " + id)})
	}
	d.look()
}

// selectWaiting selects the message of an id that waits.
func (d *driver) selectWaiting(id string) {
	d.t.Helper()
	d.m.setFocus(keymap.Transcript)
	d.m.transcript.Deselect()
	for range 20 {
		d.key("up")
		if sel := d.m.transcript.Selected(); sel.Kind == transcript.Pending && sel.ID == id {
			return
		}
	}
	d.t.Fatalf("%s cannot be selected:\n%s", id, d.screen())
}

// TestUnqueue: a message that waits is removed by the key that cancels, which leaves the turn alone.
func TestUnqueue(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.host.act(chatA, &protocol.ChatPendingMessageSet{Kind: protocol.PendingSteering, ID: "s", Message: protocol.UserMessage("steer there")})
	d.queue("q1", "q2")
	d.selectWaiting("q1")
	d.key("x")
	if a := asks[*protocol.ChatPendingMessageRemoved](d, 0); a.ID != "q1" || a.Kind != protocol.PendingQueued {
		t.Errorf("asked for %+v", a)
	}
	d.lacks("say q1")
	d.sees("say q2")
	d.selectWaiting("s")
	d.key("x")
	if a := asks[*protocol.ChatPendingMessageRemoved](d, 1); a.ID != "s" || a.Kind != protocol.PendingSteering {
		t.Errorf("asked for %+v", a)
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "too late"})
	d.look()
	d.sees("steer there", "the host refused to remove the message: too late")
	d.m.transcript.Deselect()
	d.key("x") // now it is the turn
	asks[*protocol.ChatTurnCancelled](d, 2)
}

// TestTakeBack: a message that waits comes back into the composer, above what is there; if the host does not let it go, it is
// only where it was.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.queue("q1", "q2")
	d.key("i")
	d.write("mine")
	d.key("esc")
	d.selectWaiting("q2")
	d.key("u")
	if a := asks[*protocol.ChatPendingMessageRemoved](d, 0); a.ID != "q2" {
		t.Errorf("asked for %+v", a)
	}
	d.focused(keymap.Composer)
	d.holds("say q2\n\nmine")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "it is being taken"})
	d.look()
	d.holds("mine")
	d.sees("say q2")

	d.key("esc")
	d.m.transcript.Deselect()
	d.key("u")
	d.sees("select a message that waits for its turn first")
}

// TestReorder: the queue has the order that the person gives it, and the message stays selected.
func TestReorder(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.queue("q1", "q2", "q3")
	d.selectWaiting("q3")
	d.key("alt+down")
	d.sees("this message is the last already")
	d.key("alt+up")
	if a := asks[*protocol.ChatQueuedMessagesReordered](d, 0); !slices.Equal(a.Order, []string{"q1", "q3", "q2"}) {
		t.Errorf("the order is %q", a.Order)
	}
	d.key("alt+up", "alt+up")
	if a := asks[*protocol.ChatQueuedMessagesReordered](d, 1); !slices.Equal(a.Order, []string{"q3", "q1", "q2"}) {
		t.Errorf("the order is %q", a.Order)
	}
	if sel := d.m.transcript.Selected(); sel.ID != "q3" {
		t.Errorf("selected is %q", sel.ID)
	}
	d.sees("this message is the next already")
}

// TestSteer: a message goes into the turn that is running, one at a time; where none is running, it says what to do.
func TestSteer(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("rather so")
	d.key("ctrl+s")
	if a := asks[*protocol.ChatPendingMessageSet](d, 0); a.Kind != protocol.PendingSteering || a.Message.Text.String() != "rather so" {
		t.Errorf("asked for %+v", a)
	}
	d.holds("")
	d.write("or so")
	d.key("ctrl+s")
	d.sees("a steering message waits already", "u takes it back")
	d.holds("or so")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "no"})
	d.look()
	d.holds("rather so\n\nor so")
	d.key("esc")
	d.visit(sessionB)
	d.key("i")
	d.write("hello")
	d.key("ctrl+s")
	d.sees("no turn is running")
	d.holds("hello")
	for _, r := range d.host.asked[1:] {
		if _, ok := r.Action.(*protocol.ChatDraftChanged); !ok {
			t.Errorf("asked for %+v", r.Action)
		}
	}
}

// TestEscape: Esc leaves the composer; pressed twice in a row, wherever, it cancels the turn. What is written stays.
func TestEscape(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("kept")
	d.key("esc")
	d.focused(keymap.Sessions)
	d.sees("esc again right away cancels the turn")
	d.pass(twice + time.Millisecond)
	d.lacks("right away")
	d.key("esc")
	d.pass(twice / 2)
	d.key("j", "esc") // not in a row
	if n := d.host.count(); n != 0 {
		t.Fatalf("%d requests", n)
	}
	d.key("esc")
	if a := asks[*protocol.ChatTurnCancelled](d, 0); a.TurnID != "t1" {
		t.Errorf("cancelled %+v", a)
	}
	d.holds("kept")

	for _, panel := range []keymap.Context{keymap.Sessions, keymap.Transcript, keymap.Servers} {
		d := wide(t)
		d.m.setFocus(keymap.Composer)
		d.m.back = panel
		d.key("esc", "esc")
		asks[*protocol.ChatTurnCancelled](d, 0)
		d.focused(panel)
	}
	d = wide(t)
	d.key("?", "esc", "esc") // the first one closes a window
	d.visit(sessionB)
	d.key("esc", "esc") // no turn is running there
	if n := d.host.count(); n != 0 {
		t.Fatalf("%d requests", n)
	}
}

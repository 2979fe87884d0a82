package tui

import (
	"errors"
	"strings"
	"testing"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/composer"
	"ahptui/views/viewtest"
)

func wide(t *testing.T) *driver {
	t.Helper()
	return newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 160, Height: 40}, busyHost)
}

// visit goes to a session in the list.
func (d *driver) visit(session protocol.URI) {
	d.t.Helper()
	d.m.setFocus(keymap.Sessions)
	d.key("home")
	for range 20 {
		if d.m.sessions.Selected() == session {
			break
		}
		d.key("down")
	}
	d.send(restMsg{session})
	d.look()
	if d.m.current.session != session {
		d.t.Fatalf("on the screen is %s, not %s", d.m.current.session, session)
	}
}

// TestSend: a message starts a turn where none is running, and waits in the
// queue where one is.
func TestSend(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("next, please")
	d.key("enter")
	if a := asks[*protocol.ChatPendingMessageSet](d, 0); a.Kind != protocol.PendingQueued || a.Message.Text.String() != "next, please" || a.ID == "" {
		t.Errorf("dispatched %+v", a)
	}
	if d.m.composer.Value() != "" {
		t.Errorf("the composer has %q", d.m.composer.Value())
	}
	d.sees("next, please")
	d.visit(sessionB)
	d.key("i")
	d.write("first line")
	d.key("ctrl+j")
	d.write("second")
	d.key("enter")
	if a := asks[*protocol.ChatTurnStarted](d, 1); a.Message.Text.String() != "first line\nsecond" || a.StartedAt == "" || a.TurnID == "" {
		t.Errorf("dispatched %+v", a)
	}
	if d.host.last().Channel != chatB {
		t.Errorf("sent to %s", d.host.last().Channel)
	}
}

// TestDraftsStay: what is typed belongs to its chat.
func TestDraftsStay(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("for a")
	d.key("esc")
	d.visit(sessionB)
	d.lacks("for a")
	d.key("i")
	d.write("for b")
	d.key("esc")
	d.visit(sessionA)
	d.sees("for a")
	d.lacks("for b")
	d.visit(sessionB)
	d.sees("for b")
	d.key("i")
	for range len("for b") {
		d.key("backspace")
	}
	d.key("esc")
	d.visit(sessionA)
	d.visit(sessionB)
	d.lacks("for b")
}

// TestGivenBack: a message that was not taken, or may not have been, comes back,
// and nothing that was typed meanwhile is lost by it.
func TestGivenBack(t *testing.T) {
	t.Parallel()
	for _, kind := range []ahpclient.OutcomeKind{ahpclient.Rejected, ahpclient.Expired, ahpclient.Unknown} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			end := ahpclient.Outcome{Kind: kind, Reason: "no"}
			d := wide(t)
			d.key("i")
			d.write("uno")
			d.key("enter")
			d.host.settle(d.host.last(), end)
			d.look()
			if got := d.m.composer.Value(); got != "uno" {
				t.Errorf("the composer has %q", got)
			}

			d.key("enter") // once more, and something else is typed meanwhile
			d.write("second")
			d.host.settle(d.host.last(), end)
			d.look()
			if got := d.m.composer.Value(); got != "uno\n\nsecond" {
				t.Errorf("the composer has %q", got)
			}

			d.key("enter", "esc") // once more, and the person is elsewhere meanwhile
			d.visit(sessionB)
			d.host.settle(d.host.last(), end)
			d.look()
			d.lacks("uno")
			d.visit(sessionA)
			d.sees("uno", "second")
		})
	}
}

// TestNothingSentStays: what could not be sent at all is not touched.
func TestNothingSentStays(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("kept")
	d.host.refuse = errors.New("not connected")
	d.key("enter")
	d.sees("send the message: not connected", "kept")
}

// TestArrivedAfterAll: a message that was given back is taken away again if it
// turns out that it arrived, unless the person has changed it.
func TestArrivedAfterAll(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("once")
	d.key("enter")
	sent := d.host.last()
	d.host.settle(sent, ahpclient.Outcome{Kind: ahpclient.Unknown})
	d.look()
	if d.m.composer.Value() != "once" {
		t.Fatal("it was not given back")
	}
	d.host.act(chatA, sent.Action)
	d.look()
	d.sees("the message had arrived after all")
	if got := d.m.composer.Value(); got != "" {
		t.Errorf("the composer has %q", got)
	}

	d.write("twice")
	d.key("enter")
	sent = d.host.last()
	d.host.settle(sent, ahpclient.Outcome{Kind: ahpclient.Unknown})
	d.look()
	d.write(", changed")
	d.host.act(chatA, sent.Action)
	d.look()
	if got := d.m.composer.Value(); got != "twice, changed" {
		t.Errorf("the composer has %q", got)
	}

	// The state that came with the answer has it already.
	d.key("ctrl+u")
	d.write("thrice")
	d.key("enter")
	sent = d.host.last()
	d.host.change(func() {
		d.host.states[chatA] = protocol.Reduce(d.host.profile(), d.host.states[chatA], sent.Action)
		d.host.open[chatA].pending = nil
		sent.settle(ahpclient.Outcome{Kind: ahpclient.Unknown})
	})
	d.look()
	if got := d.m.composer.Value(); got != "" {
		t.Errorf("the composer has %q", got)
	}
}

// TestSessionGoes: a session that is taken away stays on the screen, and what
// was written to it is offered where something is written next.
func TestSessionGoes(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("to nobody")
	d.host.remove(sessionA)
	d.look()
	d.focused(keymap.Composer)
	d.sees("Fix the login bug", "the host does not have this session any more", "to nobody")
	d.key("enter")
	if d.host.count() != 0 {
		t.Fatal("it was sent")
	}
	d.key("esc")
	d.visit(sessionB)
	d.lacks("Fix the login bug", "to nobody")
	d.key("i")
	d.sees("to nobody", "this was written before and not sent")
	d.key("enter")
	if a := asks[*protocol.ChatTurnStarted](d, 0); a.Message.Text.String() != "to nobody" {
		t.Errorf("sent %q", a.Message.Text.String())
	}
}

// TestChatGoes: a chat that is taken away gives way to the main one, without
// what was written to it being sent there by mistake.
func TestChatGoes(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.host.change(func() {
		d.host.states["ahp-chat:/side"] = &protocol.ChatState{Resource: "ahp-chat:/side", Title: "Side"}
	})
	d.host.act(sessionA, &protocol.SessionChatAdded{Summary: &protocol.ChatSummary{Resource: "ahp-chat:/side", Title: "Side"}})
	d.look()
	d.m.showChat("ahp-chat:/side")
	d.look()
	d.key("i")
	d.write("for the side chat")
	d.host.act(sessionA, &protocol.SessionChatRemoved{Chat: "ahp-chat:/side"})
	d.look()
	d.focused(keymap.Composer)
	d.write(", still")
	d.key("enter")
	d.sees("this chat is gone: what you typed is kept")
	if d.host.count() != 0 {
		t.Error("it was sent")
	}
	d.key("esc")
	d.sees("what you see is the main chat")
	d.lacks("for the side chat")
	d.key("i")
	d.sees("for the side chat, still")
}

// TestTypedBeforeThereIsAChat: what is written to a session that is being made,
// or before there is any session, goes along.
func TestTypedBeforeThereIsAChat(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), classic, newFakeHost)
	d.key("i")
	d.write("early")
	d.host.change(func() {
		d.host.states["copilot:/new"] = &protocol.SessionState{Title: "", Provider: "copilot", Lifecycle: protocol.LifecycleCreating}
		d.host.open["copilot:/new"] = &fakeChannel{kind: protocol.SessionKind}
	})
	d.host.list(summary("copilot:/new", "", protocol.StatusIdle, 0))
	d.look()
	d.sees("early", "the session is being created")
	d.write(" bird")
	d.host.change(func() { d.host.states["ahp-chat:/new"] = &protocol.ChatState{Resource: "ahp-chat:/new"} })
	d.host.act("copilot:/new", &protocol.SessionChatAdded{Summary: &protocol.ChatSummary{Resource: "ahp-chat:/new"}}, &protocol.SessionDefaultChatChanged{DefaultChat: "ahp-chat:/new"})
	d.look()
	d.sees("early bird")
	d.key("enter") // it is still being created
	if a := asks[*protocol.ChatTurnStarted](d, 0); a.Message.Text.String() != "early bird" {
		t.Errorf("sent %q", a.Message.Text.String())
	}
}

// TestNoRoom: what has no room in the composer is kept until there is.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.paste(strings.Repeat("a", composer.MaxBytes/2+1))
	d.key("enter")
	d.paste(strings.Repeat("b", composer.MaxBytes/2+1))
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected})
	d.look()
	if got := d.m.composer.Value(); strings.Trim(got, "b") != "" || len(got) != composer.MaxBytes/2+1 {
		t.Fatalf("the composer has %d bytes", len(got))
	}
	d.key("enter", "esc", "i")
	if got := d.m.composer.Value(); strings.Trim(got, "a") != "" || len(got) != composer.MaxBytes/2+1 {
		t.Errorf("the composer has %d bytes", len(got))
	}
}

package tui

import (
	"testing"

	"ahptui/keymap"
	"ahptui/protocol"
)

// holds fails the test unless the composer has a text.
func (d *driver) holds(want string) {
	d.t.Helper()
	if got := d.m.composer.Value(); got != want {
		d.t.Fatalf("the composer has %q, want %q:\n%s", got, want, d.screen())
	}
}

// TestPast: what was sent in a chat can be written again, whoever sent it from where, and what was being written comes back.
func TestPast(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.host.act(
		chatA,
		&protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: "q", Message: protocol.UserMessage("then this")},
		&protocol.ChatPendingMessageSet{Kind: protocol.PendingQueued, ID: "a", Message: &protocol.Message{Text: protocol.NewText("of an agent"), Origin: protocol.MessageOrigin{Kind: protocol.OriginAgent}}},
	)
	d.look()
	d.key("i")
	d.write("half")
	d.key("up")
	d.holds("then this")
	d.key("up")
	d.holds("go on")
	d.key("up", "up", "up") // there is no more, and it says so
	d.holds("please fix the login redirect")
	d.sees("nothing was sent before this")
	d.key("down")
	d.holds("go on")
	d.key("down", "down", "down")
	d.holds("half")

	d.key("enter")
	d.holds("")
	d.key("up")
	d.holds("half")
	d.key("down")
	d.holds("")
	d.visit(sessionB)
	d.key("i", "up")
	d.holds("")
	d.sees("nothing was sent in this chat yet")
}

// TestPastLines: in a message of several lines the keys move in it first.
func TestPastLines(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.paste("one\ntwo\nthree")
	d.key("up", "up")
	d.holds("one\ntwo\nthree")
	d.key("up")
	d.holds("go on")
	d.key("down")
	d.holds("one\ntwo\nthree")
	d.key("down")
	d.holds("one\ntwo\nthree")
}

// TestPastChanged: what was made of a message that was looked up is not lost by looking up another, nor is what was written
// before lost by sending it.
func TestPastChanged(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.key("i")
	d.write("mine")
	d.key("up")
	d.write("!")
	d.key("up")
	d.holds("please fix the login redirect")
	d.key("down", "down")
	d.holds("mine\n\ngo on!")

	d.key("up", "up", "up")
	d.holds("go on")
	d.key("enter")
	if a := asks[*protocol.ChatPendingMessageSet](d, 0); a.Message.Text.String() != "go on" {
		t.Errorf("sent %q", a.Message.Text.String())
	}
	d.holds("mine\n\ngo on!")

	d.key("up", "up", "up", "up")
	d.write("?")
	d.visit(sessionB)
	d.visit(sessionA)
	d.holds("mine\n\ngo on!\n\nplease fix the login redirect?")
	d.focused(keymap.Sessions)
}

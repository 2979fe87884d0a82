package tui

import (
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// drafted are the drafts that were shared with chat A.
func (d *driver) drafted() (texts []string) {
	d.host.mu.Lock()
	defer d.host.mu.Unlock()
	for _, r := range d.host.asked {
		if a, ok := r.Action.(*protocol.ChatDraftChanged); ok && r.Channel == chatA {
			text := "(none)"
			if a.Draft != nil {
				text = a.Draft.Text.String()
			}
			texts = append(texts, text)
		}
	}
	return texts
}

func (d *driver) wantDrafts(want ...string) {
	d.t.Helper()
	got := d.drafted()
	if len(got) != len(want) {
		d.t.Fatalf("shared were %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			d.t.Fatalf("shared were %q, want %q", got, want)
		}
	}
}

// theyDraft is what another client writes in chat A.
func (d *driver) theyDraft(text string) {
	var draft *protocol.Message
	if text != "" {
		draft = protocol.UserMessage(text)
	}
	d.host.act(chatA, &protocol.ChatDraftChanged{Draft: draft})
	d.look()
}

// TestShare: what is typed is shared once nothing is typed for a while, and no more often than it changes.
func TestShare(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 160, Height: 40}, busyHost, func(_ *testing.T, d *driver) {
		d.key("i")
		d.write("one")
		d.pass(shareAfter - time.Millisecond)
		d.wantDrafts()
		d.write(" two")
		d.pass(shareAfter - time.Millisecond)
		d.wantDrafts()
		d.pass(time.Millisecond)
		d.wantDrafts("one two")
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
		d.look()
		d.pass(time.Minute)
		d.wantDrafts("one two")
		d.holds("one two")

		// What is sent is no draft any more; the others see that at once.
		d.key("enter")
		d.wantDrafts("one two", "(none)")
		d.pass(time.Minute)
		d.wantDrafts("one two", "(none)")

		// Who goes elsewhere leaves the draft as it is.
		d.write("three")
		d.key("esc")
		d.visit(sessionB)
		d.wantDrafts("one two", "(none)", "three")
		d.visit(sessionA)
		d.pass(time.Minute)
		d.wantDrafts("one two", "(none)", "three")
		d.holds("three")
	})
}

// TestShareRefused: a host that takes no drafts is not asked again, and the draft stays here.
func TestShareRefused(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 160, Height: 40}, busyHost, func(_ *testing.T, d *driver) {
		d.key("i")
		d.write("one")
		d.pass(shareAfter)
		d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "no drafts"})
		d.look()
		d.sees("the host does not share what is being written here: no drafts")
		d.write(" two")
		d.pass(time.Minute)
		d.wantDrafts("one")
		d.holds("one two")
	})
}

// TestShareWhenConnectedAgain: what is typed without a connection is shared later, and what may not have arrived, again.
func TestShareWhenConnectedAgain(t *testing.T) {
	inBubble(t, viewtest.Size{Width: 160, Height: 40}, busyHost, func(_ *testing.T, d *driver) {
		d.key("i")
		d.write("one")
		d.pass(shareAfter)
		lost := d.host.last()
		d.host.drop(errGone)
		d.look()
		d.host.settle(lost, ahpclient.Outcome{Kind: ahpclient.Unknown})
		d.write(" two")
		d.pass(time.Minute)
		d.wantDrafts("one")
		d.host.restore()
		d.look()
		d.pass(shareAfter)
		d.wantDrafts("one", "one two")
		d.holds("one two")
	})
}

// TestAdopt: what another client writes is shown where nothing was written here, and never takes the place of what was.
func TestAdopt(t *testing.T) {
	t.Parallel()
	d := wide(t)
	d.theyDraft("theirs")
	d.holds("theirs")
	d.sees("this was written in another client")
	d.theyDraft("theirs, more of it")
	d.holds("theirs, more of it")
	d.theyDraft("")
	d.holds("")

	d.theyDraft("theirs again")
	d.key("i")
	d.write("!")
	d.holds("theirs again!")
	d.pass(time.Minute)
	d.theyDraft("something else")
	d.holds("theirs again!")
	d.theyDraft("")
	d.holds("theirs again!")
	d.theyDraft("theirs again! and on") // all of it is in there
	d.holds("theirs again! and on")

	d.key("ctrl+u") // nothing is left
	d.theyDraft("while a key is warm")
	d.holds("")
	d.write("mine")
	d.pass(busyTyping)
	d.look()
	d.holds("mine")
	d.focused(keymap.Composer)

	for range "mine" {
		d.key("backspace")
	}
	d.theyDraft("at last")
	d.holds("")
	d.pass(busyTyping)
	d.holds("at last")
}

// TestAdoptKeepsWhatGoesWithIt: the model, the agent and the attachments of a draft go along when it is sent from here.
func TestAdoptKeepsWhatGoesWithIt(t *testing.T) {
	t.Parallel()
	d := wide(t)
	draft := &protocol.Message{}
	const wire = `{"text":"look at @a.go","origin":{"kind":"user"},"model":{"id":"large"},"agent":{"uri":"agent:/x"},"_meta":{"from":"there"},
		"attachments":[{"type":"resource","label":"a.go","uri":"file:///a.go","range":{"start":{"line":0,"character":8},"end":{"line":0,"character":13}},"_meta":{"path":"a.go"}},
			{"type":"hologram","label":"odd","shape":"round"}]}`
	if err := protocol.Unmarshal([]byte(wire), draft); err != nil {
		t.Fatal(err)
	}
	d.host.act(chatA, &protocol.ChatDraftChanged{Draft: draft})
	d.look()
	d.holds("look at @a.go")
	d.sees("[a.go", "[odd]")
	d.key("i", "home")
	d.write("é ")
	d.key("enter")
	var sent *protocol.Message
	for _, r := range d.host.asked {
		if a, ok := r.Action.(*protocol.ChatPendingMessageSet); ok {
			sent = a.Message
		}
	}
	if sent == nil || sent.Text.String() != "é look at @a.go" || sent.Model == nil || sent.Model.ID != "large" || sent.Agent == nil || string(sent.Extra) == "" || len(sent.Attachments) != 2 {
		t.Fatalf("sent %+v", sent)
	}
	if a := sent.Attachments[0]; a.Range == nil || a.Range.Start.Character != 10 || a.Range.End.Character != 15 || string(a.Meta) == "" {
		t.Errorf("the attachment is %+v", a)
	}
	if a := sent.Attachments[1]; a.Type != "hologram" || string(a.Extra) == "" {
		t.Errorf("the attachment is %+v", a)
	}
}

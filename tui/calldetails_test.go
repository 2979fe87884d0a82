package tui

import (
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// file is a version of a file whose content is kept elsewhere.
func file(uri string) *protocol.FileVersion {
	return &protocol.FileVersion{URI: "file:///app/login.go", Content: protocol.ContentRef{URI: protocol.URI(uri)}}
}

// TestDetailsByReference: what a call refers to is read when a person looks at its
// details, and not before, nor twice; a diff shows what changes in a file.
func TestDetailsByReference(t *testing.T) { //nolint:paralleltest // inBubble does it
	inBubble(t, viewtest.Size{Width: 120, Height: 50}, busyHost, func(t *testing.T, d *driver) {
		d.host.panels.contents = map[protocol.URI]string{
			"ahp-content:/in": `{"path":"login.go"}`, "ahp-content:/old": "one\ntwo\nthree\n", "ahp-content:/new": "one\n2\nthree\n", "ahp-content:/image": "\x89PNG\x00\x01",
		}
		d.host.ask("c1", "{}")
		d.changeCall("c1", func(c *protocol.ToolCall) {
			c.ToolInput = protocol.ToolInput{Ref: &protocol.ContentRef{URI: "ahp-content:/in"}}
			c.Edits = &protocol.FileEdits{Items: []*protocol.FileEdit{{Before: file("ahp-content:/old"), After: file("ahp-content:/new")}}}
			c.Content = []*protocol.ToolResultContent{
				{Type: protocol.ContentResource, URI: "ahp-content:/image", ContentType: "image/png"}, {Type: protocol.ContentResource, URI: "ahp-content:/gone"},
			}
		})
		d.pass(time.Second)
		d.sees("edits      file:///app/login.go", "ahp-content:/in")
		if len(d.host.panels.reads) != 0 {
			t.Fatalf("read %q", d.host.panels.reads)
		}
		d.key("enter")
		d.sees(`"path": "login.go"`, "- two", "+ 2", "an image (image/png)", "it cannot be read: there is no such resource")
		n := len(d.host.panels.reads)
		d.pass(time.Second)
		d.key("down", "up")
		if n != 5 || len(d.host.panels.reads) != n {
			t.Errorf("read %q", d.host.panels.reads)
		}
		d.m.transcript.SelectCall("t1", "c1")
		d.key("enter", "enter")
		if got := d.host.panels.reads[n:]; len(got) != 1 || got[0] != "ahp-content:/gone" {
			t.Errorf("read again %q", got)
		}
	})
}

// TestHistory: the details say who confirmed a call, when and how.
func TestHistory(t *testing.T) {
	t.Parallel()
	d := withEditable(t, hostOptions()...)
	d.edit("why")
	d.key("ctrl+s", "1")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	d.host.act(chatA, &protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c1", RequiresResultConfirmation: ptr(true), Result: &protocol.ToolResult{Success: true, PastTenseMessage: protocol.Plain("Added")}})
	d.look()
	d.pass(time.Minute)
	d.host.act(chatA, &protocol.ChatToolCallResultConfirmed{TurnID: "t1", ToolCallID: "c1", Approved: true})
	d.look()
	if !d.m.transcript.SelectCall("t1", "c1") {
		t.Fatal("no call")
	}
	d.key("enter")
	d.sees(
		"history    12:00:00  asked whether it may run", "12:00:02  approved by you: Allow once, with",
		"12:00:02  asked whether the result may be used", "12:01:02  result approved in another client", "allowed    by a person: Allow once",
	)
}

// TestHistoryOfOthers: what others decide is told as theirs.
func TestHistoryOfOthers(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]protocol.Action{
		"approved in another client": &protocol.ChatToolCallConfirmed{TurnID: "t1", ToolCallID: "c1", Approved: true, Confirmed: "user-action"},
		"approved by a setting":      &protocol.ChatToolCallConfirmed{TurnID: "t1", ToolCallID: "c1", Approved: true, Confirmed: "setting"},
		"denied in another client":   &protocol.ChatToolCallConfirmed{TurnID: "t1", ToolCallID: "c1", Reason: "denied"},
		"nobody answered before":     &protocol.ChatTurnCancelled{TurnID: "t1", Duration: ptr(1.0)},
	} {
		d := withQuestion(t)
		d.host.act(chatA, a)
		d.look()
		d.m.transcript.SelectCall("t1", "c1")
		d.key("enter")
		d.sees(want)
	}
}

// TestClientTool: a call says which client runs it.
func TestClientTool(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.act(sessionA, &protocol.SessionActiveClientSet{ActiveClient: &protocol.SessionActiveClient{ClientID: "c-7", DisplayName: "Visual Editor"}})
	d.host.ask("c1", "{}")
	d.changeCall("c1", func(c *protocol.ToolCall) {
		c.Contributor = &protocol.Contributor{Kind: protocol.ContributorClient, ClientID: "c-7"}
	})
	d.key("enter")
	d.sees("client     Visual Editor")
}

// TestLongOutput: an output of any length is scrolled through in the chat, to its
// last line and back.
func TestLongOutput(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, withOutput(20_000))
	d.key("tab")
	d.m.transcript.SelectCall("t1", "c1")
	d.key("enter")
	d.sees("a line of output number 0 ")
	for range 60 {
		d.key("down")
	}
	d.sees("a line of output number 60")
	if sel := d.m.transcript.Selected(); sel.ID != "c1" {
		t.Errorf("selected %+v", sel)
	}
	d.key("end")
	d.sees("a line of output number 19999")
	d.key("up", "up", "up")
	for range 40 {
		d.key("up")
	}
	d.sees("a line of output number 19950")
	d.lacks("a line of output number 19999")
	d.key("home")
	if !strings.Contains(d.screen(), "please fix the login redirect") {
		t.Error("the beginning is gone")
	}
}

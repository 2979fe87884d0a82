package tui

import (
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// withEditable is a driver with a question that was read, whose input may be
// changed.
func withEditable(t *testing.T, options ...*protocol.ConfirmationOption) *driver {
	t.Helper()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.host.ask("c1", `{"text":"x","tags":["a"]}`, options...)
	d.changeCall("c1", func(c *protocol.ToolCall) { c.Editable = ptr(true) })
	d.pass(time.Second)
	return d
}

// changeCall changes a call of the turn that runs, as its host may.
func (d *driver) changeCall(id string, change func(c *protocol.ToolCall)) {
	d.t.Helper()
	changed := *d.host.call(id)
	change(&changed)
	d.host.change(func() {
		chat := *d.host.states[chatA].(*protocol.ChatState)
		turn := *chat.ActiveTurn
		turn.ResponseParts = append([]*protocol.ResponsePart{}, turn.ResponseParts...)
		for i, part := range turn.ResponseParts {
			if part.ToolCall != nil && part.ToolCall.ToolCallID == id {
				turn.ResponseParts[i] = &protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &changed}
			}
		}
		chat.ActiveTurn = &turn
		d.host.states[chatA] = &chat
	})
	d.look()
}

// edit replaces the x in the input by something.
func (d *driver) edit(by string) {
	d.t.Helper()
	d.key("e")
	d.focused(keymap.Form)
	d.pass(time.Second)
	d.key("ctrl+home", "down", "end", "left", "left", "backspace")
	d.write(by)
}

// TestEditInput: a call runs with the input that the person has made of it, and
// with one of the host's own answers where it gives some.
func TestEditInput(t *testing.T) {
	t.Parallel()
	const want = `{"text":"why","tags":["a"]}`
	d := withEditable(t)
	d.edit("why")
	d.sees(`"text": "why",`)
	d.key("ctrl+s")
	a := asks[*protocol.ChatToolCallConfirmed](d, 0)
	if !a.Approved || a.EditedToolInput == nil || *a.EditedToolInput != want {
		t.Errorf("sent %+v", a)
	}
	d.sees("not confirmed yet", "why")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.look()
	if len(d.m.inputs) != 0 {
		t.Error("the input is remembered")
	}

	d = withEditable(t)
	d.edit("x")
	d.key("ctrl+s")
	if a := asks[*protocol.ChatToolCallConfirmed](d, 0); !a.Approved || a.EditedToolInput != nil {
		t.Errorf("what is as it was is sent as edited: %+v", a)
	}

	d = withEditable(t, hostOptions()...)
	d.edit("why")
	d.key("ctrl+s")
	d.sees("With which answer?", "1 Allow once", "2 Allow in this session")
	d.lacks("3 Deny")
	d.key("2")
	a = asks[*protocol.ChatToolCallConfirmed](d, 0)
	if !a.Approved || a.SelectedOptionID != "always" || *a.EditedToolInput != want {
		t.Errorf("sent %+v", a)
	}
}

// TestBadInput: what is no JSON is not sent, and not lost; neither by closing the
// window nor by a refusal of the host.
func TestBadInput(t *testing.T) {
	t.Parallel()
	d := withEditable(t)
	d.edit(`"`)
	d.key("ctrl+s")
	d.sees("not sent: line 2, column")
	d.focused(keymap.Form)
	d.key("esc")
	d.sees("what you wrote is kept")
	if d.host.count() != 0 {
		t.Fatal("it was sent")
	}
	d.pass(time.Second)
	d.key("e")
	d.sees(`"text": """,`)
	d.key("ctrl+home", "down", "end", "left", "left", "backspace")
	d.pass(time.Second)
	d.key("ctrl+s")
	if a := asks[*protocol.ChatToolCallConfirmed](d, 0); *a.EditedToolInput != `{"text":"","tags":["a"]}` {
		t.Errorf("sent %s", *a.EditedToolInput)
	}
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "text must not be empty"})
	d.look()
	d.pass(time.Second)
	d.key("e")
	d.sees(`"text": "",`, "the host refused: text must not be empty")
}

// TestEditedAndChanged: an edited approval is bound to what was asked when the
// person read it, also between the answer and its option, and to a call that waits.
func TestEditedAndChanged(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(c *protocol.ToolCall){
		"input":   func(c *protocol.ToolCall) { c.ToolInput = protocol.InputText(`{"text":"rm -rf"}`) },
		"tool":    func(c *protocol.ToolCall) { c.ToolName = "notes.delete" },
		"options": func(c *protocol.ToolCall) { c.Options = append(hostOptions(), hostOptions()[0]) },
		"title":   func(c *protocol.ToolCall) { c.ConfirmationTitle = protocol.Plain("Delete?") },
	} {
		d := withEditable(t, hostOptions()...)
		d.edit("why")
		d.changeCall("c1", change)
		d.key("ctrl+s", "ctrl+s")
		d.sees("read it, then send", `"text": "why",`)
		d.lacks("With which answer?")
		d.pass(time.Second)
		d.key("ctrl+s")
		d.sees("With which answer?")
		d.changeCall("c1", func(c *protocol.ToolCall) { c.Intention = "something else" })
		d.key("1")
		if d.host.count() != 0 {
			t.Fatalf("%s: sent %+v", name, d.host.last().Action)
		}
		d.sees("what is asked has changed")
		d.pass(time.Second)
		d.key("ctrl+s", "1")
		if a := asks[*protocol.ChatToolCallConfirmed](d, 0); a.SelectedOptionID != "once" {
			t.Errorf("%s: sent %+v", name, a)
		}
	}

	d := withEditable(t)
	d.edit("why")
	d.host.act(chatA, &protocol.ChatToolCallConfirmed{TurnID: "t1", ToolCallID: "c1", Reason: "denied"})
	d.look()
	d.key("ctrl+s", "ctrl+s")
	d.sees("the call does not wait any more", `"text": "why",`)
	if d.host.count() != 0 {
		t.Errorf("sent %+v", d.host.last().Action)
	}
}

// TestWhyNoEdit: the key says why it cannot work.
func TestWhyNoEdit(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(c *protocol.ToolCall){
		"the host does not let the input of this call be changed": func(c *protocol.ToolCall) { c.Editable = nil },
		"the input is kept elsewhere": func(c *protocol.ToolCall) {
			c.ToolInput = protocol.ToolInput{Ref: &protocol.ContentRef{URI: "file:///x"}}
		},
		"the input is too long":       func(c *protocol.ToolCall) { c.ToolInput = protocol.InputText(strings.Repeat("x", 300_000)) },
		"does not wait for an answer": func(c *protocol.ToolCall) { c.Status = protocol.ToolRunning },
	} {
		d := withEditable(t)
		d.changeCall("c1", change)
		d.pass(time.Second)
		d.key("e")
		d.sees(want)
		d.focused(keymap.Transcript)
	}
}

// TestPasteNeverApproves: a paste into the window is text.
func TestPasteNeverApproves(t *testing.T) {
	t.Parallel()
	d := withEditable(t)
	d.key("e")
	d.pass(time.Second)
	d.paste("y\x13\r\n")
	d.paste("\r\r")
	if d.host.count() != 0 {
		t.Errorf("sent %+v", d.host.last().Action)
	}
}

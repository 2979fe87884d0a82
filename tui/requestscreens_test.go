package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/ahpclient"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// askScreens are what the golden screens of requests and of editing show.
func askScreens() map[string]func(d *driver) {
	open := func(questions ...*protocol.ChatInputQuestion) func(d *driver) {
		return func(d *driver) {
			d.host.put(&protocol.ChatInputRequest{ID: "q", Message: "Before I go on:", Questions: questions})
			d.look()
			d.pass(time.Second)
			d.key("r")
			d.pass(time.Second)
		}
	}
	all := questions()
	many := &protocol.ChatInputQuestion{Kind: protocol.QuestionSingleSelect, ID: "many", Title: "Region", Message: "Where shall it run?", Required: ptr(true)}
	for i := range 500 {
		many.Options = append(many.Options, &protocol.ChatInputOption{ID: fmt.Sprint(i), Label: fmt.Sprintf("region %d", i), Description: "a place with computers"})
	}
	return map[string]func(d *driver){
		"asked": func(d *driver) {
			d.host.put(&protocol.ChatInputRequest{ID: "q", Message: "Before I go on:", Questions: all[3:5]})
			d.look()
			d.pass(75 * time.Second)
		},
		"text":   open(all[0]),
		"number": open(all[1]),
		"wrong": func(d *driver) {
			open(all[:2]...)(d)
			d.write("ab")
			d.key("ctrl+s")
		},
		"yes or no":   open(all[3]),
		"one of some": func(d *driver) { open(all[4])(d); d.key("down") },
		"some of some": func(d *driver) {
			open(all[5])(d)
			d.key("1", "3", "end")
			d.write("smoke")
		},
		"one of many":  func(d *driver) { open(many)(d); d.key("pgdown", "space") },
		"unknown kind": open(&protocol.ChatInputQuestion{Kind: "thought-transfer", ID: "x", Message: "What do you think?"}),
		"all kinds":    func(d *driver) { open(all...)(d); d.write("fix/login"); d.key("tab", "tab", "tab", "y") },
		"other client": func(d *driver) {
			open(all[0])(d)
			d.write("mine")
			d.draft("branch", protocol.TextAnswer(protocol.AnswerDraft, "theirs"))
		},
		"over": func(d *driver) {
			open(all[0])(d)
			d.write("half a")
			d.host.act(chatA, &protocol.ChatInputCompleted{RequestID: "q", Response: protocol.ResponseDecline})
			d.look()
		},
		"link": func(d *driver) {
			d.host.put(&protocol.ChatInputRequest{ID: "q", Message: "Please look at this page and come back.", URL: "https://user:secret@login.example.com/device?code=ABCD-EFGH&client=0123456789abcdef0123456789abcdef"})
			d.look()
			d.pass(time.Second)
			d.key("r")
		},
		"refused": func(d *driver) {
			open(all[0])(d)
			d.write("main")
			d.key("enter")
			d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "there is such a branch already"})
			d.look()
		},
		"editor": func(d *driver) {
			d.editable()
			d.key("e")
			d.pass(time.Second)
		},
		"editor wrong": func(d *driver) {
			d.editable()
			d.key("e")
			d.pass(time.Second)
			d.key("backspace", "ctrl+s")
		},
		"details": func(d *driver) {
			d.host.ask("c1", `{"command":"make test"}`, hostOptions()...)
			d.look()
			d.pass(time.Second)
			d.key("1")
			d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
			code := 2
			d.host.act(chatA, &protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c1", Result: &protocol.ToolResult{
				PastTenseMessage: protocol.Plain("Ran it"), Error: &protocol.ToolError{Message: "make: *** [test] Error 2", Code: "exit"},
				Content: []*protocol.ToolResultContent{
					{Type: protocol.ContentTerminal, Title: "make test", Resource: "ahp-terminal:/1", Result: &protocol.TerminalCommandResult{ExitCode: &code, Preview: protocol.NewText("\x1b[31mFAIL\x1b[m ./login\r\nok ./docs\r\n"), Truncated: ptr(true)}},
					{Type: protocol.ContentSubagent, Title: "Look for the cause", Resource: "ahp-chat:/sub"},
					{Type: protocol.ContentEmbedded, ContentType: "image/png", Data: strings.Repeat("AAAA", 4000)},
					{Type: protocol.ContentEmbedded, ContentType: "audio/wav", Data: "AAAA"},
					{Type: protocol.ContentEmbedded, ContentType: "application/json", Data: "eyJhIjoxfQ=="},
					{Type: protocol.ContentFileEdit, After: file("ahp-content:/new"), Diff: &protocol.DiffCount{Added: ptr(3.0)}},
				},
			}})
			d.look()
			d.m.transcript.SelectCall("t1", "c1")
			d.key("enter")
		},
		"running": func(d *driver) {
			d.host.ask("c1", `{"command":"make test"}`)
			d.host.act(
				chatA, &protocol.ChatToolCallConfirmed{TurnID: "t1", ToolCallID: "c1", Approved: true, Confirmed: "setting"},
				&protocol.ChatToolCallContentChanged{TurnID: "t1", ToolCallID: "c1", Content: []*protocol.ToolResultContent{protocol.TextContent("compiling\nlinking\ntesting ./login\ntesting ./docs\n")}},
			)
			d.look()
			d.pass(5 * time.Second)
		},
	}
}

// editable makes a call wait whose input may be changed.
func (d *driver) editable() {
	d.host.ask("c1", `{"text":"carry return_to in the state","tags":["login"]}`)
	d.changeCall("c1", func(c *protocol.ToolCall) { c.Editable = ptr(true) })
	d.pass(time.Second)
}

// TestAskScreens compares whole screens with those that were looked at once.
func TestAskScreens(t *testing.T) {
	t.Parallel()
	for name, play := range askScreens() {
		for _, size := range []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 200, Height: 60}} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size.Width, size.Height), func(t *testing.T) {
				t.Parallel()
				d := newDriver(t, viewtest.Plain(t), size, busyHost)
				play(d)
				viewtest.Check(t, d.frame.Content, size.Width, size.Height)
				golden.RequireEqual(t, viewtest.Text(d.frame.Content))
			})
		}
	}
}

// TestAskSizes: there is a screen of every size, in colour and in ASCII.
func TestAskSizes(t *testing.T) {
	t.Parallel()
	for name, play := range askScreens() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDriver(t, viewtest.Colour(t), classic, busyHost)
			play(d)
			d.checkSizes()
		})
	}
}

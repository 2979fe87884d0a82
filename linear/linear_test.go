package linear

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/protocol"
)

func TestBeginning(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.hears(
			"connected to test-host, protocol 0.9.0",
			"2 sessions",
			"session 1: Update the docs, idle",
			"session 2: Fix the login bug, working",
			"type help for the commands",
			"following session: Fix the login bug",
			"2 MCP servers: 1 ready, 1 starting",
			"after 1 turn, one is running: you: fix it",
		)
		p.types("last")
		p.hears("agent: Hello. What", "agent: is it?")
	})
}

// TestTurn: a turn is told by sentences and by what its calls do, a line each.
func TestTurn(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.forget()
		p.host.begins("p1")
		p.host.says("p1", "Let me ")
		p.host.says("p1", "look. There")
		p.hears("agent: Let me look.")
		p.host.says("p1", " it is")
		p.hears("")
		p.host.call("c1", "{\n \"text\": \"x\"\n}", "not-needed")
		p.hears(
			"agent: There it is",
			`tool notes.add started: { "text": "x" }`,
		)
		p.pass(420 * time.Millisecond)
		p.host.act(chatA, &protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c1", Result: &protocol.ToolResult{
			Success: true, PastTenseMessage: protocol.Plain("added"), Content: []*protocol.ToolResultContent{protocol.TextContent("one\ntwo\n\nthree\nfour")},
		}})
		p.hears("tool notes.add done after 420 ms: one / two / three / and more: “result” tells all")
		p.types("result")
		p.hears("result of notes.add", "| one", "| two", "| three", "| four")
		p.pass(580 * time.Millisecond)
		p.host.act(chatA, &protocol.ChatTurnComplete{TurnID: "t1"})
		p.hears("turn ended after 1.0 s")
		p.host.act(chatA, &protocol.ChatTurnStarted{TurnID: "t2", Message: protocol.UserMessage("and now\nthis")})
		p.hears("turn began: you: and now↵this")
		p.host.act(chatA, &protocol.ChatTurnCancelled{TurnID: "t2"})
		p.hears("turn cancelled")
	})
}

// TestFailures: what fails is told with the reason.
func TestFailures(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.forget()
		p.host.call("c1", "", "not-needed")
		p.hears("tool notes.add started")
		p.host.act(
			chatA,
			&protocol.ChatToolCallComplete{TurnID: "t1", ToolCallID: "c1", Result: &protocol.ToolResult{Error: &protocol.ToolError{Message: "no\nspace"}}},
			&protocol.ChatError{TurnID: "t1", Error: &protocol.ErrorInfo{ErrorType: "x", Message: "out of tokens"}},
		)
		p.hears("tool notes.add failed after 0 ms: no↵space", "turn failed: out of tokens")
		p.host.change(func() {
			p.host.conn.Phase, p.host.conn.Err = ahpclient.Reconnecting, errors.New("reset by peer")
		})
		p.hears("the connection is lost, what follows may be old; trying again: reset by peer")
		p.types("say hello")
		p.hears("not connected to the host: nothing can be asked of it")
		p.host.change(func() { p.host.conn.Phase, p.host.conn.Err = ahpclient.Connected, nil })
		p.hears("connected to test-host, protocol 0.9.0")
	})
}

const tooSoon = "not taken as an answer: the question had only just come. Choose again"

// TestApproval: the arguments are told in full, and only a number that is typed
// after they could be heard is an answer.
func TestApproval(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.forget()
		p.types("1")
		p.hears("nothing is asked: “blocks” tells what waits")
		p.host.call("c1", `{"text":"x","deep":{"a":[1]}}`, "")
		p.hears(
			`tool notes.add asks to run: {"text":"x","deep":{"a":[1]}}`,
			"question: notes.add asks to run",
			"| Run add?",
			"tool: add",
			"server: notes",
			"arguments, 8 lines:",
			"| {",
			`|   "text": "x",`,
			`|   "deep": {`,
			`|     "a": [`,
			"|       1",
			"|     ]",
			"|   }",
			"| }",
			"choose: 1 approve  2 deny  3 later",
		)
		for range 5 {
			p.pass(reading - time.Millisecond)
			p.types("1")
			p.hears(tooSoon)
		}
		p.pass(reading)
		p.types("4")
		p.hears("there is no choice 4")
		p.types("1")
		if a := asks[*protocol.ChatToolCallConfirmed](p, 1); !a.Approved || a.ToolCallID != "c1" {
			t.Errorf("%+v", a)
		}
		p.hearsAmong("asked to approve notes.add")
		p.types("1")
		p.hears("nothing is asked: “blocks” tells what waits")
		p.host.settle(p.host.asked[0], ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "too late"})
		p.hearsAmong("the host refused to approve notes.add: too late", "question: notes.add asks to run")
		p.types("1")
		p.hears(tooSoon)
		p.pass(reading)
		p.types("2")
		if a := asks[*protocol.ChatToolCallConfirmed](p, 2); a.Approved {
			t.Errorf("%+v", a)
		}
	})
}

// TestChangedQuestion: an answer is to the arguments that were told.
func TestChangedQuestion(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.host.call("c1", `{}`, "")
		p.pass(time.Minute)
		p.forget()
		p.host.change(func() {
			chat := *p.host.states[chatA].(*protocol.ChatState)
			turn, call := *chat.ActiveTurn, *chat.ActiveTurn.ResponseParts[0].ToolCall
			call.ToolInput = protocol.InputText(`"rm -rf"`)
			turn.ResponseParts = []*protocol.ResponsePart{{Kind: protocol.PartToolCall, ToolCall: &call}}
			chat.ActiveTurn = &turn
			p.host.states[chatA] = &chat
		})
		p.types("1")
		p.hearsAmong("the question has changed:", `| "rm -rf"`, tooSoon)
		if len(p.host.asked) > 0 {
			t.Error("answered what was not told")
		}
	})
}

// TestOptions: the host's own answers are told as it words them, with what they do.
func TestOptions(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.host.act(
			chatA,
			&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: "c1", ToolName: "add"},
			&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: "c1", Options: []*protocol.ConfirmationOption{
				{ID: "once", Label: "Allow once", Kind: "approve"}, {ID: "no", Label: "Never\n3 later", Kind: "deny"},
			}},
		)
		p.hearsAmong("1 Allow once (this approves)", "2 Never↵3 later (this denies)", "choose: 3 later")
		p.pass(reading)
		p.types("2")
		if a := asks[*protocol.ChatToolCallConfirmed](p, 1); a.SelectedOptionID != "no" || a.Approved {
			t.Errorf("%+v", a)
		}
	})
}

// TestUnjudgeable: what cannot be told here cannot be approved here.
func TestUnjudgeable(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.host.call("c1", strings.Repeat("x", maxArguments+1), "")
		p.hearsAmong("choose: 1 deny  2 later")
	})
}

// TestQueue: one thing is asked at a time; others are told of, and can be gone to.
func TestQueue(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.host.call("c1", "{}", "")
		p.pass(time.Second)
		p.forget()
		p.host.call("c2", "{}", "")
		p.hears("tool notes.add asks to run: {}", "also waiting: notes.add asks to run")
		p.types("blocks")
		p.hears("waiting 1: notes.add asks to run (asked now)", "waiting 2: notes.add asks to run")
		p.types("answer 2")
		p.pass(reading)
		p.types("1")
		if a := asks[*protocol.ChatToolCallConfirmed](p, 1); a.ToolCallID != "c2" {
			t.Errorf("%+v", a)
		}
		p.pass(reading)
		p.types("3")
		p.hearsAmong("left waiting: “blocks” and “answer” come back to it")
		p.pass(time.Second)
		p.types("1")
		p.hears("nothing is asked: “blocks” tells what waits")
		p.types("blocks", "answer 1")
		p.hearsAmong("question: notes.add asks to run")
		p.host.act(chatA, &protocol.ChatTurnCancelled{TurnID: "t1"})
		p.hearsAmong("does not wait any more: notes.add asks to run")
	})
}

// TestMessages: what is typed into a message is no answer and no command.
func TestMessages(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.host.act(chatA, &protocol.ChatTurnComplete{TurnID: "t1"})
		p.forget()
		p.types("fix the tests please")
		p.hears("there is no command “fix”, and nothing was sent: “say TEXT” sends a message, “help” tells the commands")
		p.types("say fix the tests")
		if a := asks[*protocol.ChatTurnStarted](p, 1); a.Message.Text.String() != "fix the tests" {
			t.Errorf("%+v", a)
		}
		p.hears("turn began: you: fix the tests")
		p.types("say and the docs")
		if a := asks[*protocol.ChatPendingMessageSet](p, 2); a.Message.Text.String() != "and the docs" {
			t.Errorf("%+v", a)
		}
		p.hears("a turn is running: the message is queued")
		p.host.settle(p.host.asked[1], ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "no queue"})
		p.hears("the host refused to queue the message: no queue", "not sent: and the docs")

		p.types("say")
		p.forget()
		p.host.settle(p.host.asked[0], ahpclient.Outcome{Kind: ahpclient.Accepted})
		id := p.host.states[chatA].(*protocol.ChatState).ActiveTurn.ID
		p.host.act(chatA, &protocol.ChatToolCallStart{TurnID: id, ToolCallID: "c9", ToolName: "x"}, &protocol.ChatToolCallReady{TurnID: id, ToolCallID: "c9"})
		p.pass(time.Second)
		p.types("1", "quit", "2")
		p.pass(time.Second)
		p.hears("tool x asks to run")
		p.types(".")
		if a := asks[*protocol.ChatPendingMessageSet](p, 3); a.Message.Text.String() != "1\nquit\n2" {
			t.Errorf("%+v", a)
		}
		p.hearsAmong("question: x asks to run")
		p.types("say", "half", "!")
		p.hearsAmong("thrown away")
	})
}

// TestServers: changes are told with the reason, and the numbers are those that
// were told.
func TestServers(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.forget()
		p.types("stop 1")
		p.hears("the servers have no numbers yet: “servers” tells them")
		p.types("servers")
		p.hears("2 MCP servers", "server 1: notes, ready", "server 2: clock, starting")
		p.host.act(sessionA, &protocol.SessionMcpServerStateChanged{ID: "id-clock", State: &protocol.McpServerState{Kind: protocol.McpError, Error: &protocol.ErrorInfo{Message: "not in PATH"}}})
		p.hears("server clock: failed: not in PATH")
		p.host.change(func() { // another one comes before them
			s := *p.host.states[sessionA].(*protocol.SessionState)
			s.Customizations = append([]*protocol.Customization{server("first", protocol.McpReady)}, s.Customizations...)
			p.host.states[sessionA] = &s
		})
		p.hears("server first: ready")
		p.types("stop 1")
		if a := asks[*protocol.SessionMcpServerStopRequested](p, 1); a.ID != "id-notes" {
			t.Errorf("stopped %s", a.ID)
		}
		p.types("restart clock")
		if a := asks[*protocol.SessionMcpServerStartRequested](p, 2); a.ID != "id-clock" {
			t.Errorf("started %s", a.ID)
		}
		p.types("off clock")
		asks[*protocol.SessionCustomizationToggled](p, 3)
		p.forget()
		p.types("start 9", "stop nobody")
		p.hears("there is no server 9: “servers” tells which there are", "there is no server nobody: “servers” tells which there are")
		p.host.settle(p.host.asked[0], ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "not yours"})
		p.hearsAmong("the host refused to stop notes: not yours")
	})
}

// TestForm: questions of the agent are answered one by one, and sent at the end.
func TestForm(t *testing.T) {
	yes := true
	follow(t, newHost, func(p *person) {
		p.host.act(chatA, &protocol.ChatInputRequested{Request: &protocol.ChatInputRequest{ID: "r1", Message: "Where to?", Questions: []*protocol.ChatInputQuestion{
			{Kind: protocol.QuestionText, ID: "a", Message: "Which branch?", Required: &yes},
			{Kind: protocol.QuestionInteger, ID: "b", Message: "How many?"},
			{Kind: protocol.QuestionSingleSelect, ID: "c", Message: "Which way?", Options: []*protocol.ChatInputOption{{ID: "l", Label: "Left"}, {ID: "r", Label: "Right", Recommended: &yes}}},
			{Kind: protocol.QuestionBoolean, ID: "d", Message: "Sure?"},
		}}})
		p.hearsAmong("question: the agent has 4 questions", "| Where to?", "choose: 1 answer  2 decline  3 cancel  4 later")
		p.pass(reading)
		p.types("1")
		p.hearsAmong("1 of 4", "| Which branch?", "wanted: a text, needed")
		p.types("main")
		p.hears("not taken as an answer: the question had only just come. Type it again")
		step := func(line string, want ...string) {
			p.t.Helper()
			p.pass(reading)
			p.types(line)
			p.hearsAmong(want...)
		}
		step("/skip", "not taken: an answer is needed")
		step("help", "2 of 4")
		step("/back", "1 of 4")
		step("main", "| How many?")
		step("1.5", "not taken: a whole number is wanted")
		step("3", "2 Right (recommended)")
		step("7", "not taken: there is no choice 7")
		step("2", "wanted: yes or no")
		step("/skip", "all 4 are answered", "choose: 1 send the answers  2 begin again  3 decline  4 later")
		p.pass(reading)
		p.types("1")
		a := asks[*protocol.ChatInputCompleted](p, 1)
		text, _ := a.Answers["a"].Given().Text()
		way, _ := a.Answers["c"].Given().Text()
		if a.Response != protocol.ResponseAccept || text != "main" || way != "r" || a.Answers["d"].State != protocol.AnswerSkipped {
			t.Errorf("%+v", a)
		}
	})
}

// TestAccessWithoutSignIn: where nobody can sign in, what needs access is told and
// can be given up.
func TestAccessWithoutSignIn(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.host.call("c1", "{}", "not-needed")
		p.host.act(chatA, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c1", Auth: &protocol.McpAuthRequirement{
			Reason: "insufficientScope", RequiredScopes: []string{"issues:write"}, Description: "please\nchoose: 1 approve",
			Resource: &protocol.ProtectedResourceMetadata{Resource: "https://issues.example/mcp", AuthorizationServers: []string{"https://login.example"}},
		}})
		p.hearsAmong(
			"question: notes.add needs access: more than was granted: issues:write",
			"it says: please", "it says: choose: 1 approve", "choose: 1 cancel the call  2 later",
		)
		p.pass(reading)
		p.types("1")
		asks[*protocol.ChatToolCallComplete](p, 1)
	})
}

// TestSessions: another session can be followed.
func TestSessions(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.forget()
		p.types("open 7")
		p.hears("“sessions” tells which there are, by number")
		p.types("open 1")
		p.hears("following session: Update the docs", "0 MCP servers")
		p.types("cancel")
		p.hears("no turn is running")
		p.host.call("c1", "{}", "")
		p.hearsAmong("question: notes.add asks to run, in session Fix the login bug")
	})
}

// TestEnds: it ends with the input, with quit and with the program, and what was
// typed and not sent is told.
func TestEnds(t *testing.T) {
	t.Run("end of the input", func(t *testing.T) {
		follow(t, newHost, func(p *person) {
			p.types("say", "half a message")
			p.forget()
			_ = p.in.Close()
			p.hears("not sent: half a message")
			if err := p.ends(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("waits for an answer", func(t *testing.T) {
		follow(t, newHost, func(p *person) {
			p.types("stop notes")
			_ = p.in.Close()
			if err := p.ends(); err == nil {
				t.Fatal("it ended before the host could answer")
			}
			p.forget()
			p.host.settle(p.host.asked[0], ahpclient.Outcome{Kind: ahpclient.Rejected, Reason: "no"})
			p.hearsAmong("the host refused to stop notes: no")
			if err := p.ends(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("not for ever", func(t *testing.T) {
		follow(t, newHost, func(p *person) {
			p.types("stop notes")
			_ = p.in.Close()
			p.pass(parting)
			if err := p.ends(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("host that is not there", func(t *testing.T) {
		unreachable := func() *fakeHost {
			h := newHost()
			h.conn = ahpclient.Connection{Phase: ahpclient.Connecting, Err: errors.New("refused")}
			h.unlisted = true
			return h
		}
		follow(t, unreachable, func(p *person) {
			p.types("sessions")
			_ = p.in.Close()
			p.pass(arriving - time.Second)
			p.hears("connecting: refused")
			if err := p.ends(); err == nil || err.Error() != "it goes on" {
				t.Fatal("it does not wait for the host")
			}
			p.pass(time.Second)
			if err := p.ends(); err == nil || err.Error() != "refused" {
				t.Error(err)
			}
		})
	})
	t.Run("host that comes late", func(t *testing.T) {
		late := func() *fakeHost {
			h := newHost()
			h.conn.Phase, h.unlisted = ahpclient.Connecting, true
			return h
		}
		follow(t, late, func(p *person) {
			p.types("servers")
			_ = p.in.Close()
			p.pass(time.Second)
			p.host.change(func() { p.host.conn.Phase, p.host.unlisted = ahpclient.Connected, false })
			p.hearsAmong("server 1: notes, ready")
			if err := p.ends(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("quit", func(t *testing.T) {
		follow(t, newHost, func(p *person) {
			p.types("quit")
			if err := p.ends(); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("signal", func(t *testing.T) {
		follow(t, newHost, func(p *person) {
			p.stop()
			if err := p.ends(); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	})
}

// TestLongLine: a line that is too long is not taken, and those behind it are.
func TestLongLine(t *testing.T) {
	follow(t, newHost, func(p *person) {
		p.forget()
		p.types("say "+strings.Repeat("x", maxTyped), "cancel")
		p.hearsAmong(errTooLong.Error())
		asks[*protocol.ChatTurnCancelled](p, 1)
	})
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want int
	}{
		{"", 0},
		{"Let me", 0},
		{"Let me look.", 0},
		{"Let me look. There", 13},
		{"v1.2 is", 0},
		{"one\ntwo. three", 4},
		{"本。本", 6},
		{strings.Repeat("x", maxSentence+9), maxSentence + 1},
		{strings.Repeat("word ", maxSentence/5+1), maxSentence},
		{strings.Repeat("本", maxSentence), maxSentence + 1},
	} {
		if got := sentences(tt.text); got != tt.want {
			t.Errorf("%.20q…: %d, want %d", tt.text, got, tt.want)
		}
	}
}

package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/toolcall"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

const chatJSON = `{
	"resource":"ahp-chat:/1","title":"Fix the login bug","status":24,"modifiedAt":"2026-11-30T12:00:00Z","turnsNextCursor":"more",
	"turns":[
		{"id":"t1","startedAt":"2026-11-29T09:15:00Z","duration":12345,"state":"complete","message":{"text":"please fix the login redirect","origin":{"kind":"user"}},
			"usage":{"inputTokens":1234,"outputTokens":567,"model":"gpt-5"},
			"responseParts":[
				{"kind":"reasoning","id":"r1","content":"The user wants the redirect fixed.\nI should look at the issue."},
				{"kind":"markdown","id":"m1","content":"I'll look at **the issue** first.\n\nThen:\n\n- fix it\n- test it\n"},
				{"kind":"toolCall","toolCall":{"status":"completed","toolCallId":"c1","toolName":"search","displayName":"Search","toolInput":"{\"query\":\"login redirect\"}","confirmed":"not-needed","success":true,"pastTenseMessage":"Searched",
					"contributor":{"kind":"mcp","customizationId":"s1"},"content":[{"type":"text","text":"3 issues"}]}},
				{"kind":"contentRef","uri":"file:///report.txt"},
				{"kind":"hologram","id":"h","content":"what is this"},
				{"kind":"systemNotification","id":"n","content":"the model was changed"},
				{"kind":"inputRequest","id":"q","response":"accept","request":{"id":"q1","message":"Which branch?","questions":[{"kind":"text","id":"a","message":"Name"}]}},
				{"kind":"markdown","id":"m2","content":"It is done."}
			]},
		{"id":"t2","startedAt":"2026-11-30T09:15:00Z","duration":900,"state":"error","message":{"text":"and the other one","origin":{"kind":"agent"}},
			"responseParts":[{"kind":"error","id":"e","resumable":true,"error":{"errorType":"modelError","message":"the model did not answer","stack":"at line 1\nat line 2"}}]},
		{"id":"t3","state":"error","message":{"text":"once more"},"responseParts":[],"error":{"errorType":"old","message":"an error of an old version"}},
		{"id":"t4","state":"cancelled","message":{"text":"日本語でお願いします、長い長い長い長い長い長いメッセージです"},"responseParts":[]}
	],
	"activeTurn":{"id":"t5","startedAt":"2026-11-30T11:59:00Z","message":{"text":"add a note","origin":{"kind":"user"}},
		"responseParts":[
			{"kind":"markdown","id":"m3","content":"I'll add it."},
			{"kind":"inputRequest","id":"q2","request":{"id":"q2","message":"Where to?","questions":[{"kind":"single-select","id":"a","message":"Which list?","required":true,"options":[{"id":"1","label":"Shopping","recommended":true},{"id":"2","label":"Work","description":"the other one"}]}]}},
			{"kind":"toolCall","toolCall":{"status":"pending-confirmation","toolCallId":"c2","toolName":"add","displayName":"Add","toolInput":"{\"text\":\"x\"}","confirmationTitle":"Add a note?","contributor":{"kind":"mcp","customizationId":"s1"}}}
		]},
	"steeringMessage":{"id":"p1","message":{"text":"be quick","origin":{"kind":"user"}}},
	"queuedMessages":[{"id":"p2","message":{"text":"then stop","origin":{"kind":"user"}}}]
}`

func chat(t testing.TB, json string) *protocol.ChatState {
	t.Helper()
	c := new(protocol.ChatState)
	if err := protocol.Unmarshal([]byte(json), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func input(c *protocol.ChatState) transcript.Input {
	return transcript.Input{
		Chat: c, Servers: map[string]safetext.Text{"s1": safetext.Const("notes")},
		Notes:  map[string]toolcall.Note{"c1": {Took: safetext.Const("420 ms")}, "c2": {Since: safetext.Const("2 min")}},
		Keys:   toolcall.Keys{Approve: safetext.Const("y"), Deny: safetext.Const("d")},
		EndKey: safetext.Const("G"),

		Requests:    map[string]transcript.RequestNote{"q2": {Since: safetext.Const("2 min"), Begun: true}},
		RequestKeys: transcript.RequestKeys{Answer: safetext.Const("r"), Decline: safetext.Const("d"), Cancel: safetext.Const("x")},
		Now:         time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC),
	}
}

// words is a chat of one turn with an answer of some text.
func words(id, text string) *protocol.ChatState {
	return &protocol.ChatState{Resource: "ahp-chat:/" + protocol.URI(id), Turns: []*protocol.Turn{}, ActiveTurn: &protocol.Turn{
		ID: "t", Message: protocol.UserMessage("go"),
		ResponseParts: []*protocol.ResponsePart{{Kind: protocol.PartMarkdown, ID: "m", Content: protocol.StringOrMarkdown{Text: protocol.NewText(text)}}},
	}}
}

// grown is the chat after a delta, as the reducer makes it.
func grown(c *protocol.ChatState, delta string) *protocol.ChatState {
	state, turn, part := *c, *c.ActiveTurn, *c.ActiveTurn.ResponseParts[0]
	part.Content.Text = part.Content.Text.AppendString(delta)
	turn.ResponseParts = []*protocol.ResponsePart{&part}
	state.ActiveTurn = &turn
	return &state
}

func TestTranscript(t *testing.T) {
	t.Parallel()
	for _, width := range []int{30, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			m := transcript.New(viewtest.Plain(t))
			m.SetSize(width, 120)
			in := input(chat(t, chatJSON))
			folded := m.View(in, true)
			viewtest.Check(t, folded, width, 120)
			m.Home()
			for {
				before := m.Selected()
				m.Down()
				if m.Selected() == before {
					break
				}
				m.Toggle()
			}
			unfolded := m.View(in, true)
			viewtest.Check(t, unfolded, width, 120)
			golden.RequireEqual(t, strings.TrimRight(viewtest.Text(folded), "\n")+"\n\n=====\n\n"+strings.TrimRight(viewtest.Text(unfolded), "\n")+"\n")
		})
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	m := transcript.New(viewtest.Plain(t))
	m.SetSize(40, 3)
	if got := viewtest.Text(m.View(transcript.Input{Empty: safetext.Const("no session is open")}, true)); !strings.Contains(got, "no session is open") {
		t.Errorf("%q", got)
	}
	if got := viewtest.Text(m.View(transcript.Input{Chat: &protocol.ChatState{}}, true)); !strings.Contains(got, "nothing was said yet") {
		t.Errorf("%q", got)
	}
	for _, move := range moves(m) {
		move()
	}
	if m.SelectCall("t", "c") || m.SelectRequest("r") || m.Selected().Kind != transcript.None {
		t.Error("something is selected in nothing")
	}
}

func moves(m *transcript.Model) map[string]func() {
	return map[string]func(){
		"up": m.Up, "down": m.Down, "page up": m.PageUp, "page down": m.PageDown, "half up": m.HalfUp, "half down": m.HalfDown,
		"home": m.Home, "end": m.End, "toggle": m.Toggle, "deselect": m.Deselect,
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	in := input(chat(t, chatJSON))
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		m := transcript.New(theme)
		for _, size := range viewtest.Sizes() {
			m.SetSize(size.Width, size.Height)
			viewtest.Check(t, m.View(in, true), size.Width, size.Height)
			for _, move := range moves(m) {
				move()
				viewtest.Check(t, m.View(in, true), size.Width, size.Height)
			}
			viewtest.Check(t, m.View(transcript.Input{}, false), size.Width, size.Height)
		}
	}
}

// hostileChat has a text wherever a peer can put one.
func hostileChat(s string) *protocol.ChatState {
	text := protocol.NewText(s)
	either := protocol.StringOrMarkdown{Text: text, Markdown: true}
	msg := &protocol.Message{
		Text: text, Origin: protocol.MessageOrigin{Kind: s},
		Attachments: []*protocol.MessageAttachment{nil, {Type: s, Label: s}, {Type: s, URI: protocol.URI(s), DisplayKind: s}},
	}
	request := &protocol.ChatInputRequest{
		ID: s, Message: s, URL: protocol.URI(s),
		Questions: []*protocol.ChatInputQuestion{nil, {Kind: s, ID: s, Title: s, Message: s + "!", Options: []*protocol.ChatInputOption{nil, {Label: s, Description: s}}}},
		Answers:   map[string]*protocol.ChatInputAnswer{s: {State: s, Value: protocol.Raw(`"` + "\\u001b" + `"`)}},
	}
	parts := []*protocol.ResponsePart{
		nil,
		{Kind: protocol.PartMarkdown, ID: s, Content: either},
		{Kind: protocol.PartReasoning, ID: s, Content: either},
		{Kind: protocol.PartSystemNotification, Content: either},
		{Kind: protocol.PartContentRef, Ref: protocol.URI(s)},
		{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{Status: protocol.ToolRunning, ToolCallID: s, ToolName: s, DisplayName: s}},
		{Kind: protocol.PartToolCall},
		{Kind: protocol.PartInputRequest, Request: request},
		{Kind: protocol.PartInputRequest, Request: request, Response: s},
		{Kind: protocol.PartInputRequest},
		{Kind: protocol.PartError, Error: &protocol.ErrorInfo{ErrorType: s, Message: s, Stack: s}},
		{Kind: protocol.PartError},
		{Kind: protocol.PartKind(s), Content: either},
		{Kind: protocol.PartMarkdown, Raw: protocol.Raw("7")},
		{},
	}
	turn := func(id string) *protocol.Turn {
		return &protocol.Turn{ID: id, Message: msg, ResponseParts: parts, State: protocol.TurnState(s), StartedAt: s, Usage: &protocol.UsageInfo{Model: s}, Error: &protocol.ErrorInfo{Message: s, ErrorType: s}}
	}
	return &protocol.ChatState{
		Resource: protocol.URI(s), TurnsNextCursor: s, Turns: []*protocol.Turn{turn("1"), {}, turn("1")}, ActiveTurn: turn(s), ActivityText: s,
		InputRequests: []*protocol.ChatInputRequest{request, nil}, SteeringMessage: &protocol.PendingMessage{Message: msg},
		QueuedMessages: []*protocol.PendingMessage{{Message: msg}, {}, nil},
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		in := input(hostileChat(s))
		for _, width := range []int{20, 60} {
			m := transcript.New(viewtest.Colour(t))
			m.SetSize(width, 30)
			m.View(in, true)
			m.Home()
			for range 70 {
				viewtest.Check(t, m.View(in, true), width, 30)
				before := m.Selected()
				m.Down()
				if m.Selected() != before {
					m.Toggle()
				}
			}
		}
	}
}

// What goes with a message is named below it.
func TestAttached(t *testing.T) {
	t.Parallel()
	m := panel(t, 60, 30)
	c := long(1)
	msg := *c.Turns[0].Message
	msg.Attachments = []*protocol.MessageAttachment{
		{Type: protocol.AttachmentResource, Label: "main.go", DisplayKind: "document"}, nil, {Type: protocol.AttachmentResource, URI: "file:///a/b.txt"}, {Type: "simple"},
	}
	bare := protocol.Message{Attachments: msg.Attachments[:1:1]}
	c.Turns[0].Message = &msg
	c.Turns = append(c.Turns, &protocol.Turn{ID: "bare", Message: &bare, State: protocol.TurnComplete})
	for range 30 {
		bare.Attachments = append(bare.Attachments, msg.Attachments[0])
	}
	got := viewtest.Text(m.View(input(c), true))
	for _, want := range []string{"question 0.\n       + main.go (document)\n       + b.txt (resource)\n       + (no name) (simple)\n", "you   + main.go", "+ and 11 more"} {
		if !strings.Contains(got, want) {
			t.Errorf("it lacks %q:\n%s", want, got)
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	m := transcript.New(viewtest.Plain(t))
	m.SetSize(60, 10)
	in := input(words("1", "text"))
	if got := viewtest.Text(m.View(in, true)); !strings.Contains(got, "◐ working") {
		t.Errorf("a turn that runs:\n%s", got)
	}
	in.Stale = true
	if got := viewtest.Text(m.View(in, true)); !strings.Contains(got, "not up to date") || strings.Contains(got, "working") {
		t.Errorf("without a connection:\n%s", got)
	}
}

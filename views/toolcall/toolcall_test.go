package toolcall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/toolcall"
	"ahptui/views/viewtest"
)

var keys = toolcall.Keys{Approve: safetext.Const("y"), Deny: safetext.Const("d"), Grant: safetext.Const("g"), Cancel: safetext.Const("x"), Unfold: safetext.Const("⏎")}

// calls are calls in every status, as JSON says them.
func calls() map[string]string {
	return map[string]string{
		"streaming": `{"status":"streaming","toolCallId":"1","toolName":"add","displayName":"Add a note","partialInput":"{\"text\":\"buy mi"}`,
		"running":   `{"status":"running","toolCallId":"1","toolName":"search","displayName":"Search","toolInput":"{\"query\":\"login redirect\"}","confirmed":"not-needed"}`,
		"completed": `{"status":"completed","toolCallId":"1","toolName":"search","displayName":"Search","toolInput":"{\"query\":\"login redirect\",\"limit\":3}","confirmed":"setting","success":true,
			"pastTenseMessage":"Searched","content":[{"type":"text","text":"first line\nsecond line"},{"type":"resource","resource":"file:///a.txt","title":"a.txt"}],"_meta":{"ui":{"resourceUri":"ui://x"}}}`,
		"failed": `{"status":"completed","toolCallId":"1","toolName":"search","displayName":"Search","toolInput":"not json","confirmed":"user-action","selectedOption":{"id":"a","label":"Always","kind":"approve"},"success":false,
			"pastTenseMessage":"Could not search","error":{"message":"the index is not there\nand that is all that is known","code":"no_index"}}`,
		"denied": `{"status":"cancelled","toolCallId":"1","toolName":"add","displayName":"Add","reason":"denied","reasonMessage":"not today","userSuggestion":{"text":"use the other list"}}`,
		"confirmation": `{"status":"pending-confirmation","toolCallId":"1","toolName":"add","displayName":"Add a note","intention":"remember the milk","invocationMessage":"Adding a note",
			"confirmationTitle":"Add a note?","toolInput":"{\"text\":\"buy milk\",\"tags\":[\"shop\",\"today\"]}","riskAssessment":{"kind":"judge","status":"complete","reason":"writes a file","safety":0.75},
			"edits":{"items":[{"after":{"uri":"file:///notes/milk.md","content":{"uri":"x"}},"diff":{"added":3}},{"before":{"uri":"file:///a","content":{"uri":"x"}},"after":{"uri":"file:///b","content":{"uri":"x"}}}]}}`,
		"options": `{"status":"pending-confirmation","toolCallId":"1","toolName":"run","displayName":"Run a command","invocationMessage":"Running make","toolInput":"{\"command\":\"make\"}",
			"options":[{"id":"a","label":"Allow once","kind":"approve","group":1},{"id":"b","label":"Always allow in this session","kind":"approve","group":1},{"id":"c","label":"Refuse","kind":"deny","group":2}]}`,
		"result": `{"status":"pending-result-confirmation","toolCallId":"1","toolName":"fetch","displayName":"Fetch","toolInput":"{\"url\":\"https://example.com\"}","confirmed":"user-action","success":true,"pastTenseMessage":"Fetched","content":[{"type":"text","text":"a page of text"}]}`,
		"access": `{"status":"auth-required","toolCallId":"1","toolName":"create","displayName":"Create an issue","toolInput":"{\"title\":\"x\"}","contributor":{"kind":"mcp","customizationId":"s"},
			"auth":{"reason":"insufficientScope","description":"Creating issues needs write access","requiredScopes":["tracker:read","tracker:write"],"resource":{"resource":"https://tracker.example/mcp","authorization_servers":["https://login.example"]}}}`,
		"unknown": `{"status":"daydreaming","toolCallId":"1","toolName":"x","displayName":"Something new"}`,
		"raw":     `{"status":7,"toolCallId":"1"}`,
		"nothing": `{}`,
	}
}

func call(t testing.TB, json string) *protocol.ToolCall {
	t.Helper()
	c := new(protocol.ToolCall)
	if err := protocol.Unmarshal([]byte(json), c); err != nil {
		t.Fatal(err)
	}
	return c
}

func input(t testing.TB, name string) toolcall.Input {
	return toolcall.Input{Call: call(t, calls()[name]), Server: safetext.Const("notes"), Keys: keys}
}

func draw(theme themes.Theme, in toolcall.Input, width int) string {
	return strings.Join(lines(theme, in, width), "\n")
}

// lines are all lines of a call.
func lines(theme themes.Theme, in toolcall.Input, width int) []string {
	d := toolcall.New(theme)
	d.Update(in, width)
	var all []string
	for i := range d.Segments() {
		drawn, _ := d.Lines(i)
		all = append(all, drawn...)
	}
	return all
}

func TestCalls(t *testing.T) {
	t.Parallel()
	for name := range calls() {
		for _, width := range []int{40, 80, 200} {
			t.Run(fmt.Sprintf("%s-%d", name, width), func(t *testing.T) {
				t.Parallel()
				in := input(t, name)
				in.Note.Since, in.Note.Took = safetext.Const("2 min"), safetext.Const("420 ms")
				folded := draw(viewtest.Plain(t), in, width)
				in.Unfolded = true
				golden.RequireEqual(t, viewtest.Text(folded)+"\n"+viewtest.Text(draw(viewtest.Plain(t), in, width)))
			})
		}
	}
}

// What was answered, and what came of it.
func TestAnswers(t *testing.T) {
	t.Parallel()
	in := input(t, "confirmation")
	for _, tt := range []struct {
		name string
		note toolcall.Note
		want string
		not  string
	}{
		{"open", toolcall.Note{}, "[y] approve  [d] deny", "sent"},
		{"pending", toolcall.Note{Pending: true}, "sent, not confirmed yet", "[y]"},
		{"refused", toolcall.Note{Refused: safetext.Const("the host refused: too late")}, "the host refused: too late", "sent"},
		{"stale", toolcall.Note{Stale: true}, "not connected: it cannot be answered now", "[y]"},
	} {
		in.Note = tt.note
		got := viewtest.Text(draw(viewtest.Plain(t), in, 80))
		if !strings.Contains(got, tt.want) || strings.Contains(got, tt.not) {
			t.Errorf("%s:\n%s", tt.name, got)
		}
	}
}

// The host's own answers are worded as it words them, and numbered; beyond nine
// there is no key, and it does not seem that there is.
func TestManyOptions(t *testing.T) {
	t.Parallel()
	in := input(t, "options")
	c := *in.Call
	c.Options = nil
	for i := range 12 {
		c.Options = append(c.Options, &protocol.ConfirmationOption{ID: fmt.Sprint(i), Label: fmt.Sprintf("choice %c", 'A'+i), Kind: "approve"}, nil)
	}
	in.Call = &c
	got := viewtest.Text(draw(viewtest.Plain(t), in, 60))
	for _, want := range []string{"[1] choice A", "[9] choice E", "[-] choice L"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "[10]") {
		t.Errorf("a tenth key in\n%s", got)
	}
}

func TestSelectionStandsOut(t *testing.T) {
	t.Parallel()
	for name := range calls() {
		in := input(t, name)
		plain := draw(viewtest.Plain(t), in, 60)
		in.Selected = true
		dim := draw(viewtest.Plain(t), in, 60)
		in.Focused = true
		if bright := draw(viewtest.Plain(t), in, 60); plain == dim || dim == bright {
			t.Errorf("%s: selected or not, it looks the same", name)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for name := range calls() {
		for _, size := range viewtest.Sizes() {
			for _, unfolded := range []bool{false, true} {
				in := input(t, name)
				in.Unfolded, in.Selected = unfolded, unfolded
				drawn := draw(viewtest.Colour(t), in, size.Width)
				viewtest.Check(t, drawn, size.Width, strings.Count(drawn, "\n")+1)
			}
		}
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	success := false
	for _, s := range viewtest.Hostile() {
		text := protocol.NewText(s)
		either := protocol.StringOrMarkdown{Text: text, Markdown: true}
		for _, status := range []protocol.ToolCallStatus{
			protocol.ToolStreaming, protocol.ToolPendingConfirmation, protocol.ToolRunning, protocol.ToolAuthRequired,
			protocol.ToolPendingResultConfirmation, protocol.ToolCompleted, protocol.ToolCancelled, protocol.ToolCallStatus(s),
		} {
			c := &protocol.ToolCall{
				Status: status, ToolCallID: s, ToolName: s, DisplayName: s, Intention: s, PartialInput: text, InvocationMessage: either, ToolInput: protocol.ToolInput{Text: text},
				ConfirmationTitle: either, RiskAssessment: protocol.Raw(`{"status":` + quote(s) + `,"reason":` + quote(s) + `}`), Confirmed: s, Success: &success,
				Edits:   &protocol.FileEdits{Items: []*protocol.FileEdit{{After: &protocol.FileVersion{URI: protocol.URI(s)}}, nil, {}}},
				Options: []*protocol.ConfirmationOption{{Label: s}, nil}, SelectedOption: &protocol.ConfirmationOption{Label: s},
				Auth:    &protocol.McpAuthRequirement{Reason: s, Description: s, RequiredScopes: []string{s}, Resource: &protocol.ProtectedResourceMetadata{Resource: s, AuthorizationServers: []string{s}}},
				Content: []*protocol.ToolResultContent{{Type: "text", Text: text}, nil, {Type: s, Title: s, Resource: protocol.URI(s)}}, PastTenseMessage: either,
				Error: &protocol.ToolError{Message: s, Code: s}, Reason: s, ReasonMessage: either, UserSuggestion: &protocol.Message{Text: text},
			}
			server := safetext.Clean(s, 100)
			for _, width := range []int{20, 60} {
				drawn := draw(viewtest.Colour(t), toolcall.Input{Call: c, Server: server, Note: toolcall.Note{Refused: server, Since: server}, Keys: keys, Unfolded: true}, width)
				viewtest.Check(t, drawn, width, strings.Count(drawn, "\n")+1)
			}
		}
	}
}

func quote(s string) string {
	raw, err := protocol.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(raw)
}

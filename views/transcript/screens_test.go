package transcript_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/charmbracelet/x/vt"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/transcript"
	"ahptui/views/viewtest"
)

// readable is a chat with code, a sub-agent and text in several scripts.
func readable(t testing.TB) transcript.Input {
	t.Helper()
	c := chat(t, chatJSON)
	first := *c.Turns[0]
	first.ResponseParts = append(first.ResponseParts[:2:2],
		&protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: "code", Content: protocol.Plain(
			"The cause:\n\n```go\n// handleCallback drops the query.\nfunc handleCallback(w http.ResponseWriter, r *http.Request) {\n\tnext := \"/\" // was: r.FormValue(\"next\")\n\thttp.Redirect(w, r, next, 302)\n}\n```\n\n```diff\n-next := \"/\"\n+next := r.FormValue(\"next\")\n```")},
		&protocol.ResponsePart{Kind: protocol.PartMarkdown, ID: "scripts", Content: protocol.Plain(
			"日本語のテキスト、全角 · e\u0301a\u0300 · 👩\u200d💻👍🏽🇩🇪 · שלום עולם · مرحبا بالعالم · ไทย · ＡＢＣ")},
		&protocol.ResponsePart{Kind: protocol.PartToolCall, ToolCall: &protocol.ToolCall{
			Status: protocol.ToolRunning, ToolCallID: "agent", ToolName: "delegate", DisplayName: "delegate",
			Content: []*protocol.ToolResultContent{{Type: protocol.ContentSubagent, Resource: "ahp-chat:/sub", Title: "Find all callers"}},
		}},
	)
	turns := append([]*protocol.Turn{&first}, c.Turns[1:]...)
	c.Turns = turns
	in := input(c)
	in.Agents = map[protocol.URI]transcript.Agent{"ahp-chat:/sub": {Title: safetext.Const("Find all callers of handleCallback"), Status: protocol.StatusInProgress}}
	in.AgentKey = safetext.Const("s")
	in.Search = transcript.SearchInput{Next: safetext.Const("."), Previous: safetext.Const(","), End: safetext.Const("esc")}
	return in
}

// plays are what is done before the screens are looked at.
var plays = []struct {
	name string
	play func(m *transcript.Model, in *transcript.Input)
}{
	{"the end", func(*transcript.Model, *transcript.Input) {}},
	{"the beginning", func(m *transcript.Model, _ *transcript.Input) { m.Home() }},
	{"code", func(m *transcript.Model, _ *transcript.Input) { m.Home(); m.Down(); m.Down(); m.Down() }},
	{"a sub-agent", func(m *transcript.Model, _ *transcript.Input) { m.SelectCall("t1", "agent") }},
	{"an error", func(m *transcript.Model, _ *transcript.Input) { m.Jump(transcript.ToError, false); m.Toggle() }},
	{"unfolded", func(m *transcript.Model, _ *transcript.Input) { m.Home(); m.ToggleAll() }},
	{"something new", func(m *transcript.Model, in *transcript.Input) {
		m.PageUp()
		next, active := *in.Chat, *in.Chat.ActiveTurn
		active.ResponseParts = append(active.ResponseParts[:len(active.ResponseParts):len(active.ResponseParts)], turn(7).ResponseParts...)
		next.ActiveTurn = &active
		in.Chat = &next
	}},
	{"a search", func(m *transcript.Model, _ *transcript.Input) { m.Search("the"); m.NextMatch(false) }},
	{"no match", func(m *transcript.Model, in *transcript.Input) {
		m.Search("nothing of the kind")
		in.Search.Typing, in.Search.Field = true, "nothing of the kind"
	}},
}

// TestScreens compares panels with those that were looked at once.
func TestScreens(t *testing.T) {
	t.Parallel()
	for _, p := range plays {
		for _, size := range []viewtest.Size{{Width: 40, Height: 12}, {Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 200, Height: 60}} {
			for _, look := range []struct {
				name  string
				theme func(testing.TB) themes.Theme
				text  func(string) string
			}{{"plain", viewtest.Plain, viewtest.Text}, {"colour", viewtest.Colour, func(s string) string { return s + "\n" }}} {
				t.Run(fmt.Sprintf("%s/%dx%d-%s", p.name, size.Width, size.Height, look.name), func(t *testing.T) {
					t.Parallel()
					m := transcript.New(look.theme(t))
					m.SetSize(size.Width, size.Height)
					in := readable(t)
					m.View(in, true)
					p.play(m, &in)
					through(t, m)
					drawn := m.View(in, true)
					viewtest.Check(t, drawn, size.Width, size.Height)
					golden.RequireEqual(t, look.text(drawn))
				})
			}
		}
	}
}

// Each row takes its columns on a terminal, whatever script and glyphs are in it: what stands behind it stays in its column.
func TestColumnsOnATerminal(t *testing.T) {
	t.Parallel()
	in := readable(t)
	for _, p := range plays {
		for width := 20; width < 90; width += 9 {
			const height = 200
			m := transcript.New(viewtest.Colour(t))
			m.SetSize(width, height)
			m.View(in, true)
			shown := in
			p.play(m, &shown)
			screen := vt.NewEmulator(width+1, height)
			for y, line := range strings.Split(m.View(shown, true), "\n") {
				_, err := fmt.Fprintf(screen, "\x1b[%d;1H%s|", y+1, line)
				if err != nil {
					t.Fatal(err)
				}
				if cell := screen.CellAt(width, y); cell == nil || cell.Content != "|" {
					t.Fatalf("%s: row %d takes other than %d columns: %q", p.name, y, width, line)
				}
			}
		}
	}
}

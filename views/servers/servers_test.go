package servers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/servers"
	"ahptui/views/viewtest"
)

func input() servers.Input {
	return servers.Input{Groups: []servers.Group{
		{ID: "p1", Title: safetext.Const("plugin: acme-tools"), Rows: []servers.Row{
			{ID: "filesystem", Name: safetext.Const("filesystem"), State: protocol.McpReady, On: true, Since: safetext.Const("2 h"), Hints: []safetext.Text{safetext.Const("S stop  r restart  e off")}},
			{
				ID: "issues", Name: safetext.Const("issues"), State: protocol.McpAuthRequired, On: true, Since: safetext.Const("2 min"),
				Reason: safetext.Const("more access is needed"), Description: safetext.Const("Creating issues needs write access"),
				Scopes: []safetext.Text{safetext.Const("issues:read"), safetext.Const("issues:write")}, Resource: safetext.Const("https://tracker.example/mcp"),
				Held: []safetext.Text{safetext.Const("issues:read")}, Issuer: safetext.URL("https://login.example/tenants/acme"), SignIn: safetext.Const("g"),
				URI: safetext.Const("https://plugins.example/tracker/plugins.json"), App: true,
				Used: safetext.Const("used 3 times in this turn, 1 of it now"), Tools: safetext.Const("2"), By: safetext.Const("started by Anna"),
				About: about(),
			},
			{
				ID: "wiki", Name: safetext.Const("wiki"), State: protocol.McpAuthRequired, On: true, Since: safetext.Const("10 s"), Reason: safetext.Const("needs a sign-in"),
				Progress: safetext.Const("waiting for the browser"), SignIn: safetext.Const("g"), Issuer: safetext.URL("https://l\u043egin.example"),
			},
			{ID: "mail", Name: safetext.Const("mail"), State: protocol.McpReady, On: true, Granted: safetext.Const("granted mail:read 12 s ago")},
			{ID: "browser", Name: safetext.Const("browser"), State: protocol.McpStarting, On: true, Since: safetext.Const("20 s"), Slow: true, Blocking: true, Attempt: safetext.Const("attempt 3, 2 failed before")},
			{ID: "empty", Name: safetext.Const("empty"), State: protocol.McpReady, On: true, Since: safetext.Const("1 min"), NoTools: true},
			{ID: "quick", Name: safetext.Const("quick"), State: protocol.McpStarting, On: true, Since: safetext.Const("1 s"), Pending: true, Late: true, Asked: safetext.Const("start, asked 6 s ago; no word from the host")},
		}},
		{ID: "p2", Title: safetext.Const("plugin: not read yet"), Loading: true},
		{ID: "p3", Title: safetext.Const("directory: half"), Off: true, Problem: safetext.Const("cannot read plugins.json"), Rows: []servers.Row{
			{ID: "a", Name: safetext.Const("leaving"), State: protocol.McpReady, Since: safetext.Const("1 min")},
			{ID: "b", Name: safetext.Const("gone"), State: protocol.McpStopped},
		}},
		{Title: safetext.Const("user: mcp.json"), Rows: []servers.Row{
			{ID: "postgres", Name: safetext.Const("postgres"), State: protocol.McpStopped, On: true, Scope: safetext.Const("session"), Refused: safetext.Const("the host refused: this server is managed by your administrator")},
			{
				ID: "broken", Name: safetext.Const("broken"), State: protocol.McpError, On: true, Since: safetext.Const("5 s"), ErrorType: safetext.Const("spawnFailed"),
				Error: safetext.CleanBlock("exec: \"no-such-program\": executable file not found in $PATH\nsecond line", 4000),
			},
			{ID: "odd", Name: safetext.Const("日本語サーバー"), State: "hibernating", On: true},
		}},
	}}
}

// about is what only the details show.
func about() *servers.About {
	return &servers.About{
		Starts: safetext.Const("3, 2 ready, 1 failed, the last took 1.2 s"), Problem: safetext.Const("5 min ago: failed, nothing listens at its address"),
		Issuers:   []safetext.Link{safetext.URL("https://login.example/tenants/acme"), safetext.URL("https://other.example")},
		LastAsked: safetext.Const("issues:read"), Blocks: []safetext.Text{safetext.Const("issues.create needs access, 2 min")},
		Decisions: safetext.Const("on in this session, off everywhere"), Container: safetext.Const("plugin acme-tools, brought by Anna"),
		Declared: safetext.Const("npx"), Place: safetext.Const("from line 7 on"), ID: safetext.Const("srv-41"), Channel: safetext.Const("mcp://h/41"),
		Capabilities: safetext.Const("tools, logging"), ToolNames: safetext.Const("issues.list, issues.create"),
		History: []servers.Past{
			{Ago: safetext.Const("2 min ago"), What: safetext.Const("needs more access: issues:write"), State: protocol.McpAuthRequired},
			{Ago: safetext.Const("3 min ago"), What: safetext.Const("you switched it on")},
			{Ago: safetext.Const("over 2 h"), What: safetext.Const("ready: found so"), State: protocol.McpReady},
		},
		Earlier: 4,
	}
}

func TestServers(t *testing.T) {
	t.Parallel()
	for _, width := range []int{24, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			m := servers.New(viewtest.Plain(t))
			m.SetSize(width, 30)
			screens := ""
			for _, id := range []servers.Ref{{Container: "p1", ID: "filesystem"}, {Container: "p1", ID: "issues"}, {Container: "p1", ID: "wiki"}, {Container: "p1", ID: "mail"}, {Container: "p1", ID: "quick"}, {ID: "broken"}, {ID: "postgres"}} {
				m.Select(id)
				screens += viewtest.Text(m.View(input(), true)) + "\n"
			}
			golden.RequireEqual(t, screens)
		})
	}
}

// TestAges: every badge says since when, in every width that the panel has.
func TestAges(t *testing.T) {
	t.Parallel()
	for _, kind := range []protocol.McpStateKind{protocol.McpStarting, protocol.McpReady, protocol.McpAuthRequired, protocol.McpError, protocol.McpStopped, "hibernating"} {
		for _, stale := range []bool{false, true} {
			for width := 22; width < 60; width++ {
				row := servers.Row{ID: "x", Name: safetext.Const("a-server-with-a-name"), State: kind, On: true, Since: safetext.Const("59 min"), Pending: true}
				m := servers.New(viewtest.Plain(t))
				m.SetSize(width, 6)
				if drawn := viewtest.Text(m.View(servers.Input{Stale: stale, Groups: []servers.Group{{Rows: []servers.Row{row}}}}, false)); !strings.Contains(drawn, "59 min") {
					t.Errorf("%s in %d columns has no age:\n%s", kind, width, drawn)
				}
			}
		}
	}
}

func TestStale(t *testing.T) {
	t.Parallel()
	m := servers.New(viewtest.Plain(t))
	m.SetSize(30, 8)
	in := input()
	in.Stale = true
	if got := viewtest.Text(m.View(in, true)); !strings.HasPrefix(got, " ◌ not up to date\n") {
		t.Errorf("no mark in\n%s", got)
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	m := servers.New(viewtest.Plain(t))
	m.SetSize(40, 2)
	if got := viewtest.Text(m.View(servers.Input{}, true)); !strings.Contains(got, "no MCP servers in this session") {
		t.Errorf("%q", got)
	}
	if got := viewtest.Text(m.View(servers.Input{Empty: safetext.Const("no session is open")}, true)); !strings.Contains(got, "no session is open") {
		t.Errorf("%q", got)
	}
}

// What is shown of a state, in words.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		row  servers.Row
		want string
	}{
		{servers.Row{State: protocol.McpReady, On: true}, "● x ready"},
		{servers.Row{State: protocol.McpStarting, On: true}, "◐ x starting"},
		{servers.Row{State: protocol.McpStarting, On: true, Slow: true}, "◐ x no answer"},
		{servers.Row{State: protocol.McpAuthRequired, On: true}, "▲ x needs access"},
		{servers.Row{State: protocol.McpError, On: true}, "✖ x error"},
		{servers.Row{State: protocol.McpStopped, On: true}, "○ x stopped"},
		{servers.Row{State: protocol.McpReady}, "● x stopping"},
		{servers.Row{State: protocol.McpStarting}, "◐ x stopping"},
		{servers.Row{State: protocol.McpStopped}, "⊝ x off"},
		{servers.Row{State: protocol.McpError}, "⊝ x off"},
		{servers.Row{State: "hibernating", On: true}, "? x hibernating"},
		{servers.Row{On: true}, "? x unknown"},
		{servers.Row{State: protocol.McpReady, On: true, Pending: true}, "● x ↻ ready"},
	} {
		tt.row.ID, tt.row.Name = "x", safetext.Const("x")
		m := servers.New(viewtest.Plain(t))
		m.SetSize(60, 1)
		got := viewtest.Text(m.View(servers.Input{Groups: []servers.Group{{Rows: []servers.Row{tt.row}}}}, false))
		if got = strings.Join(strings.Fields(got), " "); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.row, got, tt.want)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			m := servers.New(theme)
			m.SetSize(size.Width, size.Height)
			viewtest.Check(t, m.View(servers.Input{}, true), size.Width, size.Height)
			for range 12 {
				viewtest.Check(t, m.View(input(), true), size.Width, size.Height)
				m.Down()
			}
		}
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		text := safetext.Clean(s, 200)
		row := servers.Row{
			ID: s, Name: text, State: protocol.McpStateKind(s), On: true, Scope: text, Since: text, Refused: text, Reason: text, Description: text,
			Scopes: []safetext.Text{text}, Resource: text, Error: safetext.CleanBlock(s, 500), ErrorType: text, URI: text, Hints: []safetext.Text{text}, Pending: true,
			Held: []safetext.Text{text}, Issuer: safetext.URL("https://" + s), SignIn: text, Granted: text,
			Asked: text, Late: true, By: text, Attempt: text, Used: text, Tools: text, Fault: text, About: &servers.About{
				Starts: text, Problem: text, Issuers: []safetext.Link{safetext.URL("https://" + s)}, LastAsked: text, Blocks: []safetext.Text{text}, Decisions: text,
				Container: text, Declared: text, Place: text, ID: text, Channel: text, Capabilities: text, ToolNames: text,
				History: []servers.Past{{Ago: text, What: text, State: protocol.McpStateKind(s)}},
			},
		}
		broken := row
		broken.ID, broken.State = "e", protocol.McpError
		waits := row
		waits.ID, waits.State = "w", protocol.McpAuthRequired
		signing := waits
		signing.ID, signing.Progress = "s", text
		in := servers.Input{Groups: []servers.Group{{ID: s, Title: text, Problem: text, Rows: []servers.Row{row, broken, waits, signing}}}}
		for _, width := range []int{20, 40, 100} {
			m := servers.New(viewtest.Colour(t))
			m.SetSize(width, 40)
			for range 4 {
				viewtest.Check(t, m.View(in, true), width, 40)
				m.Down()
			}
		}
	}
}

// The same id in two containers is two rows.
func TestSelection(t *testing.T) {
	t.Parallel()
	in := servers.Input{Groups: []servers.Group{
		{ID: "one", Rows: []servers.Row{{ID: "x", Name: safetext.Const("x")}}},
		{ID: "two", Rows: []servers.Row{{ID: "x", Name: safetext.Const("x")}, {ID: "y", Name: safetext.Const("y")}}},
	}}
	m := servers.New(viewtest.Plain(t))
	m.SetSize(30, 2)
	if _, ok := m.Selected(); ok {
		t.Error("something is selected before there is anything")
	}
	m.Sync(in)
	for _, step := range []struct {
		move func()
		want servers.Ref
	}{
		{func() {}, servers.Ref{Container: "one", ID: "x"}},
		{m.Down, servers.Ref{Container: "two", ID: "x"}},
		{m.End, servers.Ref{Container: "two", ID: "y"}},
		{m.Up, servers.Ref{Container: "two", ID: "x"}},
		{m.Home, servers.Ref{Container: "one", ID: "x"}},
		{m.PageDown, servers.Ref{Container: "two", ID: "x"}},
		{m.HalfUp, servers.Ref{Container: "one", ID: "x"}},
	} {
		step.move()
		if got, ok := m.Selected(); !ok || got != step.want {
			t.Fatalf("%v is selected, want %v", got, step.want)
		}
		if drawn := m.View(in, true); !strings.Contains(drawn, "\x1b[7m") {
			t.Errorf("%v is not in sight:\n%s", step.want, drawn)
		}
	}
}

// The details alone are for a window of their own: nothing of them is cut off.
func TestDetail(t *testing.T) {
	t.Parallel()
	row := input().Groups[0].Rows[1]
	lines := servers.Detail(viewtest.Plain(t), row, 50)
	viewtest.Check(t, strings.Join(lines, "\n"), 50, len(lines))
	golden.RequireEqual(t, viewtest.Text(strings.Join(lines, "\n")))
}

// A key to sign in is offered where a sign-in is needed, and nowhere else.
func TestSignIn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		row  servers.Row
		want string
	}{
		{servers.Row{State: protocol.McpAuthRequired, On: true, SignIn: safetext.Const("g")}, "[g] sign in"},
		{servers.Row{State: protocol.McpAuthRequired, On: true, SignIn: safetext.Const("g"), Progress: safetext.Const("asking the host")}, "◌ signing in: asking the host [g] show sign-in"},
		{servers.Row{State: protocol.McpAuthRequired, On: true, Scopes: []safetext.Text{safetext.Const("a"), safetext.Const("b")}}, "a b"},
		{servers.Row{State: protocol.McpAuthRequired, SignIn: safetext.Const("g")}, ""},
		{servers.Row{State: protocol.McpReady, On: true, SignIn: safetext.Const("g")}, ""},
	} {
		tt.row.ID, tt.row.Name = "x", safetext.Const("x")
		m := servers.New(viewtest.Plain(t))
		m.SetSize(60, 4)
		drawn := viewtest.Text(m.View(servers.Input{Groups: []servers.Group{{Rows: []servers.Row{tt.row}}}}, false))
		_, below, _ := strings.Cut(drawn, "\n")
		if got := strings.Join(strings.Fields(below), " "); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.row, got, tt.want)
		}
	}
}

package sessions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/sessions"
	"ahptui/views/viewtest"
)

func rows() (list []*sessions.Row, ages []safetext.Text) {
	row := func(id, title string, status protocol.Status, age string) {
		list = append(list, &sessions.Row{
			ID: protocol.URI(id), Title: safetext.Clean(title, 200), Status: status, Provider: safetext.Const("copilotcli"),
			Directory: safetext.Const("shop"), Chats: 1,
		})
		ages = append(ages, safetext.Clean(age, 20))
	}
	row("a", "Fix the login bug", protocol.StatusInputNeeded, "now")
	row("b", "Update the docs", protocol.StatusInProgress, "2 min")
	row("c", "Release notes", protocol.StatusIdle, "3 h")
	row("d", "Nightly triage", protocol.StatusError, "2 d")
	row("e", "日本語のとても長いタイトルのセッション", protocol.StatusIdle, "2 d")
	row("f", "", protocol.StatusIdle, "9 d")
	row("g", "Old and done", protocol.StatusIdle, "12 d")
	row("h", "Being made", protocol.StatusIdle, "now")
	row("i", "Could not be made", protocol.StatusIdle, "now")
	list[0].Blocked, list[0].Unread, list[0].Chats = 2, true, 3
	list[1].Activity, list[1].Pending = safetext.Const("reading README.md"), true
	list[2].Refused = safetext.Const("the host refused: titles are read-only")
	list[6].Archived, list[7].Creating, list[8].Failed = true, true, true
	return list, ages
}

func input() sessions.Input {
	list, ages := rows()
	return sessions.Input{Listed: true, Rows: list, Ages: ages, NewKey: safetext.Const("n")}
}

// grouped is the input with headings.
func grouped() sessions.Input {
	in := input()
	in.Groups = []sessions.Group{
		{Title: safetext.Const("needs you"), From: 0, Count: 1},
		{Title: safetext.Const("working"), From: 1, Count: 1},
		{Title: safetext.Const("idle"), From: 2, Count: 7},
	}
	return in
}

func TestSessions(t *testing.T) {
	t.Parallel()
	for _, scene := range []struct {
		name string
		in   sessions.Input
		at   protocol.URI
	}{
		{"plain", input(), "a"},
		{"pending", input(), "b"},
		{"refused", input(), "c"},
		{"grouped", grouped(), "g"},
		{"filtered", filtered(sessions.Filter{On: true, Text: safetext.Const("login !docs"), Total: 340}), "a"},
		{"typing", filtered(sessions.Filter{On: true, Typing: true, Field: "log", Total: 340}), "a"},
	} {
		for _, size := range []viewtest.Size{{Width: 20, Height: 16}, {Width: 38, Height: 6}, {Width: 40, Height: 16}, {Width: 80, Height: 11}, {Width: 200, Height: 11}} {
			t.Run(fmt.Sprintf("%s/%dx%d", scene.name, size.Width, size.Height), func(t *testing.T) {
				t.Parallel()
				m := sessions.New(viewtest.Plain(t))
				m.SetSize(size.Width, size.Height)
				m.Sync(scene.in)
				m.SelectID(scene.at)
				golden.RequireEqual(t, viewtest.Text(m.View(scene.in, true)))
			})
		}
	}
}

func filtered(f sessions.Filter) sessions.Input {
	in := input()
	in.Rows, in.Filter = in.Rows[:1], f
	return in
}

// TestGroups: a heading is never selected, and every row comes into sight with its heading where there is room.
func TestGroups(t *testing.T) {
	t.Parallel()
	in := grouped()
	for height := 1; height <= 13; height++ {
		m := sessions.New(viewtest.Plain(t))
		m.SetSize(40, height)
		m.Sync(in)
		for _, move := range []func(){m.Down, m.Up} {
			for range in.Rows {
				drawn := m.View(in, true)
				viewtest.Check(t, drawn, 40, height)
				at := slices.IndexFunc(in.Rows, func(r *sessions.Row) bool { return r.ID == m.Selected() })
				marked := ""
				for _, line := range strings.Split(drawn, "\n") {
					if strings.Contains(line, "\x1b[7m") {
						marked += viewtest.Text(line)
					}
				}
				want := in.Rows[at].Title.Truncate(8).String()
				if want == "" {
					want = "untitled"
				}
				if strings.Count(marked, "\n") != 1 || !strings.Contains(marked, strings.TrimSuffix(want, "…")) {
					t.Fatalf("height %d, %s selected, marked %q in\n%s", height, want, marked, viewtest.Text(drawn))
				}
				move()
			}
		}
		m.Home()
		if drawn := viewtest.Text(m.View(in, true)); height > 1 && !strings.HasPrefix(drawn, "needs you") {
			t.Errorf("height %d: the first heading is out of sight:\n%s", height, drawn)
		}
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	m := sessions.New(viewtest.Plain(t))
	m.SetSize(24, 3)
	if got := viewtest.Text(m.View(sessions.Input{}, true)); !strings.Contains(got, "waiting") {
		t.Errorf("before the first list: %q", got)
	}
	got := viewtest.Text(m.View(sessions.Input{Listed: true, NewKey: safetext.Const("n")}, true))
	if !strings.Contains(got, "no sessions yet") || !strings.Contains(got, "n new session") {
		t.Errorf("without sessions: %q", got)
	}
	got = viewtest.Text(m.View(sessions.Input{Listed: true, Archived: 3, ArchivedKey: safetext.Const("v")}, true))
	if !strings.Contains(got, "archived") || !strings.Contains(got, "v shows them") {
		t.Errorf("with archived ones alone: %q", got)
	}
	got = viewtest.Text(m.View(sessions.Input{Listed: true, Filter: sessions.Filter{On: true, Text: safetext.Const("x"), Total: 4, EndKey: safetext.Const("esc")}}, true))
	if !strings.Contains(got, "0/4") || !strings.Contains(got, "no session matches") || !strings.Contains(got, "esc shows all") {
		t.Errorf("where none matches: %q", got)
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			m := sessions.New(theme)
			m.SetSize(size.Width, size.Height)
			for range 4 {
				viewtest.Check(t, m.View(input(), true), size.Width, size.Height)
				viewtest.Check(t, m.View(grouped(), true), size.Width, size.Height)
				viewtest.Check(t, m.View(filtered(sessions.Filter{On: true, Typing: true, Field: "abc", Total: 5}), true), size.Width, size.Height)
				m.PageDown()
			}
			viewtest.Check(t, m.View(sessions.Input{}, false), size.Width, size.Height)
			viewtest.Check(t, m.View(sessions.Input{Listed: true, NewKey: safetext.Const("n")}, false), size.Width, size.Height)
		}
	}
}

func TestHostile(t *testing.T) {
	t.Parallel()
	in := sessions.Input{Listed: true}
	for i, s := range viewtest.Hostile() {
		text := safetext.Clean(s, 200)
		in.Rows = append(in.Rows, &sessions.Row{ID: protocol.URI(fmt.Sprint(i)), Title: text, Provider: text, Activity: text, Directory: text, Refused: text})
		in.Ages = append(in.Ages, text)
		in.Groups = append(in.Groups, sessions.Group{Title: text, From: i, Count: 1})
	}
	in.Filter = sessions.Filter{On: true, Text: in.Rows[0].Title, Total: 1000}
	for _, width := range []int{20, 40, 120} {
		m := sessions.New(viewtest.Colour(t))
		m.SetSize(width, len(in.Rows))
		for range in.Rows {
			viewtest.Check(t, m.View(in, true), width, len(in.Rows))
			m.Down()
		}
	}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	m := sessions.New(viewtest.Plain(t))
	m.SetSize(30, 3)
	in := input()
	m.Sync(in)
	for _, step := range []struct {
		name string
		move func()
		want protocol.URI
	}{
		{"first", func() {}, "a"},
		{"down", m.Down, "b"},
		{"up", m.Up, "a"},
		{"up at the top", m.Up, "a"},
		{"end", m.End, "i"},
		{"page up", m.PageUp, "g"},
		{"page down", m.PageDown, "i"},
		{"home", m.Home, "a"},
		{"by id", func() { m.SelectID("d") }, "d"},
	} {
		step.move()
		drawn := m.View(in, true)
		if got := m.Selected(); got != step.want {
			t.Fatalf("%s: %q is selected, want %q", step.name, got, step.want)
		}
		// The selected row is in sight, and stands out without colour.
		if !strings.Contains(drawn, "\x1b[7m") {
			t.Errorf("%s: nothing is marked in %q", step.name, drawn)
		}
	}
	in.Rows = in.Rows[2:]
	m.View(in, true)
	if got := m.Selected(); got != "d" {
		t.Errorf("after others went: %q, want d", got)
	}
}

func BenchmarkView10000(b *testing.B) {
	in := sessions.Input{Listed: true}
	for i := range 10_000 {
		in.Rows = append(in.Rows, &sessions.Row{ID: protocol.URI(fmt.Sprint(i)), Title: safetext.Const("Fix the login bug"), Status: protocol.StatusIdle})
	}
	m := sessions.New(viewtest.Colour(b))
	m.SetSize(40, 50)
	m.Sync(in)
	m.End()
	b.ReportAllocs()
	for b.Loop() {
		m.View(in, true)
	}
}

package sessions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/sessions"
	"ahptui/views/viewtest"
)

func rows() []sessions.Row {
	row := func(id, title string, status protocol.Status, age string) sessions.Row {
		return sessions.Row{ID: protocol.URI(id), Title: safetext.Clean(title, 200), Status: status, Provider: safetext.Const("copilotcli"), Age: safetext.Clean(age, 20)}
	}
	list := []sessions.Row{
		row("a", "Fix the login bug", protocol.StatusInputNeeded, "now"),
		row("b", "Update the docs", protocol.StatusInProgress, "2 min"),
		row("c", "Release notes", protocol.StatusIdle, "3 h"),
		row("d", "Nightly triage", protocol.StatusError, "2 d"),
		row("e", "日本語のとても長いタイトルのセッション", protocol.StatusIdle, "2 d"),
		row("f", "", protocol.StatusIdle, "9 d"),
		row("g", "Old and done", protocol.StatusIdle, "12 d"),
		row("h", "Being made", protocol.StatusIdle, "now"),
		row("i", "Could not be made", protocol.StatusIdle, "now"),
	}
	list[0].Blocked, list[0].Unread = 2, true
	list[1].Activity = safetext.Const("reading README.md")
	list[6].Archived, list[7].Creating, list[8].Failed = true, true, true
	return list
}

func input() sessions.Input {
	return sessions.Input{Listed: true, Rows: rows(), NewKey: safetext.Const("n")}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	for _, width := range []int{20, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			m := sessions.New(viewtest.Plain(t))
			m.SetSize(width, 11)
			golden.RequireEqual(t, viewtest.Text(m.View(input(), true)))
		})
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
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			m := sessions.New(theme)
			m.SetSize(size.Width, size.Height)
			for range 4 {
				viewtest.Check(t, m.View(input(), true), size.Width, size.Height)
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
		in.Rows = append(in.Rows, sessions.Row{ID: protocol.URI(fmt.Sprint(i)), Title: text, Provider: text, Age: text, Activity: text})
	}
	for _, width := range []int{20, 40, 120} {
		m := sessions.New(viewtest.Colour(t))
		m.SetSize(width, len(in.Rows))
		viewtest.Check(t, m.View(in, true), width, len(in.Rows))
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
		in.Rows = append(in.Rows, sessions.Row{ID: protocol.URI(fmt.Sprint(i)), Title: safetext.Const("Fix the login bug"), Status: protocol.StatusIdle})
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

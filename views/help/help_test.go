package help_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/themes"
	"ahptui/views/help"
	"ahptui/views/viewtest"
)

func off(id keymap.ID) safetext.Text {
	if id == keymap.ServerStart {
		return safetext.Const("it is running")
	}
	return safetext.Text{}
}

func input() help.Input {
	return help.Input{Close: safetext.Const("esc"), Groups: help.Groups(keymap.Default(), keymap.Servers, false, off)}
}

// The words are the key map's; here it is how they are laid out that counts, so
// the golden screens have groups of their own.
func TestHelp(t *testing.T) {
	t.Parallel()
	in := help.Input{Close: safetext.Const("esc"), Groups: []help.Group{
		{Title: safetext.Const("General"), Entries: []help.Entry{
			{Key: safetext.Const("?"), Does: safetext.Const("Show or hide the keys")},
			{Key: safetext.Const("a"), Does: safetext.Const("Go to the next thing that waits for you, wherever it is, in whichever session of this host")},
		}},
		{Title: safetext.Const("MCP servers"), Entries: []help.Entry{
			{Key: safetext.Const("s"), Does: safetext.Const("Start the selected server"), Off: safetext.Const("it is running")},
			{Key: safetext.Const("S"), Does: safetext.Const("Stop the selected server")},
		}},
	}}
	for _, width := range []int{30, 40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			m := help.New(viewtest.Plain(t))
			m.SetSize(width, 40)
			screens := viewtest.Text(m.View(in))
			m.SetSize(width, 6)
			m.Down()
			golden.RequireEqual(t, screens+viewtest.Text(m.View(in)))
		})
	}
}

func TestEveryKeyIsListed(t *testing.T) {
	t.Parallel()
	m := help.New(viewtest.Plain(t))
	m.SetSize(80, 200)
	drawn := viewtest.Text(m.View(input()))
	for _, section := range keymap.Default().Help(keymap.Servers) {
		for _, b := range section.Bindings {
			if !strings.Contains(drawn, b.Labels(false)) {
				t.Errorf("%s is not in\n%s", b.ID, drawn)
			}
		}
	}
	if !strings.Contains(drawn, "(it is running)") {
		t.Error("it does not say why a key does nothing")
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			m := help.New(theme)
			m.SetSize(size.Width, size.Height)
			for _, move := range []func(){m.Down, m.PageDown, m.HalfDown, m.End, m.Up, m.PageUp, m.HalfUp, m.Home} {
				drawn := m.View(input())
				viewtest.Check(t, drawn, min(size.Width, 78), min(size.Height, strings.Count(drawn, "\n")+1))
				move()
			}
			footer, _ := help.Footer(theme, help.Hints(keymap.Default(), keymap.Servers, false, off), size.Width)
			viewtest.Check(t, footer, size.Width, 1)
		}
	}
}

// A scrolled overlay shows every line once.
func TestScroll(t *testing.T) {
	t.Parallel()
	m := help.New(viewtest.Plain(t))
	m.SetSize(60, 10)
	first := m.View(input())
	m.Up()
	if m.View(input()) != first {
		t.Error("up at the top moved")
	}
	m.End()
	last := m.View(input())
	m.Down()
	if m.View(input()) != last {
		t.Error("down at the end moved")
	}
	if strings.Contains(last, "↓ more") || !strings.Contains(last, "↑ more") || !strings.Contains(first, "↓ more") {
		t.Errorf("more is said at the wrong end:\n%s\n%s", viewtest.Text(first), viewtest.Text(last))
	}
}

func TestFooterKeepsTheFirst(t *testing.T) {
	t.Parallel()
	hints := []help.Entry{{Key: safetext.Const("i"), Does: safetext.Const("write")}, {Key: safetext.Const("tab"), Does: safetext.Const("panel")}, {Key: safetext.Const("?"), Does: safetext.Const("help")}}
	for width, want := range map[int]string{80: "i write  tab panel  ? help", 25: "i write  tab panel", 18: "i write  tab panel", 17: "i write", 7: "i write", 6: ""} {
		footer, spots := help.Footer(viewtest.Plain(t), hints, width)
		for _, spot := range spots {
			if hint := viewtest.Text(footer)[spot.From:spot.To]; !strings.HasPrefix(hint, spot.Key.String()+" ") {
				t.Errorf("at %d: %q stands at %q", width, spot.Key, hint)
			}
		}
		if got := strings.TrimSpace(viewtest.Text(footer)); got != want {
			t.Errorf("at %d: %q, want %q", width, got, want)
		}
	}
}

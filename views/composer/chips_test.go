package composer_test

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ahptui/internal/safetext"
	"ahptui/views/composer"
	"ahptui/views/viewtest"
)

// TestChips: what goes along stands above the text, in two lines at most; what has no room is counted.
func TestChips(t *testing.T) {
	t.Parallel()
	chip := func(name, note string) composer.Chip {
		return composer.Chip{Name: safetext.Clean(name, 100), Note: safetext.Clean(note, 100)}
	}
	few := []composer.Chip{chip("a.go", "1 KiB"), chip("b.go", "")}
	many := slices.Concat(few, []composer.Chip{chip(strings.Repeat("long", 20), "2 MiB"), chip("d.go", "3 B"), chip("e.go", "4 B")})
	for _, tt := range []struct {
		chips []composer.Chip
		width int
		want  []string
	}{
		{nil, 40, nil},
		{few, 40, []string{"  [a.go 1 KiB] [b.go]"}},
		{few, 16, []string{"  [a.go 1 KiB]", "  [b.go]"}},
		{few[:1], 9, []string{"  [a.go]"}},
		{many, 40, []string{"  [a.go 1 KiB] [b.go]", "  [" + strings.Repeat("long", 6) + "lo… 2 MiB] +2"}},
		{many, 200, []string{"  [a.go 1 KiB] [b.go] [" + strings.Repeat("long", 20) + " 2 MiB] [d.go 3 B] [e.go 4 B]"}},
	} {
		m := composer.New(viewtest.Plain(t))
		in := composer.Input{Chips: tt.chips, Placeholder: safetext.Const("write")}
		lines := m.Lines(in, tt.width)
		m.SetSize(tt.width, lines)
		m.Focus()
		drawn := m.View(in, true)
		viewtest.Check(t, drawn, tt.width, lines)
		got := strings.Split(strings.TrimRight(viewtest.Text(drawn), "\n"), "\n")
		for i := range got {
			got[i] = strings.TrimRight(got[i], " ")
		}
		if strings.Join(got[:len(got)-1], "\n") != strings.Join(tt.want, "\n") {
			t.Errorf("at %d columns there is %q, want %q", tt.width, got[:len(got)-1], tt.want)
		}
		if c := m.Cursor(); c == nil || c.Y != len(tt.want) || c.X != 2 {
			t.Errorf("at %d columns the cursor is at %+v", tt.width, c)
		}
	}
}

// TestChipsSizes: there is a field of every size, whatever the names are.
func TestChipsSizes(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		chip := composer.Chip{Name: safetext.Clean(s, 100), Note: safetext.Clean(s, 100)}
		m := composer.New(viewtest.Colour(t))
		m.SetValue("some\ntext")
		for _, size := range viewtest.Sizes() {
			m.SetSize(size.Width, size.Height)
			viewtest.Check(t, m.View(composer.Input{Chips: []composer.Chip{chip, chip, chip}}, true), size.Width, size.Height)
		}
	}
}

// TestChoices: the selection goes round, is in sight, and the box is as large as it has to be.
func TestChoices(t *testing.T) {
	t.Parallel()
	c := composer.NewChoices(viewtest.Plain(t))
	if c.Selected() != -1 || c.View(safetext.Text{}, 40, 10) != "" {
		t.Error("there is something where nothing can be chosen")
	}
	var list []composer.Choice
	for i := range 20 {
		list = append(list, composer.Choice{Name: safetext.Clean("name"+string(rune('a'+i)), 20), Note: safetext.Const("note")})
	}
	c.Set(list)
	for i := range 25 {
		if c.Selected() != i%20 {
			t.Fatalf("selected is %d, want %d", c.Selected(), i%20)
		}
		if drawn := viewtest.Text(c.View(safetext.Const("tab takes it"), 40, 30)); !strings.Contains(drawn, list[i%20].Name.String()) || strings.Count(drawn, "note") != composer.MaxChoices {
			t.Fatalf("%d is not in sight:\n%s", i, drawn)
		}
		c.Move(1)
	}
	c.Set(list)
	c.Move(-1)
	if c.Selected() != 19 {
		t.Errorf("selected is %d", c.Selected())
	}
	for _, size := range viewtest.Sizes() {
		if drawn := c.View(safetext.Const("hints"), size.Width, size.Height); drawn != "" && (strings.Count(drawn, "\n")+1 > size.Height) {
			t.Errorf("it is %d lines high in %v", strings.Count(drawn, "\n")+1, size)
		}
	}
}

// TestReplace: a part of the text is replaced, whatever it is made of, and the cursor stands behind it.
func TestReplace(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"see @al now", "é👩‍💻 @al日本", "one\ntwo @al three\nfour\n" + strings.Repeat("wide ", 40), "@al"} {
		m := composer.New(viewtest.Plain(t))
		m.SetSize(20, 6)
		m.Focus()
		m.SetValue(text)
		at := strings.Index(text, "@al")
		if !m.Replace(at, at+3, "@alpha.go") {
			t.Fatal("there is no room")
		}
		want := text[:at] + "@alpha.go"
		if m.Value() != want+text[at+3:] || m.Before() != want {
			t.Errorf("there is %q before the cursor in %q", m.Before(), m.Value())
		}
		m.Update(tea.KeyPressMsg{Code: '!', Text: "!"})
		if m.Before() != want+"!" {
			t.Errorf("typed in is %q", m.Before())
		}
		if m.Replace(-5, 1<<40, strings.Repeat("x", composer.MaxBytes+1)) || m.Before() != want+"!" {
			t.Error("what is too long was taken")
		}
	}
}

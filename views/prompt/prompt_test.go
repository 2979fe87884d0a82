package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/prompt"
	"ahptui/views/viewtest"
)

var (
	enter = tea.KeyPressMsg{Code: tea.KeyEnter}
	esc   = tea.KeyPressMsg{Code: tea.KeyEscape}
	tab   = tea.KeyPressMsg{Code: tea.KeyTab}
	down  = tea.KeyPressMsg{Code: tea.KeyDown}
	f1    = tea.KeyPressMsg{Code: tea.KeyF1}
)

func text(s string) tea.KeyPressMsg { return tea.KeyPressMsg{Code: []rune(s)[0], Text: s} }

func providers() prompt.SessionInput {
	return prompt.SessionInput{Providers: []prompt.Provider{
		{ID: "copilotcli", Name: safetext.Const("Copilot CLI"), Description: safetext.Const("the agent of the terminal")},
		{ID: "claude", Name: safetext.Const("Claude")},
		{ID: "no-name"},
	}}
}

var question = prompt.ConfirmInput{
	Title: safetext.Const("Stop notes?"), Yes: safetext.Const("stop it"),
	Text: []safetext.Text{safetext.Const("A turn is running that uses this server. If it is stopped, the calls that it works on fail.")},
}

var pick = prompt.PickInput{
	Title: safetext.Const("Sign out?"), Text: []safetext.Text{safetext.Const("The tokens are removed here, and revoked where their servers offer that.")},
	Options: []safetext.Text{safetext.Const("everything of this host"), safetext.Const("everything of all hosts")},
}

func TestScreens(t *testing.T) {
	t.Parallel()
	for _, width := range []int{40, 80, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			t.Parallel()
			theme := viewtest.Plain(t)
			s := prompt.NewSession(theme, "/home/u/projects/the-app")
			s.SetSize(width, 24)
			screens := viewtest.Text(s.View(providers()))
			in := providers()
			in.Failure = safetext.Const("the host refused: the directory does not exist, or may not be read by the host")
			s.Update(in, tab)
			screens += viewtest.Text(s.View(in))
			screens += viewtest.Text(s.View(prompt.SessionInput{Busy: true}))
			c := prompt.NewConfirm(theme)
			c.SetSize(width, 24)
			screens += viewtest.Text(c.View(question))
			p := prompt.NewPick(theme)
			p.SetSize(width, 24)
			screens += viewtest.Text(p.View(pick))
			start := prompt.NewStart(theme, "")
			start.SetSize(width, 12)
			screens += viewtest.Text(start.View(prompt.StartInput{}))
			start.Update(prompt.StartInput{}, tea.PasteMsg{Content: "ws://127.0.0.1:8081\n"})
			screens += viewtest.Text(start.View(prompt.StartInput{Failure: safetext.Const("dial 127.0.0.1:8081: connection refused")}))
			golden.RequireEqual(t, screens)
		})
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for _, theme := range []themes.Theme{viewtest.Plain(t), viewtest.Colour(t), viewtest.ASCII(t)} {
		for _, size := range viewtest.Sizes() {
			start := prompt.NewStart(theme, "ws://host.example/a/long/path/that/does/not/fit?into=the&field")
			start.SetSize(size.Width, size.Height)
			viewtest.Check(t, start.View(prompt.StartInput{Busy: safetext.Const("starting the demo")}), size.Width, size.Height)
			s := prompt.NewSession(theme, "/日本語/日本語/日本語/日本語")
			s.SetSize(size.Width, size.Height)
			checkBox(t, s.View(providers()), size)
			checkBox(t, s.View(prompt.SessionInput{}), size)
			c := prompt.NewConfirm(theme)
			c.SetSize(size.Width, size.Height)
			checkBox(t, c.View(question), size)
			p := prompt.NewPick(theme)
			p.SetSize(size.Width, size.Height)
			checkBox(t, p.View(pick), size)
		}
	}
}

// checkBox checks that a box is a rectangle no larger than the screen.
func checkBox(t *testing.T, drawn string, size viewtest.Size) {
	t.Helper()
	lines := strings.Count(drawn, "\n") + 1
	if lines > size.Height {
		t.Fatalf("%d lines at %v", lines, size)
	}
	viewtest.Check(t, drawn, min(size.Width, 72), lines)
}

func TestHostile(t *testing.T) {
	t.Parallel()
	for _, s := range viewtest.Hostile() {
		words := safetext.Clean(s, 200)
		form := prompt.NewSession(viewtest.Colour(t), s)
		form.SetSize(60, 20)
		checkBox(t, form.View(prompt.SessionInput{Failure: words, Providers: []prompt.Provider{{ID: s}, {ID: "x", Name: words, Description: words}}}), viewtest.Size{Width: 60, Height: 20})
		c := prompt.NewConfirm(viewtest.Colour(t))
		c.SetSize(60, 20)
		checkBox(t, c.View(prompt.ConfirmInput{Title: words, Text: []safetext.Text{words}, Yes: words, No: words}), viewtest.Size{Width: 60, Height: 20})
		p := prompt.NewPick(viewtest.Colour(t))
		p.SetSize(60, 20)
		checkBox(t, p.View(prompt.PickInput{Title: words, Text: []safetext.Text{words}, Options: []safetext.Text{words, words}, No: words}), viewtest.Size{Width: 60, Height: 20})
		start := prompt.NewStart(viewtest.Colour(t), s)
		start.SetSize(60, 20)
		viewtest.Check(t, start.View(prompt.StartInput{Failure: words}), 60, 20)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	form := prompt.NewSession(viewtest.Plain(t), "/home/u")
	form.SetSize(80, 24)
	in := providers()
	form.View(in)
	if form.Provider(in) != "copilotcli" || form.Cursor() != nil {
		t.Errorf("at first: provider %q, cursor %v", form.Provider(in), form.Cursor())
	}
	form.Update(in, down)
	form.Update(in, text("x")) // a letter in the list is no text
	form.Update(in, tab)
	for _, r := range "/app" {
		form.Update(in, text(string(r)))
	}
	form.View(in)
	if form.Provider(in) != "claude" || form.Directory() != "/home/u/app" || form.Cursor() == nil {
		t.Errorf("provider %q, directory %q, cursor %v", form.Provider(in), form.Directory(), form.Cursor())
	}
	if got := form.Update(in, enter); got != prompt.Submit {
		t.Errorf("Enter is %v", got)
	}
	if got := form.Update(in, esc); got != prompt.Cancel {
		t.Errorf("Esc is %v", got)
	}
	in.Busy = true
	if got := form.Update(in, enter); got != prompt.Nothing {
		t.Errorf("Enter while the host is asked is %v", got)
	}
	if got := form.Update(prompt.SessionInput{}, enter); got != prompt.Nothing {
		t.Errorf("Enter without providers is %v", got)
	}
	// A provider that is gone is not what a session is made with.
	in = prompt.SessionInput{Providers: providers().Providers[:1]}
	form.View(in)
	if form.Provider(in) != "copilotcli" {
		t.Errorf("the chosen provider went: %q", form.Provider(in))
	}
}

// A paste is never a yes, and neither is Enter.
func TestConfirm(t *testing.T) {
	t.Parallel()
	c := prompt.NewConfirm(viewtest.Plain(t))
	for _, tt := range []struct {
		msg  tea.Msg
		want prompt.Event
	}{
		{text("y"), prompt.Submit},
		{text("n"), prompt.Cancel},
		{esc, prompt.Cancel},
		{enter, prompt.Nothing},
		{text("Y"), prompt.Nothing},
		{tea.PasteMsg{Content: "y"}, prompt.Nothing},
		{text("x"), prompt.Nothing},
		{tea.MouseClickMsg{}, prompt.Nothing},
	} {
		if got := c.Update(tt.msg); got != tt.want {
			t.Errorf("%v is %v, want %v", tt.msg, got, tt.want)
		}
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	in := prompt.StartInput{}
	m := prompt.NewStart(viewtest.Plain(t), "")
	m.SetSize(80, 24)
	if got := m.Update(in, enter); got != prompt.Submit || m.Choice() != prompt.Demo {
		t.Errorf("Enter at first: %v, %v", got, m.Choice())
	}
	for key, want := range map[string]prompt.Event{"?": prompt.Help, "q": prompt.Cancel} {
		if got := m.Update(in, text(key)); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	m.Update(in, down)
	if got := m.Update(in, enter); got != prompt.Nothing || m.Choice() != prompt.Connect {
		t.Errorf("Enter without a URL: %v, %v", got, m.Choice())
	}
	for _, r := range " ws://q?x " {
		m.Update(in, text(string(r)))
	}
	if got := m.Update(in, enter); got != prompt.Submit || m.URL() != "ws://q?x" {
		t.Errorf("Enter with a URL: %v, %q", got, m.URL())
	}
	if got := m.Update(in, f1); got != prompt.Help {
		t.Errorf("F1 is %v", got)
	}
	if got := m.Update(prompt.StartInput{Busy: safetext.Const("connecting")}, enter); got != prompt.Nothing {
		t.Errorf("Enter while busy is %v", got)
	}
	m.View(in)
	if m.Cursor() == nil {
		t.Error("no cursor in the field")
	}
	// Who begins to type a URL means the field.
	m = prompt.NewStart(viewtest.Plain(t), "")
	m.Update(in, text("w"))
	if m.Choice() != prompt.Connect || m.URL() != "w" {
		t.Errorf("after a letter: %v, %q", m.Choice(), m.URL())
	}
}

// TestPick: only the digit of an option chooses it.
func TestPick(t *testing.T) {
	t.Parallel()
	p := prompt.NewPick(viewtest.Plain(t))
	for _, msg := range []tea.Msg{enter, tab, down, text("0"), text("3"), text("y"), tea.PasteMsg{Content: "1"}} {
		if _, event := p.Update(pick, msg); event != prompt.Nothing {
			t.Errorf("%v is an answer", msg)
		}
	}
	if option, event := p.Update(pick, text("2")); option != 1 || event != prompt.Submit {
		t.Errorf("2 is %d, %d", option, event)
	}
	for _, msg := range []tea.Msg{esc, text("n")} {
		if _, event := p.Update(pick, msg); event != prompt.Cancel {
			t.Errorf("%v does not cancel", msg)
		}
	}
}

package themes

import (
	"image/color"
	"reflect"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func mustNew(t *testing.T, name string, o Options) Theme {
	t.Helper()
	theme, err := New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return theme
}

// styles returns every style of a theme by the name of its field.
func styles(theme Theme) map[string]lipgloss.Style {
	all := map[string]lipgloss.Style{}
	v := reflect.ValueOf(theme)
	for i := range v.NumField() {
		if v.Type().Field(i).Type == reflect.TypeFor[lipgloss.Style]() {
			all[v.Type().Field(i).Name] = v.Field(i).Interface().(lipgloss.Style)
		}
	}
	for s := range statuses {
		b := theme.Badge(s)
		all[b.Word] = b.Style
	}
	return all
}

func TestNew(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		if got := mustNew(t, name, Options{Profile: colorprofile.TrueColor}).Name; got != name {
			t.Errorf("New(%q) is called %q", name, got)
		}
	}
	_, err := New("pink", Options{})
	if err == nil || !strings.Contains(err.Error(), HighContrast) {
		t.Errorf("an unknown name: %v, want an error that lists the names", err)
	}
}

func TestDefaultFollowsTheBackground(t *testing.T) {
	t.Parallel()
	o := Options{Profile: colorprofile.TrueColor}
	dark := Options{Profile: colorprofile.TrueColor, Dark: true}
	if got, want := mustNew(t, Default, dark).Error, mustNew(t, Dark, o).Error; got.Render("x") != want.Render("x") {
		t.Error("default on a dark background is not dark")
	}
	if got, want := mustNew(t, Default, o).Error, mustNew(t, Light, dark).Error; got.Render("x") != want.Render("x") {
		t.Error("default on a light background is not light")
	}
}

// Without colours nothing sets one, and what must be seen still stands out.
func TestNoColour(t *testing.T) {
	t.Parallel()
	for _, o := range []Options{{Profile: colorprofile.ASCII}, {Profile: colorprofile.NoTTY, Dark: true}} {
		theme := mustNew(t, Default, o)
		if theme.Name != Monochrome {
			t.Errorf("profile %v gives %q", o.Profile, theme.Name)
		}
		for name, s := range styles(theme) {
			if !isNone(s.GetForeground()) || !isNone(s.GetBackground()) {
				t.Errorf("%s has a colour", name)
			}
		}
		for _, pair := range [][2]lipgloss.Style{
			{theme.Selection, theme.Text},
			{theme.SelectionDim, theme.Text},
			{theme.BorderFocus, theme.Border},
			{theme.HeadingFocus, theme.Heading},
			{theme.Prompt, theme.Text},
			{theme.Key, theme.KeyText},
			{theme.KeyOff, theme.Key},
		} {
			if pair[0].Render("x") == pair[1].Render("x") {
				t.Errorf("two styles that must differ are %q", pair[0].Render("x"))
			}
		}
	}
}

func isNone(c color.Color) bool { return c == nil || c == lipgloss.NoColor{} }

// On sixteen colours the person's own palette is used.
func TestSixteenColours(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			for what, s := range styles(mustNew(t, name, Options{Dark: dark, Profile: colorprofile.ANSI})) {
				for _, c := range []color.Color{s.GetForeground(), s.GetBackground()} {
					if _, basic := c.(ansi.BasicColor); !basic && !isNone(c) {
						t.Errorf("%s, %s: %T is none of the sixteen", name, what, c)
					}
				}
			}
		}
	}
}

// The contrast of every style with its ground is that of WCAG 2.2, 1.4.3 (AA)
// and, for high contrast, 1.4.6 (AAA). Lines of frames need less (1.4.11).
func TestContrast(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		dark   bool
		ground color.Color
		want   float64
	}{
		{Default, true, lipgloss.Color("#1e1e1e"), 4.5},
		{Default, false, lipgloss.Color("#ffffff"), 4.5},
		{Default, true, lipgloss.Color("#000000"), 4.5},
		{ColourBlind, true, lipgloss.Color("#1e1e1e"), 4.5},
		{ColourBlind, false, lipgloss.Color("#ffffff"), 4.5},
		{HighContrast, true, lipgloss.Color("#1e1e1e"), 7},
		{HighContrast, true, lipgloss.Color("#000000"), 7},
		{HighContrast, false, lipgloss.Color("#ffffff"), 7},
	} {
		for what, s := range styles(mustNew(t, tt.name, Options{Dark: tt.dark, Profile: colorprofile.TrueColor})) {
			fg, ground, want := s.GetForeground(), s.GetBackground(), tt.want
			if isNone(fg) {
				continue
			}
			if isNone(ground) {
				ground = tt.ground
			}
			if what == "Border" {
				want = 3
			}
			if got := Contrast(fg, ground); got < want {
				t.Errorf("%s (dark %v), %s: contrast %.1f, want %.1f", tt.name, tt.dark, what, got, want)
			}
		}
	}
}

// A sign is one column however a terminal measures, or the frame breaks.
func TestSignsAreOneColumn(t *testing.T) {
	t.Parallel()
	for _, ascii := range []bool{false, true} {
		theme := mustNew(t, Default, Options{ASCII: ascii})
		signs := map[string]string{}
		for _, v := range []reflect.Value{reflect.ValueOf(theme.Frame), reflect.ValueOf(theme.Signs)} {
			for i := range v.NumField() {
				signs[v.Type().Field(i).Name] = v.Field(i).String()
			}
		}
		for s := range statuses {
			signs[theme.Badge(s).Word] = theme.Badge(s).Glyph
		}
		for name, sign := range signs {
			if ansi.StringWidth(sign) != 1 || ansi.StringWidthWc(sign) != 1 {
				t.Errorf("%s: %q is not one column", name, sign)
			}
			if ascii && (len(sign) != 1 || sign[0] > 0x7e) {
				t.Errorf("%s: %q is not ASCII", name, sign)
			}
		}
	}
}

func TestEveryStatusHasABadge(t *testing.T) {
	t.Parallel()
	theme := mustNew(t, Default, Options{})
	for s := range statuses {
		if b := theme.Badge(s); (b.Word == "unknown") != (s == ServerUnknown || s == ToolUnknown) {
			t.Errorf("status %d is %q", s, b.Word)
		}
	}
	if got := theme.Badge(200).Word; got != "unknown" {
		t.Errorf("a status that does not exist is %q", got)
	}
}

// Of one kind of thing, no two states have the same word: it tells them apart where
// neither the colour nor the sign does.
func TestEveryStatusHasItsWord(t *testing.T) {
	t.Parallel()
	theme := mustNew(t, Default, Options{})
	for _, kind := range []struct{ from, to Status }{
		{ServerUnknown, ServerStopped}, {SessionIdle, SessionError}, {ToolStreaming, ToolUnknown}, {Connecting, Disconnected}, {MarkDisabled, MarkStale},
	} {
		words := map[string]Status{}
		for s := kind.from; s <= kind.to; s++ {
			word := theme.Badge(s).Word
			if other, ok := words[word]; ok || word == "" {
				t.Errorf("statuses %d and %d are both %q", other, s, word)
			}
			words[word] = s
		}
	}
}

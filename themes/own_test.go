package themes

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func TestOwn(t *testing.T) {
	t.Parallel()
	own := &Own{
		Base:    ColourBlind,
		Colours: map[string]string{"error": "#FF0000", "good": "bright-blue", "accent": "#010203"},
		Dark:    map[string]string{"accent": "#aabbcc"},
	}
	dark := mustNew(t, "mine", Options{Dark: true, Profile: colorprofile.TrueColor, Own: own})
	light := mustNew(t, "mine", Options{Profile: colorprofile.TrueColor, Own: own})
	if dark.Name != "mine" {
		t.Errorf("it is called %q", dark.Name)
	}
	for _, tt := range []struct {
		what      string
		got, want any
	}{
		{"a colour", dark.Error.GetForeground(), lipgloss.Color("#ff0000")},
		{"one of the sixteen", dark.OK.GetForeground(), ansi.BrightBlue},
		{"accent on dark", dark.Composer.GetForeground(), lipgloss.Color("#aabbcc")},
		{"accent on light", light.Composer.GetForeground(), lipgloss.Color("#010203")},
		{"not changed", light.Agent.GetForeground(), lipgloss.Color(safeLight().agent.hex)},
		{"of sixteen, the nearest", mustNew(t, "mine", Options{Profile: colorprofile.ANSI, Own: own}).Error.GetForeground(), ansi.BrightRed},
	} {
		if tt.got != tt.want {
			t.Errorf("%s is %v, want %v", tt.what, tt.got, tt.want)
		}
	}
	if got := mustNew(t, "mine", Options{Profile: colorprofile.ASCII, Own: own}).Name; got != Monochrome {
		t.Errorf("without colours it is %q", got)
	}
}

// Whatever is wrong is told whatever the terminal is.
func TestOwnWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		own    Own
		key    string
		remedy string
	}{
		"base":   {Own{Base: "pink"}, "base", HighContrast},
		"name":   {Own{Colours: map[string]string{"red": "#ff0000"}}, "colours.red", "waiting"},
		"colour": {Own{Light: map[string]string{"error": "crimson"}}, "light.error", "bright-red"},
		"short":  {Own{Dark: map[string]string{"error": "#f00"}}, "dark.error", "#rrggbb"},
	} {
		for _, o := range []Options{{Dark: true, Profile: colorprofile.TrueColor}, {Profile: colorprofile.ASCII}} {
			o.Own = &tt.own
			_, err := New("mine", o)
			wrong, ok := errors.AsType[*OwnError](err)
			if !ok || wrong.Key != tt.key || !strings.Contains(wrong.Remedy, tt.remedy) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// All that can be changed shows somewhere, and has one name.
func TestColourNames(t *testing.T) {
	t.Parallel()
	names := ColourNames()
	guide, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Concat(names, Names()) {
		if !strings.Contains(string(guide), "`"+name+"`") {
			t.Errorf("%s is not in the guide", name)
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("there are two colours called %q", name)
		}
		own := &Own{Colours: map[string]string{name: "#123456"}}
		changed := false
		for _, s := range styles(mustNew(t, "mine", Options{Profile: colorprofile.TrueColor, Own: own})) {
			changed = changed || s.GetForeground() == lipgloss.Color("#123456") || s.GetBackground() == lipgloss.Color("#123456")
		}
		if !changed {
			t.Errorf("%s is not to be seen", name)
		}
	}
}

package tui

import (
	"image/color"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"ahptui/themes"
	"ahptui/views/viewtest"
)

// themeOn is the default theme for a background.
func themeOn(dark bool) themes.Theme {
	theme, err := themes.New(themes.Default, themes.Options{Dark: dark, Profile: colorprofile.TrueColor})
	if err != nil {
		panic(err)
	}
	return theme
}

// TestBackgroundIsToldLate: once the terminal has told its background, every screen is what it had been from the beginning
// in the theme for that; what was typed, selected and scrolled to stays.
func TestBackgroundIsToldLate(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			t.Parallel()
			light := newDriver(t, themeOn(false), classic, scene.host)
			scene.play(light)
			late := newDriver(t, themeOn(true), classic, scene.host)
			scene.play(late)
			if len(late.m.overlays) > 0 && late.m.conn != nil {
				t.Skip("a window that is open keeps its look")
			}
			dark := late.frame.Content
			late.send(tea.BackgroundColorMsg{Color: color.White})
			if late.frame.Content != dark {
				t.Fatal("the theme has changed although it suits any background")
			}
			late.m.opts.ThemeOn = themeOn
			late.send(tea.BackgroundColorMsg{Color: color.White})
			if late.frame.Content != light.frame.Content {
				t.Errorf("it is\n%s\nwant\n%s", late.frame.Content, light.frame.Content)
			}
			if late.frame.Content == dark {
				t.Error("nothing has changed")
			}
		})
	}
}

// TestProblemsAreTold: what is wrong with the person's settings is told at the start, the number of the rest too.
func TestProblemsAreTold(t *testing.T) {
	t.Parallel()
	d := newDriver(t, viewtest.Plain(t), viewtest.Size{Width: 120, Height: 40}, busyHost)
	d.m.opts.Problems = []string{"keys: one", "keys: two", "keys: three", "keys: four", "keys: five", "keys: six"}
	d.m.Init()
	d.look()
	d.sees("keys: one", "keys: two", "keys: three", "and 3 more: run ahptui config validate")
	d.lacks("keys: four")
}

package tui

import (
	"fmt"
	"image/color"
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

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

// TestASCIIOnly: with signs of ASCII there is nothing else on a screen, but for what peers wrote.
func TestASCIIOnly(t *testing.T) {
	t.Parallel()
	for _, scene := range scenes {
		t.Run(scene.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []viewtest.Size{{Width: 40, Height: 12}, classic, {Width: 120, Height: 40}} {
				d := newDriver(t, viewtest.ASCII(t), size, scene.host)
				d.m.opts.ASCII = true
				if scene.host == nil {
					d.m.overlays = []overlay{newStart(d.m)}
				}
				scene.play(d)
				d.send(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
				for _, r := range ansi.Strip(d.frame.Content) {
					if r > unicode.MaxASCII {
						t.Fatalf("%q at %v:\n%s", r, size, d.screen())
					}
				}
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

// TestContrastOnScreens: whatever is combined on a screen can be read (WCAG 2.2, 1.4.3; 1.4.6 for the theme that is made for
// it). What is only a line needs less (1.4.11).
func TestContrastOnScreens(t *testing.T) {
	t.Parallel()
	for _, name := range []string{themes.Default, themes.HighContrast, themes.ColourBlind} {
		for _, ground := range []struct {
			dark  bool
			color color.Color
		}{{true, lipgloss.Color("#1e1e1e")}, {false, lipgloss.Color("#ffffff")}} {
			theme, err := themes.New(name, themes.Options{Dark: ground.dark, Profile: colorprofile.TrueColor})
			if err != nil {
				t.Fatal(err)
			}
			least := 4.5
			if name == themes.HighContrast {
				least = 7
			}
			for _, scene := range scenes {
				t.Run(fmt.Sprintf("%s/%v/%s", name, ground.dark, scene.name), func(t *testing.T) {
					t.Parallel()
					d := newDriver(t, theme, viewtest.Size{Width: 120, Height: 40}, scene.host)
					scene.play(d)
					checkContrast(t, d.frame.Content, ground.color, least)
				})
			}
		}
	}
}

// checkContrast checks the colours of every cell.
func checkContrast(t *testing.T, content string, ground color.Color, least float64) {
	t.Helper()
	screen := uv.NewScreenBuffer(120, 40)
	uv.NewStyledString(content).Draw(screen, screen.Bounds())
	told := map[string]bool{}
	for y := range 40 {
		for x := range 120 {
			cell := screen.CellAt(x, y)
			if cell == nil || strings.TrimSpace(cell.Content) == "" || cell.Style.Fg == nil {
				continue
			}
			want, behind := least, ground
			if cell.Style.Bg != nil {
				behind = cell.Style.Bg
			}
			if strings.ContainsAny(cell.Content, "─│┌┐└┘├┤┬┴┼") {
				want = 3
			}
			got := themes.Contrast(cell.Style.Fg, behind)
			if what := fmt.Sprintf("%v on %v", cell.Style.Fg, behind); got < want && !told[what] {
				told[what] = true
				t.Errorf("%q at %d, %d: %s has a contrast of %.1f, want %.1f", cell.Content, x, y, what, got, want)
			}
		}
	}
}

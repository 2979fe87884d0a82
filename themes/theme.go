// Package themes holds what the screen looks like as data: palettes, the styles
// made of them, the signs for frames and states. It draws nothing.
package themes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// The names of the themes.
const (
	Default      = "default"       // follows the background of the terminal
	Dark         = "dark"          // for a dark background, whatever the terminal says
	Light        = "light"         // for a light one
	HighContrast = "high-contrast" // follows the background; strong colours, no shades
	ColourBlind  = "colour-blind"  // follows the background; tells blue from orange, not green from red
	Monochrome   = "monochrome"    // bold, underline and reverse only
)

// Names returns the names that [New] knows, the default first.
func Names() []string {
	return []string{Default, Dark, Light, HighContrast, ColourBlind, Monochrome}
}

// Options are what a theme depends on apart from its name.
type Options struct {
	Dark    bool                 // the background of the terminal is dark
	Profile colorprofile.Profile // the colours that the terminal has; see NO_COLOR (no-color.org)
	ASCII   bool                 // draw with ASCII only
	// Own makes the theme of what a person wrote, in the place of the one of the name;
	// nil: nobody did.
	Own *Own
}

// Theme is a set of styles, each named after what it is for, and of signs. A
// Theme is not changed after it was made.
type Theme struct {
	Name string

	// The bar at the top.
	Title lipgloss.Style // the whole bar
	Brand lipgloss.Style // the program's name in it
	Alert lipgloss.Style // the count of what is blocked

	// Panels.
	Border       lipgloss.Style
	BorderFocus  lipgloss.Style // of the panel that has the keys
	Heading      lipgloss.Style
	HeadingFocus lipgloss.Style
	Selection    lipgloss.Style // the selected row of the panel that has the keys
	SelectionDim lipgloss.Style // the selected row of another one
	MatchHere    lipgloss.Style // the match of a search that was gone to
	Empty        lipgloss.Style // what a panel says that has nothing to show

	// Text.
	Text    lipgloss.Style
	Strong  lipgloss.Style
	Dim     lipgloss.Style // what one reads second: times, paths, ids
	Code    lipgloss.Style // what a tool got or gave, inline code
	Link    lipgloss.Style
	Match   lipgloss.Style // what was searched for
	Error   lipgloss.Style
	Warning lipgloss.Style
	OK      lipgloss.Style
	Pending lipgloss.Style // done here, not confirmed by the host yet
	Stale   lipgloss.Style // from before the connection was lost

	// Who speaks.
	User   lipgloss.Style
	Agent  lipgloss.Style
	System lipgloss.Style

	// What waits for a person.
	Prompt      lipgloss.Style // the question
	PromptFrame lipgloss.Style // what marks it at its left
	Composer    lipgloss.Style // the sign before what is typed
	Placeholder lipgloss.Style

	// Keys, in the footer, in prompts and in the help.
	Key     lipgloss.Style
	KeyText lipgloss.Style
	KeyOff  lipgloss.Style // a key that cannot work now

	// Overlays.
	Overlay      lipgloss.Style
	OverlayFrame lipgloss.Style
	OverlayTitle lipgloss.Style

	Syntax *Syntax // nil without colours

	// Scan is a code for a camera, drawn in light squares on dark ground.
	Scan lipgloss.Style

	Frame Frame
	Signs Signs
	// Halves draw two squares in a cell, one above the other: none of them, the
	// upper one, the lower one, both. They are empty where there are no such signs.
	Halves [4]string

	tones map[tone]lipgloss.Style
	ascii bool
}

// New makes the theme of that name. On a terminal without colours it is the one
// without colours, whatever the name. What is wrong with the person's own is an
// [*OwnError].
func New(name string, o Options) (Theme, error) {
	base, own := name, Own{}
	if o.Own != nil {
		own = *o.Own
		base = cmp.Or(own.Base, Default)
	}
	switch {
	case slices.Contains(Names(), base):
	case o.Own != nil:
		return Theme{}, &OwnError{"base", fmt.Errorf("no theme is called %q", base), "write one of " + strings.Join(Names(), ", ")}
	default:
		return Theme{}, fmt.Errorf("no theme is called %q; there are %s", name, strings.Join(Names(), ", "))
	}
	p := choose(base, o.Dark)
	if err := own.paint(&p, base, o.Dark); err != nil {
		return Theme{}, err
	}
	t := coloured(p, o.Profile)
	if base == Monochrome || o.Profile == colorprofile.NoTTY || o.Profile == colorprofile.ASCII {
		t = colourless()
	} else {
		t.Name = name
	}
	return withSigns(t, o.ASCII), nil
}

// choose returns the palette of a theme that has colours.
func choose(name string, dark bool) palette {
	switch name {
	case Dark:
		dark = true
	case Light:
		dark = false
	}
	for _, p := range []struct {
		name        string
		dark, light func() palette
	}{{HighContrast, strongDark, strongLight}, {ColourBlind, safeDark, safeLight}} {
		switch {
		case p.name == name && dark:
			return p.dark()
		case p.name == name:
			return p.light()
		}
	}
	if dark {
		return softDark()
	}
	return softLight()
}

func withSigns(t Theme, ascii bool) Theme {
	t.ascii = ascii
	t.Frame, t.Signs, t.Halves = lineFrame(), lineSigns(), [4]string{" ", "▀", "▄", "█"}
	if ascii {
		t.Frame, t.Signs, t.Halves = asciiFrame(), asciiSigns(), [4]string{}
	}
	return t
}

// coloured makes the styles of a palette.
func coloured(p palette, profile colorprofile.Profile) Theme {
	fg := func(t tint) lipgloss.Style { return lipgloss.NewStyle().Foreground(t.in(profile)) }
	on := func(t, ground tint) lipgloss.Style { return fg(t).Background(ground.in(profile)) }
	plain := lipgloss.NewStyle()
	return Theme{
		Syntax: p.syntax(profile),

		Title: on(p.barText, p.bar),
		Brand: on(p.barText, p.bar).Bold(true),
		Alert: on(p.alertText, p.alert).Bold(true),

		Border:       fg(p.line),
		BorderFocus:  fg(p.accent).Bold(true),
		Heading:      fg(p.dim),
		HeadingFocus: fg(p.accent).Bold(true),
		Selection:    on(p.chosenText, p.chosen).Bold(true),
		SelectionDim: plain.Bold(true).Underline(true),
		MatchHere:    on(p.alertText, p.alert).Bold(true),
		Empty:        fg(p.dim).Italic(true),

		Text:    plain,
		Strong:  plain.Bold(true),
		Dim:     fg(p.dim),
		Code:    fg(p.busy),
		Link:    fg(p.link).Underline(true),
		Match:   fg(p.waits).Bold(true).Underline(true),
		Error:   fg(p.failed),
		Warning: fg(p.waits),
		OK:      fg(p.good),
		Pending: fg(p.busy).Italic(true),
		Stale:   fg(p.dim).Italic(true),

		User:   fg(p.good).Bold(true),
		Agent:  fg(p.agent).Bold(true),
		System: fg(p.dim).Bold(true),

		Prompt:      fg(p.waits).Bold(true),
		PromptFrame: fg(p.waits),
		Composer:    fg(p.accent).Bold(true),
		Scan:        on(tint{"#FFFFFF", 15}, tint{"#000000", 0}),
		Placeholder: fg(p.dim),

		Key:     fg(p.accent).Bold(true),
		KeyText: fg(p.dim),
		KeyOff:  fg(p.dim).Strikethrough(true),

		Overlay:      plain,
		OverlayFrame: fg(p.accent),
		OverlayTitle: fg(p.accent).Bold(true),

		tones: map[tone]lipgloss.Style{
			good: fg(p.good), busy: fg(p.busy), waits: fg(p.waits).Bold(true),
			failed: fg(p.failed), idle: fg(p.dim), odd: fg(p.agent),
		},
	}
}

// colourless makes the styles of a terminal that has no colours.
func colourless() Theme {
	plain := lipgloss.NewStyle()
	bold, faint, reverse := plain.Bold(true), plain.Faint(true), plain.Reverse(true)
	return Theme{
		Name:  Monochrome,
		Title: reverse, Brand: reverse.Bold(true), Alert: reverse.Bold(true).Underline(true),
		Border: plain, BorderFocus: bold, Heading: plain, HeadingFocus: bold.Underline(true),
		Selection: reverse, SelectionDim: bold.Underline(true), MatchHere: reverse.Bold(true), Empty: faint,
		Text: plain, Strong: bold, Dim: faint, Code: plain, Link: plain.Underline(true), Match: bold.Underline(true),
		Error: bold, Warning: bold, OK: plain, Pending: plain.Italic(true), Stale: faint,
		User: bold, Agent: bold, System: faint.Bold(true),
		Prompt: bold, PromptFrame: bold, Composer: bold, Placeholder: faint,
		Key: bold, KeyText: plain, KeyOff: faint.Strikethrough(true),
		Overlay: plain, OverlayFrame: plain, OverlayTitle: bold,
		tones: map[tone]lipgloss.Style{
			good: plain, busy: plain, waits: bold, failed: bold, idle: faint, odd: plain,
		},
	}
}

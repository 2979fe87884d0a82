package themes

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Own is a theme as a person writes it: another one with some colours changed.
type Own struct {
	// Base is the name of the theme that it is based on, [Default] if empty.
	Base string
	// Colours are the changed ones by [ColourNames]; Dark and Light count more than
	// they do, on a background that is so. A colour is #rrggbb, or the name of one of
	// the sixteen of the terminal, such as bright-blue.
	Colours, Dark, Light map[string]string
}

// OwnError says what is wrong with a person's own theme.
type OwnError struct {
	Key    string // such as colours.error
	Err    error
	Remedy string
}

// Error implements error: the key and what is wrong.
func (e *OwnError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap returns what is wrong.
func (e *OwnError) Unwrap() error { return e.Err }

// ColourNames are the colours of a theme that a person can change, in the order of
// the documentation.
func ColourNames() []string {
	var names []string
	for _, s := range slots(&palette{}) {
		names = append(names, s.name)
	}
	return names
}

// slot is a colour of a palette and what people call it.
type slot struct {
	name string
	tint *tint
}

func slots(p *palette) []slot {
	return []slot{
		{"dim", &p.dim},
		{"border", &p.line},
		{"accent", &p.accent},
		{"good", &p.good},
		{"busy", &p.busy},
		{"waiting", &p.waits},
		{"error", &p.failed},
		{"link", &p.link},
		{"agent", &p.agent},
		{"bar_text", &p.barText},
		{"bar", &p.bar},
		{"alert_text", &p.alertText},
		{"alert", &p.alert},
		{"selection_text", &p.chosenText},
		{"selection", &p.chosen},
	}
}

// paint changes the colours of a palette. All that is written is looked at, so that
// a mistake shows on any background.
func (o Own) paint(p *palette, base string, dark bool) error {
	for _, part := range []struct {
		table   string
		colours map[string]string
		counts  bool
	}{
		{"colours", o.Colours, true},
		{"dark", o.Dark, base == Dark || dark && base != Light},
		{"light", o.Light, base == Light || !dark && base != Dark},
	} {
		scratch := p
		if !part.counts {
			scratch = &palette{}
		}
		if err := paint(scratch, part.table, part.colours); err != nil {
			return err
		}
	}
	return nil
}

func paint(p *palette, table string, colours map[string]string) error {
	all := slots(p)
	for _, name := range slices.Sorted(maps.Keys(colours)) {
		key := table + "." + name
		i := slices.IndexFunc(all, func(s slot) bool { return s.name == name })
		if i < 0 {
			return &OwnError{key, errors.New("there is no such colour"), "there are: " + strings.Join(ColourNames(), ", ")}
		}
		t, ok := parseTint(colours[name])
		if !ok {
			return &OwnError{key, fmt.Errorf("%q is no colour", colours[name]), "write #rrggbb, or one of " + strings.Join(basicNames(), ", ")}
		}
		*all[i].tint = t
	}
	return nil
}

// parseTint reads a colour.
func parseTint(s string) (tint, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	if i := slices.Index(basicNames(), s); i >= 0 {
		return tint{basic: uint8(i)}, true
	}
	if len(s) != len("#rrggbb") || s[0] != '#' || strings.Trim(s[1:], "0123456789abcdef") != "" {
		return tint{}, false
	}
	t := tint{hex: s}
	if near, ok := colorprofile.ANSI.Convert(lipgloss.Color(s)).(ansi.BasicColor); ok {
		t.basic = uint8(near)
	}
	return t, true
}

// basicNames are the sixteen colours of a terminal as people call them, in their
// order.
func basicNames() []string {
	names := []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}
	for _, name := range names[:8:8] {
		names = append(names, "bright-"+name)
	}
	return names
}

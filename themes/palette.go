package themes

import (
	"image/color"
	"strconv"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// tint is a colour for terminals that show what they are told, and one of the
// sixteen that a person has set for those that do not. Without the first it is
// one of the sixteen everywhere.
type tint struct {
	hex   string
	basic uint8
}

// in returns the colour for a profile. Between 16 and all colours the renderer
// finds the nearest.
func (t tint) in(p colorprofile.Profile) color.Color {
	if p == colorprofile.ANSI || t.hex == "" {
		return lipgloss.Color(strconv.Itoa(int(t.basic)))
	}
	return lipgloss.Color(t.hex)
}

// palette is the colours of a theme. Text without a style has the terminal's
// own colours.
type palette struct {
	dim, line, accent tint

	// What a colour says.
	failed, waits, good, busy, link, agent tint

	barText, bar       tint
	alertText, alert   tint
	chosenText, chosen tint
}

// The sixteen colours of terminals by name.
const (
	black uint8 = iota
	maroon
	darkGreen
	olive
	navy
	purple
	teal
	silver
	grey
	red
	green
	yellow
	blue
	fuchsia
	aqua
	white
)

func softDark() palette {
	return palette{
		dim:        tint{"#9aa5b8", silver},
		line:       tint{"#6b7589", grey},
		accent:     tint{"#7aa2f7", blue},
		failed:     tint{"#ff7a93", red},
		waits:      tint{"#e8b767", yellow},
		good:       tint{"#9ece6a", green},
		busy:       tint{"#7dcfff", aqua},
		link:       tint{"#8db4ff", blue},
		agent:      tint{"#c3a6ff", fuchsia},
		barText:    tint{"#d5dcf0", white},
		bar:        tint{"#2b3350", navy},
		alertText:  tint{"#1a1a1a", black},
		alert:      tint{"#e8b767", yellow},
		chosenText: tint{"#ffffff", white},
		chosen:     tint{"#34508c", navy},
	}
}

func softLight() palette {
	return palette{
		dim:        tint{"#5a6270", grey},
		line:       tint{"#8b94a3", grey},
		accent:     tint{"#1d4fd8", navy},
		failed:     tint{"#b3142d", maroon},
		waits:      tint{"#8a5a00", olive},
		good:       tint{"#1d6b2f", darkGreen},
		busy:       tint{"#0b6a80", teal},
		link:       tint{"#1d4fd8", navy},
		agent:      tint{"#7a26c4", purple},
		barText:    tint{"#1c2333", black},
		bar:        tint{"#e6ebf6", silver},
		alertText:  tint{"#ffffff", white},
		alert:      tint{"#8a5a00", maroon},
		chosenText: tint{"#ffffff", white},
		chosen:     tint{"#2f5fc4", navy},
	}
}

func strongDark() palette {
	return palette{
		dim:        tint{"#e0e0e0", white},
		line:       tint{"#ffffff", white},
		accent:     tint{"#ffff00", yellow},
		failed:     tint{"#ff9a9a", red},
		waits:      tint{"#ffff00", yellow},
		good:       tint{"#5cff5c", green},
		busy:       tint{"#5cffff", aqua},
		link:       tint{"#9ecbff", aqua},
		agent:      tint{"#ffa6ff", fuchsia},
		barText:    tint{"#ffffff", white},
		bar:        tint{"#00005a", navy},
		alertText:  tint{"#000000", black},
		alert:      tint{"#ffff00", yellow},
		chosenText: tint{"#000000", black},
		chosen:     tint{"#ffff00", yellow},
	}
}

func strongLight() palette {
	return palette{
		dim:        tint{"#303030", black},
		line:       tint{"#000000", black},
		accent:     tint{"#0000b3", navy},
		failed:     tint{"#8f0000", maroon},
		waits:      tint{"#5c3d00", black},
		good:       tint{"#004d00", darkGreen},
		busy:       tint{"#00405c", navy},
		link:       tint{"#0000b3", navy},
		agent:      tint{"#660066", purple},
		barText:    tint{"#000000", black},
		bar:        tint{"#e6e6e6", silver},
		alertText:  tint{"#ffffff", white},
		alert:      tint{"#8f0000", maroon},
		chosenText: tint{"#ffffff", white},
		chosen:     tint{"#0000b3", navy},
	}
}

// safeDark and safeLight tell blue from orange where others tell green from red,
// and what is easily mixed up also differs in how bright it is.
func safeDark() palette {
	p := softDark()
	p.failed = tint{"#ff8c5a", fuchsia}
	p.waits = tint{"#f7e45c", yellow}
	p.good = tint{"#56a8ff", aqua}
	p.busy = tint{"#c9d4e8", white}
	p.link = tint{"#a9c7ff", blue}
	p.agent = tint{"#e3a8d4", fuchsia}
	p.alert = tint{"#f7e45c", yellow}
	return p
}

func safeLight() palette {
	p := softLight()
	p.failed = tint{"#6e1200", purple}
	p.waits = tint{"#7d6600", olive}
	p.good = tint{"#0058b8", navy}
	p.busy = tint{"#3a4250", black}
	p.link = tint{"#0050a8", navy}
	p.agent = tint{"#8a2f74", purple}
	p.alert = tint{"#7d6600", olive}
	return p
}

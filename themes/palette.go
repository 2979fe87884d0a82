package themes

import (
	"image/color"
	"strconv"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// tint is a colour for terminals that show what they are told, and one of the
// sixteen that a person has set for those that do not.
type tint struct {
	hex   string
	basic uint8
}

// in returns the colour for a profile. Between 16 and all colours the renderer
// finds the nearest.
func (t tint) in(p colorprofile.Profile) color.Color {
	if p == colorprofile.ANSI {
		return lipgloss.Color(strconv.Itoa(int(t.basic)))
	}
	return lipgloss.Color(t.hex)
}

// palette is the colours of a theme. Text without a style has the terminal's
// own colours.
type palette struct {
	dim, line, accent tint

	red, yellow, green, cyan, blue, magenta tint

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
		red:        tint{"#ff7a93", red},
		yellow:     tint{"#e8b767", yellow},
		green:      tint{"#9ece6a", green},
		cyan:       tint{"#7dcfff", aqua},
		blue:       tint{"#8db4ff", blue},
		magenta:    tint{"#c3a6ff", fuchsia},
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
		red:        tint{"#b3142d", maroon},
		yellow:     tint{"#8a5a00", olive},
		green:      tint{"#1d6b2f", darkGreen},
		cyan:       tint{"#0b6a80", teal},
		blue:       tint{"#1d4fd8", navy},
		magenta:    tint{"#7a26c4", purple},
		barText:    tint{"#1c2333", black},
		bar:        tint{"#d6ddec", silver},
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
		red:        tint{"#ff9a9a", red},
		yellow:     tint{"#ffff00", yellow},
		green:      tint{"#5cff5c", green},
		cyan:       tint{"#5cffff", aqua},
		blue:       tint{"#9ecbff", aqua},
		magenta:    tint{"#ffa6ff", fuchsia},
		barText:    tint{"#000000", black},
		bar:        tint{"#ffffff", white},
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
		red:        tint{"#8f0000", maroon},
		yellow:     tint{"#5c3d00", black},
		green:      tint{"#004d00", darkGreen},
		cyan:       tint{"#00405c", navy},
		blue:       tint{"#0000b3", navy},
		magenta:    tint{"#660066", purple},
		barText:    tint{"#ffffff", white},
		bar:        tint{"#000000", black},
		alertText:  tint{"#ffffff", white},
		alert:      tint{"#8f0000", maroon},
		chosenText: tint{"#ffffff", white},
		chosen:     tint{"#0000b3", navy},
	}
}

package safetext

import (
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"
)

// Wide tells whether characters of which Unicode does not say how wide they are take two columns (UAX #11, East Asian
// Ambiguous). It is what the library takes them for that draws the screen: with RUNEWIDTH_EASTASIAN=1 in the environment when
// the process starts, they are wide, else narrow.
func Wide() bool { return measure.EastAsianWidth }

// measure measures text. Nothing changes it: a process is for one terminal.
var measure = displaywidth.Options{EastAsianWidth: ansi.StringWidth("\u03b1") > 1}

// Ellipsis ends a text that was cut. It is one column wide.
func Ellipsis() string {
	if Wide() {
		return "~" // the usual one is ambiguous
	}
	return "…"
}

// unknown stands for what no terminal knows.
func unknown() rune {
	if Wide() {
		return '?' // of the usual one, libraries do not agree on the width
	}
	return unicode.ReplacementChar
}

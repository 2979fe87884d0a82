package mcpserver

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escapes matches the terminal sequences that programs put into what they
// write to stderr (ECMA-48: CSI, OSC and two-character escapes).
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[ -~])")

// cleanLine returns s as one line of at most limit bytes without control characters.
func cleanLine(s string, limit int) string {
	s = escapes.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), "")
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	return cut(strings.Join(strings.Fields(s), " "), limit)
}

// cut returns at most limit bytes of s, whole characters, with an ellipsis
// where something was left out.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := max(limit-len("…"), 0)
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

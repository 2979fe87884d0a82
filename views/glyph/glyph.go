// Package glyph lets text fields that edit code points edit what one sees.
//
// The fields of Bubbles take every code point for a character of its own and
// print what they hold. A [Table] puts a single code point, a stand-in, in the
// place of each grapheme cluster that is not ASCII: one that no text has, and
// that every library takes to be as wide as the cluster is drawn. So the field
// moves and deletes by clusters, wraps and has its cursor where they are, what
// was typed is given back byte for byte, and nothing else than clean text is
// drawn.
package glyph

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/displaywidth"

	"ahptui/internal/safetext"
)

// The stand-ins are code points without a character. Plane 3 is reserved for
// ideographs, so that all of it is two columns wide (UAX #11); plane 4 is
// reserved for nothing.
const (
	firstWide, lastWide     = 0x34000, 0x3fffd
	firstNarrow, lastNarrow = 0x40000, 0x4fffd
)

// Table has the stand-ins of one field. The zero Table has none yet.
type Table struct {
	wide, narrow []glyph
	known        map[string]rune
}

// glyph is a cluster as it was typed and as it is drawn.
type glyph struct{ typed, shown string }

// Reset forgets all stand-ins, once the field holds none of them.
func (t *Table) Reset() { *t = Table{} }

// In returns typed with stand-ins in it. It takes no more than the first n
// bytes of typed if there are no stand-ins left for the rest: there are some
// fifty thousand of a width.
func (t *Table) In(typed string) (held string, n int) {
	var b strings.Builder
	b.Grow(len(typed))
	for n < len(typed) {
		cluster := typed[n : n+clusterLen(typed[n:])]
		if r, ok := t.standIn(cluster); ok {
			b.WriteRune(r)
		} else {
			break
		}
		n += len(cluster)
	}
	return b.String(), n
}

// clusterLen is the length of the grapheme cluster (UAX #29) that s, which is
// not empty, begins with.
func clusterLen(s string) int {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1
	}
	g := displaywidth.StringGraphemes(s)
	g.Next()
	return len(g.Value())
}

// standIn is what stands for a cluster, itself if it is ASCII that can be drawn.
func (t *Table) standIn(cluster string) (r rune, ok bool) {
	if len(cluster) == 1 && (cluster[0] >= ' ' && cluster[0] < 0x7f || cluster[0] == '\n') {
		return rune(cluster[0]), true
	}
	if r, ok := t.known[cluster]; ok {
		return r, true
	}
	g := glyph{strings.Clone(cluster), shown(cluster)}
	pool, first, last := &t.narrow, firstNarrow, lastNarrow
	if ansi.StringWidth(g.shown) == 2 {
		pool, first, last = &t.wide, firstWide, lastWide
	}
	r = rune(first + len(*pool))
	if r > rune(last) {
		return 0, false
	}
	*pool = append(*pool, g)
	if t.known == nil {
		t.known = map[string]rune{}
	}
	t.known[g.typed] = r
	return r, true
}

// shown is what is drawn of a cluster, in one or two columns: where terminals
// draw it as several signs, such as emoji that are joined, the first.
func shown(cluster string) string {
	const most = 64
	g := displaywidth.StringGraphemes(safetext.Clean(cluster, most).String())
	if !g.Next() {
		return "·"
	}
	if w := ansi.StringWidth(g.Value()); w < 1 || w > 2 {
		return "·"
	}
	return g.Value()
}

// glyph is what a stand-in stands for; ok is false if r is none.
func (t *Table) glyph(r rune) (g glyph, ok bool) {
	switch {
	case r >= firstNarrow && int(r-firstNarrow) < len(t.narrow):
		return t.narrow[r-firstNarrow], true
	case r >= firstWide && int(r-firstWide) < len(t.wide):
		return t.wide[r-firstWide], true
	}
	return glyph{}, false
}

// Out returns what was typed for held.
func (t *Table) Out(held string) string {
	return t.replace(held, func(g glyph) string { return g.typed })
}

// Show returns what is printed for what a field has drawn.
func (t *Table) Show(drawn string) string {
	return t.replace(drawn, func(g glyph) string { return g.shown })
}

func (t *Table) replace(s string, by func(glyph) string) string {
	if len(t.known) == 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		if g, ok := t.glyph(r); ok {
			b.WriteString(by(g))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Joined is the cluster that held ends with if typed goes on with it, as a
// combining mark does: typed behind that cluster, in the place of its stand-in,
// is one with it. Else it is empty.
func (t *Table) Joined(held, typed string) string {
	r, size := utf8.DecodeLastRuneInString(held)
	if size == 0 || r == '\n' || typed == "" || typed[0] < utf8.RuneSelf {
		return ""
	}
	before := t.Out(held[len(held)-size:])
	if clusterLen(before+typed) == len(before) {
		return ""
	}
	return before
}

// Width is the columns that one code point of a field takes.
func Width(r rune) int {
	if r >= firstWide && r <= lastWide {
		return 2
	}
	return 1
}

// Typed is what a field takes of what was typed or pasted: valid UTF-8 without
// control characters. In a field of several lines, every line end is a line
// feed and tabs are kept; in one of a single line they become spaces, and line
// ends behind the last line go.
func Typed(s string, lines bool) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !lines {
		s = strings.TrimRight(s, "\r\n")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r':
			if lines {
				return '\n'
			}
			return ' '
		case r == '\t':
			if lines {
				return '\t'
			}
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

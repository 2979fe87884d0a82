package toolcall

import (
	"slices"

	"ahptui/themes"
	"ahptui/views/frame"
)

// Drawing is a tool call as it is drawn in a width: a row of segments, of which
// only those that are looked at are laid out. So a call costs what is seen of it,
// whatever it got and gave.
type Drawing struct {
	theme themes.Theme
	in    Input
	width int
	made  bool

	parts []part
	keys  []frame.Spot // in the last part
	n     int          // segments
	memos map[string]memo
}

// part is a number of segments: lines that are drawn already, or something long.
type part struct {
	first int // its first segment
	lines []string
	long  *long
}

func (p part) count() int {
	if p.long != nil {
		return p.long.count()
	}
	return 1
}

// memo is what was made of a text, such as JSON laid out for reading.
type memo struct{ of, made string }

// New returns a drawing of no call.
func New(theme themes.Theme) *Drawing { return &Drawing{theme: theme, memos: map[string]memo{}} }

// Update takes the call as it is now, and the width. It reports whether that
// changes anything.
func (d *Drawing) Update(in Input, width int) (changed bool) {
	if d.made && d.in == in && d.width == width {
		return false
	}
	before := d.longs()
	d.in, d.width, d.made = in, width, true
	p := painter{theme: d.theme, in: in, call: in.Call, width: width, drawing: d, before: before}
	p.draw()
	d.parts, d.keys, d.n = p.parts, p.keys, 0
	for i := range d.parts {
		d.parts[i].first = d.n
		d.n += d.parts[i].count()
	}
	return true
}

// longs are the long parts by their names.
func (d *Drawing) longs() map[string]*long {
	all := map[string]*long{}
	for _, p := range d.parts {
		if p.long != nil {
			all[p.long.name] = p.long
		}
	}
	return all
}

// Segments is the number of segments; there is at least one.
func (d *Drawing) Segments() int { return d.n }

// Lines are the lines of a segment, each exactly as wide as the drawing; drawn says
// that they had to be laid out for it. The first segment has at least one line,
// others may have none.
func (d *Drawing) Lines(segment int) (lines []string, drawn bool) {
	p, i, ok := d.at(segment)
	switch {
	case !ok:
		return nil, false
	case p.long == nil:
		return p.lines, false
	}
	return p.long.lines(i)
}

// Source is the text that a segment is drawn of, "" where it is not made of one
// alone.
func (d *Drawing) Source(segment int) string {
	if p, i, ok := d.at(segment); ok && p.long != nil {
		return p.long.source(i)
	}
	return ""
}

// Keys are where the keys of the answers stand: in which segment, and there.
func (d *Drawing) Keys() (segment int, keys []frame.Spot) { return d.n - 1, d.keys }

// at is the part that a segment is in, and which of its own it is.
func (d *Drawing) at(segment int) (p part, i int, ok bool) {
	if segment < 0 || segment >= d.n {
		return part{}, 0, false
	}
	at, found := slices.BinarySearchFunc(d.parts, segment, func(p part, segment int) int { return p.first - segment })
	if !found {
		at--
	}
	return d.parts[at], segment - d.parts[at].first, true
}

// remember returns what make makes of a text, without making it again as long as
// the text of that name is the same.
func (d *Drawing) remember(name, text string, make func(string) string) string {
	if have, ok := d.memos[name]; ok && have.of == text {
		return have.made
	}
	made := make(text)
	d.memos[name] = memo{text, made}
	return made
}

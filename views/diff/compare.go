// Package diff compares two texts line by line and draws what has changed. It does
// no I/O; comparing takes as long as the texts are large, so that it is not for the
// goroutine that draws, and drawing only what of it is asked for.
package diff

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"

	"ahptui/internal/safetext"
)

// The limits of what is compared.
const (
	// MaxBytes bounds each of the two texts.
	MaxBytes = 1 << 20
	maxLines = 30_000
	// maxColumns bounds what is kept of a line.
	maxColumns = 2000
	// context is how many lines that are the same stand around those that are not.
	context = 3
	// lineTime and wordTime are how long may be looked for a small difference; what is
	// found by then is taken, which is right, if not as small as can be.
	lineTime, wordTime = 2 * time.Second, 20 * time.Millisecond
	// maxPairs bounds the lines that are compared word by word.
	maxPairs = 2000
	tabStop  = 4
)

// Kind says what a line of a [Diff] is.
type Kind uint8

// The kinds of lines.
const (
	Same    Kind = iota // in both texts
	Removed             // in the first one only
	Added               // in the second one only
	Gap                 // stands for lines that are in both and are left out
)

// Line is a line of a [Diff].
type Line struct {
	Kind     Kind
	Old, New int    // its number in the texts, from 1; 0 where it is not
	Parts    []Part // what it says, none for an empty one
	Left     int    // how many lines are left out, of a Gap
	Open     bool   // it ends the text without a line end
}

// Part is a piece of a line. Changed are those that make the difference to the line
// that it replaces.
type Part struct {
	Text    safetext.Text
	Changed bool
}

// Diff is what makes one text of another. It is not changed after it was made.
type Diff struct {
	Lines []Line
	// Changes are where in Lines a run of removed and added lines begins.
	Changes        []int
	Added, Removed int
}

// Refusal is why two texts are not compared, for a person.
type Refusal string

// Error is the reason.
func (r Refusal) Error() string { return string(r) }

// The refusals.
const (
	Binary   Refusal = "not text: its content is not shown"
	TooLarge Refusal = "too large to be compared here"
)

// Compare compares two texts. It fails with a [Refusal] for what is no text or
// larger than the limits.
func Compare(before, after string) (*Diff, error) {
	switch {
	case len(before) > MaxBytes || len(after) > MaxBytes || strings.Count(before, "\n") > maxLines || strings.Count(after, "\n") > maxLines:
		return nil, TooLarge
	case binary(before) || binary(after):
		return nil, Binary
	}
	a, b := split(before), split(after)
	if carriage(a) && carriage(b) { // which nobody wants to see at the end of each line
		trim(a)
		trim(b)
	}
	return assemble(a, b, runs(a, b)), nil
}

// binary reports whether a text is none.
func binary(s string) bool {
	return strings.IndexByte(s[:min(len(s), 64<<10)], 0) >= 0 || !utf8.ValidString(s) && !mostly(s)
}

// mostly reports whether all but a few characters are whole: a text in another
// encoding is still one.
func mostly(s string) bool {
	s = s[:min(len(s), 64<<10)]
	bad := 0
	for _, r := range s {
		if r == utf8.RuneError {
			bad++
		}
	}
	return bad*10 < len(s)
}

// split cuts a text into lines, line ends and all: one without is another line.
func split(s string) []string {
	var lines []string
	for line := range strings.Lines(s) {
		lines = append(lines, line)
	}
	return lines
}

func carriage(lines []string) bool {
	for _, l := range lines {
		if strings.HasSuffix(l, "\n") && !strings.HasSuffix(l, "\r\n") {
			return false
		}
	}
	return true
}

func trim(lines []string) {
	for i, l := range lines {
		if rest, ok := strings.CutSuffix(l, "\r\n"); ok {
			lines[i] = rest + "\n"
		}
	}
}

// run is a number of things in a row of which the same is to be said.
type run struct {
	kind Kind
	n    int
}

// runs compares two lists.
func runs(a, b []string) []run { return compare(a, b, lineTime) }

// compare gives each different string a character of its own, and compares texts of
// those.
func compare(a, b []string, patience time.Duration) []run {
	ids := map[string]rune{}
	text := func(list []string) []rune {
		runes := make([]rune, len(list))
		for i, s := range list {
			id, ok := ids[s]
			if !ok {
				id = rune(len(ids) + 1)
				if id >= 0xd800 { // there are no characters up to 0xdfff
					id += 0x800
				}
				ids[s] = id
			}
			runes[i] = id
		}
		return runes
	}
	d := diffmatchpatch.New()
	d.DiffTimeout = patience
	var list []run
	x, y := text(a), text(b)
	for _, part := range d.DiffMainRunes(x, y, false) {
		r := run{n: utf8.RuneCountInString(part.Text)}
		switch part.Type {
		case diffmatchpatch.DiffDelete:
			r.kind = Removed
		case diffmatchpatch.DiffInsert:
			r.kind = Added
		case diffmatchpatch.DiffEqual:
		}
		list = append(list, r)
	}
	return list
}

// assembly is a diff that is being put together.
type assembly struct {
	diff  *Diff
	a, b  []string
	i, j  int // the next lines
	pairs int
}

func assemble(a, b []string, list []run) *Diff {
	s := assembly{diff: &Diff{}, a: a, b: b}
	for n := 0; n < len(list); n++ {
		if list[n].kind == Same {
			s.same(list[n].n, n == 0, n == len(list)-1)
			continue
		}
		var removed, added int
		for ; n < len(list) && list[n].kind != Same; n++ {
			if list[n].kind == Removed {
				removed += list[n].n
			} else {
				added += list[n].n
			}
		}
		n--
		s.change(removed, added)
	}
	return s.diff
}

// same adds lines that are in both texts: as many of them as are near a change.
func (s *assembly) same(n int, first, last bool) {
	head, tail := context, context
	if first {
		head = 0
	}
	if last {
		tail = 0
	}
	if whole := first && last; !whole && n <= head+tail+1 {
		head, tail = n, 0
	}
	for k := range n {
		switch {
		case k < head || k >= n-tail:
			s.diff.Lines = append(s.diff.Lines, line(Same, s.i+1, s.j+1, s.a[s.i]))
		case k == head:
			s.diff.Lines = append(s.diff.Lines, Line{Kind: Gap, Left: n - head - tail})
		}
		s.i, s.j = s.i+1, s.j+1
	}
}

// change adds lines that were replaced, each with its words compared where they go
// in pairs.
func (s *assembly) change(removed, added int) {
	d := s.diff
	d.Changes = append(d.Changes, len(d.Lines))
	d.Removed, d.Added = d.Removed+removed, d.Added+added
	begin := len(d.Lines)
	for k := range removed {
		d.Lines = append(d.Lines, line(Removed, s.i+k+1, 0, s.a[s.i+k]))
	}
	for k := range added {
		d.Lines = append(d.Lines, line(Added, 0, s.j+k+1, s.b[s.j+k]))
	}
	if pairs := min(removed, added); s.pairs+pairs <= maxPairs {
		s.pairs += pairs
		for k := range pairs {
			mark(&d.Lines[begin+k], &d.Lines[begin+removed+k], s.a[s.i+k], s.b[s.j+k])
		}
	}
	s.i, s.j = s.i+removed, s.j+added
}

func line(kind Kind, before, after int, text string) Line {
	l := Line{Kind: kind, Old: before, New: after, Open: !strings.HasSuffix(text, "\n")}
	if text = expand(text); text != "" {
		l.Parts = []Part{{Text: safetext.Clean(text, maxColumns)}}
	}
	return l
}

// expand is a line without its end, its tabs filled up with spaces.
func expand(s string) string {
	s = strings.TrimSuffix(s, "\n")
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	var b strings.Builder
	col := 0
	for _, r := range s {
		if r == '\t' {
			n := tabStop - col%tabStop
			b.WriteString("        "[:n])
			col += n
			continue
		}
		b.WriteRune(r)
		col++
	}
	return b.String()
}

// mark points out the words that make the difference between two lines, if most of
// them are the same.
func mark(removed, added *Line, before, after string) {
	a, b := words(expand(before)), words(expand(after))
	if len(a)+len(b) > maxColumns {
		return
	}
	list := compare(a, b, wordTime)
	same := 0
	for _, r := range list {
		if r.kind == Same {
			same += r.n
		}
	}
	if 2*same < max(len(a), len(b)) {
		return
	}
	removed.Parts, added.Parts = nil, nil
	i, j := 0, 0
	for _, r := range list {
		if r.kind != Added {
			removed.add(strings.Join(a[i:i+r.n], ""), r.kind == Removed)
			i += r.n
		}
		if r.kind != Removed {
			added.add(strings.Join(b[j:j+r.n], ""), r.kind == Added)
			j += r.n
		}
	}
}

func (l *Line) add(text string, changed bool) {
	if text != "" {
		l.Parts = append(l.Parts, Part{safetext.Clean(text, maxColumns), changed})
	}
}

// words cuts a line into words, and what stands between them into characters. A mark
// goes with the character that it stands on.
func words(s string) []string {
	var list []string
	begin := 0
	var last rune
	for i, r := range s {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		apart := !word || !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != '_'
		if i > begin && apart && !unicode.In(r, unicode.M, unicode.Cf) && r != '\ufe0f' {
			list = append(list, s[begin:i])
			begin = i
		}
		if !unicode.In(r, unicode.M) {
			last = r
		}
	}
	return append(list, s[begin:])
}

package toolcall

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/diff"
	"ahptui/views/frame"
)

const (
	// perSegment is how many bytes of a text a segment has, more or less, and
	// perDiff how many lines of a diff.
	perSegment = 4 << 10
	perDiff    = 32
	// maxDrawn bounds the segments that are remembered as they were drawn.
	maxDrawn = 64
)

// long is what can be of any length. Where a text is cut follows from the place
// alone, so that nothing has to be looked at but the segment that is drawn.
type long struct {
	name  string // tells it from others of the call
	text  string
	diff  *diff.Diff // in the place of a text
	theme themes.Theme
	style lipgloss.Style
	guide string // what stands before each line
	room  int    // the columns behind it

	drawn map[int]segment
}

// segment is a piece as it was drawn.
type segment struct {
	source string
	lines  []string
}

// take takes over what was drawn of the same thing before, as far as it is still
// right.
func (l *long) take(before *long) {
	l.drawn = map[int]segment{}
	if before == nil || before.guide != l.guide || before.room != l.room || before.diff != l.diff {
		return
	}
	for i, have := range before.drawn {
		if i < l.count() && l.source(i) == have.source {
			have.source = l.source(i) // the old text is not kept alive
			l.drawn[i] = have
		}
	}
}

// count is the number of segments.
func (l *long) count() int {
	if l.diff != nil {
		return max(1, (len(l.diff.Lines)+perDiff-1)/perDiff)
	}
	return max(1, (len(l.text)+perSegment-1)/perSegment)
}

// start is where a segment begins: behind the first line end of its stretch of the
// text, or at its first whole character where it has none.
func (l *long) start(i int) int {
	at := i * perSegment
	switch {
	case i <= 0:
		return 0
	case at >= len(l.text):
		return len(l.text)
	}
	stretch := l.text[at-1 : min(at+perSegment-1, len(l.text))]
	if n := strings.IndexByte(stretch, '\n'); n >= 0 {
		return at + n
	}
	for back := 0; back < utf8.UTFMax && !utf8.RuneStart(l.text[at]); back++ {
		at--
	}
	return at
}

// source is the text of a segment.
func (l *long) source(i int) string {
	if l.diff != nil {
		return ""
	}
	return l.text[l.start(i):max(l.start(i), l.start(i+1))]
}

// lines are the lines of a segment; drawn says that they had to be drawn.
func (l *long) lines(i int) (lines []string, drawn bool) {
	if have, ok := l.drawn[i]; ok {
		return have.lines, false
	}
	if len(l.drawn) >= maxDrawn {
		clear(l.drawn)
	}
	lines = []string{}
	if l.diff != nil {
		painter := diff.NewPainter(l.theme, l.diff, l.room)
		for _, line := range l.diff.Lines[i*perDiff : min((i+1)*perDiff, len(l.diff.Lines))] {
			lines = append(lines, painter.Line(line)...)
		}
	} else {
		for _, t := range safetext.CleanBlock(l.source(i), 8*len(l.source(i))+8).Wrap(l.room) {
			lines = append(lines, frame.Line{}.Add(l.style, t).Fit(l.room, lipgloss.NewStyle()))
		}
	}
	for n := range lines {
		lines[n] = l.guide + lines[n]
	}
	l.drawn[i] = segment{l.source(i), lines}
	return lines, true
}

// tail is the end of a text, in about so many bytes, from the beginning of a line
// on if there is one.
func tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	at := len(text) - most
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 && at+n+1 < len(text) {
		return text[at+n+1:]
	}
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

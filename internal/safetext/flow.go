package safetext

import (
	"strings"
)

// keepBuffer is how large a buffer a Flow keeps for the line that is growing.
const keepBuffer = 16 << 10

// Flow wraps text that grows at its end, as a streamed message does. What is
// appended is cleaned and wrapped from the last line on; the lines before it
// are left alone, so that a message costs what it is long, however many pieces
// it comes in. After any number of pieces, cut wherever they may be, the lines
// are those of CleanBlock and Wrap on the whole.
//
// A Flow is not safe for concurrent use.
type Flow struct {
	cols  int
	clean cleaner
	lines []Text
	done  int  // the lines that no longer change
	line  bool // the last paragraph has begun, so that it has a line
}

// NewFlow returns an empty Flow of lines that are cols columns wide.
func NewFlow(cols int) *Flow {
	return &Flow{cols: cols, clean: cleaner{block: true}}
}

// Cols is the width that the Flow wraps to.
func (f *Flow) Cols() int { return f.cols }

// Lines returns the lines so far. The slice is valid until the next Append and
// must not be changed.
func (f *Flow) Lines() []Text { return f.lines }

// Append adds a piece of raw text.
func (f *Flow) Append(piece string) {
	if f.cols < minCols {
		return
	}
	f.lines = f.lines[:f.done]
	for piece != "" {
		paragraph, rest, ended := cutAfter(piece, '\n')
		if ended && f.fresh() && plainPrefix(paragraph) == len(paragraph)-1 {
			f.lines, _ = wrap(f.lines, paragraph[:len(paragraph)-1], f.cols)
		} else {
			f.add(paragraph)
		}
		piece = rest
	}
	f.settle()
}

// cutAfter cuts s behind the first sep.
func cutAfter(s string, sep byte) (before, after string, found bool) {
	if i := strings.IndexByte(s, sep); i >= 0 {
		return s[:i+1], s[i+1:], true
	}
	return s, "", false
}

// fresh reports whether a new paragraph is about to begin.
func (f *Flow) fresh() bool { return len(f.clean.buf) == 0 && !f.clean.pending() && !f.line }

// add cleans a piece that has at most one line feed, at its end.
func (f *Flow) add(piece string) {
	f.clean.write(piece)
	if n := len(f.clean.buf); n > 0 && f.clean.buf[n-1] == '\n' {
		f.lines, _ = wrap(f.lines, string(f.clean.buf[:n-1]), f.cols)
		f.clean = cleaner{block: true, buf: f.clean.buf[:0]}
		f.line = false
	}
}

// settle commits the lines of the open paragraph that no longer change and
// shows the last one as it looks if nothing follows.
func (f *Flow) settle() {
	text := string(f.clean.buf)
	lines, last := wrap(f.lines, text, f.cols)
	if last > 0 {
		f.clean.forget(last)
		f.line = true
	}
	f.lines = lines[:len(lines)-1]
	f.done = len(f.lines)
	if tail := text[last:] + f.clean.rest(); tail != "" || f.line {
		f.lines, _ = wrap(f.lines, tail, f.cols)
	}
	if cap(f.clean.buf) > keepBuffer && len(f.clean.buf) < keepBuffer/2 {
		f.clean.buf = append([]byte(nil), f.clean.buf...)
	}
}

// forget drops the first n bytes of buf, which end with a cluster.
func (c *cleaner) forget(n int) {
	c.column()
	if n > c.cluster { // all of it; what comes next has nothing to join
		c.col += measure.Bytes(c.buf[c.cluster:])
		c.cluster, c.colAt, c.runes = n, n, 0
		c.joins, c.emoji = false, noEmoji
	}
	c.buf = c.buf[:copy(c.buf, c.buf[n:])]
	c.cluster -= n
	c.colAt -= n
}

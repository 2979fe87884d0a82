package safetext

// minCols is the narrowest that text is wrapped to: a wide glyph takes two
// columns.
const minCols = 2

// Wrap breaks the text into lines of at most cols columns: at spaces, around
// wide glyphs (which stand for words in the languages that have them), and
// where a word is longer than a line, within it, but never within a grapheme
// cluster. Spaces at a break are dropped, an indentation is kept up to half of
// a line. A text without words is one empty line. Below two columns nothing can
// be shown and there are no lines.
func (t Text) Wrap(cols int) []Text {
	lines, _ := wrap(nil, t.s, cols)
	return lines
}

// wrap appends the lines of s, which is one line of clean text, to dst. It
// returns where in s the last line begins: lines before that one do not change
// when s grows, and wrapping from there on gives what wrapping the whole gave.
func wrap(dst []Text, s string, cols int) (lines []Text, last int) {
	if cols < minCols {
		return dst, 0
	}
	w := wrapper{s: s, cols: cols, lines: dst}
	for i := 0; i < len(s); {
		if n := w.fitting(i); n > 0 {
			i += n
			continue
		}
		j, width := next(s, i)
		if width == 1 && s[i] == ' ' && j == i+1 {
			w.space(i)
		} else {
			w.glyph(i, width)
		}
		i = j
	}
	return append(w.lines, Text{w.content(len(s))}), w.start
}

// wrapper is the state of the line that is being filled.
type wrapper struct {
	s     string
	cols  int
	lines []Text

	start  int  // where the line begins in s
	text   int  // where it begins on the screen: after what is too much of an indentation
	used   int  // its columns so far, spaces included
	blank  int  // its spaces so far, while there is nothing else
	spaced bool // the last was a space
	wide   bool // the last was a wide glyph

	end    int // the end of what can stay if the line breaks here; 0 for none
	resume int // where the next line begins then
	before int // the columns up to resume
}

// fitting returns how many bytes from i on are letters of ASCII in the middle
// of a word that fits into the line. They need no decision, and most are.
func (w *wrapper) fitting(i int) int {
	if w.spaced || w.used == 0 || w.wide {
		return 0
	}
	room := w.cols - w.used
	n := 0
	for n < room && i+n+1 < len(w.s) && w.s[i+n] != ' ' && w.s[i+n] < 0x80 && w.s[i+n+1] < 0x80 {
		n++
	}
	w.used += n
	return n
}

// space takes the space at i. Spaces hang over the end of a line; when there
// are enough of them for another one, they get it.
func (w *wrapper) space(i int) {
	if w.used == 0 {
		w.blank++
		if w.blank == 2*w.cols {
			w.emit(i, i+1)
		}
		return
	}
	if !w.spaced {
		w.end = i
	}
	w.used++
	w.spaced, w.wide = true, false
	w.resume, w.before = i+1, w.used
	if w.used >= 2*w.cols {
		w.emit(w.end, i+1)
	}
}

// glyph takes the cluster at i that is no space.
func (w *wrapper) glyph(i, width int) {
	if w.used == 0 {
		w.used = min(w.blank, w.cols/2)
		w.text = i - w.used
		w.blank = 0
	} else if !w.spaced && (w.wide || width > 1) {
		w.end, w.resume, w.before = i, i, w.used
	}
	if w.used+width > w.cols && w.end > 0 {
		pending := w.used - w.before
		w.emit(w.end, w.resume)
		w.used = pending
	}
	if w.used+width > w.cols {
		w.emit(i, i)
	}
	w.used += width
	w.spaced, w.wide = false, width > 1
}

// emit ends the line at end and begins the next one at start.
func (w *wrapper) emit(end, start int) {
	w.lines = append(w.lines, Text{w.content(end)})
	*w = wrapper{s: w.s, cols: w.cols, lines: w.lines, start: start, text: start}
}

// content is the line up to end without spaces behind it.
func (w *wrapper) content(end int) string {
	for end > w.text && w.s[end-1] == ' ' {
		end--
	}
	return w.s[w.text:end]
}

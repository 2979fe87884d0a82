package safetext

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxMarks bounds the combining marks on one base; what languages need
	// stays below it, and a stack of hundreds does not reach into other rows.
	maxMarks = 6
	// maxCluster bounds the characters of one grapheme cluster, which by the
	// rules of Unicode may be of any length in one or two columns.
	maxCluster = 16
	// tabStop is the distance of tab stops in a block.
	tabStop = 4

	dot     = '·'
	circle  = '◌'
	newline = '↵'
)

// Clean makes one line of s, at most max columns wide; a longer one is cut and
// ends in an ellipsis. A tab becomes a space, a line end a visible sign. The
// time it takes is bound by max, not by s, unless s is long for what it shows.
func Clean(s string, max int) Text {
	if max <= 0 {
		return Text{}
	}
	if len(s) <= max && plainPrefix(s) == len(s) {
		return Text{s}
	}
	c := cleaner{limit: max}
	text := Text{c.whole(s)}
	if 2*c.count <= max { // a cluster is two columns at most
		return text
	}
	return text.Truncate(max)
}

// cleaner turns what a peer sent into what may be printed, a piece at a time:
// the pieces may be cut anywhere, also within a character or a line end.
type cleaner struct {
	block bool // keep line ends, expand tabs
	limit int  // stop after so many clusters; 0 for no limit
	count int  // clusters so far

	buf []byte // what was cleaned

	// The last cluster: where it begins in buf, its characters, the marks on
	// its last base, whether its last character may join a neighbour, and what
	// it is to an emoji.
	cluster int
	runes   int
	marks   int
	joins   bool
	emoji   emoji

	// What the next character decides about: a carriage return, a joiner
	// behind an emoji, the first half of a flag, the beginning of a character.
	held rune
	part string

	// The column of buf[colAt], for tabs.
	col   int
	colAt int
}

// emoji says what may follow the last character without being shown.
type emoji uint8

const (
	noEmoji emoji = iota
	bareEmoji
	dressedEmoji // a selector or a skin tone was dropped behind it
)

// whole cleans s, which is all there is, as far as the limit allows.
func (c *cleaner) whole(s string) string {
	size := len(s) + len(s)/8 + 8
	if c.limit < size/4 {
		size = 4*c.limit + 8
	}
	c.buf = make([]byte, 0, size)
	c.write(s)
	c.release()
	if c.part != "" {
		c.put(unknown(), false)
	}
	return string(c.buf)
}

// write cleans s and appends it to buf.
func (c *cleaner) write(s string) {
	if c.part != "" {
		s, c.part = c.part+s, ""
	}
	for s != "" && !c.full() {
		if n := plainPrefix(c.within(s)); n > 0 {
			c.ascii(s[:n])
			s = s[n:]
			continue
		}
		r, size, whole := decode(s)
		if !whole {
			c.part = strings.Clone(s)
			return
		}
		c.rune(r)
		s = s[size:]
	}
}

// full reports whether the limit is passed; one cluster more than it says so.
func (c *cleaner) full() bool { return c.limit > 0 && c.count > c.limit }

// within is as much of s as can be needed to pass the limit.
func (c *cleaner) within(s string) string {
	if c.limit > 0 && len(s) > c.limit {
		return s[:c.limit+1]
	}
	return s
}

// pending reports whether what follows can change how the last bytes look.
func (c *cleaner) pending() bool { return c.held != 0 || c.part != "" }

// rest is what is held and unfinished as it looks if nothing follows.
func (c *cleaner) rest() string {
	s := ""
	if c.held != 0 {
		s = alone(c.held)
	}
	if c.part != "" {
		s += string(unknown())
	}
	return s
}

// alone is how a held character looks when its other half did not come.
func alone(held rune) string {
	switch held {
	case '\r':
		return hex(held)
	case zwj:
		return string(dot)
	}
	return string('A' + held - regionalA)
}

// ascii appends printable ASCII.
func (c *cleaner) ascii(s string) {
	c.release()
	c.buf = append(c.buf, s...)
	c.count += len(s)
	c.cluster, c.runes, c.marks = len(c.buf)-1, 1, 0
	c.joins, c.emoji = false, noEmoji
}

// release appends what is held, alone.
func (c *cleaner) release() {
	if c.held != 0 {
		held := c.held
		c.held = 0
		c.ascii(alone(held))
	}
}

// rune appends one character that is not printable ASCII.
func (c *cleaner) rune(r rune) {
	if c.held != 0 && c.resolve(r) {
		return
	}
	switch classify(r) {
	case control:
		c.control(r)
	case mark:
		c.mark(r)
	case hidden:
		c.put(dot, false)
	case bad:
		c.put(unknown(), false)
	case joiner:
		if c.emoji == noEmoji {
			c.put(dot, false)
			return
		}
		c.held = r
	case selector:
		c.dress(c.emoji == bareEmoji || c.emoji == noEmoji && c.keycap())
	case modifier:
		c.dress(c.emoji == bareEmoji)
	case regional:
		c.held = r
	case plain:
		c.put(r, conjoins(r))
		if isEmoji(r) {
			c.emoji = bareEmoji
		}
	}
}

// resolve decides about the held character now that r follows. It reports
// whether r was part of it.
func (c *cleaner) resolve(r rune) bool {
	held := c.held
	switch {
	case held == '\r' && r == '\n':
		c.held = 0
		return false
	case held == zwj && isEmoji(r):
		c.held = 0
		return false
	case held >= regionalA && held <= regionalZ && r >= regionalA && r <= regionalZ:
		c.held = 0
		c.put(held, false)
		c.buf = utf8.AppendRune(c.buf, r)
		c.runes++
		return true
	}
	c.release()
	return false
}

// control appends a control character.
func (c *cleaner) control(r rune) {
	switch {
	case r == '\r':
		c.held = r
	case r == '\n' && c.block:
		c.newline()
	case r == '\n':
		c.put(newline, false)
	case r == '\t' && c.block:
		c.ascii(blanks[:tabStop-c.column()%tabStop])
	case r == '\t':
		c.ascii(" ")
	default:
		c.ascii(hex(r))
	}
}

// hex is the visible form of a control character.
func hex(r rune) string {
	const digits = "0123456789abcdef"
	return string([]byte{'\\', 'x', digits[r>>4&0xf], digits[r&0xf]})
}

// newline ends a line of a block.
func (c *cleaner) newline() {
	c.buf = append(c.buf, '\n')
	c.count++
	c.cluster, c.runes, c.marks = len(c.buf), 0, 0
	c.joins, c.emoji = false, noEmoji
	c.col, c.colAt = 0, len(c.buf)
}

// mark appends a combining mark. A space is no base: a line may break there.
func (c *cleaner) mark(r rune) {
	if c.runes == 0 || c.buf[len(c.buf)-1] == ' ' {
		c.put(circle, false)
	}
	if c.marks == maxMarks {
		return
	}
	marks := c.marks + 1
	c.put(r, true)
	c.marks = marks
}

// dress drops what belongs to the emoji before it, and shows a dot for what
// does not belong to one.
func (c *cleaner) dress(belongs bool) {
	if !belongs {
		c.put(dot, false)
		return
	}
	c.emoji = dressedEmoji
}

// keycap reports whether the last character can be the base of a keycap emoji.
func (c *cleaner) keycap() bool {
	if c.runes != 1 || c.cluster != len(c.buf)-1 {
		return false
	}
	b := c.buf[c.cluster]
	return b >= '0' && b <= '9' || b == '#' || b == '*'
}

// put appends a character that is shown to the cluster that it belongs to;
// joins says whether it may share one with a neighbour. Only then are the rules
// of UAX #29 asked, which are not cheap.
func (c *cleaner) put(r rune, joins bool) {
	near := joins || c.joins
	within := near && c.extends(r)
	if within && c.runes >= maxCluster {
		c.append(dot, false)
		within = c.extends(r)
	}
	c.append(r, within)
	c.marks = 0
	c.joins, c.emoji = joins, noEmoji
}

// append appends a character to the last cluster or begins a new one with it.
func (c *cleaner) append(r rune, within bool) {
	if !within {
		c.cluster, c.runes = len(c.buf), 0
		c.count++
	}
	c.buf = utf8.AppendRune(c.buf, r)
	c.runes++
}

// extends reports whether r belongs to the last cluster (UAX #29).
func (c *cleaner) extends(r rune) bool {
	if c.runes == 0 {
		return false
	}
	with := utf8.AppendRune(c.buf, r)[c.cluster:]
	g := measure.BytesGraphemes(with)
	g.Next()
	return len(g.Value()) == len(with)
}

// column is the column at the end of buf. The last cluster may still grow,
// which does not change its width, so it is measured anew each time.
func (c *cleaner) column() int {
	c.col += measure.Bytes(c.buf[c.colAt:c.cluster])
	c.colAt = c.cluster
	return c.col + measure.Bytes(c.buf[c.cluster:])
}

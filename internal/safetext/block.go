package safetext

import "strings"

// Block is text of several lines that is safe to print line by line. The zero
// Block has no line.
type Block struct {
	s string
}

// CleanBlock makes a block of s: line ends are kept (CR LF is one), tabs are
// filled up to the next tab stop. It is at most max columns large, summed over
// its lines, a line end counting as one; a larger one is cut and ends in an
// ellipsis.
func CleanBlock(s string, max int) Block {
	if max <= 0 {
		return Block{}
	}
	if len(s) <= max && plainBlock(s) {
		return Block{s}
	}
	c := cleaner{block: true, limit: max}
	text := c.whole(s)
	if 2*c.count <= max {
		return Block{text}
	}
	return Block{cutBlock(text, max)}
}

// plainBlock reports whether s is printable ASCII and line ends.
func plainBlock(s string) bool {
	for {
		s = s[plainPrefix(s):]
		if s == "" || s[0] != '\n' {
			return s == ""
		}
		s = s[1:]
	}
}

// cutBlock cuts clean text that is larger than cells.
func cutBlock(s string, cells int) string {
	end, used := 0, 0
	for i := 0; i < len(s); {
		j, w := i+1, 1
		if s[i] != '\n' {
			j, w = next(s, i)
		}
		if used+w > cells {
			return s[:end] + Ellipsis()
		}
		used += w
		if used < cells {
			end = j
		}
		i = j
	}
	return s
}

// String returns the lines with a line feed between them.
func (b Block) String() string { return b.s }

// Empty reports whether the block has no line.
func (b Block) Empty() bool { return b.s == "" }

// Lines returns the lines of the block. A line feed at the very end does not
// begin another line.
func (b Block) Lines() []Text {
	if b.s == "" {
		return nil
	}
	lines := make([]Text, 0, strings.Count(b.s, "\n")+1)
	for line := range strings.SplitSeq(strings.TrimSuffix(b.s, "\n"), "\n") {
		lines = append(lines, Text{line})
	}
	return lines
}

// Wrap returns the lines of the block broken to cols columns, as [Text.Wrap]
// does it.
func (b Block) Wrap(cols int) []Text {
	var lines []Text
	for _, line := range b.Lines() {
		lines, _ = wrap(lines, line.s, cols)
	}
	return lines
}

package safetext

import "strings"

// Text is one line of text that is safe to print. The zero Text is empty.
// Texts are comparable with ==.
type Text struct {
	s string
}

// constant admits only constants of the caller's source: its name is not
// exported, so no string variable can be converted to it.
type constant string

// Const makes a Text of a constant. The compiler refuses anything but a
// constant; what it holds is the program's own and is not looked at.
func Const(s constant) Text {
	return Text{string(s)}
}

// Concat joins parts into one line.
func Concat(parts ...Text) Text {
	n := 0
	for _, p := range parts {
		n += len(p.s)
	}
	var b strings.Builder
	b.Grow(n)
	for _, p := range parts {
		b.WriteString(p.s)
	}
	return Text{b.String()}
}

// String returns the text as it is to be printed.
func (t Text) String() string { return t.s }

// Empty reports whether there is nothing to print.
func (t Text) Empty() bool { return t.s == "" }

// Width is the number of terminal columns that the text takes.
func (t Text) Width() int { return measure.String(t.s) }

// Truncate returns the text if it fits into cols columns, else as much of it as
// fits with an ellipsis behind it.
func (t Text) Truncate(cols int) Text {
	if end, _, fits := cut(t.s, cols); !fits {
		return Text{ellipsize(t.s[:end], cols)}
	}
	return t
}

// Fit returns the text exactly cols columns wide: truncated, or filled up with
// spaces on the right.
func (t Text) Fit(cols int) Text {
	body, pad := t.fit(cols)
	return Text{body + spaces(pad)}
}

// FitRight is [Text.Fit] with the spaces on the left, for columns of figures.
func (t Text) FitRight(cols int) Text {
	body, pad := t.fit(cols)
	return Text{spaces(pad) + body}
}

// fit truncates to cols and says how many columns are left over.
func (t Text) fit(cols int) (body string, pad int) {
	end, width, fits := cut(t.s, cols)
	if fits {
		return t.s, max(cols, 0) - width
	}
	if cols <= 0 {
		return "", 0
	}
	return t.s[:end] + Ellipsis(), cols - width - 1
}

// ellipsize puts the ellipsis behind what cut left, where there is room for one.
func ellipsize(s string, cols int) string {
	if cols <= 0 {
		return ""
	}
	return s + Ellipsis()
}

// cut measures s against cols. If s does not fit, end and width are of the
// longest beginning that leaves one column for the ellipsis. It reads no
// further than it must, so that the length of s does not matter.
func cut(s string, cols int) (end, width int, fits bool) {
	total := 0
	for i := 0; i < len(s); {
		j, w := next(s, i)
		if total+w > cols {
			return end, width, false
		}
		total += w
		if total < cols {
			end, width = j, total
		}
		i = j
	}
	return len(s), total, true
}

// next returns the end and the width of the grapheme cluster at s[i:]. s is
// clean, so that an ASCII byte is one column.
func next(s string, i int) (end, width int) {
	if s[i] < 0x80 && (i+1 == len(s) || s[i+1] < 0x80) {
		return i + 1, 1
	}
	g := measure.StringGraphemes(s[i:])
	g.Next()
	return i + len(g.Value()), g.Width()
}

const blanks = "                                                                "

// spaces returns n spaces.
func spaces(n int) string {
	if n <= len(blanks) {
		return blanks[:max(n, 0)]
	}
	return strings.Repeat(" ", n)
}

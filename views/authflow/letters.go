package authflow

import (
	"strings"
	"unicode"

	"ahptui/internal/safetext"
	"ahptui/views/frame"
)

// font has the letters of user codes (RFC 8628, section 6.1), each as five rows of
// three squares from the top.
const font = `
0 111101101101111 1 010110010010111 2 111001111100111 3 111001111001111 4 101101111001001 5 111100111001111
6 111100111101111 7 111001010010010 8 111101111101111 9 111101111001111 A 010101111101101 B 110101110101110
C 111100100100111 D 110101101101110 E 111100110100111 F 111100110100100 G 111100101101111 H 101101111101101
I 111010010010111 J 001001001101111 K 101101110101101 L 100100100100111 M 101111111101101 N 110101101101101
O 010101101101010 P 111101111100100 Q 010101101110011 R 110101110101101 S 011100010001110 T 111010010010010
U 101101101101111 V 101101101101010 W 101101111111101 X 101101010101101 Y 101101010010010 Z 111001010100111
- 000000111000000`

// The size of a letter, in squares.
const (
	letterWidth  = 3
	letterHeight = 5
)

// letters are those of a code; ok is false where one of them is not known, so that
// the code is not drawn large at all.
func letters(code string) (list []string, ok bool) {
	words := strings.Fields(font)
	for _, r := range code {
		shape := ""
		for i := 0; i < len(words); i += 2 {
			if words[i] == string(unicode.ToUpper(r)) {
				shape = words[i+1]
			}
		}
		if shape == "" {
			return nil, false
		}
		list = append(list, shape)
	}
	return list, len(list) > 0
}

// code adds a user code, large where there is room for that, and as it is: large
// letters look alike.
func (p *painter) code(code safetext.Text) {
	const loose, least = 14, 9 // lines, or the code itself is not seen below
	space := func() {
		if p.height >= loose {
			p.blank()
		}
	}
	space()
	if list, ok := letters(code.String()); ok && p.height >= least {
		for _, row := range p.large(list) {
			p.put(frame.Line{}.Gap(1).Own(p.theme.Strong, row))
		}
		space()
	}
	for _, line := range code.Wrap(max(0, p.width-2)) {
		p.put(frame.Line{}.Gap(1).Add(p.theme.Prompt, line))
	}
	space()
}

// large draws letters as large as there is room for; with no room there are none.
func (p *painter) large(list []string) []string {
	halves, full := p.theme.Halves, "#"
	if halves[3] != "" {
		full = halves[3]
	}
	whole := func(upper, _ bool) string { return [2]string{" ", full}[bit(upper)] }
	room := p.width - 2
	switch width := len(list)*(letterWidth+1) - 1; {
	case 2*width <= room && p.height >= 4*letterHeight:
		return rows(list, 2, whole, 1)
	case width > room:
		return nil
	case halves[3] == "":
		return rows(list, 1, whole, 1)
	}
	return rows(list, 1, func(upper, lower bool) string { return halves[bit(upper)+2*bit(lower)] }, 2)
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}

// rows draws letters with a sign for step squares above each other, so many columns
// wide.
func rows(list []string, columns int, sign func(upper, lower bool) string, step int) []string {
	var lines []string
	for y := 0; y < letterHeight; y += step {
		row := ""
		for i, shape := range list {
			if i > 0 {
				row += strings.Repeat(" ", columns)
			}
			for x := range letterWidth {
				row += strings.Repeat(sign(square(shape, x, y), square(shape, x, y+1)), columns)
			}
		}
		lines = append(lines, row)
	}
	return lines
}

// square reports whether a letter has a square there.
func square(shape string, x, y int) bool { return y < letterHeight && shape[y*letterWidth+x] == '1' }

package editor

import (
	"math"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/clipperhouse/displaywidth"

	"ahptui/internal/safetext"
	"ahptui/views/list"
)

// row is a line on the screen: a piece of the text.
type row struct {
	start, end int
	soft       bool // the next row goes on with the same line
}

// layout is what rows depend on.
type layout struct {
	text string
	cols int
}

// clusterLen is the length of the grapheme cluster that s begins with.
func clusterLen(s string) int {
	if s == "" {
		return 0
	}
	if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
		return 1
	}
	g := displaywidth.StringGraphemes(s)
	g.Next()
	return len(g.Value())
}

// shown is how a cluster is drawn. A control character of the person's own
// would be visible; a tab is a space.
func shown(cluster string) (text safetext.Text, width int) {
	if len(cluster) == 1 && cluster[0] > ' ' {
		return safetext.Clean(cluster, 1), 1
	}
	text = safetext.Clean(cluster, 64)
	return text, text.Width()
}

// width is the columns of a piece of text as it is drawn.
func width(s string) int {
	n := 0
	for s != "" {
		i := clusterLen(s)
		_, w := shown(s[:i])
		n += w
		s = s[i:]
	}
	return n
}

// wrap cuts text into rows of at most cols columns: behind spaces, and where a
// word is longer than a row, within it. Spaces hang over the end of a row.
func wrap(text string, cols int) []row {
	var rows []row
	for start := 0; ; {
		end := start + strings.IndexByte(text[start:], '\n')
		if end < start {
			return wrapLine(rows, text, start, len(text), cols)
		}
		rows = wrapLine(rows, text, start, end, cols)
		start = end + 1
	}
}

func wrapLine(rows []row, text string, start, end, cols int) []row {
	used, gap, since := 0, start, 0 // gap: behind the last space; since: the columns from there on
	for i := start; i < end; {
		j := i + clusterLen(text[i:end])
		_, w := shown(text[i:j])
		if text[i:j] == " " || text[i:j] == "\t" {
			used, gap, since, i = used+w, j, 0, j
			continue
		}
		if used+w > cols && i > start {
			cut := i
			if gap > start {
				cut = gap
			} else {
				since = 0
			}
			rows = append(rows, row{start, cut, true})
			start, gap, used = cut, cut, since
		}
		used, since, i = used+w, since+w, j
	}
	return append(rows, row{start: start, end: end})
}

// lines are the rows of the text at the field's width. A column is kept for the
// cursor behind the last character.
func (m *Model) lines(cols int) []row {
	if !m.Multiline {
		cols = math.MaxInt
	}
	if want := (layout{m.text, cols}); m.rows == nil || m.layout != want {
		m.rows, m.layout = wrap(m.text, cols), want
	}
	return m.rows
}

// Lines is how many lines the text takes at a width.
func (m *Model) Lines(width int) int { return len(m.lines(max(1, width-1))) }

// place is the row and the column of the cursor.
func (m *Model) place(rows []row) (r, col int) {
	for r = range rows {
		if m.at < rows[r].end || m.at == rows[r].end && !rows[r].soft {
			break
		}
	}
	return r, width(m.text[rows[r].start:m.at])
}

// vertical moves the cursor by a row, as near as it gets to the column where
// the way up or down began.
func (m *Model) vertical(by int) {
	rows := m.lines(max(1, m.width-1))
	r, col := m.place(rows)
	if m.goal < 0 {
		m.goal = col
	}
	goal := m.goal
	switch r += by; {
	case r < 0:
		m.at = 0
	case r >= len(rows):
		m.at = len(m.text)
	default:
		m.at = m.within(rows[r], goal)
	}
	m.goal = goal
}

// within is the offset in a row that is nearest to a column from the left.
func (m *Model) within(r row, col int) int {
	at := r.start
	for i, x := r.start, 0; i < r.end; {
		j := i + clusterLen(m.text[i:r.end])
		_, w := shown(m.text[i:j])
		x += w
		if x > col || r.soft && j == r.end {
			break
		}
		at, i = j, j
	}
	return at
}

// View returns the lines that are seen in a style, none wider than the field,
// and the place of the cursor in them.
func (m *Model) View(style lipgloss.Style) (lines []string, x, y int) {
	if m.width == 0 || m.height == 0 {
		return nil, 0, 0
	}
	rows := m.lines(max(1, m.width-1))
	r, col := m.place(rows)
	m.top = list.Scroll(m.top, len(rows), m.height, r, r+1)
	m.left = 0
	if !m.Multiline && col >= m.width {
		m.left = col - m.width + 1
	}
	for i := m.top; i < min(m.top+m.height, len(rows)); i++ {
		lines = append(lines, style.Render(m.draw(rows[i])))
	}
	return lines, min(col-m.left, m.width-1), r - m.top
}

// draw is what is seen of a row.
func (m *Model) draw(r row) string {
	var b strings.Builder
	x := -m.left
	for i := r.start; i < r.end && x < m.width; {
		j := i + clusterLen(m.text[i:r.end])
		text, w := shown(m.text[i:j])
		switch {
		case x < 0:
			b.WriteString(strings.Repeat(" ", max(0, x+w))) // half of a wide glyph
		case x+w <= m.width:
			b.WriteString(text.String())
		}
		x, i = x+w, j
	}
	return b.String()
}

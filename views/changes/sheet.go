package changes

import (
	"slices"
	"sort"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/diff"
	"ahptui/views/frame"
)

// sheet is the diff of a file with the notes at their lines. What it shows is a list
// of items, each of which is drawn only where it is seen.
type sheet struct {
	theme       themes.Theme
	width, rows int
	of          string
	diff        *diff.Diff
	notes       []*Note
	why         safetext.Text

	painter diff.Painter
	items   []item
	top     place
}

// item is a line of the diff, or a note below it.
type item struct {
	line int // -1 for a note that comes first
	note *Note
}

// place is a row of an item.
type place struct{ item, row int }

// sync takes what there is to show. What is read stays where it is, as far as that
// is still there.
func (s *sheet) sync(in Input, width, rows int) {
	d := in.Diff
	if s.of != d.Of {
		s.top = place{}
	}
	same := s.of == d.Of && s.diff == d.Diff && slices.Equal(s.notes, in.Notes)
	if !same || s.width != width {
		s.of, s.diff, s.notes, s.width = d.Of, d.Diff, in.Notes, width
		s.items = nil
		if s.diff != nil {
			s.painter = diff.NewPainter(s.theme, s.diff, width)
		}
		s.arrange()
	}
	s.why, s.rows = d.Why, rows
	s.top.item = max(0, min(s.top.item, len(s.items)-1))
}

// arrange puts the notes at their lines. Those at lines that are not shown come
// first, with those about the whole file.
func (s *sheet) arrange() {
	type at struct {
		old  bool
		line int
	}
	byLine := map[at][]*Note{}
	shown := map[at]bool{}
	if s.diff != nil {
		for _, l := range s.diff.Lines {
			shown[at{true, l.Old}] = l.Kind != diff.Gap
			shown[at{false, l.New}] = shown[at{false, l.New}] || l.Kind != diff.Gap
		}
	}
	for _, n := range s.notes {
		if where := (at{n.Old, n.Line}); n.Line > 0 && shown[where] {
			byLine[where] = append(byLine[where], n)
		} else {
			s.items = append(s.items, item{-1, n})
		}
	}
	if s.diff == nil {
		return
	}
	for i, l := range s.diff.Lines {
		s.items = append(s.items, item{line: i})
		for _, where := range []at{{true, l.Old}, {false, l.New}} {
			if l.Kind == diff.Gap || where.line == 0 {
				continue
			}
			for _, n := range byLine[where] {
				s.items = append(s.items, item{i, n})
			}
		}
	}
}

// draw draws an item.
func (s *sheet) draw(i int) []string {
	it := s.items[i]
	if it.note == nil {
		return s.painter.Line(s.diff.Lines[it.line])
	}
	return s.note(it.note)
}

// note draws a note: a bar at its left, what was said, and by a word whether it is
// settled.
func (s *sheet) note(n *Note) []string {
	style := s.theme.Warning
	word := "note"
	if n.Line > 0 {
		word += " at line " + frame.Number(n.Line).String()
	}
	if n.Resolved {
		style, word = s.theme.Dim, word+", resolved"
	}
	bar := func() frame.Line { return frame.Line{}.Gap(1).Own(style, s.theme.Signs.Guide).Gap(1) }
	lines := []string{bar().Own(style, word).Fit(s.width, s.theme.Text)}
	for _, e := range n.Entries {
		for _, text := range e.Wrap(max(2, s.width-4)) {
			lines = append(lines, bar().Add(s.theme.Text, text).Fit(s.width, s.theme.Text))
		}
	}
	return lines
}

// view draws what is seen.
func (s *sheet) view() []string {
	var lines []string
	if !s.why.Empty() {
		lines = append(lines, frame.Paragraph(s.theme.Empty, s.why, s.width)...)
	}
	skip := s.top.row
	for i := s.top.item; i < len(s.items) && len(lines) < s.rows; i++ {
		rows := s.draw(i)
		lines = append(lines, rows[min(skip, len(rows)):]...)
		skip = 0
	}
	return lines[:min(len(lines), s.rows)]
}

// scroll goes down by so many rows, or up.
func (s *sheet) scroll(by int) {
	for ; by > 0; by-- {
		if s.top.row+1 < s.height(s.top.item) {
			s.top.row++
		} else if s.top.item+1 < len(s.items) {
			s.top = place{s.top.item + 1, 0}
		}
	}
	for ; by < 0; by++ {
		if s.top.row > 0 {
			s.top.row--
		} else if s.top.item > 0 {
			s.top = place{s.top.item - 1, s.height(s.top.item-1) - 1}
		}
	}
	s.settle()
}

func (s *sheet) height(i int) int {
	if i < 0 || i >= len(s.items) {
		return 0
	}
	return len(s.draw(i))
}

// settle goes up as far as it takes to fill the panel.
func (s *sheet) settle() {
	last := s.last()
	if last.item < s.top.item || last.item == s.top.item && last.row < s.top.row {
		s.top = last
	}
}

// last is the place from which the end just fills the panel.
func (s *sheet) last() place {
	left := s.rows
	for i := len(s.items) - 1; i >= 0; i-- {
		h := s.height(i)
		if h >= left {
			return place{i, h - left}
		}
		left -= h
	}
	return place{}
}

func (s *sheet) home() { s.top = place{} }

func (s *sheet) end() { s.top = s.last() }

// change goes to the next change below the top, or to the one before.
func (s *sheet) change(by int) bool {
	if s.diff == nil {
		return false
	}
	starts := s.diff.Changes
	i := sort.Search(len(starts), func(i int) bool { return s.itemOf(starts[i]) > s.top.item })
	if by < 0 {
		i = sort.Search(len(starts), func(i int) bool { return s.itemOf(starts[i]) >= s.top.item }) - 1
	}
	if i < 0 || i >= len(starts) {
		return false
	}
	was := s.top
	s.top = place{s.itemOf(starts[i]), 0}
	s.settle()
	return s.top != was
}

// itemOf is the item of a line.
func (s *sheet) itemOf(line int) int {
	i, _ := slices.BinarySearchFunc(s.items, line, func(it item, line int) int {
		if it.line == line && it.note != nil { // which comes behind it
			return 1
		}
		return it.line - line
	})
	return min(i, len(s.items)-1)
}

// seen is the first and the last line, of the file as it is now, of the change that
// is nearest to the top.
func (s *sheet) seen() (first, last int, ok bool) {
	if s.diff == nil || len(s.diff.Changes) == 0 {
		return 0, 0, false
	}
	at := -1
	if len(s.items) > 0 {
		at = s.items[s.top.item].line
	}
	i, found := slices.BinarySearch(s.diff.Changes, at)
	if !found && i > 0 && (i == len(s.diff.Changes) || s.diff.Lines[at].Kind != diff.Same) {
		i--
	}
	for _, l := range s.diff.Lines[s.diff.Changes[i]:] {
		if l.Kind == diff.Same || l.Kind == diff.Gap {
			break
		}
		if l.New > 0 {
			if first == 0 {
				first = l.New
			}
			last = l.New
		}
	}
	return first, last, first > 0
}

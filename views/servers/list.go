package servers

import (
	"slices"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// indent is how far what belongs to a row stands behind it.
const indent = 3

// list draws all groups, and says what server each line is about, if it is about
// one. With notes, what there is to say about a row stands below each; else only
// below the selected one.
func (p painter) list(in Input, notes bool) (lines []string, about []Ref) {
	for _, g := range in.Groups {
		if !g.Title.Empty() {
			lines = append(lines, p.title(g))
		}
		if !g.Problem.Empty() {
			lines = append(lines, p.note(p.theme.Warning, g.Problem, 1)...)
		}
		if g.Loading {
			lines = append(lines, p.note(p.theme.Dim, safetext.Const("loading"), 1)...)
		}
		for _, r := range g.Rows {
			ref := Ref{g.ID, r.ID}
			chosen := p.some && p.selected == ref
			about = append(about, make([]Ref, len(lines)-len(about))...)
			lines = append(lines, p.row(r, chosen))
			if notes || chosen {
				lines = append(lines, p.notes(r, chosen)...)
			}
			for len(about) < len(lines) {
				about = append(about, ref)
			}
		}
	}
	return lines, append(about, make([]Ref, len(lines)-len(about))...)
}

// age is the mark that stands above everything while the host says nothing, nil
// while it does.
func (p painter) age(in Input) []string {
	if !in.Stale {
		return nil
	}
	mark := p.theme.Badge(themes.MarkStale)
	line := frame.Line{}.Gap(1).Own(mark.Style, mark.Glyph).Gap(1).Own(mark.Style, mark.Word)
	if !in.StaleFor.Empty() {
		line = line.Own(mark.Style, " for ").Add(mark.Style, in.StaleFor)
	}
	return []string{line.Fit(p.width, p.theme.Stale)}
}

// title is the line above a group.
func (p painter) title(g Group) string {
	line := frame.Line{}.Gap(1).Add(p.theme.Dim, g.Title)
	var right frame.Line
	if g.Off {
		right = right.Own(p.theme.Dim, "off")
	}
	return frame.Ends(line, right, p.width, p.theme.Text)
}

// row is the line of a server: its state as a sign, its name, its state in a
// word, and since when. Where there is little room the name is cut first.
func (p painter) row(r Row, chosen bool) string {
	badge := r.badge(p.theme)
	name := p.theme.Text
	switch {
	case p.stale:
		name = p.theme.Stale
	case !r.On:
		name = p.theme.Dim
	}
	left := frame.Line{}.Gap(1).Own(badge.Style, badge.Glyph).Gap(1).Add(name, named(r))
	marks, right, _ := p.beside(r, left.Width())
	fill := lipgloss.NewStyle()
	if chosen {
		fill = p.theme.SelectionDim
		if p.focused {
			fill = p.theme.Selection
		}
		left, marks, right = left.In(fill), marks.In(fill), right.In(fill)
	}
	if room := p.width - right.Width() - marks.Width() - 1; left.Width() > room && room >= leastName {
		return left.Fit(room, fill) + append(marks, frame.Line{}.Gap(1).In(fill)...).Fit(marks.Width()+1, fill) + right.Fit(right.Width(), fill)
	}
	return frame.Ends(append(left, marks...), right, p.width, fill)
}

// beside is what stands beside the sign and the name of a server, which take so many
// columns: marks, its state in a word and, where there is room for it, its age.
func (p painter) beside(r Row, name int) (marks, right frame.Line, aged bool) {
	badge := r.badge(p.theme)
	word := frame.Line{}.Own(badge.Style, badge.Word)
	fits := func(marks, right frame.Line) bool {
		return p.width-right.Width()-marks.Width()-1 >= min(name, leastName)
	}
	right, aged = word, r.Since.Empty()
	marks = p.marks(r)
	if long := append(slices.Clone(word), frame.Line{}.Gap(1).Add(p.theme.Dim, r.Since)...); !aged && fits(marks, long) {
		right, aged = long, true
	}
	if all := append(slices.Clone(marks), p.staleMark()...); fits(all, right) { // it stands above them all as well
		marks = all
	}
	return marks, right, aged
}

// leastName is how many columns of the sign and the name are left before
// something else of the row has to go.
const leastName = 7

// marks are what stands behind the name of a server.
func (p painter) marks(r Row) frame.Line {
	var line frame.Line
	if r.Pending {
		mark := p.theme.Badge(themes.MarkPending)
		line = line.Gap(1).Own(mark.Style, mark.Glyph)
	}
	if r.warns() {
		line = line.Gap(1).Own(p.theme.Warning, p.theme.Signs.Alert)
	}
	return line
}

func (p painter) staleMark() frame.Line {
	if !p.stale {
		return nil
	}
	mark := p.theme.Badge(themes.MarkStale)
	return frame.Line{}.Gap(1).Own(mark.Style, mark.Glyph)
}

// warns reports whether something is not as it should be that the state does not
// tell.
func (r Row) warns() bool { return r.NoTools && r.On && r.State == protocol.McpReady || r.Late }

func named(r Row) safetext.Text {
	if r.Name.Empty() {
		return safetext.Const("(no name)")
	}
	return r.Name
}

// notes are the lines below a row: what has to be known of it, and of the
// selected one what is good to know as well.
func (p painter) notes(r Row, chosen bool) []string {
	var lines []string
	add := func(style lipgloss.Style, text safetext.Text, most int) {
		lines = append(lines, p.note(style, text, most)...)
	}
	if _, _, aged := p.beside(r, leastName); !aged {
		add(p.theme.Dim, safetext.Concat(safetext.Const("for "), r.Since), 1)
	}
	if r.needsAccess() {
		lines = append(lines, p.access(r, chosen)...)
	}
	if r.State == protocol.McpError && r.On {
		add(p.theme.Error, r.trouble(), 1)
	}
	add(p.theme.Error, r.Refused, 2)
	if r.Late {
		add(p.theme.Warning, r.waits(p.theme), 2)
	} else if chosen && r.Pending {
		add(p.theme.Pending, r.waits(p.theme), 1)
	}
	if r.On && r.State == protocol.McpStarting && r.Blocking {
		add(p.theme.Warning, safetext.Const("messages wait for it"), 1)
	}
	if r.NoTools && r.On && r.State == protocol.McpReady {
		add(p.theme.Warning, safetext.Const("it offers no tools"), 1)
	}
	if chosen {
		add(p.theme.Warning, r.Attempt, 1)
		add(p.theme.Dim, r.By, 1)
		add(p.theme.Dim, r.Used, 1)
	}
	return lines
}

// waits is what the host has not confirmed.
func (r Row) waits(theme themes.Theme) safetext.Text {
	if r.Asked.Empty() {
		return frame.Own(theme.Badge(themes.MarkPending).Word)
	}
	if !r.Pending {
		return r.Asked
	}
	return safetext.Concat(frame.Own(theme.Badge(themes.MarkPending).Word+": "), r.Asked)
}

// trouble is what an error means, else its first line.
func (r Row) trouble() safetext.Text {
	if !r.Fault.Empty() || r.Error.Empty() {
		return r.Fault
	}
	return r.Error.Lines()[0]
}

func joined(words []safetext.Text) safetext.Text {
	var all []safetext.Text
	for i, w := range words {
		if i > 0 {
			all = append(all, safetext.Const(" "))
		}
		all = append(all, w)
	}
	return safetext.Concat(all...)
}

// note is text below a row, in at most so many lines.
func (p painter) note(style lipgloss.Style, text safetext.Text, most int) []string {
	width := p.width - indent
	if text.Empty() || width < 2 {
		return nil
	}
	wrapped := text.Wrap(width)
	if len(wrapped) > most {
		wrapped = append(wrapped[:most-1], safetext.Concat(wrapped[most-1], safetext.Const(" "), wrapped[most]).Truncate(width))
	}
	lines := make([]string, 0, len(wrapped))
	for _, t := range wrapped {
		lines = append(lines, frame.Line{}.Gap(indent).Add(style, t).Fit(p.width, style))
	}
	return lines
}

package servers

import (
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
	if in.Stale {
		mark := p.theme.Badge(themes.MarkStale)
		lines = append(lines, frame.Line{}.Gap(1).Own(mark.Style, mark.Glyph).Gap(1).Own(mark.Style, mark.Word).Fit(p.width, p.theme.Stale))
	}
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
// word, and, where there is room, since when.
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
	if r.Pending {
		mark := p.theme.Badge(themes.MarkPending)
		left = left.Gap(1).Own(mark.Style, mark.Glyph)
	}
	word := frame.Line{}.Own(badge.Style, badge.Word)
	right := word
	if !r.Since.Empty() {
		right = append(frame.Line{}, word...).Gap(1).Add(p.theme.Dim, r.Since)
	}
	if left.Width()+1+right.Width() > p.width {
		right = word
	}
	fill := lipgloss.NewStyle()
	if chosen {
		fill = p.theme.SelectionDim
		if p.focused {
			fill = p.theme.Selection
		}
		left, right = left.In(fill), right.In(fill)
	}
	return frame.Ends(left, right, p.width, fill)
}

func named(r Row) safetext.Text {
	if r.Name.Empty() {
		return safetext.Const("(no name)")
	}
	return r.Name
}

// notes are the lines below a row.
func (p painter) notes(r Row, chosen bool) []string {
	var lines []string
	if r.needsAccess() {
		lines = append(lines, p.access(r, chosen)...)
	}
	if r.State == protocol.McpError && !r.Error.Empty() {
		lines = append(lines, p.note(p.theme.Error, r.Error.Lines()[0], 1)...)
	}
	if !r.Refused.Empty() {
		lines = append(lines, p.note(p.theme.Error, r.refusal(), 2)...)
	}
	if chosen && r.Pending {
		lines = append(lines, p.note(p.theme.Pending, frame.Own(p.theme.Badge(themes.MarkPending).Word), 1)...)
	}
	return lines
}

// refusal is what the host said.
func (r Row) refusal() safetext.Text {
	return safetext.Concat(safetext.Const("the host refused: "), r.Refused)
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

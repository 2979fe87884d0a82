// Package frame puts panels together: borders with titles, joined where they
// touch, boxes laid over what is there, and lines that are exactly as wide as
// they must be.
package frame

import (
	"strings"

	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
)

// Window is the whole screen under its title line: panels side by side, a
// section below them, and a line of hints in the lower border.
//
//	┌ Title ──┬ Title ──────┐
//	│ body    │ body        │
//	├─────────┴─────────────┤
//	│ below                 │
//	└ footer ───────────────┘
type Window struct {
	Panels []Panel
	Below  string // lines of Width-2 columns; "" for none
	Active bool   // the section below has the focus
	Footer string // a line with styles, cut to fit
}

// Panel is a part of a [Window].
type Panel struct {
	Title   safetext.Text
	Note    safetext.Text // at the right end of the upper border
	Width   int           // of its inside
	Body    string        // lines of exactly Width columns
	Focused bool

	refit bool // it is not as wide as its body
}

// Render draws the window in a size. The insides of the panels and one column
// of border left of each and right of the last make up the width; the last
// panel is cut or filled up if they do not. It takes the section below from the
// height first. In a size that has no room for borders, only the panel that has
// the focus is drawn.
func (w Window) Render(theme themes.Theme, width, height int) string {
	panels, fits := w.arrange(width)
	below := w.below()
	if !fits || Inside(height, len(below)) < 1 {
		return Fit(strings.Split(w.focused().Body, "\n"), width, height)
	}
	p := pen{theme, panels}
	lines := []string{p.top()}
	lines = append(lines, p.insides(Inside(height, len(below)))...)
	if len(below) > 0 {
		lines = append(lines, p.divider(w.Active))
		side := paint(edge(theme, w.Active), theme.Frame.Vertical)
		for _, line := range below {
			lines = append(lines, side+fitLine(line, width-2)+side)
		}
	}
	lines = append(lines, p.bottom(w.Footer, len(below) > 0, w.Active, width))
	return strings.Join(lines, "\n")
}

// Inside is the height of the insides of the panels of a window with so many
// lines below them.
func Inside(height, below int) int {
	if below > 0 {
		below++
	}
	return max(0, height-2-below)
}

// arrange gives the last panel what is left of the width. It fits if every
// panel has a column.
func (w Window) arrange(width int) (panels []Panel, fits bool) {
	panels = append(panels, w.Panels...)
	if len(panels) == 0 {
		return nil, false
	}
	last := &panels[len(panels)-1]
	wanted := last.Width
	last.Width = width - 1 - len(panels)
	for _, p := range panels[:len(panels)-1] {
		last.Width -= p.Width
	}
	last.refit = last.Width != wanted
	for _, p := range panels {
		if p.Width < 1 {
			return nil, false
		}
	}
	return panels, true
}

func (w Window) below() []string {
	if w.Below == "" {
		return nil
	}
	return strings.Split(w.Below, "\n")
}

func (w Window) focused() Panel {
	for _, p := range w.Panels {
		if p.Focused {
			return p
		}
	}
	if len(w.Panels) > 0 {
		return w.Panels[0]
	}
	return Panel{}
}

// lines are the lines of a panel's inside. Lines of the width that they were drawn for are taken as they are: to measure what
// was measured when it was drawn is most of what a frame costs.
func (p Panel) lines(height int) []string {
	lines := strings.Split(p.Body, "\n")
	for i, line := range lines {
		if p.refit {
			lines[i] = fitLine(line, p.Width)
		}
	}
	for len(lines) < height {
		lines = append(lines, strings.Repeat(" ", p.Width))
	}
	return lines
}

// pen draws the borders of panels.
type pen struct {
	theme  themes.Theme
	panels []Panel
}

func edge(theme themes.Theme, focused bool) lipgloss.Style {
	if focused {
		return theme.BorderFocus
	}
	return theme.Border
}

// joint is the style of the border left of panel i; the one right of the last
// panel is joint len.
func (p pen) joint(i int) lipgloss.Style {
	left := i > 0 && p.panels[i-1].Focused
	right := i < len(p.panels) && p.panels[i].Focused
	return edge(p.theme, left || right)
}

// corner picks the sign for joint i.
func (p pen) corner(i int, first, middle, last string) string {
	switch i {
	case 0:
		return paint(p.joint(i), first)
	case len(p.panels):
		return paint(p.joint(i), last)
	}
	return paint(p.joint(i), middle)
}

func (p pen) top() string {
	f := p.theme.Frame
	var b strings.Builder
	for i, panel := range p.panels {
		b.WriteString(p.corner(i, f.TopLeft, f.Down, f.TopRight))
		b.WriteString(p.title(panel))
	}
	b.WriteString(p.corner(len(p.panels), f.TopLeft, f.Down, f.TopRight))
	return b.String()
}

// title is the upper border of one panel.
func (p pen) title(panel Panel) string {
	heading := p.theme.Heading
	if panel.Focused {
		heading = p.theme.HeadingFocus
	}
	return titled(p.theme.Frame.Horizontal, edge(p.theme, panel.Focused), Line{}.Add(heading, panel.Title), Line{}.Add(heading, panel.Note), panel.Width)
}

// titled is a horizontal line with words set into it at both ends.
func titled(horizontal string, line lipgloss.Style, left, right Line, width int) string {
	const around = 2
	room := width
	head, tail := "", ""
	if w := left.Width(); w > 0 && room > around {
		w = min(w, room-around)
		head = " " + left.Fit(w, line) + " "
		room -= w + around
	}
	if w := right.Width(); w > 0 && room > w+around {
		tail = " " + right.Fit(w, line) + " "
		room -= w + around
	}
	return head + paint(line, strings.Repeat(horizontal, room)) + tail
}

func (p pen) insides(height int) []string {
	bodies := make([][]string, len(p.panels))
	for i, panel := range p.panels {
		bodies[i] = panel.lines(height)
	}
	sides := make([]string, len(p.panels)+1)
	for i := range sides {
		sides[i] = paint(p.joint(i), p.theme.Frame.Vertical)
	}
	lines := make([]string, height)
	for row := range lines {
		var b strings.Builder
		for i := range p.panels {
			b.WriteString(sides[i])
			b.WriteString(bodies[i][row])
		}
		b.WriteString(sides[len(p.panels)])
		lines[row] = b.String()
	}
	return lines
}

// divider is the line between the panels and what is below them.
func (p pen) divider(active bool) string {
	f := p.theme.Frame
	var b strings.Builder
	for i, panel := range p.panels {
		style := edge(p.theme, active || panel.Focused)
		b.WriteString(p.corner(i, f.Right, f.Up, f.Left))
		b.WriteString(paint(style, strings.Repeat(f.Horizontal, panel.Width)))
	}
	b.WriteString(p.corner(len(p.panels), f.Right, f.Up, f.Left))
	return b.String()
}

// bottom is the last line: the footer in a border.
func (p pen) bottom(footer string, plain, active bool, width int) string {
	f := p.theme.Frame
	style := edge(p.theme, active)
	line := paint(style, strings.Repeat(f.Horizontal, width-2))
	if !plain {
		line = p.joints()
	}
	if footer != "" && width > 6 {
		footer = " " + strings.TrimRight(fitFooter(footer, width-4), " ") + " "
		line = footer + after(line, footer)
	}
	return paint(style, f.BottomLeft) + line + paint(style, f.BottomRight)
}

// joints is the lower border of panels that have nothing below them.
func (p pen) joints() string {
	var b strings.Builder
	for i, panel := range p.panels {
		if i > 0 {
			b.WriteString(paint(p.joint(i), p.theme.Frame.Up))
		}
		b.WriteString(paint(edge(p.theme, panel.Focused), strings.Repeat(p.theme.Frame.Horizontal, panel.Width)))
	}
	return b.String()
}

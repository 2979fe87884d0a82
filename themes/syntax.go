package themes

import (
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// Syntax is the styles of source code. Without colours there are none: code is not told apart by weight or lines, which are
// for what matters more.
type Syntax struct {
	Plain   lipgloss.Style
	Comment lipgloss.Style
	String  lipgloss.Style
	Number  lipgloss.Style
	Keyword lipgloss.Style
	Name    lipgloss.Style // constants and types
	Call    lipgloss.Style // functions
	Key     lipgloss.Style // members, attributes, settings
	Added   lipgloss.Style // lines of a difference
	Removed lipgloss.Style
	Heading lipgloss.Style
}

func (p palette) syntax(profile colorprofile.Profile) *Syntax {
	fg := func(t tint) lipgloss.Style { return lipgloss.NewStyle().Foreground(t.in(profile)) }
	return &Syntax{
		Comment: fg(p.dim).Italic(true), String: fg(p.good), Number: fg(p.waits), Keyword: fg(p.agent), Name: fg(p.busy),
		Call: fg(p.link), Key: fg(p.link), Added: fg(p.good), Removed: fg(p.failed), Heading: fg(p.accent).Bold(true),
	}
}

// Package doctor shows a diagnosis: at which step an MCP server is stuck, what happens next by itself, and what a person can do.
package doctor

import (
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/themes"
	"ahptui/views/frame"
)

// Report is a diagnosis. It is plain data, for a window as for a command that prints it.
type Report struct {
	Server  safetext.Text
	Verdict safetext.Text // in a sentence
	Steps   []Step        // from the connection to a server that is ready, in order
	// Raw is what the host said of the step that has failed, in its own words.
	Raw   safetext.Block
	Facts []Fact // what is known of the token and of what was done with it
	Next  safetext.Text
	Can   []safetext.Text // what the person can do
}

// Step is a step on the way.
type Step struct {
	Name  safetext.Text
	State State
	Words safetext.Text // what there is to say about it
	Since safetext.Text // for how long it is so, such as "2 min"; "" where nobody knows
}

// Fact is something that is known.
type Fact struct{ Name, Words safetext.Text }

// State is how a step stands.
type State uint8

// The states of a step.
const (
	Ahead   State = iota // it was not come to
	Done                 // it is behind
	Current              // it goes on
	Stuck                // it does not go on by itself
	Failed               // it went wrong
	Skipped              // it is not needed
)

// Word is the state in a word.
func (s State) Word() string {
	switch s {
	case Done:
		return "done"
	case Current:
		return "now"
	case Stuck:
		return "stuck"
	case Failed:
		return "failed"
	case Skipped:
		return "not needed"
	case Ahead:
	}
	return "not yet"
}

// Lines draws a report in lines of exactly width columns.
func Lines(theme themes.Theme, r Report, width int) []string {
	p := painter{theme, max(1, width)}
	lines := p.paragraph(0, theme.Strong, r.Server)
	lines = append(lines, p.paragraph(0, theme.Text, r.Verdict)...)
	lines = append(lines, "")
	for _, s := range r.Steps {
		lines = append(lines, p.step(s)...)
		if s.State != Failed {
			continue
		}
		for _, text := range r.Raw.Wrap(max(1, p.width-indent)) {
			lines = append(lines, p.paragraph(indent, theme.Dim, text)...)
		}
	}
	if len(r.Facts) > 0 {
		lines = append(lines, "")
	}
	for _, f := range r.Facts {
		words := frame.Line{}.Add(theme.Dim, safetext.Concat(f.Name, safetext.Const(": ")))
		lines = append(lines, p.behind(words, theme.Text, f.Words)...)
	}
	if !r.Next.Empty() {
		lines = append(lines, "")
		lines = append(lines, p.behind(frame.Line{}.Own(theme.Dim, "next, by itself: "), theme.Text, r.Next)...)
	}
	for i, c := range r.Can {
		head := frame.Line{}.Own(theme.Dim, "you can: ")
		if i > 0 {
			head = frame.Line{}.Gap(head.Width())
		}
		lines = append(lines, p.behind(head, theme.KeyText, c)...)
	}
	for i, line := range lines {
		if line == "" {
			lines[i] = frame.Line{}.Fit(p.width, theme.Text)
		}
	}
	return lines
}

const indent = 3

type painter struct {
	theme themes.Theme
	width int
}

// step is the line of a step, and what there is to say about it below.
func (p painter) step(s Step) []string {
	badge := p.badge(s.State)
	left := frame.Line{}.Own(badge.Style, badge.Glyph).Gap(1)
	name := p.theme.Text
	if s.State == Ahead || s.State == Skipped {
		name = p.theme.Dim
	}
	left = left.Add(name, s.Name)
	right := frame.Line{}.Own(badge.Style, s.State.Word())
	if !s.Since.Empty() {
		right = right.Own(p.theme.Dim, " for ").Add(p.theme.Dim, s.Since)
	}
	lines := []string{frame.Ends(left, right, p.width, p.theme.Text)}
	style := p.theme.Dim
	switch s.State {
	case Stuck:
		style = p.theme.Warning
	case Failed:
		style = p.theme.Error
	case Ahead, Done, Current, Skipped:
	}
	return append(lines, p.paragraph(indent, style, s.Words)...)
}

func (p painter) badge(s State) themes.Badge {
	switch s {
	case Done:
		return p.theme.Badge(themes.ToolCompleted)
	case Current:
		return p.theme.Badge(themes.ServerStarting)
	case Stuck:
		return p.theme.Badge(themes.ServerAuthRequired)
	case Failed:
		return p.theme.Badge(themes.ServerError)
	case Ahead, Skipped:
	}
	return p.theme.Badge(themes.ServerStopped)
}

func (p painter) paragraph(indent int, style lipgloss.Style, text safetext.Text) []string {
	if text.Empty() {
		return nil
	}
	return p.behind(frame.Line{}.Gap(min(indent, p.width/2)), style, text)
}

// behind wraps a text behind the head of its first line.
func (p painter) behind(head frame.Line, style lipgloss.Style, text safetext.Text) []string {
	column := head.Width()
	if column > p.width/2 {
		return append([]string{head.Fit(p.width, p.theme.Text)}, p.paragraph(indent, style, text)...)
	}
	var lines []string
	for _, t := range text.Wrap(max(1, p.width-column)) {
		lines = append(lines, head.Fit(column, p.theme.Text)+frame.Line{}.Add(style, t).Fit(p.width-column, style))
		head = nil
	}
	return lines
}

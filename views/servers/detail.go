package servers

import (
	"charm.land/lipgloss/v2"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// labels is the column of the labels in the details, where there is room for one.
const (
	labels    = 11
	forLabels = 33
)

// Detail draws everything that is known about a server, for a window of its own.
func Detail(theme themes.Theme, r Row, width int) []string {
	return painter{theme: theme, width: width}.detail(r)
}

// detail is everything that is known about a server.
func (p painter) detail(r Row) []string {
	badge := r.badge(p.theme)
	lines := []string{p.rule(frame.Line{}.Add(p.theme.Strong, named(r)))}
	add := func(label string, style lipgloss.Style, text safetext.Text) {
		lines = append(lines, p.field(label, style, text)...)
	}
	add("state", badge.Style, p.state(r))
	if r.Pending {
		add("", p.theme.Pending, frame.Own(p.theme.Badge(themes.MarkPending).Word))
	}
	if r.Slow && r.State == protocol.McpStarting {
		add("", p.theme.Warning, safetext.Const("the host has not said how the start went"))
	}
	if !r.Refused.Empty() {
		add("", p.theme.Error, r.refusal())
	}
	for i, line := range r.Error.Wrap(p.fieldWidth()) {
		add(first(i, "error"), p.theme.Error, line)
	}
	add("kind", p.theme.Dim, r.ErrorType)
	lines = append(lines, p.accessDetail(r)...)
	add("token", p.theme.Text, r.Token)
	add("kept", p.theme.Dim, r.Kept)
	add("wanted", p.theme.Text, intent(r))
	add("from", p.theme.Dim, r.URI)
	if r.App {
		add("", p.theme.Dim, safetext.Const("brings interactive views"))
	}
	if r.needsAccess() && !r.SignIn.Empty() {
		add("", p.theme.KeyText, safetext.Concat(r.SignIn, safetext.Const(" "), r.signIn()))
	}
	for _, hint := range r.Hints {
		add("", p.theme.KeyText, hint)
	}
	return lines
}

// state is the state of a server in words with its age.
func (p painter) state(r Row) safetext.Text {
	text := frame.Own(r.badge(p.theme).Word)
	if !r.Since.Empty() {
		text = safetext.Concat(text, safetext.Const(" for "), r.Since)
	}
	return text
}

// intent is what the person wants of a server, and whose decision that is.
func intent(r Row) safetext.Text {
	word := safetext.Const("on")
	if !r.On {
		word = safetext.Const("off")
	}
	if r.Scope.Empty() {
		return word
	}
	return safetext.Concat(word, safetext.Const(" ("), r.Scope, safetext.Const(")"))
}

func first(i int, label string) string {
	if i == 0 {
		return label
	}
	return ""
}

func (p painter) fieldWidth() int {
	if p.width >= forLabels {
		return p.width - labels - 1
	}
	return p.width - 2
}

// field is a label with its text, wrapped: beside the label, or below it where
// there is no column for labels and not both fit into a line.
func (p painter) field(label string, style lipgloss.Style, text safetext.Text) []string {
	if text.Empty() {
		return nil
	}
	head := frame.Line{}.Gap(1).Add(p.theme.Dim, frame.Own(label))
	if p.width < forLabels {
		return p.narrowField(head, style, text)
	}
	var lines []string
	for _, t := range text.Wrap(p.fieldWidth()) {
		lines = append(lines, head.Fit(labels+1, p.theme.Dim)+frame.Line{}.Add(style, t).Fit(p.fieldWidth(), style))
		head = nil
	}
	return lines
}

func (p painter) narrowField(head frame.Line, style lipgloss.Style, text safetext.Text) []string {
	if one := head.Gap(1).Add(style, text); one.Width() <= p.width {
		return []string{one.Fit(p.width, style)}
	}
	var lines []string
	if head.Width() > 1 {
		lines = append(lines, head.Fit(p.width, style))
	}
	for _, t := range text.Wrap(p.fieldWidth()) {
		lines = append(lines, frame.Line{}.Gap(2).Add(style, t).Fit(p.width, style))
	}
	return lines
}

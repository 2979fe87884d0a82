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
	labels    = 10
	forLabels = 32
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
		if !text.Empty() {
			lines = append(lines, p.field(label, style, text)...)
		}
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
	add("why", p.theme.Warning, r.Reason)
	add("", p.theme.Warning, r.Description)
	add("asks for", p.theme.Warning, joined(r.Scopes))
	add("resource", p.theme.Text, r.Resource)
	add("wanted", p.theme.Text, intent(r))
	add("from", p.theme.Dim, r.URI)
	if r.App {
		add("", p.theme.Dim, safetext.Const("brings interactive views"))
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

// field is a label with its text, wrapped.
func (p painter) field(label string, style lipgloss.Style, text safetext.Text) []string {
	var lines []string
	for i, t := range text.Wrap(p.fieldWidth()) {
		line := frame.Line{}.Gap(1)
		if p.width >= forLabels {
			line = line.Add(p.theme.Dim, frame.Own(first(i, label)).Fit(labels))
		} else if i == 0 && label != "" && label != "state" {
			lines = append(lines, line.Own(p.theme.Dim, label).Fit(p.width, style))
			line = frame.Line{}.Gap(2)
		} else if label != "state" {
			line = frame.Line{}.Gap(2)
		}
		lines = append(lines, line.Add(style, t).Fit(p.width, style))
	}
	return lines
}

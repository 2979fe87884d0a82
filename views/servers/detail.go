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

// detail is everything that is known about a server: what it is in and what can
// be done about it first, what it went through last.
func (p painter) detail(r Row) []string {
	lines := []string{p.rule(frame.Line{}.Add(p.theme.Strong, named(r)))}
	add := func(label string, style lipgloss.Style, text safetext.Text) {
		lines = append(lines, p.field(label, style, text)...)
	}
	lines = append(lines, p.runtime(r)...)
	lines = append(lines, p.accessDetail(r)...)
	add("token", p.theme.Text, r.Token)
	add("kept", p.theme.Dim, r.Kept)
	add("wanted", p.theme.Text, intent(r))
	if r.About != nil {
		add("", p.theme.Dim, r.About.Decisions)
	}
	var hints []safetext.Text
	if r.needsAccess() && !r.SignIn.Empty() {
		hints = append(hints, safetext.Concat(r.SignIn, safetext.Const(" "), r.signIn()))
	}
	add("keys", p.theme.KeyText, p.listed(append(hints, r.Hints...)))
	lines = append(lines, p.declaration(r)...)
	return append(lines, p.past(r)...)
}

// listed sets texts apart from each other.
func (p painter) listed(texts []safetext.Text) safetext.Text {
	var all safetext.Text
	for i, t := range texts {
		if i > 0 {
			all = safetext.Concat(all, frame.Own(" "+p.theme.Signs.Bullet+" "))
		}
		all = safetext.Concat(all, t)
	}
	return all
}

// runtime is what a server is in, how it came there, and what of it is not as it
// should be.
func (p painter) runtime(r Row) []string {
	var lines []string
	add := func(label string, style lipgloss.Style, text safetext.Text) {
		lines = append(lines, p.field(label, style, text)...)
	}
	badge := r.badge(p.theme)
	add("state", badge.Style, p.state(r))
	add("", p.theme.Dim, r.By)
	add("", p.theme.Warning, r.Attempt)
	if r.Late {
		add("", p.theme.Warning, r.waits(p.theme))
	} else if r.Pending {
		add("", p.theme.Pending, r.waits(p.theme))
	}
	if r.Slow && r.State == protocol.McpStarting {
		add("", p.theme.Warning, safetext.Const("the host has not said how the start went"))
	}
	if r.Blocking && r.State == protocol.McpStarting {
		add("", p.theme.Warning, safetext.Const("messages wait for it"))
	}
	add("", p.theme.Error, r.Refused)
	add("trouble", p.theme.Error, r.Fault)
	for i, line := range r.Error.Wrap(p.fieldWidth()) {
		add(first(i, "error"), p.theme.Error, line)
	}
	add("kind", p.theme.Dim, r.ErrorType)
	if a := r.About; a != nil {
		add("starts", p.theme.Text, a.Starts)
		add("problem", p.theme.Dim, a.Problem)
		for i, waits := range a.Blocks {
			add(first(i, "waits"), p.theme.Warning, waits)
		}
	}
	add("used", p.theme.Text, r.Used)
	if r.NoTools {
		add("tools", p.theme.Warning, safetext.Const("none: it is ready and offers nothing to call"))
	} else {
		add("tools", p.theme.Text, r.Tools)
	}
	if r.About != nil {
		add("", p.theme.Dim, r.About.ToolNames)
	}
	return lines
}

// declaration is what a server is declared as, and where.
func (p painter) declaration(r Row) []string {
	var lines []string
	add := func(label string, text safetext.Text) {
		lines = append(lines, p.field(label, p.theme.Dim, text)...)
	}
	a := r.About
	if a == nil {
		a = &About{}
	}
	add("in", a.Container)
	add("from", r.URI)
	add("", a.Place)
	add("runs", a.Declared)
	add("id", a.ID)
	add("channel", a.Channel)
	add("serves", a.Capabilities)
	if r.App {
		add("", safetext.Const("brings interactive views"))
	}
	return lines
}

// past is what a server went through.
func (p painter) past(r Row) []string {
	if r.About == nil || len(r.About.History) == 0 {
		return nil
	}
	lines := []string{p.rule(frame.Line{}.Own(p.theme.Strong, "what happened"))}
	for _, e := range r.About.History {
		style := p.theme.Text
		text := e.What
		if e.State != "" {
			badge := Row{State: e.State, On: true}.badge(p.theme)
			style = badge.Style
			text = safetext.Concat(frame.Own(badge.Glyph+" "), text)
		}
		lines = append(lines, p.field(e.Ago.String(), style, text)...)
	}
	if r.About.Earlier > 0 {
		lines = append(lines, p.field("", p.theme.Dim, safetext.Concat(frame.Number(r.About.Earlier), safetext.Const(" more before that")))...)
	}
	return lines
}

// state is the state of a server in words with its age.
func (p painter) state(r Row) safetext.Text {
	text := frame.Own(r.badge(p.theme).Word)
	if !r.Since.Empty() {
		text = safetext.Concat(text, safetext.Const(" for "), r.Since)
	}
	if r.Longer {
		text = safetext.Concat(text, safetext.Const(" or longer"))
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

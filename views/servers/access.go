package servers

import (
	"slices"

	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// needsAccess reports whether the server waits for a sign-in. One that is
// switched off does not.
func (r Row) needsAccess() bool { return r.State == protocol.McpAuthRequired && r.On }

// asks is what a sign-in is for, in a line: the scopes that are missing, or all
// if none is.
func (r Row) asks() safetext.Text {
	missing := slices.DeleteFunc(slices.Clone(r.Scopes), func(s safetext.Text) bool { return slices.Contains(r.Held, s) })
	switch {
	case len(missing) > 0:
		return joined(missing)
	case len(r.Scopes) > 0:
		return joined(r.Scopes)
	}
	return r.Reason
}

// progress is how far a sign-in is.
func (r Row) progress(theme themes.Theme) safetext.Text {
	if r.Progress.Empty() {
		return safetext.Text{}
	}
	return safetext.Concat(frame.Own(theme.Badge(themes.Connecting).Glyph+" signing in: "), r.Progress)
}

// signIn is what the key does, which is another thing while a sign-in runs.
func (r Row) signIn() safetext.Text {
	if r.Progress.Empty() {
		return safetext.Const("sign in")
	}
	return safetext.Const("show sign-in")
}

// access is what stands below a row that needs a sign-in: how far one is, else
// what it is for; and the key below the selected row.
func (p painter) access(r Row, chosen bool) []string {
	lines := p.note(p.theme.Warning, r.asks(), 1)
	if !r.Progress.Empty() {
		lines = p.note(p.theme.Pending, r.progress(p.theme), 1)
	}
	if chosen && !r.SignIn.Empty() && p.width > indent {
		line := frame.Line{}.Gap(indent).Add(p.theme.Key, safetext.Concat(safetext.Const("["), r.SignIn, safetext.Const("]"))).Gap(1)
		lines = append(lines, line.Add(p.theme.Text, r.signIn()).Fit(p.width, p.theme.Text))
	}
	return lines
}

// accessDetail is what is known about a sign-in: what it is for, where, and how
// far it is.
func (p painter) accessDetail(r Row) []string {
	var lines []string
	if r.needsAccess() {
		lines = append(lines, p.field("", p.theme.Pending, r.progress(p.theme))...)
	}
	lines = append(lines, p.field("why", p.theme.Warning, r.Reason)...)
	if !r.Description.Empty() { // quoted: nobody vouches for it
		lines = append(lines, p.field("", p.theme.Dim, safetext.Concat(safetext.Const(`"`), r.Description, safetext.Const(`"`)))...)
	}
	lines = append(lines, p.field("asks for", p.theme.Warning, joined(r.Scopes))...)
	lines = append(lines, p.field("granted", p.theme.Text, joined(r.Held))...)
	issuers := []safetext.Link{r.Issuer}
	if r.About != nil {
		lines = append(lines, p.field("last asked", p.theme.Text, r.About.LastAsked)...)
		if len(r.About.Issuers) > 0 {
			issuers = r.About.Issuers
		}
	}
	for i, issuer := range issuers {
		lines = append(lines, p.link(first(i, "sign in at"), issuer)...)
		for _, word := range issuer.Warn.Words() {
			lines = append(lines, p.field("", p.theme.Warning, word)...)
		}
	}
	lines = append(lines, p.field("resource", p.theme.Text, r.Resource)...)
	return append(lines, p.field("", p.theme.OK, r.Granted)...)
}

// link is a label with a URL, whole and with its host pointed out.
func (p painter) link(label string, link safetext.Link) []string {
	head := frame.Line{}.Gap(1).Add(p.theme.Dim, frame.Own(label))
	var lines []string
	column := labels + 1
	if p.width < forLabels && !link.Text().Empty() {
		lines = append(lines, head.Fit(p.width, p.theme.Dim))
		column, head = 2, nil
	}
	for _, line := range frame.Link(p.theme.Dim, p.theme.Strong, link, p.fieldWidth()) {
		lines = append(lines, head.Fit(column, p.theme.Dim)+line.Fit(p.fieldWidth(), p.theme.Dim))
		head = nil
	}
	return lines
}

package toolcall

import (
	"ahptui/internal/safetext"
	"ahptui/protocol"
	"ahptui/themes"
	"ahptui/views/frame"
)

// accessLabels is the column of the labels of what a call needs.
const accessLabels = 13

// needsAccess reports whether the call waits for access: by its own status, or
// because its server has come to need it while the call runs.
func (p *painter) needsAccess() bool {
	return p.call.Status == protocol.ToolAuthRequired || p.call.Status == protocol.ToolRunning && p.in.Note.Access.Needed
}

// wanted is what the call needs, as far as it is known.
func (p *painter) wanted() Access {
	access := p.in.Note.Access
	if !access.Needed {
		access = told(p.call.Auth)
	}
	if access.Server.Empty() {
		access.Server = p.in.Server
	}
	return access
}

// told is what the status of a call alone tells of what it needs.
func told(auth *protocol.McpAuthRequirement) Access {
	if auth == nil {
		return Access{Reason: safetext.Const("the server does not say what it needs")}
	}
	access := Access{Reason: reason(auth.Reason), Description: clean(auth.Description), Required: scopes(auth.RequiredScopes)}
	if auth.Resource != nil && len(auth.Resource.AuthorizationServers) > 0 {
		access.Issuer = safetext.URL(auth.Resource.AuthorizationServers[0])
	}
	return access
}

// access is what a call needs before it can go on, and how far a sign-in is.
func (p *painter) access() {
	access := p.wanted()
	p.paragraph(p.theme.Prompt, access.Reason, 2)
	if !access.Description.Empty() { // quoted: nobody vouches for it
		p.paragraph(p.theme.Dim, safetext.Concat(safetext.Const(`"`), access.Description, safetext.Const(`"`)), 3)
	}
	if !p.in.Unfolded || access.Server != p.in.Server { // the details have it too
		p.labelled(accessLabels, "server", p.theme.Text, access.Server)
	}
	p.labelled(accessLabels, "asks for", p.theme.Warning, access.Required)
	p.labelled(accessLabels, "you granted", p.theme.Text, access.Held)
	p.link("sign in at", access.Issuer)
	for _, word := range access.Issuer.Warn.Words() {
		p.paragraph(p.theme.Warning, word, 2)
	}
	if !access.Obstacle.Empty() {
		p.paragraph(p.theme.Warning, safetext.Concat(safetext.Const("not from here: "), access.Obstacle), 3)
	}
	switch {
	case !access.Progress.Empty():
		badge := p.theme.Badge(themes.Connecting)
		p.paragraph(p.theme.Pending, safetext.Concat(frame.Own(badge.Glyph+" signing in: "), access.Progress), 2)
	case !access.Failure.Empty():
		badge := p.theme.Badge(themes.ToolFailed)
		p.paragraph(p.theme.Error, safetext.Concat(frame.Own(badge.Glyph+" "), access.Failure), 3)
	}
}

// grants are the keys of a call that needs access.
func (p *painter) grants() []choice {
	var choices []choice
	switch access := p.wanted(); {
	case p.in.Keys.Grant.Empty() || !access.Obstacle.Empty():
	case !access.Progress.Empty():
		choices = append(choices, p.choice(p.in.Keys.Grant, safetext.Const("show sign-in")))
	case !access.Failure.Empty():
		choices = append(choices, p.choice(p.in.Keys.Grant, safetext.Const("try again")))
	default:
		choices = append(choices, p.choice(p.in.Keys.Grant, safetext.Const("grant access")))
	}
	return append(choices, p.choice(p.in.Keys.Cancel, safetext.Const("cancel call")))
}

// granted is the record of what was granted to a call that went on.
func (p *painter) granted() {
	if record := p.in.Note.Granted; !record.Empty() && !p.needsAccess() {
		badge := p.theme.Badge(themes.ToolCompleted)
		p.put(frame.Line{}.Own(badge.Style, badge.Glyph).Gap(1).Add(p.theme.Dim, record))
	}
}

// link adds a label with a URL beside it, whole and with its host pointed out.
func (p *painter) link(label string, link safetext.Link) {
	if link.Text().Empty() {
		return
	}
	column, head := accessLabels, frame.Own(label).Fit(accessLabels)
	if p.room() < narrow {
		p.paragraph(p.theme.Dim, frame.Own(label+":"), 1)
		column, head = 0, safetext.Text{}
	}
	for _, line := range frame.Link(p.theme.Dim, p.theme.Strong, link, p.room()-column) {
		p.put(append(frame.Line{}.Add(p.theme.Dim, head), line...))
		head = safetext.Text{}.Fit(column)
	}
}

// reason words why access is needed.
func reason(word string) safetext.Text {
	switch word {
	case "required":
		return safetext.Const("the server needs a sign-in")
	case "expired":
		return safetext.Const("the sign-in has expired")
	case "insufficientScope":
		return safetext.Const("the server needs more access")
	}
	return safetext.Concat(safetext.Const("the server needs access: "), clean(word))
}

// maxScopes bounds the scopes that are listed.
const maxScopes = 40

func scopes(list []string) safetext.Text {
	var text safetext.Text
	for i, s := range list[:min(len(list), maxScopes)] {
		if i > 0 {
			text = safetext.Concat(text, safetext.Const(" "))
		}
		text = safetext.Concat(text, clean(s))
	}
	return text
}

package toolcall

import (
	"ahptui/internal/safetext"
)

// access is what a call needs before it can go on. The keys that grant it have
// their place in choices.
func (p *painter) access() {
	auth := p.call.Auth
	if auth == nil {
		p.paragraph(p.theme.Prompt, safetext.Const("the server does not say what it needs"), 2)
		return
	}
	p.paragraph(p.theme.Prompt, reason(auth.Reason), 2)
	p.paragraph(p.theme.Text, clean(auth.Description), 3)
	p.field("server", p.theme.Text, p.in.Server)
	p.field("asks for", p.theme.Warning, scopes(auth.RequiredScopes))
	if auth.Resource != nil {
		p.field("resource", p.theme.Text, safetext.URL(auth.Resource.Resource).Text())
		for _, issuer := range auth.Resource.AuthorizationServers[:min(len(auth.Resource.AuthorizationServers), 4)] {
			p.field("sign-in at", p.theme.Text, safetext.URL(issuer).Text())
		}
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

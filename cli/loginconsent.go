package cli

import (
	"cmp"
	"strings"

	"ahptui/auth"
)

// consent is what somebody agrees to, beside the resource, its authorization
// server and the scopes.
type consent struct {
	Host    string      `json:"host"`
	Server  string      `json:"server,omitzero"` // that waits for it, and its tool, by the host's word
	Tool    string      `json:"tool,omitzero"`
	Reason  auth.Reason `json:"reason,omitzero"`
	NewHost bool        `json:"new_host,omitzero"` // nothing was agreed to for it before
	// Site is the registrable domain of the authorization server, Origins are where
	// it leads besides. PreviousIssuer was agreed to before, when it was another.
	Site           string            `json:"site,omitzero"`
	Origins        []string          `json:"origins,omitzero"`
	PreviousIssuer string            `json:"previous_issuer,omitzero"`
	Required       []string          `json:"required,omitzero"` // scopes, by the host's word
	Held           []string          `json:"held,omitzero"`
	Client         auth.ClientOrigin `json:"client,omitzero"` // how this program is known there
	Method         auth.Method       `json:"method,omitzero"`
	// Verified reports that the resource's own metadata says the same; Unverified
	// is why it could not be fetched.
	Verified   bool     `json:"verified"`
	Unverified string   `json:"unverified,omitzero"`
	Rules      []string `json:"rules,omitzero"` // that do not hold because the configuration file says so
}

func consentEvent(e auth.NeedConsent) loginEvent {
	c := &consent{
		Host: e.Host.ID, Server: e.Source.Server, Tool: e.Source.Tool, Reason: e.Reason, NewHost: e.NewHost,
		Site: e.IssuerSite, Origins: e.OtherOrigins, PreviousIssuer: e.PreviousIssuer,
		Required: e.Scopes.Required, Held: e.Scopes.Held, Client: e.Client, Method: e.Method,
		Verified: e.Agreement.Verified, Unverified: e.Agreement.Why, Rules: ruleNames(e.Exceptions),
	}
	return loginEvent{Event: "consent", Scopes: e.Scopes.Request, Issuer: e.Issuer, Resource: e.Resource, From: e.Supply, Consent: c}
}

func ruleNames(exceptions []auth.Exception) []string {
	var names []string
	for _, x := range exceptions {
		names = append(names, string(x.Rule))
	}
	return names
}

// consentWords is the question, line by line: who wants what, and from where.
func (e loginEvent) consentWords() []string {
	c := e.Consent
	words := []string{
		"token for    " + e.Resource + c.waiting(),
		"goes to      " + c.Host + c.acquaintance(),
	}
	if e.From != "" {
		words = append(words, "comes from   "+e.From)
	} else {
		words = append(words,
			"sign in at   "+e.Issuer+" ("+c.Site+")",
			"scopes       "+cmp.Or(strings.Join(e.Scopes, " "), "as the server decides"),
			"known as     "+clientWords(c.Client),
		)
	}
	if len(c.Held) > 0 {
		words = append(words, "held so far  "+strings.Join(c.Held, " "))
	}
	if len(c.Origins) > 0 {
		words = append(words, "leads also   to "+strings.Join(c.Origins, ", "))
	}
	if c.Verified {
		words = append(words, "metadata     the resource itself says the same")
	} else {
		words = append(words, "metadata     the resource itself could not be asked: "+c.Unverified)
	}
	if c.PreviousIssuer != "" {
		words = append(words, "warning: until now the authorization server was "+c.PreviousIssuer)
	}
	if len(c.Rules) > 0 {
		words = append(words, "warning: by your configuration file, "+strings.Join(c.Rules, " and ")+" for this server")
	}
	return words
}

func (c *consent) waiting() string {
	switch {
	case c.Server == "":
		return ""
	case c.Tool == "":
		return ", for " + c.Server
	}
	return ", for " + c.Tool + " of " + c.Server
}

func (c *consent) acquaintance() string {
	if c.NewHost {
		return ", which has had none from here yet"
	}
	return ""
}

// clientWords says how this program is known to an authorization server.
func clientWords(c auth.ClientOrigin) string {
	switch c {
	case auth.ClientOfHost:
		return "a client that the host names"
	case auth.ClientConfigured:
		return "the client of your configuration file"
	case auth.ClientDocument:
		return "the document at the address that you configured"
	case auth.ClientRegistered:
		return "this program, which is registered there"
	case auth.ClientToRegister:
		return "this program, which will register itself there"
	case auth.ClientToAsk:
		return "a client whose id you will be asked for"
	case auth.ClientAsked:
		return "the client that you named before"
	}
	return string(c)
}

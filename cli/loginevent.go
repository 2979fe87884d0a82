package cli

import (
	"fmt"
	"strings"

	"ahptui/auth"
)

// loginEvent is what login prints, a line each.
type loginEvent struct {
	Event    string   `json:"event"`
	URL      string   `json:"url,omitzero"`
	Scopes   []string `json:"scopes,omitzero"`
	Issuer   string   `json:"issuer,omitzero"`
	Resource string   `json:"resource,omitzero"`
	// Of a device: what to type, and where, and for how many seconds it is good.
	UserCode                string `json:"user_code,omitzero"`
	VerificationURI         string `json:"verification_uri,omitzero"`
	VerificationURIComplete string `json:"verification_uri_complete,omitzero"`
	ExpiresIn               int64  `json:"expires_in,omitzero"`
	// RedirectURI is where the browser ends. Tunnel is the command that lets a
	// browser on the person's own machine come back here; empty when this is it.
	RedirectURI string `json:"redirect_uri,omitzero"`
	Tunnel      string `json:"tunnel,omitzero"`
	From        string `json:"from,omitzero"` // where a token from elsewhere comes from
	Step        string `json:"step,omitzero"`
	Error       string `json:"error,omitzero"`
	Remedy      string `json:"remedy,omitzero"`

	method auth.Method // by which the flow goes on
}

// words is the event for a person, line by line. What is to be opened, typed or
// run stands alone in its line, so that it can be copied.
func (e loginEvent) words() []string {
	switch e.Event {
	case "consent":
		return []string{e.consentWords()}
	case "open_url":
		return []string{e.URL}
	case "user_code":
		return []string{
			"open this address in a browser, on any machine:", "", "    " + e.VerificationURI, "",
			"and type this code there:", "", "    " + e.UserCode, "",
			"only if you began this yourself; waiting for the answer",
		}
	case "waiting":
		return e.waitingWords()
	case "exchanging":
		return []string{"signed in, fetching the token"}
	case "supplying":
		return []string{"fetching the token from " + e.From}
	case "paste_refused":
		return []string{"not taken: " + e.Error}
	case "authenticated":
		return []string{strings.TrimSpace("the host has the token: " + strings.Join(e.Scopes, " "))}
	case "failed":
		return []string{strings.TrimSpace(fmt.Sprintf("failed at %s: %s. %s", e.Step, e.Error, e.Remedy))}
	}
	return []string{e.Event}
}

func (e loginEvent) consentWords() string {
	if e.From != "" {
		return fmt.Sprintf("%s is to get a token from %s", e.Resource, e.From)
	}
	return fmt.Sprintf("%s wants %s from %s", e.Resource, strings.Join(e.Scopes, " "), e.Issuer)
}

func (e loginEvent) waitingWords() []string {
	if e.method == auth.ByPaste {
		return []string{"open the address above in a browser; it ends at an address that does not load: paste that here, the whole of it"}
	}
	words := []string{"open the address above in a browser; waiting for the answer"}
	if e.Tunnel != "" {
		words = append(words, "for a browser on another machine, run there first:", e.Tunnel)
	}
	return words
}

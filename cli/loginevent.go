package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ahptui/auth"
)

// loginEvent is what login prints, a line each.
type loginEvent struct {
	Event    string   `json:"event"`
	URL      string   `json:"url,omitzero"`
	Scopes   []string `json:"scopes,omitzero"`
	Issuer   string   `json:"issuer,omitzero"`
	Resource string   `json:"resource,omitzero"`
	Consent  *consent `json:"consent,omitzero"` // what a consent is about besides
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
	// Expected and Received are two values that differ where they must not; Said
	// is what the authorization server told the person.
	Expected string   `json:"expected,omitzero"`
	Received string   `json:"received,omitzero"`
	Said     string   `json:"said,omitzero"`
	Rules    []string `json:"rules,omitzero"` // that do not hold because the configuration file says so

	// Audience is whom the token is for by its own words, where that is not the
	// resource.
	Audience []string `json:"audience,omitzero"`

	method auth.Method // by which the flow goes on
}

// eventOf is an event of a flow that only tells, as it is printed. It reports
// false for those that are not.
func eventOf(event auth.Event) (loginEvent, bool) {
	switch e := event.(type) {
	case auth.Refreshing:
		return loginEvent{Event: "refreshing", Issuer: e.Issuer}, true
	case auth.PersonNeeded:
		if errors.Is(e.Why, auth.ErrNotConsented) || errors.Is(e.Why, auth.ErrSignedOut) {
			return loginEvent{}, false // that is what the person does just now
		}
		return loginEvent{Event: "person_needed", Error: e.Why.Error()}, true
	case auth.NotKept:
		return loginEvent{Event: "not_kept", Error: e.Err.Error()}, true
	case auth.NotOpened:
		return loginEvent{Event: "not_opened", Error: e.Err.Error()}, true
	case auth.Supplying:
		return loginEvent{Event: "supplying", From: e.From}, true
	case auth.OpenURL:
		return loginEvent{Event: "open_url", URL: e.URL}, true
	case auth.UserCode:
		return loginEvent{
			Event: "user_code", UserCode: e.UserCode, VerificationURI: e.VerificationURI,
			VerificationURIComplete: e.VerificationURIComplete, ExpiresIn: int64(e.ExpiresIn / time.Second),
		}, true
	case auth.Excepted:
		return loginEvent{Event: "excepted", Issuer: e.Issuer, Rules: ruleNames(e.Exceptions)}, true
	}
	return loginEvent{}, false
}

// words is the event for a person, line by line. What is to be opened, typed or
// run stands alone in its line, so that it can be copied.
func (e loginEvent) words() []string {
	switch e.Event {
	case "consent":
		return e.consentWords()
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
	case "refreshing":
		return []string{"fetching a newer token from " + e.Issuer}
	case "person_needed":
		return []string{"what is held does not do: " + e.Error}
	case "not_kept":
		return []string{"not kept beyond this command: " + e.Error}
	case "not_opened":
		return []string{"no browser was opened: " + e.Error}
	case "excepted":
		return []string{"warning: by your configuration file, " + strings.Join(e.Rules, " and ") + " for " + e.Issuer + ": what it allows is refused to everybody else"}
	case "need_client":
		return e.needClientWords()
	case "need_token":
		return []string{e.Resource + " wants a token that you have got elsewhere"}
	case "paste_refused":
		return []string{"not taken: " + e.Error}
	case "authenticated":
		words := []string{strings.TrimSuffix("the host has the token: "+strings.Join(e.Scopes, " "), ": ")}
		if len(e.Audience) > 0 {
			words = append(words, "warning: by its own words the token is for "+strings.Join(e.Audience, " ")+", not for the resource")
		}
		return words
	case "failed":
		return e.failedWords()
	}
	return []string{e.Event}
}

func (e loginEvent) needClientWords() []string {
	words := []string{e.Issuer + " does not let this program make itself known; register a client there, with the redirect URI", e.RedirectURI}
	if e.Error != "" {
		words = append([]string{e.Error}, words...)
	}
	return words
}

func (e loginEvent) failedWords() []string {
	words := []string{strings.TrimSpace(fmt.Sprintf("failed at %s: %s. %s", e.Step, e.Error, e.Remedy))}
	if e.Expected != "" || e.Received != "" {
		words = append(words, "expected: "+e.Expected, "received: "+e.Received)
	}
	if e.Said != "" {
		words = append(words, "the server says: "+e.Said)
	}
	return words
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

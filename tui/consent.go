package tui

import (
	"net/url"
	"slices"
	"strings"

	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/views/authflow"
)

// signInInput maps a sign-in.
func (m *Model) signInInput(s *signIn) authflow.Input {
	in := authflow.Input{
		Stage: stageOf(s), Server: clean(s.access.server.Name), Reason: reasonWords(s.access.requirement.Reason),
		Description: clean(s.challenge.Description), Host: m.hostName(), HostURL: safetext.URL(s.challenge.Host.ID),
		Receives: safetext.Const("a token for this resource, which the host uses for its MCP servers until it expires"),
		Resource: safetext.URL(s.challenge.Resource), Progress: own(s.progress), Since: m.clock.age(s.began),
		URL: safetext.URL(s.url), Notice: s.notice,
		Keys: authflow.Keys{
			GoOn: m.keyName(keymap.OverlayAccept), Copy: m.keyName(keymap.AccessCopy), Open: m.keyName(keymap.AccessOpen),
			NotNow: m.keyName(keymap.OverlayClose), Back: m.keyName(keymap.OverlayClose),
		},
	}
	if s.url == "" {
		in.URL = safetext.Link{}
	}
	if s.access.call != nil {
		in.Call = clean(s.access.call.DisplayName)
	}
	if len(s.challenge.Issuers) > 0 {
		in.Issuer = safetext.URL(s.challenge.Issuers[0])
	}
	in.Scopes = scopesOf(auth.Scopes{Required: s.challenge.RequiredScopes, Held: m.held(s.access), Request: s.requested()})
	if s.last != nil {
		fillConsent(&in, s.last)
	}
	if s.reach != nil {
		fillReach(&in, s.reach)
	}
	if f := s.failure; f != nil {
		in.Failure = authflow.Failure{Step: stepWords(f.Step), Cause: own(f.Err.Error()), Remedy: own(f.Remedy)}
		if f.Said != "" { // quoted: nobody vouches for it
			in.Failure.Cause = own(f.Err.Error() + ": “" + f.Said + "”")
		}
	}
	if m.stale() {
		in.Warnings = append(in.Warnings, safetext.Const("the connection to the host is lost: it gets the token when it is back"))
		if in.Stage == authflow.Done {
			in.Progress = safetext.Const("the connection to the host is lost; what it does with the token shows when it is back")
		}
	}
	if s.hasty && s.asks() {
		in.Warnings = append(in.Warnings, own("this question has only just appeared: read it, then press "+in.Keys.GoOn.String()))
	}
	return in
}

// requested are the scopes that are asked for where no question told them: the
// address has them, and until it is known they are at least what is required.
func (s *signIn) requested() []string {
	u, err := url.Parse(s.url)
	if s.url == "" || err != nil {
		return s.challenge.RequiredScopes
	}
	return strings.Fields(u.Query().Get("scope"))
}

func stageOf(s *signIn) authflow.Stage {
	switch {
	case s.failure != nil:
		return authflow.Failed
	case s.asks():
		return authflow.Consent
	case !s.handed.IsZero():
		return authflow.Done
	}
	return authflow.Working
}

// fillConsent tells what a consent is about.
func fillConsent(in *authflow.Input, e *auth.NeedConsent) {
	in.Issuer = safetext.URL(e.Issuer)
	for _, issuer := range e.Issuers {
		if issuer != e.Issuer {
			in.OtherIssuers = append(in.OtherIssuers, safetext.URL(issuer))
		}
	}
	for _, origin := range e.OtherOrigins {
		in.OtherOrigins = append(in.OtherOrigins, safetext.URL(origin))
	}
	in.Scopes = scopesOf(e.Scopes)
	in.Client = clientWords(e.Client)
	in.Metadata = authflow.Unavailable
	in.MetadataNote = own(e.Agreement.Why)
	if e.Agreement.Verified {
		in.Metadata = authflow.Verified
	}
	if e.PreviousIssuer != "" {
		in.Warnings = append(in.Warnings, own("the authorization server is another one than the last time: that was "+safetext.URL(e.PreviousIssuer).Text().String()))
	}
}

// fillReach asks whether an address in a private network may be contacted.
func fillReach(in *authflow.Input, e *auth.NeedReach) {
	in.Issuer = safetext.URL(e.Issuer)
	where := "on this machine"
	if e.Private {
		where = "in a private network"
	}
	in.Warnings = append(in.Warnings, own("the authorization server is "+where+", at "+e.Address+": go on only if you know it"))
}

// scopesOf lists every scope that a consent is about, what is asked for first.
func scopesOf(s auth.Scopes) []authflow.Scope {
	var rows []authflow.Scope
	for _, list := range [][]string{s.Request, s.Required, s.Held} {
		for _, name := range list {
			if !slices.ContainsFunc(rows, func(r authflow.Scope) bool { return r.Name == clean(name) }) {
				rows = append(rows, authflow.Scope{
					Name: clean(name), Held: slices.Contains(s.Held, name),
					Required: slices.Contains(s.Required, name), Asked: slices.Contains(s.Request, name),
				})
			}
		}
	}
	return rows
}

func clientWords(c auth.ClientOrigin) safetext.Text {
	switch c {
	case auth.ClientOfHost:
		return safetext.Const("by the client id that the host gave")
	case auth.ClientRegistered:
		return safetext.Const("this program has registered itself there before")
	case auth.ClientToRegister:
		return safetext.Const("this program will register itself there")
	}
	return own(string(c))
}

func stepWords(s auth.Step) safetext.Text {
	switch s {
	case auth.StepChallenge:
		return safetext.Const("reading what the host said")
	case auth.StepResource:
		return safetext.Const("comparing it with what the resource says of itself")
	case auth.StepDiscovery:
		return safetext.Const("finding the authorization server")
	case auth.StepConsent:
		return safetext.Const("your consent")
	case auth.StepListener:
		return safetext.Const("opening a port for the browser's answer")
	case auth.StepRegistration:
		return safetext.Const("making this program known to the authorization server")
	case auth.StepAuthorization:
		return safetext.Const("signing in, in the browser")
	case auth.StepExchange:
		return safetext.Const("fetching the token")
	case stepHandOver:
		return safetext.Const("handing the token to the host")
	case stepHost:
		return safetext.Const("waiting for the host to go on")
	}
	return own(string(s))
}

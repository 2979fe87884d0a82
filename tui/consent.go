package tui

import (
	"net/url"
	"slices"
	"strings"

	"ahptui/auth"
	"ahptui/internal/safetext"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/authflow"
)

// signInInput maps a sign-in.
func (m *Model) signInInput(s *signIn) authflow.Input {
	in := authflow.Input{
		Stage: stageOf(s), Server: clean(s.access.server.Name), Reason: reasonWords(s.access.requirement.Reason), Also: alsoWords(s.challenge),
		Description: clean(s.challenge.Description), Host: m.hostName(), HostURL: safetext.URL(s.challenge.Host.ID),
		Receives: safetext.Const("a token for this resource, which the host uses for its MCP servers until it expires"),
		Resource: safetext.URL(s.challenge.Resource), ResourceSite: site(s.challenge.Resource),
		Progress: own(s.progress), Since: m.clock.age(s.began), Notice: s.notice, Kept: m.kept(),
		Keys: m.signInKeys(s),
	}
	if s.access.call != nil {
		in.Call = clean(s.access.call.DisplayName)
	}
	if len(s.challenge.Issuers) > 0 {
		in.Issuer, in.IssuerSite = safetext.URL(s.challenge.Issuers[0]), site(s.challenge.Issuers[0])
	}
	scopes := auth.Scopes{Required: s.challenge.RequiredScopes, Held: m.held(s.access), Request: s.requested}
	in.Scopes = scopesOf(scopes, scopes.Request)
	m.fillConsent(&in, s)
	m.fillWay(&in, s)
	if f := s.failure; f != nil {
		in.Failure = authflow.Failure{
			Step: stepWords(f.Step), Cause: own(f.Err.Error()), Expected: clean(f.Expected), Received: clean(f.Received), Said: clean(f.Said),
			Remedy: own(f.Remedy),
		}
	}
	in.Warnings = append(in.Warnings, m.signInWarnings(s)...)
	if s.hasty && s.asks() { // where it is seen, wherever the rest is scrolled to
		in.Notice = own("this question has only just appeared: read it, then press " + in.Keys.GoOn.String())
	}
	if m.stale() && in.Stage == authflow.Done {
		in.Progress = safetext.Const("the connection to the host is lost; what it does with the token shows when it is back")
	}
	return in
}

// signInWarnings are what has to be seen before all else.
func (m *Model) signInWarnings(s *signIn) (list []safetext.Text) {
	for _, e := range s.excepted {
		list = append(list, exceptionWords(e))
	}
	if s.why != nil && s.failure == nil {
		list = append(list, own("a token is held, but "+s.why.Error()))
	}
	if s.grant != nil && len(s.grant.OtherAudiences) > 0 {
		list = append(list, own("by its own words the token is for "+strings.Join(s.grant.OtherAudiences, " ")+", and not for this"))
	}
	if s.kept != nil {
		list = append(list, own("not kept beyond this program: "+s.kept.Error()))
	}
	if m.stale() {
		list = append(list, safetext.Const("the connection to the host is lost: it gets the token when it is back"))
	}
	return list
}

// signInKeys are the keys that count at a moment of a sign-in.
func (m *Model) signInKeys(s *signIn) authflow.Keys {
	keys := authflow.Keys{
		GoOn: m.keyName(keymap.OverlayAccept), Copy: m.keyName(keymap.AccessCopy), Open: m.keyName(keymap.AccessOpen),
		NotNow: m.keyName(keymap.OverlayClose), Back: m.keyName(keymap.OverlayClose),
	}
	if s.way.url != "" {
		keys.Scan = m.keyName(keymap.AccessScan)
	}
	if w := s.way.waiting; w != nil {
		keys.Paste = m.keyName(keymap.OverlayAccept)
		if w.Tunnel != "" && s.way.method == auth.ByBrowser {
			keys.Tunnel = m.keyName(keymap.AccessTunnel)
		}
	}
	if m.conn.Opener == nil || s.remote {
		keys.Open = safetext.Text{}
	}
	if m.storage.status.Ask {
		keys.Keep = m.keyName(keymap.KeepTokens)
	}
	if s.access.call != nil && s.access.call.Status == protocol.ToolAuthRequired {
		keys.Decline = m.keyName(keymap.AccessDecline)
	}
	e := s.consent
	if e == nil {
		return keys
	}
	keys.Never = m.keyName(keymap.AccessNever)
	if len(e.Scopes.Request) > 1 {
		keys.Scopes = m.keyName(keymap.AccessScopes)
	}
	if len(e.Issuers) > 1 {
		keys.Issuer = m.keyName(keymap.AccessIssuer)
	}
	if e.Client == auth.ClientRegistered {
		keys.Register = m.keyName(keymap.AccessRegister)
	}
	return keys
}

// fillWay tells how the sign-in goes on, or will.
func (m *Model) fillWay(in *authflow.Input, s *signIn) {
	chosen, all := s.way.method, s.way.methods
	if s.consent != nil {
		chosen, all = s.consent.Method, s.consent.Methods
		if s.answer.Method != "" {
			chosen = s.answer.Method
		}
	}
	for _, way := range all {
		in.Ways = append(in.Ways, authflow.Way{Name: own(methodWords(way)), Key: m.keyName(methodKey(way)), Chosen: way == chosen && s.failure == nil})
	}
	if s.way.url == "" {
		return
	}
	in.URL, in.Elsewhere = safetext.URL(s.way.url), s.way.method != auth.ByBrowser
	in.Scan, in.ShowScan = s.way.url, s.way.scan
	if w := s.way.waiting; w != nil {
		in.Until = own("the wait " + m.left(w.Until))
		if s.way.method == auth.ByBrowser {
			in.Tunnel = own(w.Tunnel)
		}
	}
	if c := s.way.code; c != nil {
		in.UserCode, in.Until = clean(c.UserCode), own("the code "+m.left(c.Until))
		if c.VerificationURIComplete != "" {
			in.Scan = c.VerificationURIComplete
		}
	}
}

// alsoWords are the others that wait for the same.
func alsoWords(c auth.Challenge) (list []safetext.Text) {
	for _, s := range c.Also {
		for _, name := range []string{s.Tool, s.Server, s.Agent, s.Command} {
			if name != "" {
				list = append(list, clean(name))
				break
			}
		}
	}
	return list
}

// site is the registrable domain of a URL, where that says more than the URL does.
func site(url string) safetext.Text {
	domain := auth.Site(url)
	if domain == "" || safetext.URL(url).Host.String() == domain {
		return safetext.Text{}
	}
	return clean(domain)
}

func methodWords(m auth.Method) string {
	switch m {
	case auth.ByBrowser:
		return "browser"
	case auth.ByDevice:
		return "device code"
	case auth.ByPaste:
		return "pasted address"
	case auth.ByToken:
		return "token from elsewhere"
	}
	return string(m)
}

func methodKey(m auth.Method) keymap.ID {
	switch m {
	case auth.ByDevice:
		return keymap.AccessDevice
	case auth.ByPaste:
		return keymap.AccessPaste
	case auth.ByToken:
		return keymap.AccessToken
	case auth.ByBrowser:
	}
	return keymap.AccessBrowser
}

func exceptionWords(e auth.Exception) safetext.Text {
	switch e.Rule {
	case auth.ExceptMetadataIssuer:
		return own("by your configuration, a server that calls itself " + safetext.URL(e.Published).Text().String() + " is taken for " + safetext.URL(e.Named).Text().String())
	case auth.ExceptS256:
		return own("by your configuration, it is assumed that " + safetext.URL(e.Named).Text().String() + " knows PKCE (S256), which it does not say")
	}
	return own("by your configuration, a rule does not hold here: " + string(e.Rule))
}

// scopesIn are the scopes that an address of a sign-in asks for.
func scopesIn(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
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

// fillConsent tells what a consent is about, or was.
func (m *Model) fillConsent(in *authflow.Input, s *signIn) {
	if r := s.reach; r != nil {
		in.Issuer, in.IssuerSite = safetext.URL(r.Issuer), site(r.Issuer)
		where := "on this machine"
		if r.Private {
			where = "in a private network"
		}
		in.Warnings = append(in.Warnings, own("the authorization server is "+where+", at "+r.Address+": go on only if you know it"))
	}
	e := s.last
	if e == nil {
		return
	}
	in.Issuer, in.IssuerSite = safetext.URL(e.Issuer), site(e.Issuer)
	for _, issuer := range e.Issuers {
		if issuer != e.Issuer {
			in.OtherIssuers = append(in.OtherIssuers, safetext.URL(issuer))
		}
	}
	for _, origin := range e.OtherOrigins {
		in.OtherOrigins = append(in.OtherOrigins, safetext.URL(origin))
	}
	asked := e.Scopes.Request
	if s.answer.Scopes != nil {
		asked = s.answer.Scopes
	}
	in.Scopes = scopesOf(e.Scopes, asked)
	in.Client, in.ClientID = clientWords(e.Client, s.answer.Register), clean(e.ClientID)
	in.Metadata, in.MetadataNote = authflow.Unavailable, own(e.Agreement.Why)
	if e.Agreement.Verified {
		in.Metadata = authflow.Verified
	}
	if e.Receives.Renewed {
		in.Receives = safetext.Const("a token for this resource, and newer ones before it expires, which it uses for its MCP servers")
	}
	if e.Supply != "" {
		in.Client = own("a token that comes from " + e.Supply)
	}
	if s.consent != nil {
		in.Warnings = append(in.Warnings, consentWarnings(e)...)
	}
}

// consentWarnings are what a careful person wants to be told of a consent.
func consentWarnings(e *auth.NeedConsent) (list []safetext.Text) {
	if e.PreviousIssuer != "" {
		list = append(list, own("the authorization server is another one than the last time: that was "+safetext.URL(e.PreviousIssuer).Text().String()))
	}
	if e.NewHost {
		list = append(list, safetext.Const("you have not granted anything to this host before"))
	}
	for _, other := range e.OtherSites {
		list = append(list, own("it also leads to another domain: "+other))
	}
	return list
}

// scopesOf lists every scope that a consent is about, what could be asked for
// first; asked are those that are.
func scopesOf(s auth.Scopes, asked []string) []authflow.Scope {
	var rows []authflow.Scope
	for _, list := range [][]string{s.Request, s.Required, s.Held} {
		for _, name := range list {
			if !slices.ContainsFunc(rows, func(r authflow.Scope) bool { return r.Name == clean(name) }) {
				rows = append(rows, authflow.Scope{
					Name: clean(name), Held: slices.Contains(s.Held, name),
					Required: slices.Contains(s.Required, name), Asked: slices.Contains(asked, name),
				})
			}
		}
	}
	return rows
}

func clientWords(c auth.ClientOrigin, anew bool) safetext.Text {
	switch c {
	case auth.ClientOfHost:
		return safetext.Const("by the client id that the host gave")
	case auth.ClientConfigured:
		return safetext.Const("by the client id of your configuration")
	case auth.ClientDocument:
		return safetext.Const("by a document about it, whose address is its id")
	case auth.ClientToAsk:
		return safetext.Const("not at all yet: you will be asked for a client id")
	case auth.ClientAsked:
		return safetext.Const("by the client id that you gave before")
	case auth.ClientRegistered:
		if anew {
			return safetext.Const("this program will register itself there anew")
		}
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
	case auth.StepDevice:
		return safetext.Const("signing in by a code, in a browser elsewhere")
	case auth.StepSupply:
		return safetext.Const("fetching the token")
	case auth.StepRefresh:
		return safetext.Const("getting a newer token")
	case auth.StepRevocation:
		return safetext.Const("ending the token at its server")
	case auth.StepExchange:
		return safetext.Const("fetching the token")
	case stepHandOver:
		return safetext.Const("handing the token to the host")
	case stepHost:
		return safetext.Const("waiting for the host to go on")
	}
	return own(string(s))
}

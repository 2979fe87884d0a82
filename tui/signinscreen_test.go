package tui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"ahptui/auth"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// TestSignInScreens compares the window with what was looked at once. Nothing
// runs here: the moments are made.
func TestSignInScreens(t *testing.T) {
	t.Parallel()
	for _, size := range []viewtest.Size{{Width: 80, Height: 24}, {Width: 40, Height: 12}} {
		for name, set := range map[string]func(s *signIn){
			"consent": func(s *signIn) {
				s.last = &auth.NeedConsent{
					Issuer: "https://issuer.example", Issuers: []string{"https://issuer.example", "https://other.example"}, Client: auth.ClientToRegister,
					Scopes:    auth.Scopes{Required: []string{"tracker:write"}, Held: []string{"tracker:read"}, Request: []string{"tracker:read", "tracker:write"}},
					Agreement: auth.Agreement{Verified: true},
				}
				s.consent = s.last
			},
			"working": func(s *signIn) {
				s.way.method = auth.ByBrowser
				s.way.url, s.progress = "https://issuer.example/authorize?client_id=1&scope=tracker%3Aread", "waiting for you to sign in, in the browser"
			},
			"device": func(s *signIn) {
				s.way = way{
					method: auth.ByDevice, methods: []auth.Method{auth.ByBrowser, auth.ByDevice, auth.ByPaste}, url: "https://issuer.example/device",
					code: &auth.UserCode{UserCode: "WDJB-MJHT", VerificationURI: "https://issuer.example/device", Until: began.Add(9 * time.Minute)},
				}
				s.progress = "waiting for you to type the code, on any machine"
			},
			"scan": func(s *signIn) {
				s.way = way{method: auth.ByDevice, url: "https://issuer.example/device", code: &auth.UserCode{UserCode: "WDJB-MJHT", Until: began.Add(time.Minute)}, scan: true}
			},
			"tunnel": func(s *signIn) {
				s.way = way{
					method: auth.ByBrowser, methods: []auth.Method{auth.ByBrowser, auth.ByPaste}, url: "https://issuer.example/authorize?client_id=1",
					waiting: &auth.Waiting{Until: began.Add(10 * time.Minute), Tunnel: "ssh -N -L 40123:127.0.0.1:40123 ann@192.0.2.1"},
				}
			},
			"warned": func(s *signIn) {
				s.last = &auth.NeedConsent{
					NewHost: true, Issuer: "https://issuer.example", PreviousIssuer: "https://before.example", OtherSites: []string{"tokens.example"},
					OtherOrigins: []string{"https://tokens.example"}, Client: auth.ClientDocument, ClientID: "https://client.example/ahptui.json",
					Agreement: auth.Agreement{Why: "no route to host"}, Method: auth.ByDevice, Methods: []auth.Method{auth.ByBrowser, auth.ByDevice},
				}
				s.consent = s.last
				s.excepted = []auth.Exception{{Rule: auth.ExceptMetadataIssuer, Named: "https://issuer.example", Published: "https://issuer.example/"}}
				s.why = auth.ErrStillExpired
			},
			"reach": func(s *signIn) {
				s.reach = &auth.NeedReach{Issuer: "https://issuer.example", Address: "10.0.0.7", Private: true}
			},
			"exchanging": func(s *signIn) {
				s.last = &auth.NeedConsent{Issuer: "https://issuer.example", Issuers: []string{"https://issuer.example"}, Client: auth.ClientToRegister, Agreement: auth.Agreement{Verified: true}}
				s.way = way{method: auth.ByBrowser, methods: []auth.Method{auth.ByBrowser, auth.ByPaste}}
				s.follow(auth.Exchanging{})
				s.kept, s.grant = errors.New("no space left on device"), &auth.Grant{OtherAudiences: []string{"https://other.example"}}
			},
			"done": func(s *signIn) {
				s.handed, s.progress = began, "the host has the token; waiting for it to go on"
			},
			"failed": func(s *signIn) {
				s.failure = &auth.Failure{Step: auth.StepAuthorization, Err: errors.New("access_denied"), Said: "the person said no", Remedy: "Try again."}
			},
		} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size.Width, size.Height), func(t *testing.T) {
				t.Parallel()
				d, s := newMoment(t, size)
				set(s)
				d.m.showSignIn(s)
				d.look()
				viewtest.Check(t, d.frame.Content, size.Width, size.Height)
				golden.RequireEqual(t, viewtest.Text(d.frame.Content))
			})
		}
	}
}

// newMoment is in front of a sign-in in which nothing runs.
func newMoment(t *testing.T, size viewtest.Size) (*driver, *signIn) {
	t.Helper()
	d := newDriver(t, viewtest.Plain(t), size, busyHost)
	requirement := &protocol.McpAuthRequirement{
		Reason: "required", RequiredScopes: []string{"tracker:read"}, Description: "Issues are read with it",
		Resource: &protocol.ProtectedResourceMetadata{Resource: "https://tracker.example/mcp", AuthorizationServers: []string{"https://issuer.example"}},
	}
	c, err := auth.NewChallenge(auth.Host{ID: "ws://127.0.0.1:1/"}, auth.Source{Server: "tracker"}, requirement)
	if err != nil {
		t.Fatal(err)
	}
	s := &signIn{
		access:    access{session: sessionA, server: protocol.Server{Customization: server("tracker", nil)}, requirement: requirement},
		challenge: c, began: began, requested: requirement.RequiredScopes,
	}
	return d, s
}

// TestSignInForms compares what is asked for in fields with what was looked at once.
func TestSignInForms(t *testing.T) {
	t.Parallel()
	for _, size := range []viewtest.Size{{Width: 80, Height: 24}, {Width: 40, Height: 12}} {
		for name, open := range map[string]func(d *driver, s *signIn){
			"paste": func(d *driver, s *signIn) {
				d.m.openPaste(s, "http://127.0.0.1:1/callback?code=x&state=y", own("that is another address: it begins with http://127.0.0.1:1/callback, and http://127.0.0.1:40123/callback is waited for"))
			},
			"token": func(d *driver, s *signIn) {
				d.m.askToken(s, auth.NeedToken{Resource: s.challenge.Resource})
				d.paste("ghp_secretsecretsecret")
			},
			"client": func(d *driver, s *signIn) {
				d.m.askClient(s, auth.NeedClient{Issuer: "https://issuer.example", RedirectURI: "http://127.0.0.1:40123/callback", Why: errors.New("registration was refused: invalid_redirect_uri")})
				d.write("id")
				d.key("tab")
				d.paste("client-secret")
			},
			"scopes": func(d *driver, s *signIn) {
				s.consent = &auth.NeedConsent{Scopes: auth.Scopes{Required: []string{"tracker:write"}, Held: []string{"tracker:read"}, Request: []string{"tracker:read", "tracker:write", "offline_access"}}}
				d.m.narrow(s)
				d.key("j", "j", "space")
			},
		} {
			t.Run(fmt.Sprintf("%s/%dx%d", name, size.Width, size.Height), func(t *testing.T) {
				t.Parallel()
				d, s := newMoment(t, size)
				d.m.showSignIn(s)
				open(d, s)
				d.look()
				d.lacks("secretsecret", "client-secret")
				viewtest.Check(t, d.frame.Content, size.Width, size.Height)
				golden.RequireEqual(t, viewtest.Text(d.frame.Content))
			})
		}
	}
}

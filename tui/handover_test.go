package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/oauthserver"
	"ahptui/protocol"
)

// signedIn signs in once for tracker:read, as a person does.
func (d *signInDriver) signedIn() *protocol.AuthenticateParams {
	d.t.Helper()
	d.key("g")
	d.consent()
	p := d.handed()
	d.shows("the host has the token")
	d.resolve("c1")
	d.closed()
	return p
}

// quiet checks that the host is handed nothing, and nobody is asked, once all is
// done that can be done without a person.
func (d *signInDriver) quiet() {
	d.t.Helper()
	d.look()
	d.until("end of what is done without a person", func() bool { return d.m.handovers.running == 0 })
	select {
	case p := <-d.tokens:
		d.t.Errorf("the host was handed a token for %s", p.Resource)
	default:
	}
	if d.m.signIn != nil || len(d.m.overlays) > 0 {
		d.t.Errorf("somebody is asked:\n%s", d.screen())
	}
}

// own is a resource that the host itself speaks of.
func (d *signInDriver) own(change func(a *ahpclient.Auth)) {
	a := ahpclient.Auth{Resource: d.requirement("required").Resource}
	change(&a)
	d.host.change(func() { d.host.auth = []ahpclient.Auth{a} })
	d.look()
}

// TestHandOverHeld: a token that is held is handed over without a question to
// whatever asks for the same on the host: a server that starts anew, a call, an
// agent, and the host itself after a new connection.
func TestHandOverHeld(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(d *signInDriver){
		"server": func(d *signInDriver) { d.state(protocol.McpAuthRequired) },
		"call":   func(d *signInDriver) { d.block("c2", "tracker.list", "required", "tracker:read"); d.look() },
		"call of a chat that is not open": func(d *signInDriver) {
			d.host.act(sessionA, &protocol.SessionInputNeededSet{Request: &protocol.SessionInputRequest{
				Kind: protocol.InputAuthentication, ID: "i1", Chat: "ahp-chat:/closed", TurnID: "t9",
				ToolCall: &protocol.ToolCall{ToolCallID: "c9", Status: protocol.ToolAuthRequired, ToolName: "tracker.list", DisplayName: "tracker.list", Auth: d.requirement("required", "tracker:read")},
			}})
			d.look()
		},
		"agent": func(d *signInDriver) {
			d.own(func(a *ahpclient.Auth) { a.Agents, a.Required = []string{"copilot"}, true })
		},
		"host": func(d *signInDriver) { d.own(func(a *ahpclient.Auth) { a.Asked, a.Reason = d.clock, "required" }) },
		"new connection": func(d *signInDriver) {
			d.host.drop(errors.New("gone"))
			d.look()
			d.clock = d.clock.Add(time.Second)
			d.host.restore()
			d.own(func(a *ahpclient.Auth) { a.Before = true })
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newKeepingDriver(t, oauthserver.Options{})
			first := d.signedIn()
			ask(d)
			if p := d.handed(); p.Token != first.Token || p.Resource != d.resource || !slices.Equal(p.Scopes, first.Scopes) || p.ExpiresIn == nil {
				t.Errorf("handed over: %s %v", p.Resource, p.Scopes)
			}
			d.shows("as you agreed before")
			if d.m.signIn != nil || len(d.m.overlays) > 0 || d.person.opened != 1 {
				t.Errorf("somebody was asked:\n%s", d.screen())
			}
			d.quiet() // the same said again is no reason to do it again
		})
	}
}

// TestHandOverNothing: without a token nothing happens by itself.
func TestHandOverNothing(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.own(func(a *ahpclient.Auth) { a.Agents, a.Required = []string{"copilot"}, true })
	d.quiet()
}

// TestHandOverExpired: a token that the host calls expired is refreshed once;
// then a person is needed, and told why.
func TestHandOverExpired(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	first := d.signedIn()
	d.block("c2", "tracker.list", "expired", "tracker:read")
	d.look()
	second := d.handed()
	if second.Token == first.Token {
		t.Error("the host gets the token that has expired")
	}
	d.resolve("c2")
	d.host.act(chatA, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c2", Auth: d.requirement("expired", "tracker:read")})
	d.look()
	d.shows("tracker needs you", "has expired all the same")
	d.quiet()
}

// TestHandOverQuarantine: what the host refuses twice is not handed over again.
func TestHandOverQuarantine(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.signedIn()
	d.says(&jsonrpc.Error{Code: -32602, Message: "no good"})
	for i := range 2 {
		d.block("c"+string(rune('2'+i)), "tracker.list", "required", "tracker:read")
		d.look()
		d.handed()
		d.shows("the host did not take the token for tracker: no good")
	}
	d.block("c4", "tracker.list", "required", "tracker:read")
	d.look()
	d.shows("the host has refused the token twice")
	d.quiet()
}

// TestHandOverRenewed: what is refreshed ahead of its end reaches the host.
func TestHandOverRenewed(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.signedIn()
	renewed := make(chan auth.Grant, 1)
	d.m.conn.Renewed = renewed
	d.do(d.m.Init())
	renewed <- auth.Grant{Host: d.m.conn.Identity, Resource: d.resource}
	d.handed()
	d.says(&jsonrpc.Error{Code: -32602, Message: "no good"})
	renewed <- auth.Grant{Host: d.m.conn.Identity, Resource: d.resource}
	d.handed()
	d.shows("the host did not take a token that was refreshed ahead of its end: no good")
}

// TestHostAsks: what the host asks for by itself is one key away like all else
// that waits, though it stands in no panel.
func TestHostAsks(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.resolve("c1")
	d.own(func(a *ahpclient.Auth) { a.Asked, a.Reason = d.clock, "required" })
	d.shows("1 blocked")
	d.key("a")
	d.consent()
	d.handed()
	d.closed()
	d.own(func(a *ahpclient.Auth) { a.Handed = d.clock })
	d.quiet()
	d.lacks("1 blocked")
}

// TestCommandNeedsSignIn: a command that is refused for want of a sign-in is given
// again after it, once, and by itself where a token is held.
func TestCommandNeedsSignIn(t *testing.T) {
	t.Parallel()
	refusal := func(d *signInDriver) error {
		return &ahpclient.AuthRequiredError{
			Resources: []*protocol.ProtectedResourceMetadata{d.requirement("required").Resource},
			Err:       &jsonrpc.Error{Code: protocol.CodeAuthRequired, Message: "sign in"},
		}
	}
	start := func(t *testing.T, refusals int64) (d *signInDriver, given *atomic.Int64) {
		t.Helper()
		d, given = newKeepingDriver(t, oauthserver.Options{}), new(atomic.Int64)
		d.host.create = func(context.Context, string, protocol.URI) (protocol.URI, error) {
			if given.Add(1) <= refusals {
				return "", refusal(d)
			}
			return sessionB, nil
		}
		return d, given
	}
	t.Run("a person signs in", func(t *testing.T) {
		t.Parallel()
		d, given := start(t, 1)
		d.key("n", "enter")
		d.consent()
		d.handed()
		d.closed()
		if given.Load() != 2 || d.m.current.session != sessionB {
			t.Errorf("it was given %d times, %s is on the screen", given.Load(), d.m.current.session)
		}
	})
	t.Run("a token is held", func(t *testing.T) {
		t.Parallel()
		d, given := start(t, 1)
		d.signedIn()
		d.key("n", "enter")
		d.handed()
		d.closed()
		if given.Load() != 2 || d.person.opened != 1 {
			t.Errorf("it was given %d times, the browser opened %d times", given.Load(), d.person.opened)
		}
	})
	t.Run("refused all the same", func(t *testing.T) {
		t.Parallel()
		d, given := start(t, 100)
		d.key("n", "enter")
		d.consent()
		d.handed()
		d.until("refusal", func() bool { return given.Load() == 2 })
		d.shows("sign in (-32007)")
		if d.m.signIn != nil {
			t.Error("it is asked for again")
		}
	})
	t.Run("given up", func(t *testing.T) {
		t.Parallel()
		d, given := start(t, 1)
		d.key("n", "enter")
		d.shows("Grant access?")
		d.key("esc")
		d.shows("New session", "the host wants you to sign in first")
		if given.Load() != 1 || d.m.errand != nil {
			t.Errorf("it was given %d times", given.Load())
		}
	})
}

// TestSignOut: the host has no token any more, the server's revocation ends it,
// and nothing is handed over until the person asks.
func TestSignOut(t *testing.T) {
	t.Parallel()
	for name, digit := range map[string]string{"server": "1", "host": "2", "all": "3"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newKeepingDriver(t, oauthserver.Options{})
			first := d.signedIn()
			d.m.servers.Select(d.m.refOf("id-tracker"))
			d.key("tab", "O")
			d.shows("Sign out?", "tracker: "+d.resource)
			d.key("enter") // is no answer
			d.shows("Sign out?")
			d.key(digit)
			if p := d.handed(); p.Token != "" || p.Resource != d.resource {
				t.Errorf("the host was sent a token for %s", p.Resource)
			}
			d.shows("signed out: 1 revoked")
			if _, err := d.server.Verify(first.Token, d.resource); err == nil {
				t.Error("the token is still good")
			}
			d.state(protocol.McpAuthRequired)
			d.quiet()
			d.key("g")
			d.until("token", func() bool { return len(d.tokens) > 0 || strings.Contains(d.screen(), "Grant access?") })
		})
	}
}

// TestSignOutOfNothing: a host that says it wants a sign-in has no token, so that
// nothing stood in the way.
func TestSignOutOfNothing(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.signedIn()
	d.says(d.needsSignIn())
	d.key("tab", "O", "2")
	d.shows("signed out: 1 revoked, 0 only removed; taken from the host: 1")
	d.lacks("may still have")
	d.says(errors.New("gone"))
	d.state(protocol.McpAuthRequired)
	d.m.servers.Select(d.m.refOf("id-tracker"))
	d.key("O", "1")
	d.shows("the host may still have the token for " + d.resource)
}

// TestTokenCountdown: a call that waits for a person tells when the token that it will
// need is about to end.
func TestTokenCountdown(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{Lifetime: time.Hour})
	d.signedIn()
	at, _ := d.broker.Ends(auth.Key{Host: d.m.conn.Identity.ID, Resource: d.resource})
	d.host.act(
		chatA,
		&protocol.ChatToolCallStart{TurnID: "t1", ToolCallID: "c5", ToolName: "tracker.create", DisplayName: "tracker.create", Contributor: &protocol.Contributor{Kind: protocol.ContributorMcp, CustomizationID: "id-tracker"}},
		&protocol.ChatToolCallReady{TurnID: "t1", ToolCallID: "c5", InvocationMessage: protocol.Plain("Create"), ConfirmationTitle: protocol.Plain("Create it?")},
	)
	d.clock = at.Add(-time.Hour)
	d.look()
	d.lacks("the token for it")
	d.pass(time.Hour - 45*time.Second)
	d.sees("the token for it ends in 45 s")
	d.pass(time.Second)
	d.sees("the token for it ends in 44 s")
	d.pass(time.Minute)
	d.sees("the token for it has ended")
}

// TestManyAsk: ten calls that wait for the same are one sign-in. Who says "not
// now" is not asked again, and who grants it answers all.
func TestManyAsk(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	for i := range 9 {
		d.block("m"+string(rune('0'+i)), "tracker.list", "required", "tracker:read")
	}
	d.block("w", "tracker.create", "required", "tracker:write")
	d.look()
	d.shows("11 blocked")
	d.key("g")
	d.shows("Grant access?")
	if c := d.m.signIn.challenge; !slices.Equal(c.RequiredScopes, []string{"tracker:read", "tracker:write"}) || len(c.Also) != 1 {
		t.Errorf("it is for %v, %d others wait", c.RequiredScopes, len(c.Also))
	}
	d.key("esc")
	d.quiet()
	d.shows("11 blocked")
	d.key("g")
	d.consent()
	d.handed()
	for i := range 9 {
		d.host.act(chatA, &protocol.ChatToolCallAuthResolved{TurnID: "t1", ToolCallID: "m" + string(rune('0'+i))})
	}
	d.host.act(chatA, &protocol.ChatToolCallAuthResolved{TurnID: "t1", ToolCallID: "w"})
	d.resolve("c1")
	d.closed()
	d.quiet()
	if d.person.opened != 1 {
		t.Errorf("the browser opened %d times", d.person.opened)
	}
}

// TestUnseenChat: a call that waits in a chat which cannot be opened is granted
// by what the session says of it.
func TestUnseenChat(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.resolve("c1")
	closed := protocol.URI("ahp-chat:/closed")
	d.host.change(func() {
		d.host.open[closed] = &fakeChannel{kind: protocol.ChatKind, err: errors.New("no such chat for you")}
	})
	d.host.act(sessionA, &protocol.SessionInputNeededSet{Request: &protocol.SessionInputRequest{
		Kind: protocol.InputAuthentication, ID: "i1", Chat: closed, TurnID: "t9",
		ToolCall: &protocol.ToolCall{ToolCallID: "c9", Status: protocol.ToolAuthRequired, ToolName: "tracker.list", DisplayName: "tracker.list", Auth: d.requirement("required", "tracker:read")},
	}})
	d.look()
	d.shows("1 blocked")
	d.key("a")
	d.consent()
	d.handed()
	d.shows("the host has the token")
	d.host.act(sessionA, &protocol.SessionInputNeededRemoved{ID: "i1"})
	d.look()
	d.closed()
}

// TestStartNeedsSignIn: that a server which was started needs a sign-in is told,
// wherever the person looks by then.
func TestStartNeedsSignIn(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.resolve("c1")
	d.state(protocol.McpStopped)
	d.m.servers.Select(d.m.refOf("id-tracker"))
	d.key("tab", "s")
	d.host.settle(d.host.last(), ahpclient.Outcome{Kind: ahpclient.Accepted})
	d.state(protocol.McpStarting)
	d.key("tab")
	d.lacks("needs a sign-in before it starts")
	d.state(protocol.McpAuthRequired)
	d.sees("tracker needs a sign-in before it starts: a goes there")
}

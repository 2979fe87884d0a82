package tui

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/ahpclient"
	"ahptui/auth"
	"ahptui/internal/jsonrpc"
	"ahptui/internal/oauthserver"
	"ahptui/internal/testkit"
	"ahptui/keymap"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// large has room for whole sentences beside the panels.
var large = viewtest.Size{Width: 160, Height: 40}

// TestSignIn: the key, a yes, the browser; the call goes on by itself. The
// second time the key is enough, and the address is on the screen.
func TestSignIn(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.key("g")
	d.consent()
	p := d.handed()
	if p.Resource != trackerResource || !slices.Equal(p.Scopes, []string{"tracker:read"}) {
		t.Errorf("handed over for %s, scopes %v", p.Resource, p.Scopes)
	}
	if _, err := d.server.Verify(p.Token, trackerResource); err != nil {
		t.Error(err)
	}
	d.shows("the host has the token")
	d.resolve("c1")
	d.closed()
	d.sees("you granted tracker:read")

	d.block("c2", "tracker.create", "insufficientScope", "tracker:write")
	d.look()
	d.key("a")
	d.sees("you granted  tracker:read", "tracker:write")
	d.person.decide("")
	d.key("g")
	d.shows("waiting for you to sign in", d.server.Issuer()+oauthserver.AuthorizePath)
	d.lacks("Grant access?", "none are asked for")
	d.sees("tracker:read   granted, asked", "tracker:write  required, asked")
	d.person.decide("approve")
	d.key("o")
	if p := d.handed(); !slices.Equal(p.Scopes, []string{"tracker:read", "tracker:write"}) {
		t.Errorf("the second token is for %v", p.Scopes)
	}
	d.resolve("c2")
	d.closed()
	d.sees("you granted tracker:read tracker:write")
}

// TestSignInHaste: a key that was pressed before the question could be read is
// no answer, and neither are many of them.
func TestSignInHaste(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.key("g", "enter", "g")
	d.pass(5 * time.Second) // the servers are slow, and the person does something else
	d.shows("Grant access?")
	for range 20 {
		d.pass(reading / 2)
		d.key("enter")
		d.sees("Grant access?", "only just appeared")
	}
	d.key("?") // what is covered is not read
	d.pass(reading)
	d.key("esc", "enter")
	d.sees("Grant access?")
	d.send(tea.WindowSizeMsg{Width: 10, Height: 3})
	d.pass(reading)
	d.key("enter")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.sees("Grant access?")
	d.pass(reading)
	d.key("enter")
	d.lacks("Grant access?", "only just appeared")
	d.handed()
}

// TestSignInHasteAtOnce: the question may come as fast as the next key.
func TestSignInHasteAtOnce(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.key("g")
	d.shows("Grant access?")
	d.key("enter")
	d.sees("Grant access?", "only just appeared")
	d.consent()
	d.handed()
}

// TestSignInEager: a yes that was typed before the question is one to what the
// prompt beside the call has named, if the resource bears it out; to all else it
// is none.
func TestSignInEager(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		scopes []string
		change func(document string) string
		asked  bool
	}{
		{"plain", []string{"tracker:read"}, nil, false},
		{"unverified", []string{"tracker:read"}, func(string) string { return "" }, true},
		{"scopes that the prompt did not name", nil, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newSignInDriver(t, classic)
			tracker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				document := fmt.Sprintf(`{"resource":"http://%s/mcp","authorization_servers":[%q]}`, r.Host, d.server.Issuer())
				if tt.change != nil {
					document = tt.change(document)
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(w, document)
			}))
			t.Cleanup(tracker.Close)
			d.resource = tracker.URL + "/mcp"
			d.resolve("c1")
			d.run("c2", "tracker.create")
			requirement := d.requirement("required", tt.scopes...)
			requirement.Resource.ScopesSupported = []string{"tracker:read", "tracker:write"}
			d.host.act(chatA, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c2", Auth: requirement})
			d.look()
			d.key("a", "g", "enter")
			if tt.asked {
				d.consent()
			}
			d.handed()
			if asked := d.m.signIn.last; asked == nil || asked.Agreement.Verified != (tt.change == nil) {
				t.Errorf("the question was %+v", asked)
			}
		})
	}
}

// TestSignInTwoQuestions: each question is read for itself.
func TestSignInTwoQuestions(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.m.conn.Identity.Loopback = false
	d.key("g")
	d.shows("the authorization server is on this machine")
	d.pass(reading)
	d.key("enter", "enter")
	d.until("second question", func() bool { return d.m.signIn.consent != nil })
	d.key("enter")
	d.sees("Grant access?", "only just appeared")
	d.pass(reading)
	d.key("enter")
	d.handed()
}

// TestSignInDenied: who says no in the browser can say yes later.
func TestSignInDenied(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.person.decide("deny")
	d.key("g")
	d.consent()
	d.shows("No access", "the person said no")
	d.key("esc")
	d.sees("[g] try again", "[x] cancel call")
	d.person.decide("approve")
	d.key("g")
	d.handed()
	d.resolve("c1")
	d.closed()
	d.sees("you granted tracker:read")
}

// phase is a moment of a sign-in.
type phase struct {
	name  string
	reach func(d *signInDriver)
	flow  bool // it is before the token
}

func phases() []phase {
	at := func(path string) func(d *signInDriver) {
		return func(d *signInDriver) {
			d.holds(path)
			d.key("g")
			if path != oauthserver.MetadataPath {
				d.consent()
			}
			d.until(path, func() bool {
				select {
				case <-d.held:
					return true
				default:
					return false
				}
			})
		}
	}
	by := func(key, words string) func(d *signInDriver) {
		return func(d *signInDriver) {
			d.key("g")
			d.shows("Grant access?")
			d.key(key)
			d.consent()
			d.shows(words)
		}
	}
	return []phase{
		{"discovery", at(oauthserver.MetadataPath), true},
		{"consent", func(d *signInDriver) { d.key("g"); d.shows("Grant access?") }, true},
		{"registration", at(oauthserver.RegisterPath), true},
		{"browser", func(d *signInDriver) {
			d.person.decide("")
			d.key("g")
			d.consent()
			d.shows("waiting for you to sign in")
		}, true},
		{"browser, with a field open", func(d *signInDriver) {
			d.person.decide("")
			d.key("g")
			d.consent()
			d.shows("waiting for you to sign in")
			d.key("enter", "esc")
		}, true},
		{"device", by("d", "type the code"), true},
		{"device's start", func(d *signInDriver) {
			d.holds(oauthserver.DeviceAuthorizationPath)
			by("d", "asking the authorization server")(d)
			<-d.held
		}, true},
		{"paste", by("p", "the address at which the browser ends"), true},
		{"exchange", at(oauthserver.TokenPath), true},
		{"failed", func(d *signInDriver) {
			d.person.decide("deny")
			d.key("g")
			d.consent()
			d.shows("No access")
		}, false},
		{"done", func(d *signInDriver) {
			d.key("g")
			d.consent()
			d.handed()
			d.shows("the host has the token")
		}, false},
	}
}

// TestSignInEsc: esc leaves at once whatever goes on, and nothing runs on that
// has no business to.
func TestSignInEsc(t *testing.T) {
	t.Parallel()
	for _, p := range phases() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			d := newSignInDriver(t, classic)
			p.reach(d)
			flow := d.m.signIn.flow
			d.key("esc")
			if len(d.m.overlays) > 0 {
				t.Fatalf("the window stays:\n%s", d.screen())
			}
			ended := make(chan struct{})
			go func() { flow.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(testkit.Patience):
				t.Fatal("what was given up goes on")
			}
			d.focused(keymap.Transcript)
			if p.flow {
				if d.m.signIn != nil {
					t.Error("the sign-in goes on")
				}
				d.sees("[g] grant access")
			}
		})
	}
}

// TestSignInLeftWithHost: what is with the host goes on without its window, and
// the key shows it again.
func TestSignInLeftWithHost(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.key("g")
	d.consent()
	d.handed()
	d.shows("the host has the token")
	d.key("esc")
	d.sees("signing in: the host has the token", "[g] show sign-in")
	d.key("g")
	d.sees("Access granted")
	d.key("esc")
	d.resolve("c1")
	d.sees("you granted tracker:read")
	if d.m.signIn != nil {
		t.Error("the sign-in goes on")
	}
}

// TestSignInAgainAtOnce: who leaves and comes back at once gets a flow of their
// own, not the end of the one that was left.
func TestSignInAgainAtOnce(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	slow := make(chan struct{})
	d.person.stand(slow)
	d.key("g")
	d.consent()
	d.shows("waiting for you to sign in")
	t.Cleanup(func() { close(slow) }) // until then the flow that is left lasts
	left := d.m.signIn.flow
	d.person.stand(nil)
	d.key("esc", "g")
	if d.m.signIn.flow == left {
		t.Fatal("it is the flow that was left")
	}
	d.handed()
	d.resolve("c1")
	d.closed()
	d.sees("you granted tracker:read")
}

// TestSignInCut: a connection that is lost takes nothing from a sign-in but the
// moment at which the host gets the token.
func TestSignInCut(t *testing.T) {
	t.Parallel()
	for _, p := range phases() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			d := newSignInDriver(t, classic)
			p.reach(d)
			d.host.drop(errors.New("reset by peer"))
			d.look()
			if p.name == "failed" {
				d.key("enter")
				d.sees("not connected to the host")
			} else {
				d.sees("the connection to the host is lost")
			}
			d.pass(time.Minute)
			d.host.restore()
			d.look()
			d.lacks("the connection to the host is lost", "has done nothing")
			if p.name == "done" {
				d.resolve("c1")
				d.closed()
				d.sees("you granted tracker:read")
				return
			}
			if len(d.m.overlays) != 1 {
				t.Errorf("the window is gone:\n%s", d.screen())
			}
		})
	}
}

// TestSignInCutBeforeToken: a token that did not reach the host is handed over
// again, without a second sign-in.
func TestSignInCutBeforeToken(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.says(fmt.Errorf("authenticate: %w", ahpclient.ErrNotConnected))
	d.key("g")
	d.shows("Grant access?")
	d.host.drop(errors.New("reset by peer"))
	d.look()
	d.consent()
	first := d.handed()
	d.shows("not connected to the host: nothing was sent", "The token is kept")
	d.key("enter")
	d.sees("nothing can be asked of it")
	d.host.restore()
	d.look()
	d.says(nil)
	d.key("enter")
	if again := d.handed(); again.Token != first.Token || d.person.opened != 1 {
		t.Error("a second sign-in was needed")
	}
	d.resolve("c1")
	d.closed()
	d.sees("you granted tracker:read")
}

// TestSignInRefused: a host that does not take the token says why, without the
// token; another one is fetched.
func TestSignInRefused(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.says(&jsonrpc.Error{Code: -32007, Message: "bad token"})
	d.key("g")
	d.consent()
	first := d.handed()
	d.shows("handing the token to the host", "bad token", "did not take the token")
	d.says(nil)
	d.key("enter")
	if again := d.handed(); again.Token == first.Token {
		t.Error("the same token was handed over")
	}
	d.resolve("c1")
	d.closed()
}

// TestSignInSilent: a host that does nothing with a token is not waited for in
// silence; when it goes on after all, that counts.
func TestSignInSilent(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.key("g")
	d.consent()
	d.handed()
	d.shows("the host has the token")
	d.pass(auth.HostPatience - time.Millisecond)
	d.lacks("No access")
	d.pass(time.Millisecond)
	d.sees("No access", "has done nothing with it for 15s")
	d.key("esc")
	d.sees("has done nothing", "[g] try again")
	d.resolve("c1")
	d.sees("you granted tracker:read")
	if d.m.signIn != nil {
		t.Error("the sign-in goes on")
	}
}

// TestSignInAsksAgain: a host that wants more at once says so, and is granted
// that.
func TestSignInAsksAgain(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.key("g")
	d.consent()
	d.handed()
	d.shows("the host has the token")
	d.host.act(
		chatA, &protocol.ChatToolCallAuthResolved{TurnID: "t1", ToolCallID: "c1"},
		&protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c1", Auth: d.requirement("insufficientScope", "tracker:write")},
	)
	d.look()
	d.sees("No access", "asks again: needs more access tracker:write")
	d.key("esc")
	d.sees("[g] try again")
	d.key("g")
	if p := d.handed(); !slices.Equal(p.Scopes, []string{"tracker:read", "tracker:write"}) {
		t.Errorf("the second token is for %v", p.Scopes)
	}
	d.resolve("c1")
	d.closed()
	d.sees("you granted tracker:read tracker:write")
}

// TestSignInServer: a server is signed in from its row; it may ask again while
// it starts.
func TestSignInServer(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.resolve("c1")
	d.state(protocol.McpAuthRequired)
	d.key("a")
	d.focused(keymap.Servers)
	d.key("g")
	d.consent()
	d.handed()
	d.shows("the host has the token")
	d.state(protocol.McpStarting)
	d.sees("the server starts")
	d.pass(2 * auth.HostPatience)
	d.lacks("No access")
	d.state(protocol.McpAuthRequired)
	d.sees("No access", "asks again")
	d.key("enter")
	d.handed()
	d.state(protocol.McpStarting)
	d.state(protocol.McpReady)
	d.closed()
	if got := d.m.grantWords(target{sessionA, "id-tracker"}).String(); got != "you granted tracker:read" {
		t.Errorf("recorded %q", got)
	}
}

// TestSignInRunningCall: a call that runs while its server needs access goes on
// when that has it.
func TestSignInRunningCall(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.resolve("c1")
	d.state(protocol.McpAuthRequired)
	d.m.transcript.SelectCall("t1", "c1")
	d.look()
	d.focused(keymap.Transcript)
	d.key("g")
	d.consent()
	d.handed()
	d.state(protocol.McpStarting)
	d.state(protocol.McpReady)
	d.closed()
	d.sees("you granted tracker:read")
}

// TestSignInNotNeeded: what somebody else has granted meanwhile is not asked for.
func TestSignInNotNeeded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(d *signInDriver){
		"granted":      func(d *signInDriver) { d.resolve("c1") },
		"turn over":    func(d *signInDriver) { d.host.act(chatA, &protocol.ChatTurnCancelled{TurnID: "t1"}) },
		"session gone": func(d *signInDriver) { d.host.remove(sessionA) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newSignInDriver(t, classic)
			d.key("g")
			d.shows("Grant access?")
			flow := d.m.signIn.flow
			end(d)
			d.look()
			d.sees("tracker.list does not wait for access any more")
			if len(d.m.overlays) > 0 || d.m.signIn != nil {
				t.Error("it is asked for")
			}
			flow.Wait()
		})
	}
}

// TestSignInWithoutBrowser: the address can be copied, and is opened by hand.
func TestSignInWithoutBrowser(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, viewtest.Size{Width: 40, Height: 30})
	d.person.decide("")
	d.key("g")
	d.consent()
	d.shows("waiting for you to sign in")
	flat := strings.Join(strings.Fields(d.screen()), "")
	if !strings.Contains(flat, d.m.signIn.way.url) {
		t.Errorf("the address is not whole:\n%s", d.screen())
	}
	d.key("c")
	d.sees("copied")
	if err := (&visitor{decision: "approve"}).Open(t.Context(), d.m.signIn.way.url); err != nil {
		t.Error(err)
	}
}

package tui

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ahptui/auth"
	"ahptui/auth/store"
	"ahptui/internal/oauthserver"
	"ahptui/internal/testkit"
	"ahptui/protocol"
	"ahptui/views/viewtest"
)

// landing is where a browser ends that nobody listens to.
func landing(t *testing.T, page string) string {
	t.Helper()
	client := &http.Client{CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/callback") {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	body := new(strings.Builder)
	buffer := make([]byte, 64<<10)
	n, _ := response.Body.Read(buffer)
	body.Write(buffer[:n])
	_ = response.Body.Close()
	values := url.Values{"decision": {"approve"}}
	for _, part := range strings.Split(body.String(), "<input")[1:] {
		name, value := attribute(part, "name"), attribute(part, "value")
		if name != "" && name != "decision" {
			values.Set(name, value)
		}
	}
	response, err = client.PostForm(u.Scheme+"://"+u.Host+oauthserver.DecidePath, values)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	at := response.Header.Get("Location")
	if at == "" {
		t.Fatalf("the browser ends nowhere: %s", response.Status)
	}
	return at
}

func attribute(tag, name string) string {
	_, after, _ := strings.Cut(tag, name+`="`)
	value, _, _ := strings.Cut(after, `"`)
	return value
}

// granted waits until the call goes on.
func (d *signInDriver) granted() {
	d.t.Helper()
	d.handed()
	d.shows("the host has the token")
	d.resolve("c1")
	d.closed()
	d.sees("you granted tracker:read")
}

// TestKeystrokes: two the first time, one after that, none when a token is held.
func TestKeystrokes(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.key("g")
	d.consent() // a key
	d.granted()
	d.block("c2", "tracker.create", "insufficientScope", "tracker:write")
	d.look()
	d.key("a") // it is not selected by itself any more, since the person has gone elsewhere
	d.key("g")
	if p := d.handed(); !slices.Equal(p.Scopes, []string{"tracker:read", "tracker:write"}) {
		t.Errorf("the second token is for %v", p.Scopes)
	}
	d.resolve("c2")
	d.closed()
	d.block("c3", "tracker.create", "required", "tracker:write")
	d.look()
	d.handed()
}

// TestByDevice: the code is large and whole, the address can be scanned, and the
// call goes on once the code was typed elsewhere.
func TestByDevice(t *testing.T) {
	t.Parallel()
	d := startSignInDriver(t, large, auth.Config{}, oauthserver.Options{DeviceInterval: time.Second})
	d.key("g")
	d.shows("Grant access?")
	d.sees("b  browser"[:1], "d device code")
	d.key("d")
	d.sees("b browser  device code")
	d.consent()
	d.shows("waiting for you to type the code", "Open this on any machine")
	code := d.m.signIn.way.code
	d.sees(code.UserCode, d.server.Issuer()+oauthserver.DevicePath, "██")
	d.key("Q")
	d.lacks(code.UserCode)
	d.key("Q", "c")
	d.sees("copied")
	if _, err := testkit.AnswerForm(t.Context(), code.VerificationURIComplete, "approve"); err != nil {
		t.Fatal(err)
	}
	d.granted()
	if d.person.opened != 0 {
		t.Error("a browser of this machine was opened")
	}
}

// TestSwitchAndPaste: in the middle of a sign-in the person goes over to a browser
// elsewhere, and pastes where that ended. What cannot be right is refused, stays in
// the field, and ends nothing.
func TestSwitchAndPaste(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.person.decide("")
	d.key("g")
	d.consent()
	d.shows("waiting for you to sign in")
	d.key("p")
	d.shows("the address at which the browser ends")
	at := landing(t, d.m.signIn.way.url)
	for wrong, why := range map[string]string{
		"SplxlOBeZQQYbYS6WxSbIA":                          "Where did the browser end?",
		strings.Replace(at, "state=", "state=x", 1):       "of another sign-in",
		strings.Replace(at, "/callback", "/elsewhere", 1): "another address",
	} {
		d.send(tea.PasteMsg{Content: wrong})
		d.sees("Where did the browser end?", why)
		d.key("esc")
	}
	d.key("enter")
	d.send(tea.PasteMsg{Content: at + "\n"})
	d.key("enter")
	d.granted()
}

// TestPasteIntoWindow: a paste needs no field.
func TestPasteIntoWindow(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.key("g")
	d.shows("Grant access?")
	d.send(tea.PasteMsg{Content: "http://127.0.0.1/callback?code=x"})
	d.sees("nothing that could be pasted is waited for now")
	d.key("p")
	d.consent()
	d.shows("the address at which the browser ends")
	d.send(tea.PasteMsg{Content: landing(t, d.m.signIn.way.url)})
	d.granted()
}

// TestByToken: a token from elsewhere is never shown, and goes to the host as it is.
func TestByToken(t *testing.T) {
	t.Parallel()
	const token = "ghp_abcdefSECRET0123456789"
	d := newKeepingDriver(t, oauthserver.Options{})
	d.key("g")
	d.shows("Grant access?")
	d.key("t")
	d.consent()
	d.shows("Which token?")
	d.send(tea.PasteMsg{Content: token})
	d.lacks("ghp_", "SECRET")
	d.sees(strings.Repeat("*", len(token)))
	d.key("enter")
	if p := d.handed(); p.Token != token || p.Scopes != nil || p.ExpiresIn != nil {
		t.Errorf("the host got a token for %v", p.Scopes)
	}
	d.lacks("ghp_", "SECRET")
}

// TestByTokenGivenUp: who has none is where they were.
func TestByTokenGivenUp(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	d.key("g")
	d.shows("Grant access?")
	d.key("t")
	d.consent()
	d.shows("Which token?")
	d.key("esc")
	d.shows("No access", "fetching the token")
	d.key("enter") // by the browser, since that is what there is no question about
	d.handed()
}

// TestAskedForClient: a server that lets nobody register itself is asked with a
// client that the person names, once.
func TestAskedForClient(t *testing.T) {
	t.Parallel()
	options := oauthserver.Options{Closed: true, Clients: []oauthserver.Client{{ID: "mine", RedirectURIs: []string{"http://127.0.0.1/callback"}}}}
	config := auth.Config{Store: store.Open(t.Context(), store.Options{})}
	d := startSignInDriver(t, large, config, options)
	d.key("g")
	d.shows("Grant access?", "you will be asked for a client id")
	d.consent()
	d.shows("Which client?", "http://127.0.0.1:")
	d.key("enter") // nothing was typed
	d.key("m", "i", "n", "e")
	d.sees("mine")
	d.key("tab")
	d.key("shift+tab", "enter")
	d.granted()
	d.block("c2", "tracker.create", "insufficientScope", "tracker:write")
	d.look()
	d.key("a", "g")
	d.handed()
}

// TestNarrow: less can be asked for than what is offered.
func TestNarrow(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.resolve("c1")
	d.block("c2", "tracker.create", "required", "tracker:read", "tracker:write")
	d.look()
	d.key("a", "g")
	d.shows("Grant access?")
	d.key("s")
	d.sees("What is to be asked for?", "[x] tracker:read", "[x] tracker:write  required")
	d.key("j", "space")
	d.sees("[ ] tracker:write")
	d.key("k", "space")
	d.sees("[x] tracker:read") // something has to be left
	d.key("enter")
	d.sees("tracker:write  required, not asked for")
	d.consent()
	if p := d.handed(); !slices.Equal(p.Scopes, []string{"tracker:read"}) {
		t.Errorf("the token is for %v", p.Scopes)
	}
}

// TestOtherIssuer: another server can be looked at before anything is agreed to.
func TestOtherIssuer(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	other, err := oauthserver.Start("127.0.0.1:0", oauthserver.Options{Scopes: map[string]string{"tracker:read": "read"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	d.resolve("c1")
	d.run("c2", "tracker.list")
	r := d.requirement("required", "tracker:read")
	r.Resource.AuthorizationServers = append(r.Resource.AuthorizationServers, other.Issuer())
	d.host.act(chatA, &protocol.ChatToolCallAuthRequired{TurnID: "t1", ToolCallID: "c2", Auth: r})
	d.look()
	d.key("a", "g")
	d.shows("Grant access?", "or at "+other.Issuer())
	d.key("i")
	d.shows("sign in at "+other.Issuer(), "or at "+d.server.Issuer())
	d.consent()
	p := d.handed()
	if _, err := other.Verify(p.Token, d.resource); err != nil {
		t.Error(err)
	}
}

// TestNever: who does not want to be asked is not, until they ask themselves.
func TestNever(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.key("g")
	d.shows("Grant access?")
	d.key("N")
	d.shows("is not to ask for tracker any more")
	d.closed()
	d.block("c2", "tracker.list", "required", "tracker:read")
	d.quiet()
	d.key("g")
	d.consent()
	d.handed()
}

// TestNotNow: a no is remembered for a while, and a key asks again at once.
func TestNotNow(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.key("g")
	d.shows("Grant access?")
	c, flow := d.m.signIn.challenge, d.m.signIn.flow
	d.key("esc")
	flow.Wait()
	if _, decision := d.broker.Silent(t.Context(), c); decision.Act != auth.ActStop {
		t.Errorf("after a no: %+v", decision)
	}
	d.key("g")
	d.shows("Grant access?")
}

// TestDecline: the call is given up from the window.
func TestDecline(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.key("g")
	d.shows("x cancel the call")
	d.key("x")
	d.closed()
	if r := d.host.last(); r == nil || r.Action.ActionType() != "chat/toolCallComplete" {
		t.Errorf("the host was asked for %v", r)
	}
}

// TestRegisterAgain: a program that its server has forgotten registers anew by a
// key, while the browser shows a page of error.
func TestRegisterAgain(t *testing.T) {
	t.Parallel()
	d := newKeepingDriver(t, oauthserver.Options{})
	d.signedIn()
	before := d.m.signIn
	if before != nil {
		t.Fatal("the sign-in goes on")
	}
	d.person.decide("")
	d.block("c2", "tracker.create", "insufficientScope", "tracker:write")
	d.look()
	d.key("a", "g")
	d.shows("waiting for you to sign in")
	first := d.m.signIn.way.url
	d.key("r")
	d.until("another client", func() bool { return d.m.signIn.way.url != "" && d.m.signIn.way.url != first })
	a, _ := url.Parse(first)
	b, _ := url.Parse(d.m.signIn.way.url)
	if a.Query().Get("client_id") == b.Query().Get("client_id") {
		t.Error("it is the same client")
	}
	if err := (&visitor{decision: "approve"}).Open(t.Context(), d.m.signIn.way.url); err != nil {
		t.Error(err)
	}
	d.handed()
}

// TestTunnel: over SSH no browser is started, the code comes first, and who wants a
// browser gets the command that brings it back here.
func TestTunnel(t *testing.T) {
	t.Parallel()
	config := auth.Config{Place: auth.Place{OS: "linux", SSHConnection: "192.0.2.7 50000 192.0.2.1 22", User: "ann"}}
	d := startSignInDriver(t, viewtest.Size{Width: 40, Height: 60}, config, oauthserver.Options{})
	d.person.decide("")
	d.key("g")
	d.consent()
	d.shows("waiting for you to type the code")
	d.key("b")
	d.shows("run there first:")
	d.key("C")
	d.sees("the command is copied")
	flat := strings.Join(strings.Fields(d.screen()), " ")
	port := d.m.signIn.way.waiting.RedirectURI
	u, err := url.Parse(port)
	if err != nil || !strings.Contains(strings.ReplaceAll(flat, " ", ""), "ssh-N-L"+u.Port()+":127.0.0.1:"+u.Port()+"ann@192.0.2.1") {
		t.Errorf("no command for %s:\n%s", port, d.screen())
	}
}

// TestOpenAgainElsewhere: a browser that cannot open is not said to have opened.
func TestOpenAgainElsewhere(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.person.decide("")
	d.key("g")
	d.consent()
	d.shows("waiting for you to sign in", "o open")
	d.person.fail(auth.ErrNoDisplay)
	d.key("o")
	d.shows("open the address yourself: there is no graphical session here")
	d.lacks("o open")
}

// TestOtherWayAfterFailure: what failed by one way is done by another.
func TestOtherWayAfterFailure(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.person.decide("deny")
	d.key("g")
	d.consent()
	d.shows("No access", "b browser", "d device code")
	d.key("d")
	d.shows("waiting for you to type the code")
	if _, err := testkit.AnswerForm(t.Context(), d.m.signIn.way.code.VerificationURIComplete, "approve"); err != nil {
		t.Fatal(err)
	}
	d.granted()
}

// TestReachAsked: an authorization server on this machine is no matter of course
// for a host elsewhere.
func TestReachAsked(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.m.conn.Identity = auth.Host{ID: "wss://agents.example:443/"}
	d.key("g")
	d.shows("the authorization server is on this machine, at")
	d.pass(reading)
	d.key("enter")
	d.consent()
	d.handed()
}

// TestContradiction: where the resource itself names another server, nothing is
// asked and nobody is sent anywhere.
func TestContradiction(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	tracker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"resource":"http://` + r.Host + `/mcp","authorization_servers":["https://elsewhere.example"]}`))
	}))
	t.Cleanup(tracker.Close)
	d.resource = tracker.URL + "/mcp"
	d.resolve("c1")
	d.block("c2", "tracker.list", "required", "tracker:read")
	d.look()
	d.key("a", "g")
	d.shows("No access", "comparing it with what the resource says of itself", `received ["https://elsewhere.example"]`, "expected "+d.server.Issuer())
	if d.person.opened != 0 {
		t.Error("the browser was opened")
	}
}

// TestLateBrowser: that no browser has opened is told late, and takes nothing away
// from who is pasting by then. What is over is not offered any more.
func TestLateBrowser(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, classic)
	slow := make(chan struct{})
	d.person.stand(slow)
	d.person.fail(auth.ErrSlowBrowser)
	d.key("g")
	d.consent()
	d.shows("waiting for you to sign in")
	at := landing(t, d.m.signIn.way.url)
	d.key("enter")
	d.send(tea.PasteMsg{Content: at})
	close(slow)
	d.until("word of the browser", func() bool { return !d.m.signIn.notice.Empty() })
	d.sees("Where did the browser end?", "callback")
	d.key("enter")
	d.handed()
	d.shows("the host has the token")
	d.lacks("Open this", "paste", "copy URL")
	d.key("enter")
	d.lacks("Where did the browser end?")
}

// TestPasteTooMuch: what is too long for a field is not lost without a word.
func TestPasteTooMuch(t *testing.T) {
	t.Parallel()
	d := newSignInDriver(t, large)
	d.key("g")
	d.shows("Grant access?")
	d.key("p")
	d.consent()
	d.shows("the address at which the browser ends")
	d.key("enter")
	d.send(tea.PasteMsg{Content: strings.Repeat("x", 9<<10)})
	d.sees("what was pasted is left out: it is longer than 8192 bytes")
}

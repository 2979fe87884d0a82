package auth

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/secret"
)

// until drives a flow to its first event of a kind, and says yes on the way.
func until[E Event](w *world, f *Flow) E {
	w.t.Helper()
	var zero E
	for e := range f.Events(w.t.Context()) {
		switch e := e.(type) {
		case NeedConsent:
			f.Answer(e.Question, Answer{Yes: true})
		case OpenURL:
			w.learn(e.URL)
		}
		if e, ok := e.(E); ok {
			return e
		}
	}
	w.t.Fatalf("no %T came", zero)
	return zero
}

// goes has a flow go on to its n-th event of a kind, counted from 1.
func nth[E Event](w *world, f *Flow, n int) E {
	w.t.Helper()
	for e := range f.Events(w.t.Context()) {
		if e, ok := e.(E); ok {
			if n--; n == 0 {
				return e
			}
		}
	}
	var zero E
	w.t.Fatalf("no further %T came", zero)
	return zero
}

// R30, B35: over SSH no browser is started; the address at which one elsewhere ends finishes the flow, and nothing else.
func TestPaste(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Place = Place{OS: "linux", SSHConnection: "10.0.0.9 50000 10.0.0.5 22", User: "kim"}
	w.broker.config.Opener = openerFunc(func(context.Context, string) error { t.Error("a browser was started"); return nil })
	f := w.broker.Start(t.Context(), w.challenge())
	if err := f.Paste("http://127.0.0.1:1/callback?code=x&state=y"); err == nil {
		t.Error("pasted before anything is waited for")
	}
	waiting := until[Waiting](w, f)
	chosen := pick[Chosen](slices.Collect(seen(f)))
	if len(chosen) != 1 || chosen[0].Method != ByPaste {
		t.Errorf("chosen %+v", chosen)
	}
	back, err := url.Parse(waiting.RedirectURI)
	if err != nil || waiting.Tunnel != "ssh -N -L "+back.Port()+":127.0.0.1:"+back.Port()+" kim@10.0.0.5" {
		t.Errorf("the hint is %q for %s", waiting.Tunnel, waiting.RedirectURI)
	}
	open, err := url.Parse(until[OpenURL](w, f).URL)
	if err != nil {
		t.Fatal(err)
	}
	state := open.Query().Get("state")
	for pasted, why := range map[string]string{
		canaryCode: "a code alone",
		waiting.RedirectURI + "?code=" + canaryCode + "&state=wrong":                        "another sign-in",
		waiting.RedirectURI + "?code=" + canaryCode:                                         "another sign-in",
		waiting.RedirectURI + "?code=" + canaryCode + "&state=" + state + "&state=" + state: "another sign-in",
		"http://127.0.0.1:1/callback?code=" + canaryCode + "&state=" + state:                "another address",
		open.String(): "another address",
	} {
		if err := f.Paste(pasted); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), canaryCode) {
			t.Errorf("%.90s: %v, want %s", pasted, err, why)
		}
	}
	if err := f.Paste(waiting.RedirectURI + "?code=" + canaryCode + "&state=" + state); err != nil {
		t.Errorf("the answer: %v", err)
	}
	events := slices.Collect(f.Events(t.Context()))
	last(t, events)
	w.checkCanaries(events)
	free(t, waiting.RedirectURI)
	if err := f.Paste(waiting.RedirectURI + "?code=x&state=" + state); err == nil {
		t.Error("pasted twice")
	}
}

// seen are the events that a flow has had.
func seen(f *Flow) func(func(Event) bool) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	return f.Events(done)
}

// R30: the issuer of what is pasted is checked like any other.
func TestPasteOfAnotherIssuer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Method = ByPaste
	f := w.broker.Start(t.Context(), w.challenge())
	waiting := until[Waiting](w, f)
	open, _ := url.Parse(until[OpenURL](w, f).URL)
	answer := url.Values{"code": {canaryCode}, "state": {open.Query().Get("state")}, "iss": {"https://evil.example"}}
	if err := f.Paste(waiting.RedirectURI + "?" + answer.Encode()); err != nil {
		t.Errorf("it was not taken for the answer: %v", err)
	}
	failed := failure(t, slices.Collect(f.Events(t.Context())))
	if failed.Step != StepAuthorization || failed.Expected != w.as.URL || failed.Received != "https://evil.example" {
		t.Errorf("failure = %+v", failed)
	}
}

// A pasted address and a browser that comes back at the same time are one answer: one exchange.
func TestPasteRacesTheBrowser(t *testing.T) {
	t.Parallel()
	for range 20 {
		w := newWorld(t)
		w.broker.config.Method = ByPaste
		f := w.broker.Start(t.Context(), w.challenge())
		waiting := until[Waiting](w, f)
		open, _ := url.Parse(until[OpenURL](w, f).URL)
		answer := waiting.RedirectURI + "?code=" + canaryCode + "&state=" + open.Query().Get("state")
		browsed := make(chan struct{})
		go func() {
			defer close(browsed)
			_, _ = browse(t.Context(), answer)
		}()
		_ = f.Paste(answer)
		<-browsed
		last(t, slices.Collect(f.Events(t.Context())))
		if n := strings.Count(strings.Join(w.log(), "\n"), "POST /token"); n != 1 {
			t.Fatalf("%d exchanges", n)
		}
	}
}

// Where no port can be opened, an address can be pasted all the same; a browser of this machine needs the port.
func TestPasteNeedsNoPort(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.listen = func(context.Context, Redirect, int) (*listener, error) {
		return nil, errors.New("operation not permitted")
	}
	if failed := failure(t, w.run()); failed.Step != StepListener || failed.Remedy == "" {
		t.Errorf("by the browser: %+v", failed)
	}
	w.broker.config.Method = ByPaste
	f := w.broker.Start(t.Context(), w.challenge())
	waiting := until[Waiting](w, f)
	open, _ := url.Parse(until[OpenURL](w, f).URL)
	if err := f.Paste(waiting.RedirectURI + "?code=" + canaryCode + "&state=" + open.Query().Get("state")); err != nil {
		t.Error(err)
	}
	last(t, slices.Collect(f.Events(t.Context())))
}

// The way can be changed on the spot, and back: what was open is closed.
func TestSwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.metadata["device_authorization_endpoint"] = w.as.URL + "/device_authorization"
	w.device["interval"] = 60
	w.broker.config.Opener = nil
	f := w.broker.Start(t.Context(), w.challenge())
	if f.Switch(ByDevice) {
		t.Error("switched before there is anything to switch from")
	}
	first := until[Waiting](w, f)
	if f.Switch(ByToken) || f.Switch("carrier pigeon") {
		t.Error("switched to what is not offered")
	}
	if !f.Switch(ByDevice) {
		t.Fatal("no device")
	}
	nth[UserCode](w, f, 1)
	free(t, first.RedirectURI)
	if err := f.Paste(first.RedirectURI + "?code=x&state=y"); err == nil {
		t.Error("an address was taken that nobody waits for")
	}
	if !f.Switch(ByPaste) {
		t.Fatal("no paste")
	}
	second := nth[Waiting](w, f, 2)
	open, _ := url.Parse(nth[OpenURL](w, f, 2).URL)
	w.learn(open.String())
	if err := f.Paste(second.RedirectURI + "?code=" + canaryCode + "&state=" + open.Query().Get("state")); err != nil {
		t.Fatal(err)
	}
	events := slices.Collect(f.Events(t.Context()))
	last(t, events)
	var methods []Method
	for _, c := range pick[Chosen](events) {
		methods = append(methods, c.Method)
	}
	if diff := cmp.Diff([]Method{ByBrowser, ByDevice, ByPaste}, methods); diff != "" {
		t.Errorf("ways (-want +got):\n%s", diff)
	}
	if len(pick[NeedConsent](events)) != 1 {
		t.Error("asked again for the same consent")
	}
	if f.Switch(ByDevice) {
		t.Error("switched after the end")
	}
}

// R17, B37: a key registers this program anew, when the page of the server says that it does not know it.
func TestRegisterAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last(t, w.run())
	w.broker.config.Opener, w.requests = nil, nil
	f := w.broker.Start(t.Context(), w.challenge())
	until[Waiting](w, f)
	if got := strings.Count(strings.Join(w.log(), "\n"), "POST /register"); got != 0 {
		t.Errorf("registered %d times before the key", got)
	}
	if !f.RegisterAgain() {
		t.Fatal("not possible")
	}
	nth[Waiting](w, f, 2)
	open, _ := url.Parse(nth[OpenURL](w, f, 2).URL)
	if got := open.Query().Get("client_id"); got != "client1" { // the first of those that are noted since
		t.Errorf("the client is %s", got)
	}
	if got := strings.Count(strings.Join(w.log(), "\n"), "POST /register"); got != 1 {
		t.Errorf("registered %d times", got)
	}
	if _, err := browse(t.Context(), open.String()); err != nil {
		t.Fatal(err)
	}
	last(t, slices.Collect(f.Events(t.Context())))

	// The same at the consent.
	w.requests = nil
	w.broker.config.Opener = w
	w.answer = func(NeedConsent) Answer { return Answer{Yes: true, Register: true} }
	w.host.ID = "ws://127.0.0.1:2/"
	last(t, w.run())
	if got := strings.Count(strings.Join(w.log(), "\n"), "POST /register"); got != 1 {
		t.Errorf("registered %d times", got)
	}
}

// A token that is handed over is the grant's, whoever holds it.
func TestTokenFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Interactive = true
	w.secret = Answer{Yes: true, Secret: secret.New(canaryToken)}
	f := w.broker.StartBy(t.Context(), ByToken, w.challenge())
	events := w.drive(t.Context(), f)
	g := last(t, events)
	if !g.Token.Equal(secret.New(canaryToken)) || g.Scopes != nil || !g.Expires.IsZero() || g.Missing != nil || g.Issuer != w.as.URL {
		t.Errorf("the grant is %+v", g)
	}
	if got := pick[NeedConsent](events); len(got) != 1 || got[0].Supply != "you" || got[0].Method != ByToken {
		t.Errorf("asked %+v", got)
	}
	w.checkCanaries(events)
}

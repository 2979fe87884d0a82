package auth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/secret"
	"ahptui/protocol"
)

// last returns the grant that events end with.
func last(t *testing.T, events []Event) Grant {
	t.Helper()
	done, ok := events[len(events)-1].(Done)
	if !ok {
		t.Fatalf("the flow ended with %+v", events[len(events)-1])
	}
	return done.Grant
}

// failure returns the failure that events end with.
func failure(t *testing.T, events []Event) *Failure {
	t.Helper()
	failed, ok := events[len(events)-1].(Failed)
	if !ok {
		t.Fatalf("the flow ended with a %T", events[len(events)-1])
	}
	return failed.Failure
}

func pick[E Event](events []Event) (all []E) {
	for _, e := range events {
		if e, ok := e.(E); ok {
			all = append(all, e)
		}
	}
	return all
}

func TestGrant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := time.Now()
	g := last(t, w.run())
	if g.Host != w.host || g.Resource != w.resource || g.Issuer != w.as.URL || !g.Token.Equal(secret.New(canaryToken)) {
		t.Errorf("grant = %+v", g)
	}
	if left := g.Expires.Sub(before); left < time.Hour || left > time.Hour+time.Minute {
		t.Errorf("the token expires in %v, want an hour", left)
	}
	held, ok := w.broker.Held(w.challenge().Key())
	if !ok || !slices.Equal(held, []string{"read"}) {
		t.Errorf("Held = %v, %t", held, ok)
	}
	if _, ok := w.broker.Held(Key{"other", w.resource}); ok {
		t.Error("another host holds something")
	}
}

func TestGrantParams(t *testing.T) {
	t.Parallel()
	now := time.Now()
	seconds := func(n int64) *int64 { return &n }
	for name, tt := range map[string]struct {
		scopes  []string
		expires time.Time
		want    protocol.AuthenticateParams
	}{
		"all":                  {[]string{"a"}, now.Add(time.Hour), protocol.AuthenticateParams{Scopes: []string{"a"}, ExpiresIn: seconds(3600)}},
		"half a second later":  {nil, now.Add(time.Hour - time.Second/2), protocol.AuthenticateParams{ExpiresIn: seconds(3599)}},
		"expired on the way":   {nil, now.Add(-time.Second), protocol.AuthenticateParams{ExpiresIn: seconds(1)}},
		"nothing known":        {nil, time.Time{}, protocol.AuthenticateParams{}},
		"known to be no scope": {[]string{}, time.Time{}, protocol.AuthenticateParams{Scopes: []string{}}},
	} {
		g := Grant{Resource: "https://r.example/%7Emcp", Token: secret.New("t"), Scopes: tt.scopes, Expires: tt.expires}
		tt.want.Channel, tt.want.Resource, tt.want.Token = "ahp-root://", "https://r.example/%7Emcp", "t"
		if diff := cmp.Diff(&tt.want, g.Params(now)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestConsentSaysAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.need.Description = "Reading issues needs access"
	w.metadata["token_endpoint"] = strings.Replace(w.as.URL, "127.0.0.1", "localhost", 1) + "/token"
	got := pick[NeedConsent](w.run())
	if len(got) != 1 {
		t.Fatalf("asked %d times", len(got))
	}
	want := NeedConsent{
		Question: 1, Host: w.host, Source: Source{Server: "tracker", Tool: "create"}, Reason: Required,
		Resource: w.resource, ResourceName: "Tracker", Description: "Reading issues needs access",
		Issuer: w.as.URL, Issuers: []string{w.as.URL}, OtherOrigins: []string{strings.Replace(w.as.URL, "127.0.0.1", "localhost", 1)},
		Scopes: Scopes{Required: []string{"read"}, Request: []string{"read"}}, Client: ClientToRegister, Agreement: Agreement{Verified: true},
		Method: ByBrowser, Methods: []Method{ByBrowser, ByPaste},
	}
	if diff := cmp.Diff(want, got[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// B18: what was held is asked for again together with what is required now; nothing is asked of the person twice, and the
// registration is used again.
func TestStepUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.token["scope"] = "read"
	last(t, w.run())
	w.token["scope"] = "read write"
	w.need.Reason, w.need.RequiredScopes = "insufficientScope", []string{"write"}
	w.requests = nil
	events := w.run()
	g := last(t, events)
	if !slices.Equal(g.Scopes, []string{"read", "write"}) {
		t.Errorf("granted %v", g.Scopes)
	}
	if diff := cmp.Diff(lines(started, "open", "waiting", "exchanging", "done read+write"), w.told(events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(lines(found, replaced(lines(authorize), "scope=read", "scope=read%20write"), token1), w.log()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if held, _ := w.broker.Held(w.challenge().Key()); !slices.Equal(held, []string{"read", "write"}) {
		t.Errorf("held after: %v", held)
	}
}

// R5: the same operation asks for more twice at most.
func TestStepUpsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.need.Reason = "insufficientScope"
	for range maxStepUps {
		last(t, w.run())
	}
	w.requests = nil
	f := failure(t, w.run())
	if f.Step != StepChallenge || !strings.Contains(f.Error(), "granted 2 times") || f.Remedy == "" || w.log() != nil {
		t.Errorf("the third time: %+v, %v", f, w.log())
	}
	w.need.Reason = "expired"
	last(t, w.run()) // what is no step-up does not count
	w.need.Reason = "insufficientScope"
	failure(t, w.run())

	other := w.challenge()
	other.Source.Tool = "delete"
	flow := w.broker.Start(t.Context(), other)
	last(t, w.drive(t.Context(), flow))
	w.broker.Settle(w.challenge())
	last(t, w.run())
}

// A step-up that the person left does not count.
func TestStepUpsThatFailedDoNotCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.need.Reason = "insufficientScope"
	w.answer = func(NeedConsent) Answer { return Answer{} }
	for range maxStepUps + 1 {
		if f := failure(t, w.run()); !errors.Is(f, ErrDeclined) {
			t.Fatal(f)
		}
	}
}

func TestConsentIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := func() []NeedConsent { t.Helper(); e := w.run(); last(t, e); return pick[NeedConsent](e) }
	if got := asked(); len(got) != 1 {
		t.Fatalf("the first time: asked %d times", len(got))
	}
	if got := asked(); len(got) != 0 {
		t.Errorf("the second time: asked %+v", got)
	}
	// Another host is another consent, and holds nothing of the first one's.
	w.host.ID = "ws://127.0.0.1:2/"
	if got := asked(); len(got) != 1 || got[0].Scopes.Held != nil {
		t.Errorf("another host: asked %+v", got)
	}
	// So is a server that leads elsewhere than it did.
	w.metadata["token_endpoint"] = strings.Replace(w.as.URL, "127.0.0.1", "localhost", 1) + "/token"
	if got := asked(); len(got) != 1 || len(got[0].OtherOrigins) != 1 {
		t.Errorf("another origin: asked %+v", got)
	}
	if got := asked(); len(got) != 0 {
		t.Errorf("the same origin again: asked %+v", got)
	}
	// And another authorization server, loudly.
	at("/other", "/.well-known/oauth-authorization-server/other")(w)
	got := asked()
	if len(got) != 1 || got[0].PreviousIssuer != w.as.URL || got[0].Issuer != w.as.URL+"/other" || got[0].Scopes.Held != nil || got[0].Client != ClientToRegister {
		t.Errorf("another issuer: asked %+v", got)
	}
}

// Of several servers the one that was agreed to is taken again.
func TestChosenIssuerIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at("/second", "/.well-known/oauth-authorization-server/second")(w)
	w.need.Resource.AuthorizationServers = []string{w.as.URL + "/first", w.as.URL + "/second"}
	w.asPaths["/.well-known/oauth-authorization-server/first"] = func(rw http.ResponseWriter, r *http.Request) {
		first := map[string]any{}
		for k, v := range w.metadata {
			first[k] = v
		}
		first["issuer"] = w.as.URL + "/first"
		writeJSON(rw, 200, first)
	}
	w.answer = func(n NeedConsent) Answer { return Answer{Yes: true, Issuer: w.as.URL + "/second"} }
	if g := last(t, w.run()); g.Issuer != w.as.URL+"/second" {
		t.Fatalf("issuer = %s", g.Issuer)
	}
	events := w.run()
	if g := last(t, events); g.Issuer != w.as.URL+"/second" || len(pick[NeedConsent](events)) != 0 {
		t.Errorf("the second time: %v", w.told(events))
	}
}

func TestRegistrationThatFailedIsForgotten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	last(t, w.run())
	w.comeBack = func(v url.Values) { v.Del("code"); v.Set("error", "unauthorized_client") }
	failure(t, w.run())
	w.comeBack, w.requests = nil, nil
	last(t, w.run())
	if got := strings.Join(w.log(), "\n"); !strings.Contains(got, "POST /register") {
		t.Errorf("not registered anew:\n%s", got)
	}
}

// B33, B38: the port of a registration may be taken by then; another port is another registration.
func TestPortIsTaken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := pick[Waiting](w.run())[0].RedirectURI
	u, err := url.Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp4", u.Host)
	if err != nil {
		t.Skipf("somebody else took the port in between: %v", err)
	}
	defer taken.Close()
	events := w.run()
	last(t, events)
	if second := pick[Waiting](events)[0].RedirectURI; second == first {
		t.Errorf("both came back to %s", first)
	}
	if got := strings.Join(w.log(), "\n"); strings.Count(got, "POST /register") != 2 {
		t.Errorf("want a second registration:\n%s", got)
	}
}

// B51: who asks the same at the same time shares one flow, one window, one answer.
func TestEqualChallengesShareOneFlow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.challenge()
	other.Source = Source{Server: "tracker", Tool: "list"}
	flows := []*Flow{w.broker.Start(t.Context(), w.challenge()), w.broker.Start(t.Context(), w.challenge()), w.broker.Start(t.Context(), other)}
	ends := make(chan []Event)
	for _, f := range flows {
		if f != flows[0] {
			t.Error("a second flow was started for the same key")
		}
		go func() { ends <- slices.Collect(f.Events(t.Context())) }()
	}
	w.drive(t.Context(), flows[0])
	for range flows {
		events := <-ends
		if g := last(t, events); !g.Token.Equal(secret.New(canaryToken)) || len(pick[OpenURL](events)) != 1 {
			t.Errorf("one of three got %v", w.told(events))
		}
	}
	if got := strings.Count(strings.Join(w.log(), "\n"), "GET /authorize"); got != 1 {
		t.Errorf("%d browser windows", got)
	}
	flows[0].Wait()
	if again := w.broker.Start(t.Context(), w.challenge()); again == flows[0] {
		t.Error("a flow that is over was returned")
	}
}

// An answer counts for the question that the person saw, and once.
func TestAnswersAreBoundToTheirQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := w.broker.Start(t.Context(), w.challenge())
	if f.Answer(-1, Answer{Yes: true}) {
		t.Error("an answer to nothing was taken")
	}
	for e := range f.Events(t.Context()) {
		need, ok := e.(NeedConsent)
		if !ok {
			continue
		}
		if f.Answer(need.Question+1, Answer{Yes: true}) || f.Answer(need.Question-1, Answer{Yes: true}) {
			t.Error("an answer to another question was taken")
		}
		if !f.Answer(need.Question, Answer{}) || f.Answer(need.Question, Answer{Yes: true}) {
			t.Error("want the first answer taken, and not the second")
		}
	}
	e, _ := f.Event(t.Context(), 2)
	if failed, ok := e.(Failed); !ok || !errors.Is(failed.Failure, ErrDeclined) {
		t.Errorf("ended with %+v", e)
	}
	if _, ok := f.Event(t.Context(), 3); ok {
		t.Error("there is something after the last event")
	}
}

// waiting starts a flow without a browser, and returns it with its URLs once it waits.
func (w *world) waiting(c Challenge) (f *Flow, open *url.URL, redirect string) {
	w.t.Helper()
	f = w.broker.Start(w.t.Context(), c)
	for e := range f.Events(w.t.Context()) {
		switch e := e.(type) {
		case NeedConsent:
			f.Answer(e.Question, Answer{Yes: true})
		case OpenURL:
			u, err := url.Parse(e.URL)
			if err != nil {
				w.t.Fatal(err)
			}
			open = u
			w.learn(e.URL)
		case Waiting:
			return f, open, e.RedirectURI
		case Failed:
			w.t.Fatal(e.Failure)
		}
	}
	w.t.Fatal("the flow ended")
	return nil, nil, ""
}

// T9: the answer to one flow is none to another.
func TestSwappedCallbacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = nil
	clear(w.rsPaths)
	a := w.challenge()
	b := a
	b.Resource = w.rs.URL + "/b"
	flowA, openA, backA := w.waiting(a)
	flowB, openB, backB := w.waiting(b)
	answer := func(back string, state string) string {
		page, err := browse(t.Context(), back+"?code="+canaryCode+"&state="+state)
		if err != nil {
			t.Fatal(err)
		}
		return page
	}
	stateA, stateB := openA.Query().Get("state"), openB.Query().Get("state")
	if stateA == stateB {
		t.Fatal("both flows have the same state")
	}
	for _, page := range []string{answer(backA, stateB), answer(backB, stateA)} {
		if !strings.HasPrefix(page, "400 ") {
			t.Errorf("a swapped answer was shown %q", page)
		}
	}
	answer(backA, stateA)
	answer(backB, stateB)
	for _, f := range []*Flow{flowA, flowB} {
		last(t, slices.Collect(f.Events(t.Context())))
	}
}

// B24, B27: what is not the answer changes nothing; the right one still finishes the flow.
func TestForeignCallbacks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = nil
	f, open, back := w.waiting(w.challenge())
	state := open.Query().Get("state")
	for _, query := range []string{
		"", "code=x", "code=x&state=", "code=x&state=wrong", "code=x&state=" + state + "x", "code=x&state=" + state[:len(state)-1],
		"code=x&state=" + state + "&state=" + state, "code=x&state=" + state + "&state=wrong", "code=x&STATE=" + state,
		"error=access_denied", "error=access_denied&state=wrong&error_description=%3Cscript%3E", "code=x;state=" + state, "code=%zz&state=" + state,
	} {
		page, err := browse(t.Context(), back+"?"+query)
		if err != nil || page != "400 "+pageForeign {
			t.Errorf("%q is shown %q, %v", query, page, err)
		}
	}
	page, err := browse(t.Context(), back+"?code="+canaryCode+"&state="+state)
	if err != nil || page != "200 "+pageDone {
		t.Errorf("the answer is shown %q, %v", page, err)
	}
	events := slices.Collect(f.Events(t.Context()))
	last(t, events)
	w.checkCanaries(events)
}

// B26: a state is used up by the first answer, whatever that says.
func TestStateIsUsedUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = nil
	f, open, back := w.waiting(w.challenge())
	state := open.Query().Get("state")
	page, err := browse(t.Context(), back+"?error=access_denied&error_description=%3Cscript%3Ealert%281%29%3C%2Fscript%3E+AADSTS65004&state="+state)
	if err != nil || page != "400 "+pageFailed {
		t.Errorf("the error is shown %q, %v", page, err)
	}
	if page, err := browse(t.Context(), back+"?code=x&state="+state); err == nil && !strings.HasPrefix(page, "410 ") {
		t.Errorf("a second answer is shown %q", page)
	}
	failed := failure(t, slices.Collect(f.Events(t.Context())))
	if failed.Step != StepAuthorization || failed.Said != "<script>alert(1)</script> AADSTS65004" || failed.Remedy == "" {
		t.Errorf("failure = %+v", failed)
	}
}

func TestBrowserThatDoesNotOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.broker.config.Opener = openerFunc(func(context.Context, string) error { return ErrNoDisplay })
	f, open, _ := w.waiting(w.challenge())
	for n := 0; ; n++ {
		e, _ := f.Event(t.Context(), n)
		if hint, ok := e.(NotOpened); ok {
			if !errors.Is(hint.Err, ErrNoDisplay) {
				t.Errorf("hint = %v", hint.Err)
			}
			break
		}
	}
	if _, err := browse(t.Context(), open.String()); err != nil {
		t.Fatal(err)
	}
	last(t, slices.Collect(f.Events(t.Context())))
}

type openerFunc func(context.Context, string) error

func (f openerFunc) Open(ctx context.Context, url string) error { return f(ctx, url) }

func TestFailureSaysWhatCanBeDone(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(w *world){
		"slash":       func(w *world) { w.metadata["issuer"] = w.as.URL + "/" },
		"issuer":      func(w *world) { w.metadata["issuer"] = "https://login.example" },
		"no metadata": func(w *world) { clear(w.asPaths) },
		"no PKCE":     func(w *world) { delete(w.metadata, "code_challenge_methods_supported") },
		"contradicts": func(w *world) { w.need.Resource.AuthorizationServers = []string{"https://login.example"} },
		"denied":      func(w *world) { w.comeBack = func(v url.Values) { v.Set("error", "access_denied") } },
		"busy":        func(w *world) { w.asPaths["/token"] = says(503, "") },
		"down":        func(w *world) { w.as.Close() },
		"forbidden": func(w *world) {
			clear(w.rsPaths)
			w.need.Resource.AuthorizationServers = []string{"https://169.254.169.254"}
		},
	} {
		w := newWorld(t)
		set(w)
		f := failure(t, w.run())
		if f.Remedy == "" || !strings.HasSuffix(f.Remedy, ".") {
			t.Errorf("%s: %v: the remedy is %q", name, f, f.Remedy)
		}
		if name == "slash" && !strings.Contains(f.Remedy, "Only a slash") {
			t.Errorf("%s: the remedy is %q", name, f.Remedy)
		}
		if name == "issuer" {
			if e, ok := errors.AsType[*IssuerError](f); !ok || e.Named != w.as.URL || e.Calls != "https://login.example" {
				t.Errorf("%s: %v", name, f)
			}
		}
		if fmt.Sprint(f) != string(f.Step)+": "+f.Err.Error() {
			t.Errorf("%s: printed as %v", name, f)
		}
	}
}

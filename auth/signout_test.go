package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ahptui/auth/store"
	"ahptui/internal/oauthserver"
	"ahptui/internal/secret"
)

// T29: signing out ends both tokens at the server, removes them here, says what hosts have to forget, and lasts until the
// person asks again.
func TestT29SignOut(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	g := l.signIn("read")
	kept := l.stored()[0]
	l.host.ID = "ws://127.0.0.1:2/"
	other := l.signIn("read")
	l.host.ID = "ws://127.0.0.1:1/"
	out, err := l.broker.SignOut(t.Context(), store.Which{Host: l.host.ID}, l.host)
	if err != nil || len(out.Tokens) != 1 || out.Tokens[0].Err != nil || out.Tokens[0].Key != kept.Key {
		t.Fatalf("%+v, %v", out, err)
	}
	if want := []store.Subject{{Host: l.host.ID, Resource: lifeResource}}; !slices.Equal(out.Subjects, want) {
		t.Errorf("hosts to tell: %v", out.Subjects)
	}
	forms := l.forms()
	if len(forms) != 2 || forms[0].Get("token") != kept.Refresh.Reveal() || forms[0].Get("token_type_hint") != "refresh_token" ||
		forms[1].Get("token") != kept.Access.Reveal() || forms[1].Get("path") != oauthserver.RevokePath {
		t.Errorf("the server was asked %v", forms)
	}
	if l.good(&g) || !l.good(&other) {
		t.Error("the wrong token was revoked")
	}
	if p := Emptied(out.Subjects[0].Resource); p.Token != "" || p.Resource != lifeResource || p.Channel != "ahp-root://" {
		t.Errorf("a host is told %+v", p)
	}
	c := l.challenge(Required, "read")
	if _, d := l.broker.Silent(t.Context(), c); d.Act != ActAsk || !errors.Is(d.Why, ErrSignedOut) {
		t.Errorf("by itself: %+v", d)
	}
	// The consent stands, so that a key is enough.
	events := l.flow(c)
	last(t, events)
	if len(pick[NeedConsent](events)) != 0 {
		t.Errorf("asked again: %v", events)
	}
	l.broker.Settle(c)
	if said, _ := l.silent(c); said != "push" {
		t.Errorf("after signing in: %s", said)
	}
}

// What a server does not revoke is gone from here all the same, and it is told.
func TestSignOutWithoutTheServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		metadata func(map[string]any)
		answer   http.HandlerFunc
		want     error
	}{
		"no revocation":  {metadata: func(m map[string]any) { delete(m, "revocation_endpoint") }, want: ErrNoRevocation},
		"a failure":      {answer: says(503, canaryToken), want: errServer},
		"another answer": {answer: says(400, `{"error":"unsupported_token_type"}`), want: &OAuthError{}},
	} {
		l := newLife(t, func(o *oauthserver.Options, _ *Config) { o.Alter.Metadata = tt.metadata })
		g := l.signIn("read")
		l.instead(tt.answer)
		out, err := l.broker.SignOut(t.Context(), store.Which{}, l.host)
		if err != nil || len(out.Tokens) != 1 || len(l.stored()) != 0 {
			t.Fatalf("%s: %+v, %v", name, out, err)
		}
		why := out.Tokens[0].Err
		_, isCode := errors.AsType[*OAuthError](why)
		if !errors.Is(why, tt.want) && !isCode {
			t.Errorf("%s: %v", name, why)
		}
		if text := fmt.Sprintf("%v %+v %#v", out, out, why); strings.Contains(text, g.Token.Reveal()) || strings.Contains(text, canaryToken) {
			t.Errorf("%s: a secret is shown: %s", name, text)
		}
	}
	// A host elsewhere whose server is on this machine: it may not be asked, and is not.
	l := newLife(t, nil)
	l.signIn("read")
	out, err := l.broker.SignOut(t.Context(), store.Which{})
	if err != nil || len(out.Tokens) != 1 || out.Tokens[0].Err == nil || l.grants() != "" {
		t.Errorf("%+v, %v", out, err)
	}
}

// T10: a server that leads elsewhere than was agreed to gets neither a refresh token nor one to revoke.
func TestT10ServerLeadsElsewhere(t *testing.T) {
	t.Parallel()
	elsewhere := false
	l := newLife(t, func(o *oauthserver.Options, _ *Config) {
		o.Alter.Metadata = func(m map[string]any) {
			if elsewhere {
				m["token_endpoint"] = strings.Replace(fmt.Sprint(m["token_endpoint"]), "127.0.0.1", "localhost", 1)
			}
		}
	})
	l.signIn("read")
	elsewhere = true
	_, d := l.broker.Silent(t.Context(), l.challenge(Expired, "read"))
	if d.Act != ActAsk || !errors.Is(d.Why, errElsewhere) || l.grants() != "" {
		t.Errorf("refresh: %+v", d)
	}
	out, _ := l.broker.SignOut(t.Context(), store.Which{}, l.host)
	if len(out.Tokens) != 1 || !errors.Is(out.Tokens[0].Err, errElsewhere) || l.grants() != "" {
		t.Errorf("revocation: %+v", out)
	}
}

// T1, T4, R28: another host gets nothing of what one was given, and is asked about as a new one.
func TestT1T4AnotherHostGetsNothing(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	g := l.signIn("read")
	l.host.ID = "ws://127.0.0.1:2/" // the same name, another port
	c := l.challenge(Required, "read")
	if said, _ := l.silent(c); said != "ask for read" {
		t.Errorf("by itself: %s", said)
	}
	events := l.flow(c)
	need := pick[NeedConsent](events)
	if fresh := last(t, events); fresh.Token.Equal(g.Token) || len(need) != 1 || !need[0].NewHost || need[0].Scopes.Held != nil {
		t.Errorf("by a key: %+v", need)
	}
}

// T2, R16: an issuer that the host changes gets neither token nor client of the one before.
func TestT2R16AnotherIssuerGetsNothing(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read")
	second := newLife(t, func(_ *oauthserver.Options, c *Config) { c.Store = l.store })
	c := second.challenge(Required, "read")
	if said, _ := second.silent(c); said != "ask for read" {
		t.Errorf("by itself: %s", said)
	}
	events := second.flow(c)
	need := pick[NeedConsent](events)
	if g := last(t, events); !second.good(&g) || len(need) != 1 || need[0].PreviousIssuer != l.server.Issuer() || need[0].Client != ClientToRegister {
		t.Errorf("by a key: %+v", need)
	}
}

// Tokens are refreshed ahead of their end, for the host that has them, and the new one is handed over.
func TestRenewal(t *testing.T) {
	t.Parallel()
	renewed := make(chan Grant, 10)
	l := newLife(t, func(o *oauthserver.Options, c *Config) {
		o.Lifetime = 2 * time.Second // half of it is the earliest
		c.Renewed = func(g Grant) { renewed <- g }
	})
	first := l.signIn("read")
	g := <-renewed
	if g.Token.Equal(first.Token) || g.Host != l.host || !l.good(&g) || !slices.Equal(g.Scopes, []string{"read"}) {
		t.Errorf("renewed %+v", g)
	}
	if p := g.Params(time.Now()); p.ExpiresIn == nil || *p.ExpiresIn < 1 {
		t.Errorf("handed over as %+v", p.ExpiresIn)
	}
	if got := l.grants(); got != "refresh_token" {
		t.Errorf("asked %s", got)
	}
	again := <-renewed
	if again.Token.Equal(g.Token) {
		t.Error("the second renewal gave the same")
	}
	// A host that is gone, and one that was signed out of, get nothing more.
	l.broker.Gone(l.host.ID)
	select {
	case g := <-renewed:
		if err := l.broker.Refused(t.Context(), g); err != nil {
			t.Error(err)
		}
	case <-time.After(1500 * time.Millisecond):
	}
	l.grants()
	select {
	case g := <-renewed:
		t.Errorf("renewed for nobody: %+v", g)
	case <-time.After(1500 * time.Millisecond):
	}
	if got := l.grants(); got != "" {
		t.Errorf("asked for nobody: %s", got)
	}
}

// A token from elsewhere is got anew when its host says that it has expired; the same once more is not handed over.
func TestSupplyAnew(t *testing.T) {
	t.Parallel()
	var supply changingSupply
	supply.set("first")
	l := newLife(t, func(_ *oauthserver.Options, c *Config) { c.Supplies = map[string]Supply{lifeResource: &supply} })
	g := l.signIn("read")
	if g.Token.Reveal() != "first" || l.stored()[0].Key.Issuer != "" {
		t.Fatalf("signed in with %+v", g)
	}
	_, d := l.broker.Silent(t.Context(), l.challenge(Expired))
	if d.Act != ActAsk || d.Why == nil || !strings.Contains(d.Why.Error(), "gives the token that the host has refused") {
		t.Errorf("the same again: %+v", d)
	}
	l.broker.Settle(l.challenge(Expired))
	supply.set("second")
	if said, g := l.silent(l.challenge(Expired)); said != "refresh" || g.Token.Reveal() != "second" {
		t.Errorf("another: %s", said)
	}
	out, err := l.broker.SignOut(t.Context(), store.Which{}, l.host)
	if err != nil || len(out.Tokens) == 0 || !errors.Is(out.Tokens[0].Err, ErrNoRevocation) {
		t.Errorf("signed out: %+v, %v", out, err)
	}
	if said, _ := l.silent(l.challenge(Required)); !strings.HasPrefix(said, "ask") {
		t.Errorf("after signing out: %s", said)
	}
}

// T34: a clock that is wrong does no harm, and how wrong it is can be told.
func TestT34Skew(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{-time.Hour, 0, 10 * time.Minute} {
		l := newLife(t, func(o *oauthserver.Options, _ *Config) {
			inner := o.Intercept
			o.Intercept = func(path string, next http.Handler) http.Handler {
				return inner(path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Date", time.Now().Add(skew).UTC().Format(http.TimeFormat))
					next.ServeHTTP(w, r)
				}))
			}
		})
		g := l.signIn("read")
		if left := time.Until(g.Expires); left < 59*time.Minute || left > time.Hour {
			t.Errorf("%v: the token ends in %v", skew, left)
		}
		if got := l.broker.Skew(l.server.Issuer()); !got.Known || (time.Duration(got.Seconds)*time.Second-skew).Abs() > 2*time.Second {
			t.Errorf("%v: measured %+v", skew, got)
		}
		if said, _ := l.silent(l.challenge(Required, "read")); said != "push" {
			t.Errorf("%v: %s", skew, said)
		}
	}
}

// changingSupply gives what it is told to.
type changingSupply struct{ value secret.Value }

func (s *changingSupply) set(text string) { s.value = secret.New(text) }

func (s *changingSupply) Token(context.Context) (secret.Value, error) { return s.value, nil }

func (*changingSupply) String() string { return "the test" }

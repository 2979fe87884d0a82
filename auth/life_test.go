package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ahptui/auth/store"
	"ahptui/internal/oauthserver"
	"ahptui/protocol"
)

const lifeResource = "http://127.0.0.1:9/mcp" // nobody is there: its metadata cannot be fetched

// life is a broker with a store, and a real authorization server whose clock can be set.
type life struct {
	t      *testing.T
	server *oauthserver.Server
	person *person
	store  *store.Store
	broker *Broker
	host   Host

	mu       sync.Mutex
	ahead    time.Duration // of the server's clock
	requests []string      // to the token and revocation endpoints
	answer   http.HandlerFunc
}

func newLife(t *testing.T, set func(*oauthserver.Options, *Config)) *life {
	t.Helper()
	l := &life{t: t, person: &person{decision: "approve", saw: make(chan string, 1)}, host: Host{ID: "ws://127.0.0.1:1/", Loopback: true}}
	opts := oauthserver.Options{
		Scopes: map[string]string{"read": "", "write": "", "admin": ""}, Lifetime: time.Hour,
		Now: func() time.Time {
			l.mu.Lock()
			defer l.mu.Unlock()
			return time.Now().Add(l.ahead)
		},
		Intercept: l.intercept,
	}
	l.store = store.Open(t.Context(), store.Options{})
	config := Config{Opener: l.person, Store: l.store}
	if set != nil {
		set(&opts, &config)
	}
	l.store = config.Store
	server, err := oauthserver.Start("127.0.0.1:0", opts)
	if err != nil {
		t.Fatal(err)
	}
	l.server = server
	l.broker = NewBroker(config)
	t.Cleanup(func() { l.broker.Close(); server.Close() })
	return l
}

// intercept notes what a client posts, and may answer in the server's place.
func (l *life) intercept(path string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		answer := l.answer
		l.mu.Unlock()
		if path == oauthserver.TokenPath || path == oauthserver.RevokePath || path == oauthserver.DeviceAuthorizationPath {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			l.mu.Lock()
			l.requests = append(l.requests, path+" "+string(body))
			l.mu.Unlock()
			if answer != nil {
				answer(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// instead answers token requests in the server's place; nil lets it answer again.
func (l *life) instead(answer http.HandlerFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = answer
}

// pass lets time pass for the server.
func (l *life) pass(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ahead += d
}

// forms are what was posted since the last call, without what does not matter.
func (l *life) forms() []url.Values {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []url.Values
	for _, request := range l.requests {
		path, body, _ := strings.Cut(request, " ")
		form, err := url.ParseQuery(body)
		if err != nil {
			l.t.Fatal(err)
		}
		form.Set("path", path)
		all = append(all, form)
	}
	l.requests = nil
	return all
}

// grants are the kinds of token requests since the last call.
func (l *life) grants() string {
	l.t.Helper()
	var kinds []string
	for _, form := range l.forms() {
		kinds = append(kinds, form.Get("grant_type")+form.Get("token_type_hint"))
	}
	return strings.Join(kinds, " ")
}

func (l *life) challenge(reason Reason, scopes ...string) Challenge {
	l.t.Helper()
	c, err := NewChallenge(l.host, Source{Server: "tracker"}, &protocol.McpAuthRequirement{
		Reason: string(reason), RequiredScopes: scopes,
		Resource: &protocol.ProtectedResourceMetadata{Resource: lifeResource, AuthorizationServers: []string{l.server.Issuer()}},
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// flow drives a flow to its end and says yes on the way.
func (l *life) flow(c Challenge) []Event {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 20*time.Second)
	defer cancel()
	return l.drive(ctx, l.broker.Start(ctx, c))
}

func (l *life) drive(ctx context.Context, f *Flow) []Event {
	w := &world{t: l.t, answer: func(NeedConsent) Answer { return Answer{Yes: true} }}
	return w.drive(ctx, f)
}

// signIn gets a first token and has its host go on with it.
func (l *life) signIn(scopes ...string) Grant {
	l.t.Helper()
	c := l.challenge(Required, scopes...)
	g := last(l.t, l.flow(c))
	l.broker.Settle(c)
	l.grants()
	return g
}

// silent does what can be done without a person.
func (l *life) silent(c Challenge) (string, *Grant) {
	l.t.Helper()
	g, d := l.broker.Silent(l.t.Context(), c)
	said := string(d.Act)
	if d.Act == ActAsk {
		said += " for " + strings.Join(d.Scopes, " ")
	}
	if (g != nil) != (d.Act == ActPush || d.Act == ActRefresh) {
		l.t.Errorf("%s with the grant %v", said, g)
	}
	return said, g
}

// good reports whether the server takes a token.
func (l *life) good(g *Grant) bool {
	_, err := l.server.Verify(g.Token.Reveal(), lifeResource)
	return err == nil
}

// stored are the tokens that are kept.
func (l *life) stored() []store.Token {
	l.t.Helper()
	all, err := l.store.All(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}

// B61, B47: a token that is held is handed to a new session, a reconnected host and a restarted server without a question.
func TestB47B61HeldTokenIsPushedSilently(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	c := l.challenge(Required, "read")
	if said, _ := l.silent(c); said != "ask for read" {
		t.Fatalf("with nothing held: %s", said)
	}
	first := l.signIn("read")
	session := c
	session.Source.Server = "tracker of another session"
	said, g := l.silent(session)
	if said != "push" || !g.Token.Equal(first.Token) || !slices.Equal(g.Scopes, []string{"read"}) || g.Expires.IsZero() {
		t.Errorf("a new session: %s, %+v", said, g)
	}
	// What is under way is waited for; a host that is connected anew gets it again.
	if said, _ := l.silent(session); said != "wait" {
		t.Errorf("the same a moment later: %s", said)
	}
	l.broker.Gone(l.host.ID)
	if said, g := l.silent(c); said != "push" || !g.Token.Equal(first.Token) {
		t.Errorf("after a reconnect: %s", said)
	}
	// Who asks by a key gets it as well, without a browser.
	l.broker.Settle(c)
	events := l.flow(c)
	if g := last(t, events); !g.Token.Equal(first.Token) || len(events) != 1 {
		t.Errorf("by a key: %v", events)
	}
	if got := l.grants(); got != "" {
		t.Errorf("the server was asked: %s", got)
	}
}

// B47: a token without a refresh token is as good after a restart as before.
func TestB47LongTokenSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := newLife(t, func(o *oauthserver.Options, c *Config) {
		o.GrantTypes, o.Lifetime = []string{oauthserver.GrantCode}, 365*24*time.Hour
		c.Store = onDisk(t, dir)
	})
	first := l.signIn("read")
	again := NewBroker(Config{Store: onDisk(t, dir)})
	t.Cleanup(again.Close)
	if g, d := again.Silent(t.Context(), l.challenge(Required, "read")); d.Act != ActPush || !g.Token.Equal(first.Token) {
		t.Errorf("after a restart: %+v", d)
	}
}

// R5, R26, B13, B15, B45: expired is one refresh, with the resource and without scopes, whose rotated token is kept; then a
// person.
func TestR5R26ExpiredIsOneRefresh(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	first := l.signIn("read")
	before := l.stored()[0]
	l.pass(2 * time.Hour)
	c := l.challenge(Expired, "read")
	said, g := l.silent(c)
	if said != "refresh" || g.Token.Equal(first.Token) || !l.good(g) {
		t.Fatalf("expired: %s", said)
	}
	forms := l.forms()
	after := l.stored()[0]
	want := url.Values{
		"path": {"/token"}, "grant_type": {"refresh_token"}, "client_id": {before.Key.Client},
		"refresh_token": {before.Refresh.Reveal()}, "resource": {lifeResource},
	}
	if len(forms) != 1 || fmt.Sprint(forms[0]) != fmt.Sprint(want) {
		t.Errorf("asked %v, want %v", forms, want)
	}
	if after.Refresh.Equal(before.Refresh) || !after.Access.Equal(g.Token) {
		t.Error("what was rotated is not kept")
	}
	// The host says it again all the same: no second refresh by itself.
	l.broker.Gone("another host")
	if said, _ := l.silent(c); said != "wait" {
		t.Errorf("a moment later: %s", said)
	}
	if err := l.broker.Refused(t.Context(), *g); err != nil {
		t.Fatal(err)
	}
	if said, _ := l.silent(c); said != "ask for read" || l.grants() != "" {
		t.Errorf("refused: %s", said)
	}
	events := l.flow(c)
	last(t, events)
	if len(pick[OpenURL](events)) != 1 || len(pick[PersonNeeded](events)) != 1 {
		t.Errorf("by a key: %v", events)
	}
}

// B15: what was stored is refreshed after a restart, from the record alone.
func TestB15RefreshAfterARestart(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read")
	l.pass(2 * time.Hour)
	again := NewBroker(Config{Store: l.store})
	t.Cleanup(again.Close)
	// The host has the token still, so this program has not handed it over; that it has ended is not seen by this clock.
	c := l.challenge(Expired, "read")
	if _, d := again.Silent(t.Context(), c); d.Act != ActPush {
		t.Fatalf("first: %+v", d)
	}
	again.Settle(c)
	g, d := again.Silent(t.Context(), c)
	if d.Act != ActRefresh || !l.good(g) {
		t.Errorf("then: %+v", d)
	}
}

// Where both tokens have ended there is one sign-in, and no loop.
func TestDoublyExpired(t *testing.T) {
	t.Parallel()
	l := newLife(t, func(o *oauthserver.Options, _ *Config) { o.RefreshLifetime = time.Minute })
	l.signIn("read")
	l.pass(2 * time.Hour)
	c := l.challenge(Expired, "read")
	if said, _ := l.silent(c); said != "ask for read" {
		t.Errorf("by itself: %s", said)
	}
	events := l.flow(c)
	g := last(t, events)
	if got := l.grants(); got != "refresh_token authorization_code" || len(pick[OpenURL](events)) != 1 || !l.good(&g) {
		t.Errorf("%s, %v", got, events)
	}
}

// R27, B50: invalid_grant ends that token and nothing else.
func TestR27B50InvalidGrant(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read")
	l.host.ID = "ws://127.0.0.1:2/"
	l.signIn("read")
	l.server.Revoke()
	if said, _ := l.silent(l.challenge(Expired, "read")); said != "ask for read" {
		t.Errorf("revoked: %s", said)
	}
	all := l.stored()
	if len(all) != 1 || all[0].Key.Host != "ws://127.0.0.1:1/" {
		t.Errorf("left are %v", all)
	}
}

// R27, B46: what fails on the way deletes nothing.
func TestR27B46FailuresDeleteNothing(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"5xx":               says(503, canaryToken),
		"no document":       says(200, "<html>"+canaryToken),
		"another code":      says(400, `{"error":"invalid_request","error_description":"`+canaryToken+`"}`),
		"no token":          says(200, `{"token_type":"Bearer"}`),
		"an unknown client": says(401, `{"error":"invalid_client"}`),
		"too many":          says(429, ""),
	} {
		l := newLife(t, nil)
		l.signIn("read")
		l.instead(answer)
		said, _ := l.silent(l.challenge(Expired, "read"))
		if all := l.stored(); said != "ask for read" || len(all) != 1 || all[0].Refresh.IsZero() {
			t.Errorf("%s: %s, left are %v", name, said, all)
		}
		if got := l.grants(); got != "refresh_token" {
			t.Errorf("%s: asked %s", name, got)
		}
		_, d := l.broker.Silent(t.Context(), l.challenge(Expired, "read"))
		if strings.Contains(fmt.Sprintf("%v %+v", d, d), canaryToken) {
			t.Errorf("%s: shows a secret: %+v", name, d)
		}
	}
}

// R26: a server that gives no new refresh token leaves the old one good.
func TestR26OldRefreshTokenStays(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read")
	before := l.stored()[0]
	l.instead(says(200, `{"access_token":"a2","token_type":"Bearer","expires_in":60}`))
	if said, g := l.silent(l.challenge(Expired, "read")); said != "refresh" || g.Token.Reveal() != "a2" {
		t.Errorf("refreshed: %s", said)
	}
	if after := l.stored()[0]; !after.Refresh.Equal(before.Refresh) {
		t.Error("the old refresh token is gone")
	}
}

// B22: a refreshed token that is good for less is told as such; what it lacks is a person's to grant.
func TestB22RefreshNarrows(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read", "write")
	l.instead(says(200, `{"access_token":"a2","token_type":"Bearer","expires_in":60,"scope":"read"}`))
	_, g := l.silent(l.challenge(Expired, "read"))
	if g == nil || !slices.Equal(g.Scopes, []string{"read"}) {
		t.Fatalf("refreshed: %+v", g)
	}
	if held, _ := l.broker.Held(l.challenge(Expired).Key()); !slices.Equal(held, []string{"read"}) {
		t.Errorf("held: %v", held)
	}
	l.broker.Settle(l.challenge(Expired))
	if said, _ := l.silent(l.challenge(InsufficientScope, "write")); said != "ask for read write" {
		t.Errorf("then: %s", said)
	}
}

// R5, B18: more access is never refreshed for, however good the refresh token is, and keeps what was held.
func TestR5B18StepUpNeverRefreshes(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read")
	c := l.challenge(InsufficientScope, "write")
	if said, _ := l.silent(c); said != "ask for read write" || l.grants() != "" {
		t.Errorf("by itself: %s", said)
	}
	g := last(t, l.flow(c))
	if got := l.grants(); got != "authorization_code" || !slices.Equal(g.Scopes, []string{"read", "write"}) {
		t.Errorf("%s gives %v", got, g.Scopes)
	}
	// The host says the same again, twice: it stops, with the reason.
	last(t, l.flow(c))
	failed := failure(t, l.flow(c))
	if !errors.Is(failed, errTooManyStepUps) || failed.Remedy == "" {
		t.Errorf("the third time: %v", failed)
	}
	if said, _ := l.silent(c); said != "stop" {
		t.Errorf("by itself: %s", said)
	}
	if n := len(l.stored()); n != 1 {
		t.Errorf("%d tokens are kept", n)
	}
}

// A token that was refused twice is handed over no more, and a sign-in gives another.
func TestRefusedTwiceIsQuarantined(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	g := l.signIn("read")
	c := l.challenge(Required, "read")
	for range 2 {
		if err := l.broker.Refused(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	_, d := l.broker.Silent(t.Context(), c)
	if d.Act != ActAsk || !errors.Is(d.Why, ErrQuarantined) {
		t.Errorf("by itself: %+v", d)
	}
	events := l.flow(c)
	if fresh := last(t, events); fresh.Token.Equal(g.Token) || len(pick[OpenURL](events)) != 1 {
		t.Errorf("by a key: %v", events)
	}
	// In between, one that the host went on with counts for it.
	g = l.signIn("read")
	for range 3 {
		if err := l.broker.Refused(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		said, again := l.silent(c)
		if said != "push" {
			t.Fatalf("refused once: %s", said)
		}
		l.broker.Settle(c)
		g = *again
	}
}

// A host that asks anew gets what there is once more, then a newer token, then a person.
func TestAsksAnew(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read")
	c := l.challenge(Required, "read")
	key, d := l.broker.Foresee(t.Context(), c)
	if key != l.stored()[0].Key || d.Act != ActPush {
		t.Errorf("foresees %+v for %+v", d, key)
	}
	for i, want := range []string{"push", "push", "ask for read"} {
		if said, _ := l.silent(c); said != want {
			t.Errorf("the time after %d: %s, want %s", i, said, want)
		}
		l.broker.Again(c)
	}
	l.broker.Settle(c)
	c = l.challenge(Expired, "read")
	for i, want := range []string{"refresh", "ask for read"} {
		if said, _ := l.silent(c); said != want {
			t.Errorf("expired, the time after %d: %s, want %s", i, said, want)
		}
		l.broker.Again(c)
	}
}

// At once, ten of the same: one refresh, and each is answered.
func TestSilentAtOnce(t *testing.T) {
	t.Parallel()
	l := newLife(t, nil)
	l.signIn("read")
	l.pass(2 * time.Hour)
	acts := make(chan Act, 10)
	for range cap(acts) {
		go func() {
			_, d := l.broker.Silent(t.Context(), l.challenge(Expired, "read"))
			acts <- d.Act
		}()
	}
	count := map[Act]int{}
	for range cap(acts) {
		count[<-acts]++
	}
	if got := l.grants(); got != "refresh_token" || count[ActRefresh] != 1 || count[ActWait] != 9 {
		t.Errorf("%s, %v", got, count)
	}
}

package demo_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ahptui/host/demo"
)

// fakeClock is a clock that a test sets.
type fakeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *fakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *fakeClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func startTracker(t *testing.T) (*demo.Tracker, *fakeClock) {
	t.Helper()
	clock := &fakeClock{now: time.Now()}
	tr, err := demo.StartTracker(clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := demo.Close(tr, ctx); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return tr, clock
}

// visitor makes bare HTTP requests to a tracker.
type visitor struct {
	t       *testing.T
	url     string
	token   string
	session string
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func call(tool, args string) string {
	return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

func (v *visitor) send(method, body string) (status int, answer string, header http.Header) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.url, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Content-Type", "application/json")
	if v.token != "" {
		req.Header.Set("Authorization", "Bearer "+v.token)
	}
	if v.session != "" {
		req.Header.Set("Mcp-Session-Id", v.session)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		v.session = id
	}
	return res.StatusCode, string(data), res.Header
}

func (v *visitor) want(method, body string, status int, challenge string) {
	v.t.Helper()
	got, answer, header := v.send(method, body)
	if got != status || header.Get("WWW-Authenticate") != challenge {
		v.t.Errorf("%s %.120s: %d, %q, %s; want %d, %q", method, body, got, header.Get("WWW-Authenticate"), answer, status, challenge)
	}
}

// in is a visitor with a token and a session.
func in(t *testing.T, tr *demo.Tracker, scopes ...string) *visitor {
	t.Helper()
	v := &visitor{t: t, url: tr.URL(), token: signIn(t, tr.Issuer().Issuer(), tr.URL(), scopes...).Token}
	v.want(http.MethodPost, initialize, http.StatusOK, "")
	v.want(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, http.StatusAccepted, "")
	return v
}

func metadataURL(tr *demo.Tracker) string {
	return strings.TrimSuffix(tr.URL(), "/mcp") + "/.well-known/oauth-protected-resource/mcp"
}

func TestTrackerDescribesItself(t *testing.T) {
	t.Parallel()
	tr, _ := startTracker(t)
	status, body, _ := (&visitor{t: t, url: metadataURL(tr)}).send(http.MethodGet, "")
	want := `{"authorization_servers":["` + tr.Issuer().Issuer() + `"],"bearer_methods_supported":["header"],"resource":"` + tr.URL() +
		`","resource_name":"ACME tracker","scopes_supported":["tracker:read","tracker:write"]}`
	if status != http.StatusOK || body != want {
		t.Errorf("%d, %s\nwant %s", status, body, want)
	}
}

func TestTrackerServesNobodyWithoutAToken(t *testing.T) {
	t.Parallel()
	tr, clock := startTracker(t)
	challenge := `Bearer resource_metadata="` + metadataURL(tr) + `", scope="tracker:read"`
	v := &visitor{t: t, url: tr.URL()}
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		v.want(method, initialize, http.StatusUnauthorized, challenge)
	}
	bad := challenge + `, error="invalid_token"`
	v.token = "nonsense"
	v.want(http.MethodPost, initialize, http.StatusUnauthorized, bad)
	v.token = signIn(t, tr.Issuer().Issuer(), tr.URL()).Token // for nothing
	v.want(http.MethodPost, initialize, http.StatusUnauthorized, bad)

	other, _ := startTracker(t)
	v.token = signIn(t, other.Issuer().Issuer(), other.URL(), demo.ScopeRead).Token
	v.want(http.MethodPost, initialize, http.StatusUnauthorized, bad)

	v = in(t, tr, demo.ScopeRead)
	v.want(http.MethodPost, call("tracker.list", "{}"), http.StatusOK, "")
	clock.advance(time.Hour)
	v.want(http.MethodPost, call("tracker.list", "{}"), http.StatusUnauthorized, bad)
}

func TestTrackerAsksForMore(t *testing.T) {
	t.Parallel()
	tr, _ := startTracker(t)
	more := `Bearer resource_metadata="` + metadataURL(tr) + `", scope="tracker:write", error="insufficient_scope"`
	create := call("tracker.create", `{"title":"sneaked in"}`)
	v := in(t, tr, demo.ScopeRead)
	v.want(http.MethodPost, create, http.StatusForbidden, more)
	// What the check of the scope and the server might read differently.
	for _, body := range []string{
		"[" + create + "]",
		create + create,
		strings.Replace(create, `"name":"tracker.create"`, `"name":"tracker.create","name":"tracker.list"`, 1),
		strings.Replace(create, `"name"`, `"Name"`, 1),
		strings.Replace(create, `"method"`, `"Method"`, 1),
		strings.Replace(create, `"params"`, `"PARAMS"`, 1),
		strings.Replace(create, `"tracker.create"`, `"tracker\u002ecreate"`, 1),
		strings.Replace(create, `"tracker.create"`, `"TRACKER.CREATE"`, 1),
	} {
		_, _, _ = v.send(http.MethodPost, body)
	}
	if _, list, _ := v.send(http.MethodPost, call("tracker.list", "{}")); !strings.Contains(list, "#112") || strings.Contains(list, "sneaked in") {
		t.Errorf("the issues are %s", list)
	}
	w := in(t, tr, demo.ScopeRead, demo.ScopeWrite)
	if status, answer, _ := w.send(http.MethodPost, create); status != http.StatusOK || !strings.Contains(answer, "created #118") {
		t.Errorf("create with the scope: %d, %s", status, answer)
	}
	if _, answer, _ := w.send(http.MethodPost, call("tracker.create", `{"title":" "}`)); !strings.Contains(answer, "needs a title") {
		t.Errorf("create without a title: %s", answer)
	}
	if _, list, _ := v.send(http.MethodPost, call("tracker.list", `{"state":"closed"}`)); !strings.Contains(list, "#97") || strings.Contains(list, "#112") {
		t.Errorf("the closed issues are %s", list)
	}
}

func TestTrackerListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, opts := range []demo.Options{
		{TrackerListen: "0.0.0.0:0"}, {IssuerListen: "0.0.0.0:0"}, {TrackerListen: "no address"}, {IssuerListen: "no address"},
	} {
		opts.Command = []string{"unused"}
		if d, err := demo.New(opts); err == nil {
			_ = d.Close(t.Context())
			t.Errorf("%+v is accepted", opts)
		}
	}
}

package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ahptui/internal/oauthserver"
	"ahptui/protocol"
)

// person is a browser with a person who decides on the form of a real authorization server.
type person struct {
	decision string // approve or deny
	saw      chan string
}

var action, hidden = regexp.MustCompile(`<form[^>]* action="([^"]*)"`), regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)

// Open implements Opener.
func (p *person) Open(ctx context.Context, target string) error {
	page, err := fetch(ctx, http.MethodGet, target, nil)
	if err != nil {
		return err
	}
	form := action.FindStringSubmatch(page)
	if form == nil {
		p.saw <- page
		return nil
	}
	base, err := url.Parse(target)
	if err != nil {
		return err
	}
	to, err := base.Parse(form[1])
	if err != nil {
		return err
	}
	values := url.Values{"decision": {p.decision}}
	for _, field := range hidden.FindAllStringSubmatch(page, -1) {
		values.Set(field[1], field[2])
	}
	_, err = fetch(ctx, http.MethodPost, to.String(), values)
	return err
}

func fetch(ctx context.Context, method, target string, form url.Values) (string, error) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := http.NewRequestWithContext(ctx, method, target, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+r.URL.Host)
	}
	response, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	return fmt.Sprintf("%d %s", response.StatusCode, page), err
}

// The rules hold against a server that keeps them itself, from its form to the check of its tokens.
func TestAgainstARealServer(t *testing.T) {
	t.Parallel()
	const resource = "http://127.0.0.1:9/mcp" // nobody is there: its metadata cannot be fetched
	server, err := oauthserver.Start("127.0.0.1:0", oauthserver.Options{
		Scopes:    map[string]string{"tracker:read": "read", "tracker:write": "write"},
		Resources: []string{resource},
		Clients:   []oauthserver.Client{{ID: "the host's: client", Secret: canarySecret + "%:+/", RedirectURIs: []string{"http://127.0.0.1/callback"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	p := &person{decision: "approve", saw: make(chan string, 1)}
	broker := NewBroker(Config{Opener: p})
	t.Cleanup(broker.Close)
	start := func(reason, scope string, client *protocol.McpOAuthClient) *Flow {
		c, err := NewChallenge(Host{ID: "h", Loopback: true}, Source{Server: "tracker"}, &protocol.McpAuthRequirement{
			Reason: reason, RequiredScopes: []string{scope}, OAuthClient: client,
			Resource: &protocol.ProtectedResourceMetadata{Resource: resource, AuthorizationServers: []string{server.Issuer()}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return broker.Start(t.Context(), c)
	}
	w := &world{t: t, answer: func(NeedConsent) Answer { return Answer{Yes: true} }}
	drive := func(reason, scope string, client *protocol.McpOAuthClient) []Event {
		return w.drive(t.Context(), start(reason, scope, client))
	}
	check := func(events []Event, scopes ...string) {
		t.Helper()
		g := last(t, events)
		got, err := server.Verify(g.Token.Reveal(), resource)
		if err != nil || !slices.Equal(got.Scopes, scopes) || !slices.Equal(g.Scopes, scopes) {
			t.Errorf("the server knows %+v, %v; the grant is %v; want %v", got, err, g.Scopes, scopes)
		}
		w.checkCanaries(events)
	}

	check(drive("required", "tracker:read", nil), "tracker:read")
	check(drive("insufficientScope", "tracker:write", nil), "tracker:read", "tracker:write")
	check(drive("required", "tracker:read", &protocol.McpOAuthClient{ClientID: "the host's: client", ClientSecret: canarySecret + "%:+/"}), "tracker:read")

	p.decision = "deny"
	failed := failure(t, drive("required", "tracker:read", nil))
	if refused, ok := errors.AsType[*OAuthError](failed); !ok || refused.Code != "access_denied" || failed.Said == "" {
		t.Errorf("denied: %+v", failed)
	}
	p.decision = "approve"
	check(drive("required", "tracker:read", nil), "tracker:read")

	// A server that has forgotten the client says so to the person alone. Whoever leaves then is registered anew.
	server.Forget()
	f := start("required", "tracker:read", nil)
	if page := <-p.saw; !strings.HasPrefix(page, "400 ") {
		t.Errorf("the forgotten client saw %q", page)
	}
	f.Cancel()
	f.Wait()
	events := drive("required", "tracker:read", nil)
	check(events, "tracker:read")
	if len(pick[Registering](events)) != 1 {
		t.Error("not registered anew")
	}
}

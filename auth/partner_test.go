package auth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ahptui/internal/oauthserver"
	"ahptui/internal/testkit"
	"ahptui/protocol"
)

// person is a browser with a person who decides on the form of a real authorization server.
type person struct {
	decision string // approve or deny
	saw      chan string
}

// Open implements Opener.
func (p *person) Open(ctx context.Context, target string) error {
	page, err := testkit.AnswerForm(ctx, target, p.decision)
	if errors.Is(err, testkit.ErrNoForm) {
		p.saw <- page
		return nil
	}
	return err
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
	if page := <-p.saw; !strings.Contains(page, "the client is not known here") {
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

package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ahptui/protocol"
)

var testTime = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func TestNewChallenge(t *testing.T) {
	t.Parallel()
	many := func(n int) []string { return slices.Repeat([]string{"s"}, n) }
	for name, tt := range map[string]struct {
		set  func(*protocol.McpAuthRequirement)
		want string // of the error
	}{
		"plain":                    {func(*protocol.McpAuthRequirement) {}, ""},
		"plain http":               {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "http://r.example" }, ""},
		"most scopes":              {func(r *protocol.McpAuthRequirement) { r.RequiredScopes = many(64) }, ""},
		"no authorization servers": {func(r *protocol.McpAuthRequirement) { r.Resource.AuthorizationServers = nil }, ""},
		"no resource":              {func(r *protocol.McpAuthRequirement) { r.Resource = nil }, "does not say what access"},
		"R6: a text for display":   {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "GitHub Copilot" }, "not an absolute URL"},
		"an empty resource":        {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "" }, "not an absolute URL"},
		"a relative resource":      {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "/mcp" }, "not an absolute URL"},
		"a resource without host":  {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "urn:x:y" }, "not an absolute URL"},
		"a file":                   {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "file://host/etc" }, "not an absolute URL"},
		"a fragment":               {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "https://r.example/#x" }, "fragment"},
		"an empty fragment":        {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "https://r.example/#" }, "fragment"},
		"a password":               {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "https://u:p@r.example/" }, "a user or a password"},
		"a control character":      {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "https://r.example/\x1b[2J" }, "not an absolute URL"},
		"a space":                  {func(r *protocol.McpAuthRequirement) { r.Resource.Resource = "https://r.example/a b" }, "white space"},
		"an endless resource":      {func(r *protocol.McpAuthRequirement) { r.Resource.Resource += strings.Repeat("x", 2048) }, "longer than"},
		"many issuers":             {func(r *protocol.McpAuthRequirement) { r.Resource.AuthorizationServers = many(9) }, "9 authorization servers"},
		"an endless issuer": {func(r *protocol.McpAuthRequirement) {
			r.Resource.AuthorizationServers = []string{strings.Repeat("x", 2049)}
		}, "longer than 2048"},
		"many scopes":       {func(r *protocol.McpAuthRequirement) { r.RequiredScopes = many(65) }, "65 of them"},
		"an empty scope":    {func(r *protocol.McpAuthRequirement) { r.RequiredScopes = []string{""} }, "one is empty"},
		"two scopes in one": {func(r *protocol.McpAuthRequirement) { r.RequiredScopes = []string{"a b"} }, "no scope may hold"},
		"a quoted scope":    {func(r *protocol.McpAuthRequirement) { r.RequiredScopes = []string{`a"b`} }, "no scope may hold"},
		"an endless scope":  {func(r *protocol.McpAuthRequirement) { r.RequiredScopes = []string{strings.Repeat("s", 257)} }, "longer than 256"},
		"a client without id": {func(r *protocol.McpAuthRequirement) {
			r.OAuthClient = &protocol.McpOAuthClient{ClientSecret: canarySecret}
		}, "not a usable client id"},
	} {
		requirement := &protocol.McpAuthRequirement{Reason: "required", Resource: &protocol.ProtectedResourceMetadata{
			Resource: "https://r.example/mcp", AuthorizationServers: []string{"https://login.example"},
		}}
		tt.set(requirement)
		c, err := NewChallenge(Host{ID: "h"}, Source{}, requirement)
		if tt.want == "" {
			if err != nil || c.Key() != (Key{"h", requirement.Resource.Resource}) {
				t.Errorf("%s: %+v, %v", name, c, err)
			}
			continue
		}
		failed, ok := errors.AsType[*Failure](err)
		if !ok || failed.Step != StepChallenge || failed.Remedy == "" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if strings.Contains(fmt.Sprint(err), canarySecret) {
			t.Errorf("%s: %v shows a secret", name, err)
		}
	}
	if _, err := NewChallenge(Host{}, Source{}, nil); err == nil {
		t.Error("no requirement: no error")
	}
}

// T17: what the resource supports is passed over when it is too much, since it only stands in for what is required.
func TestTooManySupportedScopes(t *testing.T) {
	t.Parallel()
	c, err := NewChallenge(Host{}, Source{}, &protocol.McpAuthRequirement{Resource: &protocol.ProtectedResourceMetadata{
		Resource: "https://r.example", ScopesSupported: slices.Repeat([]string{"s"}, 10000),
	}})
	if err != nil || c.SupportedScopes != nil {
		t.Errorf("%d supported scopes, %v", len(c.SupportedScopes), err)
	}
}

func TestChallengeHidesTheSecret(t *testing.T) {
	t.Parallel()
	c, err := NewChallenge(Host{}, Source{}, &protocol.McpAuthRequirement{
		Resource:    &protocol.ProtectedResourceMetadata{Resource: "https://r.example"},
		OAuthClient: &protocol.McpOAuthClient{ClientID: "c", ClientSecret: canarySecret},
	})
	if err != nil || c.Client.Secret.Reveal() != canarySecret {
		t.Fatalf("%+v, %v", c, err)
	}
	if text := fmt.Sprintf("%+v %#v %+v", c, c, *c.Client); strings.Contains(text, canarySecret) {
		t.Errorf("printed as %s", text)
	}
}

func TestParseHost(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]Host{
		"ws://127.0.0.1:8080":                {"ws://127.0.0.1:8080/", true},
		"ws://localhost:8080/":               {"ws://localhost:8080/", true},
		"ws://[::1]:8080/a":                  {"ws://[::1]:8080/a", true},
		"wss://Host.Example":                 {"wss://host.example:443/", false},
		"WSS://host.example:443/?tkn=secret": {"wss://host.example:443/", false},
		"ws://10.0.0.1/x%20y":                {"ws://10.0.0.1:80/x%20y", false},
	} {
		if got, err := ParseHost(in); err != nil || got != want {
			t.Errorf("ParseHost(%s) = %+v, %v, want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "host", "ws://", "ws://\x1b/?tkn=" + canaryToken} {
		if got, err := ParseHost(in); err == nil || strings.Contains(err.Error(), canaryToken) {
			t.Errorf("ParseHost(%q) = %+v, %v", in, got, err)
		}
	}
}

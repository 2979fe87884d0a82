package auth

import (
	"encoding/base64"
	"strings"
	"testing"

	"ahptui/internal/secret"
)

// webToken makes a signed web token, as far as a client can see.
func webToken(payload string) secret.Value {
	part := base64.RawURLEncoding.EncodeToString
	return secret.New(part([]byte(`{"alg":"none"}`)) + "." + part([]byte(payload)) + "." + part([]byte("signature")))
}

// T30: a token that is for somebody else by its own words is told of, and used all the same: tokens are opaque by rule.
func TestOtherAudiences(t *testing.T) {
	t.Parallel()
	const resource = "https://mcp.example/mcp"
	for payload, want := range map[string]string{
		`{"aud":"https://mcp.example/mcp"}`:                           "",
		`{"aud":["https://other.example","https://mcp.example/mcp"]}`: "",
		`{"aud":"https://other.example"}`:                             "https://other.example",
		`{"aud":["a","b"]}`:                                           "a b",
		`{}`:                                                          "",
		`{"aud":7}`:                                                   "",
		`{"aud":[7]}`:                                                 "",
		`not JSON`:                                                    "",
	} {
		if got := strings.Join(otherAudiences(webToken(payload), resource), " "); got != want {
			t.Errorf("%s: %q, want %q", payload, got, want)
		}
	}
	for _, opaque := range []string{"", "a.b", "a.b.c", "a.%%%.c", canaryToken} {
		if got := otherAudiences(secret.New(opaque), resource); got != nil {
			t.Errorf("%q: %v", opaque, got)
		}
	}
	w := newWorld(t)
	token := webToken(`{"aud":"https://other.example"}`)
	w.token["access_token"] = token.Reveal()
	if g := last(t, w.run()); !g.Token.Equal(token) || len(g.OtherAudiences) != 1 || g.OtherAudiences[0] != "https://other.example" {
		t.Errorf("told: %v", g.OtherAudiences)
	}
}

package auth

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"ahptui/internal/secret"
)

// signed is a signed web token with claims, as far as anybody here looks at it.
func signed(claims string) string {
	part := base64.RawURLEncoding.EncodeToString
	return part([]byte(`{"alg":"RS256"}`)) + "." + part([]byte(claims)) + "." + part([]byte("signature"))
}

// T30: a token that says that it is for somebody else is told of, and handed over all the same: what it is for is the
// resource's to judge.
func TestOtherAudiences(t *testing.T) {
	t.Parallel()
	const resource = "https://r.example/mcp"
	for claims, want := range map[string][]string{
		`{"aud":"https://r.example/mcp"}`:                           nil,
		`{"aud":["https://other.example","https://r.example/mcp"]}`: nil,
		`{"aud":"https://other.example"}`:                           {"https://other.example"},
		`{"aud":"https://r.example/mcp/"}`:                          {"https://r.example/mcp/"},
		`{"aud":["a","b"]}`:                                         {"a", "b"},
		`{"aud":["` + strings.Repeat(`x","`, 20) + `y"]}`:           slices.Repeat([]string{"x"}, maxAudiences),
		`{"aud":[]}`:            nil,
		`{"aud":5}`:             nil,
		`{"aud":{"a":"b"}}`:     nil,
		`{"sub":"kim"}`:         nil,
		`{"aud":"a","aud":"b"}`: nil,
		`{"aud":"` + strings.Repeat("x", 1000) + `"}`: {bounded(strings.Repeat("x", 1000))},
		`not JSON`: nil,
	} {
		if got := otherAudiences(secret.New(signed(claims)), resource); !slices.Equal(got, want) {
			t.Errorf("%.60s: %q, want %q", claims, got, want)
		}
	}
	for _, opaque := range []string{"", "opaque", "a.b", "a.b.c.d", "!.!.!", "a.b.c", signed(`{"aud":"x"}`) + ".more"} {
		if got := otherAudiences(secret.New(opaque), resource); got != nil {
			t.Errorf("%q: %q", opaque, got)
		}
	}
	w := newWorld(t)
	withStore(w)
	w.token["access_token"] = signed(`{"aud":"https://other.example/mcp"}`)
	for range 2 { // from the server, and from the store
		g := last(t, w.run())
		if !slices.Equal(g.OtherAudiences, []string{"https://other.example/mcp"}) || g.Token.IsZero() {
			t.Errorf("the grant is %+v", g)
		}
	}
	w.broker.Settle(w.challenge())
	if g, d := w.broker.Silent(t.Context(), w.challenge()); d.Act != ActPush || len(g.OtherAudiences) != 1 {
		t.Errorf("by itself: %+v", d)
	}
}

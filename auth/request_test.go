package auth

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ahptui/internal/secret"
)

func testRequest() *request {
	m := &serverMetadata{Issuer: "https://login.example", TokenEndpoint: "https://login.example/t"}
	return newRequest(m, oauthClient{id: "c", secret: secret.New(canarySecret)}, "https://r.example/%7Emcp", []string{"a", "b"}, "http://127.0.0.1:1/callback")
}

// B25, R18: what is random is long enough, in letters that nobody encodes twice, and never the same.
func TestRandom(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
	seen := map[string]bool{}
	for range 10000 {
		r := testRequest()
		for _, s := range []string{r.state, r.verifier.Reveal()} {
			if !form.MatchString(s) || seen[s] {
				t.Fatalf("%q: of the wrong form, or seen before", s)
			}
			seen[s] = true
		}
	}
}

// T11, R1, R18: whatever the endpoint looks like, our parameters are there once, and what it brought along is kept.
func TestAuthorizationURL(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		endpoint := "https://login.example/a"
		own := rapid.MapOf(rapid.StringMatching(`[a-z_]{1,8}`), rapid.String()).Draw(t, "query")
		query := url.Values{}
		for k, v := range own {
			query.Set(k, v)
		}
		if len(own) > 0 || rapid.Bool().Draw(t, "empty query") {
			endpoint += "?" + query.Encode()
		}
		if err := checkQuery(endpoint); err != nil {
			if slices.ContainsFunc(ownParameters, query.Has) {
				return
			}
			t.Fatalf("checkQuery(%q): %v", endpoint, err)
		}
		r := testRequest()
		target := r.url(endpoint)
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		got, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(r.verifier.Reveal()))
		want := url.Values{
			"response_type": {"code"}, "client_id": {"c"}, "redirect_uri": {r.redirectURI}, "scope": {"a b"}, "state": {r.state},
			"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"}, "resource": {r.resource},
		}
		for name, values := range query {
			want[name] = values
		}
		for name := range got {
			if name != "" && !slices.Equal(got[name], want[name]) {
				t.Fatalf("%s = %q, want %q in %s", name, got[name], want[name], target)
			}
		}
		if len(got) < len(want) {
			t.Fatalf("something is missing in %s", target)
		}
	})
}

func FuzzCallback(f *testing.F) {
	r := testRequest()
	r.state = "the-state"
	for _, seed := range []string{
		"", "code=x&state=the-state", "code=x&state=the-state&iss=https%3A%2F%2Flogin.example", "error=access_denied&state=the-state",
		"state=the-state&state=the-state", "code=x&code=y&state=the-state", "code=%zz", "a;b", "state=the-state&iss=https://evil.example&error=x",
	} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, query string, announced bool) {
		r := *r
		r.sendsIssuer = announced
		code, err := r.judge(query)
		values, parseErr := url.ParseQuery(query)
		ours := parseErr == nil && slices.Equal(values["state"], []string{"the-state"})
		if ours == errors.Is(err, errForeign) {
			t.Fatalf("judge(%q): %v; the state is right: %t", query, err, ours)
		}
		if err == nil {
			rightIssuer := slices.Equal(values["iss"], []string{r.issuer}) || values["iss"] == nil && !announced
			if !slices.Equal(values["code"], []string{code.Reveal()}) || code.IsZero() || !rightIssuer || values.Has("error") {
				t.Fatalf("judge(%q) takes %q", query, code.Reveal())
			}
			return
		}
		if !code.IsZero() {
			t.Fatalf("judge(%q): a code with an error", query)
		}
		if failed, ok := errors.AsType[*Failure](err); ok && len(failed.Said) > 4*301 {
			t.Fatalf("judge(%q): said %d bytes", query, len(failed.Said))
		}
	})
}

// What a server says by way of the browser may hold what it was sent.
func TestSaidIsRedacted(t *testing.T) {
	t.Parallel()
	r := testRequest()
	said := "no: " + r.verifier.Reveal() + " " + r.state + " " + canarySecret + " Bearer abcdefgh"
	_, err := r.judge(url.Values{"state": {r.state}, "error": {"server_error"}, "error_description": {said}}.Encode())
	failed, ok := errors.AsType[*Failure](err)
	if !ok || strings.Count(failed.Said, secret.Redacted) != 4 {
		t.Errorf("said %+v", failed)
	}
}

func TestErrorCode(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"invalid_grant": "invalid_grant", "": "", "Bearer": "", "a b": "", "eyJ0": "", strings.Repeat("a", 49): "", "x\x1b[2J": "",
	} {
		if got := errorCode(in); got != want {
			t.Errorf("errorCode(%q) = %q, want %q", in, got, want)
		}
	}
}

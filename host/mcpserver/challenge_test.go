package mcpserver

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func challengeOf(status int, authorization string, header ...string) *challenge {
	req := &http.Request{Header: http.Header{}}
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	return newChallenge(req, &http.Response{StatusCode: status, Header: http.Header{"Www-Authenticate": header}})
}

func TestChallenge(t *testing.T) {
	t.Parallel()
	const bearer = "Bearer t"
	for _, tt := range []struct {
		name          string
		status        int
		authorization string
		header        []string
		reason        string
		scopes        []string
	}{
		{"nothing said", 401, "", nil, ReasonRequired, nil},
		{"scopes", 401, "", []string{`Bearer scope="a b"`}, ReasonRequired, []string{"a", "b"}},
		{"another scheme first", 401, "", []string{`Basic realm="x"`, `bearer SCOPE="a"`}, ReasonRequired, []string{"a"}},
		{"two in a line", 401, "", []string{`Basic realm="x", Bearer scope="a"`}, ReasonRequired, []string{"a"}},
		{"only another scheme", 401, "", []string{`Basic realm="x", scope="a"`}, ReasonRequired, nil},
		{"a broken line", 401, "", []string{`Bearer scope="a`, `Bearer scope="b"`}, ReasonRequired, []string{"b"}},
		{"a token refused", 401, bearer, []string{`Bearer error="invalid_token"`}, ReasonExpired, nil},
		{"a token refused without a word", 401, bearer, nil, ReasonExpired, nil},
		{"more access", 403, bearer, []string{`Bearer error="insufficient_scope", scope="a"`}, ReasonInsufficientScope, []string{"a"}},
		{"more access by 401", 401, bearer, []string{`Bearer error="insufficient_scope", scope="a"`}, ReasonInsufficientScope, []string{"a"}},
		{"too many scopes", 401, "", []string{`Bearer scope="` + strings.Repeat("a ", maxScopes+1) + `"`}, ReasonRequired, nil},
		{"a scope too long", 401, "", []string{`Bearer scope="` + strings.Repeat("a", maxScopeBytes+1) + `"`}, ReasonRequired, nil},
		{"no scope", 401, "", []string{"Bearer scope=\"a \x1b[31m\""}, ReasonRequired, nil},
		{"an empty list", 401, "", []string{`Bearer scope=" "`}, ReasonRequired, nil},
	} {
		got := challengeOf(tt.status, tt.authorization, tt.header...)
		if got == nil || got.reason != tt.reason || !reflect.DeepEqual(got.scopes, tt.scopes) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	for _, header := range []string{"", `Bearer realm="x"`, `Bearer error="invalid_token"`, `Basic error="insufficient_scope"`} {
		if got := challengeOf(403, bearer, header); got != nil {
			t.Errorf("403 with %q: %+v", header, got)
		}
	}
}

func FuzzChallenge(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://h/x", scope="a b", error="invalid_token", error_description="no \"more\""`)
	f.Add(`Negotiate YII==, Bearer a=b,`)
	f.Fuzz(func(t *testing.T, header string) {
		c := challengeOf(401, "", header)
		if c == nil || !validScopes(c.scopes) {
			t.Errorf("%q: %+v", header, c)
		}
	})
}

package auth

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ahptui/internal/guard"
	"ahptui/internal/secret"
)

func TestParseDocument(t *testing.T) {
	t.Parallel()
	const other = `,"x":{"y":[1,{"issuer":"z","Issuer":"z"}]}}` // what lies deeper is not ours
	for document, want := range map[string]string{
		`{"issuer":"a"` + other:                       "",
		`{}`:                                          "",
		`{"issuer":null}`:                             "",
		" {\"issuer\":\"\u00e4\"}\n":                  "",
		`{"issuer":"a","issuer":"a"}`:                 "it has a member twice",
		`{"issuer":"a","\u0069ssuer":"a"}`:            "it has a member twice",
		`{"x":{"y":1,"y":2}}`:                         "it has a member twice",
		`{"ISSUER":"a"}`:                              "it spells issuer in another case",
		`{"iſsuer":"a"}`:                              "it spells issuer in another case",
		`{"issuer":["a"]}`:                            "its issuer is not of the right form",
		`{"code_challenge_methods_supported":"S256"}`: "its code_challenge_methods_supported is not of the right form",
		`{"code_challenge_methods_supported":[1]}`:    "its code_challenge_methods_supported is not of the right form",
		"{\"issuer\":\"\xff\"}":                       "it is not UTF-8",
		`{"issuer":"\ud800"}`:                         "it is not JSON",
		"\ufeff{}":                                    "it is not JSON",
		``:                                            "it is not JSON",
		`null`:                                        "it is not JSON",
		`[]`:                                          "it is not JSON",
		`{"issuer":"a"`:                               "it is not JSON",
		`{"issuer":"a"} {}`:                           "it is not JSON",
		`{"issuer":"a",}`:                             "it is not JSON",
		`{"x":` + strings.Repeat(`[`, 63) + strings.Repeat(`]`, 63) + `}`: "",
		`{"x":` + strings.Repeat(`[`, 64) + strings.Repeat(`]`, 64) + `}`: "it is nested more than 64 deep",
		`{"x":[` + strings.Repeat(`1,`, 1023) + `1]}`:                     "",
		`{"x":[` + strings.Repeat(`1,`, 1024) + `1]}`:                     "it has more than 1024 values in one place",
	} {
		_, err := parseDocument[serverMetadata]([]byte(document))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%.70q: %q, want %q", document, got, want)
		}
	}
}

func FuzzMetadata(f *testing.F) {
	for _, seed := range []string{
		`{"issuer":"https://a","authorization_endpoint":"https://a/a","token_endpoint":"https://a/t","registration_endpoint":"https://a/r","code_challenge_methods_supported":["S256"]}`,
		`{"issuer":"https://a","authorization_endpoint":"https://a/a?x=1","token_endpoint":"http://127.0.0.1/t","code_challenge_methods_supported":["S256","plain"]}`,
		`{"Issuer":1}`, `{"a":1,"a":2}`, `[[[[`, `{"issuer":"https://a"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseDocument[serverMetadata](data)
		if err != nil {
			if len(err.Error()) > 100 || !utf8.ValidString(err.Error()) {
				t.Fatalf("the error repeats the document: %v", err)
			}
			return
		}
		m.named = m.Issuer
		if exceptions, err := m.check(guard.Policy{}, IssuerSettings{}); err != nil || exceptions != nil {
			if exceptions != nil {
				t.Fatalf("exceptions that nobody made: %v", exceptions)
			}
			return
		}
		for _, e := range m.endpoints() {
			if !strings.HasPrefix(strings.ToLower(e.url), "https://") || strings.ContainsAny(e.url, "#\x1b \n\\") {
				t.Fatalf("%s = %q was let through", e.name, e.url)
			}
		}
		if _, err := (guard.Policy{}).CheckURL(testRequest().url(m.AuthorizationEndpoint)); m.AuthorizationEndpoint != "" && err != nil && len(m.AuthorizationEndpoint) < 4<<10 {
			t.Fatalf("the URL for the browser: %v", err)
		}
		m.otherOrigins()
	})
}

func FuzzTokenResponse(f *testing.F) {
	for _, seed := range []string{`{"access_token":"t","token_type":"bearer","expires_in":1,"scope":"a b"}`, `{"error":"x"}`, `{"access_token":1}`, ``} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		answer, err := parseDocument[tokenResponse](data)
		if err != nil {
			return
		}
		got, err := answer.token([]string{"r"}, testTime)
		if err != nil {
			return
		}
		if got.access.IsZero() || strings.ContainsAny(got.access.Reveal(), " \r\n\x00") || got.scopes == nil {
			t.Fatalf("%q gives %+v", data, got)
		}
		if !got.expires.IsZero() && !got.expires.After(testTime) {
			t.Fatalf("%q gives a token that ends at %v", data, got.expires)
		}
	})
}

// What a peer writes is cut before it stands in an error.
func TestErrorsAreBounded(t *testing.T) {
	t.Parallel()
	endless := strings.Repeat("x", 200<<10)
	_, contradicts := testimony{document: &resourceDocument{Resource: endless}}.verify("https://r.example", "https://login.example")
	_, names := testimony{document: &resourceDocument{Resource: "r", Issuers: []string{endless}}}.verify("r", "https://login.example")
	_, methods := (&serverMetadata{TokenAuthMethods: []string{endless}}).authMethod(secret.New("s"))
	for _, err := range []error{&IssuerError{Named: "https://login.example", Calls: endless}, contradicts, names, methods} {
		if err == nil || len(err.Error()) > 600 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	}
}

func TestMetadataURLs(t *testing.T) {
	t.Parallel()
	for issuer, want := range map[string]string{
		"https://as.example":          "https://as.example/.well-known/oauth-authorization-server https://as.example/.well-known/openid-configuration",
		"https://as.example/":         "https://as.example/.well-known/oauth-authorization-server https://as.example/.well-known/openid-configuration",
		"https://as.example:1/a/%7Eb": "https://as.example:1/.well-known/oauth-authorization-server/a/%7Eb https://as.example:1/.well-known/openid-configuration/a/%7Eb https://as.example:1/a/%7Eb/.well-known/openid-configuration",
		"https://as.example/a/":       "https://as.example/.well-known/oauth-authorization-server/a https://as.example/.well-known/openid-configuration/a https://as.example/a/.well-known/openid-configuration",
	} {
		if got := strings.Join(metadataURLs(issuer), " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", issuer, got, want)
		}
	}
}

func TestResourceURLs(t *testing.T) {
	t.Parallel()
	const root = "https://r.example/.well-known/oauth-protected-resource"
	for resource, want := range map[string]string{
		"https://r.example":           root,
		"https://r.example/":          root,
		"https://r.example/mcp":       root + "/mcp " + root,
		"https://r.example/mcp/":      root + "/mcp/ " + root,
		"https://r.example/%7Em?a=/b": root + "/%7Em?a=/b " + root,
		"https://r.example?a=b":       root + "?a=b " + root,
		"https://r.example/?a=b":      root + "?a=b " + root,
	} {
		if got := strings.Join(resourceURLs(resource), " "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", resource, got, want)
		}
	}
}

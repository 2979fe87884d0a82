package auth

import (
	"strings"
	"testing"

	"ahptui/internal/guard"
	"ahptui/protocol"
)

func FuzzChallenge(f *testing.F) {
	for _, seed := range []string{
		`{"reason":"required","resource":{"resource":"https://r.example/mcp","authorization_servers":["https://a.example"]},"requiredScopes":["a","b"]}`,
		`{"reason":"insufficientScope","resource":{"resource":"GitHub"},"oauthClient":{"clientId":"x","clientSecret":"y"}}`,
		`{"resource":{"resource":"https://u:p@r.example/#f"}}`, `{"resource":null}`, `{"requiredScopes":["a b",""]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var said protocol.McpAuthRequirement
		if protocol.Unmarshal(data, &said) != nil {
			return
		}
		c, err := NewChallenge(Host{ID: "ws://127.0.0.1:1/"}, Source{Server: "s"}, &said)
		if err != nil {
			if c.Resource != "" || len(err.Error()) > 4096 {
				t.Fatalf("%+v with %v", c, err)
			}
			return
		}
		if c.Resource != said.Resource.Resource || strings.ContainsAny(c.Resource, "# \n") {
			t.Fatalf("the resource %q became %q", said.Resource.Resource, c.Resource)
		}
		if len(c.Issuers) > maxIssuers || len(c.RequiredScopes) > maxScopes || checkScopes(c.RequiredScopes) != nil || checkScopes(c.SupportedScopes) != nil {
			t.Fatalf("it is not bounded: %+v", c)
		}
		if c.Client != nil && c.Client.ID == "" {
			t.Fatal("a client without an id")
		}
		if m := merge(c, c); len(m.RequiredScopes) > maxScopes || m.Key() != c.Key() || len(m.Also) > 0 {
			t.Fatalf("merged with itself: %+v", m)
		}
	})
}

func FuzzDeviceAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"device_code":"d","user_code":"AB-CD","verification_uri":"https://a.example/d","expires_in":600,"interval":5}`,
		`{"device_code":"d","user_code":"\u001b[31m","verification_uri":"javascript:x","expires_in":-1}`, `{"error":"x"}`, `{"expires_in":1e99}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		answer, err := parseDocument[deviceResponse](data)
		if err != nil {
			return
		}
		codes, err := answer.codes(guard.Policy{})
		if err != nil {
			return
		}
		if codes.device.IsZero() || codes.user == "" || len(codes.user) > maxUserCodeBytes || strings.ContainsAny(codes.user, "\x1b\n\u202e") {
			t.Fatalf("%s gives the code %q", data, codes.user)
		}
		if codes.life <= 0 || codes.life > maxDeviceTime || codes.interval <= 0 || codes.interval > maxInterval {
			t.Fatalf("%s lasts %v, asked every %v", data, codes.life, codes.interval)
		}
		for _, u := range []string{codes.uri, codes.complete} {
			if u != "" && !strings.HasPrefix(strings.ToLower(u), "https://") {
				t.Fatalf("%s leads to %q", data, u)
			}
		}
	})
}

func FuzzRegistration(f *testing.F) {
	for _, seed := range []string{
		`{"client_id":"c"}`, `{"client_id":"c","client_secret":"s","token_endpoint_auth_method":"client_secret_post"}`, `{"client_id":""}`,
		`{"client_id":"c","token_endpoint_auth_method":"private_key_jwt"}`,
	} {
		f.Add([]byte(seed), "none")
		f.Add([]byte(seed), "client_secret_basic")
	}
	f.Fuzz(func(t *testing.T, data []byte, method string) {
		answer, err := parseDocument[registrationResponse](data)
		if err != nil {
			return
		}
		c, err := answer.client(&serverMetadata{TokenAuthMethods: []string{method}})
		if err != nil {
			return
		}
		if c.id == "" || len(c.id) > maxClientBytes || c.origin != ClientRegistered {
			t.Fatalf("%s gives %+v", data, c)
		}
		if (c.method == authBasic || c.method == authPost) == c.secret.IsZero() {
			t.Fatalf("%s proves itself by %q; it has no secret: %t", data, c.method, c.secret.IsZero())
		}
	})
}

func FuzzPasted(f *testing.F) {
	const waited = "http://127.0.0.1:40123/callback"
	for _, seed := range []string{waited + "?code=x&state=y", " " + waited + "?code=x\n&state=y ", "code=x", "SplxlOBeZQQYbYS6WxSbIA", waited, waited + "#code=x", "http://127.0.0.1:40123/callback/../x?code=y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		query, err := pastedQuery(text, waited)
		if err != nil {
			if query != "" {
				t.Fatalf("%q gives %q with %v", text, query, err)
			}
			return
		}
		flat := strings.Join(strings.Fields(text), "")
		flat, _, _ = strings.Cut(flat, "#")
		if flat != waited+"?"+query && "http://"+flat != waited+"?"+query {
			t.Fatalf("%q gives %q", text, query)
		}
	})
}

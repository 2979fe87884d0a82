package oauthserver_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"ahptui/internal/oauthserver"
)

// TestClientIDMetadataDocument: a client is known by the document that its id
// leads to.
func TestClientIDMetadataDocument(t *testing.T) {
	t.Parallel()
	const id = "https://client.example/ahptui.json"
	const good = `{"client_id":"` + id + `","client_name":"ahptui","application_type":"native","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none","grant_types":["authorization_code"]}`
	for name, tt := range map[string]struct {
		id, document string
		want         bool
	}{
		"good":             {id, good, true},
		"of another id":    {id, strings.Replace(good, id, id+"x", 1), false},
		"with a secret":    {id, strings.Replace(good, `"none"`, `"client_secret_basic"`, 1), false},
		"without redirect": {id, strings.Replace(good, `"http://127.0.0.1/callback"`, "", 1), false},
		"a page":           {id, "<html>", false},
		"not there":        {id, "", false},
		"http":             {strings.Replace(id, "https", "http", 1), good, false},
		"without a path":   {"https://client.example/", good, false},
		"with a fragment":  {id + "#x", good, false},
		"with dots":        {"https://client.example/../a", good, false},
	} {
		b := start(t, oauthserver.Options{Document: func(_ context.Context, at string) ([]byte, error) {
			if tt.document == "" {
				return nil, errors.New("not found")
			}
			return []byte(strings.ReplaceAll(tt.document, id, at)), nil
		}})
		if name == "of another id" { // it must say something else than what was asked for
			b = start(t, oauthserver.Options{Document: func(context.Context, string) ([]byte, error) { return []byte(tt.document), nil }})
		}
		q := query(tt.id)
		if got := b.get(oauthserver.AuthorizePath, q); (got.status == http.StatusOK) != tt.want {
			t.Errorf("%s: %d", name, got.status)
		}
		if tt.want {
			if got := b.token(exchange(tt.id, b.code(q))); got.Token == "" {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
	b := start(t, oauthserver.Options{})
	if got := b.get(oauthserver.AuthorizePath, query(id)); got.status != http.StatusBadRequest {
		t.Errorf("a server that knows no such clients: %d", got.status)
	}
}

// TestAlter: a test can change what the server says.
func TestAlter(t *testing.T) {
	t.Parallel()
	b := start(t, oauthserver.Options{Alter: oauthserver.Alter{
		Metadata: func(m map[string]any) { m["issuer"] = "https://evil.example" },
		Callback: func(v url.Values) { v.Set("iss", "https://evil.example") },
		Device:   func(m map[string]any) { delete(m, "interval") },
		Token:    func(grant string, m map[string]any) { m["token_type"] = grant },
	}})
	if got := b.get(oauthserver.MetadataPath, nil); !strings.Contains(got.body, `"issuer":"https://evil.example"`) {
		t.Errorf("metadata: %s", got.body)
	}
	id := b.every()
	if got := b.device(id, nil); got.Interval != 0 || got.Code == "" {
		t.Errorf("device: %+v", got)
	}
	back := b.decide(b.get(oauthserver.AuthorizePath, query(id)), "approve")
	u, err := url.Parse(back.location)
	if err != nil || u.Query().Get("iss") != "https://evil.example" {
		t.Fatalf("callback: %s", back.location)
	}
	if got := b.token(exchange(id, u.Query().Get("code"))); got.Type != oauthserver.GrantCode {
		t.Errorf("token: %+v", got)
	}
}

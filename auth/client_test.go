package auth

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ahptui/internal/oauthserver"
)

// The document is published as it is printed, so that a change of it is a change at every server.
const wantDocument = `{
  "client_id": "https://client.example/ahptui.json",
  "client_name": "ahptui",
  "redirect_uris": [
    "http://127.0.0.1/callback"
  ],
  "grant_types": [
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:device_code"
  ],
  "response_types": [
    "code"
  ],
  "token_endpoint_auth_method": "none",
  "application_type": "native"
}
`

func TestClientMetadata(t *testing.T) {
	t.Parallel()
	got, err := ClientMetadata(documentID, Redirect{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantDocument, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A port that is configured is named as well, for servers that compare it; a name is not.
	got, err = ClientMetadata(documentID, Redirect{Host: localhost, Port: 8910})
	want := strings.Replace(wantDocument, "\"http://127.0.0.1/callback\"\n", "\"http://127.0.0.1/callback\",\n    \"http://127.0.0.1:8910/callback\"\n", 1)
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, id := range []string{"", "ahptui", "http://client.example/c", "https://client.example", "https://client.example/c?x", "https://127.0.0.1/c"} {
		if _, err := ClientMetadata(id, Redirect{}); err == nil {
			t.Errorf("a document at %q", id)
		}
	}
}

// R14, B28: a server that fetches the document that is printed takes this program for what it says, and nothing is registered.
func TestClientDocumentAtARealServer(t *testing.T) {
	t.Parallel()
	fetched := make(chan string, 100)
	l := newLife(t, func(o *oauthserver.Options, c *Config) {
		c.ClientDocument = documentID
		o.Closed = true
		o.Document = func(_ context.Context, id string) ([]byte, error) {
			fetched <- id
			if id != documentID {
				return nil, errors.New("there is no such document")
			}
			return ClientMetadata(id, Redirect{})
		}
	})
	c := l.challenge(Required, "read")
	events := l.flow(c)
	g := last(t, events)
	need := pick[NeedConsent](events)
	if !l.good(&g) || len(need) != 1 || need[0].Client != ClientDocument || need[0].ClientID != documentID || len(pick[Registering](events)) != 0 {
		t.Errorf("asked %+v, granted %+v", need, g)
	}
	if id := <-fetched; id != documentID {
		t.Errorf("the server fetched %q", id)
	}
	open, err := url.Parse(pick[OpenURL](events)[0].URL)
	if err != nil || open.Query().Get("client_id") != documentID || !strings.HasPrefix(open.Query().Get("redirect_uri"), "http://127.0.0.1:") {
		t.Errorf("opened %s", open)
	}
	// The token is bound to its server all the same, and its refresh is by the same client.
	l.broker.Settle(c)
	if said, g := l.silent(l.challenge(Expired, "read")); said != "refresh" || !l.good(g) {
		t.Errorf("expired: %s", said)
	}
	for _, form := range l.forms() {
		if form.Get("client_id") != documentID {
			t.Errorf("asked as %q", form.Get("client_id"))
		}
	}
	if key := l.stored()[0].Key; key.Client != documentID || key.Issuer != l.server.Issuer() {
		t.Errorf("stored for %+v", key)
	}
}

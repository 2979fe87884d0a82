package auth

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ahptui/auth/store"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

const publishedID = "https://client.example/ahptui.json"

// configured replaces the world's broker by one with that configuration.
func (w *world) configured(c Config) {
	c.Opener = w
	w.broker = NewBroker(c)
	w.t.Cleanup(w.broker.Close)
}

// R3, R14, R15: who this program is at a server: the host's client, then the configured one, then the one that the person
// named, then the document, then one that registers itself, then what the person says.
func TestOrderOfClients(t *testing.T) {
	t.Parallel()
	type has struct{ host, configured, asked, document, registers bool }
	for name, tt := range map[string]struct {
		has  has
		want string // client id and origin
		// registered is whether anything went to the registration endpoint.
		registered bool
	}{
		"all":                     {has{true, true, true, true, true}, "hosts host", false},
		"all but the host's":      {has{false, true, true, true, true}, "mine configured", false},
		"named before":            {has{false, false, true, true, true}, "named asked", false},
		"a document":              {has{false, false, false, true, true}, publishedID + " document", false},
		"only registration":       {has{false, false, false, false, true}, "client1 register", true},
		"nothing":                 {has{}, "typed ask", false},
		"a document, registering": {has{document: true, registers: true}, publishedID + " document", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			config := Config{Interactive: true, Store: store.Open(t.Context(), store.Options{})}
			if tt.has.host {
				w.need.OAuthClient = &protocol.McpOAuthClient{ClientID: "hosts"}
			}
			if tt.has.configured {
				config.Issuers = []IssuerSettings{{Issuer: w.as.URL, Client: &Client{ID: "mine"}}}
			}
			if tt.has.asked {
				if err := config.Store.Register(t.Context(), store.Registration{Issuer: w.as.URL, Client: "named", Method: "none"}); err != nil {
					t.Fatal(err)
				}
			}
			w.metadata["client_id_metadata_document_supported"] = true
			if tt.has.document {
				config.ClientDocument = publishedID
			}
			if !tt.has.registers {
				delete(w.metadata, "registration_endpoint")
			}
			w.client = Answer{Yes: true, ClientID: "typed"}
			w.configured(config)
			events := w.run()
			last(t, events)
			log := strings.Join(w.log(), "\n")
			id, _, _ := strings.Cut(tt.want, " ")
			for _, request := range []string{"/authorize?response_type=code&client_id=" + urlEscaped(id) + "&", "POST /token client_id=" + urlEscaped(id) + "&"} {
				if !strings.Contains(log, request) {
					t.Errorf("no %s in\n%s", request, log)
				}
			}
			if got := strings.Contains(log, "POST /register"); got != tt.registered {
				t.Errorf("registered: %t\n%s", got, log)
			}
			if got := id + " " + string(pick[NeedConsent](events)[0].Client); got != tt.want {
				t.Errorf("the consent says %q, want %q", got, tt.want)
			}
		})
	}
}

func urlEscaped(s string) string {
	return strings.NewReplacer(":", "%3A", "/", "%2F").Replace(s)
}

// R14: a server that does not know documents gets none.
func TestDocumentIsNotForced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.configured(Config{ClientDocument: publishedID})
	last(t, w.run())
	if log := strings.Join(w.log(), "\n"); strings.Contains(log, "client.example") || !strings.Contains(log, "POST /register") {
		t.Errorf("it was asked:\n%s", log)
	}
}

// B28: with a document the redirect is to the address that the document publishes, wherever a name is configured.
func TestDocumentRedirect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.metadata["client_id_metadata_document_supported"] = true
	w.configured(Config{ClientDocument: publishedID, Redirect: Redirect{Host: "localhost"}})
	last(t, w.run())
	if log := strings.Join(w.log(), "\n"); !strings.Contains(log, "redirect_uri=http%3A%2F%2F{back}/callback") || strings.Contains(log, "localhost") {
		t.Errorf("it was asked:\n%s", log)
	}
}

// R14: the document is what has to be published, byte for byte.
func TestClientMetadata(t *testing.T) {
	t.Parallel()
	got, err := ClientMetadata(publishedID, Redirect{Port: 7777})
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "client_id": "https://client.example/ahptui.json",
  "client_name": "ahptui",
  "redirect_uris": [
    "http://127.0.0.1/callback",
    "http://127.0.0.1:7777/callback"
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
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := ClientMetadata("http://client.example/x", Redirect{}); err == nil {
		t.Error("a document over plain http")
	}
}

// B40: a server that lets nobody register is asked with what the person says, which is kept for that server, with its
// secret, and asked for once.
func TestPersonNamesAClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	delete(w.metadata, "registration_endpoint")
	kept := store.Open(t.Context(), store.Options{})
	w.configured(Config{Interactive: true, Store: kept})
	w.client = Answer{Yes: true, ClientID: "typed", Secret: secret.New(canarySecret)}
	events := w.run()
	last(t, events)
	asked := pick[NeedClient](events)
	if len(asked) != 1 || asked[0].Issuer != w.as.URL || !strings.Contains(asked[0].RedirectURI, "/callback") {
		t.Errorf("asked: %+v", asked)
	}
	all, err := kept.Registrations(t.Context(), w.as.URL)
	if err != nil || len(all) != 1 || all[0].Client != "typed" || all[0].Secret.Reveal() != canarySecret {
		t.Errorf("kept: %+v, %v", all, err)
	}
	w.need.Reason, w.need.RequiredScopes = "insufficientScope", []string{"write"}
	if again := w.run(); len(pick[NeedClient](again)) > 0 {
		t.Error("asked again")
	}
	w.client = Answer{}
	w.configured(Config{Interactive: true})
	failed := pick[Failed](w.run())
	if len(failed) != 1 || failed[0].Failure.Step != StepRegistration || !strings.Contains(failed[0].Failure.Remedy, "[[auth.issuer]]") {
		t.Errorf("who names none: %+v", failed)
	}
}

// A server that has no use for a client's secret may hand one out all the same.
func TestUselessSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.metadata["token_endpoint_auth_methods_supported"] = []string{"none"}
	w.asPaths["/register"] = func(rw http.ResponseWriter, _ *http.Request) {
		writeJSON(rw, http.StatusCreated, map[string]any{"client_id": "client1", "client_secret": canarySecret})
	}
	last(t, w.run())
	if log := strings.Join(w.log(), "\n"); strings.Contains(log, canarySecret) {
		t.Errorf("the secret was sent:\n%s", log)
	}
}

// R22: offline_access is asked for where the authorization server lists it, and nowhere else.
func TestOfflineAccess(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set  func(w *world)
		want string
	}{
		"listed by the server":   {func(w *world) { w.metadata["scopes_supported"] = []string{"offline_access", "read"} }, "scope=read%20offline_access&"},
		"not listed":             {func(w *world) { w.metadata["scopes_supported"] = []string{"read"} }, "scope=read&"},
		"listed by the resource": {func(w *world) { w.need.Resource.ScopesSupported = []string{"offline_access", "read"} }, "scope=read&"},
		"nothing to ask for else": {func(w *world) {
			w.need.RequiredScopes = nil
			w.metadata["scopes_supported"] = []string{"offline_access"}
		}, "callback&state="},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.set(w)
			g := last(t, w.run())
			if log := strings.Join(w.log(), "\n"); !strings.Contains(log, tt.want) {
				t.Errorf("no %s in\n%s", tt.want, log)
			}
			if len(g.Missing) > 0 {
				t.Errorf("missing %v", g.Missing)
			}
		})
	}
}

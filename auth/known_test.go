package auth

import (
	"net/http"
	"strings"
	"testing"

	"ahptui/auth/store"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

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
		"a document":              {has{false, false, false, true, true}, documentID + " document", false},
		"only registration":       {has{false, false, false, false, true}, "client1 register", true},
		"nothing":                 {has{}, "typed ask", false},
		"a document, registering": {has{document: true, registers: true}, documentID + " document", false},
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
				config.ClientDocument = documentID
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

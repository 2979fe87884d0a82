package auth

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// excepting makes the person's configuration allow things for the authorization server.
func excepting(w *world, s IssuerSettings) {
	s.Issuer = w.as.URL
	w.broker = NewBroker(Config{Opener: w, Issuers: []IssuerSettings{s}})
	w.t.Cleanup(w.broker.Close)
}

// R10, R11, B7, B8, B12: what refuses by rule passes by the person's configuration alone, for that server alone, and is told
// wherever it does.
func TestExceptions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set      func(w *world)
		settings func(w *world) IssuerSettings
		rule     ExceptedRule
		refusal  string // without the settings
		entry    string // that the refusal names
	}{
		"an issuer that differs by a slash": {
			func(w *world) { w.metadata["issuer"] = w.as.URL + "/" },
			func(w *world) IssuerSettings { return IssuerSettings{MetadataIssuer: w.as.URL + "/"} },
			ExceptMetadataIssuer, "but calls itself", "metadata_issuer = ",
		},
		"nothing said of PKCE": {
			func(w *world) { delete(w.metadata, "code_challenge_methods_supported") },
			func(*world) IssuerSettings { return IssuerSettings{AssumeS256: true} },
			ExceptS256, "PKCE with S256", "assume_pkce_s256 = true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			tt.set(w)
			failed := pick[Failed](w.run())
			if len(failed) != 1 || !strings.Contains(failed[0].Failure.Error(), tt.refusal) || !strings.Contains(failed[0].Failure.Remedy, tt.entry) || !strings.Contains(failed[0].Failure.Remedy, w.as.URL) {
				t.Fatalf("without the settings: %+v", failed)
			}
			excepting(w, tt.settings(w))
			events := w.run()
			g := last(t, events)
			consents := pick[NeedConsent](events)
			for what, got := range map[string][]Exception{"event": pick[Excepted](events)[0].Exceptions, "consent": consents[0].Exceptions, "grant": g.Exceptions} {
				if !slices.ContainsFunc(got, func(e Exception) bool { return e.Rule == tt.rule && e.Named == w.as.URL }) || len(got) != 1 {
					t.Errorf("the %s tells %+v", what, got)
				}
			}
			if g.Issuer != w.as.URL {
				t.Errorf("the token is bound to %q", g.Issuer)
			}
		})
	}
}

// R10: an exception is for the name that it was made for, and for no third one.
func TestExceptionsAreNarrow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.metadata["issuer"] = w.as.URL + "/third"
	excepting(w, IssuerSettings{MetadataIssuer: w.as.URL + "/"})
	if failed := pick[Failed](w.run()); len(failed) != 1 || !strings.Contains(failed[0].Failure.Error(), "/third") {
		t.Errorf("%+v", failed)
	}
	w.metadata["issuer"], w.metadata["code_challenge_methods_supported"] = w.as.URL, []string{"plain"}
	excepting(w, IssuerSettings{MetadataIssuer: w.as.URL + "/"})
	if failed := pick[Failed](w.run()); len(failed) != 1 || !strings.Contains(failed[0].Failure.Error(), "PKCE") {
		t.Errorf("%+v", failed)
	}
}

// T32, B30: what could never work is refused where it is configured.
func TestConfigCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		config Config
		want   string
	}{
		"nothing":                 {Config{}, ""},
		"a host that is not ours": {Config{Redirect: Redirect{Host: "example.com"}}, "example.com"},
		"a port there is not":     {Config{Redirect: Redirect{Port: 70000}}, "70000"},
		"a document":              {Config{ClientDocument: "https://client.example/ahptui.json"}, ""},
		"a document over http":    {Config{ClientDocument: "http://client.example/ahptui.json"}, "plain http"},
		"a document at the root":  {Config{ClientDocument: "https://client.example/"}, "has no path"},
		"a document with a query": {Config{ClientDocument: "https://client.example/a?b"}, "has a query"},
		"two entries":             {Config{Issuers: []IssuerSettings{{Issuer: "https://a.example"}, {Issuer: "https://a.example"}}}, "two entries"},
		"no exception":            {Config{Issuers: []IssuerSettings{{Issuer: "https://a.example", MetadataIssuer: "https://a.example"}}}, "no exception"},
		"no URL":                  {Config{Issuers: []IssuerSettings{{Issuer: "a.example"}}}, `issuer "a.example"`},
		"no client id":            {Config{Issuers: []IssuerSettings{{Issuer: "https://a.example", Client: &Client{}}}}, "without client_id"},
	} {
		err := tt.config.Check()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// T21: what somebody has bought of a name, in ASCII.
func TestSite(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	want := map[string]string{
		"https://login.example.com/x":     "example.com",
		"https://a.b.example.co.uk":       "example.co.uk",
		"https://EXAMPLE.com.":            "example.com",
		"https://xn--e1aybc.example":      "xn--e1aybc.example",
		"https://127.0.0.1:8080/":         "127.0.0.1",
		"https://[::1]:8080/":             "::1",
		"http://localhost:1/":             "localhost",
		"https://co.uk/":                  "co.uk",
		"https://good.com@evil.example/":  "evil.example",
		"https://evil.example/good.com":   "evil.example",
		"https://user.github.io/":         "user.github.io",
		"https://good.com.evil.example/x": "evil.example",
		"%":                               "",
	}
	for u := range want {
		got[u] = Site(u)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package auth

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ahptui/internal/secret"
)

func TestConfigCheck(t *testing.T) {
	t.Parallel()
	const issuer = "https://login.example/t"
	one := func(s IssuerSettings) Config { return Config{Issuers: []IssuerSettings{s}} }
	for name, tt := range map[string]struct {
		config Config
		want   string // a part of the error
	}{
		"nothing":                       {Config{}, ""},
		"all":                           {Config{Redirect: Redirect{Host: "localhost", Port: 8080}, ClientDocument: documentID, Issuers: []IssuerSettings{{Issuer: issuer, MetadataIssuer: issuer + "/", AssumeS256: true, Client: &Client{ID: "c", Secret: secret.New(canarySecret)}}}}, ""},
		"B30: another host to redirect": {Config{Redirect: Redirect{Host: "host.example"}}, `to 127.0.0.1 or localhost only, not to "host.example"`},
		"all addresses":                 {Config{Redirect: Redirect{Host: "0.0.0.0"}}, "only, not to"},
		"no port":                       {Config{Redirect: Redirect{Port: 65536}}, "65536 is no port"},
		"a negative port":               {Config{Redirect: Redirect{Port: -1}}, "-1 is no port"},
		"T32: a document over http":     {Config{ClientDocument: "http://client.example/c.json"}, "plain http"},
		"T32: a document of this machine": {
			Config{ClientDocument: "https://localhost/c.json"}, "an address of this machine",
		},
		"T32: a document of an address of this machine": {Config{ClientDocument: "http://127.0.0.1/c.json"}, "an address of this machine"},
		"a document without a path":                     {Config{ClientDocument: "https://client.example/"}, "has no path"},
		"a document with a query":                       {Config{ClientDocument: "https://client.example/c?x=1"}, "has a query"},
		"a document with an empty query":                {Config{ClientDocument: "https://client.example/c?"}, "has a query"},
		"a document with a fragment":                    {Config{ClientDocument: "https://client.example/c#x"}, "holds a fragment"},
		"a document with a password":                    {Config{ClientDocument: "https://u:p@client.example/c"}, "a user or a password"},
		"an issuer that is no URL":                      {one(IssuerSettings{Issuer: "login.example"}), `issuer "login.example"`},
		"an issuer over http":                           {one(IssuerSettings{Issuer: "http://login.example"}), "plain http"},
		"an issuer of this machine":                     {one(IssuerSettings{Issuer: "http://127.0.0.1:1"}), ""},
		"an issuer in a private network":                {one(IssuerSettings{Issuer: "https://10.0.0.1"}), ""},
		"an exception that is none":                     {one(IssuerSettings{Issuer: issuer, MetadataIssuer: issuer}), "metadata_issuer is the same"},
		"a client without id":                           {one(IssuerSettings{Issuer: issuer, Client: &Client{Secret: secret.New(canarySecret)}}), "a client without client_id"},
		"an endless client":                             {one(IssuerSettings{Issuer: issuer, Client: &Client{ID: "c", Secret: secret.New(strings.Repeat("x", maxClientBytes))}}), "longer than any"},
		"an issuer twice":                               {Config{Issuers: []IssuerSettings{{Issuer: issuer}, {Issuer: issuer + "/"}, {Issuer: issuer, AssumeS256: true}}}, "there are two entries"},
	} {
		err := tt.config.Check()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), canarySecret) {
			t.Errorf("%s: %v shows a secret", name, err)
		}
	}
}

// B7, B8, B12: what refuses says which entry of the configuration file would let it pass, in the words that go there; what
// cannot be let pass says none.
func TestRefusalsNameTheirEntry(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		set   func(w *world)
		entry string // with {as}
	}{
		"issuer":         {func(w *world) { w.metadata["issuer"] = "https://login.example" }, `[[auth.issuer]] with issuer = "{as}" and metadata_issuer = "https://login.example"`},
		"slash":          {func(w *world) { w.metadata["issuer"] = w.as.URL + "/" }, `[[auth.issuer]] with issuer = "{as}" and metadata_issuer = "{as}/"`},
		"PKCE":           {func(w *world) { delete(w.metadata, "code_challenge_methods_supported") }, `[[auth.issuer]] with issuer = "{as}" and assume_pkce_s256 = true`},
		"client":         {func(w *world) { delete(w.metadata, "registration_endpoint") }, `[[auth.issuer]] with issuer = "{as}" and client_id`},
		"registration":   {func(w *world) { w.asPaths["/register"] = says(400, `{"error":"invalid_client_metadata"}`) }, `[[auth.issuer]] with issuer = "{as}" and client_id`},
		"plain endpoint": {func(w *world) { w.metadata["token_endpoint"] = "http://login.example/t" }, ""},
		"no token":       {func(w *world) { delete(w.metadata, "token_endpoint") }, ""},
	} {
		w := newWorld(t)
		tt.set(w)
		f := failure(t, w.run())
		if remedy := w.flat(f.Remedy); !strings.Contains(remedy, tt.entry) || tt.entry == "" && strings.Contains(remedy, "[[") {
			t.Errorf("%s: the remedy is %q, want %q in it", name, remedy, tt.entry)
		}
		if name == "issuer" && (w.flat(f.Expected) != "{as}" || f.Received != "https://login.example") {
			t.Errorf("the two values are %q and %q", f.Expected, f.Received)
		}
	}
}

// What the person allowed stands in the consent and in the grant.
func TestExceptionsAreShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.metadata["issuer"] = "https://login.example"
	delete(w.metadata, "code_challenge_methods_supported")
	w.broker.config.Issuers = []IssuerSettings{{Issuer: w.as.URL, MetadataIssuer: "https://login.example", AssumeS256: true}}
	want := []Exception{{ExceptMetadataIssuer, w.as.URL, "https://login.example"}, {Rule: ExceptS256, Named: w.as.URL}}
	same := func(got []Exception) bool { return len(got) == 2 && got[0] == want[0] && got[1] == want[1] }
	for _, asked := range []int{1, 0} { // the second time nothing is asked, and it is told all the same
		events := w.run()
		g := last(t, events)
		needs, told := pick[NeedConsent](events), pick[Excepted](events)
		if len(needs) != asked || len(told) != 1 || !same(told[0].Exceptions) || !same(g.Exceptions) || g.Issuer != w.as.URL {
			t.Errorf("asked %+v, told %+v, granted %+v", needs, told, g)
		}
		if asked == 1 && !same(needs[0].Exceptions) {
			t.Errorf("asked with %+v", needs[0].Exceptions)
		}
	}
	// The exception is the person's: none of it comes from what a host or a server says.
	w.broker.config.Issuers = nil
	if f := failure(t, w.run()); f.Step != StepDiscovery || !errors.As(f, new(*IssuerError)) {
		t.Errorf("without it: %v", f)
	}
}

func TestSite(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://login.example.com/a":                     "example.com",
		"https://a.b.c.example.co.uk":                     "example.co.uk",
		"https://example.co.uk:8443/":                     "example.co.uk",
		"https://LOGIN.Example.COM":                       "example.com",
		"https://login.example.com./":                     "example.com",
		"https://xn--80ak6aa92e.com/":                     "xn--80ak6aa92e.com",
		"https://login.xn--80ak6aa92e.com/":               "xn--80ak6aa92e.com",
		"https://a.xn--fiqs8s":                            "a.xn--fiqs8s",
		"https://kim.github.io/x":                         "kim.github.io",
		"https://apple.com.evil.example.net/":             "example.net",
		"https://co.uk/":                                  "co.uk",
		"https://com":                                     "com",
		"https://localhost:1/":                            "localhost",
		"http://127.0.0.1:8080/mcp":                       "127.0.0.1",
		"https://10.1.2.3/":                               "10.1.2.3",
		"https://[2001:db8::1]:443/":                      "2001:db8::1",
		"https://[::1]/":                                  "::1",
		"https://tracker.internal/":                       "tracker.internal",
		"https://a.tracker.internal/":                     "tracker.internal",
		"https://kim@login.example.com@evil.example.org/": "example.org",
		"":                  "",
		"https://a\x1b[2J/": "",
	} {
		if got := Site(in); got != want {
			t.Errorf("Site(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		site := Site("https://" + rapid.String().Draw(t, "host") + "/")
		if strings.ContainsFunc(site, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("%q is not ASCII", site)
		}
	})
}

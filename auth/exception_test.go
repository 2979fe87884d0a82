package auth

import (
	"slices"
	"strings"
	"testing"
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

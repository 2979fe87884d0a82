package protocol

import (
	"slices"
	"strings"
	"testing"
)

func TestExpandTemplate(t *testing.T) {
	t.Parallel()
	values := map[string]string{"turnId": "t 1/ü", "level": "warn", "a": "1", "b": "2&3"}
	for template, want := range map[string]URI{
		"ahp-changeset:/s":                       "ahp-changeset:/s",
		"ahp-changeset:/s/{turnId}":              "ahp-changeset:/s/t%201%2F%C3%BC",
		"ahp-otlp://logs/{level}":                "ahp-otlp://logs/warn",
		"ahp-otlp://logs{?level}":                "ahp-otlp://logs?level=warn",
		"x:/{a},{b}{?a,none,b}{&a}":              "x:/1,2%263?a=1&b=2%263&a=1",
		"x:/{none}y":                             "x:/y",
		"x:/{a,b}":                               "x:/1,2%263",
		"":                                       "",
		"x:/{?none}":                             "x:/",
		"x:/{originalTurnId}/{modifiedTurnId}/z": "x://" + "/z",
	} {
		if got, err := ExpandTemplate(template, values); err != nil || got != want {
			t.Errorf("%s becomes %q (%v), want %q", template, got, err, want)
		}
	}
	for _, template := range []string{"x:/{", "x:/}", "x:/{}", "x:/{+a}", "x:/{#a}", "x:/{a*}", "x:/{a:3}", "x:/{a b}", "x:/{a,}", "x:/{{a}}", "x:/{ä}", strings.Repeat("x", maxTemplateBytes+1)} {
		if got, err := ExpandTemplate(template, values); err == nil {
			t.Errorf("%.40s becomes %q", template, got)
		}
	}
	if _, err := ExpandTemplate(strings.Repeat("{a}", 100), map[string]string{"a": strings.Repeat("x", 1000)}); err == nil {
		t.Error("a URI may be too long")
	}
}

func TestChangesetNeeds(t *testing.T) {
	t.Parallel()
	for template, want := range map[string][]string{
		"x:/1": nil, "x:/{turnId}": {VarTurn}, "x:/{originalTurnId}/{modifiedTurnId}": {VarOriginalTurn, VarModifiedTurn},
		"x:/{modifiedTurnId}{?originalTurnId}": {VarModifiedTurn, VarOriginalTurn}, "x:/{turnId}/{turnId}": {VarTurn},
	} {
		if got, ok := (&Changeset{URITemplate: template}).Needs(); !ok || !slices.Equal(got, want) {
			t.Errorf("%s needs %q (%v)", template, got, ok)
		}
	}
	for _, template := range []string{"x:/{branch}", "x:/{turnId}/{branch}", "x:/{originalTurnId}", "x:/{a}{b}{c}", "x:/{"} {
		if got, ok := (&Changeset{URITemplate: template}).Needs(); ok {
			t.Errorf("%s needs %q", template, got)
		}
	}
	if (&Changeset{}).MayReview() || !(&Changeset{Capabilities: &ChangesetCapabilities{Review: Raw(`{}`)}}).MayReview() {
		t.Error("review goes by the capability")
	}
}

func FuzzURITemplate(f *testing.F) {
	for _, s := range []string{"ahp-changeset:/s/{turnId}", "ahp-otlp://logs{?level}", "{a,b}{&c}", "{", "}{", "{+x}", "x{?}"} {
		f.Add(s, "value/ü")
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		names, err := TemplateVariables(template)
		values := map[string]string{}
		for _, name := range names {
			values[name] = value
		}
		uri, again := ExpandTemplate(template, values)
		switch {
		case err != nil && again == nil:
			t.Fatalf("%q has no variables (%v) and becomes %q", template, err, uri)
		case len(uri) > maxTemplateBytes:
			t.Fatalf("%d bytes came of it", len(uri))
		case again == nil && strings.ContainsAny(string(uri), "{}"):
			t.Fatalf("%q becomes %q", template, uri)
		}
		(&Changeset{URITemplate: template}).Needs()
	})
}

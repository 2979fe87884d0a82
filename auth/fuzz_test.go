package auth

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"ahptui/internal/guard"
	"ahptui/internal/secret"
	"ahptui/protocol"
)

// The seeds are in testdata/fuzz: answers of the kind that known servers give, and what has made clients stumble.

// FuzzChallenge: whatever a host says, a challenge is bounded, has a resource that can be echoed byte for byte, hides the
// client's secret, and what is decided for it is one of the acts.
func FuzzChallenge(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		var requirement protocol.McpAuthRequirement
		if protocol.Unmarshal(data, &requirement) != nil {
			return
		}
		c, err := NewChallenge(testHost, Source{Server: "s"}, &requirement)
		if err != nil {
			failed, ok := errors.AsType[*Failure](err)
			if !ok || failed.Step != StepChallenge || failed.Remedy == "" || len(err.Error()) > 300 {
				t.Fatalf("%v", err)
			}
			return
		}
		u, err := url.Parse(c.Resource)
		switch {
		case c.Resource != requirement.Resource.Resource:
			t.Fatalf("the resource is spelled %q", c.Resource)
		case err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(c.Resource, "# \n\x1b") || len(c.Resource) > maxResourceBytes:
			t.Fatalf("%q is let through", c.Resource)
		case len(c.Issuers) > maxIssuers || checkScopes(c.RequiredScopes) != nil || checkScopes(c.SupportedScopes) != nil:
			t.Fatalf("%+v is let through", c)
		}
		if client := c.Client; client != nil {
			if client.ID == "" {
				t.Fatal("a client without an id")
			}
			if s := client.Secret.Reveal(); len(s) > 8 && !strings.Contains(string(data[:min(len(data), 2)])+client.ID+c.Resource, s) {
				client.ID, c.Description, c.ResourceName, c.Resource = "", "", "", ""
				c.Issuers, c.RequiredScopes, c.SupportedScopes, c.Reason = nil, nil, nil, ""
				if text := fmt.Sprintf("%v %+v %#v", c, c, c); strings.Contains(text, s) {
					t.Fatalf("the secret is printed: %s", text)
				}
			}
		}
		if m := merge(c, c); len(m.Also) != 0 || m.Key() != c.Key() {
			t.Fatalf("merged with itself: %+v", m)
		}
		switch d := Decide(c, Held{}); d.Act {
		case ActAsk, ActStop:
		default:
			t.Fatalf("%s with nothing held", d.Act)
		}
	})
}

// FuzzDeviceAnswer: what the person is shown can be typed and opened, and the waiting has an end.
func FuzzDeviceAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		answer, err := parseDocument[deviceResponse](data)
		if err != nil {
			bare(t, err)
			return
		}
		c, err := answer.codes(guard.Policy{})
		if err != nil {
			return
		}
		switch {
		case c.device.IsZero() || c.user == "" || len(c.user) > maxUserCodeBytes || strings.ContainsFunc(c.user, unicode.IsControl):
			t.Fatalf("%+v is let through", c)
		case c.life <= 0 || c.life > maxDeviceTime || c.interval <= 0 || c.interval > maxInterval:
			t.Fatalf("%v every %v", c.life, c.interval)
		}
		at, err := url.Parse(c.uri)
		if err != nil || at.Scheme != "https" || !ascii(c.uri) {
			t.Fatalf("%q is let through", c.uri)
		}
		if c.complete != "" {
			if u, err := url.Parse(c.complete); err != nil || siteOf(u) != siteOf(at) || !ascii(c.complete) {
				t.Fatalf("%q is shown for %q", c.complete, c.uri)
			}
		}
		if text := fmt.Sprintf("%v %+v %#v", c, c, answer); len(c.device.Reveal()) > 8 && !strings.Contains(c.user+c.uri+answer.Complete+answer.Error, c.device.Reveal()) && strings.Contains(text, c.device.Reveal()) {
			t.Fatalf("the device code is printed: %s", text)
		}
	})
}

// FuzzRegistrationAnswer: a client has an id, and the means that its method wants.
func FuzzRegistrationAnswer(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, methods string) {
		answer, err := parseDocument[registrationResponse](data)
		if err != nil {
			bare(t, err)
			return
		}
		c, err := answer.client(&serverMetadata{TokenAuthMethods: strings.Fields(methods)})
		if err != nil {
			return
		}
		if c.id == "" || len(c.id) > maxClientBytes || !c.ours() {
			t.Fatalf("%+v is let through", c)
		}
		form := url.Values{}
		header := c.authenticate(form)
		switch c.method {
		case authNone:
			if !header.IsZero() || form.Has("client_secret") || form.Get("client_id") != c.id {
				t.Fatalf("a public client proves itself by %v", form)
			}
		case authBasic:
			if c.secret.IsZero() || header.IsZero() || len(form) != 0 {
				t.Fatalf("the header goes with %v", form)
			}
		case authPost:
			if c.secret.IsZero() || !header.IsZero() || form.Get("client_secret") != c.secret.Reveal() {
				t.Fatalf("the body is %v", form)
			}
		default:
			t.Fatalf("the method is %q", c.method)
		}
	})
}

// FuzzPasted: only the address that is waited for is taken, with its own state and the right issuer, and no error repeats
// a code that was pasted.
func FuzzPasted(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		const back = "http://127.0.0.1:49152/callback"
		query, err := pastedQuery(text, back)
		if err != nil {
			if len(err.Error()) > 4*300+300 || strings.Contains(text, "the-code") && strings.Contains(err.Error(), "the-code") && !inPath(text, "the-code") {
				t.Fatalf("the error repeats what was pasted: %v", err)
			}
			return
		}
		if whole := strings.Join(strings.Fields(text), ""); !strings.Contains("http://"+whole, back+"?") {
			t.Fatalf("%q was taken for %s", text, back)
		}
		r := testRequest()
		r.state = "the-state"
		code, err := r.judge(query)
		values, parseErr := url.ParseQuery(query)
		if err == nil && (parseErr != nil || !slices.Equal(values["state"], []string{"the-state"}) || code.IsZero()) {
			t.Fatalf("%q was taken", text)
		}
	})
}

// FuzzResourceDocument: a resource that is verified has said so itself, to the byte.
func FuzzResourceDocument(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte, resource, issuer string) {
		document, err := parseDocument[resourceDocument](data)
		if err != nil {
			bare(t, err)
			return
		}
		agreement, err := testimony{document: &document, url: "https://r.example"}.verify(resource, issuer)
		agrees := document.Resource == resource && (issuer == "" || slices.Contains(document.Issuers, issuer))
		if agreement.Verified != agrees || agrees != (err == nil) {
			t.Fatalf("%+v for %q of %q: %+v, %v", document, resource, issuer, agreement, err)
		}
	})
}

// FuzzAudience: what is told of a token's audiences is bounded, and nothing of the token itself.
func FuzzAudience(f *testing.F) {
	f.Fuzz(func(t *testing.T, claims []byte) {
		others := otherAudiences(secret.New(signed(string(claims))), "https://r.example/mcp")
		if len(others) > maxAudiences || slices.Contains(others, "https://r.example/mcp") && len(others) < maxAudiences {
			t.Fatalf("%q", others)
		}
		for _, o := range others {
			if utf8.RuneCountInString(o) > 301 {
				t.Fatalf("an audience of %d letters", utf8.RuneCountInString(o))
			}
		}
	})
}

// FuzzHostMessage: an answer of a token endpoint, whatever it is, makes a message that the protocol can carry.
func FuzzHostMessage(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		answer, err := parseDocument[tokenResponse](data)
		if err != nil {
			bare(t, err)
			return
		}
		got, err := answer.token(&guard.Response{Sent: testTime, Received: testTime.Add(time.Second)})
		if err != nil {
			return
		}
		g := Grant{Host: testHost, Resource: "https://r.example/%7E", Token: got.access, Scopes: got.granted, Expires: got.expires}
		p := g.Params(testTime.Add(time.Minute))
		message, err := protocol.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var back protocol.AuthenticateParams
		if err := json.Unmarshal(message, &back); err != nil || back.Token != got.access.Reveal() || back.Resource != g.Resource || !slices.Equal(back.Scopes, got.granted) {
			t.Fatalf("%s: %v", message, err)
		}
		if back.ExpiresIn != nil && *back.ExpiresIn < 1 {
			t.Fatalf("%s", message)
		}
	})
}

// bare fails for an error that repeats what it is about.
func bare(t *testing.T, err error) {
	t.Helper()
	if len(err.Error()) > 100 || !utf8.ValidString(err.Error()) {
		t.Fatalf("the error repeats the document: %v", err)
	}
}

// inPath reports that a word stands in the part of an address that is not secret, which can be shown.
func inPath(text, word string) bool {
	address, _, _ := strings.Cut(strings.Join(strings.Fields(text), ""), "?")
	address, _, _ = strings.Cut(address, "#")
	return strings.Contains(address, word)
}

func ascii(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

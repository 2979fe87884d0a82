package secret_test

import (
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"ahptui/internal/secret"
)

func TestRedactorShapes(t *testing.T) {
	t.Parallel()
	const x = secret.Redacted
	for _, tt := range []struct{ in, want string }{
		// Secrets.
		{"dial ws://h:1/?tkn=abc", "dial ws://h:1/?tkn=" + x},
		{"GET /?a=1&tkn=abc&b=2 HTTP/1.1", "GET /?a=1&tkn=" + x + "&b=2 HTTP/1.1"},
		{"http://127.0.0.1:1/cb?code=SplxlOBe&state=ready", "http://127.0.0.1:1/cb?code=" + x + "&state=ready"},
		{"http://h/#access_token=abc&token_type=Bearer", "http://h/#access_token=" + x + "&token_type=Bearer"},
		{"next=https%3A%2F%2Fh%2F%3Ftkn%3Dabc", "next=https%3A%2F%2Fh%2F%3Ftkn%3D" + x},
		{"grant_type=refresh_token&refresh_token=abc", "grant_type=refresh_token&refresh_token=" + x},
		{"Authorization: Bearer abc.def", "Authorization: Bearer " + x},
		{"authorization: bearer token", "authorization: bearer " + x},
		{"Proxy-Authorization: Basic dTpw", "Proxy-Authorization: Basic " + x},
		{`{"Authorization":"Bearer abc=="}`, `{"Authorization":"Bearer ` + x + `"}`},
		{"sent Bearer sekrit-1, got 401", "sent Bearer " + x + ", got 401"},
		{"sent Basic YWxhZGRpbjpvcGVu", "sent Basic " + x},
		{"Set-Cookie: sid=1; Path=/\nX: y", "Set-Cookie: " + x + "\nX: y"},
		{`{"access_token":"abc","expires_in":1}`, `{"access_token":"` + x + `","expires_in":1}`},
		{`{"clientSecret" : "abc"}`, `{"clientSecret" : "` + x + `"}`},
		{`"{\"refresh_token\":\"abc\",\"a\":1}"`, `"{\"refresh_token\":\"` + x + `\",\"a\":1}"`},
		{`{"token":"a\\nb\u0041c"}`, `{"token":"` + x + `"}`},
		{"got eyJhbGciOiJub25l.eyJzdWIiOiIxIn0.c2ln done", "got " + x + " done"},
		{"remote: ghp_0123456789abcdefABCDEF0123", "remote: " + x},
		{"https://user:pass@h/path", "https://" + x + "@h/path"},
		// Ordinary text that looks like them.
		{"the bearer token expired", "the bearer token expired"},
		{`WWW-Authenticate: Bearer realm="mcp", error="invalid_token"`, `WWW-Authenticate: Bearer realm="mcp", error="invalid_token"`},
		{`Bearer resource_metadata="https://h/.well-known/x"`, `Bearer resource_metadata="https://h/.well-known/x"`},
		{"Bearer error=insufficient_scope", "Bearer error=insufficient_scope"},
		{"basic authentication is off", "basic authentication is off"},
		{"exit code=1, code=-32603: x", "exit code=1, code=-32603: x"},
		{`{"code":-32601,"message":"Method not found"}`, `{"code":-32601,"message":"Method not found"}`},
		{"barcode=abc", "barcode=abc"},
		{"authorization: the server refused", "authorization: the server refused"},
		{"http://127.0.0.1:8080/a@b", "http://127.0.0.1:8080/a@b"},
		{"", ""},
	} {
		var r secret.Redactor
		if got := r.String(tt.in); got != tt.want {
			t.Errorf("String(%q)\n got %q\nwant %q", tt.in, got, tt.want)
		}
		if got := string(r.Bytes([]byte(tt.in))); got != tt.want {
			t.Errorf("Bytes(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestRedactorKnown(t *testing.T) {
	t.Parallel()
	var r secret.Redactor
	r.Add(secret.New("p/q&r 1"), secret.New("p/q&r 1 and more"), secret.New(`quo"te`), secret.New("abc"), secret.Value{})
	r.Add(secret.New("later"))
	const x = secret.Redacted
	for _, tt := range []struct{ in, want string }{
		{"it was p/q&r 1.", "it was " + x + "."},
		{"it was p/q&r 1 and more.", "it was " + x + "."},
		{"escaped p%2Fq%26r+1 or p%2Fq&r%201", "escaped " + x + " or " + x},
		{`{"said":"quo\"te"}`, `{"said":"` + x + `"}`},
		{"sooner or later", "sooner or " + x},
		{"abc is too short to be looked for", "abc is too short to be looked for"},
	} {
		if got := r.String(tt.in); got != tt.want {
			t.Errorf("String(%q)\n got %q\nwant %q", tt.in, got, tt.want)
		}
	}
}

func TestRedactorProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := rapid.StringMatching(`[ -~]{4,40}`).Draw(t, "secret")
		text := rapid.StringMatching(`([ -~]{0,20}(tkn=|Bearer |"code":")?){0,4}`).Draw(t, "before") + known + rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "after")
		var r secret.Redactor
		r.Add(secret.New(known))
		got := r.String(text)
		if strings.Contains(strings.ReplaceAll(got, secret.Redacted, "\x00"), known) {
			t.Fatalf("String(%q) = %q still has %q", text, got, known)
		}
	})
}

func TestRedactorConcurrently(t *testing.T) {
	t.Parallel()
	var r secret.Redactor
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			v := secret.New(strings.Repeat(string(rune('a'+i)), 8))
			for range 50 {
				r.Add(v)
				if got := r.String("x " + v.Reveal()); got != "x "+secret.Redacted {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzRedactor(f *testing.F) {
	f.Add("Bearer abc tkn=d", "abc")
	f.Fuzz(func(_ *testing.T, text, known string) {
		var r secret.Redactor
		r.Add(secret.New(known))
		_ = r.String(text)
	})
}

package safetext

import (
	"strings"
	"testing"
)

func TestURL(t *testing.T) {
	t.Parallel()
	tests := []struct {
		raw                 string
		before, host, after string
		warn                LinkWarning
	}{
		{"https://auth.example.com/authorize?a=b&c=%20#f", "https://", "auth.example.com", "/authorize?a=b&c=%20#f", 0},
		{"HTTPS://Auth.Example.COM:8443", "HTTPS://", "auth.example.com", ":8443", 0},
		{"http://127.0.0.1:33418/callback", "http://", "127.0.0.1", ":33418/callback", 0},
		{"http://[::1]:80/", "http://", "[::1]", ":80/", 0},
		{"https://good.com@evil.com/x", "https://***@", "evil.com", "/x", LinkUser},
		{"https://u:secret@evil.com/x", "https://***@", "evil.com", "/x", LinkUser},
		{"https://аррle.com/", "https://", "xn--le-6kc8da.com", "/", LinkInternational},
		{"https://xn--le-6kc8da.com/", "https://", "xn--le-6kc8da.com", "/", LinkInternational},
		{"https://bücher.example/ö?q=ü", "https://", "xn--bcher-kva.example", "/%C3%B6?q=%C3%BC", LinkInternational},
		{"https://example.com/\u202egnp.exe", "https://", "example.com", "/%E2%80%AEgnp.exe", 0},
		{"https://ex\u202eample.com/", "https://", "ex%E2%80%AEample.com", "/", LinkInvalid | LinkInternational},
		{"https://example.com/\x1b]52;c;x\a", "https://example.com/%1B]52;c;x%07", "", "", LinkInvalid},
		{"https://good.com\\@evil.com/", "https://good.com\\@evil.com/", "", "", LinkInvalid},
		{"https://example.com/a b", "https://", "example.com", "/a%20b", 0},
		{"mailto:a@b.example", "mailto:a@b.example", "", "", LinkNoHost},
		{"javascript:alert(1)", "javascript:alert(1)", "", "", LinkNoHost},
		{"//host/path", "//host/path", "", "", LinkNoHost},
		{"", "", "", "", LinkNoHost},
	}
	for _, tt := range tests {
		l := URL(tt.raw)
		if l.Before.String() != tt.before || l.Host.String() != tt.host || l.After.String() != tt.after || l.Warn != tt.warn {
			t.Errorf("URL(%q)\n got %q %q %q %b\nwant %q %q %q %b",
				tt.raw, l.Before, l.Host, l.After, l.Warn, tt.before, tt.host, tt.after, tt.warn)
		}
		if (len(l.Warn.Words()) > 0) != (l.Warn != 0) {
			t.Errorf("URL(%q) warns %b in the words %q", tt.raw, l.Warn, l.Warn.Words())
		}
	}
}

func TestURLIsBound(t *testing.T) {
	t.Parallel()
	l := URL("https://example.com/" + strings.Repeat("ü", 1<<20))
	if l.Warn&LinkCut == 0 || l.Text().Width() > 3*maxURL {
		t.Errorf("%d columns, warnings %b", l.Text().Width(), l.Warn)
	}
}

func FuzzURL(f *testing.F) {
	for _, s := range fragments {
		f.Add("https://a" + s + "/" + s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		text := URL(raw).Text().String()
		if plainPrefix(text) != len(text) || strings.Contains(text, " ") {
			t.Errorf("URL(%q) shows %q", raw, text)
		}
	})
}

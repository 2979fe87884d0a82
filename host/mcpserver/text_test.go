package mcpserver

import (
	"strings"
	"testing"
	"unicode/utf8"

	"ahptui/internal/secret"
)

func TestCleanLine(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"plain", "plain"},
		{"  a\tb\r\n c ", "a b c"},
		{"\x1b[1;31mred\x1b[0m \x1b]0;title\x07end", "red end"},
		{"bell\x07 \u202etrick\u200b", "bell trick"},
		{"bad \xff utf", "bad \uFFFD utf"},
	} {
		if got := cleanLine(tt.in, 100); got != tt.want {
			t.Errorf("cleanLine(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzCleanLine(f *testing.F) {
	f.Add("x\x1b[3", 5)
	f.Add("äöü", 4)
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = limit&0xff + len("…")
		got := cleanLine(s, limit)
		if len(got) > limit || !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r\t\x1b\x00\u009b") {
			t.Errorf("cleanLine(%q, %d) = %q", s, limit, got)
		}
	})
}

func TestTailKeepsTheEnd(t *testing.T) {
	t.Parallel()
	tl := newTail()
	tl.write([]byte(strings.Repeat("early\n", 10*stderrTailBytes)))
	tl.write([]byte("one\n\ntwo\r\nthree\nfour\n"))
	if got := tl.lastLines(3, new(secret.Redactor)); got != "two / three / four" {
		t.Errorf("last lines are %q", got)
	}
	if len(tl.buf) > stderrTailBytes {
		t.Errorf("%d bytes are kept", len(tl.buf))
	}
}

package mcpserver

import (
	"io"
	"strings"
	"sync"

	"ahptui/internal/secret"
)

// A tail remembers the end of what a process wrote to stderr.
type tail struct {
	mu   sync.Mutex
	buf  []byte
	over bool // something was forgotten, so the first line is not whole
	eof  chan struct{}
}

func newTail() *tail { return &tail{eof: make(chan struct{})} }

// readFrom reads r to its end, so that the process never blocks on a full pipe.
func (t *tail) readFrom(r io.Reader) {
	defer close(t.eof)
	chunk := make([]byte, 4096)
	for {
		n, err := r.Read(chunk)
		t.write(chunk[:n])
		if err != nil {
			return
		}
	}
}

func (t *tail) write(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	if over := len(t.buf) - stderrTailBytes; over > 0 {
		t.buf, t.over = append(t.buf[:0], t.buf[over:]...), true
	}
}

// lastLines returns the last n lines that say something, joined to one, without
// the secrets that redact knows.
func (t *tail) lastLines(n int, redact *secret.Redactor) string {
	t.mu.Lock()
	text := string(t.buf)
	if _, whole, found := strings.Cut(text, "\n"); t.over && found {
		text = whole // half a line may have half a secret
	}
	t.mu.Unlock()
	text = redact.String(text)
	var lines []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = cleanLine(line, 300); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(len(lines)-n, 0):], " / ")
}

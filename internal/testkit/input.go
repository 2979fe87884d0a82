package testkit

import (
	"io"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// escapePause is how long a person takes at least between the escape key and the next one. Programs tell the key from
// the start of a sequence by the silence after it, so a test that typed faster than a hand would type something else.
const escapePause = 150 * time.Millisecond

// inbox is what has been typed and what the program has not read yet. It takes any amount, so that the terminal never
// waits for a program that does not read.
type inbox struct {
	ready chan struct{} // has an element when there may be something to take
	done  chan struct{}

	mu     sync.Mutex
	chunks [][]byte
	closed bool

	// The reader's own: what Read has taken and not handed out yet, and whether the last key was a bare escape.
	rest    []byte
	escaped bool
}

func newInbox() *inbox {
	return &inbox{ready: make(chan struct{}, 1), done: make(chan struct{})}
}

// put adds a copy of one key, paste or answer.
func (b *inbox) put(chunk []byte) {
	b.mu.Lock()
	b.chunks = append(b.chunks, append([]byte(nil), chunk...))
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// close ends the input: nobody reads what is left.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.done)
	}
}

// Read hands out what was put in, never two chunks at once, and pauses where a hand would. It is for one reader.
func (b *inbox) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		chunk, ok := b.take()
		if !ok {
			return 0, io.EOF
		}
		b.rest = chunk
	}
	n := copy(p, b.rest)
	b.escaped = string(b.rest) == "\x1b"
	b.rest = b.rest[n:]
	return n, nil
}

// take waits for the next chunk; false means that the input has ended.
func (b *inbox) take() ([]byte, bool) {
	if b.escaped && !b.pause() {
		return nil, false
	}
	for {
		b.mu.Lock()
		if len(b.chunks) > 0 {
			chunk := b.chunks[0]
			b.chunks = b.chunks[1:]
			b.mu.Unlock()
			return chunk, true
		}
		b.mu.Unlock()
		select {
		case <-b.ready:
		case <-b.done:
			return nil, false
		}
	}
}

// pause waits as long as a hand does after the escape key; false means that the input has ended.
func (b *inbox) pause() bool {
	timer := time.NewTimer(escapePause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-b.done:
		return false
	}
}

// Type types text, one character at a time; a newline is the enter key.
func (t *Terminal) Type(text string) {
	for _, r := range text {
		if r == '\n' {
			r = '\r'
		}
		t.input.put([]byte(string(r)))
	}
}

// Key presses keys by their names, in order: "a", "?", "enter", "esc", "tab", "space", "backspace", "delete", "up",
// "pgdown", "f1", and so on, with "ctrl+", "alt+" and "shift+" before them. A name that is no key, or a combination
// that a terminal without keyboard extensions cannot send, fails the test.
func (t *Terminal) Key(tb testing.TB, names ...string) {
	tb.Helper()
	for _, name := range names {
		t.mu.Lock()
		application := t.modes.on(ansi.ModeCursorKeys)
		t.mu.Unlock()
		seq, err := encodeKey(name, application)
		if err != nil {
			tb.Fatal(err)
		}
		t.input.put([]byte(seq))
	}
}

// Paste pastes text: in brackets where the program asked for them (mode 2004), else as if it were typed.
func (t *Terminal) Paste(text string) {
	t.mu.Lock()
	bracketed := t.modes.on(ansi.ModeBracketedPaste)
	t.mu.Unlock()
	if bracketed {
		text = ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	}
	t.input.put([]byte(text))
}

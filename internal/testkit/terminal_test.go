package testkit

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// feed writes to a terminal as a program would.
func feed(t *testing.T, term *Terminal, s string) {
	t.Helper()
	if _, err := term.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
}

func TestFramesAreWhole(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term := newTerminal(Size{Cols: 20, Rows: 2}, "")
		defer term.end()
		feed(t, term, "before\x1b[?2026h\x1b[2J\x1b[Hhalf") // half a frame, as it arrives when a write is cut
		seen := make(chan string, 1)
		go func() { seen <- term.Screen() }()
		synctest.Wait()
		select {
		case screen := <-seen:
			t.Fatalf("a look in the middle of a frame saw %q", screen)
		default:
		}
		feed(t, term, " whole\x1b[?2026l")
		if got, want := <-seen, "half whole\n"; got != want {
			t.Errorf("after the frame the screen is %q, want %q", got, want)
		}
	})
}

func TestFrameWithoutEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term := newTerminal(Size{Cols: 20, Rows: 2}, "")
		defer term.end()
		feed(t, term, "\x1b[?2026hhalf")
		start := time.Now()
		if got := term.Screen(); !strings.Contains(got, "half") {
			t.Errorf("the screen is %q", got)
		}
		if waited := time.Since(start); waited != frameWait {
			t.Errorf("the look took %v, want %v", waited, frameWait)
		}
	})
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		term := newTerminal(Size{Cols: 20, Rows: 2}, "")
		defer term.end()
		for _, tt := range []struct{ name, query, answer string }{
			{"cursor position", "\x1b[6n", "\x1b[1;1R"},
			{"a mode that exists", "\x1b[?2026$p", "\x1b[?2026;2$y"},
			{"a mode that does not", "\x1b[?9999$p", "\x1b[?9999;0$y"},
			{"background colour", "\x1b]11;?\x07", "\x1b]11;rgb:0000/0000/0000\x07"},
		} {
			feed(t, term, tt.query)
			buf := make([]byte, 100)
			n, err := term.input.Read(buf)
			if got := string(buf[:n]); got != tt.answer || err != nil {
				t.Errorf("%s: the answer is %q, %v, want %q", tt.name, got, err, tt.answer)
			}
		}
	})
}

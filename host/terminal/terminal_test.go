//go:build unix

package terminal

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	_ = os.Setenv("SHELL", "/bin/sh") // whatever the user's own one does when it starts
	goleak.VerifyTestMain(m)
}

const patience = 20 * time.Second

// log keeps what a terminal tells.
type log struct {
	mu      sync.Mutex
	events  []Event
	text    strings.Builder
	changed chan struct{}
}

func (l *log) tell(events []Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, events...)
	for _, e := range events {
		if e.Kind == Data {
			l.text.WriteString(e.Text)
		}
	}
	close(l.changed)
	l.changed = make(chan struct{})
}

// until waits for something in what was told.
func (l *log) until(t *testing.T, what string, there func() bool) {
	t.Helper()
	late := time.After(patience)
	for {
		l.mu.Lock()
		ok, changed := there(), l.changed
		l.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("not within %v: %s; the output is %q", patience, what, l.text.String())
		}
	}
}

func (l *log) has(text string) func() bool {
	return func() bool { return strings.Contains(l.text.String(), text) }
}

func (l *log) ended() bool {
	n := len(l.events)
	return n > 0 && l.events[n-1].Kind == Exited
}

func start(t *testing.T, cfg Config) (*Terminal, *log) {
	t.Helper()
	l := &log{changed: make(chan struct{})}
	term, err := Start(cfg, l.tell)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, term) })
	return term, l
}

func end(t *testing.T, term *Terminal) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := term.Close(ctx); err != nil {
		t.Errorf("close the terminal: %v", err)
	}
}

func sh(script string) Config { return Config{Command: []string{"/bin/sh", "-c", script}} }

func TestOutputAndExit(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg := sh(`test -t 0 && test -t 1 && echo "on a $TERM"; pwd; printf '\033]2;my title\a'; exit 3`)
	cfg.Dir = dir
	_, l := start(t, cfg)
	l.until(t, "the end", l.ended)
	if got, want := strings.ReplaceAll(l.text.String(), "\r\n", "|"), "on a xterm-256color|"+dir+"|\x1b]2;my title\a"; got != want {
		t.Errorf("the output is %q, want %q", got, want)
	}
	last := l.events[len(l.events)-1]
	if last.Code == nil || *last.Code != 3 {
		t.Errorf("the end is %+v", last)
	}
	titled := false
	for _, e := range l.events {
		titled = titled || e.Kind == Title && e.Text == "my title"
	}
	if !titled {
		t.Error("the title is not told")
	}
}

func TestInputAndSize(t *testing.T) {
	t.Parallel()
	cfg := sh(`stty size; while read line; do echo "got $line"; stty size; done`)
	cfg.Cols, cfg.Rows = 100, 40
	term, l := start(t, cfg)
	l.until(t, "the size", l.has("40 100"))
	if err := term.Resize(90, 30); err != nil {
		t.Fatal(err)
	}
	if term.Room() != maxInput {
		t.Errorf("there is room for %d bytes", term.Room())
	}
	term.Write("hällo\n")
	l.until(t, "the answer", l.has("got hällo"))
	l.until(t, "the new size", l.has("30 90"))
	term.Write("\x04")
	l.until(t, "the end", l.ended)
	end(t, term)
	if term.Resize(80, 24) == nil {
		t.Error("a terminal that has ended can be resized")
	}
}

func TestALineForTheShell(t *testing.T) {
	t.Parallel()
	_, l := start(t, Config{Line: "echo a | tr a b"})
	l.until(t, "the end", l.ended)
	if !l.has("b")() {
		t.Errorf("the output is %q", l.text.String())
	}
}

func TestWhatCannotStart(t *testing.T) {
	t.Parallel()
	if _, err := Start(Config{Command: []string{"no-such-binary-xyz"}}, func([]Event) { t.Error("something is told") }); err == nil || !strings.Contains(err.Error(), "no-such-binary-xyz") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Start(Config{Command: []string{"/bin/sh"}, Dir: "/no/such/dir"}, nil); err == nil {
		t.Error("a directory that is not there will do")
	}
}

// What a terminal's program has started ends with it, also what has left its
// process group or does not heed a request to end.
func TestCloseLeavesNoProcess(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("there is no setsid")
	}
	mark := filepath.Join(t.TempDir(), "alive")
	script := `for i in 1 2; do setsid sh -c "trap '' HUP TERM INT; touch $0.$i; while :; do sleep 0.05; date >$0; done" & done; trap '' HUP TERM; while :; do sleep 0.05; done`
	term, l := start(t, Config{Command: []string{"/bin/sh", "-c", script, mark}})
	for _, name := range []string{mark + ".1", mark + ".2", mark} {
		for deadline := time.Now().Add(patience); ; <-time.After(5 * time.Millisecond) {
			if _, err := os.Stat(name); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the processes are not there; the output is %q", l.text.String())
			}
		}
	}
	end(t, term)
	if !l.ended() {
		t.Error("the end is not told")
	}
	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	<-time.After(300 * time.Millisecond) // in which a process that is left would make it anew
	if _, err := os.Stat(mark); err == nil {
		t.Error("a process is left")
	}
}

// A shell that ends leaves nothing behind that holds the terminal.
func TestExitWithAChildLeft(t *testing.T) {
	t.Parallel()
	_, l := start(t, sh(`sleep 600 & echo begun`))
	l.until(t, "the end", l.ended)
	if !l.has("begun")() {
		t.Errorf("the output is %q", l.text.String())
	}
}

// Input that nobody reads holds nothing up, least of all the end.
func TestInputThatNobodyReads(t *testing.T) {
	t.Parallel()
	term, l := start(t, sh(`stty raw -echo; echo ready; exec sleep 600`))
	l.until(t, "the program", l.has("ready"))
	term.Write(strings.Repeat("x", maxInput))
	if room := term.Room(); room > 64<<10 {
		t.Errorf("there is room for %d bytes", room)
	}
}

// A program that writes without end is slowed down.
func TestFloodIsPaced(t *testing.T) {
	t.Parallel()
	term, l := start(t, sh(`exec yes`))
	l.until(t, "some output", func() bool { return l.text.Len() > burstBytes })
	<-time.After(500 * time.Millisecond)
	end(t, term)
	if n := l.text.Len(); n > 4*bytesPerSecond {
		t.Errorf("%d bytes came", n)
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	var p pace
	now := time.Unix(0, 0)
	if w := p.wait(burstBytes, now); w != 0 {
		t.Errorf("a burst waits %v", w)
	}
	if w := p.wait(bytesPerSecond, now); w != time.Second {
		t.Errorf("what a second takes waits %v", w)
	}
	if w := p.wait(100, now.Add(time.Hour)); w != 0 {
		t.Errorf("after a long time %v", w)
	}
}

package cli_test

import (
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ahptui/internal/testkit"
)

// quiet is longer than the time in which a key does not answer a question that
// has just appeared.
const quiet = 600 * time.Millisecond

// serverLine is the line of a server in the panel at the right, or "".
func serverLine(screen, name string) string {
	for _, line := range strings.Split(screen, "\n") {
		cells := strings.Split(line, "│")
		if len(cells) < 3 {
			continue
		}
		row := cells[len(cells)-2]
		fields := strings.Fields(row)
		if len(fields) > 1 && (fields[0] == name || fields[1] == name) {
			return row
		}
	}
	return ""
}

func waitServer(t *testing.T, term *testkit.Command, name, word string) {
	t.Helper()
	term.WaitUntil(t, testkit.Patience, name+" is "+word, func(screen string) bool {
		return strings.Contains(serverLine(screen, name), word)
	})
}

// selectServer goes to the panel of servers and to the server. The footer tells
// which panel has the keys, the rule above the details which server is selected;
// first is the one at the top.
func selectServer(t *testing.T, term *testkit.Command, first, name string) {
	t.Helper()
	const footer = "s start  S stop"
	for range 3 {
		if strings.Contains(term.Screen(), footer) {
			break
		}
		before := footerOf(term.Screen())
		term.Key(t, "tab")
		term.WaitUntil(t, testkit.Patience, "the focus moves", func(screen string) bool { return footerOf(screen) != before })
	}
	term.Key(t, "home")
	term.WaitUntil(t, testkit.Patience, "the first server is selected", func(screen string) bool { return selectedServer(screen) == first })
	for selectedServer(term.Screen()) != name {
		before := selectedServer(term.Screen())
		term.Key(t, "down")
		term.WaitUntil(t, testkit.Patience, "the selection moves on from "+before, func(screen string) bool { return selectedServer(screen) != before })
	}
}

func footerOf(screen string) string {
	lines := strings.Split(strings.TrimRight(screen, "\n"), "\n")
	return lines[len(lines)-1]
}

func selectedServer(screen string) string {
	m := regexp.MustCompile(`─ (\S+) ─+│`).FindStringSubmatch(screen)
	if m == nil {
		return ""
	}
	return m[1]
}

// TestDemo is the main job without a sign-in: the call that waits for one is
// given up, the next is approved with one key and runs, servers are stopped, started and switched, and leaving
// leaves the terminal as it was.
func TestDemo(t *testing.T) {
	t.Parallel()
	term := testkit.StartCommand(t, testkit.Size{Cols: 110, Rows: 34}, exec.Command(built(t), "demo"))
	term.WaitFor(t, testkit.Patience, "notes", "clock", "broken", "archive", "ready", "error", "stopped")
	term.WaitFor(t, testkit.Patience, "tracker.list", "cancel call", "1 blocked")
	waitQuiet(t, term)
	term.Type("x")
	term.WaitFor(t, testkit.Patience, "notes.add", "Allow once")
	waitQuiet(t, term)
	term.Type("1")
	term.WaitFor(t, testkit.Patience, "Noted.")
	term.WaitGone(t, testkit.Patience, "2 blocked", "Allow once")

	drive(t, term)

	term.Key(t, "ctrl+c")
	if code := term.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("the program ended with %d", code)
	}
	term.CheckRestored(t)
}

// waitQuiet waits until the screen has stood still for a moment: a key right
// after a question has appeared does not answer it.
func waitQuiet(t *testing.T, term *testkit.Command) {
	t.Helper()
	term.WaitQuiet(t, testkit.Patience, quiet)
}

// drive stops, starts and switches notes, and looks at what broken says.
func drive(t *testing.T, term *testkit.Command) {
	t.Helper()
	selectServer(t, term, "clock", "notes")
	term.Type("S")
	waitServer(t, term, "notes", "stopped")
	term.Type("s")
	waitServer(t, term, "notes", "ready")
	term.Type("r")
	waitServer(t, term, "notes", "ready")
	term.Type("e")
	term.WaitFor(t, testkit.Patience, "Disable notes?", "off in this session")
	term.Type("1")
	waitServer(t, term, "notes", "off")
	term.Type("s")
	term.WaitFor(t, testkit.Patience, "switched off")
	term.Type("e")
	term.WaitFor(t, testkit.Patience, "Enable notes?", "on in this session")
	term.Type("1")
	waitServer(t, term, "notes", "ready")
	selectServer(t, term, "clock", "broken")
	term.WaitFor(t, testkit.Patience, "acme-issues-mcp")
}

// TestCutConnection: what is on the screen is marked as old while the host is
// gone, nothing that was typed is lost, and everything is there again when the
// host is.
func TestCutConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	w := relay(t, s.URL)
	cmd := exec.Command(built(t), "--url", w.URL, "--token-file", s.tokenFile)
	term := testkit.StartCommand(t, testkit.Size{Cols: 80, Rows: 24}, cmd)
	term.WaitFor(t, testkit.Patience, "notes", "ready", "tracker.list")
	term.Type("i")
	term.Type("half a sentence")
	term.WaitFor(t, testkit.Patience, "half a sentence")

	w.cut(true)
	term.WaitFor(t, testkit.Patience, "reconnecting", "half a sentence")
	if got := s.run(t, "mcp", "stop", "notes", "--wait", "20s"); got.code != 0 {
		t.Fatalf("stop behind its back: exit %d, %s", got.code, got.err)
	}
	w.restore()
	waitServer(t, term, "notes", "stopped")
	term.WaitGone(t, testkit.Patience, "reconnecting")
	term.WaitFor(t, testkit.Patience, "half a sentence")
}

// TestStartScreen: a program that was told no host offers the demo, which then
// stays.
func TestStartScreen(t *testing.T) {
	t.Parallel()
	term := testkit.StartCommand(t, testkit.Size{Cols: 80, Rows: 24}, exec.Command(built(t)))
	term.WaitFor(t, testkit.Patience, "Try the demo")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "tracker.list", "cancel call", "ahptui-demo")
}

// TestTypedInsecureHost: an address that is typed is held to the same rule as one
// that is named on the command line.
func TestTypedInsecureHost(t *testing.T) {
	t.Parallel()
	term := testkit.StartCommand(t, testkit.Size{Cols: 100, Rows: 30}, exec.Command(built(t)))
	term.WaitFor(t, testkit.Patience, "Try the demo")
	term.Key(t, "tab")
	term.Type("ws://0.0.0.0:1/ahp")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "ws:// to another machine can be read")
}

// TestHangup: a terminal that goes away ends the program in good order.
func TestHangup(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(built(t), "demo")
	term := testkit.StartCommand(t, testkit.Size{Cols: 80, Rows: 24}, cmd)
	term.WaitFor(t, testkit.Patience, "notes", "ready")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := term.ExitCode(t, testkit.Patience); code != 130 {
		t.Errorf("the program ended with %d, want 130", code)
	}
	term.CheckRestored(t)
}

// TestCallByHand: a message of the form /call runs that very tool.
func TestCallByHand(t *testing.T) {
	t.Parallel()
	s := serve(t, "--demo")
	cmd := exec.Command(built(t), "--url", s.URL, "--token-file", s.tokenFile)
	term := testkit.StartCommand(t, testkit.Size{Cols: 120, Rows: 40}, cmd)
	term.WaitFor(t, testkit.Patience, "tracker.list", "cancel call")
	waitQuiet(t, term)
	term.Type("x")
	term.WaitFor(t, testkit.Patience, "notes.add", "Allow once")
	waitQuiet(t, term)
	term.Type("d")
	term.WaitFor(t, testkit.Patience, "I have not written it down")
	term.Type("i")
	term.Type(`/call notes.add {"text":"canary-4711"}`)
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "Done.")
	term.Type(`/call notes.search {"query":"canary-4711"}`)
	term.Key(t, "enter")
	term.WaitUntil(t, testkit.Patience, "the second call is done", func(screen string) bool { return strings.Count(screen, "Done.") == 2 })
}

package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ahptui/internal/testkit"
)

// tree makes a git working tree in which a file has changed and one is new.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	write("greeting.txt", "hello\nworld\n")
	git("add", ".")
	git("commit", "-q", "-m", "begin")
	write("greeting.txt", "hello\nmoon\n")
	write("fresh.txt", "new\n")
	return dir
}

// TestPanels: a person types into a terminal of the demo's host, and looks at what has
// changed in its working tree, which follows what the terminal does to it.
func TestPanels(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command(built(t), "demo")
	cmd.Dir = tree(t)
	cmd.Env = append(os.Environ(), "SHELL=/bin/sh", "ENV=", "PS1=ready> ")
	term := testkit.StartCommand(t, testkit.Size{Cols: 110, Rows: 34}, cmd)
	term.WaitFor(t, testkit.Patience, "grant access")

	term.Type("T")
	term.WaitFor(t, testkit.Patience, "n opens one")
	term.Type("n")
	term.WaitFor(t, testkit.Patience, "ready>", "i types into it")
	term.Type("i")
	term.WaitFor(t, testkit.Patience, "keys go to the terminal", "ctrl+] leaves it")
	// The quotes keep what is typed from being what is awaited.
	term.Type("echo sa''ys $((6*7)) $(stty size) && printf '\\033]0;evil\\007\\033]52;c;ZXZpbA==\\007' && sleep 100")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "says 42")
	term.Key(t, "ctrl+c") // goes to the program there
	term.Type("echo sti''ll here > fresh.txt; cat fresh.txt")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "still here")
	if title := term.Title(); title != "ahptui (1 blocked)" {
		t.Errorf("the title of the window is %q", title)
	}
	term.Key(t, "ctrl+]")
	term.WaitFor(t, testkit.Patience, "esc goes back to the chat")

	term.Type("F")
	term.WaitFor(t, testkit.Patience, "Uncommitted changes", "A new     fresh.txt", "M changed greeting.txt")
	term.Type(" ")
	term.WaitFor(t, testkit.Patience, "1 of 2 files reviewed")
	term.Key(t, "enter")
	term.WaitFor(t, testkit.Patience, "+ still here")
	term.Type("}")
	term.WaitFor(t, testkit.Patience, "- world", "+ moon")
	term.Type("T")
	term.WaitFor(t, testkit.Patience, "i types into it")
	term.Type("D")
	term.WaitFor(t, testkit.Patience, "What runs in it is ended with it")
	term.Type("1")
	term.WaitFor(t, testkit.Patience, "n opens one")
	term.Type("q")
	if code := term.ExitCode(t, testkit.Patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
	term.CheckRestored(t)
	for _, passed := range []string{"\x1b]52;", "\x1b]0;evil"} {
		if bytes.Contains(term.Output(), []byte(passed)) {
			t.Errorf("%q has come from the terminal's program to that of the person", passed)
		}
	}
}

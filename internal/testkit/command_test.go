package testkit_test

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ahptui/internal/testkit"
)

// shell is a command that the shell runs.
func shell(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skipf("needs a POSIX shell: %v", err)
	}
	return exec.Command(sh, "-c", script)
}

func TestStartCommand(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = testkit.Environ(t, asProgram+"=1")
	c := testkit.StartCommand(t, standard(), cmd)

	c.WaitFor(t, testkit.Patience, "size 80x24", "dark=true", "2026=2")
	c.Type("hi")
	c.Key(t, "esc", "j")
	c.Paste("two words")
	c.WaitFor(t, testkit.Patience, "keys <h><i><esc><j>", "pasted two words")
	c.Resize(t, testkit.Size{Cols: 100, Rows: 30})
	c.WaitFor(t, testkit.Patience, "size 100x30")
	if got := c.Title(); got != "echo; 100x30" {
		t.Errorf("Title() = %q", got)
	}
	c.Key(t, "ctrl+c")
	if code := c.ExitCode(t, testkit.Patience); code != 7 {
		t.Errorf("exit code %d, want 7", code)
	}
	c.CheckRestored(t)
	if !bytes.Contains(c.Output(), []byte("\x1b[?1049l")) {
		t.Error("the output has no way back from the alternate screen")
	}
}

func TestCommandOutput(t *testing.T) {
	t.Parallel()
	c := testkit.StartCommand(t, testkit.Size{Cols: 20, Rows: 3}, shell(t, `printf '\033]2;a;b\007\033]7501;state=blocked:kind=auth\007\033[32mgreen\033[0m\nlast'; exit 3`))
	if code := c.ExitCode(t, testkit.Patience); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	if got, want := c.Screen(), "green\nlast\n"; got != want {
		t.Errorf("Screen() = %q, want %q", got, want)
	}
	if got, want := c.Title(), "a;b"; got != want {
		t.Errorf("Title() = %q, want %q", got, want)
	}
	if got, want := c.ProgramStatus(), "state=blocked:kind=auth"; got != want {
		t.Errorf("ProgramStatus() = %q, want %q", got, want)
	}
	if col, row, visible := c.Cursor(); col != 4 || row != 1 || !visible {
		t.Errorf("Cursor() = %d, %d, %v", col, row, visible)
	}
}

func TestCommandMuchOutput(t *testing.T) {
	t.Parallel()
	c := testkit.StartCommand(t, standard(), shell(t, `i=0; while [ $i -lt 5000 ]; do echo "line $i"; i=$((i+1)); done`))
	c.ExitCode(t, testkit.Patience)
	if !strings.Contains(c.Screen(), "line 4999") {
		t.Errorf("the last line is missing:\n%s", c.Screen())
	}
	if got := bytes.Count(c.Output(), []byte("\n")); got != 5000 {
		t.Errorf("%d lines of 5000 arrived", got)
	}
}

func TestCommandThatDoesNotRead(t *testing.T) {
	t.Parallel()
	c := testkit.StartCommand(t, standard(), shell(t, `stty raw -echo; printf ready; sleep 1000`))
	c.WaitFor(t, testkit.Patience, "ready")
	c.Type(strings.Repeat("x", 100_000)) // more than a pseudo-terminal holds
	if !strings.Contains(c.Screen(), "ready") {
		t.Errorf("the screen is %q", c.Screen())
	}
}

func TestCommandLeavesRawMode(t *testing.T) {
	t.Parallel()
	c := testkit.StartCommand(t, standard(), shell(t, `stty raw -echo`))
	c.ExitCode(t, testkit.Patience)
	if failures := failuresOf(t, func(tb testing.TB) { c.CheckRestored(tb) }); len(failures) != 1 || !strings.Contains(failures[0], "raw mode") {
		t.Errorf("CheckRestored failed with %q", failures)
	}
}

func TestCommandEndsWithTheTest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script string }{
		{"when it is hung up", `echo pid $$; cat`},
		{"when it will not hear", `trap '' HUP TERM; echo pid $$; while :; do sleep 1000; done`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c *testkit.Command
			var pid int
			t.Run("leaves it running", func(t *testing.T) {
				c = testkit.StartCommand(t, standard(), shell(t, tt.script))
				screen := c.WaitFor(t, testkit.Patience, "pid ")
				var err error
				if pid, err = strconv.Atoi(strings.Fields(screen)[1]); err != nil {
					t.Fatal(err)
				}
			})
			if code := c.ExitCode(t, testkit.Patience); code != -1 {
				t.Errorf("exit code %d, want a signal's -1", code)
			}
			process, err := os.FindProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			if process.Signal(syscall.Signal(0)) == nil {
				t.Error("the process is still there")
			}
		})
	}
}

func TestEnviron(t *testing.T) {
	t.Setenv("NO_COLOR", "1")
	t.Setenv("TMUX", "1")
	t.Setenv("AHP_URL", "ws://127.0.0.1:1")
	t.Setenv("TESTKIT_KEPT", "yes")
	env := testkit.Environ(t, "EXTRA=1")
	have := map[string]string{}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		have[name] = value
	}
	for _, name := range []string{"NO_COLOR", "TMUX", "AHP_URL"} {
		if _, ok := have[name]; ok {
			t.Errorf("the environment has %s", name)
		}
	}
	if have["TESTKIT_KEPT"] != "yes" || have["EXTRA"] != "1" || have["TERM"] != "xterm-256color" {
		t.Errorf("the environment is %q", env)
	}
	if home, _ := os.UserHomeDir(); have["HOME"] == home || have["HOME"] == "" {
		t.Errorf("HOME is %q", have["HOME"])
	}
}

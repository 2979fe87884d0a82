package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"ahptui/internal/testkit"
)

// program is the built program. The tests run it as people do: in a process.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "ahptui-cli-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "ahptui")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, "ahptui")
	if out, err := build.CombinedOutput(); err != nil {
		return "", &buildError{err, out}
	}
	return path, nil
})

type buildError struct {
	err error
	out []byte
}

func (e *buildError) Error() string { return e.err.Error() + "\n" + string(e.out) }

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

func built(t testing.TB) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatalf("build the program: %v", err)
	}
	return path
}

// ran is how a command ended.
type ran struct {
	out, err string
	code     int
}

// command is the program with a home and an environment of its own.
func command(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(built(t), args...)
	cmd.Env = testkit.Environ(t, env...)
	return cmd
}

// run runs the program without a terminal and without a host of its own.
func run(t *testing.T, env []string, args ...string) ran {
	t.Helper()
	cmd := command(t, env, args...)
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watchdog := time.AfterFunc(2*testkit.Patience, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	watchdog.Stop()
	return ran{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
}

// decode reads the one JSON value that a command printed.
func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(strings.TrimSpace(text)), &v); err != nil {
		t.Fatalf("not one JSON value: %v\n%s", err, text)
	}
	return v
}

// jsonError is an error as --json prints it.
type jsonError struct {
	Error string `json:"error"`
	Code  int    `json:"code"`
	Hint  string `json:"hint"`
}
